/*
 * What the code of full.c and its inner loops share: the latter are compiled for each instruction set
 * (full_template.inc), as struct full_code.
 */
#ifndef MEASURE_FAST_DENSE_PARTS_H
#define MEASURE_FAST_DENSE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/class_set.h"
#include "measure/content_key.h"
#include "measure/engine/full.h"
#include "measure/label_stats.h"

enum {
	/* Pixels that are seen to at once: with the rows around them they fit the first cache, and so many bytes can be
	 * added up in lanes of 8 bits. */
	SPAN_PIXELS = 63 * 64,
	/* Before and behind a span may be loaded: what vectors and neighbours reach. */
	FULL_PAD = 64,
	/* Classes of a pixel in its row or column; they add up, so that CLASS_BETWEEN is all three. */
	CLASS_BITS = 2,
	CLASS_SHORT = 1,   /* in a run of 1 or 2 */
	CLASS_LONE = 2,    /* of 1, inner, with different neighbours */
	CLASS_BETWEEN = 3, /* which it lies between */
	CLASSES = 1 << 2 * CLASS_BITS,
	/*
	 * Tables of 8-bit ids that pixels take in turn, since the same counter cannot be raised in one go after the
	 * other; of 16 bits each, so that they fit the first cache, and added up before one can overflow.
	 */
	FULL_TABLES = 4,
	TABLE_SPANS = 60,
	/* Columns in which an id is looked for again that was met, but not on both sides of them. */
	PLACE_COLUMNS = 256,
	/* Columns that are added to the content key at once: their weights, 16 KiB, fit the first cache. */
	GROUP_COLUMNS = 16,
	CHUNK_COLUMNS = 64 * GROUP_COLUMNS,
};
_Static_assert(SPAN_PIXELS / 16 < 256, "lanes of 8 bits");
_Static_assert(SPAN_PIXELS % 64 == 0, "words of bits go on in the next span");
_Static_assert(TABLE_SPANS *(SPAN_PIXELS / FULL_TABLES + FULL_TABLES) < 65536, "counters of 16 bits");

/*
 * The weights of GROUP_COLUMNS columns in the content key, in parts of 16 bits: part[4 * i + k] of v[i], its bits from
 * 16 * k on, signed: a part below 0 is made up for in the next one. Products of ids of 8 bits and parts fit 32 bits,
 * and so do sums of 2 * CHUNK_COLUMNS / GROUP_COLUMNS of them.
 */
struct column_parts {
	int16_t part[8][GROUP_COLUMNS];
};

/* Where an id is that is no class: columns x0 to x0 + more. Of others all, so that they need not be looked after. */
struct full_place {
	uint32_t x0, more, y1;
};

/* Some pixels of row y from x on, or `rows` whole rows from y on. */
struct full_span {
	uint32_t x, y, rows;
	bool first, inner; /* the row has none above; has rows on both sides */
};

struct full {
	const struct class_set *classes_set;
	const struct full_code *code;
	uint32_t width, height, y; /* y: rows that were added */
	bool wide;
	bool narrow;

	/* The rows, ids without gaps. Two rows that differ everywhere from theirs lie around the image. */
	uint8_t *memory; /* owned */
	size_t memory_cap;
	uint32_t held, room; /* rows */
	uint32_t done;       /* rows of the image that were measured; they begin at row 2 of the buffer */

	/* For a span: a lane is all ones if the pixel ... FULL_PAD lanes before and behind are there too. */
	struct {
		void *in_row; /* has one to the left in the row */
		void *inner;  /* and to the right, and is of the span */
		void *live;   /* is of the span */
		size_t n;     /* they are of such a span */
		bool begins;
		uint32_t behind;
	} masks;
	void *masks_memory; /* owned */
	/* Ones, then as many zeros: a mask of the first lanes of a vector. */
	_Alignas(uint64_t) uint8_t ones[2 * FULL_PAD];
	void *keys; /* class and id of the span's pixels: class << bits | id; owned */

	/* by column */
	void *directions; /* of its last change; owned */
	size_t directions_cap;
	struct column_parts *columns; /* weights of the first columns_count; owned */
	uint32_t columns_count;
	struct content_pair all_columns;
	struct content_pair below; /* content_rows of the rows that are not done */

	/* by id */
	uint32_t *counts; /* by key; owned */
	uint16_t *tables; /* of 8-bit ids: FULL_TABLES times the same, of the last table_spans spans; owned */
	unsigned table_spans;
	struct full_place *places; /* owned */
	uint64_t *first;           /* row-major index; of ids that are no class; owned */
	uint32_t ids_cap;
	bool has_others;     /* some ids are no class */
	uint8_t others[256]; /* which of the first ones */

	uint64_t edges[2], wide_edges[2], long_between[2];
	struct {
		uint64_t start, run;
	} carry[2]; /* of long_runs */
	uint64_t content[2];
	struct worst_place worst;
};

/* Some pixels of one row, or whole rows: everything but the content key. */
typedef void full_add_span(struct full *d, const void *p, size_t n, const struct full_span *span);
/* Adds ids times the weights of their columns: n <= CHUNK_COLUMNS, and their weights. */
typedef void full_sum_columns(const void *p, size_t n, const struct column_parts *parts, uint64_t sum[2]);

/* The weights of so many groups of columns, of which the first begins with column x. */
typedef void full_make_parts(struct column_parts *parts, uint32_t x, size_t groups);

/* Indexed by wide. */
struct full_code {
	const char *name;
	bool (*usable)(void);
	full_make_parts *make_parts;
	full_add_span *add_span[2];
	full_sum_columns *sum_columns[2];
};

extern const struct full_code full_generic, full_avx2;

/* The first of an id, or one beyond the columns where it was so far. */
void full_grow_bbox(struct full *d, uint32_t id, uint32_t x, uint64_t index);
/* A pixel between its neighbours. */
void full_update_worst(struct full *d, enum line line, uint32_t left, uint32_t id, uint32_t right, uint64_t index);

#endif
