#include "judge/totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int totals_by_name(const void *row, const void *name)
{
	return strcmp(*(char *const *)row, name);
}

static void release_row(const struct totals_kind *kind, char *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(kind->owned) && kind->owned[i]; i++)
		free(*(char **)(void *)(row + kind->owned[i] - 1));
}

/* Returns the index of the first row from `from` on that does not sort before the key. It is usually near. */
static size_t find(const struct totals *t, const struct totals_kind *kind, const void *key, size_t from)
{
	const char *rows = t->v;
	size_t end = from, step = 1;

	while (end < t->count && kind->compare(rows + end * kind->size, key) < 0) {
		from = end + 1;
		end += step;
		step *= 2;
	}
	end = MIN(end, t->count);
	while (from < end) {
		size_t middle = from + (end - from) / 2;

		if (kind->compare(rows + middle * kind->size, key) < 0)
			from = middle + 1;
		else
			end = middle;
	}
	return from;
}

void *totals_row(struct totals *t, const struct totals_kind *kind, const void *key, size_t *from, bool *is_new)
{
	const size_t at = find(t, kind, key, *from);
	char *row;

	*from = at + 1;
	*is_new = at == t->count || kind->compare((char *)t->v + at * kind->size, key) != 0;
	if (!*is_new)
		return (char *)t->v + at * kind->size;
	if (at == kind->max)
		return NULL;
	if (t->count == kind->max) {
		t->count--;
		release_row(kind, (char *)t->v + t->count * kind->size);
	}
	t->v = mem_room(t->v, &t->cap, t->count + 1, kind->size);
	row = (char *)t->v + at * kind->size;
	memmove(row + kind->size, row, (t->count++ - at) * kind->size);
	return memset(row, 0, kind->size);
}

void totals_release(struct totals *t, const struct totals_kind *kind)
{
	for (size_t i = 0; i < t->count; i++)
		release_row(kind, (char *)t->v + i * kind->size);
	free(t->v);
	*t = (struct totals){ NULL, 0, 0 };
}
