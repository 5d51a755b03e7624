#include "layout/decide.h"

#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "layout/class_folders.h"
#include "layout/decide_set.h"

const char *family_name(enum family family)
{
	static const char *const names[] = {
		"", "masks", "YOLO texts", "COCO files", "IDX files", "lists", "files that are not read"
	};

	return names[family];
}

const char *family_kind_name(enum family family)
{
	static const char *const names[] = { "", "mask", "yolo", "coco", "idx", "list", "" };

	return names[family];
}

/* Returns whether some text of a row names images. */
static bool names_images(const struct folder_row *r)
{
	for (size_t i = 0; i < r->items_count; i++)
		if (r->items[i]->look.names_count)
			return true;
	return false;
}

/* Returns whether --kind declares another kind; masks and arrays are one family. */
static bool is_another_kind(const struct set *s, const struct folder_row *r)
{
	const enum kind kind = s->t->settings->kind;

	return s->only != FAMILY_NONE && (r->family != s->only || (kind == KIND_MASK && r->kind == FILE_ARRAY) ||
					  (kind == KIND_ARRAY && r->kind != FILE_ARRAY));
}

/* Sums what may be audited. Returns the families that have files, and are no stray. */
static unsigned sum_candidates(const struct set *s, struct decision *d)
{
	unsigned all = 0;

	for (enum family f = 0; f < FAMILIES; f++)
		d->candidates[f] = (struct candidate){ .first = TABLE_NONE };
	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];
		struct candidate *c = &d->candidates[r->family];

		if (!is_candidate(r) || (s->t->declared->labels && r->declared != ROLE_LABELS))
			continue;
		if (is_another_kind(s, r)) {
			give(r, ROLE_NONE, FAMILY_NONE, "another kind is declared");
			continue;
		}
		c->amount += MAX(r->amount, r->files);
		c->files += r->files;
		c->first = c->first == TABLE_NONE ? s->rows[i] : c->first;
		c->belongs |= is_paired(r);
		c->names_none |= r->family == FAMILY_COCO && !names_images(r);
		if (r->word == ROLE_LABELS && r->content != LOOK_PHOTO)
			c->called += r->files;
	}
	for (enum family f = FAMILY_MASK; f < FAMILIES; f++) {
		struct candidate *c = &d->candidates[f];

		c->sure =
			c->belongs || (f == FAMILY_MASK && c->called >= STRAY_FILES) || (f == FAMILY_IDX && c->called);
		if (c->files && (c->belongs || c->names_none || s->only != FAMILY_NONE || s->t->declared->labels ||
				 f == FAMILY_IDX || f == FAMILY_UNREAD || !set_is_stray(s, c->amount)))
			all |= 1u << f;
	}
	return all;
}

/* Ends with a family. */
static void end_with(struct set *s, struct decision *d, enum family family, const char *rule)
{
	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];

		if (is_candidate(r) && r->family == family && !*r->rule)
			r->rule = is_paired(r) ? "paired" : r->word == ROLE_LABELS ? "its name says labels" : rule;
	}
	d->family = family;
	d->rule = rule;
	d->outcome = family == FAMILY_UNREAD ? OUTCOME_UNREAD : OUTCOME_LABELS;
}

/* Returns the family with the most of those in the set `of`. */
static enum family largest(const struct decision *d, unsigned of)
{
	enum family best = FAMILY_NONE;

	for (enum family f = FAMILY_MASK; f < FAMILIES; f++)
		if (of >> f & 1 && (best == FAMILY_NONE || d->candidates[f].amount > d->candidates[best].amount))
			best = f;
	return best;
}

static void choose_family(struct set *s, struct decision *d, unsigned all)
{
	unsigned sure = 0, belongs = 0;

	for (enum family f = FAMILY_MASK; f < FAMILIES; f++) {
		sure |= d->candidates[f].sure ? all & 1u << f : 0;
		belongs |= d->candidates[f].belongs ? all & 1u << f : 0;
	}
	const unsigned unread = 1u << FAMILY_UNREAD, may = sure & ~unread ? sure & ~unread : all & ~unread;
	const enum family most = largest(d, all), big = largest(d, may);
	const uint64_t amount = d->candidates[big].amount;
	bool outweighs = big != FAMILY_NONE;

	for (enum family f = FAMILY_MASK; f < FAMILIES; f++)
		if (all >> f & 1 && f != big)
			outweighs &= may >> f & 1 ? amount >= TIMES * d->candidates[f].amount
						  : d->candidates[f].amount < TIMES * amount;
	if (!(all & (all - 1)))
		end_with(s, d, most, "the only label files");
	/* a name alone does not outweigh what has the names of images */
	else if (belongs == unread && 2 * d->candidates[FAMILY_UNREAD].amount >= amount)
		end_with(s, d, FAMILY_UNREAD, "the only ones that belong to images");
	else if (may == (sure & ~unread) && !(may & (may - 1)) && TIMES * amount > d->candidates[most].amount)
		end_with(s, d, big, "the only ones that belong to images");
	else if (outweighs)
		end_with(s, d, big, "ten times as many");
	else {
		d->outcome = OUTCOME_AMBIGUOUS;
		d->rule = "ask";
	}
}

static void decide_families(struct set *s, uint32_t path, struct decision *d)
{
	const uint64_t files = class_folders_find_roots(s->t, path);
	uint64_t candidates = 0;
	unsigned all = sum_candidates(s, d), strays = 0;
	bool paired = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct folder_row *r = &s->t->rows[s->rows[i]];

		if (!is_candidate(r))
			continue;
		candidates += r->family == FAMILY_UNREAD ? 0 : r->files;
		paired |= is_paired(r) && r->family != FAMILY_LIST;
	}
	const bool whole = files >= TIMES * candidates && 5 * files >= 4 * s->images;
	if (files && s->only == FAMILY_NONE && !s->t->declared->labels && (!all || (!paired && whole))) {
		d->outcome = OUTCOME_CLASS_FOLDERS;
		d->rule = "class folders";
		return;
	}
	for (enum family f = FAMILY_MASK; f < FAMILIES; f++)
		strays |= !all && d->candidates[f].files ? 1u << f : 0;
	if (!all && !strays && !files && !s->t->declared->labels) {
		set_take_the_rest(s);
		all = sum_candidates(s, d);
	}
	if (all)
		choose_family(s, d, all);
	else if (strays & (strays - 1))
		choose_family(s, d, strays);
	else if (strays)
		d->rule = "a stray among images";
}

void decide(struct set *s, uint32_t path, enum family only, struct decision *out)
{
	const struct declared *declared = s->t->declared;

	*out = (struct decision){ .outcome = OUTCOME_NOTHING, .rule = "no label files" };
	s->only = only;
	set_take_path(s, path);
	set_give_roles(s);
	if (declared->count)
		set_take_declared(s);
	decide_families(s, path, out);
	if (declared->labels)
		out->rule = out->outcome == OUTCOME_LABELS    ? "declared"
			    : out->outcome == OUTCOME_NOTHING ? "labels matches no file"
							      : out->rule;
}
