#include "base/colour_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/mem.h"

void colour_table_release(struct colour_table *t)
{
	free(t->v);
	memset(t, 0, sizeof(*t));
}

static bool is_below(const void *entry, const void *colour)
{
	return ((const struct colour_entry *)entry)->colour < *(const uint32_t *)colour;
}

static size_t find(const struct colour_table *t, uint32_t colour)
{
	return lower_bound(&colour, t->v, 0, t->count, sizeof(*t->v), is_below);
}

bool colour_table_add(struct colour_table *t, uint32_t colour, int32_t id, int32_t *other)
{
	size_t at = find(t, colour);

	*other = NO_COLOUR_CLASS;
	if (at < t->count && t->v[at].colour == colour) {
		*other = t->v[at].id;
		return t->v[at].id == id;
	}
	if (t->count == COLOUR_TABLE_MAX)
		return false;
	OPEN_ENTRY(t->v, t->cap, t->count, at);
	t->v[at] = (struct colour_entry){ colour, id };
	return true;
}

void colour_table_remove(struct colour_table *t, uint32_t colour)
{
	size_t at = find(t, colour);

	if (at == t->count || t->v[at].colour != colour)
		return;
	t->count--;
	memmove(t->v + at, t->v + at + 1, (t->count - at) * sizeof(*t->v));
}

int32_t colour_table_find(const struct colour_table *t, uint32_t colour)
{
	size_t at = find(t, colour);

	return at < t->count && t->v[at].colour == colour ? t->v[at].id : NO_COLOUR_CLASS;
}

uint32_t colour_distance(uint32_t a, uint32_t b)
{
	uint32_t sum = 0;

	for (int shift = 0; shift < 24; shift += 8) {
		int d = (int)(a >> shift & 255) - (int)(b >> shift & 255);

		sum += (uint32_t)(d * d);
	}
	return sum;
}

const struct colour_entry *colour_table_nearest(const struct colour_table *t, uint32_t colour)
{
	const struct colour_entry *best = NULL;

	for (size_t i = 0; i < t->count; i++)
		if (!best || colour_distance(t->v[i].colour, colour) < colour_distance(best->colour, colour))
			best = &t->v[i];
	return best;
}

void colour_table_format(const struct colour_table *t, struct strbuf *out)
{
	for (size_t i = 0; i < t->count; i++)
		strbuf_addf(out, "%s%" PRId32 "=#%06" PRIx32, i ? "," : "", t->v[i].id, t->v[i].colour);
}
