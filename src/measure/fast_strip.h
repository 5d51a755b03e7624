/*
 * struct strip: the fast measurement of a mask, row by row. The same integers as measure_rows.h, which is its judge.
 *
 * Neighbouring rows of a mask are nearly equal, so the strip keeps ONE current row, in blocks of 64 pixels, and looks
 * at nothing but the blocks that change. What makes that exact:
 *
 *   - A pixel that changes from id m to id r in row y, of a mask with H rows, adds H - y labels to r and takes as many
 *     from m: the change counts for all rows to come. No run lengths, no flushing.
 *   - Whether a run down a column was 1, 2 or more rows long is kept in two masks per block: the columns that changed
 *     one and two rows ago.
 *   - What the rows contribute (edges ...) is a sum over blocks that is kept up to date where a block changes, and
 *     added once a row. The rare short runs add and take (H - y) times their count, as the labels do.
 *   - The first pixel of an id, and the box around it, show in changes too: a pixel that is not in the row above.
 *   - So do changes to the content key (content_key.h): with the weight of the pixels that changed and of all rows to
 *     come.
 *   - A block of filtered bytes that are all zero adds nothing to Adler-32; the others add in closed form.
 *
 * The filters of PNG are undone on the way, at the places where something happens: Up changes what is not zero; Paeth
 * repeats the left or the upper pixel between non-zero bytes and transitions of the row above; Sub is a prefix sum;
 * None is compared with the row above.
 *
 * The inner loops are fast_strip_template.inc, compiled once for each instruction set. One thread a strip.
 */
#ifndef MEASURE_FAST_STRIP_H
#define MEASURE_FAST_STRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/class_set.h"
#include "measure/backend.h"
#include "measure/content_key.h"
#include "measure/label_stats.h"

enum {
	STRIP_BLOCK = 64, /* pixels: one bit each in a word */
	STRIP_FRONT = 64, /* bytes before pixel 0 of a row that may be loaded */
	/* Wider rows go to the reference: three counts of a row share a word. */
	STRIP_WIDTH_MAX = 1 << 20,
	/* Bytes behind a row of filtered bytes or ids that may be loaded: the rest of its last block. */
	STRIP_SLACK = 2 * STRIP_BLOCK,
	STRIP_LANES = 8, /* of sums of 64 bits; an instruction set uses as many as it has */
	/* Weights of the content key that are kept, of as many columns and rows. */
	STRIP_WEIGHTS = 1 << 12,
};

/*
 * To measure what the neighbourhood counters cost: CPPFLAGS=-DSTRIP_NEIGHBOURS=0 builds a program that counts labels
 * and makes the content key, and says that it knows nothing of neighbours. Not for use.
 */
#ifndef STRIP_NEIGHBOURS
#define STRIP_NEIGHBOURS 1
#endif

/* What is known of 64 columns. Bit x: pixel x of the block. "Closing" bits stand at the pixel behind a run. */
struct strip_block {
	uint64_t transitions; /* pixel x differs from pixel x - 1 */
	uint64_t upwards;     /* of those: pixel x is larger; whatever at other pixels */
	uint64_t short_runs;  /* closing a run of 1 or 2 in the row */
	uint64_t single;      /* of those: of 1 */
	uint64_t lone;        /* of those: inner, with different neighbours */
	uint64_t between;     /* of those: numerically between them */
	uint64_t has_left;    /* the column changed at least once since row 0: its run has a left neighbour */
	uint64_t grew;        /* the column's last change was to a larger id */
	uint64_t changed_1;   /* columns that changed in row changed_at */
	uint64_t changed_2;   /* columns that changed in row changed_at - 1 */
	uint64_t counts; /* this block's share of a row: edges, wide edges, long between runs; STRIP_COUNT_BITS each */
	uint64_t inner;  /* constant: pixels whose left neighbour exists */
	uint64_t end;    /* constant: the bit behind the last pixel, in the last block */
	uint32_t changed_at;
	uint32_t entry; /* the last transition of the row before this block: enum strip_entry */
	uint32_t left;  /* the last pixel of the block to the left, when the short runs were counted */
};

/* A run lies between a smaller and a larger id if both its ends are transitions in the same direction. */
enum strip_entry { ENTRY_NONE = 0, ENTRY_DOWN = 2, ENTRY_UP = 3 };

/* Words of 64 bits for so many blocks. */
#define STRIP_WORDS(blocks) (((blocks) + 63) / 64)

/* Short runs that a block closes, in a row or down its columns: bits as in struct strip_block. */
struct strip_runs {
	uint64_t all, single, lone, between;
};

enum { STRIP_COUNT_BITS = 21 };
_Static_assert(STRIP_WIDTH_MAX < 1 << STRIP_COUNT_BITS, "a row of edges fits its field");

/* Short runs are counted by id and kind: a sum of these. */
enum short_kind {
	SHORT_SINGLE = 1, /* of 1 pixel, not of 2 */
	SHORT_LONE = 2,
	SHORT_BETWEEN = 4,
	SHORT_COLUMN = 8,
	SHORT_KINDS = 16,
};

/* The rarer counters of one id; labels are kept apart (struct strip). Differences, so signed until the end. */
struct strip_id {
	int64_t runs[SHORT_KINDS];
	uint64_t first; /* row-major index of the first one, plus 1; this and the box only of ids that are no class */
	uint32_t x0, y0, x1, y1;
};

/*
 * Changes that wait: where an instruction set can append many at once without a branch, they are added up later in
 * loops whose ends the processor can foresee. Narrow, since stores are what appending costs.
 */
enum {
	/* so few that most of the first cache is left to the rows */
	STRIP_QUEUE = 256,
	/* a block adds one to each queue in each column at most, when there is room */
	STRIP_QUEUE_ROOM = STRIP_QUEUE + STRIP_BLOCK,
	STRIP_QUEUE_ROWS = 1 << 16, /* that a queue tells apart */
};

/* Short runs, in a row or down the columns. */
struct strip_run_queue {
	size_t count;
	uint8_t id[STRIP_QUEUE_ROOM], kind[STRIP_QUEUE_ROOM]; /* sums of enum short_kind */
	uint16_t row[STRIP_QUEUE_ROOM];                       /* where they come or go; not of columns */
};

struct strip_queues {
	uint32_t first_row; /* rows are counted from here */
	/* pixels that changed from one id to another: so many, from such a place in such a block on */
	size_t changes;
	uint8_t from[STRIP_QUEUE_ROOM], to[STRIP_QUEUE_ROOM], pixels[STRIP_QUEUE_ROOM], place[STRIP_QUEUE_ROOM];
	uint16_t block[STRIP_QUEUE_ROOM], row[STRIP_QUEUE_ROOM];
	/* that a row has from here on, and has no longer; that ended in columns */
	struct strip_run_queue come, gone, columns;
};
_Static_assert(STRIP_WIDTH_MAX / STRIP_BLOCK <= UINT16_MAX, "blocks fit their queue");

enum strip_filter {
	FILTER_NONE = 0,
	FILTER_SUB,
	FILTER_UP,
	FILTER_AVERAGE,
	FILTER_PAETH,
};

struct strip {
	/* the image */
	uint32_t width, height, y;
	bool wide;
	bool unfinished;     /* begun and not finished: counters of an image that was given up remain */
	size_t blocks_count; /* width / 64 + 1: the end of the row lies inside the last one */

	/* rows; element 0 is at STRIP_FRONT bytes, so aligned to 64. uint8_t or, if wide, uint16_t. */
	uint8_t *current; /* the row */
	uint8_t *past;    /* of each column: the id before its current run */
	uint8_t *closed;  /* of blocks with short runs: the ids that bits of struct strip_block close; no STRIP_FRONT */
	uint8_t *next;    /* blocks of the new row where bit `changed` is set */
	uint64_t *changed;                 /* a bit a block: `next` holds it */
	uint64_t *marked;                  /* a bit a block, for one filter's own use */
	uint64_t *todo;                    /* a bit a block: differs from the row above, or must be looked at again */
	struct strip_block *blocks_memory; /* one without transitions, and behind it: */
	struct strip_block *blocks;        /* not owned */
	size_t blocks_cap;
	uint8_t fresh[2 * STRIP_BLOCK] __attribute__((aligned(64))); /* the block that is looked at */
	uint8_t tail[2 * STRIP_BLOCK] __attribute__((aligned(64)));  /* 0xff for pixels of the last block that exist */

	/* sums over the image */
	uint64_t edges[2], wide_edges[2], long_between[2];
	uint64_t bogus_pixels;
	struct worst_place worst;
	/* of the current row */
	uint64_t row_counts, row_bogus;
	/* the content key, and what changes in the current row add to it before they are weighted */
	uint64_t content[2], row_content[2];
	struct content_pair *columns; /* content_column(x) for x < STRIP_WEIGHTS */
	struct content_pair *rows;    /* content_rows(n, 0), likewise */

	/* by id */
	int64_t *labels;
	struct strip_id *ids;
	size_t ids_cap;
	uint64_t *seen;                                    /* wide only: bit v: id v has been met */
	const uint8_t *roles;                              /* class_set.dense; 0 is ID_INVALID */
	uint8_t invalid[256] __attribute__((aligned(64))); /* 0xff for ids that are no class and not ignored */

	struct strip_queues queues;

	/*
	 * Adler-32 of the filtered bytes, in lanes: sum; and sum of each byte times those from it to the end, of which
	 * whole multiples of the modulus are left out.
	 */
	uint64_t adler_sum[STRIP_LANES] __attribute__((aligned(64))), adler_weighted[STRIP_LANES];
	/* of the current row's pixels, weighted by x; valid if row_sums */
	uint64_t row_sum[STRIP_LANES], row_weighted[STRIP_LANES];
	bool row_sums;
};

struct strip *strip_new(const struct class_set *classes);
void strip_free(struct strip *s);

/* One set of inner loops. Rows must be followed by STRIP_SLACK readable bytes. */
struct strip_code {
	const char *name;
	bool (*usable)(void);
	/* 8-bit ids only: undoes the filter of the next row. */
	void (*add_filtered)(struct strip *s, enum strip_filter filter, const uint8_t *row);
	/* The next row of ids: uint8_t, or uint16_t if wide. */
	void (*add_ids)(struct strip *s, const void *row);
	/* After the last row: ends the columns. */
	void (*end)(struct strip *s);
};

/* False: no memory for this width. width <= STRIP_WIDTH_MAX, height > 0. */
bool strip_begin(struct strip *s, uint32_t width, uint32_t height, bool wide);
/* content_column(x); in the room, if it is not kept. */
static inline const struct content_pair *strip_column(const struct strip *s, uint32_t x, struct content_pair *room)
{
	if (__builtin_expect(x < STRIP_WEIGHTS, 1))
		return &s->columns[x];
	*room = content_column(x);
	return room;
}
/* content_rows(n, 0), likewise. */
static inline const struct content_pair *strip_rows(const struct strip *s, uint32_t n, struct content_pair *room)
{
	if (__builtin_expect(n < STRIP_WEIGHTS, 1))
		return &s->rows[n];
	*room = content_rows(n, 0);
	return room;
}
/* n pixels from x on change, in the current row and in all below, by so many ids. */
static inline void strip_add_content(struct strip *s, uint32_t x, unsigned n, int64_t ids)
{
	struct content_pair room[2];

	content_add(s->row_content, ids,
		    content_minus(*strip_column(s, x, &room[0]), *strip_column(s, x + n, &room[1])));
}
enum { ADLER_MODULUS = 65521 }; /* the largest prime below 2^16; RFC 1950 */
/*
 * Of a byte behind the filter byte of row y: how many bytes there are from it to the end, plus its x; except for
 * multiples of the modulus, if that is over 2^28. At least the width, so that nothing becomes negative when x is taken
 * off. So sums of up to 2^34 bytes fit 64 bits: 255 * 2^28 * 2^28 / 2, and 255 * 2^34 * (2 * ADLER_MODULUS +
 * STRIP_WIDTH_MAX).
 */
static inline uint32_t strip_adler_weight(const struct strip *s, uint32_t y)
{
	uint64_t left = ((uint64_t)s->height - y) * (s->width + 1);

	if (__builtin_expect(left <= 1 << 28, 1))
		return (uint32_t)left - 1;
	return (uint32_t)((left - 1) % ADLER_MODULUS) + (s->width / ADLER_MODULUS + 1) * ADLER_MODULUS;
}
/* The row is in: adds what it contributes. For the inner loops. */
static inline void strip_count_row(struct strip *s)
{
	const uint64_t mask = (UINT64_C(1) << STRIP_COUNT_BITS) - 1;

	s->edges[LINE_ROW] += s->row_counts & mask;
	s->wide_edges[LINE_ROW] += s->row_counts >> STRIP_COUNT_BITS & mask;
	s->long_between[LINE_ROW] += s->row_counts >> 2 * STRIP_COUNT_BITS;
	s->bogus_pixels += s->row_bogus;
	if (s->row_content[0] | s->row_content[1]) {
		struct content_pair room, weight = *strip_rows(s, s->height - s->y, &room);

		for (unsigned i = 0; i < 2; i++) {
			s->content[i] += s->row_content[i] * weight.v[i];
			s->row_content[i] = 0;
		}
	}
	s->y++;
}
/* The next row equals the one above. Not the first. */
void strip_repeat(struct strip *s);
/* Adler-32 of the filtered rows that add_filtered was given, each with its filter byte. */
uint32_t strip_adler32(const struct strip *s);
/* After strip_code.end: everything of stats but raw_used and channels, and the id rows. As measure_rows_end. */
void strip_finish(struct strip *s, struct label_stats *stats, struct batch *batch);
/* Which values occurred; after strip_code.end, not wide, before strip_finish. */
void strip_used(const struct strip *s, uint64_t used[4]);

/* Best first; ends with the plain one, which is always usable. */
extern const struct strip_code *const strip_codes[];
extern const size_t strip_codes_count;
/* The first that can be used here. */
const struct strip_code *strip_best_code(void);

extern const struct strip_code strip_avx512;
extern const struct strip_code strip_avx2;
extern const struct strip_code strip_plain;

#endif
