/*
 * What measuring one label file gives: plain integers, no pointers, compared with memcmp between backends.
 *
 * struct label_stats has a fixed size; the ids (or colours) of the file are a slice of struct id_stats, sorted by id,
 * in an array that the batch owns. All numbers are exact. They merge by addition over files, shards and machines (min,
 * max and `worst` by taking the smaller or larger one).
 *
 * Ids are those of the audited view (base/settings.h). A multi-channel file has no ids: its slice holds its
 * distinct colours instead (id = 0xRRGGBB; 16-bit colours are cut to their high bytes) and `colours` is set.
 *
 * The neighbourhood counters. Lines are rows (LINE_ROW) and columns (LINE_COLUMN), each a sequence of maximal runs
 * (id m, length len) with left neighbour id L and right neighbour id R; the first run of a line has no L, the last no
 * R.
 *
 *     at each run's end: if len <= 2: thin[m] += len            (both directions, border runs too)
 *     at each change m -> R: edges[d] += 1; if |m - R| >= 2: wide_edges[d] += 1
 *       if the run m has a left neighbour L and L != R:
 *         between = L < m < R or L > m > R
 *         if len == 1: lone[d][m] += 1; if between: between[d][m] += 1
 *         else if between: long_between[d] += 1
 *
 * bogus_pixels counts pixels that are such a len == 1 between in a row or in a column (once if in both).
 */
#ifndef MEASURE_LABEL_STATS_H
#define MEASURE_LABEL_STATS_H

#include <stdint.h>

#include "measure/coco_stats.h"
#include "measure/list_stats.h"

enum line { LINE_ROW = 0, LINE_COLUMN = 1 };

/* A place that does not exist. */
#define NO_INDEX UINT64_MAX
/* A place in a text as one number, larger for later places. Line and column count from 1; far columns count as one. */
#define PLACE_COLUMN_BITS 20
#define PLACE_COLUMN_MAX  (((uint64_t)1 << PLACE_COLUMN_BITS) - 1)
#define PLACE_OF_TEXT(line, column) \
	((uint64_t)(line) << PLACE_COLUMN_BITS | ((column) < PLACE_COLUMN_MAX ? (uint64_t)(column) : PLACE_COLUMN_MAX))

struct id_stats {
	int64_t id;
	uint64_t labels;     /* how often the id occurs; > 0 */
	uint64_t thin;       /* of these, those in runs of 1 or 2, in rows and columns added up */
	uint64_t lone[2];    /* runs of 1 with a left and a right neighbour, L != R; by enum line */
	uint64_t between[2]; /* of these, those with L < m < R or L > m > R */
	/* Where an offender is, an id that is neither a class nor ignored; NO_INDEX and 0 for all other ids. */
	uint64_t first_index;    /* row-major index of the first one; of a text, PLACE_OF_TEXT */
	uint32_t x0, y0, x1, y1; /* inclusive bounding box; of pictures only */
};

/*
 * The worst pixel of those that `between` counts: the one with the largest gap |L - R|; of several such, the first in
 * row-major order; if that one is between in its row and in its column, the row counts. key is 0 if there is none, else
 * gap << 48 | (2^47 - 1 - index) << 1 | (is row), with gap at most 65535: the largest key wins, in whatever order
 * pixels are looked at.
 */
struct worst_place {
	uint64_t key;
	int64_t left, id, right; /* L, m, R there */
};
#define WORST_INDEX_BITS 47
#define WORST_INDEX_MASK (((uint64_t)1 << WORST_INDEX_BITS) - 1)

/* Multi-channel files only; zero elsewhere. */
struct channel_stats {
	uint64_t pixels;
	uint64_t unequal_pixels;       /* the colour channels differ (alpha aside) */
	uint64_t one_hot_pixels;       /* exactly one colour channel > 0 */
	uint64_t blank_pixels;         /* no colour channel > 0 */
	uint64_t mixed_pixels;         /* some channel is neither 0 nor `peak` */
	uint32_t peak;                 /* the largest colour sample: 1, 255, 65535 ... */
	uint32_t alpha_min, alpha_max; /* 0 without alpha */
	uint32_t colours_cut;          /* 1: more than COLOURS_MAX distinct colours; the slice is then empty */
};
/* A colour-coded mask has tens of colours; an overlay or a photograph has thousands. */
enum { COLOURS_MAX = 4096 };

/* What the elements of an array are. It is always exactly one of these, so that exactly one rule speaks of it. */
enum array_use {
	ARRAY_IDS = 0,
	ARRAY_ONE_HOT,     /* class axis: one element of each place is on */
	ARRAY_MULTI_LABEL, /* class axis: elements are on or off, several in some places, or none */
	ARRAY_SOFT,        /* class axis: shares that add up to 1 */
	ARRAY_VALUES,      /* measured values: fractions, NaN, infinity */
};

/* An axis of an array whose length is the number of classes, or one more or less: what lies along it at each place. */
struct class_axis {
	uint32_t axis, classes; /* which axis, and its length; 0 classes: there is no such axis */
	uint32_t most;          /* the most elements at one place that are not 0; 255 stands for more */
	uint32_t examined;      /* 1: to the end of the array; else given up, because of values that do not fit */
	uint64_t places;        /* looked at: all of them, or the first AXIS_PLACES_MAX of each picture */
	uint64_t one, none;     /* places where exactly one element is not 0; where none is */
	uint64_t sums;          /* places where the elements add up to 1 within 0.001 (floats only) */
};
enum { AXIS_PLACES_MAX = 1 << 21 };

/* Arrays only. Places are row-major indices. */
struct array_stats {
	uint32_t use;              /* enum array_use */
	uint32_t reserved;         /* 0 */
	uint64_t elements;         /* of the header */
	uint64_t beyond;           /* integers that no int64 holds; counted as INT64_MAX */
	uint64_t beyond_first;     /* place of the first, or NO_INDEX */
	uint64_t beyond_value;     /* that one, of a uint64; 0 of a float */
	uint64_t nan, infinite;    /* of floats; these are in no other count */
	uint64_t nan_first;        /* place of the first NaN or infinity, or NO_INDEX */
	uint64_t fractions;        /* values that are no integers */
	uint64_t fractions_of_255; /* of those: k / 255, of 0..1, within rounding */
	uint64_t fraction_first;   /* place of the first, or NO_INDEX */
	double fraction_least;     /* the smallest |value| of them; 0 if there are none */
	double min, max;           /* finite values; 0 if ids were counted instead */
	struct class_axis axis;    /* the one from which `use` follows; else zero */
};

struct label_stats {
	uint64_t labels;        /* ids measured: width * height of a mask; 0 for a multi-channel file */
	int64_t min, max;       /* over all labels; 0 if labels == 0 */
	uint32_t width, height; /* 0 where ids lie in no grid */
	uint32_t colours;       /* 1: the slice holds colours, not ids, and `channels` the facts; of an array too */
	uint32_t no_ids;        /* 1: an array whose elements are no ids (array.use); labels and the slice are empty */
	uint32_t neighbours;    /* 1: the neighbourhood counters were measured */
	/*
	 * 0: one mask. Else this is a stack of masks, the neighbourhood counters are sums over its planes, and so many
	 * of them (at least 1) hold two ids or more. width and height are 0 then, and `worst` is a place in the array.
	 */
	uint32_t planes;
	/* Which sample values 0..255 occur, before the view is applied: bit v % 64 of word v / 64. One channel, depth
	 * <= 8. */
	uint64_t raw_used[4];
	uint64_t ids_at, ids_count;                        /* slice of the batch's id_stats */
	uint64_t edges[2], wide_edges[2], long_between[2]; /* by enum line: E, X, K */
	uint64_t bogus_pixels;
	/* The key of the ids and their places (content_key.h); 0, 0 for a multi-channel file. Not merged. */
	uint64_t content[2];
	struct worst_place worst;
	/* Facts of one kind of file; the sample's format says of which. Zero where there are none. */
	union {
		struct channel_stats channels; /* pictures, and arrays that hold one (colours) */
		struct array_stats array;      /* other arrays: sample_is_array() */
		struct list_stats list;        /* lists of labels */
		struct box_stats boxes;        /* YOLO texts */
		struct coco_stats coco;        /* FORMAT_COCO */
	};
};

#endif
