/*
 * struct delta: the fast measurement of a mask, a group of rows at a time. The same integers as reference_rows.h, which
 * is its judge.
 *
 * Neighbouring rows of a mask are nearly equal, so nothing is looked at but what changes. The strip cuts the mask into
 * columns of 64 pixels, goes down one after the other, and notes its events: the rows in which the block of 64 pixels
 * becomes another. What is known of a block are words of a bit a pixel, so events are then judged many at once, their
 * words side by side in vectors, and without a branch. What makes that exact:
 *
 *   - A pixel that changes from id m to id r in row y, of a mask with H rows, adds H - y labels to r and takes as many
 *     from m: the change counts for all rows to come. No run lengths, no flushing. So do the edges and short runs that
 *     a block has in its row, and what a change adds to the content key (content_key.h).
 *   - Whether a run down a column was 1, 2 or more rows long follows from the rows of the last two events and the
 *     columns in which they began runs.
 *   - What a block must know of its row to the left is its neighbour's side: the last two pixels there, whether they
 *     begin runs, and the last transition. A column hands on the rows in which its side becomes another; they are
 *     events of the next column too.
 *   - The first pixel of an id, and the box around it, show in changes too: a pixel that is not in the row above.
 *   - A block of filtered bytes that are all zero adds nothing to Adler-32; others add in closed form, those that are
 *     repeated from row to row once for all these rows.
 *
 * The filters of PNG are undone on the way, at the events: Up changes what is not zero; Paeth repeats the left or the
 * upper pixel between non-zero bytes and transitions of the row above; None and Sub change where their bytes are not
 * those of the row above, if that has the same filter.
 *
 * One thread a strip. Its code, compiled once for each instruction set by delta_<instruction set>.c, is
 *   delta_words.inc    the logic of events
 *   delta_columns.inc  their pixels, counts and neighbours; rows of ids
 *   delta_filters.inc  filtered rows: where the events are, and what the pixels are there
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
	DELTA_BLOCK = 64, /* pixels: one bit each in a word */
	/* Wider rows go to the reference. */
	DELTA_WIDTH_MAX = 1 << 20,
	/* Rows that are gone through at once, and their bytes, which the second cache has room for. */
	DELTA_GROUP = 512,
	DELTA_GROUP_BYTES = 512 << 10,
	/* Bytes behind a row of filtered bytes or ids that may be loaded: the rest of its last block. */
	DELTA_SLACK = 2 * DELTA_BLOCK,
	DELTA_LANES = 8, /* of sums of 64 bits; an instruction set uses as many as it has */
	/* Weights of the content key that are kept, of as many columns and rows. */
	DELTA_WEIGHTS = 1 << 12,
};

/*
 * To measure what the neighbourhood counters cost: CPPFLAGS=-DSTRIP_NEIGHBOURS=0 builds a program that counts labels
 * and makes the content key, and says that it knows nothing of neighbours. Not for use.
 */
#ifndef STRIP_NEIGHBOURS
#define STRIP_NEIGHBOURS 1
#endif

/*
 * An event: a row in which a block changes, or the side of the block to its left does. Of each, words of 64 bits; bit
 * x: pixel x. "Closing" bits stand at the pixel behind a run.
 */
enum delta_word {
	WORD_ROW,                         /* of the image */
	WORD_BEGUN,                       /* columns in which a run begins: those that changed, in row 0 all */
	WORD_SIDE,                        /* of the block to the left; below */
	WORD_OWN_SIDE,                    /* what the block to the right must know */
	WORD_TRANSITIONS,                 /* pixel x differs from pixel x - 1 */
	WORD_WIDE,                        /* of those: by 2 or more */
	WORD_LONG_BETWEEN,                /* of those: closing a run of 2 or more, numerically between its neighbours */
	WORD_SHORT,                       /* closing a run of 1 or 2 in the row */
	WORD_SINGLE,                      /* of those: of 1 */
	WORD_LONE,                        /* of those: inner, with different neighbours */
	WORD_BETWEEN,                     /* of those: numerically between them */
	DELTA_KNOWN_WORDS,                /* the above are what the next event is compared with */
	WORD_CHANGED = DELTA_KNOWN_WORDS, /* columns in which the pixel is not that of the row above */
	WORD_UPWARDS,                     /* at transitions: pixel x is larger; whatever at other pixels */
	WORD_COLUMN_WIDE,                 /* of the changed: by 2 or more */
	WORD_COLUMN_BETWEEN, /* of those: ending a run that lies numerically between those above and below */
	WORD_COLUMN_LONE,    /* of those that end a run with one above: that has another id than the one below */
	WORD_STARTS,         /* of the changed: a piece of a run that became a piece of another begins */
	WORD_COME,           /* of the short ones: not in the row above */
	WORD_GONE,           /* of those above: not here */
	WORD_COLUMN_SHORT,   /* ending a run of 1 or 2 rows */
	WORD_COLUMN_SINGLE,  /* of those: of 1 */
	DELTA_WORDS,
};

enum {
	DELTA_EVENTS = 64, /* of a column, that are gone through together: a bit each in a word */
	DELTA_BEFORE = 8,  /* room for the last two before them; as many as the widest vector has words */
};

struct delta_events {
	uint64_t words[DELTA_WORDS][DELTA_BEFORE + DELTA_EVENTS] __attribute__((aligned(64)));
	/* the blocks, of uint8_t or uint16_t; two are those of the last events before */
	uint8_t pixels[(2 + DELTA_EVENTS) * 2 * DELTA_BLOCK] __attribute__((aligned(64)));
};

/* Where a column's last event has left it. */
struct delta_block {
	uint64_t known[DELTA_KNOWN_WORDS];
	uint64_t row_before, begun_before; /* of the event before that */
	uint64_t has_left; /* columns that changed at least once since row 0: their run has one above it */
	uint64_t grew;     /* the column's last change was to a larger id */
};

/* Sums over the image that come in lanes. */
enum delta_sum {
	SUM_EDGES, /* and the same of columns behind each: enum line */
	SUM_WIDE_EDGES = SUM_EDGES + 2,
	SUM_LONG_BETWEEN = SUM_WIDE_EDGES + 2,
	DELTA_SUMS = SUM_LONG_BETWEEN + 2,
};

/*
 * The side of a block, for the block to its right: its last two pixels, the last one in the higher bits; and behind
 * them
 */
enum {
	SIDE_TRANSITIONS = 32, /* 2 bits: whether they differ from those to their left */
	SIDE_UP = 34,          /* the last one does and is larger */
	SIDE_ENTRY = 35,       /* 2 bits, enum delta_entry: the last transition of the row so far */
	SIDE_START = 37,       /* there is no block: the row begins */
	/* And in the list of rows in which a side becomes another: */
	SIDE_BOGUS = 38, /* the last pixel of the row above was counted as one that is between in its column */
	SIDE_ROW = 48,   /* 16 bits: the row, from the first of those that are gone through on */
};
#define SIDE_MASK ((UINT64_C(1) << SIDE_BOGUS) - 1)
_Static_assert((int)DELTA_GROUP < 1 << (64 - SIDE_ROW), "rows fit");

/* A run lies between a smaller and a larger id if both its ends are transitions in the same direction. */
enum delta_entry { ENTRY_NONE = 0, ENTRY_DOWN = 2, ENTRY_UP = ENTRY_DOWN + 1 };

/* Short runs that a block closes, in a row or down its columns: bits as in enum delta_word. */
struct delta_runs {
	uint64_t all, single, lone, between;
};

/* Short runs are counted by id and kind: a sum of these. */
enum short_kind {
	SHORT_SINGLE = 1, /* of 1 pixel, not of 2 */
	SHORT_LONE = 2,
	SHORT_BETWEEN = 4,
	SHORT_COLUMN = 8,
	SHORT_KINDS = 16,
};

/* The rarer counters of one id; labels are kept apart (struct delta). Differences, so signed until the end. */
struct delta_id {
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
	DELTA_QUEUE = 256,
	/* a block adds one to each queue in each column at most, when there is room */
	DELTA_QUEUE_ROOM = DELTA_QUEUE + DELTA_BLOCK,
	DELTA_QUEUE_ROWS = 1 << 16, /* that a queue tells apart */
	DELTA_TURNS = 2,
};

/* Short runs, in a row or down the columns. */
struct delta_run_queue {
	size_t count;
	uint8_t id[DELTA_QUEUE_ROOM], kind[DELTA_QUEUE_ROOM]; /* sums of enum short_kind */
	uint8_t pixels[DELTA_QUEUE_ROOM];                     /* of columns: so many side by side */
	uint16_t row[DELTA_QUEUE_ROOM];                       /* of rows: where they come or go */
};

struct delta_queues {
	uint32_t first_row; /* rows are counted from here */
	/* pixels that changed from one id to another: so many, from such a place in such a block on */
	size_t changes;
	uint8_t from[DELTA_QUEUE_ROOM], to[DELTA_QUEUE_ROOM], pixels[DELTA_QUEUE_ROOM], place[DELTA_QUEUE_ROOM];
	uint16_t block[DELTA_QUEUE_ROOM], row[DELTA_QUEUE_ROOM];
	/* Labels that were lost and won, not in labels[] yet. Changes take turns: a sum waits for the one before it. */
	bool turns; /* there are some */
	int64_t lost[DELTA_TURNS][256], won[DELTA_TURNS][256];
	/* that a row has from here on, and has no longer; that ended in columns */
	struct delta_run_queue come, gone, columns;
};
_Static_assert(DELTA_WIDTH_MAX / DELTA_BLOCK <= UINT16_MAX, "blocks fit their queue");

enum delta_filter {
	FILTER_NONE = 0,
	FILTER_SUB,
	FILTER_UP,
	FILTER_AVERAGE,
	FILTER_PAETH,
};

/* One of the rows of a group. */
struct delta_row {
	uint64_t
		repeats; /* all ones: nothing changes where its bytes are those of the row above; 0: where they are 0 */
	uint32_t rows;   /* so many have its bytes where nothing changes: itself, and those behind it that repeat it */
	uint32_t filter; /* enum delta_filter */
};

enum { ADLER_MODULUS = 65521 }; /* the largest prime below 2^16; RFC 1950 */

/* Sums for Adler-32: of bytes, and of bytes times the bytes from them to the end; signed, modulo 2^64. */
struct delta_adler {
	uint64_t sum[DELTA_LANES] __attribute__((aligned(64)));
	uint64_t weighted[DELTA_LANES] __attribute__((aligned(64)));
};

struct delta_code;

struct delta {
	const struct delta_code *code;
	/* the image; y: rows that have been gone through */
	uint32_t width, height, y;
	bool wide;
	bool unfinished;     /* begun and not finished: counters of an image that was given up remain */
	size_t blocks_count; /* width / 64 + 1: the end of the row lies inside the last one */

	/* of each block, where the last row that was gone through has left it; pixels are uint8_t or, if wide, uint16_t
	 */
	struct delta_block *blocks;
	uint8_t *current; /* its pixels */
	uint8_t *past;    /* those before its last event */
	size_t blocks_cap;
	uint8_t tail[2 * DELTA_BLOCK] __attribute__((aligned(64))); /* 0xff for pixels of the last block that exist */

	/* a group of rows that is gone through */
	uint32_t group;       /* at most so many */
	const uint8_t *bytes; /* of the file: the first behind the filter of the first row */
	struct delta_row rows[DELTA_GROUP];
	uint32_t rows_count;
	uint32_t plain_rows;              /* not 0: `rows` are as many of filter None */
	uint32_t bytes_below;             /* from the first filter byte below them to the end, modulo ADLER_MODULUS */
	uint64_t stops[DELTA_GROUP / 64]; /* a bit each: nothing tells in which blocks it changes anything */
	uint64_t subs[DELTA_GROUP / 64];  /* of those: its pixels are in `plain` */
	uint8_t *plain;    /* the pixels of those with filter Sub; or those that came row by row and wait */
	uint32_t gathered; /* so many rows of these */
	uint64_t *marks;   /* of each block, a bit for each row of a group in which it seems to change: DELTA_GROUP / 64
			      words */
	/* the sides that the block to the left has, and those of this one, with their rows, and one that ends the list
	 */
	uint64_t sides[2][DELTA_GROUP + 1];
	struct delta_events events; /* of the column that is gone down */
	/* sums over the image; first those that were not added up yet */
	uint64_t lanes[DELTA_SUMS][DELTA_LANES] __attribute__((aligned(64)));
	uint64_t edges[2], wide_edges[2], long_between[2];
	uint64_t bogus_pixels;
	struct worst_place worst;
	uint64_t content[2];                 /* the content key */
	struct content_pair *column_weights; /* content_column(x) for x < DELTA_WEIGHTS */
	struct content_pair *row_weights;    /* content_rows(n, 0), likewise */

	/* by id */
	int64_t *labels;
	struct delta_id *ids;
	size_t ids_cap;
	uint64_t *seen;                                    /* wide only: bit v: id v has been met */
	uint64_t used[4];                                  /* after the end, not wide: bit v: id v occurs */
	const uint8_t *roles;                              /* class_set.dense; 0 is ID_INVALID */
	uint8_t invalid[256] __attribute__((aligned(64))); /* 0xff for ids that are no class and not ignored */

	struct delta_queues queues;

	struct delta_adler adler;  /* of the rows that are gone through */
	uint32_t adler_a, adler_b; /* of those before; RFC 1950 calls them s1 and s2 */
};

/* code: NULL for the best. */
struct delta *delta_new(const struct class_set *classes, const struct delta_code *code);
void delta_free(struct delta *s);

/* One set of inner loops. Rows must be followed by DELTA_SLACK readable bytes. */
struct delta_code {
	const char *name;
	bool (*usable)(void);
	/*
	 * 8-bit ids only: goes through the group of rows that struct delta has, and undoes their filters.
	 */
	void (*go_filtered)(struct delta *s);
	/* The same of ids: uint8_t, or uint16_t if wide; from one row to the next `stride` bytes. */
	void (*go_ids)(struct delta *s, const void *first, size_t stride, uint32_t count);
	/* After the last row: ends the columns. */
	void (*end)(struct delta *s);
};

/* False: no memory for this width. width <= DELTA_WIDTH_MAX, height > 0. */
bool delta_begin(struct delta *s, uint32_t width, uint32_t height, bool wide);
/* content_column(x); in the room, if it is not kept. */
static inline const struct content_pair *delta_column(const struct delta *s, uint32_t x, struct content_pair *room)
{
	if (__builtin_expect(x < DELTA_WEIGHTS, 1))
		return &s->column_weights[x];
	*room = content_column(x);
	return room;
}
/* content_rows(n, 0), likewise. */
static inline const struct content_pair *delta_rows(const struct delta *s, uint32_t n, struct content_pair *room)
{
	if (__builtin_expect(n < DELTA_WEIGHTS, 1))
		return &s->row_weights[n];
	*room = content_rows(n, 0);
	return room;
}
/* n pixels from x on change by so many ids: adds that to what a row's changes add to the content key. */
static inline void delta_add_content(const struct delta *s, uint64_t row[2], uint32_t x, unsigned n, int64_t ids)
{
	struct content_pair room[2];

	content_add(row, ids, content_minus(*delta_column(s, x, &room[0]), *delta_column(s, x + n, &room[1])));
}
/* The sum of changes in row y, which are there in all rows to come too. */
static inline void delta_end_content(struct delta *s, uint32_t y, const uint64_t row[2])
{
	struct content_pair room, weight = *delta_rows(s, s->height - y, &room);

	for (unsigned i = 0; i < 2; i++)
		s->content[i] += row[i] * weight.v[i];
}
/* The next rows, of width + 1 bytes each, one after the other. False: there is no such filter. */
bool delta_add_filtered(struct delta *s, const uint8_t *rows, uint32_t count);
/* The next row of ids. */
void delta_add_ids(struct delta *s, const void *row);
/* The next row equals the one above. Not the first. */
void delta_repeat_row(struct delta *s);
/* Edges in the rows that have been gone through. */
uint64_t delta_row_edges(const struct delta *s);
/* After the last row. */
void delta_end(struct delta *s);
/* Adler-32 of the filtered rows that delta_add_filtered was given, each with its filter byte. */
uint32_t delta_adler32(const struct delta *s);
/* After delta_end: everything of stats but raw_used and channels, and the id rows. As reference_rows_end. */
void delta_finish(struct delta *s, struct label_stats *stats, struct batch *batch);
/* Which values occurred; after delta_end, not wide, before delta_finish. */
void delta_used_ids(const struct delta *s, uint64_t used[4]);

/* Best first; ends with the plain one, which is always usable. */
extern const struct delta_code *const delta_codes[];
extern const size_t delta_codes_count;
/* The first that can be used here. */
const struct delta_code *delta_best_code(void);

extern const struct delta_code delta_avx512;
extern const struct delta_code delta_avx2;
extern const struct delta_code delta_generic;

#endif
