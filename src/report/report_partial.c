/* The fields of "partial": settings, counts, tables, splits, class folders, contents. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "judge/role.h"
#include "report/report_fields.h"
#include "report/report_file.h"

enum { NAMED_ID_MAX = 1 << 20 /* class files hold 65536 names at most */ };

/* A member of the sums. */
#define SUM(member) THROUGH(report_parts, dataset), AT(dataset_stats, member)

/* ---- settings --------------------------------------------------------------------------------------------------- */

static struct settings *settings_of(void *parts)
{
	return &((struct report_parts *)parts)->file->settings;
}

/* Levels other than the rule's own. */
static void write_levels(struct json_writer *w, const void *parts)
{
	const enum level *levels = ((const struct report_parts *)parts)->settings->rules.levels;

	json_begin_object(w, JSON_INLINE);
	for (size_t i = 0; i < rule_count; i++)
		if (levels[i] != rule_table[i]->level)
			json_key_text(w, rule_table[i]->name, level_name(levels[i]));
	json_end(w);
}

static bool read_levels(struct json_values *v, void *parts)
{
	for (values_object(v); values_member(v);) {
		const struct rule *rule = rule_find(v->key);

		if (!rule)
			return values_fail(v, "this version does not know a rule of this name");
		values_level(v, true, &settings_of(parts)->rules.levels[rule_index(rule)]);
	}
	return !v->failed;
}

/* [id, name] */
static void write_names(struct json_writer *w, const void *parts)
{
	const struct class_set *classes = &((const struct report_parts *)parts)->settings->classes;

	json_begin_array(w, JSON_INLINE);
	for (size_t i = 0; i < classes->names_count; i++) {
		if (!classes->names[i])
			continue;
		json_begin_array(w, JSON_INLINE);
		json_u64(w, i);
		json_text(w, classes->names[i]);
		json_end(w);
	}
	json_end(w);
}

static bool read_names(struct json_values *v, void *parts)
{
	for (values_array(v); values_element(v);) {
		uint64_t id;
		const char *name;

		if (!values_array(v) || !values_next_u64(v, &id) || !values_next(v) || !(name = values_string(v)))
			return false;
		if (id > NAMED_ID_MAX)
			return values_fail(v, "a class with the number %" PRIu64 " has a name", id);
		class_set_name(&settings_of(parts)->classes, (size_t)id, name);
		if (!values_array_end(v))
			return false;
	}
	return !v->failed;
}

/* ---- counts of files -------------------------------------------------------------------------------------------- */

static const struct field counts_list[] = {
	{ "with_ids", FIELD_UINT, SUM(files_with_ids) },
	{ "with_ignored", FIELD_UINT, SUM(files_with_ignored) },
	{ "masks", FIELD_UINT, SUM(masks_with_ids) },
	{ "only_zero", FIELD_UINT, SUM(masks_only_zero) },
	{ "informative", FIELD_UINT, SUM(informative_files) },
	{ "informative_flagged", FIELD_UINT, SUM(informative_flagged) },
	{ "between", FIELD_UINT, SUM(between) },
	{ "long_between", FIELD_UINT, SUM(long_between) },
	{ "wide_edges", FIELD_UINT, SUM(wide_edges) },
	{ "tested", FIELD_UINT, SUM(tested_files) },
	{ "tested_flagged", FIELD_UINT, SUM(tested_flagged) },
	{ "provisional_findings", FIELD_UINT, SUM(provisional_findings) },
	{ "boxes", FIELD_UINT, SUM(boxes) },
};
static const struct fields counts_fields = FIELDS(counts_list);

static const struct field file_count_list[] = {
	{ NULL, FIELD_UINT, AT(file_count, files) },
	{ NULL, FIELD_PATH, AT(file_count, example) },
};
static const struct fields file_count_fields = FIELDS(file_count_list);

/* Tallies of no file are left out. */
#define COUNTED(key, number)                                                                                         \
	{                                                                                                            \
		key, FIELD_ROW, SUM(counted[COUNTED_##number]), .flags = FIELD_IF_SET, .members = &file_count_fields \
	}

static const struct field counted_list[] = {
	COUNTED("images_without_label", LACKS_LABEL),
	COUNTED("palette_luma", PALETTE_LUMA),
	COUNTED("one_bit", ONE_BIT),
	COUNTED("sixteen_bit", SIXTEEN_BIT),
	COUNTED("over_uint8", OVER_UINT8),
	COUNTED("expanded", EXPANDED),
	COUNTED("interpolation_weak", INTERPOLATION_WEAK),
	COUNTED("boxes", BOXES),
	COUNTED("polygons", POLYGONS),
	COUNTED("oriented", ORIENTED),
	COUNTED("poses", POSES),
	COUNTED("poses_unlabelled", UNLABELLED),
	COUNTED("read_by_colours", READ_BY_COLOURS),
	COUNTED("read_by_ids", READ_BY_IDS),
	COUNTED("coco_without_annotations", COCO_EMPTY),
	COUNTED("coco_without_labels", COCO_UNLABELLED),
	COUNTED("box_pairs", BOX_PAIRS),
	COUNTED("without_image", ALONE),
	COUNTED("with_image", PHOTOS),
	COUNTED("image_grey", PHOTOS + 1 + PHOTO_GREY),
	COUNTED("image_alpha", PHOTOS + 1 + PHOTO_ALPHA),
	COUNTED("image_cmyk", PHOTOS + 1 + PHOTO_CMYK),
	COUNTED("image_deep", PHOTOS + 1 + PHOTO_DEEP),
	COUNTED("image_turned", PHOTOS + 1 + PHOTO_TURNED),
	COUNTED("image_renamed", PHOTOS + 1 + PHOTO_RENAMED),
	COUNTED("empty_texts", EMPTY_TEXTS),
	COUNTED("filled_texts", FILLED_TEXTS),
	COUNTED("texts_elsewhere", ELSEWHERE),
	COUNTED("lists_by_name", BY_NAME),
	COUNTED("numbered_masks", NUMBERED),
};
_Static_assert(ARRAY_SIZE(counted_list) == COUNTED_KINDS, "each has a key");
static const struct fields counted_fields = FIELDS(counted_list);

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* A growing array of struct dataset_stats. */
#define TABLE(list, sorted_by, row, most, array, n, room)                                                     \
	ROWS(list, row, dataset_stats, array, n), .cap = offsetof(struct dataset_stats, room), .max = (most), \
						  .keys = (sorted_by)
#define COLUMN(number, row, member)                   \
	{                                             \
		NULL, FIELD_##number, AT(row, member) \
	}
#define COLUMN_OR_END(number, row, member)                                    \
	{                                                                     \
		NULL, FIELD_##number, AT(row, member), .flags = FIELD_MAY_END \
	}

static const struct field id_columns[] = {
	COLUMN(ID, id_total, id),     COLUMN(UINT, id_total, labels),  COLUMN(UINT, id_total, files),
	COLUMN(UINT, id_total, thin), COLUMN(UINT, id_total, between), COLUMN_OR_END(PATH, id_total, example),
};
static const struct field_rows ids_table = { TABLE(id_columns, 1, id_total, DATASET_IDS_MAX, ids, ids_count, ids_cap) };

static const struct field format_columns[] = {
	COLUMN(UINT, format_total, container),   COLUMN(UINT, format_total, format),
	COLUMN(UINT, format_total, colour_type), COLUMN(UINT, format_total, bit_depth),
	COLUMN(UINT, format_total, interlace),   COLUMN(UINT, format_total, dtype),
	COLUMN(UINT, format_total, seen.files),  COLUMN(PATH, format_total, seen.example),
};
static const struct field_rows formats_table = { TABLE(format_columns, 6, format_total, SIZE_MAX, formats.v,
						       formats.count, formats.cap) };

static const struct field size_columns[] = {
	COLUMN(UINT, size_total, height),
	COLUMN(UINT, size_total, width),
	COLUMN(UINT, size_total, files),
};
static const struct field_rows sizes_table = { TABLE(size_columns, 2, size_total, SIZES_MAX, sizes.v, sizes.count,
						     sizes.cap) };

static const struct field palette_columns[] = {
	COLUMN(UINT, palette_total, key),
	COLUMN(UINT, palette_total, files),
	COLUMN(PATH, palette_total, example),
};
static const struct field_rows palettes_table = { TABLE(palette_columns, 1, palette_total, PALETTE_TOTALS_MAX,
							palettes.v, palettes.count, palettes.cap) };

static const struct field split_name_list[] = { { NULL, FIELD_PATH, SUM(split_names), .flags = FIELD_MAY_BE_NULL } };
static const struct fields split_names = FIELDS(split_name_list);

/* The rows follow the files of each split. */
static const struct field split_files[] = { COLUMN(UINT, dataset_stats, splits.files) };
static const struct field split_columns[] = { COLUMN(ID, split_total, id), COLUMN(UINT, split_total, files) };
static const struct field_rows splits_table = { TABLE(split_columns, 1, split_total, SPLIT_IDS_MAX, splits.v,
						      splits.count, splits.cap),
						.head = FIELDS(split_files), .head_row = true };

/* The rows follow the paths of the roots; roots are bits. */
static const struct field folder_roots[] = { COLUMN_OR_END(PATH, dataset_stats, folders.roots) };
static const struct field folder_columns[] = {
	COLUMN(PATH, folder_total, name),
	COLUMN(UINT, folder_total, roots),
	COLUMN(UINT, folder_total, filled),
};
static const struct field_rows folders_table = { TABLE(folder_columns, 1, folder_total, CLASS_FOLDERS_ALL, folders.v,
						       folders.count, folders.cap),
						 .head = FIELDS(folder_roots), .head_row = true };

/* The class names of lists; the rows follow the number of lists. */
static const struct field named_files[] = { COLUMN(UINT, dataset_stats, names.files) };
static const struct field name_columns[] = {
	COLUMN(PATH, name_total, name),   COLUMN(UINT, name_total, labels),  COLUMN(UINT, name_total, files),
	COLUMN(UINT, name_total, splits), COLUMN(PATH, name_total, example),
};
static const struct field_rows names_table = { TABLE(name_columns, 1, name_total, NAME_TOTALS_MAX, names.v, names.count,
						     names.cap),
					       .head = FIELDS(named_files) };

/* The categories of COCO files. */
static const struct field category_columns[] = {
	COLUMN(PATH, name_total, name),  COLUMN(ID, name_total, id),       COLUMN(ID, name_total, class_id),
	COLUMN(UINT, name_total, files), COLUMN(UINT, name_total, splits), COLUMN(PATH, name_total, example),
};
static const struct field_rows categories_table = { TABLE(category_columns, 3, name_total, NAME_TOTALS_MAX,
							  categories.v, categories.count, categories.cap) };

/* ---- what a corrected copy is planned of ------------------------------------------------------------------------- */

static const struct field mapped_columns[] = {
	COLUMN(ID, mapped_id, id),
	COLUMN(UINT, mapped_id, labels),
	COLUMN(UINT, mapped_id, files),
};
static const struct field_rows mapped_table = { TABLE(mapped_columns, 1, mapped_id, SIZE_MAX, fix.ids.v, fix.ids.count,
						      fix.ids.cap) };

#define FIX_COUNT(member)                                                   \
	{                                                                   \
#member, FIELD_UINT, SUM(fix.member), .flags = FIELD_NEEDED \
	}
#define FIX_BOOL(member)                                                    \
	{                                                                   \
#member, FIELD_BOOL, SUM(fix.member), .flags = FIELD_NEEDED \
	}
#define FIX_FILES(member)                                                                                 \
	{                                                                                                 \
#member, FIELD_ROW, SUM(fix.member), .flags = FIELD_IF_SET, .members = &file_count_fields \
	}

static const struct field fix_list[] = {
	{ "ids", FIELD_TABLE, THROUGH(report_parts, dataset), .flags = FIELD_NEEDED, .rows = &mapped_table },
	FIX_COUNT(samples),
	FIX_COUNT(files),
	FIX_COUNT(masks),
	FIX_COUNT(grids),
	FIX_COUNT(grey_masks),
	FIX_COUNT(recodable),
	FIX_COUNT(labelled),
	FIX_COUNT(beyond_zero),
	FIX_COUNT(invalid),
	FIX_FILES(keeps_ids),
	FIX_FILES(damaged),
	FIX_FILES(contradicting),
	FIX_FILES(of_8_bits),
	FIX_BOOL(counted),
	FIX_BOOL(few_used),
	FIX_BOOL(scaled_invalid),
	FIX_BOOL(samples_invalid),
	{ "words", FIELD_TEXT, SUM(fix.words) },
};
static const struct fields fix_fields = FIELDS(fix_list);

/* ---- contents --------------------------------------------------------------------------------------------------- */

/* The row of a content that only one file has ends after `splits`. */
struct content_row {
	char *key; /* 32 hexadecimal digits */
	struct content_total total;
	struct content_places places;
};

static const struct field content_columns[] = {
	COLUMN(PATH, content_row, key),
	COLUMN(PATH, content_row, total.path),
	COLUMN(UINT, content_row, total.splits),
	COLUMN_OR_END(UINT, content_row, total.files),
	COLUMN(UINT, content_row, total.path_max),
	COLUMN_OR_END(PATH, content_row, places.second),
	COLUMN_OR_END(UINT, content_row, places.split[0]),
	COLUMN(PATH, content_row, places.split_path[0]),
	COLUMN_OR_END(UINT, content_row, places.split[1]),
	COLUMN(PATH, content_row, places.split_path[1]),
};

static const struct fields content_fields = FIELDS(content_columns);

/* [largest key that is kept, rows by key ...]; in the order of content_table_sort */
static void write_contents(struct json_writer *w, const struct content_table *t)
{
	json_begin_array(w, JSON_INLINE);
	json_u64(w, t ? atomic_load(&t->last) : UINT64_MAX);
	for (size_t i = 0; t && i < t->count; i++) {
		char key[33];
		struct content_row row = { .key = key, .total = t->v[i] };

		snprintf(key, sizeof(key), "%016" PRIx64 "%016" PRIx64, row.total.key[0], row.total.key[1]);
		if (row.total.places)
			row.places = *row.total.places;
		else if (row.total.files == 1)
			row.total.files = 0;
		fields_write_row(w, &content_fields, &row);
	}
	json_end(w);
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

/* Skips masks whose key is larger than contents_last of the file. */
static bool read_contents(struct json_values *v, enum content_of content, void *parts)
{
	struct report_file *file = ((struct report_parts *)parts)->file;
	struct content_table *t = file->dataset.contents[content] = xmalloc(sizeof(*t));
	uint64_t last, before[2] = { 0, 0 };
	bool good = true, in_range = true;

	content_table_init(t);
	if (!values_array(v) || !values_next_u64(v, &last))
		return false;
	if (content == CONTENT_MASKS)
		last = MIN(last, file->contents_last);
	content_table_limit(t, last);
	for (bool first = true; good && in_range && values_element(v); first = false) {
		struct content_row row = { .key = NULL };
		const uint64_t *key = row.total.key;

		good = values_array(v) && fields_read_row(v, &content_fields, &row) && finish_content(v, &row);
		if (good && !first && (key[0] < before[0] || (key[0] == before[0] && key[1] <= before[1])))
			good = values_fail(v, "the rows are not sorted");
		in_range = key[0] <= last;
		if (good && in_range)
			content_table_put(t, &row.total);
		memcpy(before, key, sizeof(before));
		fields_release(&content_fields, &row);
	}
	/* the keys are sorted: those after one that is out of range are, too */
	return in_range ? !v->failed : values_skip_rest(v);
}

#define CONTENTS_OF(name, content)                                                                   \
	static void write_##name(struct json_writer *w, const void *parts)                           \
	{                                                                                            \
		write_contents(w, ((const struct report_parts *)parts)->dataset->contents[content]); \
	}                                                                                            \
	static bool read_##name(struct json_values *v, void *parts)                                  \
	{                                                                                            \
		return read_contents(v, content, parts);                                             \
	}

CONTENTS_OF(images, CONTENT_IMAGES)
CONTENTS_OF(groups, CONTENT_GROUPS)
CONTENTS_OF(listed_images, CONTENT_NAMES)
CONTENTS_OF(masks, CONTENT_MASKS)

/* ---- all of them ------------------------------------------------------------------------------------------------ */

#define OF_DATASET THROUGH(report_parts, dataset), .flags = FIELD_NEEDED

/* Each must be there: a sum that is missing would be taken for zero. */
static const struct field partial_list[] = {
	{ "max_findings", FIELD_UINT, THROUGH(report_parts, settings), AT(settings, max_findings),
	  .flags = FIELD_NEEDED },
	{ "levels", FIELD_OTHER, .write = write_levels, .read = read_levels, .flags = FIELD_NEEDED },
	{ "names", FIELD_OTHER, .write = write_names, .read = read_names, .flags = FIELD_NEEDED },
	/* images of this part lie flat in one folder: then those of no other part are missed */
	{ "images_flat", FIELD_BOOL, SUM(images_flat), .flags = FIELD_NEEDED },
	{ "counts", FIELD_OBJECT, .members = &counts_fields, .flags = FIELD_NEEDED },
	{ "fix", FIELD_OBJECT, .members = &fix_fields, .flags = FIELD_NEEDED },
	{ "tallies", FIELD_OBJECT, .members = &counted_fields, .flags = FIELD_NEEDED },
	{ "ids", FIELD_TABLE, OF_DATASET, .rows = &ids_table },
	{ "formats", FIELD_TABLE, OF_DATASET, .rows = &formats_table },
	{ "sizes", FIELD_TABLE, OF_DATASET, .rows = &sizes_table },
	{ "palettes", FIELD_TABLE, OF_DATASET, .rows = &palettes_table },
	{ "split_names", FIELD_ROW, .members = &split_names, .flags = FIELD_NEEDED },
	{ "splits", FIELD_TABLE, OF_DATASET, .rows = &splits_table },
	{ "folders", FIELD_TABLE, OF_DATASET, .rows = &folders_table },
	{ "list_names", FIELD_TABLE, OF_DATASET, .rows = &names_table },
	{ "categories", FIELD_TABLE, OF_DATASET, .rows = &categories_table },
	{ "images", FIELD_OTHER, .write = write_images, .read = read_images, .flags = FIELD_NEEDED },
	{ "groups", FIELD_OTHER, .write = write_groups, .read = read_groups, .flags = FIELD_NEEDED },
	{ "listed_images", FIELD_OTHER, .write = write_listed_images, .read = read_listed_images,
	  .flags = FIELD_NEEDED },
	/* the largest; last, and sorted, so that a merge may skip its end */
	{ "contents", FIELD_OTHER, .write = write_masks, .read = read_masks, .flags = FIELD_NEEDED },
};
const struct fields partial_fields = { .v = partial_list,
				       .count = ARRAY_SIZE(partial_list),
				       .unknown = "a sum that this version does not know" };

/* ---- checks ----------------------------------------------------------------------------------------------------- */

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

static bool has_example(const struct file_count *c)
{
	return !c->files == !c->example;
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
	for (size_t i = 0; i < COUNTED_KINDS; i++) {
		/* photos without labels are left out */
		const uint64_t most = i == COUNTED_LACKS_LABEL ? d->files_skipped : d->files_read;

		if (d->counted[i].files > most || (d->counted[i].example && !d->counted[i].files))
			return false;
	}
	for (size_t i = 0; i < d->formats.count; i++)
		if (!d->formats.v[i].seen.files || !size_add(formats, d->formats.v[i].seen.files, &formats))
			return false;
	for (size_t i = 0; i < d->sizes.count; i++)
		if (!d->sizes.v[i].files || !size_add(sizes, d->sizes.v[i].files, &sizes))
			return false;
	for (size_t i = 0; i < d->palettes.count; i++)
		if (d->palettes.v[i].key > UINT32_MAX || d->palettes.v[i].key < 0 || !d->palettes.v[i].files ||
		    d->palettes.v[i].files > d->files_with_ids)
			return false;
	return formats == d->files_read && sizes <= d->files_read && has_example(&d->fix.keeps_ids) &&
	       has_example(&d->fix.damaged) && has_example(&d->fix.contradicting) && has_example(&d->fix.of_8_bits);
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
