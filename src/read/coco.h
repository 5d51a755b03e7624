/*
 * Reads COCO annotation files: instances, keypoints, panoptic; also as Roboflow, CVAT and Label Studio write them.
 *
 * Format: https://cocodataset.org/#format-data: an object with the lists `images` (id, width, height, file_name),
 * `annotations` (id, image_id, category_id, bbox [x, y, width, height], segmentation: polygons or RLE, area, iscrowd,
 * keypoints, num_keypoints) and `categories` (id, name, supercategory, keypoints), in any order. Panoptic annotations
 * have file_name and segments_info instead, each segment with id, category_id, area and bbox. Unknown keys are skipped.
 *
 * The file is read as a stream (base/json_pull.h). Memory holds the id and size of each image (16 to 32 bytes), boxes
 * (56 bytes each, of at most a million), the annotation ids (a bit each) and the categories. Annotations that come
 * before the images are read in a second pass. The process reads one large file at a time, so that memory is bounded
 * with any number of threads. NaN and Infinity, which Python writes although JSON has no such numbers, are accepted and
 * counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "read/coco_file.h"
#include "read/coco_label.h"
#include "read/input.h"
#include "read/listed_images.h"

/* One segment of a panoptic annotation. */
struct coco_segment {
	uint64_t id;
	uint64_t area;
	bool has_area;
};

/* A complete panoptic annotation. */
struct coco_panoptic {
	uint64_t line, column;
	const char *file_name;  /* NUL-terminated; "" if there is none */
	uint32_t width, height; /* of its image; 0 if unknown */
	const struct coco_segment *segments;
	size_t segments_count;
};

/* Where an annotation and the value of its bbox are written. */
struct coco_span {
	uint64_t at, size;
	uint64_t box_at;
	size_t box_size;
};

/* Functions that are called while a file is read; each may be NULL. */
struct coco_hook {
	/* For each panoptic annotation. May count troubles in file->facts (coco_note). */
	void (*panoptic)(void *context, const struct coco_panoptic *annotation, struct coco_file *file);
	/*
	 * For each category id that is an integer, of an annotation, a segment or, if `listed`, a category: it is
	 * written in the n bytes at `at` of the file. Lists of annotations come in the order of the file, but not
	 * before the images.
	 */
	void (*category)(void *context, int64_t id, bool listed, uint64_t at, size_t n);
	/* For each annotation but those of segments; image: NULL if it is unknown. In the same order. */
	void (*label)(void *context, const struct coco_label *label, const struct coco_image *image,
		      const struct coco_span *span);
	/* For each image with a file_name. */
	void (*image)(void *context, const struct listed_image *image);
	void *context;
};

/* Reads `in` from its beginning into f, which must be empty. hook may be NULL. Returns false if *fault is set. */
bool coco_read(struct coco_file *f, struct input *in, const struct coco_hook *hook, struct fault *fault);
