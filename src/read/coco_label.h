/*
 * struct coco_label: the keys read of a COCO annotation or of a panoptic segment; and what is wrong with each of them,
 * and with one beside the other. Troubles are counted in the facts of the file. Plain data; for coco.c.
 */
#pragma once

#include "read/coco_file.h"
#include "read/coco_images.h"
#include "read/coco_shapes.h"

struct coco_label {
	struct coco_id id, image, category;
	bool has_id, has_image, has_category, has_area, bad_area;
	bool has_crowd, is_crowd, bad_crowd;
	bool has_visible;
	uint64_t visible; /* num_keypoints; UINT64_MAX: not a number of keypoints */
	double area;
	struct coco_box box;
	struct coco_shape shape;
	struct coco_keypoints keypoints;
};

/*
 * Fills the box of a label, or the box around its shape, which then is `unwritten`. image: NULL if it is unknown.
 * Returns false if there is none.
 */
bool coco_box_facts(const struct coco_label *a, const struct coco_image *image, struct box_facts *out);
/* Judges box and area. image: NULL if it is unknown. id: for reports. */
void coco_judge_box(struct coco_file *f, const struct coco_label *a, const struct coco_image *image, int64_t id,
		    const struct coco_place *place);
/* Judges all but the references of an annotation. */
void coco_judge_label(struct coco_file *f, const struct coco_label *a, const struct coco_image *image, int64_t id,
		      const struct coco_place *place);
