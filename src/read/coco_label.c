#include "read/coco_label.h"

#include "base/mem.h"

#define AWAY_LEAST 2.0 /* pixels */

/* Checks the keypoints of an annotation. image: NULL if it is unknown. */
static void judge_keypoints(struct coco_file *f, const struct coco_label *a, const struct coco_image *image, int64_t id,
			    const struct coco_place *place)
{
	const struct keypoint_facts *k = &a->keypoints.facts;
	const struct coco_box *b = &a->box;

	if (!a->keypoints.given)
		return;
	if (!a->keypoints.readable) {
		coco_note(f, COCO_BAD_KEYPOINTS, id, place);
		return;
	}
	f->facts.poses++;
	f->facts.labelled_poses += k->labelled > 0;
	if (!a->has_visible)
		coco_note(f, COCO_LACKS_VISIBLE, id, place);
	if (b->readable &&
	    keypoints_are_away(k, (const double[4]){ b->x, b->y, b->x + b->width, b->y + b->height }, AWAY_LEAST))
		coco_note(f, COCO_KEYPOINTS_AWAY, id, place);
	if (k->at_origin)
		coco_note(f, COCO_KEYPOINT_ORIGIN, id, place);
	if (a->keypoints.bad_visibility)
		coco_note(f, COCO_VISIBILITY, id, place);
	else if (a->has_visible && a->visible != k->labelled)
		coco_note(f, a->visible && k->labelled ? COCO_VISIBLE_NUMBER : COCO_VISIBLE_NONE, id, place);
	if (k->labelled && image && image->width && image->height &&
	    (k->left < -GEOMETRY_PIXEL || k->top < -GEOMETRY_PIXEL || k->right > image->width + GEOMETRY_PIXEL ||
	     k->bottom > image->height + GEOMETRY_PIXEL))
		coco_note(f, COCO_KEYPOINT_OUTSIDE, id, place);
}

/* Notes what trainers and pycocotools read, and an annotation lacks. */
static void note_lacking(struct coco_file *f, const struct coco_label *a, int64_t id, const struct coco_place *place)
{
	if (!a->box.given && !a->has_area && !a->has_crowd && !a->shape.given && !a->keypoints.given) {
		coco_note(f, COCO_WHOLE_IMAGE, id, place);
		return;
	}
	if (!a->box.given)
		coco_note(f, COCO_LACKS_BOX, id, place);
	if (!a->has_area)
		coco_note(f, COCO_LACKS_AREA, id, place);
	if (!a->has_crowd)
		coco_note(f, COCO_LACKS_CROWD, id, place);
	if (a->bad_crowd)
		coco_note(f, COCO_BAD_CROWD, id, place);
}

/* Returns whether runs are those of an image of another size. */
static bool has_other_size(const struct coco_shape *shape, const struct coco_image *image)
{
	return shape->run_height && image && image->height && image->width &&
	       (shape->run_height != image->height || shape->run_width != image->width);
}

/* Compares box, shape and area of a label. The box has an area. compared: the shape is of this image. */
static void compare_shape(struct coco_file *f, const struct coco_label *a, const struct box_facts *box, bool compared,
			  int64_t id, const struct coco_place *place)
{
	struct shape_facts shape = a->shape.shape;
	unsigned found;

	if (a->shape.no_rows) {
		shape.top = box->v[1];
		shape.bottom = box->v[1] + box->v[3];
	}
	const bool has_area = a->has_area && !a->bad_area && !a->is_crowd;

	found = geometry_compare(box, a->shape.measured && compared ? &shape : NULL,
				 has_area && a->area > 0 ? a->area : -1, &f->facts.shapes);
	if (has_area && a->area == 0)
		coco_note(f, COCO_ZERO_AREA, id, place);
	for (; found; found &= found - 1)
		coco_note(f, COCO_SHAPE_OFF_BOX + (unsigned)__builtin_ctz(found), id, place);
}

bool coco_box_facts(const struct coco_label *a, const struct coco_image *image, struct box_facts *out)
{
	const struct coco_box *b = &a->box;
	const struct shape_facts *s = &a->shape.shape;

	if (b->given ? !b->readable : !a->shape.measured || !(s->area > 0))
		return false;
	*out = (struct box_facts){ .v = { b->x, b->y, b->width, b->height }, .numbers = BOX_CORNER_SIZE };
	if (!b->given) /* the shape may be outside */
		*out = (struct box_facts){ .v = { s->left, s->top, s->right, s->bottom },
					   .numbers = BOX_CORNERS,
					   .unwritten = true };
	if (image && image->width && image->height) {
		out->width = image->width;
		out->height = image->height;
	}
	return true;
}

void coco_judge_box(struct coco_file *f, const struct coco_label *a, const struct coco_image *image, int64_t id,
		    const struct coco_place *place)
{
	struct box_facts box;

	if (a->box.given && !a->box.readable)
		coco_note(f, COCO_BAD_BOX, id, place);
	const bool placed = coco_box_facts(a, image, &box);
	unsigned found = placed ? geometry_judge(&box, &f->facts.boxes) : 0;

	/* that of a box of negative size, which says so, is its product */
	if (a->bad_area && !(found & 1u << GEOMETRY_INVERTED))
		coco_note(f, COCO_BAD_AREA, id, place);
	if (placed && a->box.given && !(found & (1u << GEOMETRY_NO_AREA | 1u << GEOMETRY_INVERTED)))
		compare_shape(f, a, &box, !has_other_size(&a->shape, image), id, place);
	for (; found; found &= found - 1)
		coco_note(f, COCO_BOX_NO_AREA + (unsigned)__builtin_ctz(found), id, place);
}

void coco_judge_label(struct coco_file *f, const struct coco_label *a, const struct coco_image *image, int64_t id,
		      const struct coco_place *place)
{
	const struct coco_shape *shape = &a->shape;

	if (shape->bad_polygon)
		coco_note(f, COCO_BAD_POLYGON, id, place);
	else if (shape->flat_polygon)
		coco_note(f, COCO_FLAT_POLYGON, id, place);
	if (shape->crossing)
		coco_note(f, COCO_CROSSING, id, place);
	if (shape->bad_runs)
		coco_note(f, COCO_BAD_RLE, id, place);
	else if (has_other_size(shape, image))
		coco_note(f, COCO_RLE_SIZE, id, place);
	f->facts.shaped += shape->given;
	if (!shape->given)
		coco_note(f, COCO_NO_SHAPE, id, place);
	note_lacking(f, a, id, place);
	coco_judge_box(f, a, image, id, place);
	judge_keypoints(f, a, image, id, place);
}
