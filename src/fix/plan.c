#include "fix/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "fix/saved_plan.h"
#include "judge/role.h"

const char *recoding_rule(enum recoding r)
{
	static const char *const rules[RECODINGS] = {
		[RECODE_EXPAND] = "expanded-bit-depth",
		[RECODE_NARROW] = "wide-ids",
		[RECODE_ONE_CHANNEL] = "replicated-channels",
		[RECODE_COLOURS] = "color-mask",
		[RECODE_STRIP] = "mixed-encoding",
		[RECODE_INTEGERS] = "wrong-dtype",
		[RECODE_ONE_HOT] = "one-hot-mask",
		[RECODE_CATEGORIES] = "noncontiguous-categories",
	};

	return rules[r];
}

const char *recoding_words(enum recoding r)
{
	static const char *const words[RECODINGS] = {
		[RECODE_EXPAND] = "grey of few bits becomes 8 bits",
		[RECODE_NARROW] = "16 bits or more become 8",
		[RECODE_ONE_CHANNEL] = "one of the equal channels is kept",
		[RECODE_COLOURS] = "colours become their ids",
		[RECODE_STRIP] = "palettes become grey",
		[RECODE_INTEGERS] = "floats and truth values become integers",
		[RECODE_ONE_HOT] = "one-hot labels become classes",
		[RECODE_CATEGORIES] = "category ids become classes",
	};

	return words[r];
}

#define CATEGORIES_DISAGREE "COCO files disagree: one category id would become several classes"

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static struct plan_refusal *refuse(struct fix_plan *plan, const char *why)
{
	for (size_t i = 0; i < plan->refusals_count; i++)
		if (!strcmp(plan->refusals[i].why.s, why))
			return &plan->refusals[i];
	GROW(plan->refusals, plan->refusals_cap, plan->refusals_count + 1);
	struct plan_refusal *r = &plan->refusals[plan->refusals_count++];

	memset(r, 0, sizeof(*r));
	text_addf(&r->why, "%s", why);
	return r;
}

void fix_plan_refuse(struct fix_plan *plan, const struct fix_file *file, const char *why)
{
	struct plan_refusal *r = refuse(plan, why);

	if (r->files < REFUSAL_PATHS)
		r->paths[r->files] = file->place;
	r->files++;
}

bool fix_plan_has_invalid(const struct fix_plan *plan, const struct fix_file *file)
{
	int64_t scale = fix_file_scale(plan->set, file);

	for (size_t i = 0; i < file->ids_count; i++) {
		const struct fix_id id = fix_file_id(plan->set, file, i);
		int64_t plain = fix_unscaled(id.id, scale, plan->unscaled);

		if (id.labels && settings_role(plan->set->settings, plain) == ID_INVALID)
			return true;
	}
	return false;
}

/*
 * Refuses the map: lists the files with ids that are out of range, and says if others are right as they are.
 * texts_only: masks are mended.
 */
static void refuse_map(struct fix_plan *plan, const char *why, bool texts_only)
{
	struct plan_refusal *r = NULL;
	uint64_t legal = 0;

	for (size_t i = 0; i < plan->set->count; i++) {
		const struct fix_file *file = &plan->set->files[i];

		if (file->kind == FIX_NONE || (texts_only && fix_file_is_mask(file)))
			continue;
		if (!fix_plan_has_invalid(plan, file)) {
			legal++;
			continue;
		}
		if (!r)
			r = refuse(plan, why);
		if (r->files < REFUSAL_PATHS)
			r->paths[r->files] = file->place;
		r->files++;
	}
	if (!r && !texts_only)
		refuse(plan, why);
	if (legal && r)
		text_addf(&r->why, "; %" PRIu64 " other files are in range as they are", legal);
}

/* ---- the map ----------------------------------------------------------------------------------------------------- */

/* Returns why no map may change the ids, which do not mean the same in each file; or NULL. */
static const char *obstacle(const struct fix_set *set)
{
	/* a few files of scaled ids are luma by chance, too */
	if (fix_set_findings(set, "palette-luma-ids") > fix_set_findings(set, "scaled-ids"))
		return "the ids are the grey of colours, and two colours can have the same: go back to the source";
	if (fix_set_has(set, "inconsistent-palette"))
		return "palettes differ from file to file, so an id has no one meaning: declare the colours (--colors)";
	return NULL;
}

static void keep_all(struct id_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		map->v[i].to = map->v[i].id;
	map->rule = NULL;
	map->has_voids = map->reduces_zero = false;
	text_clear(&map->method);
}

/* Asks the rules one after the other. MAP_FOUND: all ids are legal, or a rule made them so; else *why. */
static enum map_answer propose(const struct map_question *q, struct id_map *map, struct text *why)
{
	enum map_answer answer = MAP_OTHER;

	if (map_ignored_colours.propose(q, map, why) == MAP_REFUSED)
		return MAP_REFUSED;
	map_wrapped_ids.propose(q, map, why);
	if (!id_map_has_invalid(map) && !q->set->settings->reduce_zero_label)
		return MAP_FOUND;
	for (size_t i = 0; i < map_rules_count && answer == MAP_OTHER; i++)
		answer = map_rules[i]->propose(q, map, why);
	if (answer == MAP_OTHER)
		text_addf(why, "no map explains all ids that are out of range");
	return answer;
}

/* Returns whether the masks of few bits hold their ids as samples: only these are all legal. */
static bool are_unscaled(struct fix_plan *plan)
{
	bool invalid[2] = { false, false };

	for (size_t i = 0; i < plan->set->count; i++) {
		const struct fix_file *file = &plan->set->files[i];

		if (fix_file_scale(plan->set, file) == 1)
			continue;
		for (int unscaled = 0; unscaled < 2; unscaled++) {
			plan->unscaled = unscaled;
			invalid[unscaled] |= fix_plan_has_invalid(plan, file);
		}
	}
	return invalid[0] && !invalid[1];
}

/* Returns how many bytes of the file's place are its folder. */
static size_t folder_of(const struct fix_file *file)
{
	return (size_t)(file_name_of(file->place + file->member_at) - file->place);
}

static bool holds_grid(const struct fix_file *file)
{
	return file->kind == FIX_PNG || file->kind == FIX_ARRAY;
}

/* Returns whether a mask or an array that is rewritten lies in the folder, n bytes of a place. */
static bool has_grid_in(const struct fix_set *set, const char *folder, size_t n)
{
	for (size_t i = 0; i < set->count; i++)
		if (holds_grid(&set->files[i]) && folder_of(&set->files[i]) == n &&
		    !memcmp(set->files[i].place, folder, n))
			return true;
	return false;
}

/* Returns whether a mask or an array has the name, up to its first dot. */
static bool has_grid_named(const struct fix_set *set, const char *name)
{
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < set->count; i++) {
		const char *other = set->files[i].place + folder_of(&set->files[i]);

		if (holds_grid(&set->files[i]) && strcspn(other, ".") == n && !memcmp(name, other, n))
			return true;
	}
	return false;
}

/*
 * Returns a file that was left out and may be a label file of the set; or NULL: it lies in a folder with files that the
 * map changes; or it is no PNG, as most images are, and has not the name of a mask, as an image has.
 */
static const char *left_out_beside(const struct fix_plan *plan)
{
	enum { NAMES_MAX = 64 };
	const struct fix_set *set = plan->set;
	unsigned names = 0;

	/* both lists are sorted, but not by folder: few files are left out beside masks */
	for (size_t i = 0; i < set->left_out_count; i++) {
		const struct fix_left_out *left = &set->left_out[i];
		bool same_folder =
			i && left[-1].folder == left->folder && !memcmp(left[-1].place, left->place, left->folder);

		if (!same_folder && has_grid_in(set, left->place, left->folder))
			return left->place;
		if (!file_name_ends_in(left->place, ".png") && names++ < NAMES_MAX &&
		    !has_grid_named(set, left->place + left->folder))
			return left->place;
	}
	return NULL;
}

/* Returns a file that would keep its ids beside others that the map changes; or NULL. */
static const struct fix_file *file_that_keeps_ids(const struct fix_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->files[i].kind == FIX_NONE && set->files[i].holds_ids)
			return &set->files[i];
	return NULL;
}

/* Returns an interpolated mask with ids out of range, which kernels that overshoot make of legal ones; or NULL. */
static const struct fix_file *interpolated_evidence(const struct fix_plan *plan)
{
	for (size_t i = 0; i < plan->set->count; i++) {
		const struct fix_file *file = &plan->set->files[i];

		if (fix_file_is_mask(file) && file->interpolated && fix_plan_has_invalid(plan, file))
			return file;
	}
	return NULL;
}

/* Says which map, if any, explains the files of each kind, where there are several. */
static void explain_kinds(const struct fix_plan *plan, struct text *why)
{
	uint64_t files[FIX_KINDS] = { 0 };
	unsigned kinds = 0;

	for (size_t i = 0; i < plan->set->count; i++)
		kinds += plan->set->files[i].kind != FIX_NONE && !files[plan->set->files[i].kind]++;
	for (int kind = FIX_NONE + 1; kinds > 1 && kind < FIX_KINDS; kind++) {
		struct map_question q = { .set = plan->set, .kind = (enum fix_kind)kind, .unscaled = plan->unscaled };
		struct id_map map = { 0 };
		struct text ignored;

		if (!files[kind])
			continue;
		text_clear(&ignored);
		id_map_gather(&map, &q);
		bool found = propose(&q, &map, &ignored) == MAP_FOUND;

		text_addf(why, "; the %s alone: %s", fix_kind_name((enum fix_kind)kind),
			  !found                 ? "no map"
			  : id_map_changes(&map) ? map.method.s
						 : "in range as they are");
		id_map_release(&map);
	}
}

/* Puts an edited plan's map in the place of the rules', unless they are equal. Returns whether it did. */
static bool take_edited(struct id_map *map, const struct saved_plan *edited)
{
	bool differs = false;

	for (size_t i = 0; i < map->count; i++) {
		const struct planned_pair *pair = saved_plan_pair(edited, map->v[i].id);

		differs |= map->v[i].to != (pair ? pair->to : map->v[i].id);
	}
	if (!differs)
		return false;
	keep_all(map);
	for (size_t i = 0; i < map->count; i++) {
		const struct planned_pair *pair = saved_plan_pair(edited, map->v[i].id);

		map->v[i].to = pair ? pair->to : map->v[i].id;
	}
	map->rule = "out-of-range-id";
	text_addf(&map->method, "as the plan says");
	return true;
}

/*
 * Asks the rules about the ids of categories beside those of other files: COCO's 1 to C and the others' are one-based
 * together. Returns whether a map explains them; then it is the plan's.
 */
static bool propose_by_category(struct fix_plan *plan, const struct map_question *question)
{
	struct map_question q = *question;
	struct id_map map = { 0 };
	struct text why;

	text_clear(&why);
	q.by_category = true;
	id_map_gather(&map, &q);
	plan->by_category = propose(&q, &map, &why) == MAP_FOUND;
	if (plan->by_category) {
		id_map_release(&plan->map);
		plan->map = map;
	} else {
		id_map_release(&map);
	}
	return plan->by_category;
}

/* differ: categories have other ids than the classes that they become, in all COCO files the same. */
static void plan_map(struct fix_plan *plan, bool differ, bool lossy, const struct saved_plan *edited)
{
	struct map_question q = { .set = plan->set };
	struct id_map *map = &plan->map;
	struct settings after = *plan->set->settings;
	struct text why;

	text_clear(&why);
	q.unscaled = plan->unscaled = are_unscaled(plan);
	id_map_gather(map, &q);
	enum map_answer answer = propose(&q, map, &why);

	if (answer != MAP_FOUND && differ && propose_by_category(plan, &q)) {
		answer = MAP_FOUND;
		text_clear(&why);
	}
	bool ok = answer == MAP_FOUND;

	if (edited && take_edited(map, edited)) {
		text_clear(&why);
		ok = true;
	}

	if (ok && id_map_changes(map) && obstacle(plan->set)) {
		text_addf(&why, "%s", obstacle(plan->set));
		ok = false;
	}
	if (ok && id_map_changes(map) && !edited && GUARD(map_of_ringing, interpolated_evidence(plan))) {
		text_addf(&why, "%s is interpolated, so its ids are no proof of a map",
			  interpolated_evidence(plan)->place);
		answer = MAP_OTHER;
		ok = false;
	}
	if (ok && id_map_changes(map) && GUARD(categories_that_disagree, plan->categories_disagree)) {
		text_addf(&why, CATEGORIES_DISAGREE);
		ok = false;
	}
	if (ok && id_map_changes(map) && GUARD(file_that_keeps_its_ids, file_that_keeps_ids(plan->set))) {
		text_addf(&why, "%s would keep its ids, since it %s", file_that_keeps_ids(plan->set)->place,
			  file_that_keeps_ids(plan->set)->never);
		ok = false;
	}
	if (ok && id_map_changes(map) && GUARD(labels_of_another_kind, plan->set->other_kind)) {
		text_addf(&why,
			  "%s looks like labels of another kind, which were not audited and would keep their ids: name "
			  "both as PATHs, or --exclude it",
			  plan->set->other_kind);
		ok = false;
	}
	if (ok && id_map_changes(map) && GUARD(left_out_with_ids, left_out_beside(plan))) {
		text_addf(&why, "%s was not audited and may hold ids, which would stay: --exclude it if it holds none",
			  left_out_beside(plan));
		ok = false;
	}
	fix_plan_settle(plan, &after);
	if (ok && map->rule && !id_map_check(map, &after, &why))
		ok = false;
	if (!ok) {
		if (answer != MAP_FOUND)
			explain_kinds(plan, &why);
		keep_all(map);
		refuse_map(plan, why.s, answer == MAP_OTHER && lossy); /* lossy.c mends what no map explains */
	}
}

/* ---- categories ------------------------------------------------------------------------------------------------- */

static unsigned recodings_of_coco(const struct fix_file *file, unsigned wanted)
{
	for (size_t i = 0; i < file->categories_count; i++)
		if (file->categories[i].id != file->categories[i].class_id)
			return wanted & 1 << RECODE_CATEGORIES;
	return 0;
}

static int compare_category_ids(const void *pa, const void *pb)
{
	const struct fix_category *a = pa, *b = pb;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->class_id < b->class_id ? -1 : a->class_id > b->class_id;
}

static int compare_category_classes(const void *pa, const void *pb)
{
	const struct fix_category *a = pa, *b = pb;

	if (a->class_id != b->class_id)
		return a->class_id < b->class_id ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Returns whether ids and classes of the categories go together one to one; leaves each once, sorted by id. */
static bool are_one_to_one(struct fix_category *v, size_t *count)
{
	size_t n = 0;
	bool ok = true;

	qsort(v, *count, sizeof(*v), compare_category_ids);
	for (size_t i = 0; i < *count; i++) {
		bool same = n && v[n - 1].id == v[i].id && v[n - 1].class_id == v[i].class_id;

		if (same)
			v[n - 1].labels += v[i].labels;
		else
			v[n++] = v[i];
	}
	*count = n;
	qsort(v, n, sizeof(*v), compare_category_classes);
	for (size_t i = 1; i < n; i++)
		ok &= v[i - 1].class_id != v[i].class_id;
	qsort(v, n, sizeof(*v), compare_category_ids);
	for (size_t i = 1; i < n; i++)
		ok &= v[i - 1].id != v[i].id;
	return ok;
}

/*
 * Returns whether category ids are to become the classes that the audit counts them as: in each COCO file the same. If
 * files disagree, refuses them.
 */
static bool plan_categories(struct fix_plan *plan)
{
	const struct fix_set *set = plan->set;
	size_t cap = 0;
	bool differ = false;

	for (size_t i = 0; i < set->count; i++) {
		const struct fix_file *file = &set->files[i];

		if (!file->categories_count)
			continue;
		GROW(plan->categories, cap, plan->categories_count + file->categories_count);
		memcpy(plan->categories + plan->categories_count, file->categories,
		       file->categories_count * sizeof(*file->categories));
		plan->categories_count += file->categories_count;
		differ |= recodings_of_coco(file, 1 << RECODE_CATEGORIES) != 0;
	}
	if (!differ)
		return false;
	if (are_one_to_one(plan->categories, &plan->categories_count))
		return true;
	plan->categories_disagree = true;
	for (size_t i = 0; i < set->count; i++)
		if (set->files[i].categories_count)
			fix_plan_refuse(plan, &set->files[i], CATEGORIES_DISAGREE);
	return false;
}

size_t fix_plan_changing(const struct fix_plan *plan, const struct fix_archive *archive)
{
	size_t n = 0;

	for (size_t i = 0; i < archive->count; i++)
		n += plan->files[archive->first + i].changes;
	return n;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

int64_t fix_plan_id(const struct fix_plan *plan, const struct fix_file *file, int64_t id)
{
	int64_t plain = fix_unscaled(id, fix_file_scale(plan->set, file), plan->unscaled);
	const struct mapped_id *m = id_map_find(&plan->map, plain);

	return m ? m->to : plain;
}

int64_t fix_plan_category(const struct fix_plan *plan, const struct fix_file *file, const struct fix_category *c)
{
	bool becomes_class = plan->files[file - plan->set->files].recodings & 1 << RECODE_CATEGORIES;

	return fix_plan_id(plan, file, becomes_class ? c->class_id : c->id);
}

/* Returns whether all ids fit into 8 bits, once they are mapped. */
static bool all_are_narrow(const struct id_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].to < 0 || map->v[i].to > 255)
			return false;
	return true;
}

/* Returns whether some grey mask of few bits has an id that loaders multiply. Then all become 8 bits, to stay alike. */
static bool some_expand(const struct fix_plan *plan)
{
	for (size_t i = 0; i < plan->set->count; i++) {
		const struct fix_file *file = &plan->set->files[i];

		if (fix_file_is_mask(file) && file->encoding == MASK_IDS && file->colour_type == PNG_GREY &&
		    file->bit_depth < 8 && (plan->unscaled || fix_file_scale(plan->set, file) == 1) &&
		    (file->ids_count > 1 || (file->ids_count && fix_file_id(plan->set, file, 0).id)))
			return true;
	}
	return false;
}

static unsigned recodings_of_array(const struct fix_array_form *array, unsigned wanted)
{
	unsigned bytes = dtype_bytes((enum array_dtype)array->dtype);

	if (array->is_idx)
		return 0;
	if (array->one_hot)
		return wanted & 1 << RECODE_ONE_HOT;
	if (array->dtype >= DTYPE_FLOAT16 || array->dtype == DTYPE_BOOL)
		return wanted & 1 << RECODE_INTEGERS;
	return array->rank > 1 && bytes > 1 ? wanted & 1 << RECODE_NARROW : 0; /* lists of labels are int64 */
}

/* Returns the recodings of a file, of those that the whole set gets. narrow: as in the plan. */
static unsigned recodings_of(const struct fix_file *file, unsigned wanted, bool narrow)
{
	bool grey = file->colour_type == PNG_GREY;

	if (file->kind == FIX_ARRAY)
		return recodings_of_array(&file->array, wanted);
	if (!fix_file_is_mask(file))
		return recodings_of_coco(file, wanted);
	if (file->encoding == MASK_REPLICATED)
		return 1 << RECODE_ONE_CHANNEL | (unsigned)(narrow && file->bit_depth == 16) << RECODE_NARROW;
	if (file->encoding == MASK_COLOURS)
		return 1 << RECODE_COLOURS;
	if (file->encoding == MASK_ONE_HOT)
		return 1 << RECODE_ONE_HOT;
	if (file->colour_type == PNG_PALETTE)
		return wanted & 1 << RECODE_STRIP;
	if (grey && file->bit_depth < 8)
		return wanted & 1 << RECODE_EXPAND;
	return grey && file->bit_depth == 16 ? wanted & 1 << RECODE_NARROW : 0;
}

/* Returns whether a colour of the file becomes no id: the map that would say so was refused. */
static bool keeps_a_colour(const struct fix_plan *plan, const struct fix_file *file)
{
	for (size_t k = 0; k < file->ids_count; k++)
		if (id_is_colour(fix_plan_id(plan, file, fix_file_id(plan->set, file, k).id)))
			return true;
	return false;
}

static void plan_file(struct fix_plan *plan, size_t i, unsigned wanted)
{
	const struct fix_file *file = &plan->set->files[i];
	struct plan_file *p = &plan->files[i];

	if ((!plan->map.rule && fix_plan_has_invalid(plan, file)) || keeps_a_colour(plan, file))
		return; /* refused with the map */
	p->recodings = (uint16_t)recodings_of(file, wanted, plan->narrow);
	for (size_t k = 0; k < file->categories_count; k++) {
		const struct fix_category *c = &file->categories[k];

		if (fix_plan_category(plan, file, c) == c->id)
			continue;
		p->labels += c->labels;
		p->changes = true;
	}
	for (size_t k = 0; k < file->ids_count && !file->categories_count; k++) {
		const struct fix_id id = fix_file_id(plan->set, file, k);

		if (fix_plan_id(plan, file, id.id) != id.id)
			p->labels += id.labels;
	}
	if (p->labels && file->kind == FIX_ARRAY && file->array.dtype >= DTYPE_FLOAT16)
		p->recodings = 1 << RECODE_INTEGERS;
	p->changes |= p->recodings || p->labels;
	plan->files_changed += p->changes;
	plan->labels_changed += p->labels;
	for (int r = 0; r < RECODINGS; r++)
		plan->recoded[r] += p->recodings >> r & 1;
}

void fix_plan_make(struct fix_plan *plan, const struct fix_set *set, const struct options *options,
		   const struct saved_plan *edited)
{
	*plan = (struct fix_plan){ .set = set, .files = xcalloc(set->count + 1, sizeof(*plan->files)) };
	bool categories = plan_categories(plan);

	plan_map(plan, categories, options->fix.lossy, edited);
	plan->narrow = all_are_narrow(&plan->map);

	unsigned wanted = (unsigned)some_expand(plan) << RECODE_EXPAND;

	if (categories && !plan->by_category &&
	    (fix_set_has(set, "noncontiguous-categories") || id_map_changes(&plan->map)))
		wanted |= 1 << RECODE_CATEGORIES;
	if (fix_set_has(set, "wrong-dtype"))
		wanted |= 1 << RECODE_INTEGERS;
	if (fix_set_has(set, "one-hot-mask"))
		wanted |= 1 << RECODE_ONE_HOT;
	if (fix_set_has(set, "wide-ids") && plan->narrow)
		wanted |= 1 << RECODE_NARROW;
	if (options->fix.palette == PALETTE_STRIP)
		wanted |= 1 << RECODE_STRIP;

	for (size_t i = 0; i < set->count; i++) {
		const struct fix_file *file = &set->files[i];

		if (file->never && file->has_error)
			fix_plan_refuse(plan, file, file->never);
		else if (file->kind != FIX_NONE)
			plan_file(plan, i, wanted);
	}
}

void fix_plan_release(struct fix_plan *plan)
{
	id_map_release(&plan->map);
	free(plan->categories);
	free(plan->files);
	free(plan->refusals);
	memset(plan, 0, sizeof(*plan));
}

void fix_plan_settle(const struct fix_plan *plan, struct settings *settings)
{
	if (!plan->map.reduces_zero)
		return;
	settings->reduce_zero_label = settings->classes.zero_reduced = false;
	class_set_finish(&settings->classes);
}
