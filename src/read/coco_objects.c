/* Images and categories, and what all objects of a COCO file have in common: ids, names, keys. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "read/coco_reading.h"

/* ---- ids -------------------------------------------------------------------------------------------------------- */

uint64_t coco_hash_name(const char *s, size_t n)
{
	return hash_bytes(hash_seed(), s, n);
}

/* The value that comes next. */
bool reading_id(struct reading *r, struct coco_id *out)
{
	enum json_token token = json_next(&r->json);
	const struct json_number *n = &r->json.number;
	int64_t v;

	*out = (struct coco_id){ 0, COCO_ID_NONE };
	if (token == JSON_STRING && !(r->json.text_flags & JSON_TEXT_CUT)) {
		*out = (struct coco_id){ coco_hash_name(r->json.text, r->json.text_len), COCO_ID_TEXT };
	} else if (token == JSON_NUMBER && !(n->negative && !n->magnitude)) {
		if (json_number_int64(n, &v))
			*out = (struct coco_id){ (uint64_t)v, COCO_ID_INTEGER };
		else if (json_number_uint64(n, &out->bits))
			out->type = COCO_ID_LARGE;
	}
	return json_skip(&r->json, token);
}

/* ---- categories ------------------------------------------------------------------------------------------------- */

/* The category of that id, made if need be. NULL: too many, the fault is filled. */
struct coco_category *reading_find_category(struct reading *r, int64_t id)
{
	struct coco_file *f = r->file;

	uint64_t hash = hash_mix((uint64_t)id ^ hash_seed());
	uint32_t i;

	for (size_t at = table_start(&r->categories, hash); (i = table_next(&r->categories, hash, &at)) != TABLE_NONE;)
		if (f->categories[i].id == id)
			return &f->categories[i];
	if (f->categories_count == COCO_CATEGORIES_MAX) {
		fault_set(r->fault, FAULT_LIMIT, r->json.token_offset,
			  "more than %d different category ids, which is the most that is read", COCO_CATEGORIES_MAX);
		return NULL;
	}
	GROW(f->categories, f->categories_cap, f->categories_count + 1);
	f->categories[f->categories_count] = (struct coco_category){ .id = id };
	table_add(&r->categories, hash, f->categories_count);
	return &f->categories[f->categories_count++];
}

bool reading_name(struct reading *r, enum json_token *token)
{
	*token = json_next(&r->json);
	if (*token != JSON_STRING)
		return json_skip(&r->json, *token);
	if (r->json.text_len > COCO_NAME_MAX)
		reading_note(r, COCO_LONG_TEXT, 0);
	return true;
}

/* Bytes to keep of a long name: not half a character. */
static size_t cut_length(const char *s, size_t n)
{
	if (n <= COCO_NAME_MAX)
		return n;
	n = COCO_NAME_MAX;
	while (n && ((uint8_t)s[n] & 0xc0) == 0x80)
		n--;
	return n;
}

void reading_key(struct reading *r, unsigned *seen, unsigned key, int64_t id)
{
	if (*seen >> key & 1)
		reading_note(r, COCO_SAME_KEY, id);
	*seen |= 1u << key;
}

bool coco_read_category(struct reading *r)
{
	struct coco_file *f = r->file;
	struct coco_category read = { 0 };
	struct coco_id id = { 0, COCO_ID_NONE };
	struct json_pull *json = &r->json;
	enum json_token token;
	unsigned seen = 0;

	while ((token = json_next(json)) != JSON_OBJECT_END) {
		if (token == JSON_FAULT)
			return false;
		if (json_text_is(json, "id")) {
			reading_key(r, &seen, 0, 0);
			if (!reading_id(r, &id))
				return false;
		} else if (json_text_is(json, "name")) {
			reading_key(r, &seen, 1, 0);
			if (!reading_name(r, &token))
				return false;
			if (token != JSON_STRING)
				continue;
			size_t n = cut_length(json->text, json->text_len);

			read.name_hash = coco_hash_name(json->text, json->text_len);
			if (f->names.len + n <= COCO_NAMES_BYTES) {
				read.name_at = f->names.len;
				read.name_len = n;
				strbuf_add(&f->names, json->text, n);
			}
		} else if (json_text_is(json, "supercategory")) {
			reading_key(r, &seen, 2, 0);
			if (!reading_name(r, &token))
				return false;
			if (token == JSON_STRING)
				read.super_hash = coco_hash_name(json->text, json->text_len);
		} else if (!json_skip_next(json)) {
			return false;
		}
	}
	f->facts.categories++;
	if (id.type != COCO_ID_INTEGER) {
		reading_note(r, COCO_BAD_ID, id_to_say(id));
		return true;
	}
	struct coco_category *c = reading_find_category(r, (int64_t)id.bits);

	if (!c)
		return false;
	if (c->listed) {
		reading_note(r, COCO_SAME_CATEGORY, c->id);
		return true;
	}
	c->listed = true;
	c->name_at = read.name_at;
	c->name_len = read.name_len;
	c->name_hash = read.name_hash;
	c->super_hash = read.super_hash;
	return true;
}

/* ---- images ----------------------------------------------------------------------------------------------------- */

void reading_check_file_name(struct reading *r, const char *s, size_t n, int64_t id)
{
	bool control = false, climbs = false;

	for (size_t i = 0; i < n; i++) {
		bool starts = i == 0 || s[i - 1] == '/' || s[i - 1] == '\\';

		control = control || (uint8_t)s[i] < ' ' || s[i] == 0x7f;
		climbs = climbs || (starts && n - i >= 2 && s[i] == '.' && s[i + 1] == '.' &&
				    (n - i == 2 || s[i + 2] == '/' || s[i + 2] == '\\'));
	}
	if (control)
		reading_note(r, COCO_CONTROL_NAME, id);
	if (climbs)
		reading_note(r, COCO_CLIMBING_NAME, id);
	if (n && (s[0] == '/' || s[0] == '\\' || (n >= 3 && s[1] == ':' && (s[2] == '/' || s[2] == '\\'))))
		reading_note(r, COCO_ABSOLUTE_NAME, id);
}

/* A width or height. */
static bool read_side(struct reading *r, uint32_t *out, bool *good)
{
	enum json_token token = json_next(&r->json);
	uint64_t v;

	*out = 0;
	if (token == JSON_NUMBER && json_number_uint64(&r->json.number, &v) && v > 0 && v <= COCO_SIDE_MAX)
		*out = (uint32_t)v;
	else if (token != JSON_NULL) /* unknown to who wrote it */
		*good = false;
	return json_skip(&r->json, token);
}

bool coco_read_image(struct reading *r)
{
	struct json_pull *json = &r->json;
	struct coco_id id = { 0, COCO_ID_NONE };
	uint32_t width = 0, height = 0;
	enum json_token token;
	bool good_size = true, new_one;
	unsigned seen = 0;

	while ((token = json_next(json)) != JSON_OBJECT_END) {
		if (token == JSON_FAULT)
			return false;
		if (json_text_is(json, "id")) {
			reading_key(r, &seen, 0, 0);
			if (!reading_id(r, &id))
				return false;
		} else if (json_text_is(json, "width") || json_text_is(json, "height")) {
			bool is_width = json->text[0] == 'w';

			reading_key(r, &seen, is_width ? 1 : 2, 0);
			if (!read_side(r, is_width ? &width : &height, &good_size))
				return false;
		} else if (json_text_is(json, "file_name")) {
			reading_key(r, &seen, 3, 0);
			if (!reading_name(r, &token))
				return false;
			if (token == JSON_STRING)
				reading_check_file_name(r, json->text, json->text_len, id_to_say(id));
		} else if (!json_skip_next(json)) {
			return false;
		}
	}
	r->file->facts.images++;
	if (!good_size)
		reading_note(r, COCO_BAD_SIZE, id_to_say(id));
	if (id.type == COCO_ID_NONE) {
		reading_note(r, COCO_BAD_ID, 0);
		return true;
	}
	if (!coco_images_add(&r->images, id, width, height, COCO_IMAGES_MAX, &new_one)) {
		fault_set(r->fault, FAULT_LIMIT, json->token_offset,
			  "more than %d images, which is the most that is read", COCO_IMAGES_MAX);
		return false;
	}
	if (!new_one)
		reading_note(r, COCO_SAME_IMAGE, id_to_say(id));
	return true;
}
