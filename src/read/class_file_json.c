/*
 * Class files in JSON: nnU-Net's dataset.json, Hugging Face's id2label and the ClassLabel of its dataset_info.json,
 * COCO categories.
 *
 * The tokenizer checks the whole text, whose size class_file.c limits, and finds the value that holds the classes. Only
 * that value is parsed with cJSON, since a COCO file also holds its annotations. cJSON keeps no positions, so only
 * syntax errors have a line; other messages name the key.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/json_pull.h"
#include "base/mem.h"
#include "base/table.h"
#include "read/class_text.h"
#include "read/small_json.h"

/* Keys of the root object that hold classes. If a file has several, the first one here counts. */
enum class_key { ID2LABEL, CATEGORIES, LABELS, FEATURES, NO_KEY };

static const char *const class_keys[NO_KEY] = { "id2label", "categories", "labels", "features" };

/* The value that holds the classes: a key's or, with NO_KEY, the whole text. */
struct class_part {
	enum class_key key;
	bool is_map; /* with NO_KEY: the root object may be a map of ids to names, or of names to ids */
	const char *text;
	size_t size;
};

static enum status add_name(struct class_text *t, const char *where, int64_t id, const cJSON *name)
{
	if (!cJSON_IsString(name))
		return class_fail(t, where, "expected the name of a class");
	return class_add(t, where, id, name->valuestring, strlen(name->valuestring));
}

/* Returns whether the value is a class id. */
static bool is_id(const cJSON *item, int64_t *id)
{
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || item->valuedouble > CLASS_ID_MAX)
		return false;
	*id = (int64_t)item->valuedouble;
	return (double)*id == item->valuedouble;
}

/* Reads {"0": "background", ...}. */
static enum status read_id_to_name(struct class_text *t, const char *key, const cJSON *map)
{
	for (const cJSON *item = map->child; item; item = item->next) {
		int64_t id = 0;

		if (class_scan_id(t, key, item->string, strlen(item->string), &id) != STATUS_OK ||
		    add_name(t, key, id, item) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/*
 * Adds the ids of nnU-Net's regions, {"whole tumor": [1, 2, 3], "core": [2, 3]}, that have no name yet. The last region
 * comes first: the inner ones come last, and give the more telling name.
 */
static enum status read_regions(struct class_text *t, const char *key, const cJSON *map)
{
	const cJSON *item = map->child ? map->child->prev : NULL;

	for (; item; item = item == map->child ? NULL : item->prev) {
		const char *name = item->string;
		int64_t id = 0;

		for (const cJSON *e = cJSON_IsArray(item) ? item->child : NULL; e; e = e->next) {
			if (!is_id(e, &id))
				return class_fail(t, name, "expected a list of class ids");
			if (!id_ranges_contain(&t->set->classes, id) &&
			    class_add(t, key, id, name, strlen(name)) != STATUS_OK)
				return STATUS_FAILED;
		}
	}
	return STATUS_OK;
}

/* Reads {"background": 0, ...}. nnU-Net also has regions, and `ignore`. */
static enum status read_name_to_id(struct class_text *t, const char *key, const cJSON *map, bool nnunet)
{
	for (const cJSON *item = map->child; item; item = item->next) {
		const char *name = item->string;
		int64_t id = 0;

		if (nnunet && cJSON_IsArray(item))
			continue;
		if (!is_id(item, &id))
			return class_fail(t, name, "expected a class id");
		if (nnunet && !strcmp(name, "ignore"))
			id_ranges_add(&t->set->ignored, id, id);
		else if (class_add(t, key, id, name, strlen(name)) != STATUS_OK)
			return STATUS_FAILED;
	}
	return nnunet ? read_regions(t, key, map) : STATUS_OK;
}

/* Refuses a key that is twice: readers of JSON keep the last one alone. */
static enum status check_keys(struct class_text *t, const char *key, const cJSON *map)
{
	struct hash_set keys = { 0 };
	const cJSON *again = NULL;

	for (const cJSON *item = map->child; item; item = item->next)
		if (!again && !hash_set_add(&keys, hash_bytes(hash_seed(), item->string, strlen(item->string))))
			again = item;
	hash_set_release(&keys);
	return again ? class_fail(t, key, "'%.40s' stands twice; readers of JSON keep the last one", again->string)
		     : STATUS_OK;
}

/* Reads a map of ids to names if its first value is a string, else of names to ids. */
static enum status read_map(struct class_text *t, const char *key, const cJSON *map, bool nnunet)
{
	if (!cJSON_IsObject(map))
		return class_fail(t, key, "expected an object");
	if (cJSON_IsString(map->child))
		return read_id_to_name(t, key, map);
	return check_keys(t, key, map) == STATUS_OK ? read_name_to_id(t, key, map, nnunet) : STATUS_FAILED;
}

/* Reads ["background", ...]. */
static enum status read_names(struct class_text *t, const char *key, const cJSON *list)
{
	int64_t id = 0;

	for (const cJSON *item = list->child; item; item = item->next)
		if (add_name(t, key, id++, item) != STATUS_OK)
			return STATUS_FAILED;
	return STATUS_OK;
}

/* Reads [{"id": 1, "name": "person"}, ...], with gaps, in any order. */
static enum status read_categories(struct class_text *t, const cJSON *list)
{
	size_t at = 0;

	if (!cJSON_IsArray(list))
		return class_fail(t, "categories", "expected a list of {\"id\": ..., \"name\": ...}");
	for (const cJSON *item = list->child; item; item = item->next) {
		char where[40];
		int64_t id = 0;

		snprintf(where, sizeof(where), "categories[%zu]", at++);
		if (!is_id(cJSON_GetObjectItemCaseSensitive(item, "id"), &id))
			return class_fail(t, where, "expected an \"id\" that is a class id");
		if (add_name(t, where, id, cJSON_GetObjectItemCaseSensitive(item, "name")) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* Finds the lists of names of all class labels in Hugging Face's features; *names is the first. Returns how many. */
static size_t find_class_labels(const cJSON *value, const cJSON **names, unsigned depth)
{
	enum { FEATURES_DEPTH_MAX = 16 };
	const cJSON *type = cJSON_GetObjectItemCaseSensitive(value, "_type"),
		    *list = cJSON_GetObjectItemCaseSensitive(value, "names");
	size_t count = 0;

	if (cJSON_IsString(type) && !strcmp(type->valuestring, "ClassLabel") && cJSON_IsArray(list)) {
		*names = *names ? *names : list;
		return 1;
	}
	for (const cJSON *item = depth < FEATURES_DEPTH_MAX ? value->child : NULL; item; item = item->next)
		count += find_class_labels(item, names, depth + 1);
	return count;
}

/* Reads {"label": {"names": [...], "_type": "ClassLabel"}, ...}. */
static enum status read_features(struct class_text *t, const cJSON *value)
{
	const cJSON *names = NULL;
	size_t count = find_class_labels(value, &names, 0);

	if (count != 1)
		return class_fail(t, "features",
				  "expected one ClassLabel with its names, but there are %zu; give the "
				  "names with --classes",
				  count);
	return read_names(t, "features", names);
}

static enum status read_part(struct class_text *t, enum class_key key, const cJSON *value)
{
	switch (key) {
	case CATEGORIES:
		return read_categories(t, value);
	case ID2LABEL:
	case LABELS:
		return read_map(t, class_keys[key], value, key == LABELS);
	case FEATURES:
		return read_features(t, value);
	case NO_KEY:
		break;
	}
	return cJSON_IsArray(value) ? read_categories(t, value) : read_map(t, "the map", value, false);
}

/* Returns the class key just read, or NO_KEY. *digits: it is a number, as in a map of ids to names. */
static enum class_key identify_key(const struct json_pull *p, bool *digits)
{
	enum class_key key = 0;

	*digits = true;
	for (size_t i = 0; i < p->text_len; i++)
		*digits = *digits && ascii_isdigit(p->text[i]);
	while (key < NO_KEY && !json_text_is(p, class_keys[key]))
		key++;
	return key;
}

/* Checks the syntax of the whole text and finds the part that holds the classes. */
static enum status find_part(const struct class_text *t, struct class_part *part)
{
	struct json_pull p;

	*part = (struct class_part){ .key = NO_KEY, .is_map = true, .text = t->text, .size = t->size };
	json_open_memory(&p, t->text, t->size, 0);
	enum json_token token = json_next(&p);

	if (token == JSON_ARRAY)
		json_skip(&p, token);
	while (token != JSON_END && token != JSON_FAULT) {
		bool digits;

		if ((token = json_next(&p)) != JSON_KEY)
			continue;
		enum class_key key = identify_key(&p, &digits);

		token = json_next(&p);
		const char *value = t->text + p.token_offset;

		part->is_map = part->is_map && (token == JSON_STRING ? digits : token == JSON_NUMBER);
		if (!json_skip(&p, token))
			break;
		if (key < part->key) {
			part->key = key;
			part->text = value;
			part->size = (size_t)(t->text + json_end_offset(&p) - value);
		}
	}
	json_close(&p);
	if (p.fault.kind != FAULT_NONE)
		return class_fail(t, NULL, "line %" PRIu64 ", column %" PRIu64 ": %s", p.fault.line, p.fault.column,
				  p.fault.text);
	if (part->key == NO_KEY && !part->is_map)
		return class_fail(t, NULL, "this JSON has neither id2label, labels nor categories; " CLASSES_INSTEAD);
	return STATUS_OK;
}

enum status class_file_json(struct class_text *t)
{
	struct class_part part;
	struct fault fault = FAULT_INIT;

	if (find_part(t, &part) != STATUS_OK)
		return STATUS_FAILED;
	cJSON *value = small_json_parse(part.text, part.size, &fault);

	if (!value)
		return class_fail(t, NULL, "%s", fault.text);
	enum status status = read_part(t, part.key, value);

	cJSON_Delete(value);
	return status;
}
