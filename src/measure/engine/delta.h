/*
 * struct delta: the delta engine, which measures a mask by what changes from one row to the next. It gives the same
 * integers as reference_rows.h, its judge. README.md explains the algorithm and its protocols.
 *
 * One thread owns a struct delta. Its inner loops come from delta_template.h, once for each instruction set (isa.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/class_set.h"
#include "measure/backend.h"
#include "measure/content_key.h"
#include "measure/engine/isa.h"
#include "measure/image_sums.h"
#include "measure/label_stats.h"

enum {
	DELTA_BLOCK = 64,          /* pixels; one bit each in a word */
	DELTA_WIDTH_MAX = 1 << 20, /* wider rows go to the reference */
	/* A group: at most this many rows, and this many bytes, which fit the second-level cache. */
	DELTA_GROUP = 512,
	DELTA_GROUP_BYTES = 512 << 10,
	/* Bytes that may be loaded after a row of filtered bytes or ids: the rest of its last block. */
	DELTA_SLACK = 2 * DELTA_BLOCK,
	DELTA_LANES = 8,         /* 64-bit lanes of a sum; an instruction set uses as many as it has */
	DELTA_WEIGHTS = 1 << 12, /* content-key weights that are kept, of the first columns and the last rows */
};

/*
 * The words of an event; bit x belongs to pixel x of the block. A bit that "closes" a run is the bit of the first pixel
 * after it. An inner run has neighbours on both sides; it is "between" if it lies numerically between them
 * (label_stats.h).
 */
enum delta_word {
	WORD_ROW,                         /* a number: the row of the image */
	WORD_BEGUN,                       /* a run down the column begins: WORD_CHANGED, and in row 0 every pixel */
	WORD_BOUNDARY,                    /* boundary of the left block */
	WORD_OWN_BOUNDARY,                /* boundary of this block */
	WORD_TRANSITIONS,                 /* the pixel differs from its left neighbour */
	WORD_WIDE,                        /* and differs by 2 or more */
	WORD_LONG_BETWEEN,                /* closes a between run of 2 or more pixels in the row */
	WORD_SHORT,                       /* closes a run of 1 or 2 pixels in the row */
	WORD_SINGLE,                      /* and the run has 1 pixel */
	WORD_LONE,                        /* and the run is inner, with different neighbours */
	WORD_BETWEEN,                     /* and it is between */
	DELTA_KNOWN_WORDS,                /* the next event is compared with the words above */
	WORD_CHANGED = DELTA_KNOWN_WORDS, /* the pixel differs from the one above */
	WORD_UPWARDS,        /* at transitions: the pixel is larger than its left neighbour; else undefined */
	WORD_COLUMN_WIDE,    /* changed by 2 or more */
	WORD_COLUMN_BETWEEN, /* changed, and ends a between run in its column */
	WORD_COLUMN_LONE,    /* changed, and ends an inner run whose neighbours differ */
	WORD_STARTS,         /* changed: the first pixel of a piece that belongs to one run above and to one run here */
	WORD_NEW_SHORT,      /* of WORD_SHORT: not in the event above */
	WORD_OLD_SHORT,      /* of the WORD_SHORT of the event above: not here */
	WORD_COLUMN_SHORT,   /* changed, and ends a run of 1 or 2 pixels in its column */
	WORD_COLUMN_SINGLE,  /* and the run has 1 pixel */
	DELTA_WORDS,
};

enum {
	DELTA_EVENTS = 64, /* events of a column that are processed together; one bit each in a word */
	DELTA_BEFORE = 8,  /* places for the two events before them; as many as the widest vector has words */
};

struct delta_events {
	uint64_t words[DELTA_WORDS][DELTA_BEFORE + DELTA_EVENTS] __attribute__((aligned(64)));
	/* The blocks, of uint8_t or uint16_t. The first two belong to the two events before. */
	uint8_t pixels[(2 + DELTA_EVENTS) * 2 * DELTA_BLOCK] __attribute__((aligned(64)));
};

/* The state of a column after its last event. */
struct delta_block {
	uint64_t known[DELTA_KNOWN_WORDS];
	uint64_t row_before, begun_before; /* WORD_ROW and WORD_BEGUN of the event before the last one */
	uint64_t has_run_above; /* pixels that have changed since row 0, so that a run ends above their run */
	uint64_t last_step_up;  /* pixels whose last change was to a larger id */
};

/* Sums over the image that are kept in lanes. Add LINE_COLUMN for the sum over the columns. */
enum delta_sum {
	SUM_EDGES,
	SUM_WIDE_EDGES = SUM_EDGES + 2,
	SUM_LONG_BETWEEN = SUM_WIDE_EDGES + 2,
	DELTA_SUMS = SUM_LONG_BETWEEN + 2,
};

/*
 * A boundary: all that the next block must know about the row up to here. Bits 0 to 31 hold the last two pixels, of 8
 * or 16 bits each, the last one in the higher bits. The other bits are:
 */
enum {
	BOUNDARY_TRANSITIONS = 32, /* 2 bits: these pixels differ from their left neighbours */
	BOUNDARY_UP = 34,          /* the last pixel does, and is larger */
	BOUNDARY_SLOPE = 35,       /* 2 bits, enum delta_slope: direction of the last transition in the row */
	BOUNDARY_START = 37,       /* there is no block: the row begins */
	/* Only in a boundary list: */
	BOUNDARY_BETWEEN = 38, /* the last pixel of the row above was counted as a between run of its column */
	BOUNDARY_ROW = 48,     /* 16 bits: the row within the group */
};
#define BOUNDARY_MASK ((UINT64_C(1) << BOUNDARY_BETWEEN) - 1)
#define BOUNDARY_END  UINT64_MAX /* ends a boundary list */
_Static_assert((int)DELTA_GROUP < 1 << (64 - BOUNDARY_ROW), "rows fit");

/* A run is between if the transitions at both its ends have the same direction. Bit 0 says whether it is up. */
enum delta_slope { SLOPE_NONE = 0, SLOPE_DOWN = 2, SLOPE_UP = SLOPE_DOWN + 1 };

/* Short runs that close in a block, in a row or down its columns: bits as in WORD_SHORT to WORD_BETWEEN. */
struct delta_short_runs {
	uint64_t all, single, lone, between;
};

/* Short runs are counted by id and kind; a kind is a sum of these. */
enum short_kind {
	SHORT_SINGLE = 1, /* of 1 pixel, not of 2 */
	SHORT_LONE = 2,
	SHORT_BETWEEN = 4,
	SHORT_COLUMN = 8, /* down a column, not in a row */
	SHORT_KINDS = 16,
};

/* The rarer counters of an id. Runs are sums of differences, so they are signed until the image ends. */
struct delta_id {
	int64_t runs[SHORT_KINDS];
	/* Only of ids that are neither a class nor ignored: row-major index of the first pixel, plus 1; bounding box.
	 */
	uint64_t first;
	uint32_t x0, y0, x1, y1;
};

/* Queues of counts that are added up later (delta_queues.h). Entries are narrow, since stores bound appending. */
enum {
	DELTA_QUEUE = 256,                            /* few, to leave most of the first-level cache to the rows */
	DELTA_QUEUE_ROOM = DELTA_QUEUE + DELTA_BLOCK, /* an event appends at most a block to a queue that is not full */
	DELTA_QUEUE_ROWS = 1 << 16,                   /* rows that an entry can distinguish */
	DELTA_ACCUMULATORS = 2,
};

/* Short runs, in rows or down columns. */
struct delta_run_queue {
	size_t count;
	uint8_t id[DELTA_QUEUE_ROOM], kind[DELTA_QUEUE_ROOM]; /* kind: a sum of enum short_kind */
	uint8_t pixels[DELTA_QUEUE_ROOM];                     /* column runs: how many lie side by side */
	uint16_t row[DELTA_QUEUE_ROOM];                       /* row runs: row of the event */
};

struct delta_queues {
	uint32_t first_row; /* rows in the queues are relative to this one */
	/* Pieces of changed pixels: ids above and here, number of pixels, first pixel in the block, block and row. */
	size_t changes;
	uint8_t from[DELTA_QUEUE_ROOM], to[DELTA_QUEUE_ROOM], pixels[DELTA_QUEUE_ROOM], x[DELTA_QUEUE_ROOM];
	uint16_t block[DELTA_QUEUE_ROOM], row[DELTA_QUEUE_ROOM];
	/*
	 * Labels taken from and given to ids that are not in labels[] yet. Successive changes alternate between the
	 * accumulators, so that an addition need not wait for the one before it.
	 */
	bool accumulated; /* they are not all zero */
	int64_t minus[DELTA_ACCUMULATORS][256], plus[DELTA_ACCUMULATORS][256];
	struct delta_run_queue new_runs, old_runs, columns;
};
_Static_assert(DELTA_WIDTH_MAX / DELTA_BLOCK <= UINT16_MAX, "blocks fit their queue");

enum delta_filter {
	FILTER_NONE = 0,
	FILTER_SUB,
	FILTER_UP,
	FILTER_AVERAGE,
	FILTER_PAETH,
};

/* A row of the current group. */
struct delta_row {
	/* All ones: equal bytes mean equal pixels, so bytes are compared with those above. 0: they are compared with 0.
	 */
	uint64_t same_filter_as_above;
	uint32_t rows;   /* this row and those after it that have its bytes wherever their blocks are clean */
	uint32_t filter; /* enum delta_filter */
};

enum { ADLER_MODULUS = 65521 }; /* the largest prime below 2^16; RFC 1950 */

/* Sums for Adler-32 modulo 2^64: of bytes, and of each byte times the number of bytes from it to the end. */
struct delta_adler {
	uint64_t sum[DELTA_LANES] __attribute__((aligned(64)));
	uint64_t weighted[DELTA_LANES] __attribute__((aligned(64)));
};

struct delta {
	const struct isa *isa;
	/* The image; y: rows that were scanned. */
	uint32_t width, height, y;
	bool wide;           /* ids are uint16_t */
	bool unfinished;     /* delta_begin without delta_finish: counters are not zero */
	size_t blocks_count; /* width / 64 + 1: the end of the row always lies inside the last block */

	/* Kept of the rows that were scanned; pixels are uint8_t or uint16_t. All owned. */
	struct {
		struct delta_block *blocks; /* after the last row */
		uint8_t *above;             /* pixels of the last row */
		uint8_t *above2;            /* pixels before the last event of each block */
		size_t blocks_cap;
		/* 0xff for the pixels of the last block that exist */
		uint8_t tail[2 * DELTA_BLOCK] __attribute__((aligned(64)));
	} last;

	/* The current group of rows. */
	struct {
		uint32_t max;         /* at most this many rows */
		const uint8_t *bytes; /* first filtered byte of the first row, after its filter byte */
		struct delta_row rows[DELTA_GROUP];
		uint32_t rows_count;
		uint32_t none_rows;                      /* not 0: rows[] holds this many rows of filter None */
		uint32_t bytes_after;                    /* bytes after the group, modulo ADLER_MODULUS */
		uint64_t always_visit[DELTA_GROUP / 64]; /* bit per row: its bytes do not show which blocks change */
		uint64_t sub_rows[DELTA_GROUP / 64];     /* bit per row, of those: its pixels are in row_pixels */
		uint8_t *row_pixels; /* pixels of the sub rows; or the rows of ids that are buffered; owned */
		uint32_t buffered;   /* how many of the latter */
		uint64_t *dirty;     /* DELTA_GROUP / 64 words per block: bit per row, see README.md; owned */
		/* Boundary lists, of the block to the left and of this one, by the parity of the block. */
		uint64_t boundaries[2][DELTA_GROUP + 1];
		struct delta_events events; /* of the current column */
	} group;
	/* Sums over the image; first the lanes that are not in the sums yet. */
	uint64_t lanes[DELTA_SUMS][DELTA_LANES] __attribute__((aligned(64)));
	struct image_sums sums;
	/* The content key's; owned. */
	struct {
		struct content_pair *columns; /* content_column(x) for x < DELTA_WEIGHTS */
		struct content_pair *rows;    /* content_rows(n, 0) for n < DELTA_WEIGHTS */
	} weights;

	struct {
		int64_t *labels;      /* owned */
		struct delta_id *ids; /* owned */
		size_t cap;
		uint64_t *seen;       /* wide only: bit per id that occurs; owned */
		uint64_t used[4];     /* not wide, after delta_end: bit per id that occurs */
		const uint8_t *roles; /* class_set.dense; 0 is ID_INVALID */
		/* 0xff for ids that are neither a class nor ignored */
		uint8_t invalid[256] __attribute__((aligned(64)));
	} by_id;

	struct delta_queues queues;

	struct delta_adler adler;  /* of the current group */
	uint32_t adler_a, adler_b; /* of the groups before; RFC 1950 calls them s1 and s2 */
};

/* isa NULL: the best. */
struct delta *delta_new(const struct class_set *classes, const struct isa *isa);
void delta_free(struct delta *s);

/* Begins an image: width <= DELTA_WIDTH_MAX, height > 0. Returns false if there is no memory for this width. */
bool delta_begin(struct delta *s, uint32_t width, uint32_t height, bool wide);
/* Adds `count` filtered rows of width + 1 bytes each. Returns false if a row names no filter of PNG. */
bool delta_add_filtered(struct delta *s, const uint8_t *rows, uint32_t count);
/* Adds a row of ids. */
void delta_add_ids(struct delta *s, const void *row);
/* Adds a row that equals the one above. Not the first row. */
void delta_repeat_row(struct delta *s);
/* Returns how many edges the rows hold that were scanned. */
uint64_t delta_row_edges(const struct delta *s);
/* Ends the image after its last row. */
void delta_end(struct delta *s);
/* Returns Adler-32 of the rows given to delta_add_filtered, each with its filter byte. */
uint32_t delta_adler32(const struct delta *s);
/* Copies which ids occur, one bit each. After delta_end, before delta_finish; not wide. */
void delta_used_ids(const struct delta *s, uint64_t used[4]);
/* Fills stats, except for raw_used and channels, and appends the id rows. After delta_end. As reference_rows_end. */
void delta_finish(struct delta *s, struct label_stats *stats, struct batch *batch);

/* Returns content_column(x); `out` holds it if it is not kept. */
static inline const struct content_pair *delta_column_weight(const struct delta *s, uint32_t x,
							     struct content_pair *out)
{
	if (__builtin_expect(x < DELTA_WEIGHTS, 1))
		return &s->weights.columns[x];
	*out = content_column(x);
	return out;
}

/* Returns content_rows(n, 0); `out` holds it if it is not kept. */
static inline const struct content_pair *delta_rows_weight(const struct delta *s, uint32_t n, struct content_pair *out)
{
	if (__builtin_expect(n < DELTA_WEIGHTS, 1))
		return &s->weights.rows[n];
	*out = content_rows(n, 0);
	return out;
}

/* Adds n pixels from x on, whose ids change by `ids`, to a row's share of the content key. */
static inline void delta_add_content(const struct delta *s, uint64_t row[2], uint32_t x, unsigned n, int64_t ids)
{
	struct content_pair own[2];

	content_add(row, ids,
		    content_minus(*delta_column_weight(s, x, &own[0]), *delta_column_weight(s, x + n, &own[1])));
}

/* Adds the share of row y to the content key, for this row and all rows after it. */
static inline void delta_end_content(struct delta *s, uint32_t y, const uint64_t row[2])
{
	struct content_pair own, weight = *delta_rows_weight(s, s->height - y, &own);

	for (unsigned i = 0; i < 2; i++)
		s->sums.content[i] += row[i] * weight.v[i];
}
