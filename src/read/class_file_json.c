/*
 * Class files in JSON: nnU-Net's dataset.json, id2label of Hugging Face, COCO categories, and lists or maps of names.
 *
 * Read as a tree, from a text that class_file.c has limited. It keeps no positions, so only errors of syntax have a
 * line; the others name the key.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_tree.h"
#include "read/class_file_formats.h"

/*
 * What is kept of the text. Depth 4: a list of categories in an object, or a list of a label's ids. A value of the
 * 65536 categories that class_file.c allows may have 15 members, more than any format gives it. 56 MiB at most.
 */
static const char *const wanted_keys[] = { "id2label", "categories", "labels", "label_map", "names", NULL };
static const struct json_wanted wanted = { wanted_keys, 4, 1 << 20 };

static enum status refuse(const struct class_text *t, const char *key, const char *expected, struct error *err)
{
	return error_set(err, "--classes %s: %s: expected %s", t->path, key, expected);
}

static enum status add_name(struct class_text *t, const char *where, int64_t id, const struct json_node *name,
			    struct error *err)
{
	if (!json_is(name, JSON_STRING))
		return refuse(t, where, "the name of a class", err);
	return class_add(t, where, id, name->text, name->text_len, err);
}

/* A number that is a class id. */
static bool is_id(const struct json_node *item, int64_t *id)
{
	if (!json_is(item, JSON_NUMBER) || !(item->number >= 0) || item->number > CLASS_ID_MAX)
		return false;
	*id = (int64_t)item->number;
	return (double)*id == item->number;
}

/* {"0": "background", ...} */
static enum status read_id_to_name(struct class_text *t, const char *key, const struct json_node *map,
				   struct error *err)
{
	const struct json_node *item;

	for (item = map->child; item; item = item->next) {
		int64_t id = 0;

		if (class_scan_id(t, key, item->key, item->key_len, &id, err) != STATUS_OK ||
		    add_name(t, key, id, item, err) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* {"background": 0, ...}; nnU-Net: also lists of ids, whose classes have several names, and the label `ignore`. */
static enum status read_name_to_id(struct class_text *t, const char *key, const struct json_node *map, bool nnunet,
				   struct error *err)
{
	const struct json_node *item, *element;

	for (item = map->child; item; item = item->next) {
		const char *name = item->key;
		int64_t id = 0;

		if (nnunet && json_is(item, JSON_ARRAY)) {
			for (element = item->child; element; element = element->next) {
				if (!is_id(element, &id))
					return refuse(t, name, "a list of class ids", err);
				if (!id_ranges_contain(&t->set->classes, id) &&
				    class_add(t, key, id, name, item->key_len, err) != STATUS_OK)
					return STATUS_FAILED;
			}
			continue;
		}
		if (!is_id(item, &id))
			return refuse(t, name, "a class id", err);
		if (nnunet && !strcmp(name, "ignore"))
			id_ranges_add(&t->set->ignored, id, id);
		else if (class_add(t, key, id, name, item->key_len, err) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* Which way round a map is: its first value tells. */
static enum status read_map(struct class_text *t, const char *key, const struct json_node *map, bool nnunet,
			    struct error *err)
{
	if (!json_is(map, JSON_OBJECT))
		return refuse(t, key, "an object", err);
	if (json_is(map->child, JSON_STRING))
		return read_id_to_name(t, key, map, err);
	return read_name_to_id(t, key, map, nnunet, err);
}

/* ["background", ...] */
static enum status read_names(struct class_text *t, const char *key, const struct json_node *list, struct error *err)
{
	const struct json_node *item;
	int64_t id = 0;

	for (item = list->child; item; item = item->next) {
		if (add_name(t, key, id++, item, err) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* [{"id": 1, "name": "person"}, ...] with gaps, in any order. */
static enum status read_categories(struct class_text *t, const struct json_node *list, struct error *err)
{
	const struct json_node *item;
	size_t at = 0;

	if (!json_is(list, JSON_ARRAY))
		return refuse(t, "categories", "a list of {\"id\": ..., \"name\": ...}", err);
	for (item = list->child; item; item = item->next) {
		char where[40];
		int64_t id = 0;

		snprintf(where, sizeof(where), "categories[%zu]", at++);
		if (!is_id(json_member(item, "id"), &id))
			return refuse(t, where, "an \"id\" that is a class id", err);
		if (add_name(t, where, id, json_member(item, "name"), err) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

static enum status read_object(struct class_text *t, const struct json_node *root, struct error *err)
{
	const struct json_node *item;

	if ((item = json_member(root, "id2label")))
		return read_map(t, "id2label", item, false, err);
	if ((item = json_member(root, "categories")))
		return read_categories(t, item, err);
	if ((item = json_member(root, "labels"))) /* a list: datumaro's */
		return json_is(item, JSON_ARRAY) ? read_names(t, "labels", item, err)
						 : read_map(t, "labels", item, true, err);
	if ((item = json_member(root, "label_map"))) /* datumaro's dataset_meta.json */
		return read_map(t, "label_map", item, false, err);
	if ((item = json_member(root, "names")))
		return json_is(item, JSON_ARRAY) ? read_names(t, "names", item, err)
						 : read_map(t, "names", item, false, err);
	/* id2label.json: nothing but the map */
	for (item = root->child; item; item = item->next) {
		if (json_is(item, JSON_STRING) ? item->key[strspn(item->key, "0123456789")] != '\0'
					       : !json_is(item, JSON_NUMBER))
			return error_set(err,
					 "--classes %s: this JSON has neither id2label, labels, categories, label_map "
					 "nor names",
					 t->path);
	}
	return read_map(t, "the map", root, false, err);
}

enum status class_file_json(struct class_text *t, struct error *err)
{
	const struct json_node *root;
	struct json_tree tree;
	enum status status;

	if (!json_tree_read(&tree, t->text, t->size, &wanted))
		return tree.fault.line ? error_set(err, "--classes %s: line %" PRIu64 ", column %" PRIu64 ": %s",
						   t->path, tree.fault.line, tree.fault.column, tree.fault.text)
				       : error_set(err, "--classes %s: %s", t->path, tree.fault.text);
	root = tree.root;
	if (json_is(root, JSON_OBJECT))
		status = read_object(t, root, err);
	else if (!json_is(root, JSON_ARRAY))
		status = refuse(t, "this JSON", "an object or a list", err);
	else if (json_is(root->child, JSON_OBJECT))
		status = read_categories(t, root, err);
	else
		status = read_names(t, "the list", root, err);
	json_tree_free(&tree);
	return status;
}
