/*
 * Reads a JSON report back: its settings, tables, findings and run, member by member, each checked as it is read; then
 * whether the sums add up.
 */
#include "report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/scan_number.h"
#include "judge/role.h"
#include "report/json_values.h"
#include "report/narrowed.h"
#include "report/report_partial.h"

enum {
	CLASS_ID_MAX = 1 << 20, /* of a class with a name: class files hold 65536 at most */
	FORMATS_MAX = 1 << 20,
	OPTIONS_MAX = 64, /* more than there are options */
};

/* The row of an id in a table, without its labels. Kept until all tables are read, since keys may come in any order. */
struct id_row {
	int64_t id;
	bool is_class; /* then the id is the one that is trained */
	uint64_t files;
	char *example; /* owned */
};

struct report_reader {
	struct report_file *file;
	struct id_row *rows; /* owned */
	size_t rows_count, rows_cap;
	uint64_t sizes_total;
	uint64_t findings_total, findings_listed;
	bool has_settings, has_summary;
	struct finding *finding; /* the current one, for its details; owned */
};

/* ---- summary, run ----------------------------------------------------------------------------------------- */

static bool read_schema_version(struct json_values *v, void *context)
{
	const char *s = values_string(v);

	(void)context;
	if (s && strncmp(s, "1.", 2) != 0)
		return values_fail(v, "schema version %.20s; this program reads 1.x", s);
	return s != NULL;
}

static bool read_summary_rule(struct json_values *v, void *context)
{
	struct finding_list *l = context;
	size_t rule = rule_count;
	enum level level = LEVEL_OFF;
	uint64_t count = 0;
	const struct values_field fields[] = {
		{ "rule", .rule = &rule },
		{ "level", .level = &level },
		{ "findings", .u64 = &count },
	};

	if (!values_fields(v, fields, ARRAY_SIZE(fields)))
		return false;
	if (rule == rule_count || level == LEVEL_OFF || !count || l->by_rule[rule])
		return values_fail(v, "a rule without name, level or count, or twice");
	l->by_rule[rule] = count;
	l->rule_worst[rule] = level;
	return true;
}

static bool read_left_out(struct json_values *v, void *context)
{
	struct coverage *c = context;
	char reason[32] = "", *example = NULL;
	uint64_t files = 0, labels = 0;
	const struct values_field fields[] = {
		{ "reason", .buffer = reason, .size = sizeof(reason) },
		{ "files", .u64 = &files },
		{ "label_files", .u64 = &labels },
		{ "example", .path = &example },
	};
	bool read = values_fields(v, fields, ARRAY_SIZE(fields));
	enum skip_reason at = skip_reason_find(reason);

	if (read && at != SKIP_NONE && files && labels <= files && example && !c->left_out[at].files) {
		c->left_out[at].files = files;
		c->labels[at].files = labels;
		*(labels ? &c->labels[at].example : &c->left_out[at].example) = example;
		return true;
	}
	free(example);
	return read ? values_fail(v, "a reason without name, files or example, or twice") : false;
}

static bool read_unread(struct json_values *v, void *context)
{
	struct coverage *c = context;
	char kind[32] = "", *example = NULL;
	uint64_t files = 0;
	const struct values_field fields[] = {
		{ "kind", .buffer = kind, .size = sizeof(kind) },
		{ "files", .u64 = &files },
		{ "example", .path = &example },
	};
	bool read = values_fields(v, fields, ARRAY_SIZE(fields));
	enum unread_kind at = unread_kind_find(kind);

	if (read && at != UNREAD_NONE && files && example && !c->unread[at].files) {
		c->unread[at] = (struct tally){ files, example };
		return true;
	}
	free(example);
	return read ? values_fail(v, "a kind without name, files or example, or twice") : false;
}

/* Subtracts the files of known kinds, which the counts by reason include. Returns false if they are too many. */
static bool separate_unread(struct json_values *v, struct coverage *c)
{
	for (int i = UNREAD_NONE + 1; i < UNREAD_KINDS; i++) {
		struct tally *labels = &c->labels[unread_kind_reason((enum unread_kind)i)];

		if (c->unread[i].files > labels->files)
			return values_fail(v, "more files of a kind than left out for its reason");
		labels->files -= c->unread[i].files;
		if (!labels->files) { /* the example is of such a file */
			free(labels->example);
			labels->example = NULL;
		}
	}
	return true;
}

static bool read_path_account(struct json_values *v, void *context)
{
	struct coverage *c = context;
	struct path_account a = { .path = NULL };
	const struct values_field fields[] = {
		{ "path", .path = &a.path },         { "audited", .u64 = &a.audited },
		{ "failed", .u64 = &a.failed },      { "left_out", .u64 = &a.left_out },
		{ "label_files", .u64 = &a.labels }, { "data_files", .u64 = &a.data },
	};
	bool read = values_fields(v, fields, ARRAY_SIZE(fields));

	if (read && a.path) {
		coverage_add_path(c, &a);
		return true;
	}
	free(a.path);
	return read ? values_fail(v, "a path without its name") : false;
}

/* A report of schema 1.0 has none of it. The other counts are those of the summary. */
static bool read_coverage(struct json_values *v, void *context)
{
	const struct values_field fields[] = {
		{ "left_out", .each = read_left_out, .context = context },
		{ "unread", .each = read_unread, .context = context },
		{ "paths", .each = read_path_account, .context = context },
	};

	return values_fields(v, fields, ARRAY_SIZE(fields)) && separate_unread(v, context);
}

static bool read_thread_seconds(struct json_values *v, void *context)
{
	struct run_facts *run = context;
	struct values_field fields[STAGES];
	uint64_t us[STAGES] = { 0 };

	for (int stage = 0; stage < STAGES; stage++)
		fields[stage] =
			(struct values_field){ stage_name((enum stage)stage), .u64 = &us[stage], .decimals = 6 };
	values_fields(v, fields, STAGES);
	for (int stage = 0; stage < STAGES; stage++)
		run->stage_ns[stage] = us[stage] <= UINT64_MAX / 1000 ? us[stage] * 1000 : 0;
	return !v->failed;
}

static bool read_read_ahead(struct json_values *v, void *context)
{
	struct run_facts *run = context;
	const struct values_field fields[] = { { "files", .u64 = &run->read_ahead },
					       { "under_way", .u64 = &run->under_way } };

	return values_fields(v, fields, ARRAY_SIZE(fields));
}

static bool read_note(struct json_values *v, void *context)
{
	struct run_facts *run = context;
	const char *s = values_string(v);

	if (s && !run->note[0])
		snprintf(run->note, sizeof(run->note), "%s", s);
	return s != NULL;
}

static bool read_run(struct json_values *v, void *context)
{
	struct run_facts *run = context;
	uint64_t ms = 0, jobs = 0;
	const struct values_field fields[] = {
		{ "started", .buffer = run->started, .size = sizeof(run->started) },
		{ "seconds", .u64 = &ms, .decimals = 3 },
		{ "device", .buffer = run->device, .size = sizeof(run->device) },
		{ "jobs", .u64 = &jobs },
		{ "thread_seconds", .read = read_thread_seconds, .context = run },
		{ "read_ahead", .read = read_read_ahead, .context = run },
		{ "peak_memory", .u64 = &run->peak_memory },
		{ "notes", .each = read_note, .context = run },
	};

	values_fields(v, fields, ARRAY_SIZE(fields));
	run->seconds = (double)ms / 1000;
	run->jobs = (unsigned)MIN(jobs, (uint64_t)UINT32_MAX);
	return !v->failed;
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

/* Reads "0-18,33,-5--1", as id_ranges_format writes it: ascending. A lone number is one id here, not a count. */
static bool add_ranges(struct json_values *v, const char *s, struct id_ranges *ranges)
{
	while (s && *s) {
		struct id_range range;

		if (!id_range_scan(&s, &range) || range.last < range.first || (*s && *s++ != ','))
			return values_fail(v, "expected ids and ranges");
		if (ranges->count && ranges->v[ranges->count - 1].last >= range.first - (range.first > INT64_MIN))
			id_ranges_add(ranges, range.first, range.last); /* adjacent to the last one, or out of order */
		else {
			GROW(ranges->v, ranges->cap, ranges->count + 1);
			ranges->v[ranges->count++] = range;
		}
	}
	return s != NULL;
}

static bool read_classes_setting(struct json_values *v, void *ranges)
{
	return add_ranges(v, values_string(v), ranges);
}

static bool read_ignored(struct json_values *v, void *ranges)
{
	int64_t id;

	if (v->token == JSON_STRING)
		return add_ranges(v, values_string(v), ranges);
	if (values_i64(v, &id))
		id_ranges_add(ranges, id, id);
	return !v->failed;
}

static bool read_view(struct json_values *v, void *out)
{
	static const enum view views[] = { VIEW_PIL, VIEW_RAW, VIEW_CV2 };
	const char *s = values_string(v);

	for (size_t i = 0; s && i < ARRAY_SIZE(views); i++) {
		if (!strcmp(s, view_name(views[i]))) {
			*(enum view *)out = views[i];
			return true;
		}
	}
	return s && values_fail(v, "expected a view, found '%.40s'", s);
}

static bool read_fail_on(struct json_values *v, void *out)
{
	if (v->token == JSON_STRING && json_text_is(&v->pull, "never")) {
		*(enum level *)out = LEVEL_OFF;
		return true;
	}
	return values_level(v, false, out);
}

static bool read_shard(struct json_values *v, void *context)
{
	struct settings *settings = context;
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

static bool read_digest(struct json_values *v, void *digest)
{
	uint64_t n;

	if (!values_hex(v, &n))
		return false;
	snprintf(digest, 17, "%016" PRIx64, n);
	return true;
}

static bool read_options(struct json_values *v, void *context)
{
	struct setting_values *options = context;

	for (values_object(v); values_member(v);) {
		const char *value = values_string(v);

		if (!value)
			return false;
		if (options->count == OPTIONS_MAX)
			return values_fail(v, "there are more than %d options", OPTIONS_MAX);
		setting_values_add(options, v->key, value, false);
	}
	return !v->failed;
}

static bool read_settings(struct json_values *v, void *context)
{
	struct report_reader *r = context;
	struct settings *s = &r->file->settings;
	const struct values_field fields[] = {
		{ "classes", .read = read_classes_setting, .context = &s->classes.classes },
		{ "ignore", .each = read_ignored, .context = &s->classes.ignored },
		{ "view", .read = read_view, .context = &s->view },
		{ "reduce_zero_label", .truth = &s->reduce_zero_label },
		{ "strict", .truth = &s->strict },
		{ "fail_on", .read = read_fail_on, .context = &s->fail_on },
		{ "shard", .read = read_shard, .context = s },
		{ "digest", .read = read_digest, .context = s->digest },
		{ "options", .read = read_options, .context = &s->options },
		{ "narrowed", .read = narrowed_read, .context = s },
	};

	if (!values_object(v))
		return false;
	if (r->has_settings)
		return values_fail(v, "it occurs twice");
	r->has_settings = true;
	if (values_fields(v, fields, ARRAY_SIZE(fields)) && !s->digest[0])
		return values_fail(v, "there is no 'digest'");
	return !v->failed;
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static bool read_id_row(struct json_values *v, struct report_reader *r, bool is_class)
{
	struct id_row row = { .is_class = is_class };
	uint64_t labels = 0;
	char *name = NULL;
	const struct values_field fields[] = {
		{ "id", .i64 = &row.id },       { "labels", .u64 = &labels },
		{ "files", .u64 = &row.files }, { "example", .path = &row.example },
		{ "name", .name = &name }, /* of a class only */
	};

	if (values_fields(v, fields, ARRAY_SIZE(fields) - !is_class) && name) {
		if (row.id < 0 || row.id > CLASS_ID_MAX)
			values_fail(v, "a class with the number %" PRId64 " has a name", row.id);
		else
			class_set_name(&r->file->settings.classes, (size_t)row.id, name);
	}
	free(name);
	if (v->failed || !labels || r->rows_count == DATASET_IDS_MAX) {
		free(row.example);
		return !v->failed;
	}
	GROW(r->rows, r->rows_cap, r->rows_count + 1);
	r->rows[r->rows_count++] = row;
	return true;
}

static bool read_class(struct json_values *v, void *context)
{
	return read_id_row(v, context, true);
}

static bool read_other_id(struct json_values *v, void *context)
{
	return read_id_row(v, context, false);
}

static bool read_histogram_row(struct json_values *v, void *context)
{
	struct dataset_stats *d = context;
	struct id_total total = { .id = 0 };

	if (!values_pair(v, &total.id, &total.labels))
		return false;
	if (d->ids_count == DATASET_IDS_MAX)
		return values_fail(v, "there are more than %d ids", DATASET_IDS_MAX);
	GROW(d->ids, d->ids_cap, d->ids_count + 1);
	d->ids[d->ids_count++] = total;
	return true;
}

static bool read_format(struct json_values *v, void *context)
{
	struct dataset_stats *d = context;

	if (d->formats_count == FORMATS_MAX)
		return values_fail(v, "there are more than %d formats", FORMATS_MAX);
	GROW(d->formats, d->formats_cap, d->formats_count + 1);
	struct format_total *format = &d->formats[d->formats_count++];
	const struct values_field fields[] = {
		{ "format", .name = &format->name },
		{ "files", .u64 = &format->tally.files },
	};

	memset(format, 0, sizeof(*format));
	if (values_fields(v, fields, ARRAY_SIZE(fields)) && !format->name)
		return values_fail(v, "a format without a name");
	return !v->failed;
}

static bool read_size(struct json_values *v, void *context)
{
	struct dataset_stats *d = context;
	uint64_t shape[2] = { 0, 0 }, files = 0;
	const struct values_field fields[] = {
		{ "shape", .u64 = shape, .counts = 2 },
		{ "files", .u64 = &files },
	};

	if (!values_fields(v, fields, ARRAY_SIZE(fields)))
		return false;
	if (shape[0] > UINT32_MAX || shape[1] > UINT32_MAX || d->sizes_count == SIZES_MAX)
		return values_fail(v, "a size that no file has, or too many of them");
	GROW(d->sizes, d->sizes_cap, d->sizes_count + 1);
	d->sizes[d->sizes_count++] = (struct size_total){ (uint32_t)shape[0], (uint32_t)shape[1], files };
	return true;
}

static int compare_size(const void *pa, const void *pb)
{
	const struct size_total *a = pa, *b = pb;

	if (a->height != b->height)
		return a->height < b->height ? -1 : 1;
	return a->width < b->width ? -1 : a->width > b->width;
}

/* Moves files and examples of the rows to the ids of the histogram. */
static bool join_tables(struct json_values *v, struct report_reader *r)
{
	struct dataset_stats *d = &r->file->dataset;

	for (size_t i = 0; i < r->rows_count; i++) {
		struct id_row *row = &r->rows[i];

		if (row->is_class && row->id == INT64_MAX)
			continue;
		int64_t id = row->is_class ? settings_file_id(&r->file->settings, row->id) : row->id;
		const struct id_total *found = dataset_id(d, id);

		if (!found)
			return values_fail(v, "id %" PRId64 " is in a table, but not in 'histogram'", id);
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

/* ---- findings --------------------------------------------------------------------------------------------------- */

/* Reads [id, count]. */
static bool read_finding_id(struct json_values *v, void *context)
{
	struct finding_details *d = context;

	if (d->ids_count == FINDING_IDS_MAX)
		return values_fail(v, "there are more than %d ids", FINDING_IDS_MAX);
	struct finding_id *id = &d->ids[d->ids_count++];

	return values_pair(v, &id->id, &id->labels);
}

/* Reads [3, 0, 7]. */
static bool read_index(struct json_values *v, void *context)
{
	struct finding_details *d = context;

	d->first_kind = FIRST_INDEX;
	d->first_rank = 0;
	for (values_array(v); values_element(v);) {
		if (d->first_rank == FIRST_AXES_MAX)
			return values_fail(v, "there are more than %d axes", FIRST_AXES_MAX);
		if (!values_u64(v, &d->first_at[d->first_rank++]))
			return false;
	}
	return !v->failed;
}

static bool read_first_line(struct json_values *v, void *context)
{
	struct finding_details *d = context;

	d->first_kind = FIRST_LINE;
	return values_u64(v, &d->first_y);
}

static bool read_first(struct json_values *v, void *context)
{
	struct finding_details *d = context;
	const struct values_field fields[] = {
		{ "id", .i64 = &d->first_id },    { "index", .read = read_index, .context = d },
		{ "x", .u64 = &d->first_x },      { "y", .u64 = &d->first_y },
		{ "column", .u64 = &d->first_x }, { "line", .read = read_first_line, .context = d },
	};

	d->has_first = true;
	d->first_kind = FIRST_XY;
	return values_fields(v, fields, ARRAY_SIZE(fields));
}

static bool read_bbox(struct json_values *v, void *context)
{
	struct finding_details *d = context;

	d->has_bbox = values_counts(v, d->bbox, 4);
	return d->has_bbox;
}

static bool read_details(struct json_values *v, void *context)
{
	struct finding *f = context;
	struct finding_details *d = &f->details;
	char cure[8] = "";
	const struct values_field fields[] = {
		{ "ids", .each = read_finding_id, .context = d },
		{ "ids_total", .u64 = &d->ids_total },
		{ "first", .read = read_first, .context = d },
		{ "bbox", .read = read_bbox, .context = d },
		{ "offset", .u64 = &d->offset },
		{ "line", .u64 = &d->line },
		{ "column", .u64 = &d->column },
		{ "pixels", .u64 = &d->pixels },
		{ "count", .u64 = &d->count },
		{ "digest", .hex = &d->digest },
		{ "map", .buffer = d->map.s, .size = sizeof(d->map.s) },
		{ "fix", .buffer = cure, .size = sizeof(cure) },
	};

	if (!values_fields(v, fields, ARRAY_SIZE(fields)))
		return false;
	d->ids_total = MAX(d->ids_total, (uint64_t)d->ids_count);
	d->map.len = strlen(d->map.s);
	f->beyond_cure = !*cure;
	return true;
}

static bool read_finding(struct json_values *v, void *context)
{
	struct report_reader *r = context;
	struct kept_finding kept = { .rule = NULL };
	size_t rule = rule_count;
	const struct values_field fields[] = {
		{ "rule", .rule = &rule },
		{ "level", .level = &kept.level },
		{ "path", .path = &kept.path },
		{ "member", .path = &kept.member },
		{ "baselined", .truth = &kept.baselined },
		{ "message", .name = &kept.message },
		{ "advice", .name = &kept.advice },
		{ "details", .read = read_details, .context = r->finding },
	};

	finding_init(r->finding, rule_table[0]);
	if (values_fields(v, fields, ARRAY_SIZE(fields)) &&
	    (rule == rule_count || kept.level == LEVEL_OFF || !kept.message || !*kept.message))
		values_fail(v, "a finding without rule, level or message");
	if (v->failed) {
		kept_finding_release(&kept);
		return false;
	}
	if (kept.advice && !*kept.advice) {
		free(kept.advice);
		kept.advice = NULL;
	}
	kept.rule = rule_table[rule];
	kept.beyond_cure = r->finding->beyond_cure;
	finding_list_keep(&r->file->findings, &kept, &r->finding->details);
	return true;
}

/* ---- checks ----------------------------------------------------------------------------------------------------- */

static bool sum_is(const uint64_t *parts, size_t n, uint64_t whole)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (!size_add(sum, parts[i], &sum))
			return false;
	return sum == whole;
}

static bool check_findings(struct json_values *v, struct report_reader *r)
{
	struct finding_list *l = &r->file->findings;

	if (l->baselined > r->findings_total || !sum_is(l->by_level, 4, r->findings_total - l->baselined) ||
	    !sum_is(l->by_rule, rule_count, r->findings_total - l->baselined))
		return values_fail(v, "the counts of findings do not add up");
	if (l->count != r->findings_listed || l->count > r->findings_total)
		return values_fail(v, "%zu findings are listed, not %" PRIu64, l->count, r->findings_listed);
	l->total = r->findings_total;
	finding_list_finish(l);
	struct error lost = ERROR_INIT;

	if (finding_list_check(l, &lost) != STATUS_OK)
		return values_fail(v, "%s", lost.text);
	return true;
}

static bool check_sums(struct json_values *v, const struct dataset_stats *d)
{
	const uint64_t files[] = { d->files_read, d->files_failed, d->files_skipped };
	uint64_t labels = 0;

	if (!sum_is(files, ARRAY_SIZE(files), d->files))
		return values_fail(v, "the counts of files do not add up");
	for (size_t i = 0; i < d->ids_count; i++) {
		if (i && d->ids[i - 1].id >= d->ids[i].id)
			return values_fail(v, "the ids are not sorted");
		if (!d->ids[i].labels || !size_add(labels, d->ids[i].labels, &labels))
			return values_fail(v, "the counts of labels do not add up");
	}
	/* ids past the limit were dropped with their labels */
	return labels == d->labels || (labels < d->labels && d->ids_count == DATASET_IDS_MAX) ||
	       values_fail(v, "the counts of labels do not add up");
}

/* ---- the document ----------------------------------------------------------------------------------------------- */

static bool read_partial(struct json_values *v, void *context)
{
	struct report_file *f = context;

	if (!values_object(v))
		return false;
	if (!f->settings.shards || f->partial)
		return values_fail(v, f->partial ? "it occurs twice" : "it is not the report of a shard");
	f->partial = true;
	return report_partial_read(v, &f->settings, &f->dataset, f->contents_last);
}

static bool read_members(struct json_values *v, struct report_reader *r)
{
	struct report_file *f = r->file;
	struct dataset_stats *d = &f->dataset;
	struct finding_list *l = &f->findings;
	const struct values_field tool[] = { { "version", .buffer = f->version, .size = sizeof(f->version) } };
	const struct values_field summary[] = {
		{ "files", .u64 = &d->files },
		{ "files_read", .u64 = &d->files_read },
		{ "files_failed", .u64 = &d->files_failed },
		{ "files_skipped", .u64 = &d->files_skipped },
		{ "labels", .u64 = &d->labels },
		{ "bytes", .u64 = &d->bytes },
		{ "errors", .u64 = &l->by_level[LEVEL_ERROR] },
		{ "warnings", .u64 = &l->by_level[LEVEL_WARNING] },
		{ "infos", .u64 = &l->by_level[LEVEL_INFO] },
		{ "baselined", .u64 = &l->baselined },
		{ "rules", .each = read_summary_rule, .context = l },
	};
	const struct values_field fields[] = {
		{ "schema_version", .read = read_schema_version },
		{ "tool", .fields = tool, .fields_count = ARRAY_SIZE(tool) },
		{ "complete", .truth = &f->report.complete },
		{ "settings", .read = read_settings, .context = r },
		{ "summary", .fields = summary, .fields_count = ARRAY_SIZE(summary) },
		{ "coverage", .read = read_coverage, .context = &d->coverage },
		{ "findings", .each = read_finding, .context = r },
		{ "findings_total", .u64 = &r->findings_total },
		{ "findings_listed", .u64 = &r->findings_listed },
		{ "run", .read = read_run, .context = &f->report.run },
		{ "partial", .read = read_partial, .context = f },
		/* the tables: `partial`, which comes after the settings, has their contents and more */
		{ "classes", .each = read_class, .context = r },
		{ "ignored", .each = read_other_id, .context = r },
		{ "out_of_range", .each = read_other_id, .context = r },
		{ "histogram", .each = read_histogram_row, .context = &f->dataset },
		{ "formats", .each = read_format, .context = &f->dataset },
		{ "sizes", .each = read_size, .context = &f->dataset },
		{ "sizes_total", .u64 = &r->sizes_total },
	};
	enum { TABLES = 7 };

	values_object(v);
	while (values_member(v)) {
		r->has_summary |= values_key_is(v, "summary");
		if (!values_field(v, fields, ARRAY_SIZE(fields) - (f->settings.shards ? TABLES : 0)))
			break;
	}
	return !v->failed;
}

/* Sets a threshold of a rule if the report's options have it: a merge applies the rules about the whole set. */
static bool read_threshold(struct json_values *v, const struct settings *settings, const char *option, uint64_t *ppm)
{
	const char *value = setting_values_find(&settings->options, option);

	return !value || scan_percentage(value, ppm) || values_fail(v, "'%s' is no percentage", option);
}

/* Likewise: a merge of parts with --scope files has no set to judge either. */
static bool read_scope(struct json_values *v, struct settings *settings)
{
	const char *value = setting_values_find(&settings->options, "scope");

	if (!value || !strcmp(value, "set"))
		return true;
	settings->scope = SCOPE_FILES;
	return !strcmp(value, "files") || values_fail(v, "'scope' is not one of set, files");
}

static bool read_min_files(struct json_values *v, struct settings *settings)
{
	const char *value = setting_values_find(&settings->options, "min-files");

	return !value || scan_whole_uint64(value, strlen(value), &settings->min_files) ||
	       values_fail(v, "'%s' is no number", "min-files");
}

static bool read_document(struct json_values *v, struct report_reader *r)
{
	struct report_file *f = r->file;

	if (!values_next(v) || !read_members(v, r))
		return false;
	v->key[0] = '\0';
	if (!values_next(v))
		return false;
	if (!r->has_settings || !r->has_summary)
		return values_fail(v, "there is no '%s'", r->has_settings ? "summary" : "settings");
	f->settings.classes.zero_reduced = f->settings.reduce_zero_label;
	if (!read_threshold(v, &f->settings, "min-share", &f->settings.min_share) ||
	    !read_threshold(v, &f->settings, "max-ignored", &f->settings.max_ignored) ||
	    !read_min_files(v, &f->settings) || !read_scope(v, &f->settings))
		return false;
	class_set_finish(&f->settings.classes);
	if (f->settings.shards && !f->partial)
		return values_fail(v, "there is no 'partial', though it is the report of a shard");
	return join_tables(v, r) && check_sums(v, &f->dataset) &&
	       (!f->partial || report_partial_check(v, &f->settings, &f->dataset)) && check_findings(v, r);
}

static struct report_file *new_file(uint64_t contents_last)
{
	struct report_file *f = xcalloc(1, sizeof(*f));

	class_set_init(&f->settings.classes);
	f->settings.rule_levels = xcalloc(rule_count, sizeof(*f->settings.rule_levels));
	for (size_t i = 0; i < rule_count; i++)
		f->settings.rule_levels[i] = rule_table[i]->level;
	dataset_init(&f->dataset);
	finding_list_init(&f->findings, 0);
	f->report.settings = &f->settings;
	f->report.dataset = &f->dataset;
	f->report.findings = &f->findings;
	f->contents_last = contents_last;
	return f;
}

void report_file_free(struct report_file *f)
{
	if (!f)
		return;
	finding_list_release(&f->findings);
	dataset_release(&f->dataset);
	class_set_release(&f->settings.classes);
	free(f->settings.rule_levels);
	narrowings_release(&f->settings.narrowed);
	setting_values_release(&f->settings.options);
	free(f);
}

enum status report_file_read(struct report_file **out, const char *path, uint64_t contents_last, struct error *err)
{
	bool standard_input = !strcmp(path, "-");
	int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct report_reader r = { .file = NULL };
	struct json_values values;

	*out = NULL;
	if (fd < 0)
		return error_set_errno(err, errno, "%s", path);
	r.file = new_file(contents_last);
	r.finding = xmalloc(sizeof(*r.finding));
	values_open(&values, fd, standard_input ? "standard input" : path, err);
	bool read = read_document(&values, &r);

	values_close(&values);
	for (size_t i = 0; i < r.rows_count; i++)
		free(r.rows[i].example);
	free(r.rows);
	free(r.finding);
	if (!standard_input)
		close(fd);
	if (read)
		*out = r.file;
	else
		report_file_free(r.file);
	return read ? STATUS_OK : STATUS_FAILED;
}
