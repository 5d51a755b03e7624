#include "judge/set_totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/mem.h"
#include "judge/file_count.h"
#include "judge/role.h"

/* ---- palettes --------------------------------------------------------------------------------------------------- */

static const struct totals_kind palette_kind = {
	sizeof(struct palette_total), PALETTE_TOTALS_MAX, compare_int64, { offsetof(struct palette_total, example) + 1 }
};

void palette_totals_release(struct palette_totals *t)
{
	totals_release(&t->totals, &palette_kind);
}

/* Returns the row of that key. The rows before *from have smaller ones: files share palettes, so the next is near. */
static struct palette_total *find_palette_entry(struct palette_totals *t, int64_t key, size_t *from)
{
	bool is_new;
	struct palette_total *row = totals_row(&t->totals, &palette_kind, &key, from, &is_new);

	if (row)
		row->key = key;
	return row;
}

/* Returns false if the table is full. */
static bool add_colour(struct palette_totals *t, const struct sample *sample, uint32_t i, size_t *from)
{
	const uint8_t *rgb = sample->png.palette[i];
	struct palette_total *total = find_palette_entry(
		t, (int64_t)i << 24 | (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | (uint32_t)rgb[2], from);

	if (!total)
		return false;
	total->files++;
	example_add(&total->example, sample);
	return true;
}

void palette_totals_add(struct palette_totals *t, const struct sample *sample, const uint64_t used[4])
{
	size_t from = 0;

	/* bit by bit, this was a hundredth of an audit of small palette masks */
	for (uint32_t word = 0; word < 4; word++) {
		for (uint64_t bits = used[word]; bits; bits &= bits - 1) {
			uint32_t i = 64 * word + (uint32_t)__builtin_ctzll(bits);

			/* once the table is full, all keys that follow are too large for it, too */
			if (i >= sample->png.palette_entries || !add_colour(t, sample, i, &from))
				return;
		}
	}
}

void palette_totals_merge(struct palette_totals *into, struct palette_totals *from)
{
	size_t at = 0;

	for (size_t i = 0; i < from->count; i++) {
		struct palette_total *more = &from->v[i], *total = find_palette_entry(into, more->key, &at);

		if (!total)
			break;
		total->files += more->files;
		example_merge(&total->example, &more->example);
	}
	palette_totals_release(from);
}

/* ---- splits ----------------------------------------------------------------------------------------------------- */

static const struct totals_kind split_kind = { sizeof(struct split_total), SPLIT_IDS_MAX, compare_int64, { 0 } };

void split_totals_release(struct split_totals *t)
{
	totals_release(&t->totals, &split_kind);
	memset(t, 0, sizeof(*t));
}

struct split_total *split_totals_entry(struct split_totals *t, int64_t id)
{
	size_t from = 0;
	bool is_new;
	struct split_total *row = totals_row(&t->totals, &split_kind, &id, &from, &is_new);

	if (row)
		row->id = id;
	return row;
}

void split_totals_add(struct split_totals *t, const struct settings *settings, unsigned split,
		      const struct label_stats *stats, const struct id_stats *ids)
{
	bool labelled = false;

	for (size_t i = 0; i < stats->ids_count && !labelled; i++)
		labelled = ids[i].id && settings_role(settings, ids[i].id) == ID_CLASS;
	if (!labelled)
		return;
	t->files[split]++;
	for (size_t i = 0; i < stats->ids_count; i++) {
		if (settings_role(settings, ids[i].id) != ID_CLASS)
			continue;
		struct split_total *total = split_totals_entry(t, ids[i].id);

		if (!total)
			return; /* the ids that follow are larger still */
		total->files[split]++;
	}
}

void split_totals_merge(struct split_totals *into, struct split_totals *from)
{
	for (int s = 0; s < NAME_SPLITS; s++)
		into->files[s] += from->files[s];
	for (size_t i = 0; i < from->count; i++) {
		struct split_total *total = split_totals_entry(into, from->v[i].id);

		if (!total)
			break;
		for (int s = 0; s < NAME_SPLITS; s++)
			total->files[s] += from->v[i].files[s];
	}
	split_totals_release(from);
}

/* ---- class folders ---------------------------------------------------------------------------------------------- */

static const struct totals_kind folder_kind = {
	sizeof(struct folder_total), SIZE_MAX, totals_by_name, { offsetof(struct folder_total, name) + 1 }
};

void folder_totals_release(struct folder_totals *t)
{
	for (size_t i = 0; i < CLASS_ROOTS_MAX; i++)
		free(t->roots[i]);
	totals_release(&t->totals, &folder_kind);
	memset(t, 0, sizeof(*t));
}

void folder_totals_add(struct folder_totals *t, const char *name, uint32_t roots, uint32_t filled)
{
	/* Names usually come in order. */
	size_t from = t->count && strcmp(t->v[t->count - 1].name, name) < 0 ? t->count : 0;
	bool is_new;
	struct folder_total *row = totals_row(&t->totals, &folder_kind, name, &from, &is_new);

	if (is_new)
		row->name = xstrdup(name);
	row->roots |= roots;
	row->filled |= filled;
}

void folder_totals_name_root(struct folder_totals *t, unsigned root, const char *path)
{
	if (!t->roots[root])
		t->roots[root] = xstrdup(path);
}

void folder_totals_merge(struct folder_totals *into, struct folder_totals *from)
{
	for (unsigned i = 0; i < CLASS_ROOTS_MAX; i++)
		if (from->roots[i])
			folder_totals_name_root(into, i, from->roots[i]);
	for (size_t i = 0; i < from->count; i++)
		folder_totals_add(into, from->v[i].name, from->v[i].roots, from->v[i].filled);
	folder_totals_release(from);
}

void folder_totals_add_all(struct folder_totals *t, const struct class_folders *f)
{
	for (unsigned i = 0; i < f->count; i++) {
		folder_totals_name_root(t, i, f->roots[i].path);
		for (size_t k = 0; k < f->roots[i].count; k++)
			folder_totals_add(t, f->roots[i].names[k], UINT32_C(1) << i, 0);
	}
}
