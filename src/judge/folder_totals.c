#include "judge/folder_totals.h"

#include <stdlib.h>
#include <string.h>

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

void folder_totals_add(struct folder_totals *t, const char *name, uint32_t roots, uint32_t filled)
{
	size_t lo = 0, hi = t->count;

	/* names mostly come in order */
	if (hi && strcmp(t->v[hi - 1].name, name) < 0)
		lo = hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(t->v[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == t->count || strcmp(t->v[lo].name, name) != 0) {
		GROW(t->v, t->cap, t->count + 1);
		memmove(t->v + lo + 1, t->v + lo, (t->count - lo) * sizeof(*t->v));
		t->v[lo] = (struct folder_total){ .name = xstrdup(name) };
		t->count++;
	}
	t->v[lo].roots |= roots;
	t->v[lo].filled |= filled;
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
