/* The settings and the tables of a report that is read back. */
#include "report/report_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "judge/role.h"

enum {
	CLASS_ID_MAX = 1 << 20, /* of a class with a name: class files hold 65536 at most */
	LIST_MAX = 1 << 20,     /* formats, sizes */
};

/* ---- settings --------------------------------------------------------------------------------------------------- */

/* "0-18,33,-5--1", as id_ranges_format writes it: ascending. A lone number is one id here, not a count. */
static bool add_ranges(struct json_values *v, const char *s, struct id_ranges *ranges)
{
	while (s && *s) {
		struct id_range range;

		if (!scan_int64(&s, &range.first))
			return values_fail(v, "expected ids and ranges");
		range.last = range.first;
		if (*s == '-') {
			s++;
			if (!scan_int64(&s, &range.last) || range.last < range.first)
				return values_fail(v, "expected ids and ranges");
		}
		if (*s && *s++ != ',')
			return values_fail(v, "expected ids and ranges");
		if (ranges->count && ranges->v[ranges->count - 1].last >= range.first - (range.first > INT64_MIN))
			id_ranges_add(ranges, range.first, range.last); /* next to the one before, or out of order */
		else {
			GROW(ranges->v, ranges->cap, ranges->count + 1);
			ranges->v[ranges->count++] = range;
		}
	}
	return s != NULL;
}

static bool read_ignore(struct json_values *v, struct id_ranges *ranges)
{
	int64_t id;

	if (!values_array(v))
		return false;
	while (values_element(v)) {
		if (v->token == JSON_STRING)
			add_ranges(v, values_string(v), ranges);
		else if (values_i64(v, &id))
			id_ranges_add(ranges, id, id);
	}
	return !v->failed;
}

static bool read_view(struct json_values *v, enum view *out)
{
	static const enum view views[] = { VIEW_PIL, VIEW_RAW, VIEW_CV2 };
	const char *s = values_string(v);

	for (size_t i = 0; s && i < ARRAY_SIZE(views); i++) {
		if (!strcmp(s, view_name(views[i]))) {
			*out = views[i];
			return true;
		}
	}
	return s && values_fail(v, "expected a view, found '%.40s'", s);
}

static bool read_fail_on(struct json_values *v, enum level *out)
{
	if (v->token == JSON_STRING && json_text_is(&v->pull, "never")) {
		*out = LEVEL_OFF;
		return true;
	}
	return report_read_level(v, false, out);
}

static bool read_shard(struct json_values *v, struct settings *settings)
{
	const char *s;
	int64_t shard, shards;

	if (values_null(v))
		return true;
	s = values_string(v);
	if (!s)
		return false;
	if (!scan_int64(&s, &shard) || *s++ != '/' || !scan_int64(&s, &shards) || *s || shard < 1 || shard > shards ||
	    shards > SHARDS_MAX)
		return values_fail(v, "expected a shard like 3/64");
	settings->shard = (uint32_t)shard;
	settings->shards = (uint32_t)shards;
	return true;
}

static bool read_digest(struct json_values *v, char digest[17])
{
	const char *s = values_string(v);

	if (s && (strlen(s) != 16 || s[strspn(s, "0123456789abcdef")]))
		return values_fail(v, "expected 16 hexadecimal digits");
	if (s)
		memcpy(digest, s, 17);
	return s != NULL;
}

bool report_read_settings(struct report_reading *r)
{
	struct json_values *v = &r->values;
	struct settings *settings = &r->file->settings;

	if (!values_object(v))
		return false;
	if (r->has_settings)
		return values_fail(v, "there are two of it");
	r->has_settings = true;
	while (values_member(v)) {
		if (values_key_is(v, "classes"))
			add_ranges(v, values_string(v), &settings->classes.classes);
		else if (values_key_is(v, "ignore"))
			read_ignore(v, &settings->classes.ignored);
		else if (values_key_is(v, "view"))
			read_view(v, &settings->view);
		else if (values_key_is(v, "reduce_zero_label"))
			values_bool(v, &settings->reduce_zero_label);
		else if (values_key_is(v, "fail_on"))
			read_fail_on(v, &settings->fail_on);
		else if (values_key_is(v, "shard"))
			read_shard(v, settings);
		else if (values_key_is(v, "digest"))
			read_digest(v, settings->digest);
		else
			values_skip(v);
	}
	if (!v->failed && !settings->digest[0])
		return values_fail(v, "there is no 'digest'");
	return !v->failed;
}

/* ---- tables of ids ---------------------------------------------------------------------------------------------- */

static bool read_id_row(struct report_reading *r, bool classes)
{
	struct json_values *v = &r->values;
	struct id_row row = { .is_class = classes };
	uint64_t labels = 0;
	char *name = NULL;

	if (!values_object(v))
		return false;
	while (values_member(v)) {
		if (values_key_is(v, "id"))
			values_i64(v, &row.id);
		else if (values_key_is(v, "labels"))
			values_u64(v, &labels);
		else if (values_key_is(v, "files"))
			values_u64(v, &row.files);
		else if (values_key_is(v, "example") || values_key_is(v, "example_b64"))
			report_read_name(r, values_key_is(v, "example_b64"), &row.example);
		else if (classes && values_key_is(v, "name"))
			report_read_name(r, false, &name);
		else
			values_skip(v);
	}
	if (!v->failed && name && (row.id < 0 || row.id > CLASS_ID_MAX))
		values_fail(v, "a class with the number %" PRId64 " has a name", row.id);
	if (!v->failed && name)
		class_set_name(&r->file->settings.classes, (size_t)row.id, name);
	free(name);
	if (v->failed || !labels || r->rows_count == DATASET_IDS_MAX) {
		free(row.example);
		return !v->failed;
	}
	GROW(r->rows, r->rows_cap, r->rows_count + 1);
	r->rows[r->rows_count++] = row;
	return true;
}

static bool read_id_rows(struct report_reading *r, bool classes)
{
	if (!values_array(&r->values))
		return false;
	while (values_element(&r->values))
		if (!read_id_row(r, classes))
			return false;
	return !r->values.failed;
}

static bool read_classes(struct report_reading *r)
{
	return read_id_rows(r, true);
}

static bool read_other_ids(struct report_reading *r)
{
	return read_id_rows(r, false);
}

static bool read_histogram(struct report_reading *r)
{
	struct json_values *v = &r->values;
	struct dataset_stats *d = &r->file->dataset;

	if (!values_array(v))
		return false;
	while (values_element(v)) {
		struct id_total total = { .id = 0 };

		if (!values_array(v) || !values_element(v) || !values_i64(v, &total.id) ||
		    !values_next_u64(v, &total.labels) || !values_array_end(v))
			return v->failed ? false : values_fail(v, "expected [id, count]");
		if (d->ids_count == DATASET_IDS_MAX)
			return values_fail(v, "there are more than %d ids", DATASET_IDS_MAX);
		GROW(d->ids, d->ids_cap, d->ids_count + 1);
		d->ids[d->ids_count++] = total;
	}
	return !v->failed;
}

/* ---- formats and sizes ------------------------------------------------------------------------------------------ */

static bool read_formats(struct report_reading *r)
{
	struct json_values *v = &r->values;
	struct dataset_stats *d = &r->file->dataset;

	if (!values_array(v))
		return false;
	while (values_element(v)) {
		if (!values_object(v))
			return false;
		if (d->formats_count == LIST_MAX)
			return values_fail(v, "there are more than %d formats", LIST_MAX);
		GROW(d->formats, d->formats_cap, d->formats_count + 1);
		struct format_total *format = &d->formats[d->formats_count++];

		memset(format, 0, sizeof(*format));
		while (values_member(v)) {
			if (values_key_is(v, "format"))
				report_read_name(r, false, &format->name);
			else if (values_key_is(v, "files"))
				values_u64(v, &format->tally.files);
			else
				values_skip(v);
		}
		if (!v->failed && !format->name)
			return values_fail(v, "a format without a name");
	}
	return !v->failed;
}

static bool read_sizes(struct report_reading *r)
{
	struct json_values *v = &r->values;
	struct dataset_stats *d = &r->file->dataset;

	if (!values_array(v))
		return false;
	while (values_element(v)) {
		uint64_t shape[2] = { 0, 0 }, files = 0;

		if (!values_object(v))
			return false;
		while (values_member(v)) {
			if (values_key_is(v, "shape"))
				values_counts(v, shape, 2);
			else if (values_key_is(v, "files"))
				values_u64(v, &files);
			else
				values_skip(v);
		}
		if (v->failed)
			return false;
		if (shape[0] > UINT32_MAX || shape[1] > UINT32_MAX || d->sizes_count == SIZES_MAX)
			return values_fail(v, "a size that no file has, or too many of them");
		GROW(d->sizes, d->sizes_cap, d->sizes_count + 1);
		d->sizes[d->sizes_count++] = (struct size_total){ (uint32_t)shape[0], (uint32_t)shape[1], files };
	}
	return !v->failed;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

bool report_read_table(struct report_reading *r, bool *known)
{
	static const struct {
		const char *key;
		bool (*read)(struct report_reading *r);
	} tables[] = {
		{ "classes", read_classes },     { "ignored", read_other_ids }, { "out_of_range", read_other_ids },
		{ "histogram", read_histogram }, { "formats", read_formats },   { "sizes", read_sizes },
	};

	/* `partial` says it all again, and more; it comes behind the settings, as everything does. */
	*known = !r->file->settings.shards;
	if (!*known)
		return true;
	if (values_key_is(&r->values, "sizes_total"))
		return values_u64(&r->values, &r->sizes_total);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		if (values_key_is(&r->values, tables[i].key))
			return tables[i].read(r);
	*known = false;
	return true;
}

static int compare_size(const void *pa, const void *pb)
{
	const struct size_total *a = pa, *b = pb;

	if (a->height != b->height)
		return a->height < b->height ? -1 : 1;
	return a->width < b->width ? -1 : a->width > b->width;
}

bool report_settle_tables(struct report_reading *r)
{
	struct dataset_stats *d = &r->file->dataset;

	for (size_t i = 0; i < r->rows_count; i++) {
		struct id_row *row = &r->rows[i];

		if (row->is_class && row->id == INT64_MAX)
			continue;
		int64_t id = row->is_class ? settings_file_id(&r->file->settings, row->id) : row->id;
		const struct id_total *found = dataset_id(d, id);

		if (!found)
			return values_fail(&r->values, "id %" PRId64 " is in a table, but not in 'histogram'", id);
		struct id_total *total = &d->ids[found - d->ids];

		total->files = row->files;
		if (!total->example) {
			total->example = row->example;
			row->example = NULL;
		}
	}
	if (d->sizes_count)
		qsort(d->sizes, d->sizes_count, sizeof(*d->sizes), compare_size);
	if (r->sizes_total > d->sizes_count)
		d->sizes_unlisted = r->sizes_total - d->sizes_count;
	return true;
}
