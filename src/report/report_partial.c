/* Writes and reads "partial", member by member: settings, counts, tables, splits, class folders, contents. */
#include "report/report_partial.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/mem.h"
#include "judge/role.h"

enum { NAMED_ID_MAX = 1 << 20 /* class files hold 65536 names at most */ };

/* The members are read into these. */
struct sums {
	struct settings *settings;
	struct dataset_stats *dataset;
	uint64_t contents_last;
};

/* ---- names of files ------------------------------------------------------------------------------------ */

static void begin_row(struct json_writer *w)
{
	json_begin_array(w, JSON_INLINE);
}

/* Writes the name of a file: a string, or an array of one string in base64 if the bytes are not UTF-8. */
static void write_path(struct json_writer *w, const char *path)
{
	size_t n = strlen(path);

	if (utf8_valid(path, n)) {
		json_string(w, path, n);
		return;
	}
	begin_row(w);
	json_base64(w, path, n);
	json_end(w);
}

static bool next_element(struct json_values *v)
{
	return values_element(v) || values_fail(v, "a row that ends too early");
}

/* The caller frees *out. */
static bool read_path(struct json_values *v, char **out)
{
	bool is_array = v->token == JSON_ARRAY;
	const char *s = !is_array ? values_string(v) : next_element(v) ? values_base64(v) : NULL;

	if (s)
		*out = xstrdup(s);
	return s && (!is_array || values_array_end(v));
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

enum column_type { COLUMN_U8, COLUMN_U16, COLUMN_U32, COLUMN_U64, COLUMN_I64, COLUMN_PATH, COLUMN_PATH_OR_NULL };

/* A member of a struct that becomes one element of an array, or several if the member is an array itself. */
struct column {
	enum column_type type;
	size_t offset, size; /* of the member */
	bool may_end;        /* the row ends before the first element that is 0 or NULL */
};

#define COLUMN(type, row, member)                                                                               \
	{                                                                                                       \
		COLUMN_##type, offsetof(struct row, member), sizeof(((const struct row *)NULL)->member), false, \
	}
#define COLUMN_OR_END(type, row, member)                                                                       \
	{                                                                                                      \
		COLUMN_##type, offsetof(struct row, member), sizeof(((const struct row *)NULL)->member), true, \
	}

static const size_t column_sizes[] = {
	[COLUMN_U8] = 1,
	[COLUMN_U16] = 2,
	[COLUMN_U32] = 4,
	[COLUMN_U64] = 8,
	[COLUMN_I64] = 8,
	[COLUMN_PATH] = sizeof(char *),
	[COLUMN_PATH_OR_NULL] = sizeof(char *),
};

/* A growing array of struct dataset_stats. */
struct rows {
	const struct column *columns;
	size_t columns_count;
	size_t keys;          /* the rows are sorted by this many columns */
	size_t size, max;     /* of a row in memory; number of rows */
	size_t v, count, cap; /* offsets in struct dataset_stats */
};

#define ROWS(columns, keys, size, max, v, count, cap)                                               \
	{                                                                                           \
		columns, ARRAY_SIZE(columns), keys, size, max, offsetof(struct dataset_stats, v),   \
			offsetof(struct dataset_stats, count), offsetof(struct dataset_stats, cap), \
	}

static int64_t load_integer(enum column_type type, const void *p)
{
	return type == COLUMN_U8    ? *(const uint8_t *)p
	       : type == COLUMN_U16 ? *(const uint16_t *)p
	       : type == COLUMN_U32 ? *(const uint32_t *)p
				    : *(const int64_t *)p;
}

static void write_cell(struct json_writer *w, enum column_type type, const void *p)
{
	if (type == COLUMN_U64)
		json_u64(w, *(const uint64_t *)p);
	else if (type < COLUMN_PATH)
		json_i64(w, load_integer(type, p));
	else if (*(const char *const *)p)
		write_path(w, *(const char *const *)p);
	else
		json_null(w);
}

/* Appends the members of a struct to the current array. */
static void write_columns(struct json_writer *w, const struct column *columns, size_t n, const void *row)
{
	static const char none[sizeof(uint64_t)];

	for (const struct column *c = columns; c < columns + n; c++) {
		const char *member = (const char *)row + c->offset;

		for (size_t i = 0; i < c->size; i += column_sizes[c->type]) {
			if (c->may_end && !memcmp(member + i, none, column_sizes[c->type]))
				return;
			write_cell(w, c->type, member + i);
		}
	}
}

static bool read_cell(struct json_values *v, enum column_type type, void *out)
{
	uint64_t n;

	if (type >= COLUMN_PATH)
		return (type == COLUMN_PATH_OR_NULL && values_null(v)) || read_path(v, out);
	if (type == COLUMN_I64)
		return values_i64(v, out);
	if (!values_u64(v, &n))
		return false;
	if (type != COLUMN_U64 && n > (type == COLUMN_U8 ? UINT8_MAX : type == COLUMN_U16 ? UINT16_MAX : UINT32_MAX))
		return values_fail(v, "the number is too large");
	if (type == COLUMN_U8)
		*(uint8_t *)out = (uint8_t)n;
	else if (type == COLUMN_U16)
		*(uint16_t *)out = (uint16_t)n;
	else if (type == COLUMN_U32)
		*(uint32_t *)out = (uint32_t)n;
	else
		*(uint64_t *)out = n;
	return true;
}

/* Reads a member of a struct that is all 0 from the next elements. *ended: the row has ended before, as it may. */
static bool read_column(struct json_values *v, const struct column *c, void *row, bool *ended)
{
	for (size_t i = 0; i < c->size; i += column_sizes[c->type]) {
		*ended = !values_element(v);
		if (*ended)
			return (c->may_end && !v->failed) || values_fail(v, "a row that ends too early");
		if (!read_cell(v, c->type, (char *)row + c->offset + i))
			return false;
	}
	return true;
}

/* Reads the elements of the current array, to its end, into the members of a struct that is all 0. */
static bool read_columns(struct json_values *v, const struct column *columns, size_t n, void *row)
{
	bool ended = false;

	for (const struct column *c = columns; c < columns + n && !ended; c++)
		if (!read_column(v, c, row, &ended))
			return false;
	return ended || values_array_end(v);
}

static void write_rows(struct json_writer *w, const struct rows *t, const struct dataset_stats *d)
{
	size_t count = *(const size_t *)(const void *)((const char *)d + t->count);
	const char *row;

	memcpy(&row, (const char *)d + t->v, sizeof(row));
	for (; count; count--, row += t->size) {
		begin_row(w);
		write_columns(w, t->columns, t->columns_count, row);
		json_end(w);
	}
}

static bool is_sorted(const struct rows *t, const char *a, const char *b)
{
	for (const struct column *c = t->columns; c < t->columns + t->keys; c++) {
		if (c->type == COLUMN_PATH) {
			int order = strcmp(*(char *const *)(const void *)(a + c->offset),
					   *(char *const *)(const void *)(b + c->offset));

			if (order)
				return order < 0;
			continue;
		}
		int64_t of_a = load_integer(c->type, a + c->offset), of_b = load_integer(c->type, b + c->offset);

		if (of_a != of_b)
			return of_a < of_b;
	}
	return false;
}

/* Reads the elements of the current array, to its end. */
static bool read_rows(struct json_values *v, const struct rows *t, struct dataset_stats *d)
{
	size_t *count = (void *)((char *)d + t->count), *cap = (void *)((char *)d + t->cap);
	char *first;

	while (values_element(v)) {
		memcpy(&first, (char *)d + t->v, sizeof(first));
		first = mem_room(first, cap, *count + 1, t->size);
		memcpy((char *)d + t->v, &first, sizeof(first));
		char *row = first + t->size * (*count)++;

		memset(row, 0, t->size);
		if (!values_array(v) || !read_columns(v, t->columns, t->columns_count, row))
			return false;
		if (*count > t->max || (*count > 1 && !is_sorted(t, row - t->size, row)))
			return values_fail(v, "the rows are not sorted, or too many");
	}
	return !v->failed;
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

static void write_max_findings(struct json_writer *w, const struct report *r)
{
	json_u64(w, r->settings->max_findings);
}

static bool read_max_findings(struct json_values *v, struct sums *s)
{
	return values_u64(v, &s->settings->max_findings);
}

/* Images of this part lie flat in one folder: then those of no other part are missed. */
static void write_images_flat(struct json_writer *w, const struct report *r)
{
	json_bool(w, r->dataset->images_flat);
}

static bool read_images_flat(struct json_values *v, struct sums *s)
{
	return values_bool(v, &s->dataset->images_flat);
}

/* Levels other than the rule's own. */
static void write_levels(struct json_writer *w, const struct report *r)
{
	for (size_t i = 0; i < rule_count; i++)
		if (r->settings->rule_levels[i] != rule_table[i]->level)
			json_key_text(w, rule_table[i]->name, level_name(r->settings->rule_levels[i]));
}

static bool read_levels(struct json_values *v, struct sums *s)
{
	while (values_member(v)) {
		const struct rule *rule = rule_find(v->key);

		if (!rule)
			return values_fail(v, "this version does not know a rule of this name");
		values_level(v, true, &s->settings->rule_levels[rule_index(rule)]);
	}
	return !v->failed;
}

/* [id, name] */
static void write_names(struct json_writer *w, const struct report *r)
{
	const struct class_set *classes = &r->settings->classes;

	for (size_t i = 0; i < classes->names_count; i++) {
		if (!classes->names[i])
			continue;
		begin_row(w);
		json_u64(w, i);
		json_text(w, classes->names[i]);
		json_end(w);
	}
}

static bool read_names(struct json_values *v, struct sums *s)
{
	while (values_element(v)) {
		uint64_t id;
		const char *name;

		if (!values_array(v) || !values_next_u64(v, &id) || !next_element(v) || !(name = values_string(v)))
			return false;
		if (id > NAMED_ID_MAX)
			return values_fail(v, "a class with the number %" PRIu64 " has a name", id);
		class_set_name(&s->settings->classes, (size_t)id, name);
		if (!values_array_end(v))
			return false;
	}
	return !v->failed;
}

/* ---- counts of files -------------------------------------------------------------------------------------------- */

#define COUNT(key, member, n)                                    \
	{                                                        \
		key, offsetof(struct dataset_stats, member), (n) \
	}

static const struct {
	const char *key;
	size_t offset; /* of a uint64_t in struct dataset_stats, or of an array of them */
	size_t n;      /* 1: a number, else an array of n */
} counts[] = {
	COUNT("with_ids", files_with_ids, 1),
	COUNT("with_ignored", files_with_ignored, 1),
	COUNT("masks", masks_with_ids, 1),
	COUNT("only_zero", masks_only_zero, 1),
	COUNT("informative", informative_files, 1),
	COUNT("informative_flagged", informative_flagged, 1),
	COUNT("between", between, 2),
	COUNT("long_between", long_between, 2),
	COUNT("wide_edges", wide_edges, 2),
	COUNT("tested", tested_files, 1),
	COUNT("tested_flagged", tested_flagged, 1),
	COUNT("provisional_findings", provisional_findings, 1),
};

static void write_counts(struct json_writer *w, const struct report *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		uint64_t v[2];

		memcpy(v, (const char *)r->dataset + counts[i].offset, counts[i].n * sizeof(*v));
		json_key(w, counts[i].key);
		if (counts[i].n > 1)
			json_counts(w, v, counts[i].n);
		else
			json_u64(w, v[0]);
	}
}

static bool read_counts(struct json_values *v, struct sums *s)
{
	struct values_field fields[ARRAY_SIZE(counts)];

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		fields[i] =
			(struct values_field){ counts[i].key, .u64 = (void *)((char *)s->dataset + counts[i].offset),
					       .counts = counts[i].n > 1 ? counts[i].n : 0 };
	return values_fields(v, fields, ARRAY_SIZE(fields));
}

static const char *const tally_names[TALLIES] = {
	[TALLY_LACKS_LABEL] = "images_without_label",
	[TALLY_PALETTE_LUMA] = "palette_luma",
	[TALLY_ONE_BIT] = "one_bit",
	[TALLY_SIXTEEN_BIT] = "sixteen_bit",
	[TALLY_OVER_UINT8] = "over_uint8",
	[TALLY_EXPANDED] = "expanded",
	[TALLY_INTERPOLATION_WEAK] = "interpolation_weak",
	[TALLY_BOXES] = "boxes",
	[TALLY_POLYGONS] = "polygons",
	[TALLY_ORIENTED] = "oriented",
	[TALLY_POSES] = "poses",
	[TALLY_READ_BY_COLOURS] = "read_by_colours",
	[TALLY_READ_BY_IDS] = "read_by_ids",
	[TALLY_COCO_EMPTY] = "coco_without_annotations",
	[TALLY_COCO_UNLABELLED] = "coco_without_labels",
};

static const struct column tally_columns[] = { COLUMN(U64, tally, files), COLUMN(PATH, tally, example) };

/* Leaves out tallies of no file. */
static void write_tallies(struct json_writer *w, const struct report *r)
{
	for (size_t i = 0; i < TALLIES; i++) {
		const struct tally *t = &r->dataset->tallies[i];

		if (!t->files)
			continue;
		json_key_array(w, tally_names[i], JSON_INLINE);
		write_columns(w, tally_columns, ARRAY_SIZE(tally_columns), t);
		json_end(w);
	}
}

static bool read_tally_member(struct json_values *v, void *context)
{
	struct tally *t = context;

	if (t->example)
		return values_fail(v, "it occurs twice");
	return values_array(v) && read_columns(v, tally_columns, ARRAY_SIZE(tally_columns), t);
}

static bool read_tallies(struct json_values *v, struct sums *s)
{
	struct values_field fields[TALLIES];

	for (size_t i = 0; i < TALLIES; i++)
		fields[i] = (struct values_field){ tally_names[i], .read = read_tally_member,
						   .context = &s->dataset->tallies[i] };
	return values_fields(v, fields, ARRAY_SIZE(fields));
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static const struct column id_columns[] = {
	COLUMN(I64, id_total, id),   COLUMN(U64, id_total, labels),  COLUMN(U64, id_total, files),
	COLUMN(U64, id_total, thin), COLUMN(U64, id_total, between), COLUMN_OR_END(PATH, id_total, example),
};
static const struct rows id_rows =
	ROWS(id_columns, 1, sizeof(struct id_total), DATASET_IDS_MAX, ids, ids_count, ids_cap);

static const struct column format_columns[] = {
	COLUMN(U8, format_total, container),    COLUMN(U8, format_total, format),
	COLUMN(U8, format_total, colour_type),  COLUMN(U8, format_total, bit_depth),
	COLUMN(U8, format_total, interlace),    COLUMN(U8, format_total, dtype),
	COLUMN(U64, format_total, tally.files), COLUMN(PATH, format_total, tally.example),
};
static const struct rows format_rows =
	ROWS(format_columns, 6, sizeof(struct format_total), SIZE_MAX, formats, formats_count, formats_cap);

static const struct column size_columns[] = {
	COLUMN(U32, size_total, height),
	COLUMN(U32, size_total, width),
	COLUMN(U64, size_total, files),
};
static const struct rows size_rows =
	ROWS(size_columns, 2, sizeof(struct size_total), SIZES_MAX, sizes, sizes_count, sizes_cap);

static const struct column palette_columns[] = {
	COLUMN(U32, palette_total, key),
	COLUMN(U64, palette_total, files),
	COLUMN(PATH, palette_total, example),
};
static const struct rows palette_rows = ROWS(palette_columns, 1, sizeof(struct palette_total), PALETTE_TOTALS_MAX,
					     palettes.v, palettes.count, palettes.cap);

/* ---- splits ----------------------------------------------------------------------------------------------------- */

static const struct column split_names = COLUMN(PATH_OR_NULL, dataset_stats, split_names);

/* The rows follow the files of each split. */
static const struct column split_files = COLUMN(U64, dataset_stats, splits.files);
static const struct column split_columns[] = { COLUMN(I64, split_total, id), COLUMN(U64, split_total, files) };
static const struct rows split_rows =
	ROWS(split_columns, 1, sizeof(struct split_total), SPLIT_IDS_MAX, splits.v, splits.count, splits.cap);

/* ---- class folders ---------------------------------------------------------------------------------------------- */

/* The rows follow the paths of the roots; roots are bits. */
static const struct column folder_roots = COLUMN_OR_END(PATH, dataset_stats, folders.roots);
static const struct column folder_columns[] = {
	COLUMN(PATH, folder_total, name),
	COLUMN(U32, folder_total, roots),
	COLUMN(U32, folder_total, filled),
};
static const struct rows folder_rows =
	ROWS(folder_columns, 1, sizeof(struct folder_total), CLASS_FOLDERS_ALL, folders.v, folders.count, folders.cap);

static bool check_folders(const struct folder_totals *t)
{
	uint32_t roots = 0;

	for (unsigned i = 0; i < CLASS_ROOTS_MAX && t->roots[i]; i++)
		roots |= UINT32_C(1) << i;
	for (size_t i = 0; i < t->count; i++)
		if (!t->v[i].roots || t->v[i].roots & ~roots || t->v[i].filled & ~t->v[i].roots)
			return false;
	return true;
}

/* ---- class names of lists ---------------------------------------------------------------------------------------- */

/* The rows follow the number of lists. */
static const struct column named_files = COLUMN(U64, dataset_stats, names.files);
static const struct column name_columns[] = {
	COLUMN(PATH, name_total, name),  COLUMN(U64, name_total, labels),   COLUMN(U64, name_total, files),
	COLUMN(U32, name_total, splits), COLUMN(PATH, name_total, example),
};
static const struct rows name_rows =
	ROWS(name_columns, 1, sizeof(struct name_total), NAME_TOTALS_MAX, names.v, names.count, names.cap);

/* ---- categories of COCO files ------------------------------------------------------------------------------------ */

static const struct column category_columns[] = {
	COLUMN(PATH, name_total, name), COLUMN(I64, name_total, id),     COLUMN(I64, name_total, class_id),
	COLUMN(U64, name_total, files), COLUMN(U32, name_total, splits), COLUMN(PATH, name_total, example),
};
static const struct rows category_rows = ROWS(category_columns, 3, sizeof(struct name_total), NAME_TOTALS_MAX,
					      categories.v, categories.count, categories.cap);

/* ---- contents --------------------------------------------------------------------------------------------------- */

/* The row of a content that only one file has ends after `splits`. */
struct content_row {
	char *key; /* 32 hexadecimal digits */
	struct content_total total;
	struct content_places places;
};

static const struct column content_columns[] = {
	COLUMN(PATH, content_row, key),
	COLUMN(PATH, content_row, total.path),
	COLUMN(U16, content_row, total.splits),
	COLUMN_OR_END(U64, content_row, total.files),
	COLUMN(U32, content_row, total.path_max),
	COLUMN_OR_END(PATH, content_row, places.second),
	COLUMN_OR_END(U8, content_row, places.split[0]),
	COLUMN(PATH, content_row, places.split_path[0]),
	COLUMN_OR_END(U8, content_row, places.split[1]),
	COLUMN(PATH, content_row, places.split_path[1]),
};

/* [largest key that is kept, rows by key ...]; in the order of content_table_sort */
static void write_contents(struct json_writer *w, const struct content_table *t)
{
	json_u64(w, t ? atomic_load(&t->last) : UINT64_MAX);
	for (size_t i = 0; t && i < t->count; i++) {
		char key[33];
		struct content_row row = { .key = key, .total = t->v[i] };

		snprintf(key, sizeof(key), "%016" PRIx64 "%016" PRIx64, row.total.key[0], row.total.key[1]);
		if (row.total.places)
			row.places = *row.total.places;
		else if (row.total.files == 1)
			row.total.files = 0;
		begin_row(w);
		write_columns(w, content_columns, ARRAY_SIZE(content_columns), &row);
		json_end(w);
	}
}

static bool parse_key(const char *s, uint64_t key[2])
{
	if (strlen(s) != 32)
		return false;
	for (size_t i = 0; i < 32; i++) {
		int digit = ascii_xdigit_value(s[i]);

		if (digit < 0)
			return false;
		key[i / 16] = key[i / 16] << 4 | (uint64_t)digit;
	}
	return true;
}

/* Checks the row and completes its total. */
static bool finish_content(struct json_values *v, struct content_row *row)
{
	struct content_total *c = &row->total;
	struct content_places *p = &row->places;

	if (!row->key || !c->path || !parse_key(row->key, c->key))
		return values_fail(v, "expected 32 hexadecimal digits");
	size_t size = strlen(c->path) + 1;

	for (size_t i = 0; i < 2; i++)
		if (p->split_path[i] && (!p->split[i] || p->split[i] >= NAME_SPLITS))
			return values_fail(v, "a split that does not exist");
	if ((uint32_t)c->splits >> NAME_SPLITS)
		return values_fail(v, "a split that does not exist");
	if (!c->files && !c->path_max) {
		c->files = 1;
		c->path_max = (uint32_t)size;
	}
	if (!c->files || c->path_max < size)
		return values_fail(v, "a content without files, or with paths that are too long");
	c->places = p->second ? p : NULL;
	return true;
}

/* Skips masks whose key is larger than s->contents_last. */
static bool read_contents(struct json_values *v, enum content_of content, const struct sums *s)
{
	struct content_table *t = s->dataset->contents[content] = xmalloc(sizeof(*t));
	uint64_t last, before[2] = { 0, 0 };
	bool good = true, in_range = true;

	content_table_init(t);
	if (!values_next_u64(v, &last))
		return false;
	if (content == CONTENT_MASKS)
		last = MIN(last, s->contents_last);
	content_table_limit(t, last);
	for (bool first = true; good && in_range && values_element(v); first = false) {
		struct content_row row = { .key = NULL };
		const uint64_t *key = row.total.key;

		good = values_array(v) && read_columns(v, content_columns, ARRAY_SIZE(content_columns), &row) &&
		       finish_content(v, &row);
		if (good && !first && (key[0] < before[0] || (key[0] == before[0] && key[1] <= before[1])))
			good = values_fail(v, "the rows are not sorted");
		in_range = key[0] <= last;
		if (good && in_range)
			content_table_put(t, &row.total);
		memcpy(before, key, sizeof(before));
		free(row.key);
		free(row.total.path);
		free(row.places.second);
		free(row.places.split_path[0]);
		free(row.places.split_path[1]);
	}
	/* the keys are sorted: those after one that is out of range are, too */
	return in_range ? !v->failed : values_skip_rest(v);
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

enum shape { SCALAR, OBJECT, ARRAY, CONTENT };

/*
 * An array holds a cell of dataset_stats (`head`, in brackets of its own if head_row is set), then rows of it; either
 * may be absent. The brackets are written before and after, and the type is checked before `read`.
 */
static const struct {
	const char *key;
	enum shape shape;
	enum content_of content;
	void (*write)(struct json_writer *w, const struct report *r);
	bool (*read)(struct json_values *v, struct sums *s);
	const struct column *head;
	const struct rows *rows;
	bool head_row;
} members[] = {
	{ "max_findings", SCALAR, .write = write_max_findings, .read = read_max_findings },
	{ "levels", OBJECT, .write = write_levels, .read = read_levels },
	{ "names", ARRAY, .write = write_names, .read = read_names },
	{ "images_flat", SCALAR, .write = write_images_flat, .read = read_images_flat },
	{ "counts", OBJECT, .write = write_counts, .read = read_counts },
	{ "tallies", OBJECT, .write = write_tallies, .read = read_tallies },
	{ "ids", ARRAY, .rows = &id_rows },
	{ "formats", ARRAY, .rows = &format_rows },
	{ "sizes", ARRAY, .rows = &size_rows },
	{ "palettes", ARRAY, .rows = &palette_rows },
	{ "split_names", ARRAY, .head = &split_names },
	{ "splits", ARRAY, .head = &split_files, .head_row = true, .rows = &split_rows },
	{ "folders", ARRAY, .head = &folder_roots, .head_row = true, .rows = &folder_rows },
	{ "list_names", ARRAY, .head = &named_files, .rows = &name_rows },
	{ "categories", ARRAY, .rows = &category_rows },
	{ "images", CONTENT, .content = CONTENT_IMAGES },
	{ "groups", CONTENT, .content = CONTENT_GROUPS },
	/* the largest; last, and sorted, so that a merge may skip its end */
	{ "contents", CONTENT, .content = CONTENT_MASKS },
};

void report_partial_write(struct json_writer *w, const struct report *r)
{
	json_key_object(w, "partial", JSON_BLOCK);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		json_key(w, members[i].key);
		if (members[i].shape >= ARRAY)
			begin_row(w);
		else if (members[i].shape == OBJECT)
			json_begin_object(w, JSON_INLINE);
		if (members[i].shape == CONTENT)
			write_contents(w, r->dataset->contents[members[i].content]);
		if (members[i].write)
			members[i].write(w, r);
		if (members[i].head_row)
			begin_row(w);
		if (members[i].head)
			write_columns(w, members[i].head, 1, r->dataset);
		if (members[i].head_row)
			json_end(w);
		if (members[i].rows)
			write_rows(w, members[i].rows, r->dataset);
		if (members[i].shape >= OBJECT)
			json_end(w);
	}
	json_end(w);
}

/* Reads an array that members[m] describes. */
static bool read_array(struct json_values *v, size_t m, struct dataset_stats *d)
{
	const struct column *head = members[m].head;
	bool read = true, ended = false;

	if (members[m].head_row)
		read = next_element(v) && values_array(v) && read_columns(v, head, 1, d);
	else if (head)
		read = read_column(v, head, d, &ended);
	return read && (members[m].rows ? read_rows(v, members[m].rows, d) : values_array_end(v));
}

static bool read_member(struct json_values *v, size_t m, struct sums *s)
{
	enum shape shape = members[m].shape;

	if ((shape == OBJECT && !values_object(v)) || (shape >= ARRAY && !values_array(v)))
		return false;
	return members[m].read    ? members[m].read(v, s)
	       : shape == CONTENT ? read_contents(v, members[m].content, s)
				  : read_array(v, m, s->dataset);
}

/* Every member must be there, once: a sum that is missing would be taken for zero. */
bool report_partial_read(struct json_values *v, struct settings *settings, struct dataset_stats *dataset,
			 uint64_t contents_last)
{
	struct sums s = { settings, dataset, contents_last };
	unsigned seen = 0;

	_Static_assert(ARRAY_SIZE(members) < 32, "bits of seen");
	if (!values_object(v))
		return false;
	while (values_member(v)) {
		size_t i = 0;

		while (i < ARRAY_SIZE(members) && !values_key_is(v, members[i].key))
			i++;
		if (i == ARRAY_SIZE(members))
			return values_fail(v, "a sum that this version does not know");
		if (seen >> i & 1)
			return values_fail(v, "it occurs twice");
		seen |= 1u << i;
		if (!read_member(v, i, &s))
			return false;
	}
	for (size_t i = 0; !v->failed && i < ARRAY_SIZE(members); i++)
		if (!(seen >> i & 1))
			return values_fail(v, "there is no '%s' in 'partial'", members[i].key);
	return !v->failed;
}

static bool check_ids(const struct settings *settings, const struct dataset_stats *d)
{
	for (size_t i = 0; i < d->ids_count; i++) {
		const struct id_total *t = &d->ids[i];
		bool invalid = settings_role(settings, t->id) == ID_INVALID;

		/* rules print the example of every id that is out of range */
		if (!t->files || t->files > d->files_with_ids || invalid != (t->example != NULL))
			return false;
	}
	return true;
}

/* Rules subtract counts of files and divide by them: a part must not exceed the whole. */
static bool check_files(const struct dataset_stats *d)
{
	uint64_t formats = 0, sizes = 0;

	if (d->files_with_ids > d->files_read || d->files_with_ignored > d->files_with_ids ||
	    d->masks_with_ids > d->files_with_ids || d->masks_only_zero > d->masks_with_ids ||
	    d->informative_files > d->files_read || d->informative_flagged > d->informative_files ||
	    d->tested_files > d->files_read || d->tested_flagged > d->files_read)
		return false;
	for (size_t i = 0; i < TALLIES; i++) {
		/* photos without labels are left out */
		const uint64_t most = i == TALLY_LACKS_LABEL ? d->files_skipped : d->files_read;

		if (d->tallies[i].files > most || (d->tallies[i].example && !d->tallies[i].files))
			return false;
	}
	for (size_t i = 0; i < d->formats_count; i++)
		if (!d->formats[i].tally.files || !size_add(formats, d->formats[i].tally.files, &formats))
			return false;
	for (size_t i = 0; i < d->sizes_count; i++)
		if (!d->sizes[i].files || !size_add(sizes, d->sizes[i].files, &sizes))
			return false;
	for (size_t i = 0; i < d->palettes.count; i++)
		if (!d->palettes.v[i].files || d->palettes.v[i].files > d->files_with_ids)
			return false;
	return formats == d->files_read && sizes <= d->files_read;
}

bool report_partial_check(struct json_values *v, const struct settings *settings, const struct dataset_stats *dataset)
{
	if (!check_ids(settings, dataset))
		return values_fail(v, "the counts of ids do not add up");
	if (!dataset_names_fit(dataset))
		return values_fail(v, "the counts of class names do not add up");
	for (size_t i = 0; i < dataset->categories.count; i++)
		if (!dataset->categories.v[i].files || dataset->categories.v[i].splits >> NAME_SPLITS)
			return values_fail(v, "categories of no file, or of a split that does not exist");
	if (!check_folders(&dataset->folders))
		return values_fail(v, "a class folder in no root");
	return check_files(dataset) || values_fail(v, "the counts of files do not add up");
}
