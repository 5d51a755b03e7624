#include "fix/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/role.h"

const char *recoding_words(enum recoding r)
{
	static const char *const words[RECODINGS] = {
		[RECODE_EXPAND] = "grey of few bits becomes 8 bits",
		[RECODE_NARROW] = "16 bits or more become 8",
		[RECODE_ONE_CHANNEL] = "one of the equal channels is kept",
		[RECODE_COLOURS] = "colours become their ids",
		[RECODE_STRIP] = "palettes become grey",
		[RECODE_INTEGERS] = "floats and truth values become integers",
		[RECODE_CATEGORIES] = "category ids become classes",
		[RECODE_NAMES] = "names become the numbers of their classes",
	};

	return words[r];
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* Adds a file, if it is not NULL, to those that are refused for this reason. */
static void refuse(struct fix_plan *plan, const struct fix_file *file, const char *why)
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
}

static int64_t unscaled(const struct fix_plan *plan, const struct fix_file *file, int64_t id)
{
	return plan->decision->unscaled ? id / file->scale : id;
}

/* Returns whether the file has an id that is neither a class nor ignored. */
static bool has_invalid(const struct fix_plan *plan, const struct fix_file *file)
{
	const struct fix_id *ids = fix_file_ids(plan->set, file);

	for (size_t i = 0; i < file->categories_count; i++)
		if (file->categories[i].labels &&
		    settings_role(plan->set->settings, file->categories[i].class_id) == ID_INVALID)
			return true;
	for (size_t i = 0; i < file->ids_count && !(plan->set->nearest && file->encoding == MASK_COLOURS); i++) {
		const int64_t id = unscaled(plan, file, ids[i].id);

		/* an ignored colour is no id either, if no map makes it one */
		if (ids[i].labels &&
		    (settings_role(plan->set->settings, id) == ID_INVALID ||
		     (file->encoding == MASK_COLOURS && id_is_colour(fix_plan_id(plan, file, ids[i].id)))))
			return true;
	}
	return false;
}

/* Returns the file of that place, or NULL. */
static const struct fix_file *file_of(const struct fix_set *set, const char *place)
{
	for (size_t i = 0; i < set->count; i++)
		if (!strcmp(set->files[i].place, place))
			return &set->files[i];
	return NULL;
}

/* Lists the files with ids out of range, for which there is no map, and says if others are right as they are. */
static void refuse_map(struct fix_plan *plan)
{
	const struct fix_decision *d = plan->decision;
	const struct fix_file *example = d->place ? file_of(plan->set, d->place) : NULL;
	struct text why;
	uint64_t legal = 0, wrong = 0;

	if (!d->why.len)
		return;
	text_clear(&why);
	text_addf(&why, "%s", d->why.s);
	if (example && example->never)
		text_addf(&why, ", since it %s", example->never);
	for (size_t i = 0; i < plan->set->count; i++)
		if (plan->set->files[i].kind != FIX_NONE)
			*(has_invalid(plan, &plan->set->files[i]) ? &wrong : &legal) += 1;
	if (legal && wrong)
		text_addf(&why, "; %" PRIu64 " other files are in range as they are", legal);
	for (size_t i = 0; i < plan->set->count; i++)
		if (plan->set->files[i].kind != FIX_NONE && has_invalid(plan, &plan->set->files[i]))
			refuse(plan, &plan->set->files[i], why.s);
	if (!wrong)
		refuse(plan, NULL, why.s);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

bool fix_plan_changes_archive(const struct fix_plan *plan, const char *path)
{
	size_t n;
	const struct fix_file *files = fix_set_members(plan->set, path, &n);

	for (size_t i = 0; i < n; i++)
		if (fix_plan_file(plan, &files[i])->changes)
			return true;
	return false;
}

int64_t fix_plan_id(const struct fix_plan *plan, const struct fix_file *file, int64_t id)
{
	int64_t plain = unscaled(plan, file, id);
	const struct mapped_id *m = id_map_find(&plan->decision->map, plain);

	return m ? m->to : plain;
}

int64_t fix_plan_category(const struct fix_plan *plan, const struct fix_file *file, const struct fix_category *c)
{
	unsigned stays = file->recodings & ~(unsigned)fix_plan_file(plan, file)->recodings & 1 << RECODE_CATEGORIES;

	return stays ? c->id : fix_plan_id(plan, file, c->class_id);
}

static void plan_categories(struct fix_plan *plan, const struct fix_file *file, struct plan_file *p)
{
	for (size_t k = 0; k < file->categories_count; k++) {
		const struct fix_category *c = &file->categories[k];

		if (fix_plan_category(plan, file, c) == c->id)
			continue;
		p->labels += c->labels;
		p->changes = true;
	}
}

static void plan_file(struct fix_plan *plan, const struct fix_file *file, struct plan_file *p)
{
	const struct fix_id *ids = fix_file_ids(plan->set, file);

	if (plan->decision->why.len && has_invalid(plan, file))
		return; /* refused with the map */
	p->recodings = (uint16_t)(file->recodings & plan->decision->recodings);
	if (file->categories_count)
		plan_categories(plan, file, p);
	for (size_t k = 0; k < file->ids_count; k++)
		if (fix_plan_id(plan, file, ids[k].id) != ids[k].id && !(file->guessed && id_is_colour(ids[k].id)))
			p->labels += ids[k].labels;
	p->labels += file->guessed;
	if (p->labels && file->recodings & 1 << RECODE_INTEGERS)
		p->recodings = 1 << RECODE_INTEGERS;
	p->changes |= p->recodings || p->labels || file->clipped || file->dropped;
	plan->clipped += file->clipped;
	plan->dropped += file->dropped;
	plan->files_changed += p->changes;
	plan->labels_changed += p->labels;
	plan->guessed += file->guessed;
	if (file->guessed && (!plan->worst || file->farthest > plan->worst->farthest))
		plan->worst = file;
	for (int r = 0; r < RECODINGS; r++)
		plan->recoded[r] += p->recodings >> r & 1;
}

void fix_plan_make(struct fix_plan *plan, const struct fix_set *set)
{
	*plan = (struct fix_plan){ .set = set,
				   .decision = &set->decision,
				   .files = xcalloc(set->count + 1, sizeof(*plan->files)) };
	refuse_map(plan);
	for (size_t i = 0; i < set->count; i++) {
		const struct fix_file *file = &set->files[i];

		if (file->never && file->has_error)
			refuse(plan, file, file->never);
		else if (plan->decision->categories_disagree && file->categories_count)
			refuse(plan, file, CATEGORIES_DISAGREE);
		else if (file->kind != FIX_NONE)
			plan_file(plan, file, &plan->files[i]);
		if (file->kind != FIX_NONE && file->unsized)
			refuse(plan, file,
			       "has boxes in pixels to clip, and no columns of its images' width and height");
	}
}

void fix_plan_release(struct fix_plan *plan)
{
	free(plan->files);
	free(plan->refusals);
	memset(plan, 0, sizeof(*plan));
}
