#include "read/coco_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/json_pull.h"
#include "base/mem.h"
#include "base/table.h"

void coco_file_init(struct coco_file *f)
{
	memset(f, 0, sizeof(*f));
	strbuf_init(&f->names);
}

void coco_file_release(struct coco_file *f)
{
	for (size_t i = 0; i < f->categories_count; i++) {
		key_set_release(&f->categories[i].keys);
		for (size_t k = 0; f->categories[i].numbers && k < COCO_KEYPOINT_COUNTS; k++)
			key_set_release(&f->categories[i].numbers[k].keys);
		free(f->categories[i].numbers);
	}
	for (size_t i = 0; i < COCO_TROUBLES; i++)
		key_set_release(&f->troubles[i]);
	free(f->categories);
	strbuf_release(&f->names);
	coco_file_init(f);
}

void coco_note(struct coco_file *f, enum coco_trouble trouble, int64_t id, const struct coco_place *place)
{
	struct coco_trouble_count *t = &f->facts.trouble[trouble];

	key_set_add(&f->troubles[trouble], place->key, KEY_SET_MAX);
	if (t->count++)
		return;
	t->id = id;
	t->line = place->line;
	t->column = place->column;
}

/* Counts a trouble of several annotations; more: their number, and the first of them. The first in the file is kept. */
static void note_labels(struct coco_file *f, enum coco_trouble trouble, struct coco_trouble_count more,
			const struct key_set *keys)
{
	struct coco_trouble_count *t = &f->facts.trouble[trouble];
	const uint64_t count = t->count + more.count;

	if (!t->count || more.line < t->line || (more.line == t->line && more.column < t->column))
		*t = more;
	t->count = count;
	key_set_merge(&f->troubles[trouble], keys);
}

/* Exports of the same list differ in case and in the character between words. */
static char fold(char c)
{
	return c == '_' || c == '-' ? ' ' : ascii_tolower(c);
}

bool coco_same_name(const char *a, size_t a_len, const char *b)
{
	const char *const end = a + a_len;

	for (;; a++, b++) {
		while (a < end && fold(*a) == ' ')
			a++;
		while (fold(*b) == ' ')
			b++;
		if (a == end || !*b || fold(*a) != fold(*b))
			return a == end && !*b;
	}
}

static int compare_categories(const void *pa, const void *pb)
{
	const struct coco_category *a = pa, *b = pb;

	return (a->id > b->id) - (a->id < b->id);
}

/* Returns the hash of a category's name without what exports of one list differ in. */
static uint64_t folded_hash(const struct coco_file *f, const struct coco_category *c)
{
	const char *name = coco_category_name(f, c);
	uint64_t hash = hash_seed();

	for (size_t i = 0; i < c->name_len; i++)
		if (fold(name[i]) != ' ')
			hash = hash_word(hash, (uint8_t)fold(name[i]));
	return hash;
}

/* Counts categories with the name of another. They have no position: the categories are no longer in file order. */
static void find_same_names(struct coco_file *f)
{
	struct hash_set names = { 0 }, folded = { 0 };

	for (size_t i = 0; i < f->categories_count; i++) {
		const struct coco_category *c = &f->categories[i];

		if (!c->listed || !c->name_len)
			continue;
		const bool is_like = !hash_set_add(&folded, folded_hash(f, c));

		const struct coco_place nowhere = { .key = (uint64_t)c->id };

		if (!hash_set_add(&names, c->name_hash))
			coco_note(f, COCO_SAME_NAME, c->id, &nowhere);
		else if (is_like)
			coco_note(f, COCO_LIKE_NAME, c->id, &nowhere);
	}
	hash_set_release(&names);
	hash_set_release(&folded);
}

static void find_dummy(struct coco_file *f)
{
	const uint64_t none_hash = coco_name_hash("none", 4);
	struct coco_category *first = f->categories;

	if (f->categories_count < 2 || first->id != 0 || !first->listed || first->labels ||
	    first->super_hash != none_hash)
		return;
	for (size_t i = 1; i < f->categories_count; i++)
		if (f->categories[i].listed && f->categories[i].super_hash != first->name_hash)
			return;
	first->is_dummy = true;
}

void coco_count_keypoints(struct coco_category *c, uint64_t keypoints, int64_t id, const struct coco_place *place)
{
	struct coco_keypoint_count *k;
	size_t i = 0;

	if (!c->numbers)
		c->numbers = xcalloc(COCO_KEYPOINT_COUNTS, sizeof(*c->numbers));
	while (i < COCO_KEYPOINT_COUNTS - 1 && c->numbers[i].labels && c->numbers[i].keypoints != keypoints)
		i++;
	k = &c->numbers[i];
	if (!k->labels++)
		*k = (struct coco_keypoint_count){ keypoints, 1, id, place->line, place->column, KEY_SET_INIT };
	else if (k->keypoints != keypoints)
		k->keypoints = UINT64_MAX; /* several */
	key_set_add(&k->keys, place->key, KEY_SET_MAX);
}

/* Returns the number of keypoints that annotations of c should have: as many as it names, else as most of them have. */
static uint64_t keypoints_wanted(const struct coco_category *c)
{
	const struct coco_keypoint_count *most = c->numbers;

	for (size_t i = 1; i < COCO_KEYPOINT_COUNTS; i++)
		most = c->numbers[i].labels > most->labels ? &c->numbers[i] : most;
	return c->keypoints ? c->keypoints : most->keypoints;
}

static void find_other_keypoints(struct coco_file *f)
{
	for (size_t i = 0; i < f->categories_count; i++) {
		const struct coco_category *c = &f->categories[i];
		const uint64_t wanted = c->numbers ? keypoints_wanted(c) : 0;

		if (c->numbers && !c->keypoints && wanted && c->listed)
			coco_note(f, COCO_LACKS_POINT_NAMES, c->id, &(struct coco_place){ .key = (uint64_t)c->id });

		for (size_t k = 0; c->numbers && k < COCO_KEYPOINT_COUNTS && c->numbers[k].labels; k++) {
			const struct coco_keypoint_count *n = &c->numbers[k];

			if (n->keypoints != wanted)
				note_labels(f, COCO_KEYPOINTS_NUMBER,
					    (struct coco_trouble_count){ n->labels, n->id, n->line, n->column },
					    &n->keys);
		}
	}
}

static void forget(struct coco_file *f, enum coco_trouble trouble)
{
	memset(&f->facts.trouble[trouble], 0, sizeof(f->facts.trouble[0]));
	key_set_release(&f->troubles[trouble]);
}

void coco_file_finish(struct coco_file *f)
{
	if (f->categories_count)
		qsort(f->categories, f->categories_count, sizeof(*f->categories), compare_categories);
	for (size_t i = 0; i < f->categories_count; i++) {
		const struct coco_category *c = &f->categories[i];

		if (!c->listed)
			note_labels(f, COCO_UNKNOWN_CATEGORY,
				    (struct coco_trouble_count){ c->labels, c->id, c->line, c->column }, &c->keys);
	}
	/* caption files have no categories at all: none is missing */
	if (!f->facts.has_categories && !f->categories_count)
		for (unsigned i = COCO_NO_REFERENCE; i < COCO_TROUBLES; i++)
			if (i == COCO_NO_REFERENCE || (i >= COCO_WHOLE_IMAGE && i <= COCO_LACKS_NAME))
				forget(f, i);
	if (f->facts.is_lvis)
		forget(f, COCO_LACKS_CROWD);
	if (!f->facts.shaped)
		forget(f, COCO_NO_SHAPE);
	find_other_keypoints(f);
	find_same_names(f);
	find_dummy(f);
}

bool coco_looks_like(const uint8_t *head, size_t n)
{
	struct json_pull json;
	bool found = false, classes = false;

	json_open_memory(&json, head, n, JSON_NON_FINITE);
	enum json_token key = json_next(&json) == JSON_OBJECT ? json_next(&json) : JSON_END;

	while (key == JSON_KEY && !found) {
		bool ours = json_text_is(&json, "images") || json_text_is(&json, "annotations");
		bool categories = json_text_is(&json, "categories");
		enum json_token token = json_next(&json);

		found = ours && token == JSON_ARRAY;
		classes |= categories && token == JSON_ARRAY;
		key = !found && json_skip(&json, token) ? json_next(&json) : JSON_FAULT;
	}
	json_close(&json);
	/* categories and nothing else are classes, Label Studio's notes.json; the beginning of a file may have more */
	return found || (classes && key == JSON_FAULT);
}

bool coco_looks_like_results(const uint8_t *head, size_t n)
{
	struct json_pull json;
	bool image = false, other = false;

	json_open_memory(&json, head, n, JSON_NON_FINITE);
	bool more = json_next(&json) == JSON_ARRAY && json_next(&json) == JSON_OBJECT;

	while (more && json_next(&json) == JSON_KEY) {
		image = image || json_text_is(&json, "image_id");
		other = other || json_text_is(&json, "score") || json_text_is(&json, "iscrowd");
		more = json_skip_next(&json);
	}
	json_close(&json);
	return image && other;
}
