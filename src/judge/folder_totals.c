#include "judge/folder_totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/mem.h"

void folder_totals_release(struct folder_totals *t)
{
	for (size_t i = 0; i < CLASS_ROOTS_MAX; i++)
		free(t->roots[i]);
	for (size_t i = 0; i < t->count; i++)
		free(t->v[i].name);
	free(t->v);
	memset(t, 0, sizeof(*t));
}

static bool name_is_below(const void *total, const void *name)
{
	return strcmp(((const struct folder_total *)total)->name, name) < 0;
}

void folder_totals_add(struct folder_totals *t, const char *name, uint32_t roots, uint32_t filled)
{
	/* names mostly come in order */
	size_t from = t->count && name_is_below(&t->v[t->count - 1], name) ? t->count : 0;
	size_t at = lower_bound(name, t->v, from, t->count, sizeof(*t->v), name_is_below);

	if (at == t->count || strcmp(t->v[at].name, name) != 0) {
		GROW(t->v, t->cap, t->count + 1);
		memmove(t->v + at + 1, t->v + at, (t->count - at) * sizeof(*t->v));
		t->v[at] = (struct folder_total){ .name = xstrdup(name) };
		t->count++;
	}
	t->v[at].roots |= roots;
	t->v[at].filled |= filled;
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
