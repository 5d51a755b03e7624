/*
 * Class files in YAML and JSON: trees of cJSON, which the same functions read. YAML's scalars are strings, and its
 * values have a line; JSON's have the key of the root that they are in.
 *
 * A tokenizer checks the whole of a JSON text, whose size class_open.c limits, and finds the value that holds the
 * classes. Only that value becomes a tree, since a COCO file also holds its annotations.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/hash.h"
#include "base/json_pull.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "base/table.h"
#include "read/class_text.h"
#include "read/small_json.h"
#include "read/small_yaml.h"
#include "read/vocabulary.h"

enum { IGNORE_LABEL = 255 }; /* Ultralytics' masks have it */

/* Keys of a JSON object. The first one here that holds classes counts; the others tell what the file is. */
enum root_key {
	ID2LABEL,
	CATEGORIES,
	LABELS,
	FEATURES,
	NO_KEY, /* the whole text: a list, or a map of ids to names or names to ids */
	FILE_ENDING = NO_KEY,
	CHANNEL_NAMES,
	MODALITY,
	NUM_TRAINING,
	ANNOTATIONS,
	LABEL2ID,
	REGIONS_ORDER,
	ROOT_KEYS,
};
#define BIT(key) (1u << (key))

static const char *const root_keys[ROOT_KEYS] = {
	"id2label", "categories",  "labels",      "features", "file_ending",         "channel_names",
	"modality", "numTraining", "annotations", "label2id", "regions_class_order",
};

/* Returns where a value is, for messages: its line and column in YAML, the key in JSON. */
static const char *place(const struct class_file *f, const cJSON *value, const char *key, char line[40])
{
	if (f->form != CLASS_YAML)
		return key;
	snprintf(line, 40, "line %zu, column %d", small_yaml_line(value), small_yaml_column(value));
	return line;
}

static enum status refuse(const struct class_file *f, const cJSON *value, const char *key, const char *expected)
{
	char line[40];

	return class_fail(f, place(f, value, key, line), "expected %s", expected);
}

static const cJSON *get(const cJSON *map, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(map, key);
}

/* ---- values of both ---------------------------------------------------------------------------------------------- */

static enum status add_name(struct class_file *f, const char *key, int64_t id, const cJSON *name)
{
	char line[40];

	if (!cJSON_IsString(name))
		return refuse(f, name, key, "the name of a class");
	return class_add(f, place(f, name, key, line), id, name->valuestring, strlen(name->valuestring));
}

/* Reads ["background", ...]. */
static enum status read_names(struct class_file *f, const char *key, const cJSON *list)
{
	int64_t id = 0;

	for (const cJSON *item = list->child; item; item = item->next)
		if (add_name(f, key, id++, item) != STATUS_OK)
			return STATUS_FAILED;
	return STATUS_OK;
}

/* Reads {"0": "background", ...}. */
static enum status read_id_to_name(struct class_file *f, const char *key, const cJSON *map)
{
	for (const cJSON *item = map->child; item; item = item->next) {
		char line[40];
		int64_t id = 0;

		if (class_scan_id(f, place(f, item, key, line), item->string, strlen(item->string), &id) != STATUS_OK ||
		    add_name(f, key, id, item) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* Refuses a key that is twice: loaders keep the last one alone. */
static enum status check_keys(struct class_file *f, const char *key, const cJSON *map)
{
	struct hash_set keys = { 0 };
	const cJSON *again = NULL;
	char line[40];

	for (const cJSON *item = map->child; item; item = item->next)
		if (!again && !hash_set_add(&keys, hash_bytes(hash_seed(), item->string, strlen(item->string))))
			again = item;
	hash_set_release(&keys);
	return again ? class_fail(f, place(f, again, key, line), "'%.40s' stands twice; loaders keep the last one",
				  again->string)
		     : STATUS_OK;
}

/* ---- YAML -------------------------------------------------------------------------------------------------------- */

/* Reads an id, which may be negative. */
static bool scan_id(const char *s, int64_t *id)
{
	return s && scan_int64(&s, id) && !*s && *id <= CLASS_ID_MAX;
}

/*
 * Makes the classes those of the files by {0: ignore_label, 7: 0, 8: 1}: each id that is mapped has the name of its
 * class; one that is not there is trained as it is. names: a list, a map, or NULL.
 */
static enum status read_mapping(struct class_file *f, const cJSON *map, const cJSON *names)
{
	struct class_set *set = f->set;
	const int64_t classes = set->classes.count ? set->classes.v[0].last + 1 : 0;

	for (const cJSON *item = map->child; item; item = item->next) {
		int64_t from, to = -1;
		char line[40], key[24];

		if (!scan_id(item->string, &from))
			return refuse(f, item, NULL, "label_mapping with ids: {7: 0, 8: 1, 255: ignore_label}");
		if (!cJSON_IsString(item) ||
		    (strcmp(item->valuestring, "ignore_label") != 0 && !scan_id(item->valuestring, &to)))
			return refuse(f, item, NULL, "a class id, or ignore_label");
		if (to < 0 || to == IGNORE_LABEL) {
			id_ranges_add(&set->ignored, from, from);
			continue;
		}
		if (to >= classes || from < 0)
			return class_fail(f, place(f, item, NULL, line),
					  from < 0 ? "label_mapping: no file has the class id %" PRId64
						   : "label_mapping: there is no class %" PRId64,
					  from < 0 ? from : to);
		snprintf(key, sizeof(key), "%" PRId64, to);
		const cJSON *name = cJSON_IsArray(names) ? cJSON_GetArrayItem(names, (int)to) : get(names, key);

		id_ranges_add(&set->classes, from, from);
		if (name)
			class_set_name(set, (size_t)from, name->valuestring);
		set->names_shared = true;
	}
	return STATUS_OK;
}

static bool are_ids(const cJSON *value)
{
	return cJSON_IsString(value) && !value->valuestring[strspn(value->valuestring, "0123456789,- ")];
}

/* Reads names of labelaudit.yaml: {0: road, 7: car}, or [road, car]. */
static enum status read_listed(struct class_file *f, const cJSON *names)
{
	for (const cJSON *item = cJSON_IsArray(names) ? names->child : NULL; item; item = item->next)
		if (are_ids(item))
			return refuse(
				f, item, NULL,
				"the name of a class: ids are a text, \"0-18,33\", and a name of digits stands in a "
				"map, {0: \"7\"}");
	return cJSON_IsArray(names) ? read_names(f, NULL, names) : read_id_to_name(f, NULL, names);
}

/* Reads classes of labelaudit.yaml: names, 21, or 0-18,33. */
static enum status read_classes(struct class_file *f, const cJSON *value)
{
	if (cJSON_IsObject(value) || cJSON_IsArray(value))
		return read_listed(f, value);
	if (!are_ids(value))
		return refuse(f, value, NULL, "a list of names, a map from ids to names, a count, or a list of ids");
	return class_set_parse_classes(f->set, value->valuestring, f->err);
}

enum status class_names_read(struct class_set *s, const struct cJSON *names, const char *path, struct error *err)
{
	struct class_file f = { .path = path, .err = err, .form = CLASS_YAML, .set = s };

	return read_listed(&f, names);
}

/* Reads ignore of labelaudit.yaml: 255, or [255, -1]. */
static enum status read_ignore(struct class_file *f, const cJSON *value)
{
	for (const cJSON *item = cJSON_IsArray(value) ? value->child : value; item; item = item->next) {
		if (!cJSON_IsString(item))
			return refuse(f, item, NULL, "ids that are ignored");
		if (class_set_parse_ignore(f->set, item->valuestring, f->err) != STATUS_OK)
			return STATUS_FAILED;
		if (item == value)
			break;
	}
	return STATUS_OK;
}

/* Reads nc and names, whose ids are 0..nc-1, as loaders want them. */
static enum status read_yolo(struct class_file *f, const cJSON *nc, const cJSON *names)
{
	const struct id_ranges *classes = &f->set->classes;
	int64_t count = 0;
	char line[40];

	if (nc && !cJSON_IsString(nc))
		return refuse(f, nc, NULL, "the number of classes");
	if (nc &&
	    class_scan_id(f, place(f, nc, NULL, line), nc->valuestring, strlen(nc->valuestring), &count) != STATUS_OK)
		return STATUS_FAILED;
	if (!names) {
		if (count)
			id_ranges_add(&f->set->classes, 0, count - 1);
		return STATUS_OK;
	}
	if (!cJSON_IsArray(names) && !cJSON_IsObject(names))
		return refuse(f, names, NULL, "a list of names, or a map from ids to names");
	if ((cJSON_IsArray(names) ? read_names(f, NULL, names) : read_id_to_name(f, NULL, names)) != STATUS_OK)
		return STATUS_FAILED;
	if (nc && (size_t)count != f->entries)
		return class_fail(f, NULL, "nc is %" PRId64 ", but there are %zu names", count, f->entries);
	if (classes->count > 1 || (classes->count && classes->v[0].first != 0))
		return class_fail(f, NULL, "names has %zu classes, so their ids must be 0-%zu; %" PRId64 " is missing",
				  f->entries, f->entries - 1, classes->v[0].first ? 0 : classes->v[0].last + 1);
	return STATUS_OK;
}

static enum status read_yaml(struct class_file *f)
{
	const cJSON *root = f->values, *names = get(root, "names"), *nc = get(root, "nc"),
		    *classes = get(root, "classes"), *ignore = get(root, "ignore"),
		    *mapping = get(root, "label_mapping");

	if (!cJSON_IsObject(root))
		return refuse(f, root, NULL, "keys, with names among them");
	if (check_keys(f, NULL, root) != STATUS_OK)
		return STATUS_FAILED;
	if (ignore && read_ignore(f, ignore) != STATUS_OK)
		return STATUS_FAILED;
	if (names || nc) {
		if (read_yolo(f, nc, names) != STATUS_OK)
			return STATUS_FAILED;
		return cJSON_IsObject(mapping) ? read_mapping(f, mapping, names) : STATUS_OK;
	}
	if (!classes)
		return class_fail(f, NULL, "this YAML has neither names, nc nor classes; " CLASSES_INSTEAD);
	if (get(root, "preset") || get(root, "colors") || get(root, "reduce-zero-label"))
		return class_fail(f, NULL, "it has settings beside its classes; pass --config %s", f->path);
	return read_classes(f, classes);
}

/* Adds what a split names. A value that is no path is taken for one, so that it is refused and not forgotten. */
static bool add_path(struct training_config *c, const char *key, const cJSON *value)
{
	const bool text = cJSON_IsString(value);

	if (cJSON_IsNull(value) || (text && !*value->valuestring))
		return true;
	if (c->count == TRAINING_PATHS_MAX)
		return false;
	c->paths[c->count++] =
		(struct training_path){ key, text ? value->valuestring : "(no path)", small_yaml_line(value) };
	return true;
}

/* Takes the paths of a data.yaml; returns false if there are too many. */
static bool take_paths(struct training_config *c, const cJSON *root)
{
	static const char *const splits[] = { "train", "val", "validation", "test" };

	for (size_t i = 0; i < ARRAY_SIZE(splits); i++) {
		const cJSON *value = get(root, splits[i]);
		bool good = !value || cJSON_IsArray(value) || add_path(c, splits[i], value);

		for (const cJSON *item = cJSON_IsArray(value) ? value->child : NULL; item && good; item = item->next)
			good = add_path(c, splits[i], item);
		if (!good)
			return false;
	}
	c->root = cJSON_GetStringValue(get(root, "path"));
	c->masks_dir = cJSON_GetStringValue(get(root, "masks_dir"));
	return true;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Returns whether a text, which may be NULL, is a class id: nnU-Net takes {"background": "0"}, too. */
static bool is_text_of_id(const char *text, int64_t *id)
{
	return text && scan_id(text, id) && *id >= 0 && *id <= CLASS_ID_MAX;
}

/* Returns whether the value is a class id. */
static bool is_id(const cJSON *item, int64_t *id)
{
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || item->valuedouble > CLASS_ID_MAX)
		return false;
	*id = (int64_t)item->valuedouble;
	return (double)*id == item->valuedouble;
}

/*
 * Adds the ids of nnU-Net's regions, {"whole tumor": [1, 2, 3], "core": [2, 3]}, that have no name yet. The last region
 * comes first: the inner ones come last, and give the more telling name.
 */
static enum status read_regions(struct class_file *f, const char *key, const cJSON *map)
{
	const cJSON *item = map->child ? map->child->prev : NULL;

	for (; item; item = item == map->child ? NULL : item->prev) {
		const char *name = item->string;
		int64_t id = 0;

		for (const cJSON *e = cJSON_IsArray(item) ? item->child : NULL; e; e = e->next) {
			if (!is_id(e, &id))
				return refuse(f, e, name, "a list of class ids");
			if (!id_ranges_contain(&f->set->classes, id) &&
			    class_add(f, key, id, name, strlen(name)) != STATUS_OK)
				return STATUS_FAILED;
		}
	}
	return STATUS_OK;
}

/*
 * Refuses labels that nnU-Net 2 refuses (LabelManager, verify_dataset_integrity), or 1, whose dataset.json has no
 * file_ending. ignored: the id of `ignore`, or -1.
 */
static enum status check_nnunet(const struct class_file *f, const cJSON *map, int64_t ignored)
{
	const unsigned second = BIT(FILE_ENDING) | BIT(CHANNEL_NAMES), first = BIT(MODALITY) | BIT(NUM_TRAINING);
	const struct id_ranges *classes = &f->set->classes;
	const int64_t top = classes->count ? classes->v[classes->count - 1].last : -1;
	bool regions = false; /* a list of one is a label */
	int64_t id;

	if (!(f->keys & (first | second)) || !classes->count)
		return STATUS_OK;
	if (cJSON_IsArray(get(map, "ignore")))
		return class_fail(f, "labels", "ignore is a list; nnU-Net wants an id");
	for (const cJSON *item = map->child; item; item = item->next)
		regions |= cJSON_GetArraySize(item) > 1;
	if ((f->keys & second) && is_text_of_id(map->child->string, &id))
		return class_fail(f, "labels", "nnU-Net 2 wants {name: id}; {id: name} is the form of nnU-Net 1");
	if (ignored >= 0 && ignored != top + 1)
		return class_fail(f, "labels",
				  "ignore is %" PRId64 "; nnU-Net wants the next id after the last class, %" PRId64,
				  ignored, top + 1);
	if (classes->v[0].first || classes->count > 1)
		return class_fail(f, "labels", "nnU-Net wants ids from 0 on without a gap; %" PRId64 " is missing",
				  classes->v[0].first ? 0 : classes->v[0].last + 1);
	if (!(f->keys & second))
		return STATUS_OK;
	const char *background = class_set_get_name(f->set, 0);

	if (cJSON_IsArray(get(map, "background")) || !background || strcmp(background, "background") != 0)
		return class_fail(f, "labels", "nnU-Net wants the label 'background', with id 0");
	if (regions && !(f->keys & BIT(REGIONS_ORDER)))
		return class_fail(f, "labels", "nnU-Net wants regions_class_order beside labels that are regions");
	return STATUS_OK;
}

/* Reads {"background": 0, ...}. nnU-Net also has regions, and `ignore`. */
static enum status read_name_to_id(struct class_file *f, const char *key, const cJSON *map, bool nnunet)
{
	int64_t ignored = -1;

	for (const cJSON *item = map->child; item; item = item->next) {
		const char *name = item->string;
		int64_t id = 0;

		if (nnunet && cJSON_IsArray(item))
			continue;
		if (!is_id(item, &id) && !(nnunet && is_text_of_id(item->valuestring, &id)))
			return refuse(f, item, name, "a class id");
		if (nnunet && !strcmp(name, "ignore"))
			id_ranges_add(&f->set->ignored, ignored = id, id);
		else if (class_add(f, key, id, name, strlen(name)) != STATUS_OK)
			return STATUS_FAILED;
	}
	if (nnunet && read_regions(f, key, map) != STATUS_OK)
		return STATUS_FAILED;
	return nnunet ? check_nnunet(f, map, ignored) : STATUS_OK;
}

/* Reads a map of ids to names if its first value is a string, else of names to ids. */
static enum status read_map(struct class_file *f, const char *key, const cJSON *map, bool nnunet)
{
	int64_t id;

	if (!cJSON_IsObject(map))
		return refuse(f, map, key, "an object; else " CLASSES_INSTEAD);
	if (cJSON_IsString(map->child) && (!nnunet || is_text_of_id(map->child->string, &id))) {
		if (read_id_to_name(f, key, map) != STATUS_OK)
			return STATUS_FAILED;
		return nnunet ? check_nnunet(f, map, -1) : STATUS_OK;
	}
	return check_keys(f, key, map) == STATUS_OK ? read_name_to_id(f, key, map, nnunet) : STATUS_FAILED;
}

/* Refuses names that label2id gives another id than id2label does, or none. */
static enum status compare_label2id(const struct class_file *f)
{
	struct fault fault = FAULT_INIT;
	struct hash_set names = { 0 };
	cJSON *map = small_json_parse(f->inverse, f->inverse_size, &fault);
	enum status status = map ? STATUS_OK : class_fault(f, &fault);

	for (const cJSON *item = cJSON_IsObject(map) ? map->child : NULL; item && status == STATUS_OK;
	     item = item->next) {
		int64_t id = 0;
		const char *name = is_id(item, &id) ? class_set_get_name(f->set, id) : NULL;

		hash_set_add(&names, hash_bytes(hash_seed(), item->string, strlen(item->string)));
		if (!name || strcmp(name, item->string) != 0)
			status =
				class_fail(f, "label2id", "'%.40s' is not the class that id2label gives this id%s%.40s",
					   item->string, name ? ": " : "", name ? name : "");
	}
	for (size_t id = 0; id < f->set->names_count && status == STATUS_OK; id++) {
		const char *name = f->set->names[id];

		if (name && hash_set_add(&names, hash_bytes(hash_seed(), name, strlen(name))))
			status = class_fail(f, "label2id", "it lacks '%.40s', class %zu of id2label", name, id);
	}
	hash_set_release(&names);
	cJSON_Delete(map);
	return status;
}

/* Reads the id2label of a model's configuration, which has an output for each: ids from 0 on. */
static enum status read_id2label(struct class_file *f)
{
	const struct id_ranges *classes = &f->set->classes;

	if (read_map(f, root_keys[ID2LABEL], f->values, false) != STATUS_OK)
		return STATUS_FAILED;
	if (classes->count > 1 || (classes->count && classes->v[0].first))
		return class_fail(f, root_keys[ID2LABEL],
				  "the model has %zu outputs, so the ids must be 0-%zu; %" PRId64 " is missing",
				  f->entries, f->entries - 1, classes->v[0].first ? 0 : classes->v[0].last + 1);
	return f->inverse ? compare_label2id(f) : STATUS_OK;
}

/* Reads [{"id": 1, "name": "person"}, ...], with gaps, in any order. */
static enum status read_categories(struct class_file *f, const cJSON *list)
{
	size_t at = 0;

	if (!cJSON_IsArray(list))
		return refuse(f, list, "categories", "a list of {\"id\": ..., \"name\": ...}");
	for (const cJSON *item = list->child; item; item = item->next) {
		char where[40];
		int64_t id = 0;

		snprintf(where, sizeof(where), "categories[%zu]", at++);
		if (!is_id(get(item, "id"), &id))
			return refuse(f, item, where, "an \"id\" that is a class id; else " CLASSES_INSTEAD);
		if (add_name(f, where, id, get(item, "name")) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* Finds the lists of names of all class labels in Hugging Face's features; *names is the first. Returns how many. */
static size_t find_class_labels(const cJSON *value, const cJSON **names, unsigned depth)
{
	enum { FEATURES_DEPTH_MAX = 16 };
	const char *type = cJSON_GetStringValue(get(value, "_type"));
	const cJSON *list = get(value, "names");
	size_t count = 0;

	if (type && !strcmp(type, "ClassLabel") && cJSON_IsArray(list)) {
		*names = *names ? *names : list;
		return 1;
	}
	for (const cJSON *item = depth < FEATURES_DEPTH_MAX ? value->child : NULL; item; item = item->next)
		count += find_class_labels(item, names, depth + 1);
	return count;
}

/* Reads {"label": {"names": [...], "_type": "ClassLabel"}, ...}. */
static enum status read_features(struct class_file *f, const cJSON *value)
{
	const cJSON *names = NULL;
	size_t count = find_class_labels(value, &names, 0);

	if (count != 1)
		return class_fail(f, "features",
				  "expected one ClassLabel with its names, but there are %zu; give the "
				  "names with --classes",
				  count);
	return read_names(f, "features", names);
}

/* Returns the key of the root that holds the classes, or NO_KEY. */
static enum root_key key_of_classes(const struct class_file *f)
{
	enum root_key key = 0;

	while (key < NO_KEY && !(f->keys & BIT(key)))
		key++;
	return key;
}

static enum status read_json(struct class_file *f)
{
	const enum root_key key = key_of_classes(f);

	switch (key) {
	case CATEGORIES:
		return read_categories(f, f->values);
	case ID2LABEL:
		return read_id2label(f);
	case LABELS:
		return read_map(f, root_keys[key], f->values, true);
	case FEATURES:
		return read_features(f, f->values);
	default:
		return cJSON_IsArray(f->values) ? read_categories(f, f->values)
						: read_map(f, "the map", f->values, false);
	}
}

/* Checks the syntax of the whole text, and finds the keys of the root and *part, the value that holds the classes. */
static enum status find_part(struct class_file *f, const char **part, size_t *size)
{
	bool is_map = true;
	const char *again = NULL;
	struct vocabulary model;
	struct json_pull p;

	*part = f->text;
	*size = f->size;
	json_open_memory(&p, f->text, f->size, 0);
	enum json_token token = json_next(&p);

	if (token == JSON_ARRAY)
		json_skip(&p, token);
	while (token != JSON_END && token != JSON_FAULT) {
		bool digits = true;
		enum root_key key = 0;

		if ((token = json_next(&p)) != JSON_KEY)
			continue;
		for (size_t i = 0; i < p.text_len; i++)
			digits = digits && ascii_isdigit(p.text[i]);
		while (key < ROOT_KEYS && !json_text_is(&p, root_keys[key]))
			key++;
		token = json_next(&p);
		const char *value = f->text + p.token_offset;

		is_map = is_map && (token == JSON_STRING ? digits : token == JSON_NUMBER);
		if (!json_skip(&p, token))
			break;
		if (key == ROOT_KEYS)
			continue;
		const size_t length = (size_t)(f->text + json_end_offset(&p) - value);

		again = f->keys & BIT(key) ? root_keys[key] : again;
		if (key < key_of_classes(f)) {
			*part = value;
			*size = length;
		}
		if (key == LABEL2ID) {
			f->inverse = value;
			f->inverse_size = length;
		}
		f->keys |= BIT(key);
	}
	json_close(&p);
	if (p.fault.kind != FAULT_NONE)
		return class_fault(f, &p.fault);
	if (again)
		return class_fail(f, NULL, "'%s' stands twice; loaders keep the last one", again);
	if (key_of_classes(f) == NO_KEY && (f->rows = vocabulary_read_model(&model, f->path)) > 0)
		return model.size <= f->rows ? STATUS_OK
					     : class_fail(f, NULL,
							  "%s is %" PRIu64 ", but the table of embeddings has %" PRIu64
							  " rows: \"index out of range\" as soon as that id occurs",
							  model.largest, model.size - 1, f->rows);
	if (key_of_classes(f) == NO_KEY && !is_map)
		return class_fail(f, NULL, "this JSON has neither id2label, labels nor categories; " CLASSES_INSTEAD);
	return STATUS_OK;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

enum status class_file_parse(struct class_file *f)
{
	struct fault fault = FAULT_INIT;
	const char *part;
	size_t size;

	if (f->form == CLASS_YAML)
		f->values = small_yaml_parse(f->text, f->size, NULL, &fault);
	else if (find_part(f, &part, &size) == STATUS_OK)
		f->values = small_json_parse(part, size, &fault);
	else
		return STATUS_FAILED;
	return f->values ? STATUS_OK : class_fault(f, &fault);
}

enum status class_file_tree(struct class_file *f)
{
	if (f->rows) {
		id_ranges_add(&f->set->classes, 0, (int64_t)f->rows - 1);
		return STATUS_OK;
	}
	return f->form == CLASS_YAML ? read_yaml(f) : read_json(f);
}

/* Reads the ids of a list. Returns how many there are; SIZE_MAX: one is none, or there are more than max. */
static size_t read_ids(const cJSON *list, int64_t *ids, size_t max)
{
	size_t count = 0;

	if (!cJSON_IsArray(list))
		return SIZE_MAX;
	for (const cJSON *item = list->child; item; item = item->next)
		if (count == max || !scan_id(cJSON_GetStringValue(item), &ids[count++]))
			return SIZE_MAX;
	return count;
}

enum { KEYPOINTS_MAX = 10000 }; /* a limit to the arithmetic; the largest public set has 133 */

/* Takes kpt_shape, [keypoints, 2 or 3]. Returns false if it is there and something else. */
static bool take_keypoints(struct yolo_form *form, const cJSON *root)
{
	const cJSON *shape = get(root, "kpt_shape");
	int64_t v[2];

	if (!shape || cJSON_IsNull(shape))
		return true;
	if (read_ids(shape, v, 2) != 2 || v[0] < 1 || v[0] > KEYPOINTS_MAX || (v[1] != 2 && v[1] != 3))
		return false;
	*form = (struct yolo_form){ TASK_POSE, (uint32_t)v[0], (uint32_t)v[1] };
	return true;
}

/* Takes kpt_shape and task. Values that are none of these are left to Ultralytics. */
static void take_yolo_form(struct yolo_form *form, const cJSON *root)
{
	static const char *const tasks[] = {
		[TASK_DETECT] = "detect", [TASK_SEGMENT] = "segment", [TASK_POSE] = "pose", [TASK_OBB] = "obb"
	};
	const cJSON *task = get(root, "task");

	take_keypoints(form, root);
	for (size_t i = TASK_DETECT; cJSON_IsString(task) && i < ARRAY_SIZE(tasks); i++)
		if (!strcmp(task->valuestring, tasks[i]))
			form->task = (enum yolo_task)i;
}

/* Reads flip_idx: for each keypoint the one that it becomes in a mirrored image. */
enum status class_file_check_keypoints(const struct class_file *f)
{
	const cJSON *flip = get(f->values, "flip_idx");
	struct yolo_form form = { 0 };
	int64_t ids[KEYPOINTS_MAX];
	char line[40];

	if (f->form != CLASS_YAML)
		return STATUS_OK;
	if (!take_keypoints(&form, f->values))
		return refuse(f, get(f->values, "kpt_shape"), NULL,
			      "kpt_shape: [the number of keypoints, 2 or 3 numbers for each]");
	if (!flip || cJSON_IsNull(flip) || !form.keypoints || (cJSON_IsArray(flip) && !flip->child))
		return STATUS_OK;
	const size_t count = read_ids(flip, ids, ARRAY_SIZE(ids));

	if (count == SIZE_MAX)
		return refuse(f, flip, NULL, "flip_idx: a list of the numbers of keypoints");
	if (count != form.keypoints)
		return class_fail(f, place(f, flip, NULL, line),
				  "flip_idx has %zu numbers for the %" PRIu32 " keypoints of kpt_shape", count,
				  form.keypoints);
	for (size_t i = 0; i < count; i++)
		if (ids[i] < 0 || (uint64_t)ids[i] >= count || ids[ids[i]] != (int64_t)i)
			return class_fail(f, place(f, flip, NULL, line),
					  "flip_idx: keypoint %zu becomes %" PRId64
					  ", which %s; it pairs left and right: each is the other's",
					  i, ids[i],
					  ids[i] < 0 || (uint64_t)ids[i] >= count ? "does not exist"
										  : "does not become it again");
	return STATUS_OK;
}

void class_file_training(const struct class_file *f, struct training_config *c)
{
	const unsigned nnunet = BIT(FILE_ENDING) | BIT(CHANNEL_NAMES) | BIT(MODALITY) | BIT(NUM_TRAINING);
	const char *name = file_name_of(f->path);

	*c = (struct training_config){ .kind = TRAINING_NONE };
	if (f->form == CLASS_YAML && (get(f->values, "names") || get(f->values, "nc"))) {
		if (take_paths(c, f->values) && c->count)
			c->kind = TRAINING_ULTRALYTICS;
		take_yolo_form(&c->yolo, f->values);
		c->mirrors = cJSON_GetArraySize(get(f->values, "flip_idx")) > 0;
	} else if (f->form == CLASS_JSON && !(f->keys & BIT(ANNOTATIONS))) {
		if (!strcmp(name, "dataset.json") && (f->keys & BIT(LABELS)) && (f->keys & nnunet))
			c->kind = TRAINING_NNUNET;
		else if (!strcmp(name, "dataset_info.json") && (f->keys & BIT(FEATURES)))
			c->kind = TRAINING_HUGGING_FACE;
	}
}
