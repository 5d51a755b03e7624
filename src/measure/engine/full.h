/*
 * struct full: the full engine, for masks in which nearly every pixel differs from the one above: noise, checkers, and
 * what is made to take long. It gives the same integers as reference_rows.h and delta.h, at a price that does not
 * depend on what the mask holds.
 *
 * Each pixel gets two classes, from its neighbours in the row and in the column: whether its run is short, lone,
 * between (label_stats.h). They are computed in vectors without a branch, and counted by id in one table, of which all
 * counters by id are sums. Rows are kept until the two rows below them are there; narrow ones are measured several at a
 * time.
 *
 * One thread owns a struct full. Its inner loops come from full_template.h, once for each instruction set (isa.h).
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
	/* Pixels measured at once: with the rows around them they fit the first-level cache, and sums fit 8-bit lanes.
	 */
	FULL_SPAN = 63 * 64,
	/* Lanes before and after a span that may be loaded: the reach of vectors and of neighbours. */
	FULL_PAD = 64,
	/* Classes of a pixel, by row and by column. They add up: CLASS_BETWEEN is all three. */
	CLASS_BITS = 2,
	CLASS_SHORT = 1,   /* in a run of 1 or 2 */
	CLASS_LONE = 2,    /* and the run is of 1, inner, with different neighbours */
	CLASS_BETWEEN = 3, /* and it is between */
	CLASSES = 1 << 2 * CLASS_BITS,
	/*
	 * Tables of 8-bit ids. Successive pixels alternate between them, since a counter cannot be raised twice in a
	 * row without waiting. Their counters have 16 bits, so that they fit the first-level cache, and are added up
	 * before one can overflow.
	 */
	FULL_TABLES = 4,
	TABLE_SPANS = 60,
	/* Columns within which an id is skipped once it was seen on both sides. */
	BBOX_COLUMNS = 256,
	/* Columns that are added to the content key at once: their weights, 16 KiB, fit the first-level cache. */
	GROUP_COLUMNS = 16,
	FULL_CHUNK_COLUMNS = 64 * GROUP_COLUMNS,
};
_Static_assert(FULL_SPAN / 16 < 256, "lanes of 8 bits");
_Static_assert(FULL_SPAN % 64 == 0, "words of bits continue in the next span");
_Static_assert(TABLE_SPANS *(FULL_SPAN / FULL_TABLES + FULL_TABLES) < 65536, "counters of 16 bits");

/*
 * The content-key weights of GROUP_COLUMNS columns, in signed parts of 16 bits: part[4 * i + k] holds bits 16 * k on of
 * v[i]; a negative part is compensated in the next one. Products of 8-bit ids and parts fit 32 bits, and so do sums of
 * 2 * FULL_CHUNK_COLUMNS / GROUP_COLUMNS of them.
 */
struct column_weights {
	int16_t part[8][GROUP_COLUMNS];
};

/*
 * Columns x0 to x0 + more, and the last row, of an id that is neither a class nor ignored. Every other id has all
 * columns, so that it never needs an update.
 */
struct full_bbox {
	uint32_t x0, more, y1;
};

/* Some pixels of row y from x on, or `rows` whole rows from y on. */
struct full_span {
	uint32_t x, y, rows;
	bool first, inner; /* the first row; a row between two others */
};

struct full {
	const struct class_set *class_set;
	const struct isa *isa;
	uint32_t width, height, y; /* y: rows that were added */
	bool wide;                 /* ids are uint16_t */
	bool narrow;               /* a span is several rows */

	/* Rows of ids without gaps. Around the image lie two rows that differ from theirs everywhere. */
	struct {
		uint8_t *memory; /* owned */
		size_t memory_cap;
		uint32_t held, max;
		uint32_t done; /* rows of the image that were measured; the buffer's row 2 is the next one */
	} rows;

	/* Masks of a span: a lane is all ones if the pixel ... There are FULL_PAD more lanes before and after it. */
	struct {
		void *in_row; /* has a left neighbour */
		void *inner;  /* has both neighbours, and is in the span */
		void *live;   /* is in the span */
		size_t n;     /* they were made for a span of n pixels */
		bool begins;  /* that begins its row */
		uint32_t after;
		void *memory; /* owned */
		/* Ones, then as many zeros: a mask of the first lanes of a vector. */
		_Alignas(uint64_t) uint8_t ones[2 * FULL_PAD];
	} masks;
	void *keys; /* class and id of the span's pixels, class << bits | id; owned */

	struct {
		void *directions; /* of a column's last change; owned */
		size_t directions_cap;
		struct column_weights *weights; /* of the first weights_count columns; owned */
		uint32_t weights_count;
		struct content_pair all;
		struct content_pair below; /* content_rows of the rows that are not measured yet */
	} columns;

	struct {
		uint32_t *counts; /* by key; owned */
		uint16_t *tables; /* of 8-bit ids: FULL_TABLES times the same, over the last table_spans spans; owned */
		unsigned table_spans;
		struct full_bbox *bboxes; /* owned */
		uint64_t *first; /* row-major index of the first pixel of ids that have a box, else NO_INDEX; owned */
		uint32_t cap;
		bool has_offenders;     /* some ids are neither a class nor ignored */
		uint8_t offenders[256]; /* which of the first 256 */
	} ids;

	struct image_sums sums;
	struct {
		uint64_t start, run;
	} carry[2]; /* of count_long_runs, from one span of a row to the next */
};

/* isa: one that has loops of this engine; NULL: the best. */
struct full *full_new(const struct class_set *classes, const struct isa *isa);
void full_free(struct full *f);

/* Begins an image. Returns false if there is no memory for this width, or if it has 2^32 pixels or more. */
bool full_begin(struct full *f, uint32_t width, uint32_t height, bool wide);
/* Adds a row of ids. */
void full_add_row(struct full *f, const void *ids);
/* Fills stats, except for raw_used and channels, and appends the id rows, after the last row. As reference_rows_end. */
void full_end(struct full *f, struct label_stats *stats, struct batch *batch);

/* For the inner loops. */

/* Notes the first pixel of an id, or one outside the columns where it was so far. */
void full_grow_bbox(struct full *f, uint32_t id, uint32_t x, uint64_t index);
/* Calls image_update_worst; not inlined, since it is rare. */
void full_update_worst(struct full *f, enum line line, uint32_t left, uint32_t id, uint32_t right, uint64_t index);
