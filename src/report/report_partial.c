/* Writes and reads "partial", member by member: settings, counts, tables, splits, class folders, contents. */
#include "report/report_partial.h"

#include <inttypes.h>
#include <stdatomic.h>
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

/* ---- names of files, tallies ------------------------------------------------------------------------------------ */

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

/* The end of a row: the number of files, and the first of them. */
static void write_tally(struct json_writer *w, uint64_t files, const char *example)
{
	json_u64(w, files);
	write_path(w, example);
}

static bool read_tally(struct json_values *v, uint64_t *files, char **example)
{
	return values_next_u64(v, files) && next_element(v) && read_path(v, example) && values_array_end(v);
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
			return values_fail(v, "a rule of this name is not known to this version");
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

		if (!values_row(v) || !values_u64(v, &id) || !values_element(v) || !(name = values_string(v)))
			return v->failed ? false : values_fail(v, "expected [id, name]");
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
};

/* Leaves out tallies of no file. */
static void write_tallies(struct json_writer *w, const struct report *r)
{
	for (size_t i = 0; i < TALLIES; i++) {
		const struct tally *t = &r->dataset->tallies[i];

		if (!t->files)
			continue;
		json_key_array(w, tally_names[i], JSON_INLINE);
		write_tally(w, t->files, t->example);
		json_end(w);
	}
}

static bool read_tally_member(struct json_values *v, void *context)
{
	struct tally *t = context;

	if (t->example)
		return values_fail(v, "there are two of it");
	return values_array(v) && read_tally(v, &t->files, &t->example);
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

/* [id, labels, files, thin, between in rows, in columns, example if there is one] */
static void write_ids(struct json_writer *w, const struct report *r)
{
	for (size_t i = 0; i < r->dataset->ids_count; i++) {
		const struct id_total *t = &r->dataset->ids[i];
		const uint64_t rest[] = { t->labels, t->files, t->thin, t->between[0], t->between[1] };

		begin_row(w);
		json_i64(w, t->id);
		for (size_t k = 0; k < ARRAY_SIZE(rest); k++)
			json_u64(w, rest[k]);
		if (t->example)
			write_path(w, t->example);
		json_end(w);
	}
}

static bool read_id(struct json_values *v, struct id_total *t)
{
	uint64_t *const rest[] = { &t->labels, &t->files, &t->thin, &t->between[0], &t->between[1] };

	if (!values_row(v) || !values_i64(v, &t->id))
		return false;
	for (size_t k = 0; k < ARRAY_SIZE(rest); k++)
		if (!values_next_u64(v, rest[k]))
			return false;
	if (!values_element(v))
		return !v->failed;
	return read_path(v, &t->example) && values_array_end(v);
}

static bool read_ids(struct json_values *v, struct sums *s)
{
	struct dataset_stats *d = s->dataset;

	while (values_element(v)) {
		if (d->ids_count == DATASET_IDS_MAX)
			return values_fail(v, "there are more than %d ids", DATASET_IDS_MAX);
		GROW(d->ids, d->ids_cap, d->ids_count + 1);
		struct id_total *t = &d->ids[d->ids_count++];

		*t = (struct id_total){ .id = 0 };
		if (!read_id(v, t))
			return false;
	}
	return !v->failed;
}

/* [format, colour type, bit depth, interlace, dtype, files, example] */
static void write_formats(struct json_writer *w, const struct report *r)
{
	for (size_t i = 0; i < r->dataset->formats_count; i++) {
		const struct format_total *t = &r->dataset->formats[i];
		const uint8_t key[] = { t->format, t->colour_type, t->bit_depth, t->interlace, t->dtype };

		begin_row(w);
		for (size_t k = 0; k < ARRAY_SIZE(key); k++)
			json_u64(w, key[k]);
		write_tally(w, t->tally.files, t->tally.example);
		json_end(w);
	}
}

static bool read_formats(struct json_values *v, struct sums *s)
{
	struct dataset_stats *d = s->dataset;
	uint64_t last = 0;

	while (values_element(v)) {
		uint64_t key[5], order = 0;

		if (!values_row(v) || !values_u64(v, &key[0]))
			return false;
		for (size_t k = 1; k < ARRAY_SIZE(key); k++)
			if (!values_next_u64(v, &key[k]))
				return false;
		for (size_t k = 0; k < ARRAY_SIZE(key); k++) {
			if (key[k] > UINT8_MAX)
				return values_fail(v, "a format that there is not");
			order = order << 8 | key[k];
		}
		if (d->formats_count && order <= last)
			return values_fail(v, "the rows are not sorted");
		last = order;
		GROW(d->formats, d->formats_cap, d->formats_count + 1);
		struct format_total *t = &d->formats[d->formats_count++];

		*t = (struct format_total){ .format = (uint8_t)key[0],
					    .colour_type = (uint8_t)key[1],
					    .bit_depth = (uint8_t)key[2],
					    .interlace = (uint8_t)key[3],
					    .dtype = (uint8_t)key[4] };
		if (!read_tally(v, &t->tally.files, &t->tally.example))
			return false;
	}
	return !v->failed;
}

/* [height, width, files] */
static void write_sizes(struct json_writer *w, const struct report *r)
{
	for (size_t i = 0; i < r->dataset->sizes_count; i++) {
		const struct size_total *t = &r->dataset->sizes[i];

		json_counts(w, (const uint64_t[]){ t->height, t->width, t->files }, 3);
	}
}

static bool read_sizes(struct json_values *v, struct sums *s)
{
	struct dataset_stats *d = s->dataset;
	uint64_t row[3], last = 0;

	while (values_element(v)) {
		if (!values_counts(v, row, 3))
			return false;
		if (row[0] > UINT32_MAX || row[1] > UINT32_MAX || d->sizes_count == SIZES_MAX)
			return values_fail(v, "a size that no file has, or too many of them");
		if (d->sizes_count && (row[0] << 32 | row[1]) <= last)
			return values_fail(v, "the rows are not sorted");
		last = row[0] << 32 | row[1];
		GROW(d->sizes, d->sizes_cap, d->sizes_count + 1);
		d->sizes[d->sizes_count++] = (struct size_total){ (uint32_t)row[0], (uint32_t)row[1], row[2] };
	}
	return !v->failed;
}

/* [index << 24 | 0xRRGGBB, files, example] */
static void write_palettes(struct json_writer *w, const struct report *r)
{
	for (size_t i = 0; i < r->dataset->palettes.count; i++) {
		const struct palette_total *t = &r->dataset->palettes.v[i];

		begin_row(w);
		json_u64(w, t->key);
		write_tally(w, t->files, t->example);
		json_end(w);
	}
}

static bool read_palettes(struct json_values *v, struct sums *s)
{
	struct palette_totals *p = &s->dataset->palettes;

	while (values_element(v)) {
		uint64_t key;

		if (!values_row(v) || !values_u64(v, &key))
			return false;
		if (key > UINT32_MAX || p->count == PALETTE_TOTALS_MAX || (p->count && p->v[p->count - 1].key >= key))
			return values_fail(v, "the rows are not sorted, or too many");
		GROW(p->v, p->cap, p->count + 1);
		struct palette_total *t = &p->v[p->count++];

		*t = (struct palette_total){ (uint32_t)key, 0, NULL };
		if (!read_tally(v, &t->files, &t->example))
			return false;
	}
	return !v->failed;
}

/* ---- splits ----------------------------------------------------------------------------------------------------- */

static void write_split_names(struct json_writer *w, const struct report *r)
{
	for (size_t i = 0; i < SPLITS_MAX; i++) {
		if (r->dataset->split_names[i])
			write_path(w, r->dataset->split_names[i]);
		else
			json_null(w);
	}
}

static bool read_split_names(struct json_values *v, struct sums *s)
{
	for (size_t i = 0; i < SPLITS_MAX; i++) {
		if (!values_element(v))
			return values_fail(v, "expected %d names", SPLITS_MAX);
		if (!values_null(v) && !read_path(v, &s->dataset->split_names[i]))
			return false;
	}
	return values_array_end(v);
}

/* [[files of each split], [id, files of each split], ...] */
static void write_splits(struct json_writer *w, const struct report *r)
{
	const struct split_totals *t = &r->dataset->splits;

	json_counts(w, t->files, SPLITS_MAX);
	for (size_t i = 0; i < t->count; i++) {
		begin_row(w);
		json_i64(w, t->v[i].id);
		for (size_t k = 0; k < SPLITS_MAX; k++)
			json_u64(w, t->v[i].files[k]);
		json_end(w);
	}
}

static bool read_splits(struct json_values *v, struct sums *s)
{
	struct split_totals *t = &s->dataset->splits;

	if (!values_element(v) || !values_counts(v, t->files, SPLITS_MAX))
		return v->failed ? false : values_fail(v, "expected the files of each split");
	while (values_element(v)) {
		struct split_total row = { .id = 0 };

		if (!values_row(v) || !values_i64(v, &row.id))
			return false;
		for (size_t k = 0; k < SPLITS_MAX; k++)
			if (!values_next_u64(v, &row.files[k]))
				return false;
		if (!values_array_end(v))
			return false;
		if (t->count == SPLIT_IDS_MAX || (t->count && t->v[t->count - 1].id >= row.id))
			return values_fail(v, "the rows are not sorted, or too many");
		GROW(t->v, t->cap, t->count + 1);
		t->v[t->count++] = row;
	}
	return !v->failed;
}

/* ---- class folders ---------------------------------------------------------------------------------------------- */

/* [[paths of the roots], [name, roots that have it, roots where it holds images], ...]; roots are bits */
static void write_folders(struct json_writer *w, const struct report *r)
{
	const struct folder_totals *t = &r->dataset->folders;

	begin_row(w);
	for (size_t i = 0; i < CLASS_ROOTS_MAX && t->roots[i]; i++)
		write_path(w, t->roots[i]);
	json_end(w);
	for (size_t i = 0; i < t->count; i++) {
		begin_row(w);
		write_path(w, t->v[i].name);
		json_u64(w, t->v[i].roots);
		json_u64(w, t->v[i].filled);
		json_end(w);
	}
}

static bool read_folder(struct json_values *v, struct folder_totals *t, uint32_t all)
{
	struct folder_total row = { .name = NULL };
	uint64_t roots = 0, filled = 0;
	bool good = values_row(v) && read_path(v, &row.name) && values_next_u64(v, &roots) &&
		    values_next_u64(v, &filled) && values_array_end(v);

	if (good && (!roots || roots & ~(uint64_t)all || filled & ~roots || t->count >= CLASS_FOLDERS_ALL ||
		     (t->count && strcmp(t->v[t->count - 1].name, row.name) >= 0)))
		good = values_fail(v, "a class folder in no root, or the rows are not sorted, or too many");
	if (!good) {
		free(row.name);
		return false;
	}
	row.roots = (uint32_t)roots;
	row.filled = (uint32_t)filled;
	GROW(t->v, t->cap, t->count + 1);
	t->v[t->count++] = row;
	return true;
}

static bool read_folders(struct json_values *v, struct sums *s)
{
	struct folder_totals *t = &s->dataset->folders;
	uint32_t all = 0;

	if (!values_element(v) || !values_array(v))
		return v->failed ? false : values_fail(v, "expected the paths of the roots");
	for (unsigned i = 0; values_element(v); i++) {
		if (i == CLASS_ROOTS_MAX)
			return values_fail(v, "more than %d roots", CLASS_ROOTS_MAX);
		if (!read_path(v, &t->roots[i]))
			return false;
		all |= UINT32_C(1) << i;
	}
	while (!v->failed && values_element(v))
		if (!read_folder(v, t, all))
			return false;
	return !v->failed;
}

/* ---- contents --------------------------------------------------------------------------------------------------- */

/* [key, path, splits] for a content that only one file has; else more follows. */
static void write_content(struct json_writer *w, const struct content_total *c)
{
	begin_row(w);
	strbuf_addf(json_value(w), "\"%016" PRIx64 "%016" PRIx64 "\"", c->key[0], c->key[1]);
	write_path(w, c->path);
	json_u64(w, c->splits);
	if (c->files > 1 || c->places) {
		json_u64(w, c->files);
		json_u64(w, c->path_max);
	}
	if (c->places) {
		write_path(w, c->places->second);
		for (size_t i = 0; i < 2 && c->places->split_path[i]; i++) {
			json_u64(w, c->places->split[i]);
			write_path(w, c->places->split_path[i]);
		}
	}
	json_end(w);
}

/* [largest key that is kept, rows by key ...]; in the order of content_table_sort */
static void write_contents(struct json_writer *w, const struct report *r)
{
	const struct content_table *t = r->dataset->contents;

	json_u64(w, t ? atomic_load(&t->last) : UINT64_MAX);
	for (size_t i = 0; t && i < t->count; i++)
		write_content(w, &t->v[i]);
}

static bool read_key(struct json_values *v, uint64_t key[2])
{
	const char *s = values_string(v);

	if (!s || strlen(s) != 32)
		return s && values_fail(v, "expected 32 hexadecimal digits");
	key[0] = key[1] = 0;
	for (size_t i = 0; i < 32; i++) {
		int digit = ascii_xdigit_value(s[i]);

		if (digit < 0)
			return values_fail(v, "expected 32 hexadecimal digits");
		key[i / 16] = key[i / 16] << 4 | (uint64_t)digit;
	}
	return true;
}

/* Reads from the second path, which is the current value, to the end of the row. */
static bool read_places(struct json_values *v, struct content_places *p)
{
	uint64_t split;

	if (!read_path(v, &p->second))
		return false;
	for (size_t i = 0; i < 2; i++) {
		if (!values_element(v))
			return !v->failed;
		if (!values_u64(v, &split) || !values_element(v) || !read_path(v, &p->split_path[i]))
			return v->failed ? false : values_fail(v, "a split without a path");
		if (!split || split >= SPLITS_MAX)
			return values_fail(v, "a split that there is not");
		p->split[i] = (uint8_t)split;
	}
	return values_array_end(v);
}

/* Reads the row after its key. Fills c and *p with what the caller must free, whatever it returns. */
static bool read_content(struct json_values *v, struct content_total *c, struct content_places *p)
{
	uint64_t splits, size;

	if (!values_element(v) || !read_path(v, &c->path) || !values_next_u64(v, &splits))
		return v->failed ? false : values_fail(v, "expected a path");
	if (splits >> SPLITS_MAX)
		return values_fail(v, "a split that there is not");
	c->splits = (uint8_t)splits;
	c->files = 1;
	c->path_max = (uint32_t)strlen(c->path) + 1;
	if (!values_element(v))
		return !v->failed;
	if (!values_u64(v, &c->files) || !values_next_u64(v, &size))
		return false;
	if (!c->files || size < c->path_max || size > UINT32_MAX)
		return values_fail(v, "a content of no files, or of paths too long");
	c->path_max = (uint32_t)size;
	if (!values_element(v))
		return !v->failed;
	c->places = p;
	return read_places(v, p);
}

static bool read_contents(struct json_values *v, struct sums *s)
{
	struct content_table *t = xmalloc(sizeof(*t));
	uint64_t last, before[2] = { 0, 0 };
	bool first = true;

	content_table_init(t);
	s->dataset->contents = t;
	if (!values_next_u64(v, &last))
		return false;
	last = MIN(last, s->contents_last);
	content_table_limit(t, last);
	while (values_element(v)) {
		struct content_places p = { .second = NULL };
		struct content_total c = { .files = 0 };
		bool read = values_row(v) && read_key(v, c.key);

		if (read && !first && (c.key[0] < before[0] || (c.key[0] == before[0] && c.key[1] <= before[1])))
			read = values_fail(v, "the rows are not sorted");
		if (read && c.key[0] > last) /* and so are those after it */
			return values_skip_rest(v) && values_skip_rest(v);
		read = read && read_content(v, &c, &p);
		if (read)
			content_table_put(t, &c);
		memcpy(before, c.key, sizeof(before));
		first = false;
		free(c.path);
		free(p.second);
		free(p.split_path[0]);
		free(p.split_path[1]);
		if (!read)
			return false;
	}
	return !v->failed;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

enum shape { SCALAR, ARRAY, OBJECT };

/* Brackets of arrays and objects are written before and after `write`, and the type is checked before `read`. */
static const struct {
	const char *key;
	enum shape shape;
	void (*write)(struct json_writer *w, const struct report *r);
	bool (*read)(struct json_values *v, struct sums *s);
} members[] = {
	{ "max_findings", SCALAR, write_max_findings, read_max_findings },
	{ "levels", OBJECT, write_levels, read_levels },
	{ "names", ARRAY, write_names, read_names },
	{ "images_flat", SCALAR, write_images_flat, read_images_flat },
	{ "counts", OBJECT, write_counts, read_counts },
	{ "tallies", OBJECT, write_tallies, read_tallies },
	{ "ids", ARRAY, write_ids, read_ids },
	{ "formats", ARRAY, write_formats, read_formats },
	{ "sizes", ARRAY, write_sizes, read_sizes },
	{ "palettes", ARRAY, write_palettes, read_palettes },
	{ "split_names", ARRAY, write_split_names, read_split_names },
	{ "splits", ARRAY, write_splits, read_splits },
	{ "folders", ARRAY, write_folders, read_folders },
	/* the largest; last, and sorted, so that a merge may skip its end */
	{ "contents", ARRAY, write_contents, read_contents },
};

void report_partial_write(struct json_writer *w, const struct report *r)
{
	json_key_object(w, "partial", JSON_BLOCK);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		json_key(w, members[i].key);
		if (members[i].shape == ARRAY)
			json_begin_array(w, JSON_INLINE);
		else if (members[i].shape == OBJECT)
			json_begin_object(w, JSON_INLINE);
		members[i].write(w, r);
		if (members[i].shape >= ARRAY)
			json_end(w);
	}
	json_end(w);
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
			return values_fail(v, "there are two of it");
		seen |= 1u << i;
		if ((members[i].shape == ARRAY && !values_array(v)) ||
		    (members[i].shape == OBJECT && !values_object(v)) || !members[i].read(v, &s))
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
	    d->informative_files > d->files_with_ids || d->informative_flagged > d->informative_files)
		return false;
	for (size_t i = 0; i < TALLIES; i++)
		if (d->tallies[i].files > d->files_with_ids || (d->tallies[i].example && !d->tallies[i].files))
			return false;
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
	return check_files(dataset) || values_fail(v, "the counts of files do not add up");
}
