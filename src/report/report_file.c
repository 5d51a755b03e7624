/*
 * Reads a JSON report back: what its fields (report_json.c) do not read by themselves, each value checked as it is
 * read; then whether the sums add up.
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
#include "report/report_fields.h"

enum {
	CLASS_ID_MAX = 1 << 20, /* of a class with a name: class files hold 65536 at most */
	FORMATS_MAX = 1 << 20,
};

static struct report_file *file_of(void *parts)
{
	return ((struct report_parts *)parts)->file;
}

/* Returns the parts that the tables are in. */
static struct report_parts *parts_of(void *tables)
{
	return (void *)((char *)tables - offsetof(struct report_parts, tables));
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

bool read_schema_version(struct json_values *v, void *parts)
{
	const char *s = values_string(v);

	(void)parts;
	if (s && strncmp(s, "1.", 2) != 0)
		return values_fail(v, "schema version %.20s; this program reads 1.x", s);
	return s != NULL;
}

bool read_version(struct json_values *v, void *parts)
{
	const char *s = values_string(v);

	if (s)
		snprintf(file_of(parts)->version, sizeof(file_of(parts)->version), "%s", s);
	return s != NULL;
}

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

bool read_classes_setting(struct json_values *v, void *settings)
{
	return add_ranges(v, values_string(v), &((struct settings *)settings)->classes.classes);
}

bool read_ignored(struct json_values *v, void *settings)
{
	struct id_ranges *ranges = &((struct settings *)settings)->classes.ignored;

	for (values_array(v); values_element(v);) {
		int64_t id;

		if (v->token == JSON_STRING ? !add_ranges(v, values_string(v), ranges) : !values_i64(v, &id))
			return false;
		if (v->token != JSON_STRING)
			id_ranges_add(ranges, id, id);
	}
	return !v->failed;
}

bool read_shard(struct json_values *v, void *context)
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

bool read_digest(struct json_values *v, void *context)
{
	struct settings *settings = context;
	uint64_t n;

	if (!values_hex(v, &n))
		return false;
	snprintf(settings->digest, sizeof(settings->digest), "%016" PRIx64, n);
	return true;
}

bool read_options(struct json_values *v, void *settings)
{
	struct setting_values *options = &((struct settings *)settings)->options;

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

/* ---- summary, coverage ------------------------------------------------------------------------------------------ */

bool keep_rule(struct json_values *v, void *findings, void *row)
{
	struct finding_list *l = findings;
	const struct rule_row *r = row;

	if (!r->rule || r->level == LEVEL_OFF || !r->findings || l->by_rule[rule_index(r->rule)])
		return values_fail(v, "a rule without name, level or count, or twice");
	l->by_rule[rule_index(r->rule)] = r->findings;
	l->rule_worst[rule_index(r->rule)] = r->level;
	return true;
}

bool keep_left_out(struct json_values *v, void *coverage, void *row)
{
	struct coverage *c = coverage;
	struct left_out_row *r = row;
	struct file_count *files = &c->left_out[r->reason], *labels = &c->labels[r->reason];

	if (r->reason == SKIP_NONE || !r->files || r->label_files > r->files || !r->example || files->files)
		return values_fail(v, "a reason without name, files or example, or twice");
	files->files = r->files;
	labels->files = r->label_files;
	*(r->label_files ? &labels->example : &files->example) = field_take(&r->example);
	return true;
}

bool keep_unread(struct json_values *v, void *coverage, void *row)
{
	struct coverage *c = coverage;
	struct unread_row *r = row;

	if (r->kind == UNREAD_NONE || !r->files || !r->example || c->unread[r->kind].files)
		return values_fail(v, "a kind without name, files or example, or twice");
	c->unread[r->kind] = (struct file_count){ r->files, field_take(&r->example) };
	return true;
}

/* Subtracts the files of known kinds, which the counts by reason include. Returns false if they are too many. */
bool separate_unread(struct json_values *v, void *parts)
{
	struct coverage *c = &file_of(parts)->dataset.coverage;

	for (int i = UNREAD_NONE + 1; i < UNREAD_KINDS; i++) {
		struct file_count *labels = &c->labels[unread_kind_reason((enum unread_kind)i)];

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

/* ---- run -------------------------------------------------------------------------------------------------------- */

bool read_cause_share(struct json_values *v, void *cause)
{
	struct cause *c = cause;

	c->share = DIAGNOSIS_UNCOUNTED;
	return values_null(v) || values_decimal(v, 6, &c->share);
}

bool read_seconds(struct json_values *v, void *report)
{
	uint64_t ms = 0;

	if (!values_decimal(v, 3, &ms))
		return false;
	((struct report *)report)->run.seconds = (double)ms / 1000;
	return true;
}

bool read_thread_seconds(struct json_values *v, void *report)
{
	uint64_t *ns = ((struct report *)report)->run.stage_ns, us;

	for (values_object(v); values_member(v);) {
		if (!values_decimal(v, 6, &us))
			return false;
		for (int stage = 0; stage < STAGES; stage++)
			if (values_key_is(v, stage_name((enum stage)stage)))
				ns[stage] = us <= UINT64_MAX / 1000 ? us * 1000 : 0;
	}
	return !v->failed;
}

bool read_notes(struct json_values *v, void *report)
{
	struct run_facts *run = &((struct report *)report)->run;

	for (values_array(v); values_element(v);) {
		const char *s = values_string(v);

		if (!s)
			return false;
		if (!run->note[0])
			snprintf(run->note, sizeof(run->note), "%s", s);
	}
	return !v->failed;
}

/* ---- tables: `partial`, which comes after the settings, has the contents of all but the names, and more -------------
 */

static void keep_row(struct report_parts *p, struct id_row *row, bool is_class)
{
	if (!row->labels || p->rows_count == DATASET_IDS_MAX)
		return;
	GROW(p->rows, p->rows_cap, p->rows_count + 1);
	p->rows[p->rows_count++] = (struct read_row){ row->id, is_class, row->files, field_take(&row->example) };
}

bool keep_class(struct json_values *v, void *tables, void *row)
{
	struct report_parts *p = parts_of(tables);
	const struct id_row *r = row;

	if (r->name && (r->id < 0 || r->id > CLASS_ID_MAX))
		return values_fail(v, "a class with the number %" PRId64 " has a name", r->id);
	if (r->name)
		class_set_name(&p->file->settings.classes, (size_t)r->id, r->name);
	keep_row(p, row, true);
	return true;
}

bool keep_id(struct json_values *v, void *tables, void *row)
{
	(void)v;
	keep_row(parts_of(tables), row, false);
	return true;
}

bool keep_format(struct json_values *v, void *tables, void *row)
{
	struct report_file *f = parts_of(tables)->file;
	struct dataset_stats *d = &f->dataset;
	const struct format_row *r = row;

	if (!r->name[0])
		return values_fail(v, "a format without a name");
	if (d->formats.count == FORMATS_MAX)
		return values_fail(v, "there are more than %d formats", FORMATS_MAX);
	GROW(d->formats.v, d->formats.cap, d->formats.count + 1);
	d->formats.v[d->formats.count++] = (struct format_total){ .seen.files = r->files, .name = xstrdup(r->name) };
	return true;
}

bool keep_size(struct json_values *v, void *tables, void *row)
{
	struct report_file *f = parts_of(tables)->file;
	struct dataset_stats *d = &f->dataset;

	if (d->sizes.count == SIZES_MAX)
		return values_fail(v, "there are more than %d sizes", SIZES_MAX);
	GROW(d->sizes.v, d->sizes.cap, d->sizes.count + 1);
	d->sizes.v[d->sizes.count++] = *(const struct size_total *)row;
	return true;
}

/* Moves files and examples of the rows to the ids of the histogram. */
static bool join_tables(struct json_values *v, struct report_parts *p)
{
	struct dataset_stats *d = &p->file->dataset;

	for (size_t i = 0; i < p->rows_count; i++) {
		struct read_row *row = &p->rows[i];

		if (row->is_class && row->id == INT64_MAX)
			continue;
		int64_t id = row->is_class ? settings_file_id(&p->file->settings, row->id) : row->id;
		const struct id_total *found = dataset_id(d, id);

		if (!found)
			return values_fail(v, "id %" PRId64 " is in a table, but not in 'histogram'", id);
		struct id_total *total = &d->ids[found - d->ids];

		total->files = row->files;
		if (!total->example)
			total->example = field_take(&row->example);
	}
	if (d->sizes.count)
		qsort(d->sizes.v, d->sizes.count, sizeof(*d->sizes.v), compare_shapes);
	if (p->sizes_total > d->sizes.count && !p->file->settings.shards)
		d->sizes.unlisted = p->sizes_total - d->sizes.count;
	return true;
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

bool read_finding_ids(struct json_values *v, void *details)
{
	struct finding_details *d = details;

	for (values_array(v); values_element(v); d->ids_count++) {
		if (d->ids_count == FINDING_IDS_MAX)
			return values_fail(v, "there are more than %d ids", FINDING_IDS_MAX);
		if (!values_pair(v, &d->ids[d->ids_count].id, &d->ids[d->ids_count].labels))
			return false;
	}
	return !v->failed;
}

/* Reads [3, 0, 7]. */
bool read_index(struct json_values *v, void *details)
{
	struct finding_details *d = details;

	for (values_array(v); values_element(v);) {
		if (d->first_rank == FIRST_AXES_MAX)
			return values_fail(v, "there are more than %d axes", FIRST_AXES_MAX);
		if (!values_u64(v, &d->first_at[d->first_rank++]))
			return false;
	}
	return !v->failed;
}

bool read_details(struct json_values *v, void *finding)
{
	struct kept_finding *kept = finding;
	struct finding_details *d = kept->details;
	struct details_part part = { .details = d };

	if (!fields_read(v, &details_fields, &part))
		return false;
	d->ids_total = MAX(part.ids_total, (uint64_t)d->ids_count);
	d->map.len = strlen(d->map.s);
	kept->unrepairable = part.repair == REPAIR_UNKNOWN;
	return true;
}

static bool read_finding(struct json_values *v, struct report_parts *p)
{
	struct kept_finding kept = { .details = &p->finding->details };

	finding_init(p->finding, rule_table[0]);
	if (fields_read(v, &finding_fields, &kept) &&
	    (!kept.rule || kept.level == LEVEL_OFF || !kept.message || !*kept.message))
		values_fail(v, "a finding without rule, level or message");
	kept.details = NULL;
	if (v->failed) {
		kept_finding_release(&kept);
		return false;
	}
	if (kept.advice && !*kept.advice) {
		free(kept.advice);
		kept.advice = NULL;
	}
	finding_list_keep(&p->file->findings, &kept, &p->finding->details);
	return true;
}

bool read_findings(struct json_values *v, void *parts)
{
	for (values_array(v); values_element(v);)
		if (!read_finding(v, parts))
			return false;
	return !v->failed;
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

static bool check_findings(struct json_values *v, struct report_parts *p)
{
	struct finding_list *l = &p->file->findings;

	if (l->baselined > p->findings_total || !sum_is(l->by_level, 4, p->findings_total - l->baselined) ||
	    !sum_is(l->by_rule, rule_count, p->findings_total - l->baselined))
		return values_fail(v, "the counts of findings do not add up");
	if (l->count != p->findings_listed || l->count > p->findings_total)
		return values_fail(v, "%zu findings are listed, not %" PRIu64, l->count, p->findings_listed);
	l->total = p->findings_total;
	finding_list_finish(l);
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

bool expect_partial(struct json_values *v, void *parts)
{
	return file_of(parts)->settings.shards || values_fail(v, "it is not the report of a shard");
}

/* Sets a threshold of a rule if the report's options have it: a merge applies the rules about the whole set. */
static bool read_threshold(struct json_values *v, const struct settings *settings, const char *option, bool is_share,
			   uint64_t *n)
{
	const char *value = setting_values_find(&settings->options, option);

	return !value || (is_share ? scan_percentage(value, n) : scan_whole_uint64(value, strlen(value), n)) ||
	       values_fail(v, "'%s' is no %s", option, is_share ? "percentage" : "number");
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

static bool read_document(struct json_values *v, struct report_parts *p)
{
	struct report_file *f = p->file;

	if (!values_next(v) || !fields_read(v, &report_fields, p))
		return false;
	v->key[0] = '\0';
	if (!values_next(v))
		return false;
	f->settings.classes.zero_reduced = f->settings.reduce_zero_label;
	if (!read_threshold(v, &f->settings, "min-share", true, &f->settings.thresholds.min_share) ||
	    !read_threshold(v, &f->settings, "max-ignored", true, &f->settings.thresholds.max_ignored) ||
	    !read_threshold(v, &f->settings, "min-files", false, &f->settings.thresholds.min_files) ||
	    !read_scope(v, &f->settings))
		return false;
	class_set_finish(&f->settings.classes);
	f->partial = p->is_shard;
	if (f->settings.shards && !f->partial)
		return values_fail(v, "there is no 'partial', though it is the report of a shard");
	if (!join_tables(v, p) || !check_sums(v, &f->dataset) ||
	    (f->partial && !report_partial_check(v, &f->settings, &f->dataset)) || !check_findings(v, p))
		return false;
	/* older ones have none */
	if (!f->partial && !f->diagnosis.count)
		diagnose(&f->diagnosis, &f->dataset, &f->settings, NULL, NULL, &f->findings);
	return true;
}

static struct report_file *new_file(uint64_t contents_last)
{
	struct report_file *f = xcalloc(1, sizeof(*f));

	class_set_init(&f->settings.classes);
	f->settings.rules.levels = xcalloc(rule_count, sizeof(*f->settings.rules.levels));
	for (size_t i = 0; i < rule_count; i++)
		f->settings.rules.levels[i] = rule_table[i]->level;
	dataset_init(&f->dataset);
	finding_list_init(&f->findings, 0);
	f->findings.bytes_max = 0; /* it holds what the report does */
	f->report.settings = &f->settings;
	f->report.dataset = &f->dataset;
	f->report.findings = &f->findings;
	f->report.diagnosis = &f->diagnosis;
	f->contents_last = contents_last;
	return f;
}

void report_file_free(struct report_file *f)
{
	if (!f)
		return;
	finding_list_release(&f->findings);
	diagnosis_release(&f->diagnosis);
	dataset_release(&f->dataset);
	class_set_release(&f->settings.classes);
	free(f->settings.rules.levels);
	narrowings_release(&f->settings.narrowed);
	setting_values_release(&f->settings.options);
	free(f);
}

enum status report_file_read(struct report_file **out, const char *path, uint64_t contents_last, struct error *err)
{
	bool standard_input = !strcmp(path, "-");
	int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct json_values values;

	*out = NULL;
	if (fd < 0)
		return error_set_errno(err, errno, "%s", path);
	struct report_file *f = new_file(contents_last);
	struct report_parts p = { .report = &f->report,
				  .settings = &f->settings,
				  .dataset = &f->dataset,
				  .findings = &f->findings,
				  .diagnosis = &f->diagnosis,
				  .file = f,
				  .finding = xmalloc(sizeof(*p.finding)) };

	values_open(&values, fd, standard_input ? "standard input" : path, err);
	bool read = read_document(&values, &p);

	values_close(&values);
	for (size_t i = 0; i < p.rows_count; i++)
		free(field_take(&p.rows[i].example));
	free(p.rows);
	free(p.finding);
	if (!standard_input)
		close(fd);
	if (read)
		*out = f;
	else
		report_file_free(f);
	return read ? STATUS_OK : STATUS_FAILED;
}
