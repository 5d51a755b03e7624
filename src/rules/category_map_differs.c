/*
 * What it finds
 *   COCO files of one audit whose categories differ: one name with several ids, one id with several names, and
 *   categories of one split that another lacks. It is an error if code that maps the ids in rising order, as
 *   detectron2 does, makes different classes of one name. Case, hyphens and underscores are not compared. A file's
 *   split is decided by its folder, as for split-leak, or by its own name (instances_val.json). Where --classes gives
 *   names, category-names-differ reports the files that disagree with these.
 *
 * Why it matters
 *   The ids of each file are valid alone. A model that is trained on one file and scored on the other takes cats for
 *   dogs, and only the score shows it.
 *
 * Example
 *   (dataset): error category-map-differs: 2 category names have several ids: 'cat' is 1 in train.json and 2 in
 *   val.json
 *
 * What to do
 *   Export all splits with one list of categories. Otherwise map the ids of one file by name:
 *   `a["category_id"] = {"cat": 1, "dog": 2}[name_of[a["category_id"]]]`.
 */
#include <string.h>

#include "judge/check.h"
#include "judge/name_totals.h"
#include "read/coco.h"

enum {
	COMPARED_MAX = 4096, /* entries that are compared with all others */
	NAMED_MAX = 3,
};

/* Differences of one kind. */
struct differences {
	uint64_t count;
	const struct name_total *first[2];
};

static void differ(struct differences *d, const struct name_total *a, const struct name_total *b)
{
	if (!d->count++) {
		d->first[0] = a;
		d->first[1] = b;
	}
}

static bool is_same_name(const struct name_total *a, const struct name_total *b)
{
	return coco_same_name(a->name, strlen(a->name), b->name);
}

/* Returns whether the entries are of two files: duplicate-category-name reports two of one file. */
static bool are_apart(const struct name_total *a, const struct name_total *b)
{
	return strcmp(a->example, b->example) != 0;
}

/* Each name, and each id, counts once: with the first other entry that differs. */
static bool compare_all(const struct name_totals *t, struct differences *ids, struct differences *names)
{
	size_t n = MIN(t->count, (size_t)COMPARED_MAX);
	bool shifted = false;

	for (size_t i = 0; i < n; i++) {
		const struct name_total *a = &t->v[i];
		bool other_id = false, other_name = false;

		for (size_t k = 0; k < n; k++) {
			const struct name_total *b = &t->v[k];

			if (k == i || !are_apart(a, b))
				continue;
			bool same = is_same_name(a, b);

			if (k < i && ((same && a->id != b->id) || (!same && a->id == b->id)))
				continue; /* counted at b */
			if (same && a->id != b->id) {
				shifted |= a->class_id != b->class_id;
				if (!other_id)
					differ(ids, a, b);
				other_id = true;
			} else if (!same && a->id == b->id && !other_name) {
				differ(names, a, b);
				other_name = true;
			}
		}
	}
	return shifted;
}

static void say_places(struct finding *f, const struct name_total *const pair[2], bool ids)
{
	const struct name_total *a = pair[0], *b = pair[1];

	f->example = a->example;
	if (ids)
		say(f, ": '%s' is %" PRId64 " in %s and %" PRId64 " in %s", a->name, a->id, a->example, b->id,
		    b->example);
	else
		say(f, ": %" PRId64 " is '%s' in %s and '%s' in %s", a->id, a->name, a->example, b->name, b->example);
}

/* Returns whether the entry's name is in split `in`, and not in split `not_in` under any id or class. */
static bool is_only_in(const struct name_totals *t, const struct name_total *total, unsigned in, unsigned not_in)
{
	if (!(total->splits >> in & 1) || total->splits >> not_in & 1)
		return false;
	for (size_t i = 0; i < MIN(t->count, (size_t)COMPARED_MAX); i++)
		if (t->v[i].splits >> not_in & 1 && is_same_name(&t->v[i], total))
			return false;
	return true;
}

/* Reports the categories of split `having` that split `lacking` lacks. */
static void compare_splits(const struct dataset_stats *d, unsigned having, unsigned lacking, struct finding *f)
{
	const struct name_totals *t = &d->categories;
	uint64_t lacks = 0;

	for (size_t i = 0; i < MIN(t->count, (size_t)COMPARED_MAX); i++) {
		if (!is_only_in(t, &t->v[i], having, lacking))
			continue;
		if (!lacks)
			say_also(f, "%s lacks categories of %s: ", dataset_split_name(d, lacking),
				 dataset_split_name(d, having));
		if (lacks < NAMED_MAX)
			say(f, "%s'%s'", lacks ? ", " : "", t->v[i].name);
		lacks++;
	}
	if (lacks > NAMED_MAX)
		say(f, " and %" PRIu64 " more", lacks - NAMED_MAX);
	f->details.count += lacks;
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct name_totals *t = &d->categories;
	struct differences ids = { 0 }, names = { 0 };
	uint32_t splits = 0;
	bool shifted = compare_all(t, &ids, &names);

	/* category-names-differ names each file whose names are in another order */
	if (settings->classes.names_count && shifted)
		return false;
	f->details.count = ids.count + names.count;
	if (shifted)
		f->level = LEVEL_ERROR;
	if (ids.count) {
		say(f, "%" PRIu64 " category %s several ids", ids.count, plural(ids.count, "name has", "names have"));
		say_places(f, ids.first, true);
	} else if (names.count) {
		say(f, "%" PRIu64 " category %s several names", names.count, plural(names.count, "id has", "ids have"));
		say_places(f, names.first, false);
	}
	if (f->message.len)
		return true;
	for (size_t i = 0; i < t->count; i++)
		splits |= t->v[i].splits;
	for (unsigned having = 1; having < NAME_SPLITS; having++)
		for (unsigned lacking = 1; lacking < NAME_SPLITS; lacking++)
			if (having != lacking && (splits >> having & 1) && (splits >> lacking & 1))
				compare_splits(d, having, lacking, f);
	return f->message.len > 0;
}

const struct rule rule_category_map_differs = {
	RULE("category-map-differs", "coco", LEVEL_WARNING, "COCO files whose categories have different ids or names"),
	.check_dataset = check_dataset,
	.advice = "export all splits with one list of categories, or map the ids of one file by name",
};
