#include "read/coco.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/label_id.h"
#include "base/mem.h"
#include "base/table.h"
#include "read/box_pairs.h"
#include "read/coco_images.h"

struct coco_reader {
	struct json_pull json;
	struct coco_file *file;
	const struct coco_hook *hook;
	struct coco_images images;
	struct coco_id_set annotation_ids;
	struct box_pairs pairs;
	struct table categories;    /* indexes file->categories by id */
	struct hash_set file_names; /* of images, at most COCO_FILE_NAMES_MAX */
	/* segments of the current panoptic annotation; owned */
	struct coco_label *parts;
	size_t parts_count, parts_cap;
	struct coco_segment *segments;
	size_t segments_cap;
	struct strbuf file_name; /* of the current image or annotation */
	bool can_rewind;
	bool postponed;          /* annotations came before the images: read them in a second pass */
	bool last_pass;          /* the second pass: annotations alone */
	struct coco_place place; /* of the current object */
	struct coco_span span;   /* of the current annotation */
	struct fault *fault;
};

/* Counts a trouble at the current object. */
static void note(struct coco_reader *r, enum coco_trouble trouble, int64_t id)
{
	coco_note(r->file, trouble, id, &r->place);
}

/* The current object is known by its id, if it has one, else by its place. */
static void name_object(struct coco_reader *r, struct coco_id id)
{
	if (id.type != COCO_ID_NONE)
		r->place.key = key_of_numbers(id.bits, id.type);
}

/* Returns the id for a report: INT64_MAX for a large one, 0 for a string. */
static int64_t id_to_say(struct coco_id id)
{
	return id.type == COCO_ID_INTEGER ? (int64_t)id.bits : id.type == COCO_ID_LARGE ? INT64_MAX : 0;
}

/*
 * Reads objects, each with `read`, from after the bracket of their list. top: the list is a key of the root, so
 * troubles are reported at its elements.
 */
static bool read_objects(struct coco_reader *r, bool (*read)(struct coco_reader *r), bool top)
{
	enum json_token token;
	bool ok = true;

	while (ok && (token = json_next(&r->json)) != JSON_ARRAY_END) {
		if (top) {
			json_place(&r->json, &r->place.line, &r->place.column);
			r->place.key = key_of_numbers(r->place.line, r->place.column);
		}
		if (token == JSON_OBJECT) {
			ok = read(r);
		} else {
			note(r, COCO_NOT_AN_OBJECT, 0);
			ok = json_skip(&r->json, token);
		}
	}
	return ok;
}

/* ---- ids -------------------------------------------------------------------------------------------------------- */

/* Returns whether a number has no fraction, and is not too large for a double to show one; sets *out then. */
static bool is_whole(const struct json_number *n, int64_t *out)
{
	const double v = json_number_double(n);
	const bool small = v > -1e15 && v < 1e15;

	*out = small ? (int64_t)v : 0;
	return small && (double)*out == v;
}

/* Reads the next value as an id. */
static bool read_id(struct coco_reader *r, struct coco_id *out)
{
	enum json_token token = json_next(&r->json);
	const struct json_number *n = &r->json.number;
	int64_t v;

	*out = (struct coco_id){ 0, COCO_ID_NONE };
	if (token == JSON_STRING && !(r->json.text_flags & JSON_TEXT_CUT)) {
		*out = (struct coco_id){ coco_name_hash(r->json.text, r->json.text_len), COCO_ID_TEXT };
		note(r, COCO_TEXT_ID, 0);
	} else if (token == JSON_NUMBER && !(n->negative && !n->magnitude)) {
		if (json_number_int64(n, &v) && id_is_label(v))
			*out = (struct coco_id){ (uint64_t)v, COCO_ID_INTEGER };
		else if (json_number_uint64(n, &out->bits))
			out->type = COCO_ID_LARGE;
		else if (is_whole(n, &v) && id_is_label(v)) {
			*out = (struct coco_id){ (uint64_t)v, COCO_ID_INTEGER };
			note(r, COCO_DECIMAL_ID, v);
		}
	}
	return json_skip(&r->json, token);
}

/* Reads the next value as the id of a category. */
static bool read_category_id(struct coco_reader *r, bool listed, struct coco_id *out)
{
	bool ok = read_id(r, out);

	if (ok && out->type == COCO_ID_INTEGER && r->hook && r->hook->category)
		r->hook->category(r->hook->context, (int64_t)out->bits, listed, r->json.token_offset,
				  (size_t)(json_end_offset(&r->json) - r->json.token_offset));
	return ok;
}

/* ---- categories ------------------------------------------------------------------------------------------------- */

/* Returns the category of an id, a new one if needed. Returns NULL if there are too many; then *r->fault is set. */
static struct coco_category *find_category(struct coco_reader *r, int64_t id)
{
	struct coco_file *f = r->file;
	uint64_t hash = hash_mix((uint64_t)id ^ hash_seed());
	uint32_t i;

	for (size_t at = table_start(&r->categories, hash); (i = table_next(&r->categories, hash, &at)) != TABLE_NONE;)
		if (f->categories[i].id == id)
			return &f->categories[i];
	if (f->categories_count == COCO_CATEGORIES_MAX) {
		fault_set(r->fault, FAULT_LIMIT, r->json.token_offset,
			  "more than %d different category ids, the most that is read", COCO_CATEGORIES_MAX);
		return NULL;
	}
	GROW(f->categories, f->categories_cap, f->categories_count + 1);
	f->categories[f->categories_count] = (struct coco_category){ .id = id };
	table_add(&r->categories, hash, f->categories_count);
	return &f->categories[f->categories_count++];
}

/* Reads a name, or skips another value. *is_text: it is a name. */
static bool read_name(struct coco_reader *r, bool *is_text)
{
	enum json_token token = json_next(&r->json);

	*is_text = token == JSON_STRING;
	if (*is_text && r->json.text_len > COCO_NAME_MAX)
		note(r, COCO_LONG_TEXT, 0);
	return json_skip(&r->json, token);
}

/*
 * Returns whether the last key read is `key`, bit `bit` of *seen, which becomes set. Counts a repeated key, under the
 * object's id if that is not NULL.
 */
static inline bool is_key(struct coco_reader *r, const char *key, unsigned *seen, unsigned bit,
			  const struct coco_id *id)
{
	if (!json_text_is(&r->json, key))
		return false;
	if (*seen >> bit & 1)
		note(r, COCO_SAME_KEY, id ? id_to_say(*id) : 0);
	*seen |= 1u << bit;
	return true;
}

static void keep_name(struct coco_reader *r, struct coco_category *c)
{
	struct strbuf *names = &r->file->names;
	size_t n = utf8_cut(r->json.text, r->json.text_len, COCO_NAME_MAX);

	c->name_hash = coco_name_hash(r->json.text, r->json.text_len);
	if (names->len + n <= COCO_NAMES_BYTES) {
		c->name_at = names->len;
		c->name_len = n;
		strbuf_add(names, r->json.text, n);
	}
}

/* Counts the elements of the next value, a list. */
static bool count_elements(struct coco_reader *r, uint64_t *count)
{
	enum json_token token = json_next(&r->json);

	*count = 0;
	if (token != JSON_ARRAY)
		return json_skip(&r->json, token);
	while ((token = json_next(&r->json)) != JSON_ARRAY_END) {
		if (!json_skip(&r->json, token))
			return false;
		++*count;
	}
	return true;
}

static bool read_category(struct coco_reader *r)
{
	struct coco_category read = { 0 };
	struct coco_id id = { 0, COCO_ID_NONE };
	enum json_token token = JSON_OBJECT;
	bool ok = true, is_text, has_name = false;
	unsigned seen = 0;

	while (ok && (token = json_next(&r->json)) == JSON_KEY) {
		if (is_key(r, "id", &seen, 0, NULL)) {
			ok = read_category_id(r, true, &id);
		} else if (is_key(r, "name", &seen, 1, NULL)) {
			ok = read_name(r, &is_text);
			has_name = is_text;
			if (is_text)
				keep_name(r, &read);
		} else if (is_key(r, "supercategory", &seen, 2, NULL)) {
			ok = read_name(r, &is_text);
			if (is_text)
				read.super_hash = coco_name_hash(r->json.text, r->json.text_len);
		} else if (is_key(r, "keypoints", &seen, 3, NULL)) {
			ok = count_elements(r, &read.keypoints);
		} else {
			ok = json_skip_next(&r->json);
		}
	}
	if (token != JSON_OBJECT_END)
		return false;
	name_object(r, id);
	r->file->facts.categories++;
	if (id.type != COCO_ID_INTEGER) {
		note(r, COCO_BAD_ID, id_to_say(id));
		return true;
	}
	struct coco_category *c = find_category(r, (int64_t)id.bits);

	if (!c)
		return false;
	if (c->listed) {
		note(r, COCO_SAME_CATEGORY, c->id);
		return true;
	}
	if (!has_name)
		note(r, COCO_LACKS_CLASS_NAME, c->id);
	c->listed = true;
	c->name_at = read.name_at;
	c->name_len = read.name_len;
	c->name_hash = read.name_hash;
	c->super_hash = read.super_hash;
	c->keypoints = read.keypoints;
	return true;
}

/* ---- images ----------------------------------------------------------------------------------------------------- */

/* Returns whether no image before has the name that was read last. Only the first ones are known. */
static bool is_new_file(struct coco_reader *r)
{
	const uint64_t hash = coco_name_hash(r->json.text, r->json.text_len);

	if (!r->json.text_len || r->json.text_flags & JSON_TEXT_CUT)
		return true;
	return hash_set_add_bounded(&r->file_names, hash, COCO_FILE_NAMES_MAX);
}

static void check_file_name(struct coco_reader *r, const char *s, size_t n, int64_t id)
{
	bool control = false, climbs = false;

	for (size_t i = 0; i < n; i++) {
		bool starts = i == 0 || s[i - 1] == '/' || s[i - 1] == '\\';

		control = control || (uint8_t)s[i] < ' ' || s[i] == 0x7f;
		climbs = climbs || (starts && n - i >= 2 && s[i] == '.' && s[i + 1] == '.' &&
				    (n - i == 2 || s[i + 2] == '/' || s[i + 2] == '\\'));
	}
	r->place.key = key_of_bytes(s, n);
	if (control)
		note(r, COCO_CONTROL_NAME, id);
	if (climbs)
		note(r, COCO_CLIMBING_NAME, id);
	if (n && (s[0] == '/' || s[0] == '\\' || (n >= 3 && s[1] == ':' && (s[2] == '/' || s[2] == '\\'))))
		note(r, COCO_ABSOLUTE_NAME, id);
	else if (memchr(s, '\\', n))
		note(r, COCO_BACKSLASH_NAME, id);
}

/* Reads a width or height. */
static bool read_side(struct coco_reader *r, uint32_t *out, bool *good)
{
	enum json_token token = json_next(&r->json);
	uint64_t v;

	*out = 0;
	if (token == JSON_NUMBER && json_number_uint64(&r->json.number, &v) && v > 0 && v <= COCO_SIDE_MAX)
		*out = (uint32_t)v;
	else if (token != JSON_NULL) /* null: the writer did not know it */
		*good = false;
	return json_skip(&r->json, token);
}

static bool read_image(struct coco_reader *r)
{
	struct coco_id id = { 0, COCO_ID_NONE };
	uint32_t width = 0, height = 0;
	enum json_token token = JSON_OBJECT;
	bool ok = true, good_size = true, same_file = false, has_name = false, is_text;
	unsigned seen = 0;

	strbuf_clear(&r->file_name);
	while (ok && (token = json_next(&r->json)) == JSON_KEY) {
		if (is_key(r, "id", &seen, 0, NULL)) {
			ok = read_id(r, &id);
		} else if (is_key(r, "width", &seen, 1, NULL)) {
			ok = read_side(r, &width, &good_size);
		} else if (is_key(r, "height", &seen, 2, NULL)) {
			ok = read_side(r, &height, &good_size);
		} else if (is_key(r, "file_name", &seen, 3, NULL)) {
			ok = read_name(r, &is_text);
			if (is_text)
				check_file_name(r, r->json.text, r->json.text_len, id_to_say(id));
			same_file = is_text && !is_new_file(r);
			has_name = true;
			if (is_text && !(r->json.text_flags & JSON_TEXT_CUT))
				strbuf_set(&r->file_name, r->json.text, r->json.text_len);
		} else {
			has_name = has_name || json_text_is(&r->json, "coco_url"); /* of LVIS: has no file_name */
			r->file->facts.is_lvis |= json_text_is(&r->json, "neg_category_ids");
			ok = json_skip_next(&r->json);
		}
	}
	if (token != JSON_OBJECT_END)
		return false;
	name_object(r, id);
	r->file->facts.images++;
	if (r->file_name.len && r->hook && r->hook->image) {
		const struct listed_image image = { r->file_name.s, r->file_name.len, width, height,
						    r->place.line,  r->place.column,  0 };

		r->hook->image(r->hook->context, &image);
	}
	if (!good_size)
		note(r, COCO_BAD_SIZE, id_to_say(id));
	else if (!width || !height)
		note(r, COCO_LACKS_SIZE, id_to_say(id));
	if (!has_name)
		note(r, COCO_LACKS_NAME, id_to_say(id));
	if (id.type == COCO_ID_NONE)
		note(r, COCO_BAD_ID, 0);
	else if (!coco_images_add(&r->images, id, width, height))
		note(r, COCO_SAME_IMAGE, id_to_say(id));
	else if (same_file)
		note(r, COCO_SAME_FILE, id_to_say(id));
	return r->images.count <= COCO_IMAGES_MAX ||
	       fault_set(r->fault, FAULT_LIMIT, r->json.token_offset, "more than %d images, the most that is read",
			 COCO_IMAGES_MAX);
}

/* ---- annotations ------------------------------------------------------------------------------------------------ */

static bool read_area(struct coco_reader *r, struct coco_label *a)
{
	enum json_token token = json_next(&r->json);

	a->area = token == JSON_NUMBER ? json_number_double(&r->json.number) : -1;
	a->has_area = token != JSON_NULL;
	/* the negation makes NaN bad as well */
	a->bad_area = a->has_area && !(a->area >= 0 && a->area < 1e300);
	return json_skip(&r->json, token);
}

/* Reads iscrowd: 1 or true marks a region of many objects, which trainers leave out. */
static bool read_crowd(struct coco_reader *r, struct coco_label *a)
{
	enum json_token token = json_next(&r->json);
	const double number = token == JSON_NUMBER ? json_number_double(&r->json.number) : -1;

	a->has_crowd = token != JSON_NULL;
	a->is_crowd = token == JSON_TRUE || number == 1;
	a->bad_crowd = a->has_crowd && !a->is_crowd && token != JSON_FALSE && number != 0;
	return json_skip(&r->json, token);
}

/* Reads num_keypoints. */
static bool read_visible(struct coco_reader *r, struct coco_label *a)
{
	enum json_token token = json_next(&r->json);

	a->has_visible = token != JSON_NULL;
	if (token != JSON_NUMBER || !json_number_uint64(&r->json.number, &a->visible))
		a->visible = UINT64_MAX;
	return json_skip(&r->json, token);
}

static void count_label(struct coco_reader *r, struct coco_category *c)
{
	if (!c->labels++) {
		c->line = r->place.line;
		c->column = r->place.column;
	}
	key_set_add(&c->keys, r->place.key, c - r->file->categories < COCO_KEYED_MAX ? KEY_SET_MAX : 0);
	r->file->facts.annotations++;
}

/* Keeps the box of an annotation, to compare it with others of its image. */
static void keep_box(struct coco_reader *r, const struct coco_label *a, const struct coco_image *image,
		     uint32_t category)
{
	const struct coco_box *b = &a->box;

	if (!a->is_crowd && b->readable && b->width > 0 && b->height > 0)
		box_pairs_add(&r->pairs, (uint32_t)(image - r->images.images), category,
			      (const double[4]){ b->x, b->y, b->x + b->width, b->y + b->height }, id_to_say(a->id),
			      &r->place);
}

/* Counts a label for its category. Returns false over a limit; then *r->fault is set. */
static bool take_category(struct coco_reader *r, const struct coco_label *a, const struct coco_image *image, int64_t id)
{
	struct coco_category *c;

	r->file->facts.crowds += a->is_crowd;
	if (a->category.type == COCO_ID_INTEGER) {
		c = find_category(r, (int64_t)a->category.bits);
		if (!c)
			return false;
		count_label(r, c);
		if (a->keypoints.given && a->keypoints.readable)
			coco_count_keypoints(c, a->keypoints.facts.count, id, &r->place);
		if (image)
			keep_box(r, a, image, (uint32_t)(c - r->file->categories));
		return true;
	}
	note(r, a->has_category ? COCO_BAD_ID : COCO_NO_REFERENCE, id);
	r->file->facts.annotations++;
	return true;
}

/* Reads the value of a key that annotations and segments share, if it is one. *ok: false if that cannot be read. */
static bool read_shared_key(struct coco_reader *r, struct coco_label *a, unsigned *seen, bool *ok)
{
	if (is_key(r, "id", seen, 0, NULL)) {
		a->has_id = true;
		*ok = read_id(r, &a->id);
	} else if (is_key(r, "category_id", seen, 1, &a->id)) {
		a->has_category = true;
		*ok = read_category_id(r, false, &a->category);
	} else if (is_key(r, "bbox", seen, 2, &a->id)) {
		r->span.box_at = json_end_offset(&r->json);
		*ok = coco_read_box(&r->json, &a->box);
		r->span.box_size = (size_t)(json_end_offset(&r->json) - r->span.box_at);
	} else if (is_key(r, "area", seen, 3, &a->id)) {
		*ok = read_area(r, a);
	} else if (is_key(r, "iscrowd", seen, 4, &a->id)) {
		*ok = read_crowd(r, a);
	} else {
		return false;
	}
	return true;
}

/* Reads a segment of a panoptic annotation into r->parts: its image may not be known yet. */
static bool read_segment(struct coco_reader *r)
{
	struct coco_label part = { 0 };
	enum json_token token = JSON_OBJECT;
	unsigned seen = 0;
	bool ok = true;

	while (ok && (token = json_next(&r->json)) == JSON_KEY)
		if (!read_shared_key(r, &part, &seen, &ok))
			ok = json_skip_next(&r->json);
	if (token != JSON_OBJECT_END)
		return false;
	if (r->parts_count == COCO_SEGMENTS_MAX)
		return fault_set(r->fault, FAULT_LIMIT, r->json.token_offset,
				 "more than %d segments in one annotation, the most that is read", COCO_SEGMENTS_MAX);
	GROW(r->parts, r->parts_cap, r->parts_count + 1);
	r->parts[r->parts_count++] = part;
	return true;
}

static bool read_segments(struct coco_reader *r)
{
	enum json_token token = json_next(&r->json);

	r->file->facts.panoptic = 1;
	r->parts_count = 0;
	if (token == JSON_ARRAY)
		return read_objects(r, read_segment, false);
	note(r, COCO_NOT_AN_OBJECT, 0);
	return json_skip(&r->json, token);
}

/* Returns the image of an annotation. Returns NULL if it is unknown, and counts that. */
static const struct coco_image *take_image(struct coco_reader *r, const struct coco_label *a, int64_t id)
{
	const struct coco_image *image;

	if (a->image.type == COCO_ID_NONE) {
		note(r, a->has_image ? COCO_BAD_ID : COCO_NO_REFERENCE, id);
		return NULL;
	}
	if (!r->file->facts.has_images) /* they come last, in a stream that cannot be read twice */
		return NULL;
	image = coco_images_find(&r->images, a->image);
	if (!image)
		note(r, COCO_UNKNOWN_IMAGE, id_to_say(a->image));
	return image;
}

static bool take_segments(struct coco_reader *r, const struct coco_image *image)
{
	struct coco_panoptic all = { r->place.line, r->place.column, r->file_name.s, 0, 0, NULL, r->parts_count };
	uint64_t image_key = key_of_bytes(r->file_name.s, r->file_name.len);

	GROW(r->segments, r->segments_cap, r->parts_count + 1);
	for (size_t i = 0; i < r->parts_count; i++) {
		const struct coco_label *part = &r->parts[i];
		int64_t id = id_to_say(part->id);

		r->place.key = key_of_numbers(image_key, part->id.bits);
		if (part->id.type != COCO_ID_INTEGER)
			note(r, COCO_BAD_ID, id);
		if (!take_category(r, part, NULL, id))
			return false;
		coco_judge_box(r->file, part, image, id, &r->place);
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
	if (r->hook && r->hook->panoptic)
		r->hook->panoptic(r->hook->context, &all, r->file);
	return true;
}

static bool take_annotation(struct coco_reader *r, const struct coco_label *a, bool panoptic)
{
	int64_t id = id_to_say(a->id);

	name_object(r, a->id);
	const struct coco_image *image = take_image(r, a, id);

	if (image)
		r->file->facts.annotated += coco_images_mark(&r->images, image);
	if (panoptic)
		return take_segments(r, image);
	if (a->id.type == COCO_ID_NONE)
		note(r, a->has_id ? COCO_BAD_ID : COCO_NO_REFERENCE, 0);
	else if (!coco_ids_add(&r->annotation_ids, a->id))
		note(r, COCO_SAME_ANNOTATION, id);
	if (r->hook && r->hook->label) {
		r->span.size = json_end_offset(&r->json) - r->span.at;
		r->hook->label(r->hook->context, a, image, &r->span);
	}
	coco_judge_label(r->file, a, image, id, &r->place);
	return take_category(r, a, image, id);
}

static bool read_annotation(struct coco_reader *r)
{
	struct coco_label a = { 0 };
	enum json_token token = JSON_OBJECT;
	bool ok = true, panoptic = false, is_text;
	unsigned seen = 0;

	strbuf_clear(&r->file_name);
	r->span.at = r->json.token_offset;
	while (ok && (token = json_next(&r->json)) == JSON_KEY) {
		if (read_shared_key(r, &a, &seen, &ok))
			continue;
		if (is_key(r, "image_id", &seen, 5, &a.id)) {
			a.has_image = true;
			ok = read_id(r, &a.image);
			coco_images_prefetch(&r->images, a.image);
		} else if (is_key(r, "segmentation", &seen, 6, &a.id)) {
			ok = coco_read_segmentation(&r->json, &a.shape);
		} else if (is_key(r, "keypoints", &seen, 9, &a.id)) {
			ok = coco_read_keypoints(&r->json, &a.keypoints);
		} else if (is_key(r, "num_keypoints", &seen, 10, &a.id)) {
			ok = read_visible(r, &a);
		} else if (is_key(r, "segments_info", &seen, 7, &a.id)) {
			panoptic = true;
			ok = read_segments(r);
		} else if (is_key(r, "file_name", &seen, 8, &a.id)) {
			ok = read_name(r, &is_text);
			if (is_text && r->json.text_len <= COCO_NAME_MAX) {
				check_file_name(r, r->json.text, r->json.text_len, id_to_say(a.id));
				strbuf_add(&r->file_name, r->json.text, r->json.text_len);
			}
		} else {
			ok = json_skip_next(&r->json);
		}
	}
	return token == JSON_OBJECT_END && take_annotation(r, &a, panoptic);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* Reads the list of a key of the root object, each element with `read`. */
static bool read_list(struct coco_reader *r, const char *key, bool (*read)(struct coco_reader *r))
{
	enum json_token token = json_next(&r->json);

	if (token == JSON_ARRAY)
		return read_objects(r, read, true);
	if (token == JSON_FAULT)
		return false;
	fault_set(r->fault, FAULT_LABELS, r->json.token_offset, "not COCO: expected a list after \"%s\", found %s", key,
		  json_token_name(token));
	json_place(&r->json, &r->fault->line, &r->fault->column);
	return false;
}

static void see_list(struct coco_reader *r, uint32_t *has)
{
	if (*has)
		note(r, COCO_SAME_KEY, 0);
	*has = 1;
}

/* Reads the value of a key of the root object. */
static bool read_top(struct coco_reader *r)
{
	struct json_pull *json = &r->json;
	struct coco_facts *facts = &r->file->facts;

	json_place(json, &r->place.line, &r->place.column);
	if (json_text_is(json, "annotations")) {
		if (!r->last_pass)
			see_list(r, &facts->has_annotations);
		if (r->last_pass || facts->has_images || !r->can_rewind)
			return read_list(r, "annotations", read_annotation);
		r->postponed = true;
	} else if (json_text_is(json, "images") && !r->last_pass) {
		see_list(r, &facts->has_images);
		return read_list(r, "images", read_image);
	} else if (json_text_is(json, "categories") && !r->last_pass) {
		see_list(r, &facts->has_categories);
		return read_list(r, "categories", read_category);
	}
	return json_skip_next(json);
}

static int64_t read_input(void *context, void *out, size_t n, struct fault *fault)
{
	return input_read(context, out, n, fault);
}

/* Reads the file once. */
static bool read_pass(struct coco_reader *r, struct input *in)
{
	struct json_pull *json = &r->json;
	enum json_token token;
	bool ok = false;

	if (in->bytes)
		json_open_memory(json, in->bytes, (size_t)in->size, JSON_NON_FINITE);
	else
		json_open_stream(json, read_input, in, 0, JSON_NON_FINITE);
	token = json_next(json);
	if (token != JSON_OBJECT && token != JSON_FAULT) {
		fault_set(r->fault, FAULT_LABELS, json->token_offset,
			  "not COCO: expected an object with images, annotations and categories, found %s",
			  json_token_name(token));
		goto out;
	}
	while (token != JSON_FAULT && (token = json_next(json)) == JSON_KEY)
		if (!read_top(r))
			goto out;
	if (token == JSON_OBJECT_END && json_next(json) == JSON_END)
		ok = true;
out:
	if (!ok && r->fault->kind == FAULT_NONE)
		*r->fault = json->fault;
	assert(ok || r->fault->kind != FAULT_NONE);
	if (ok && !r->last_pass) {
		struct coco_trouble_count *t = r->file->facts.trouble;

		t[COCO_BOM].count = json->had_bom;
		t[COCO_NON_FINITE].count = json->non_finite;
		t[COCO_BAD_TEXT].count = json->bad_text;
	}
	json_close(json);
	return ok;
}

/* A box_pairs_function. */
static void note_pair(void *file, enum box_pair pair, int64_t id, const struct coco_place *later)
{
	coco_note(file, COCO_SAME_BOX + pair, id, later);
}

/* Held while reading a file whose tables may outgrow a thread's share of the memory. */
static pthread_mutex_t large_file = PTHREAD_MUTEX_INITIALIZER;

bool coco_read(struct coco_file *f, struct input *in, const struct coco_hook *hook, struct fault *fault)
{
	struct coco_reader r = { .file = f, .hook = hook, .fault = fault };
	bool large = in->size > COCO_LARGE_FILE, ok;

	if (large)
		pthread_mutex_lock(&large_file);
	strbuf_init(&r.file_name);
	coco_ids_init(&r.annotation_ids, in->size);
	r.can_rewind = input_can_rewind(in);
	ok = read_pass(&r, in);
	if (ok && r.postponed) {
		r.last_pass = true;
		ok = input_rewind(in, fault) && read_pass(&r, in);
	}
	if (ok) {
		f->facts.distinct_images = r.images.count;
		f->facts.uncompared = box_pairs_find(&r.pairs, r.images.count, note_pair, f);
		coco_file_finish(f);
	} else {
		coco_file_release(f);
	}
	coco_images_release(&r.images);
	coco_ids_release(&r.annotation_ids);
	box_pairs_release(&r.pairs);
	hash_set_release(&r.file_names);
	strbuf_release(&r.file_name);
	table_release(&r.categories);
	free(r.parts);
	free(r.segments);
	if (large)
		pthread_mutex_unlock(&large_file);
	return ok;
}
