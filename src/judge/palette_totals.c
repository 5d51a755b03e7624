#include "judge/palette_totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/mem.h"

void palette_totals_release(struct palette_totals *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->v[i].example);
	free(t->v);
	*t = (struct palette_totals){ NULL, 0, 0 };
}

static bool key_is_below(const void *total, const void *key)
{
	return ((const struct palette_total *)total)->key < *(const uint32_t *)key;
}

/*
 * The entry of that key, made (with no files) if need be; NULL if the table is full of smaller keys. The entries before
 * *from have smaller keys; it is moved behind the entry. Files share palettes: the next key is mostly near.
 */
static struct palette_total *find_entry(struct palette_totals *t, uint32_t key, size_t *from)
{
	size_t at = lower_bound_near(&key, t->v, *from, t->count, sizeof(*t->v), key_is_below);

	*from = at + 1;
	if (at < t->count && t->v[at].key == key)
		return &t->v[at];
	if (at == PALETTE_TOTALS_MAX)
		return NULL;
	if (t->count == PALETTE_TOTALS_MAX)
		free(t->v[--t->count].example);
	GROW(t->v, t->cap, t->count + 1);
	memmove(t->v + at + 1, t->v + at, (t->count - at) * sizeof(*t->v));
	t->count++;
	t->v[at] = (struct palette_total){ key, 0, NULL };
	return &t->v[at];
}

/* False: there is no room for it. */
static bool add_colour(struct palette_totals *t, const struct sample *sample, uint32_t i, size_t *from)
{
	const uint8_t *rgb = sample->png.palette[i];
	struct palette_total *total =
		find_entry(t, i << 24 | (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | (uint32_t)rgb[2], from);

	if (!total)
		return false;
	total->files++;
	if (!total->example || sample_place_compare(total->example, sample) > 0) {
		free(total->example);
		total->example = sample_place(sample);
	}
	return true;
}

void palette_totals_add(struct palette_totals *t, const struct sample *sample, const uint64_t used[4])
{
	size_t from = 0;

	for (uint32_t word = 0; word < 4; word++) {
		for (uint64_t bits = used[word]; bits; bits &= bits - 1) {
			uint32_t i = 64 * word + (uint32_t)__builtin_ctzll(bits);

			/* where there is no room for one, there is none for any key that follows */
			if (i >= sample->png.palette_entries || !add_colour(t, sample, i, &from))
				return;
		}
	}
}

void palette_totals_merge(struct palette_totals *into, struct palette_totals *from)
{
	size_t at = 0;

	for (size_t i = 0; i < from->count; i++) {
		struct palette_total *more = &from->v[i], *total = find_entry(into, more->key, &at);

		if (!total)
			break;
		total->files += more->files;
		if (!total->example || strcmp(more->example, total->example) < 0) {
			free(total->example);
			total->example = more->example;
			more->example = NULL;
		}
	}
	palette_totals_release(from);
}
