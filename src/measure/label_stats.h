/*
 * struct label_stats: the measurements of one label file.
 *
 * All numbers are exact. The struct has a fixed size and holds no pointers, so that backends are compared with memcmp.
 * Files, shards and machines are merged by adding the counts and taking the smaller min, the larger max and the larger
 * `worst`. The ids (or colours) of a file are a slice of struct id_stats, sorted by id, in an array that the batch
 * owns.
 *
 * Ids are those of the audited view (base/settings.h). A multi-channel file has no ids: `colours` is set, and its slice
 * holds its distinct colours (id = 0xRRGGBB; of 16-bit samples the high bytes). With a table of colours it has ids, and
 * `coded` is set (measure/coded.h).
 *
 * Neighbourhood counters. A line is a row (LINE_ROW) or a column (LINE_COLUMN), and a sequence of maximal runs of equal
 * ids. A run has the id m, the length len, and the ids L and R of the runs before and after it; the first run of a line
 * has no L, the last one no R. For each run of each line, with d the direction:
 *
 *     if len <= 2: thin[m] += len                    (both directions; runs at the border, too)
 *     if there is an R: edges[d] += 1; if |m - R| >= 2: wide_edges[d] += 1
 *     if there are an L and an R, and L != R:
 *         between = L < m < R or L > m > R
 *         if len == 1: lone[d][m] += 1; if between: between[d][m] += 1
 *         else if between: long_between[d] += 1
 *
 * between_pixels counts the pixels with len == 1 and between in their row or in their column, or in both.
 */
#pragma once

#include <stdint.h>

#include "read/coco_facts.h"
#include "read/list.h"
#include "read/yolo.h"

enum line { LINE_ROW = 0, LINE_COLUMN = 1 };

/* An index that does not exist. */
#define NO_INDEX UINT64_MAX
/* A place in a text, as one number that grows with the place. Line and column count from 1; the column saturates. */
#define PLACE_COLUMN_BITS 30
#define PLACE_COLUMN_MAX  (((uint64_t)1 << PLACE_COLUMN_BITS) - 1)
#define PLACE_OF_TEXT(line, column) \
	((uint64_t)(line) << PLACE_COLUMN_BITS | ((column) < PLACE_COLUMN_MAX ? (uint64_t)(column) : PLACE_COLUMN_MAX))

struct id_stats {
	int64_t id;
	uint64_t labels;     /* labels with this id; > 0 */
	uint64_t thin;       /* pixels in runs of 1 or 2; rows and columns added up */
	uint64_t lone[2];    /* by enum line: runs of 1 with L != R */
	uint64_t between[2]; /* those of them with L < m < R or L > m > R */
	/* Set for offenders, ids that are neither a class nor ignored; NO_INDEX and 0 for all other ids. */
	uint64_t first_index;    /* row-major index of the first label; in a text, PLACE_OF_TEXT */
	uint32_t x0, y0, x1, y1; /* inclusive bounding box; masks only */
};

/*
 * The pixel counted by `between` with the largest gap |L - R|. The first one in row-major order wins a tie; if that one
 * is between in its row and in its column, the row is reported. key is gap << 48 | (2^47 - 1 - index) << 1 | (is row),
 * with gap at most 65535, or 0 if there is no such pixel: the largest key wins, in whatever order pixels are measured.
 */
struct worst_place {
	uint64_t key;
	int64_t left, id, right; /* L, m, R of that pixel */
};
#define WORST_INDEX_BITS 47
#define WORST_INDEX_MASK (((uint64_t)1 << WORST_INDEX_BITS) - 1)

static inline uint64_t worst_key(uint64_t gap, uint64_t index, unsigned is_row)
{
	return gap << (WORST_INDEX_BITS + 1) | (WORST_INDEX_MASK - index) << 1 | is_row;
}

static inline uint64_t worst_key_gap(uint64_t key)
{
	return key >> (WORST_INDEX_BITS + 1);
}

static inline uint64_t worst_key_index(uint64_t key)
{
	return WORST_INDEX_MASK - (key >> 1 & WORST_INDEX_MASK);
}

/* Facts of a multi-channel file. Colour samples are those of all channels but alpha. */
struct channel_stats {
	uint64_t pixels;
	uint64_t unequal_pixels;       /* the colour samples differ */
	uint64_t one_hot_pixels;       /* exactly one colour sample > 0 */
	uint64_t blank_pixels;         /* no colour sample > 0 */
	uint64_t mixed_pixels;         /* some colour sample is neither 0 nor `peak` */
	uint32_t peak;                 /* the largest colour sample: 1, 255, 65535 ... */
	uint32_t alpha_min, alpha_max; /* 0 without alpha */
	uint32_t colours_cut;          /* 1: more than COLOURS_MAX distinct colours; the slice is empty */
};
/* A colour-coded mask has tens of colours; an overlay or a photograph has thousands. */
enum { COLOURS_MAX = 4096 };

/* The meaning of an array's elements: always exactly one of these, so that exactly one rule reports it. */
enum array_use {
	ARRAY_IDS = 0,
	ARRAY_ONE_HOT,     /* class axis: exactly one element of each place is on */
	ARRAY_MULTI_LABEL, /* class axis: elements are on or off; a place may have several on, or none */
	ARRAY_SOFT,        /* class axis: shares that add up to 1 */
	ARRAY_VALUES,      /* measured values: fractions, NaN, infinity */
};

/* An axis about as long as there are classes, and the facts about the elements along it at each place. */
struct class_axis {
	uint32_t axis, classes; /* the axis and its length; length 0: there is no such axis */
	uint32_t most;          /* the most elements of one place that are not 0; 255 stands for more */
	uint32_t examined;      /* 1: to the end of the array; 0: given up, because some values do not fit */
	uint64_t places;        /* examined: all, or the first AXIS_PLACES_MAX of each image */
	uint64_t one, none;     /* places where exactly one element is not 0; places where all are 0 */
	uint64_t sums;          /* places where the elements add up to 1 within 0.001 (floats only) */
};
enum { AXIS_PLACES_MAX = 1 << 21 };

/* Facts of an array. Indices are row-major. */
struct array_stats {
	uint32_t use;              /* enum array_use */
	uint32_t reserved;         /* 0 */
	uint64_t elements;         /* as the header declares */
	uint64_t beyond;           /* integers that are no ids (base/label_id.h); counted as INT64_MAX */
	uint64_t beyond_first;     /* index of the first, or NO_INDEX */
	uint64_t beyond_value;     /* the first, if the array is uint64; 0 if it is float */
	uint64_t nan, infinite;    /* floats; they are in no other count */
	uint64_t nan_first;        /* index of the first NaN or infinity, or NO_INDEX */
	uint64_t fractions;        /* values that are not integers */
	uint64_t fractions_of_255; /* those of them that are k / 255 in 0..1, within rounding */
	uint64_t fraction_first;   /* index of the first, or NO_INDEX */
	double fraction_least;     /* the smallest |value| of them; 0 if there are none */
	double min, max;           /* of the finite values; 0 if ids were counted instead */
	/*
	 * A stream of tokens: how many of the first ids at even and at odd places are small, and the largest one if it
	 * were read as 16 bits (of types of 32 alone).
	 */
	uint64_t small[2], halves_max;
	struct class_axis axis; /* the one that decided `use`; else zero */
};

/* Faulty rows of a text: how many, and the PLACE_OF_TEXT of the first. */
struct row_tally {
	uint64_t rows, first;
};

static inline void row_tally_add(struct row_tally *tally, uint64_t place)
{
	if (!tally->rows++)
		tally->first = place;
}

/* Facts of a list of labels. */
struct list_stats {
	uint64_t rows;                        /* without header and blank lines; of lists in them, items */
	uint64_t lists;                       /* rows that hold a list of labels */
	struct row_tally faults[LIST_FAULTS]; /* by enum list_fault */
	uint64_t entries_full;                /* 1: more paths than are compared */
	uint64_t uncompared;                  /* boxes that were not compared with all others of their image */
	struct box_tally boxes;
};

/* Facts of a YOLO text. */
struct box_stats {
	uint64_t rows;
	uint64_t types[BOX_TYPES];           /* rows by enum box_type */
	struct row_tally faults[BOX_FAULTS]; /* by enum box_fault */
	struct row_tally other_type;         /* rows of another type than the first */
	uint64_t lacks_image;    /* 1: its image is missing; 2: but for one of another case; see read/yolo_layout.h */
	struct box_tally boxes;  /* of all types; of poses and polygons the boxes around them */
	struct box_tally beyond; /* of rows with BOX_RANGE that are no pixels */
	uint64_t uncompared;     /* boxes that were not compared with all others */
	double farthest;         /* the largest coordinate of BOX_RANGE, without its sign */
	uint64_t content; /* the sum of the hashes of its rows but those of round numbers; whatever their order */
};

/*
 * COCO category ids are names, not indices: COCO's 80 classes are numbered from 1 to 90. The ids audited are those that
 * training code would make of them:
 *   COCO_AS_LISTED              every listed id is declared by --classes; or none of the cases below
 *   COCO_MAPPED                 as many categories are listed as classes are declared, 0 to C-1: ids are mapped in
 *                               rising order, as detectron2, mmdetection and torchvision's loaders do
 *   COCO_MAPPED_WITHOUT_DUMMY   the same after leaving out number 0, which has no annotations (Roboflow's dummy)
 * Annotations of a category that is not listed have no id at all.
 */
enum coco_mapping { COCO_AS_LISTED, COCO_MAPPED, COCO_MAPPED_WITHOUT_DUMMY };

/* Facts of a COCO file. */
struct coco_stats {
	struct coco_facts facts;
	uint64_t listed;         /* distinct category ids */
	int64_t lowest, highest; /* of them */
	uint32_t mapping;        /* enum coco_mapping */
	uint32_t dummy;          /* 1: category 0 means nothing, see coco_category.is_dummy */
	uint32_t undeclared;     /* 1: some listed id, once mapped, is neither a class nor ignored */
	/* Categories named differently from the class that they become, and the first of them. */
	uint64_t renamed;
	int64_t renamed_id, renamed_class;
	/* Categories named as their class but for case, hyphens and underscores; the first one. */
	uint64_t respelled;
	int64_t respelled_id, respelled_class;
};

struct label_stats {
	uint64_t labels;        /* ids measured: width * height of a mask; 0 for a multi-channel file */
	int64_t min, max;       /* of all ids; 0 if labels == 0 */
	uint32_t width, height; /* 0 where ids lie in no grid */
	uint32_t colours;       /* 1: the slice holds colours and `channels` the facts; arrays may have these, too */
	uint32_t no_ids;        /* 1: an array whose elements are not ids (array.use); labels and the slice are empty */
	uint32_t neighbours;    /* 1: the neighbourhood counters were measured; of equal channels, those of one */
	/*
	 * 0: one mask. Else the file is a stack of masks, and this is the number of its planes with two ids or more, at
	 * least 1. The neighbourhood counters are sums over all planes, width and height are 0, and `worst` is an index
	 * in the array.
	 */
	uint32_t planes;
	uint32_t coded; /* 1: the ids are those of colours; COLOUR_ID(colour) if it is in no table */
	/* Bit v % 64 of word v / 64 is set if sample value v occurs, before the view. One channel of at most 8 bits. */
	uint64_t raw_used[4];
	uint64_t ids_at, ids_count;                        /* slice of the batch's id_stats */
	uint64_t edges[2], wide_edges[2], long_between[2]; /* by enum line */
	uint64_t between_pixels;
	uint64_t content[2]; /* content_key.h; 0, 0 for a multi-channel file. Not merged */
	struct worst_place worst;
	/* Facts of one kind of file, chosen by the sample's format. Zero where there are none. */
	union {
		struct channel_stats channels; /* `colours` is set */
		struct array_stats array;      /* other arrays: sample_is_array() */
		struct list_stats list;        /* FORMAT_LIST */
		struct box_stats boxes;        /* FORMAT_YOLO */
		struct coco_stats coco;        /* FORMAT_COCO */
	};
};
