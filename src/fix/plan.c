#include "fix/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
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

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

struct plan_refusal *fix_plan_refuse(struct fix_plan *plan, const struct fix_file *file, const char *why)
{
	struct plan_refusal *r = NULL;

	for (size_t i = 0; i < plan->refusals_count && !r; i++)
		if (!strcmp(plan->refusals[i].why.s, why))
			r = &plan->refusals[i];
	if (!r) {
		GROW(plan->refusals, plan->refusals_cap, plan->refusals_count + 1);
		r = &plan->refusals[plan->refusals_count++];
		memset(r, 0, sizeof(*r));
		text_addf(&r->why, "%s", why);
	}
	if (file && r->files < REFUSAL_PATHS)
		r->paths[r->files] = file->place;
	r->files += file != NULL;
	return r;
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

	fix_plan_map(plan, categories, options->fix.lossy, edited);
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
