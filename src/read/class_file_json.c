/*
 * Class files in JSON: nnU-Net's dataset.json, Hugging Face's id2label, COCO categories, Keras'
 * imagenet_class_index.json, lists of classes with colours, and lists or maps of names.
 *
 * The tokenizer checks the whole text, whose size class_file.c limits, and finds the value that holds the classes. Only
 * that value is parsed with cJSON, since a COCO file also holds its annotations. cJSON keeps no positions, so only
 * syntax errors have a line; other messages name the key.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/json_pull.h"
#include "base/mem.h"
#include "base/table.h"
#include "read/class_text.h"
#include "read/small_json.h"

/* Keys of the root object that hold classes. If a file has several, the first one here counts. */
enum class_key { ID2LABEL, CATEGORIES, LABELS, LABEL_MAP, NAMES, CLASS_NAMES, CLASS_TO_IDX, CLASSES, FEATURES, NO_KEY };

static const char *const class_keys[NO_KEY] = { "id2label",    "categories",   "labels",  "label_map", "names",
						"class_names", "class_to_idx", "classes", "features" };

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

/* Reads {"0": "background", ...}, or {"0": ["n01440764", "tench"], ...} as Keras has it for ImageNet. */
static enum status read_id_to_name(struct class_text *t, const char *key, const cJSON *map)
{
	for (const cJSON *item = map->child; item; item = item->next) {
		int64_t id = 0;

		if (class_scan_id(t, key, item->string, strlen(item->string), &id) != STATUS_OK ||
		    add_name(t, key, id, cJSON_GetArraySize(item) == 2 ? item->child->next : item) != STATUS_OK)
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
	if (cJSON_IsString(map->child) || (!nnunet && cJSON_IsArray(map->child)))
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

/* Reads a colour: "#804020" or [128, 64, 32]. */
static bool read_colour(const cJSON *value, uint8_t rgb[3])
{
	const char *hex = cJSON_GetStringValue(value); /* NULL: none */

	if (hex && hex[0] == '#' && strlen(hex) == 7 && strspn(hex + 1, "0123456789abcdefABCDEF") == 6) {
		unsigned long colour = strtoul(hex + 1, NULL, 16);

		for (int i = 0; i < 3; i++)
			rgb[i] = (uint8_t)(colour >> (16 - 8 * i));
		return true;
	}
	for (int i = 0; i < 3 && cJSON_GetArraySize(value) >= 3; i++) {
		int64_t sample;

		if (!is_id(cJSON_GetArrayItem(value, i), &sample) || sample > UINT8_MAX)
			return false;
		rgb[i] = (uint8_t)sample;
	}
	return cJSON_GetArraySize(value) >= 3;
}

/* Reads {"#ff0000": "Car", ...}, A2D2's class_list.json. Ids count the classes. */
static enum status read_colours_to_names(struct class_text *t, const cJSON *map)
{
	int64_t id = 0;

	for (const cJSON *item = map->child; item; item = item->next, id++) {
		const cJSON key = { .type = cJSON_String, .valuestring = item->string };
		uint8_t rgb[3];

		if (!read_colour(&key, rgb))
			return class_fail(t, item->string, "expected a colour, as #804020");
		if (add_name(t, item->string, id, item) != STATUS_OK ||
		    class_add_colour(t, item->string, id, rgb) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* Reads {"road": [128, 64, 128], ...}, whose ids count the classes, or {"0": [128, 64, 128], ...}. */
static enum status read_names_to_colours(struct class_text *t, const cJSON *map)
{
	int64_t id = 0;

	for (const cJSON *item = map->child; item; item = item->next, id++) {
		const char *name = item->string;
		uint8_t rgb[3];

		if (!read_colour(item, rgb))
			return class_fail(t, name, "expected a colour, as #804020 or [128, 64, 32]");
		if (ascii_isdigit(*name) && class_scan_id(t, "the map", name, strlen(name), &id) != STATUS_OK)
			return STATUS_FAILED;
		if (class_add(t, name, id, name, strlen(name)) != STATUS_OK ||
		    class_add_colour(t, name, id, rgb) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* Reads [{"name": "road", "color": "#804080"}, ...], where `title` is a name, too. Ids count the classes, unless all
 * have one.
 */
static enum status read_classes(struct class_text *t, const cJSON *list)
{
	static const char *const colour_keys[] = { "color", "colour", "rgb" };
	bool have_ids = true;
	int64_t id = 0, own = 0;

	for (const cJSON *item = list->child; item; item = item->next)
		have_ids &= is_id(cJSON_GetObjectItemCaseSensitive(item, "id"), &own);
	for (const cJSON *item = list->child; item; item = item->next, id++) {
		const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "name"), *colour = NULL;
		char where[40];
		uint8_t rgb[3];

		snprintf(where, sizeof(where), "classes[%" PRId64 "]", id);
		if (have_ids)
			is_id(cJSON_GetObjectItemCaseSensitive(item, "id"), &own);
		own = have_ids ? own : id;
		name = name ? name : cJSON_GetObjectItemCaseSensitive(item, "title");
		for (size_t i = 0; i < ARRAY_SIZE(colour_keys) && !colour; i++)
			colour = cJSON_GetObjectItemCaseSensitive(item, colour_keys[i]);
		if (add_name(t, where, own, name) != STATUS_OK ||
		    (read_colour(colour, rgb) && class_add_colour(t, where, own, rgb) != STATUS_OK))
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

static enum status read_names_or_map(struct class_text *t, enum class_key key, const cJSON *value)
{
	if (cJSON_IsArray(value))
		return read_names(t, class_keys[key], value);
	return read_map(t, class_keys[key], value, key == LABELS);
}

static enum status read_part(struct class_text *t, enum class_key key, const cJSON *value)
{
	switch (key) {
	case CATEGORIES:
		return read_categories(t, value);
	case CLASSES:
		if (cJSON_IsArray(value) && cJSON_IsObject(value->child))
			return read_classes(t, value);
		return read_names_or_map(t, key, value);
	case LABELS: /* a list: datumaro's; of objects: Mapillary's config.json */
		if (cJSON_IsArray(value) && cJSON_IsObject(value->child))
			return read_classes(t, value);
		return read_names_or_map(t, key, value);
	case NAMES:
	case CLASS_NAMES:
		return read_names_or_map(t, key, value);
	case ID2LABEL:
	case CLASS_TO_IDX:
	case LABEL_MAP: /* datumaro's dataset_meta.json */
		return read_map(t, class_keys[key], value, false);
	case FEATURES: /* dataset_info.json */
		return read_features(t, value);
	case NO_KEY:
		break;
	}
	if (cJSON_IsObject(value) && value->child && value->child->string[0] == '#')
		return read_colours_to_names(t, value);
	uint8_t rgb[3];

	if (cJSON_IsObject(value) && read_colour(value->child, rgb))
		return read_names_to_colours(t, value);
	if (cJSON_IsObject(value))
		return read_map(t, "the map", value, false);
	if (!cJSON_IsArray(value))
		return class_fail(t, "this JSON", "expected an object or a list");
	return cJSON_IsObject(value->child) ? read_categories(t, value) : read_names(t, "the list", value);
}

/* Returns the class key just read, or NO_KEY. *digits: it is a number or a colour, as in a map of these to names. */
static enum class_key identify_key(const struct json_pull *p, bool *digits)
{
	enum class_key key = 0;

	*digits = true;
	for (size_t i = 0; i < p->text_len && p->text[0] != '#'; i++)
		*digits = *digits && ascii_isdigit(p->text[i]);
	while (key < NO_KEY && !json_text_is(p, class_keys[key]))
		key++;
	return key;
}

/* Returns whether a value in the text looks like a colour, whose parts are checked later. */
static bool looks_like_colour(const char *value)
{
	const size_t n = value[0] == '[' ? strspn(value + 1, "0123456789, \t\r\n") : 0;
	unsigned commas = 0;

	for (size_t i = 1; i <= n; i++)
		commas += value[i] == ',';
	return (value[0] == '"' && value[1] == '#') || (commas >= 2 && value[n + 1] == ']');
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

		part->is_map = part->is_map &&
			       (token == JSON_STRING || token == JSON_ARRAY ? digits || looks_like_colour(value)
									    : token == JSON_NUMBER);
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
		return class_fail(t, NULL,
				  "this JSON has neither id2label, labels, categories, label_map, names, class_names, "
				  "class_to_idx, classes nor features");
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
