#include "read/coco.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "read/coco_reading.h"

void coco_file_init(struct coco_file *f)
{
	memset(f, 0, sizeof(*f));
	strbuf_init(&f->names);
}

void coco_file_release(struct coco_file *f)
{
	free(f->categories);
	strbuf_release(&f->names);
	coco_file_init(f);
}

void coco_note(struct coco_file *f, enum coco_trouble trouble, int64_t id, uint64_t line, uint64_t column)
{
	struct coco_trouble_count *t = &f->facts.trouble[trouble];

	if (t->count++)
		return;
	t->id = id;
	t->line = line;
	t->column = column;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* A list of objects, each read by `element`. */
static bool read_list(struct reading *r, const char *key, bool (*element)(struct reading *r))
{
	enum json_token token = json_next(&r->json);

	if (token == JSON_FAULT)
		return false;
	if (token != JSON_ARRAY) {
		fault_set(r->fault, FAULT_LABELS, r->json.token_offset,
			  "not COCO: expected a list behind \"%s\", found %s", key, json_token_name(token));
		json_place(&r->json, &r->fault->line, &r->fault->column);
		return false;
	}
	while ((token = json_next(&r->json)) != JSON_ARRAY_END) {
		if (token == JSON_FAULT)
			return false;
		json_place(&r->json, &r->line, &r->column);
		if (token == JSON_OBJECT) {
			if (!element(r))
				return false;
			continue;
		}
		reading_note(r, COCO_NOT_AN_OBJECT, 0);
		if (!json_skip(&r->json, token))
			return false;
	}
	return true;
}

static void see_list(struct reading *r, uint32_t *has)
{
	if (*has)
		reading_note(r, COCO_SAME_KEY, 0);
	*has = 1;
}

/* What the key just given holds. */
static bool read_top(struct reading *r)
{
	struct json_pull *json = &r->json;
	struct coco_facts *facts = &r->file->facts;

	json_place(json, &r->line, &r->column);
	if (json_text_is(json, "annotations")) {
		if (!r->last_pass)
			see_list(r, &facts->has_annotations);
		if (r->last_pass || facts->has_images || !r->can_rewind)
			return read_list(r, "annotations", coco_read_annotation);
		r->postponed = true;
	} else if (json_text_is(json, "images") && !r->last_pass) {
		see_list(r, &facts->has_images);
		return read_list(r, "images", coco_read_image);
	} else if (json_text_is(json, "categories") && !r->last_pass) {
		see_list(r, &facts->has_categories);
		return read_list(r, "categories", coco_read_category);
	}
	return json_skip_next(json);
}

static int64_t read_input(void *context, void *out, size_t n, struct fault *fault)
{
	return input_read(context, out, n, fault);
}

/* Once through the file. */
static bool read_pass(struct reading *r, struct input *in)
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

static int compare_categories(const void *pa, const void *pb)
{
	const struct coco_category *a = pa, *b = pb;

	return (a->id > b->id) - (a->id < b->id);
}

static int compare_hashes(const void *pa, const void *pb)
{
	const struct coco_category *a = *(struct coco_category *const *)pa, *b = *(struct coco_category *const *)pb;

	if (a->name_hash != b->name_hash)
		return a->name_hash < b->name_hash ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* The places of these are not known: the categories are not in the order of the file any more. */
static void find_same_names(struct coco_file *f)
{
	const struct coco_category **v = xmalloc((f->categories_count + 1) * sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < f->categories_count; i++)
		if (f->categories[i].listed && f->categories[i].name_len)
			v[n++] = &f->categories[i];
	if (n)
		qsort(v, n, sizeof(*v), compare_hashes);
	for (size_t i = 1; i < n; i++) {
		struct coco_trouble_count *t = &f->facts.trouble[COCO_SAME_NAME];

		if (v[i]->name_hash != v[i - 1]->name_hash)
			continue;
		t->id = t->count++ ? MIN(t->id, v[i]->id) : v[i]->id;
	}
	free(v);
}

static void find_dummy(struct coco_file *f, uint64_t none_hash)
{
	struct coco_category *first = f->categories;

	if (f->categories_count < 2 || first->id != 0 || !first->listed || first->labels ||
	    first->super_hash != none_hash)
		return;
	for (size_t i = 1; i < f->categories_count; i++)
		if (f->categories[i].listed && f->categories[i].super_hash != first->name_hash)
			return;
	first->is_dummy = true;
}

static void settle_categories(struct reading *r)
{
	struct coco_file *f = r->file;

	if (f->categories_count)
		qsort(f->categories, f->categories_count, sizeof(*f->categories), compare_categories);
	for (size_t i = 0; i < f->categories_count; i++) {
		const struct coco_category *c = &f->categories[i];
		struct coco_trouble_count *t = &f->facts.trouble[COCO_UNKNOWN_CATEGORY];

		if (c->listed)
			continue;
		/* the first of the file is the one with the first place */
		if (!t->count || c->line < t->line || (c->line == t->line && c->column < t->column)) {
			t->id = c->id;
			t->line = c->line;
			t->column = c->column;
		}
		t->count += c->labels;
	}
	/* captions: nothing is missing where nothing has a category */
	if (!f->facts.has_categories && !f->categories_count)
		memset(&f->facts.trouble[COCO_NO_REFERENCE], 0, sizeof(f->facts.trouble[0]));
	find_same_names(f);
	find_dummy(f, coco_hash_name("none", 4));
}

/* Files whose tables may outgrow a thread's share of the memory are read one after the other. */
static pthread_mutex_t large_file = PTHREAD_MUTEX_INITIALIZER;

bool coco_read(struct coco_file *f, struct input *in, const struct coco_hook *hook, struct fault *fault)
{
	struct reading r = { .file = f, .hook = hook, .fault = fault };
	bool large = in->size > COCO_LARGE_FILE, ok;

	if (large)
		pthread_mutex_lock(&large_file);
	strbuf_init(&r.file_name);
	coco_images_init(&r.images);
	id_set_init(&r.annotation_ids, COCO_IDS_BYTES);
	r.can_rewind = input_can_rewind(in);
	ok = read_pass(&r, in);
	if (ok && r.postponed) {
		r.last_pass = true;
		ok = input_rewind(in, fault) && read_pass(&r, in);
	}
	if (ok)
		settle_categories(&r);
	else
		coco_file_release(f);
	coco_images_release(&r.images);
	id_set_release(&r.annotation_ids);
	strbuf_release(&r.file_name);
	table_release(&r.categories);
	free(r.parts);
	free(r.segments);
	if (large)
		pthread_mutex_unlock(&large_file);
	return ok;
}

bool coco_looks_like(const uint8_t *head, size_t n)
{
	struct json_pull json;
	enum json_token token;
	bool found = false;

	json_open_memory(&json, head, n, JSON_NON_FINITE);
	token = json_next(&json);
	while (token == JSON_OBJECT || (!found && token == JSON_KEY)) {
		if (token == JSON_KEY) {
			bool ours = json_text_is(&json, "images") || json_text_is(&json, "annotations") ||
				    json_text_is(&json, "categories");

			token = json_next(&json);
			found = ours && token == JSON_ARRAY;
			if (found || !json_skip(&json, token))
				break;
		}
		token = json_next(&json);
	}
	json_close(&json);
	return found;
}

bool coco_looks_like_results(const uint8_t *head, size_t n)
{
	struct json_pull json;
	bool image = false, score = false;

	json_open_memory(&json, head, n, JSON_NON_FINITE);
	bool more = json_next(&json) == JSON_ARRAY && json_next(&json) == JSON_OBJECT;

	while (more && json_next(&json) == JSON_KEY) {
		image = image || json_text_is(&json, "image_id");
		score = score || json_text_is(&json, "score");
		more = json_skip_next(&json);
	}
	json_close(&json);
	return image && score;
}
