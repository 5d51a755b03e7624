/*
 * What it finds
 *   Lists of class names, where --classes gives only the number of classes: names of one split that another lacks, with
 *   the nearest name there, and sets that have more names than classes. A list's split is decided by its folder, as for
 *   split-leak, or by its own name (train.csv). It is an error if two splits share no name, if names differ in capitals
 *   alone, if there are more names than classes, and if other files of the set have ids: the number that a name gets
 *   is none of theirs.
 *
 * Why it matters
 *   Names are numbered over all lists of the set. Code that numbers those of each list alone gives one class different
 *   ids in training and validation; a misspelled name is a class of its own.
 *
 * Example
 *   (dataset): warning class-names-differ: val lacks 2 of 5 class names of train: a, c
 *
 * What to do
 *   Correct names that are misspelled. Give the file of class names as --classes, and let the training use the same.
 */
#include <strings.h>

#include "base/nearest.h"
#include "judge/check.h"

enum {
	NAMED_MAX = 3,
	MESSAGE_BYTES = 600,
	COMPARED_MAX = 1000, /* names whose spelling is compared with all others */
};

static bool is_only_in(const struct name_total *total, unsigned in, unsigned not_in)
{
	return (total->splits >> in & 1) && !(total->splits >> not_in & 1);
}

/* Returns the name of split `lacking` that is meant by one of split `having`, if neither has the other's; or NULL. */
static const char *find_nearest(const struct name_totals *t, const char *name, unsigned having, unsigned lacking)
{
	struct nearest nearest;

	nearest_init(&nearest, name);
	for (size_t i = 0; i < t->count && i < COMPARED_MAX; i++)
		if (is_only_in(&t->v[i], lacking, having))
			nearest_try(&nearest, t->v[i].name);
	return nearest.name;
}

/* Reports the names of split `having` that split `lacking` lacks. */
static void compare_splits(const struct dataset_stats *d, unsigned having, unsigned lacking, struct finding *f)
{
	const struct name_totals *t = &d->names;
	size_t names = 0, lacks = 0, said = 0;

	for (size_t i = 0; i < t->count; i++) {
		names += t->v[i].splits >> having & 1;
		lacks += is_only_in(&t->v[i], having, lacking);
	}
	if (!names || !lacks)
		return;
	f->details.count += lacks;
	if (lacks == names)
		f->level = LEVEL_ERROR;
	if (f->message.len > MESSAGE_BYTES)
		return;
	say_also(f, "%s lacks %zu of %zu class name%s of %s: ", dataset_split_name(d, lacking), lacks, names,
		 names == 1 ? "" : "s", dataset_split_name(d, having));
	for (size_t i = 0; i < t->count && said < NAMED_MAX; i++) {
		if (!is_only_in(&t->v[i], having, lacking))
			continue;
		const char *nearest = i < COMPARED_MAX ? find_nearest(t, t->v[i].name, having, lacking) : NULL;

		say(f, "%s%.40s", said++ ? ", " : "", t->v[i].name);
		if (nearest)
			say(f, " (%s has '%.40s')", dataset_split_name(d, lacking), nearest);
		if (nearest && !strcasecmp(nearest, t->v[i].name))
			f->level = LEVEL_ERROR;
	}
	if (lacks > said)
		say(f, " and %zu more", lacks - said);
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct name_totals *t = &d->names;
	uint64_t classes = id_ranges_size(&settings->classes.classes);
	uint32_t splits = 0;

	if (t->files && d->files_with_ids > t->files) {
		const uint64_t others = d->files_with_ids - t->files;

		say(f, "%" PRIu64 " list%s class names, but %" PRIu64 " other file%s ids", t->files,
		    t->files == 1 ? " has" : "s have", others, others == 1 ? " has" : "s have");
		f->level = LEVEL_ERROR;
		f->details.count++;
	}
	if (t->files < 2)
		return f->message.len > 0;
	for (size_t i = 0; i < t->count; i++)
		splits |= t->v[i].splits;
	if (t->count > classes) {
		say_also(f, "%" PRIu64 " lists have %zu class names, but --classes declares %" PRIu64, t->files,
			 t->count, classes);
		f->level = LEVEL_ERROR;
		f->details.count += t->count - classes;
	}
	for (unsigned having = 1; having < NAME_SPLITS; having++)
		for (unsigned lacking = 1; lacking < NAME_SPLITS; lacking++)
			if (having != lacking && (splits >> having & 1) && (splits >> lacking & 1))
				compare_splits(d, having, lacking, f);
	return f->message.len > 0;
}

const struct rule rule_class_names_differ = {
	RULE("class-names-differ", "lists", LEVEL_WARNING, "class names in lists that differ between splits"),
	.check_dataset = check_dataset,
	.advice = "correct names that are misspelled; give the file of class names as --classes",
};
