#include "measure/resize_echo.h"

#include <stdlib.h>
#include <string.h>

#include "base/differing.h"
#include "base/mem.h"

/*
 * A mask is suspicious if two ids have THIN_MIN thin labels and more each, over 3 for 10 edges, since a line of one or
 * two pixels has two edges; and if edges are not everywhere, as in patterns that somebody drew or dithered.
 */
enum { THIN_MIN = 64, THIN_OF_TEN = 3, LABELS_PER_EDGE = 2 };
enum {
	LENGTH = 4, /* of an alternation */
	HELD_ROWS = 4,
	ROW_AFTER = 80, /* bytes after a held row that may be read */
};

struct look {
	struct resize_echo *r;
	uint32_t width;
	uint8_t *rows[HELD_ROWS]; /* the last rows, the current one first */
	uint64_t places, on;
};

void resize_echo_release(struct resize_echo *r)
{
	sample_rows_release(&r->rows);
	free(r->memory);
	*r = (struct resize_echo){ 0 };
}

bool resize_echo_is_suspicious(const struct batch_item *item, const struct batch *batch)
{
	const struct label_stats *s = &item->stats;
	const uint64_t edges = s->edges[LINE_ROW] + s->edges[LINE_COLUMN];
	uint64_t most = 0, second = 0; /* thin labels of one id */

	if (!batch_item_can_be_read_again(item) || LABELS_PER_EDGE * edges > (uint64_t)s->width * s->height)
		return false;
	const struct id_stats *ids = batch->ids + s->ids_at;

	for (uint64_t i = 0; i < s->ids_count; i++) {
		second = MAX(second, MIN(most, ids[i].thin));
		most = MAX(most, ids[i].thin);
	}
	return second >= THIN_MIN && 10 * second > THIN_OF_TEN * edges;
}

/* Returns a bit for each of 64 places where a, b, a2, b2 are in turn of two ids. */
static inline __attribute__((always_inline)) uint64_t alternates(const uint8_t *a, const uint8_t *b, const uint8_t *a2,
								 const uint8_t *b2, differing64_fn *unequal)
{
	uint64_t places = unequal(a, b);

	return places ? places & ~unequal(a, a2) & ~unequal(b, b2) : 0;
}

/* Returns a bit for each of 64 places where a and b are c and d, in either order. */
static inline __attribute__((always_inline)) uint64_t are_same(const uint8_t *a, const uint8_t *b, const uint8_t *c,
							       const uint8_t *d, differing64_fn *unequal)
{
	return ~(unequal(a, c) | unequal(b, d)) | ~(unequal(a, d) | unequal(b, c));
}

static uint64_t first_bits(uint32_t n)
{
	return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

/* Counts the places of the current row, and those of the row above that it continues. */
static inline __attribute__((always_inline)) void count_row(struct look *l, bool has_above, differing64_fn *unequal)
{
	for (uint32_t x = 0; x + LENGTH <= l->width; x += 64) {
		const uint8_t *r = l->rows[0] + x, *above = l->rows[1] + x;
		uint64_t places = alternates(r, r + 1, r + 2, r + 3, unequal) & first_bits(l->width - x - LENGTH + 1);

		l->places += (unsigned)__builtin_popcountll(places);
		if (!places || !has_above)
			continue;
		places &= alternates(above, above + 1, above + 2, above + 3, unequal);
		if (places)
			places &= are_same(r, r + 1, above, above + 1, unequal);
		l->on += (unsigned)__builtin_popcountll(places);
	}
}

/* Counts the places of the columns that end in the current row. Beyond a row are zeros, which do not alternate. */
static inline __attribute__((always_inline)) void count_columns(struct look *l, differing64_fn *unequal)
{
	for (uint32_t x = 0; x < l->width; x += 64) {
		const uint8_t *a = l->rows[3] + x, *b = l->rows[2] + x, *a2 = l->rows[1] + x, *b2 = l->rows[0] + x;
		uint64_t places = alternates(a, b, a2, b2, unequal);

		l->places += (unsigned)__builtin_popcountll(places);
		if (places)
			places &= alternates(a + 1, b + 1, a2 + 1, b2 + 1, unequal);
		if (places)
			places &= are_same(a, b, a + 1, b + 1, unequal);
		l->on += (unsigned)__builtin_popcountll(places);
	}
}

static inline __attribute__((always_inline)) void count_lines(struct look *l, uint32_t y, differing64_fn *unequal)
{
	count_row(l, y > 0, unequal);
	if (y + 1 >= LENGTH)
		count_columns(l, unequal);
}

DIFFERING_WIDE static void count_lines_wide(struct look *l, uint32_t y)
{
	count_lines(l, y, differing64_wide);
}

static void count_lines_narrow(struct look *l, uint32_t y)
{
	count_lines(l, y, differing64);
}

/* Returns false if there is no memory. */
static bool place_rows(struct look *l, uint32_t width)
{
	const size_t stride = (size_t)width + ROW_AFTER;
	struct resize_echo *r = l->r;

	r->memory = mem_try_fit(r->memory, &r->memory_cap, HELD_ROWS * stride);
	if (!r->memory)
		return false;
	memset(r->memory, 0, HELD_ROWS * stride);
	for (size_t i = 0; i < HELD_ROWS; i++)
		l->rows[i] = (uint8_t *)r->memory + i * stride;
	l->width = width;
	l->places = l->on = 0;
	return true;
}

/* A sample_rows_taker. */
static bool count_rows(void *context, struct sample_rows *rows)
{
	const struct png_header *png = &rows->sample.png;
	void (*count)(struct look *, uint32_t) = differing_is_wide() ? count_lines_wide : count_lines_narrow;
	struct look *l = context;

	if (!place_rows(l, png->width))
		return false;
	for (uint32_t y = 0; y < png->height; y++) {
		const uint8_t *row = sample_rows_next(rows);
		uint8_t *current = l->rows[HELD_ROWS - 1];

		if (!row)
			return false;
		memmove(l->rows + 1, l->rows, (HELD_ROWS - 1) * sizeof(*l->rows));
		l->rows[0] = current;
		for (uint32_t x = 0; x < png->width; x++)
			current[x] = row[(size_t)x * png->channels];
		count(l, y);
	}
	return sample_rows_end(rows);
}

void resize_echo_measure(struct resize_echo *r, const struct settings *settings, struct batch_item *item)
{
	struct sample_rows *rows = &r->rows; /* its faults are not reported: the verdict was given */
	struct look l = { .r = r };

	if (!input_rewind(&item->input, &rows->sample.fault) ||
	    !sample_rows_read(rows, &item->input, &settings->limits, count_rows, &l))
		return;
	item->stats.alternations = (uint32_t)MIN(l.places + 1, UINT32_MAX);
	item->stats.alternations_on = (uint32_t)MIN(l.on, UINT32_MAX);
}
