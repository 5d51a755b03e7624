/*
 * "partial", but for its tables (report_partial_tables.c), and what it has of splits and contents
 * (report_partial_contents.c).
 */
#include "report/report_partial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "judge/role.h"
#include "report/report_partial_parts.h"
#include "report/report_read.h"

enum { NAMED_ID_MAX = 1 << 20 /* class files hold 65536 names at most */ };

/* ---- names of files, tallies ------------------------------------------------------------------------------------ */

void partial_write_path(struct json_writer *w, const char *path)
{
	size_t n = strlen(path);

	if (utf8_valid(path, n)) {
		json_string(w, path, n);
		return;
	}
	json_begin_array(w, JSON_INLINE);
	json_base64(w, path, n);
	json_end(w);
}

/* The next element, which must be there. */
static bool next_element(struct json_values *v)
{
	return values_element(v) || values_fail(v, "a row that ends too early");
}

bool partial_read_path(struct json_values *v, char **out)
{
	const char *s;

	if (v->token == JSON_ARRAY) {
		s = next_element(v) ? values_base64(v) : NULL;
		if (s)
			*out = xstrdup(s);
		return s && values_array_end(v);
	}
	s = values_string(v);
	if (s)
		*out = xstrdup(s);
	return s != NULL;
}

void partial_write_tally(struct json_writer *w, uint64_t files, const char *example)
{
	json_u64(w, files);
	partial_write_path(w, example);
}

bool partial_read_tally(struct json_values *v, uint64_t *files, char **example)
{
	return values_next_u64(v, files) && next_element(v) && partial_read_path(v, example) && values_array_end(v);
}

bool partial_begin_row(struct json_values *v)
{
	if (!values_array(v))
		return false;
	return values_element(v) || values_fail(v, "an empty row");
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

static void write_max_findings(struct json_writer *w, const struct report *r)
{
	json_u64(w, r->settings->max_findings);
}

static bool read_max_findings(struct json_values *v, struct report_file *f)
{
	return values_u64(v, &f->settings.max_findings);
}

/* Whether images of this part were found flat: then those of no other part are missed. */
static void write_images_flat(struct json_writer *w, const struct report *r)
{
	json_bool(w, r->dataset->images_flat);
}

static bool read_images_flat(struct json_values *v, struct report_file *f)
{
	return values_bool(v, &f->dataset.images_flat);
}

/* Those that are not the rule's own. */
static void write_levels(struct json_writer *w, const struct report *r)
{
	json_begin_object(w, JSON_INLINE);
	for (size_t i = 0; i < rule_count; i++) {
		if (r->settings->rule_levels[i] == rule_table[i]->level)
			continue;
		json_key(w, rule_table[i]->name);
		json_text(w, level_name(r->settings->rule_levels[i]));
	}
	json_end(w);
}

static bool read_levels(struct json_values *v, struct report_file *f)
{
	if (!values_object(v))
		return false;
	while (values_member(v)) {
		const struct rule *rule = rule_find(v->key);

		if (!rule)
			return values_fail(v, "a rule of this name is not known to this version");
		report_read_level(v, true, &f->settings.rule_levels[rule_index(rule)]);
	}
	return !v->failed;
}

static void write_names(struct json_writer *w, const struct report *r)
{
	const struct class_set *classes = &r->settings->classes;

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

static bool read_names(struct json_values *v, struct report_file *f)
{
	if (!values_array(v))
		return false;
	while (values_element(v)) {
		uint64_t id;
		const char *name;

		if (!partial_begin_row(v) || !values_u64(v, &id) || !values_element(v) || !(name = values_string(v)))
			return v->failed ? false : values_fail(v, "expected [id, name]");
		if (id > NAMED_ID_MAX)
			return values_fail(v, "a class with the number %" PRIu64 " has a name", id);
		class_set_name(&f->settings.classes, (size_t)id, name);
		if (!values_array_end(v))
			return false;
	}
	return !v->failed;
}

/* ---- counts of files -------------------------------------------------------------------------------------------- */

struct count_field {
	const char *key;
	size_t at; /* of a uint64_t in struct dataset_stats */
	size_t n;  /* how many of them; 1: a number, else an array */
};

#define COUNT(key, member, n)                                    \
	{                                                        \
		key, offsetof(struct dataset_stats, member), (n) \
	}

static const struct count_field counts[] = {
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
	json_begin_object(w, JSON_INLINE);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		const char *from = (const char *)r->dataset + counts[i].at;

		json_key(w, counts[i].key);
		if (counts[i].n > 1)
			json_begin_array(w, JSON_INLINE);
		for (size_t k = 0; k < counts[i].n; k++) {
			uint64_t count;

			memcpy(&count, from + k * sizeof(count), sizeof(count));
			json_u64(w, count);
		}
		if (counts[i].n > 1)
			json_end(w);
	}
	json_end(w);
}

static bool read_counts(struct json_values *v, struct report_file *f)
{
	if (!values_object(v))
		return false;
	while (values_member(v)) {
		size_t i = 0;
		uint64_t read[2] = { 0, 0 };

		while (i < ARRAY_SIZE(counts) && !values_key_is(v, counts[i].key))
			i++;
		if (i == ARRAY_SIZE(counts)) {
			values_skip(v);
			continue;
		}
		if (counts[i].n > 1 ? !values_counts(v, read, counts[i].n) : !values_u64(v, read))
			return false;
		memcpy((char *)&f->dataset + counts[i].at, read, counts[i].n * sizeof(read[0]));
	}
	return !v->failed;
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

/* Those of no file are left out. */
static void write_tallies(struct json_writer *w, const struct report *r)
{
	json_begin_object(w, JSON_INLINE);
	for (size_t i = 0; i < TALLIES; i++) {
		const struct tally *t = &r->dataset->tallies[i];

		if (!t->files)
			continue;
		json_key(w, tally_names[i]);
		json_begin_array(w, JSON_INLINE);
		partial_write_tally(w, t->files, t->example);
		json_end(w);
	}
	json_end(w);
}

static bool read_tallies(struct json_values *v, struct report_file *f)
{
	if (!values_object(v))
		return false;
	while (values_member(v)) {
		size_t i = 0;
		struct tally *t;

		while (i < TALLIES && !values_key_is(v, tally_names[i]))
			i++;
		if (i == TALLIES) {
			values_skip(v);
			continue;
		}
		t = &f->dataset.tallies[i];
		if (t->example)
			return values_fail(v, "there are two of it");
		if (!values_array(v) || !partial_read_tally(v, &t->files, &t->example))
			return false;
	}
	return !v->failed;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static const struct partial_member {
	const char *key;
	void (*write)(struct json_writer *w, const struct report *r);
	bool (*read)(struct json_values *v, struct report_file *f);
} members[] = {
	{ "max_findings", write_max_findings, read_max_findings },
	{ "levels", write_levels, read_levels },
	{ "names", write_names, read_names },
	{ "images_flat", write_images_flat, read_images_flat },
	{ "counts", write_counts, read_counts },
	{ "tallies", write_tallies, read_tallies },
	{ "ids", partial_write_ids, partial_read_ids },
	{ "formats", partial_write_formats, partial_read_formats },
	{ "sizes", partial_write_sizes, partial_read_sizes },
	{ "palettes", partial_write_palettes, partial_read_palettes },
	{ "split_names", partial_write_split_names, partial_read_split_names },
	{ "splits", partial_write_splits, partial_read_splits },
	{ "folders", partial_write_folders, partial_read_folders },
	/* the largest; last, and sorted, so that a merge may pass over it */
	{ "contents", partial_write_contents, partial_read_contents },
};

void report_partial_write(struct json_writer *w, const struct report *r)
{
	json_key(w, "partial");
	json_begin_object(w, JSON_BLOCK);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		json_key(w, members[i].key);
		members[i].write(w, r);
	}
	json_end(w);
}

/* All must be there, once: a sum that is missing would be taken for zero. */
bool report_partial_read(struct json_values *v, struct report_file *f)
{
	unsigned seen = 0;

	_Static_assert(ARRAY_SIZE(members) < 32, "bits of seen");
	if (!values_object(v))
		return false;
	if (!f->settings.shards || f->partial)
		return values_fail(v, f->partial ? "there are two of it" : "it is not the report of a shard");
	f->partial = true;
	while (values_member(v)) {
		size_t i = 0;

		while (i < ARRAY_SIZE(members) && !values_key_is(v, members[i].key))
			i++;
		if (i == ARRAY_SIZE(members))
			return values_fail(v, "a sum that this version does not know");
		if (seen >> i & 1)
			return values_fail(v, "there are two of it");
		seen |= 1u << i;
		if (!members[i].read(v, f))
			return false;
	}
	for (size_t i = 0; !v->failed && i < ARRAY_SIZE(members); i++)
		if (!(seen >> i & 1))
			return values_fail(v, "there is no '%s' in 'partial'", members[i].key);
	return !v->failed;
}

static bool check_ids(const struct report_file *f)
{
	const struct dataset_stats *d = &f->dataset;

	for (size_t i = 0; i < d->ids_count; i++) {
		const struct id_total *t = &d->ids[i];
		bool invalid = settings_role(&f->settings, t->id) == ID_INVALID;

		/* rules print the example of every id that is out of range */
		if (!t->files || t->files > d->files_with_ids || invalid != (t->example != NULL))
			return false;
	}
	return true;
}

/* Counts of files within counts of files, so that rules may subtract and divide. */
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

bool report_partial_check(struct json_values *v, const struct report_file *f)
{
	if (!check_ids(f))
		return values_fail(v, "the counts of ids do not add up");
	return check_files(&f->dataset) || values_fail(v, "the counts of files do not add up");
}
