/* Annotations: their references, shapes, and the segments of panoptic ones. */
#include "base/mem.h"
#include "read/coco_reading.h"

/* ---- annotations ------------------------------------------------------------------------------------------------ */

static bool read_area(struct reading *r, struct labelled *a)
{
	enum json_token token = json_next(&r->json);

	a->area = token == JSON_NUMBER ? json_number_double(&r->json.number) : -1;
	a->has_area = token == JSON_NUMBER;
	/* written so that NaN is bad as well */
	a->bad_area = token != JSON_NULL && !(a->area >= 0 && a->area < 1e300);
	return json_skip(&r->json, token);
}

static void count_label(struct reading *r, struct coco_category *c)
{
	if (!c->labels++) {
		c->line = r->line;
		c->column = r->column;
	}
	r->file->facts.annotations++;
}

/* The category of a label. False: over a limit. */
static bool take_category(struct reading *r, const struct labelled *a, int64_t id)
{
	struct coco_category *c;

	if (a->category.type == COCO_ID_INTEGER) {
		c = reading_find_category(r, (int64_t)a->category.bits);
		if (c)
			count_label(r, c);
		return c;
	}
	reading_note(r, a->has_category ? COCO_BAD_ID : COCO_NO_REFERENCE, id);
	r->file->facts.annotations++;
	return true;
}

/* image: NULL if it is unknown. */
static void take_box(struct reading *r, const struct labelled *a, const struct coco_image *image, int64_t id)
{
	const struct coco_box *b = &a->box;
	/* Box edges are pixel edges for some tools and pixel centres for others: a pixel apart. */
	static const double tolerance = 1;

	if (a->bad_area)
		reading_note(r, COCO_BAD_AREA, id);
	if (!b->given)
		return;
	if (!b->readable) {
		reading_note(r, COCO_BAD_BOX, id);
		return;
	}
	if (b->width <= 0 || b->height <= 0)
		reading_note(r, COCO_EMPTY_BOX, id);
	if (!image || !image->width || !image->height)
		return;
	if (b->x < -tolerance || b->y < -tolerance || b->x + b->width > image->width + tolerance ||
	    b->y + b->height > image->height + tolerance)
		reading_note(r, COCO_BOX_OUTSIDE, id);
}

/* The keys that annotations and segments share. *known: it is one of these, and read. */
static bool read_shared_key(struct reading *r, struct labelled *a, unsigned *seen, bool *known)
{
	struct json_pull *json = &r->json;

	*known = true;
	if (json_text_is(json, "id")) {
		reading_key(r, seen, 0, 0);
		a->has_id = true;
		return reading_id(r, &a->id);
	}
	if (json_text_is(json, "category_id")) {
		reading_key(r, seen, 1, id_to_say(a->id));
		a->has_category = true;
		return reading_id(r, &a->category);
	}
	if (json_text_is(json, "bbox")) {
		reading_key(r, seen, 2, id_to_say(a->id));
		return coco_read_box(json, &a->box);
	}
	if (json_text_is(json, "area")) {
		reading_key(r, seen, 3, id_to_say(a->id));
		return read_area(r, a);
	}
	*known = false;
	return true;
}

/* The list of a panoptic annotation: kept until its image is known. */
static bool read_segments(struct reading *r)
{
	struct json_pull *json = &r->json;
	enum json_token token = json_next(json);

	r->parts_count = 0;
	if (token != JSON_ARRAY) {
		reading_note(r, COCO_NOT_AN_OBJECT, 0);
		return json_skip(json, token);
	}
	while ((token = json_next(json)) != JSON_ARRAY_END) {
		struct labelled part = { 0 };
		unsigned seen = 0;
		bool known;

		if (token != JSON_OBJECT) {
			reading_note(r, COCO_NOT_AN_OBJECT, 0);
			if (!json_skip(json, token))
				return false;
			continue;
		}
		while ((token = json_next(json)) != JSON_OBJECT_END) {
			if (token == JSON_FAULT || !read_shared_key(r, &part, &seen, &known) ||
			    (!known && !json_skip_next(json)))
				return false;
		}
		if (r->parts_count == COCO_SEGMENTS_MAX) {
			fault_set(r->fault, FAULT_LIMIT, json->token_offset,
				  "more than %d segments in one annotation, which is the most that is read",
				  COCO_SEGMENTS_MAX);
			return false;
		}
		GROW(r->parts, r->parts_cap, r->parts_count + 1);
		r->parts[r->parts_count++] = part;
	}
	return true;
}

/* The image of an annotation; NULL if it is not known, which is counted. */
static const struct coco_image *take_image(struct reading *r, const struct labelled *a, int64_t id)
{
	const struct coco_image *image;

	if (a->image.type == COCO_ID_NONE) {
		reading_note(r, a->has_image ? COCO_BAD_ID : COCO_NO_REFERENCE, id);
		return NULL;
	}
	if (!r->file->facts.has_images) {
		r->file->facts.images_unchecked = 1;
		return NULL;
	}
	image = coco_images_find(&r->images, a->image);
	if (!image)
		reading_note(r, COCO_UNKNOWN_IMAGE, id_to_say(a->image));
	return image;
}

static bool take_segments(struct reading *r, const struct coco_image *image)
{
	struct coco_panoptic all = { r->line, r->column, r->file_name.s, 0, 0, NULL, r->parts_count };

	GROW(r->segments, r->segments_cap, r->parts_count + 1);
	for (size_t i = 0; i < r->parts_count; i++) {
		const struct labelled *part = &r->parts[i];
		int64_t id = id_to_say(part->id);

		if (part->id.type != COCO_ID_INTEGER)
			reading_note(r, COCO_BAD_ID, id);
		if (!take_category(r, part, id))
			return false;
		take_box(r, part, image, id);
		r->segments[i] =
			(struct coco_segment){ .id = part->id.bits, .has_area = part->has_area && !part->bad_area };
		if (r->segments[i].has_area)
			r->segments[i].area = part->area < 1e15 ? (uint64_t)part->area : UINT64_MAX;
	}
	all.segments = r->segments;
	if (image) {
		all.width = image->width;
		all.height = image->height;
	}
	if (r->hook)
		r->hook->panoptic(r->hook->context, &all, r->file);
	return true;
}

static bool take_annotation(struct reading *r, const struct labelled *a, bool panoptic)
{
	int64_t id = id_to_say(a->id);
	const struct coco_image *image = take_image(r, a, id);

	if (panoptic)
		return take_segments(r, image);
	if (a->id.type == COCO_ID_NONE)
		reading_note(r, a->has_id ? COCO_BAD_ID : COCO_NO_REFERENCE, 0);
	if (a->id.type != COCO_ID_NONE)
		switch (id_set_add(&r->annotation_ids, a->id.type, a->id.bits)) {
		case ID_SET_THERE:
			reading_note(r, COCO_SAME_ANNOTATION, id);
			break;
		case ID_SET_FULL:
			r->file->facts.ids_unchecked = 1;
			break;
		case ID_SET_NEW:
			break;
		}
	if (a->shape.bad_polygon)
		reading_note(r, COCO_BAD_POLYGON, id);
	if (a->shape.bad_runs || (a->shape.run_height && image && image->height && image->width &&
				  (a->shape.run_height != image->height || a->shape.run_width != image->width)))
		reading_note(r, COCO_BAD_RLE, id);
	take_box(r, a, image, id);
	return take_category(r, a, id);
}

bool coco_read_annotation(struct reading *r)
{
	struct json_pull *json = &r->json;
	struct labelled a = { 0 };
	enum json_token token;
	bool panoptic = false, known;
	unsigned seen = 0;

	strbuf_clear(&r->file_name);
	while ((token = json_next(json)) != JSON_OBJECT_END) {
		if (token == JSON_FAULT || !read_shared_key(r, &a, &seen, &known))
			return false;
		if (known)
			continue;
		if (json_text_is(json, "image_id")) {
			reading_key(r, &seen, 4, id_to_say(a.id));
			a.has_image = true;
			if (!reading_id(r, &a.image))
				return false;
		} else if (json_text_is(json, "segmentation")) {
			reading_key(r, &seen, 5, id_to_say(a.id));
			if (!coco_read_segmentation(json, &a.shape))
				return false;
		} else if (json_text_is(json, "segments_info")) {
			reading_key(r, &seen, 6, id_to_say(a.id));
			panoptic = true;
			r->file->facts.panoptic = 1;
			if (!read_segments(r))
				return false;
		} else if (json_text_is(json, "file_name")) {
			reading_key(r, &seen, 7, id_to_say(a.id));
			if (!reading_name(r, &token))
				return false;
			if (token == JSON_STRING && json->text_len <= COCO_NAME_MAX) {
				reading_check_file_name(r, json->text, json->text_len, id_to_say(a.id));
				strbuf_add(&r->file_name, json->text, json->text_len);
			}
		} else if (!json_skip_next(json)) {
			return false;
		}
	}
	return take_annotation(r, &a, panoptic);
}
