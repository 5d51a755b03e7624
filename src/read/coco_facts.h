/*
 * struct coco_facts: the troubles found in one COCO file. struct coco_map: its categories and their classes. Plain
 * data.
 *
 * Each kind of trouble has a count and the position of the first: the line and column, from 1, where that annotation,
 * image or category begins. Columns are in bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/geometry.h"

enum coco_trouble {
	/* references and ids; `id` is the wrong one */
	COCO_UNKNOWN_CATEGORY, /* annotations whose category_id is in no category */
	COCO_UNKNOWN_IMAGE,    /* annotations whose image_id is in no image */
	COCO_SAME_ANNOTATION,  /* annotations with the id of an earlier one */
	COCO_SAME_IMAGE,
	COCO_SAME_CATEGORY,
	COCO_SAME_NAME, /* categories with the name of another */
	COCO_LIKE_NAME, /* the same, but for case, blanks, hyphens and underscores */
	/* unreadable values; `id` is the annotation's, if it has one */
	COCO_NOT_AN_OBJECT, /* elements of a list that should be objects */
	COCO_BAD_ID,        /* ids that are not 64-bit integers: 1.5, -0, null ... */
	COCO_NO_REFERENCE,  /* annotations without id, category_id or image_id */
	COCO_BAD_SIZE,      /* images whose width or height is not a positive integer */
	COCO_BAD_BOX,       /* not four finite numbers below GEOMETRY_LIMIT */
	COCO_BAD_AREA,      /* negative, or not a finite number */
	COCO_BAD_CROWD,     /* iscrowd that is not 0, 1, true or false */
	COCO_FLAT_POLYGON,  /* its coordinates are the list of polygons itself: [x, y, ...] for [[x, y, ...]] */
	COCO_BAD_POLYGON,   /* an odd number of coordinates, fewer than three points, or not finite numbers */
	COCO_BAD_RLE,       /* runs that do not add up to height * width, or no runs at all */
	COCO_RLE_SIZE,      /* runs of another size than the image's */
	/* keypoints: x, y, visibility of each */
	COCO_BAD_KEYPOINTS,    /* no list of three finite numbers each */
	COCO_KEYPOINTS_NUMBER, /* annotations with more or fewer than their category names */
	COCO_VISIBILITY,       /* annotations with a visibility that is not 0, 1 or 2 */
	COCO_VISIBLE_NONE,     /* annotations whose num_keypoints, or number of labelled keypoints, alone is 0 */
	COCO_VISIBLE_NUMBER,   /* annotations of which these two numbers differ, but neither is 0 */
	/* readable boxes */
	/* in the order of enum box_trouble */
	COCO_BOX_NO_AREA,
	COCO_BOX_INVERTED,
	COCO_BOX_OUTSIDE,
	COCO_BOX_AWAY,
	COCO_KEYPOINT_OUTSIDE, /* annotations with a keypoint that is labelled and outside by more than a pixel */
	COCO_NO_SHAPE,         /* annotations without a segmentation, in a file where others have one */
	/* annotations whose parts contradict each other; the first in the order of enum shape_trouble */
	COCO_SHAPE_OFF_BOX,
	COCO_SHAPE_NOTHING,
	COCO_SHAPE_AREA,
	COCO_ZERO_AREA,       /* with an area of 0 */
	COCO_CROSSING,        /* with a polygon whose edges cross */
	COCO_KEYPOINTS_AWAY,  /* with all labelled keypoints outside the box */
	COCO_KEYPOINT_ORIGIN, /* with a labelled keypoint at 0, 0 */
	/* boxes that repeat one of their image; in the order of enum box_pair */
	COCO_SAME_BOX,
	COCO_NEAR_BOX,
	COCO_OTHER_CLASS,
	/* annotations and images without a key, or with null */
	COCO_WHOLE_IMAGE, /* annotations with no more than ids */
	COCO_LACKS_BOX,
	COCO_LACKS_AREA,
	COCO_LACKS_CROWD,
	COCO_LACKS_VISIBLE,     /* num_keypoints, of annotations with keypoints */
	COCO_LACKS_POINT_NAMES, /* categories without keypoints, of annotations that have some */
	COCO_LACKS_SIZE,
	COCO_LACKS_CLASS_NAME, /* categories */
	COCO_LACKS_NAME,
	/* file names of images */
	COCO_SAME_FILE,     /* images with the name of an earlier one */
	COCO_ABSOLUTE_NAME, /* from the root of a file system */
	COCO_CLIMBING_NAME, /* with .. in it */
	COCO_CONTROL_NAME,  /* with control bytes or NUL */
	COCO_BACKSLASH_NAME,
	/* the text */
	COCO_BOM,
	COCO_DECIMAL_ID, /* ids written as 3.0, which are 3 */
	COCO_TEXT_ID,    /* ids that are strings */
	COCO_NON_FINITE, /* NaN, Infinity */
	COCO_SAME_KEY,   /* keys that occur twice in their object */
	COCO_BAD_TEXT,   /* strings that are not UTF-8, or with half a surrogate pair */
	COCO_LONG_TEXT,  /* names longer than COCO_NAME_MAX bytes */
	/* panoptic: segments of the JSON against the colours of the PNG */
	COCO_PNG_MISSING,     /* PNGs that do not exist or cannot be read */
	COCO_PNG_SIZE,        /* PNGs of another size than their image */
	COCO_SEGMENT_NOT_PNG, /* segments without a pixel */
	COCO_SEGMENT_UNKNOWN, /* pixel ids that are no segment */
	COCO_SAME_SEGMENT,    /* segments of one image with the same id */
	COCO_SEGMENT_AREA,    /* segments whose area is not their number of pixels */
	COCO_TROUBLES,
};

/* Where an annotation, image or category is, and its key (base/key_set.h): by its id, or by its place without one. */
struct coco_place {
	uint64_t line, column, key;
};

struct coco_trouble_count {
	uint64_t count;
	/* of the first one */
	int64_t id;
	uint64_t line, column; /* 0: unknown */
};

struct coco_facts {
	uint64_t images, annotations, categories; /* listed; in a panoptic file, annotations are segments */
	uint64_t pngs;                            /* panoptic PNGs that were compared */
	uint64_t crowds, shaped;             /* annotations with iscrowd: 1; with a segmentation that is not empty */
	uint64_t poses, labelled_poses;      /* annotations with keypoints; those with a labelled one */
	uint64_t distinct_images, annotated; /* images with ids of their own; those with an annotation */
	uint64_t uncompared;                 /* boxes that were not compared with all others of their image */
	uint32_t panoptic;                   /* 1: annotations have segments_info */
	uint32_t is_lvis;                    /* 1: images have the keys of LVIS, whose annotations have no iscrowd */
	/* 1: the file has the key */
	uint32_t has_images, has_annotations, has_categories;
	struct coco_trouble_count trouble[COCO_TROUBLES];
	struct box_tally boxes;
	struct shape_tally shapes;
};

/* ---- the map from categories to classes -------------------------------------------------------------------------- */

enum {
	COCO_MAP_MAX = 256,         /* a finding lists no more ids than this */
	COCO_MAP_LISTED_MAX = 4096, /* categories that are compared with those of other files; LVIS has 1203 */
	COCO_MAP_NAME = 48,         /* bytes, NUL included */
};

struct coco_map_entry {
	int64_t id;
	int64_t class_id; /* its class, if it has one */
	bool has_class;
	uint64_t labels;
	char name[COCO_MAP_NAME]; /* "" if it has none; arbitrary bytes but NUL */
};

/*
 * The categories of one COCO file and their classes, for the rules: the first COCO_MAP_LISTED_MAX, and
 * COCO_MAP_MAX unknown ids.
 * One block of memory; owner: the worker that measured the file, until it has been judged.
 */
struct coco_map {
	struct coco_map *next; /* of the owner's list */
	size_t listed_count;   /* entries first; sorted by id */
	size_t unknown_count;  /* entries after them: ids of annotations that are no category; sorted by id */
	struct coco_map_entry entries[];
};
