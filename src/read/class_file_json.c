/*
 * Class files in JSON: nnU-Net's dataset.json, id2label of Hugging Face, COCO categories, and lists or maps of names.
 *
 * cJSON reads them: whole, nested at most CJSON_NESTING_LIMIT deep, from a text that class_file.c has limited. It keeps
 * no positions, so only errors of syntax have a line; the others name the key.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "read/class_file_formats.h"

/* cJSON says "not JSON" when memory is out. Options are read by one thread. */
static bool memory_ran_out;

static void *try_memory(size_t n)
{
	void *p = mem_try(1, n);

	memory_ran_out = memory_ran_out || !p;
	return p;
}

static enum status refuse_syntax(const struct class_text *t, const char *at, struct error *err)
{
	size_t line = 1, column = 1;

	for (const char *p = t->text; p < at && p < t->text + t->size; p++) {
		column++;
		if (*p == '\n') {
			line++;
			column = 1;
		}
	}
	return error_set(err, "--classes %s: line %zu, column %zu: this is not JSON", t->path, line, column);
}

static enum status refuse(const struct class_text *t, const char *key, const char *expected, struct error *err)
{
	return error_set(err, "--classes %s: %s: expected %s", t->path, key, expected);
}

static enum status add_name(struct class_text *t, const char *where, int64_t id, const cJSON *name, struct error *err)
{
	if (!cJSON_IsString(name))
		return refuse(t, where, "the name of a class", err);
	return class_add(t, where, id, name->valuestring, strlen(name->valuestring), err);
}

/* A number that is a class id. */
static bool is_id(const cJSON *item, int64_t *id)
{
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || item->valuedouble > CLASS_ID_MAX)
		return false;
	*id = (int64_t)item->valuedouble;
	return (double)*id == item->valuedouble;
}

/* {"0": "background", ...} */
static enum status read_id_to_name(struct class_text *t, const char *key, const cJSON *map, struct error *err)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, map)
	{
		int64_t id = 0;

		if (class_scan_id(t, key, item->string, strlen(item->string), &id, err) != STATUS_OK ||
		    add_name(t, key, id, item, err) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* {"background": 0, ...}; nnU-Net: also lists of ids, whose classes have several names, and the label `ignore`. */
static enum status read_name_to_id(struct class_text *t, const char *key, const cJSON *map, bool nnunet,
				   struct error *err)
{
	const cJSON *item, *element;

	cJSON_ArrayForEach(item, map)
	{
		const char *name = item->string;
		int64_t id = 0;

		if (nnunet && cJSON_IsArray(item)) {
			cJSON_ArrayForEach(element, item)
			{
				if (!is_id(element, &id))
					return refuse(t, name, "a list of class ids", err);
				if (!id_ranges_contain(&t->set->classes, id) &&
				    class_add(t, key, id, name, strlen(name), err) != STATUS_OK)
					return STATUS_FAILED;
			}
			continue;
		}
		if (!is_id(item, &id))
			return refuse(t, name, "a class id", err);
		if (nnunet && !strcmp(name, "ignore"))
			id_ranges_add(&t->set->ignored, id, id);
		else if (class_add(t, key, id, name, strlen(name), err) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* Which way round a map is: its first value tells. */
static enum status read_map(struct class_text *t, const char *key, const cJSON *map, bool nnunet, struct error *err)
{
	if (!cJSON_IsObject(map))
		return refuse(t, key, "an object", err);
	if (cJSON_IsString(map->child))
		return read_id_to_name(t, key, map, err);
	return read_name_to_id(t, key, map, nnunet, err);
}

/* ["background", ...] */
static enum status read_names(struct class_text *t, const char *key, const cJSON *list, struct error *err)
{
	const cJSON *item;
	int64_t id = 0;

	cJSON_ArrayForEach(item, list)
	{
		if (add_name(t, key, id++, item, err) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* [{"id": 1, "name": "person"}, ...] with gaps, in any order. */
static enum status read_categories(struct class_text *t, const cJSON *list, struct error *err)
{
	const cJSON *item;
	size_t at = 0;

	if (!cJSON_IsArray(list))
		return refuse(t, "categories", "a list of {\"id\": ..., \"name\": ...}", err);
	cJSON_ArrayForEach(item, list)
	{
		char where[40];
		int64_t id = 0;

		snprintf(where, sizeof(where), "categories[%zu]", at++);
		if (!is_id(cJSON_GetObjectItemCaseSensitive(item, "id"), &id))
			return refuse(t, where, "an \"id\" that is a class id", err);
		if (add_name(t, where, id, cJSON_GetObjectItemCaseSensitive(item, "name"), err) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

static enum status read_object(struct class_text *t, const cJSON *root, struct error *err)
{
	const cJSON *item;

	if ((item = cJSON_GetObjectItemCaseSensitive(root, "id2label")))
		return read_map(t, "id2label", item, false, err);
	if ((item = cJSON_GetObjectItemCaseSensitive(root, "categories")))
		return read_categories(t, item, err);
	if ((item = cJSON_GetObjectItemCaseSensitive(root, "labels"))) /* a list: datumaro's */
		return cJSON_IsArray(item) ? read_names(t, "labels", item, err)
					   : read_map(t, "labels", item, true, err);
	if ((item = cJSON_GetObjectItemCaseSensitive(root, "label_map"))) /* datumaro's dataset_meta.json */
		return read_map(t, "label_map", item, false, err);
	if ((item = cJSON_GetObjectItemCaseSensitive(root, "names")))
		return cJSON_IsArray(item) ? read_names(t, "names", item, err) : read_map(t, "names", item, false, err);
	/* id2label.json: nothing but the map */
	cJSON_ArrayForEach(item, root)
	{
		if (cJSON_IsString(item) ? item->string[strspn(item->string, "0123456789")] != '\0'
					 : !cJSON_IsNumber(item))
			return error_set(err,
					 "--classes %s: this JSON has neither id2label, labels, categories, label_map "
					 "nor names",
					 t->path);
	}
	return read_map(t, "the map", root, false, err);
}

enum status class_file_json(struct class_text *t, struct error *err)
{
	cJSON_Hooks hooks = { try_memory, free };
	enum status status;
	const char *end = NULL;

	memory_ran_out = false;
	cJSON_InitHooks(&hooks);
	cJSON *root = cJSON_ParseWithLengthOpts(t->text, t->size + 1, &end, true);

	if (!root)
		return memory_ran_out ? error_set(err, "--classes %s: out of memory", t->path)
				      : refuse_syntax(t, end, err);
	if (cJSON_IsObject(root))
		status = read_object(t, root, err);
	else if (!cJSON_IsArray(root))
		status = refuse(t, "this JSON", "an object or a list", err);
	else if (cJSON_IsObject(root->child))
		status = read_categories(t, root, err);
	else
		status = read_names(t, "the list", root, err);
	cJSON_Delete(root);
	return status;
}
