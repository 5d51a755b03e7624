/* The map of a plan: asks the rules of fixing (judge/id_map.h) about the files of a set, and refuses what is in doubt.
 */
#include "fix/plan.h"

#include <inttypes.h>
#include <string.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "fix/saved_plan.h"
#include "judge/role.h"

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
		r = fix_plan_refuse(plan, file, why);
	}
	if (!r && !texts_only)
		fix_plan_refuse(plan, NULL, why);
	if (legal && r)
		text_addf(&r->why, "; %" PRIu64 " other files are in range as they are", legal);
}

/* The files that a map is to explain. */
struct asked {
	const struct fix_set *set;
	enum fix_kind kind; /* of the files; FIX_NONE: of all kinds */
	/* ids of COCO files are those of their categories, not of the classes that these become */
	bool by_category;
	bool unscaled; /* ids are samples, without the scale of their encoding (fix_unscaled) */
};

static void gather_file(const struct asked *asked, const struct fix_file *file, struct id_map *map,
			struct map_question *q)
{
	const struct fix_set *set = asked->set;
	const bool by_category = asked->by_category && file->categories_count;
	const int64_t scale = fix_file_scale(set, file);
	int64_t ids[REWRITTEN_IDS_MAX];

	for (size_t k = 0; k < file->ids_count; k++) {
		const struct fix_id id = fix_file_id(set, file, k);

		id_map_add(map, set->settings,
			   by_category ? file->categories[k].id : fix_unscaled(id.id, scale, asked->unscaled),
			   id.labels, 1);
		if (k < ARRAY_SIZE(ids))
			ids[k] = id.id;
	}
	q->files++;
	q->has_masks |= fix_file_is_mask(file);
	q->has_grids |= fix_file_is_mask(file) || file->array.rank > 1;
	if (map_cityscapes_contradicts(ids, MIN((size_t)file->ids_count, ARRAY_SIZE(ids))) && !q->contrary++)
		q->contrary_example = file->place;
}

/* Fills the map with the ids of the files that can be rewritten, and asks the rules. */
static enum map_answer propose(const struct asked *asked, struct id_map *map, struct text *why)
{
	struct map_question q = { .settings = asked->set->settings, .findings = asked->set->findings };

	for (size_t i = 0; i < asked->set->count; i++) {
		const struct fix_file *file = &asked->set->files[i];

		if (file->kind != FIX_NONE && (asked->kind == FIX_NONE || asked->kind == file->kind))
			gather_file(asked, file, map, &q);
	}
	id_map_finish(map);
	return id_map_propose(&q, map, why);
}

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

/* Returns the largest id that a mask of this kind can hold. */
static int64_t largest_of_mask(const struct fix_file *file)
{
	return file->bit_depth == 16 ? UINT16_MAX : UINT8_MAX;
}

/* Returns a mask that has no room for an id that it would get, which is then *id; or NULL. */
static const struct fix_file *overflowing_mask(const struct fix_plan *plan, int64_t *id)
{
	for (size_t i = 0; i < plan->set->count; i++) {
		const struct fix_file *file = &plan->set->files[i];

		if (!fix_file_is_mask(file) || (file->encoding != MASK_IDS && file->encoding != MASK_REPLICATED))
			continue;
		for (size_t k = 0; k < file->ids_count; k++) {
			*id = fix_plan_id(plan, file, fix_file_id(plan->set, file, k).id);
			if (*id < 0 || *id > largest_of_mask(file))
				return file;
		}
	}
	return NULL;
}

/*
 * Returns whether the plan may change ids, as its map says; else appends to *why. *answer becomes MAP_OTHER if the ids
 * prove nothing.
 */
static bool may_change(const struct fix_plan *plan, bool edited, enum map_answer *answer, struct text *why)
{
	const struct fix_set *set = plan->set;
	int64_t id = 0;
	const struct fix_file *damaged = interpolated_evidence(plan), *kept = file_that_keeps_ids(set),
			      *overflowing = overflowing_mask(plan, &id);
	const char *left_out = left_out_beside(plan);

	if (obstacle(set))
		return !text_addf(why, "%s", obstacle(set));
	if (!edited && GUARD(map_of_ringing, damaged)) {
		*answer = MAP_OTHER;
		return !text_addf(why, "%s is interpolated, so its ids are no proof of a map", damaged->place);
	}
	if (GUARD(categories_that_disagree, plan->categories_disagree))
		return !text_addf(why, CATEGORIES_DISAGREE);
	if (GUARD(file_that_keeps_its_ids, kept))
		return !text_addf(why, "%s would keep its ids, since it %s", kept->place, kept->never);
	if (GUARD(labels_of_another_kind, set->other_kind))
		return !text_addf(why,
				  "%s looks like labels of another kind, which were not audited and would keep their "
				  "ids: name both as PATHs, or --exclude it",
				  set->other_kind);
	if (GUARD(left_out_with_ids, left_out))
		return !text_addf(
			why, "%s was not audited and may hold ids, which would stay: --exclude it if it holds none",
			left_out);
	if (GUARD(id_that_no_mask_holds, overflowing))
		return !text_addf(why, "%s cannot hold %" PRId64 ", which an id of it would become", overflowing->place,
				  id);
	return true;
}

/* Says which map, if any, explains the files of each kind, where there are several. */
static void explain_kinds(const struct fix_plan *plan, struct text *why)
{
	uint64_t files[FIX_KINDS] = { 0 };
	unsigned kinds = 0;

	for (size_t i = 0; i < plan->set->count; i++)
		kinds += plan->set->files[i].kind != FIX_NONE && !files[plan->set->files[i].kind]++;
	for (int kind = FIX_NONE + 1; kinds > 1 && kind < FIX_KINDS; kind++) {
		const struct asked asked = { plan->set, (enum fix_kind)kind, .unscaled = plan->unscaled };
		struct id_map map = { 0 };
		struct text ignored;

		if (!files[kind])
			continue;
		text_clear(&ignored);
		bool found = propose(&asked, &map, &ignored) == MAP_FOUND;

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
	id_map_keep_all(map);
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
static bool propose_by_category(struct fix_plan *plan)
{
	const struct asked asked = { plan->set, .by_category = true, .unscaled = plan->unscaled };
	struct id_map map = { 0 };
	struct text why;

	text_clear(&why);
	plan->by_category = propose(&asked, &map, &why) == MAP_FOUND;
	if (plan->by_category) {
		id_map_release(&plan->map);
		plan->map = map;
	} else {
		id_map_release(&map);
	}
	return plan->by_category;
}

void fix_plan_map(struct fix_plan *plan, bool differ, bool lossy, const struct saved_plan *edited)
{
	struct asked asked = { .set = plan->set };
	struct id_map *map = &plan->map;
	struct settings after = *plan->set->settings;
	struct text why;

	text_clear(&why);
	asked.unscaled = plan->unscaled = are_unscaled(plan);
	enum map_answer answer = propose(&asked, map, &why);

	if (answer != MAP_FOUND && differ && propose_by_category(plan)) {
		answer = MAP_FOUND;
		text_clear(&why);
	}
	bool ok = answer == MAP_FOUND;

	if (edited && take_edited(map, edited)) {
		text_clear(&why);
		ok = true;
	}

	if (ok && id_map_changes(map))
		ok = may_change(plan, edited, &answer, &why);
	fix_plan_settle(plan, &after);
	if (ok && map->rule && !id_map_check(map, &after, &why))
		ok = false;
	if (!ok) {
		if (answer != MAP_FOUND)
			explain_kinds(plan, &why);
		id_map_keep_all(map);
		refuse_map(plan, why.s, answer == MAP_OTHER && lossy); /* lossy.c mends what no map explains */
	}
}
