/* Reading a report back: its outline, the summary, the run, and whether the books balance. */
#include "report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "report/report_partial.h"
#include "report/report_read.h"

bool report_read_name(struct report_reading *r, bool base64, char **out)
{
	const char *s;

	if (values_null(&r->values))
		return true;
	s = base64 ? values_base64(&r->values) : values_string(&r->values);
	if (!s)
		return false;
	/* the bytes outweigh the text, in whatever order they come */
	if (base64 || !*out) {
		free(*out);
		*out = xstrdup(s);
	}
	return true;
}

bool report_read_level(struct json_values *v, bool off, enum level *out)
{
	static const enum level levels[] = { LEVEL_ERROR, LEVEL_WARNING, LEVEL_INFO, LEVEL_OFF };
	const char *s = values_string(v);

	for (size_t i = 0; s && i < ARRAY_SIZE(levels) - !off; i++) {
		if (!strcmp(s, level_name(levels[i]))) {
			*out = levels[i];
			return true;
		}
	}
	return s && values_fail(v, "expected a level, found '%.40s'", s);
}

bool report_read_rule(struct json_values *v, size_t *out)
{
	const char *s = values_string(v);
	const struct rule *rule = s ? rule_find(s) : NULL;

	if (s && !rule)
		return values_fail(v, "rule '%.60s' is not known to this version", s);
	if (rule)
		*out = rule_index(rule);
	return rule != NULL;
}

/* ---- tool, summary, run ----------------------------------------------------------------------------------------- */

static bool read_schema_version(struct json_values *v)
{
	const char *s = values_string(v);

	if (s && strncmp(s, "1.", 2) != 0)
		return values_fail(v, "schema version %.20s; this program reads 1.x", s);
	return s != NULL;
}

static bool read_tool(struct report_reading *r)
{
	struct json_values *v = &r->values;
	const char *s;

	if (!values_object(v))
		return false;
	while (values_member(v)) {
		if (values_key_is(v, "version") && (s = values_string(v)))
			snprintf(r->file->version, sizeof(r->file->version), "%s", s);
		else
			values_skip(v);
	}
	return !v->failed;
}

static bool read_summary_rules(struct report_reading *r)
{
	struct json_values *v = &r->values;
	struct finding_list *l = &r->file->findings;

	if (!values_array(v))
		return false;
	while (values_element(v)) {
		size_t rule = rule_count;
		enum level level = LEVEL_OFF;
		uint64_t count = 0;

		if (!values_object(v))
			return false;
		while (values_member(v)) {
			if (values_key_is(v, "rule"))
				report_read_rule(v, &rule);
			else if (values_key_is(v, "level"))
				report_read_level(v, false, &level);
			else if (values_key_is(v, "findings"))
				values_u64(v, &count);
			else
				values_skip(v);
		}
		if (v->failed)
			return false;
		if (rule == rule_count || level == LEVEL_OFF || !count || l->by_rule[rule])
			return values_fail(v, "a rule without name, level or count, or twice");
		l->by_rule[rule] = count;
		l->rule_worst[rule] = level;
	}
	return !v->failed;
}

static bool read_summary(struct report_reading *r)
{
	struct json_values *v = &r->values;
	struct dataset_stats *d = &r->file->dataset;
	uint64_t *by_level = r->file->findings.by_level;
	const struct {
		const char *key;
		uint64_t *out;
	} counts[] = {
		{ "files", &d->files },
		{ "files_read", &d->files_read },
		{ "files_failed", &d->files_failed },
		{ "files_skipped", &d->files_skipped },
		{ "labels", &d->labels },
		{ "bytes", &d->bytes },
		{ "errors", &by_level[LEVEL_ERROR] },
		{ "warnings", &by_level[LEVEL_WARNING] },
		{ "infos", &by_level[LEVEL_INFO] },
		{ "baselined", &r->file->findings.baselined },
	};

	if (!values_object(v))
		return false;
	r->has_summary = true;
	while (values_member(v)) {
		size_t i = 0;

		while (i < ARRAY_SIZE(counts) && !values_key_is(v, counts[i].key))
			i++;
		if (i < ARRAY_SIZE(counts))
			values_u64(v, counts[i].out);
		else if (values_key_is(v, "rules"))
			read_summary_rules(r);
		else
			values_skip(v);
	}
	return !v->failed;
}

static bool read_thread_seconds(struct report_reading *r)
{
	struct json_values *v = &r->values;
	uint64_t us;

	if (!values_object(v))
		return false;
	while (values_member(v)) {
		int stage = 0;

		while (stage < STAGES && !values_key_is(v, stage_name((enum stage)stage)))
			stage++;
		if (stage == STAGES)
			values_skip(v);
		else if (values_decimal(v, 6, &us))
			r->file->report.run.stage_ns[stage] = us <= UINT64_MAX / 1000 ? us * 1000 : 0;
	}
	return !v->failed;
}

static bool read_notes(struct report_reading *r)
{
	struct json_values *v = &r->values;
	struct run_facts *run = &r->file->report.run;
	const char *s;

	if (!values_array(v))
		return false;
	while (values_element(v))
		if ((s = values_string(v)) && !run->note[0])
			snprintf(run->note, sizeof(run->note), "%s", s);
	return !v->failed;
}

static bool read_run(struct report_reading *r)
{
	struct json_values *v = &r->values;
	struct run_facts *run = &r->file->report.run;
	const char *s;
	uint64_t n;

	if (!values_object(v))
		return false;
	while (values_member(v)) {
		if (values_key_is(v, "started")) {
			if ((s = values_string(v)))
				snprintf(run->started, sizeof(run->started), "%s", s);
		} else if (values_key_is(v, "seconds")) {
			if (values_decimal(v, 3, &n))
				run->seconds = (double)n / 1000;
		} else if (values_key_is(v, "device")) {
			if ((s = values_string(v)))
				snprintf(run->device, sizeof(run->device), "%s", s);
		} else if (values_key_is(v, "jobs")) {
			if (values_u64(v, &n))
				run->jobs = (unsigned)MIN(n, (uint64_t)UINT32_MAX);
		} else if (values_key_is(v, "thread_seconds")) {
			read_thread_seconds(r);
		} else if (values_key_is(v, "peak_memory")) {
			values_u64(v, &run->peak_memory);
		} else if (values_key_is(v, "notes")) {
			read_notes(r);
		} else {
			values_skip(v);
		}
	}
	return !v->failed;
}

/* ---- the books -------------------------------------------------------------------------------------------------- */

static bool sum_is(const uint64_t *parts, size_t n, uint64_t whole)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (!size_add(sum, parts[i], &sum))
			return false;
	return sum == whole;
}

static bool check_findings(struct report_reading *r)
{
	struct finding_list *l = &r->file->findings;

	if (l->baselined > r->findings_total || !sum_is(l->by_level, 4, r->findings_total - l->baselined) ||
	    !sum_is(l->by_rule, rule_count, r->findings_total - l->baselined))
		return values_fail(&r->values, "the counts of findings do not add up");
	if (l->count != r->findings_listed || l->count > r->findings_total)
		return values_fail(&r->values, "%zu findings are listed, not %" PRIu64, l->count, r->findings_listed);
	l->total = r->findings_total;
	finding_list_finish(l);
	return true;
}

static bool check_sums(struct report_reading *r)
{
	const struct dataset_stats *d = &r->file->dataset;
	const uint64_t files[] = { d->files_read, d->files_failed, d->files_skipped };
	uint64_t labels = 0;

	if (!sum_is(files, ARRAY_SIZE(files), d->files))
		return values_fail(&r->values, "the counts of files do not add up");
	for (size_t i = 0; i < d->ids_count; i++) {
		if (i && d->ids[i - 1].id >= d->ids[i].id)
			return values_fail(&r->values, "the ids are not sorted");
		if (!d->ids[i].labels || !size_add(labels, d->ids[i].labels, &labels))
			return values_fail(&r->values, "the counts of labels do not add up");
	}
	/* ids past the limit were dropped with their labels */
	return labels == d->labels || (labels < d->labels && d->ids_count == DATASET_IDS_MAX) ||
	       values_fail(&r->values, "the counts of labels do not add up");
}

/* ---- the outline ------------------------------------------------------------------------------------------------ */

static bool read_member(struct report_reading *r)
{
	struct json_values *v = &r->values;
	bool known;

	if (values_key_is(v, "schema_version"))
		return read_schema_version(v);
	if (values_key_is(v, "tool"))
		return read_tool(r);
	if (values_key_is(v, "complete"))
		return values_bool(v, &r->file->report.complete);
	if (values_key_is(v, "settings"))
		return report_read_settings(r);
	if (values_key_is(v, "summary"))
		return read_summary(r);
	if (values_key_is(v, "findings"))
		return report_read_findings(r);
	if (values_key_is(v, "findings_total"))
		return values_u64(v, &r->findings_total);
	if (values_key_is(v, "findings_listed"))
		return values_u64(v, &r->findings_listed);
	if (values_key_is(v, "run"))
		return read_run(r);
	if (values_key_is(v, "partial"))
		return report_partial_read(v, r->file);
	report_read_table(r, &known);
	return known ? !v->failed : values_skip(v);
}

static bool read_document(struct report_reading *r)
{
	struct json_values *v = &r->values;

	if (!values_begin(v) || !values_object(v))
		return false;
	while (values_member(v) && read_member(r))
		;
	v->key[0] = '\0';
	if (v->failed || !values_end(v))
		return false;
	if (!r->has_settings || !r->has_summary)
		return values_fail(v, "there is no '%s'", r->has_settings ? "summary" : "settings");
	r->file->settings.classes.zero_reduced = r->file->settings.reduce_zero_label;
	class_set_finish(&r->file->settings.classes);
	if (r->file->settings.shards && !r->file->partial)
		return values_fail(v, "there is no 'partial', though it is the report of a shard");
	return report_settle_tables(r) && check_sums(r) && (!r->file->partial || report_partial_check(v, r->file)) &&
	       check_findings(r);
}

static struct report_file *new_file(void)
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
	free(f);
}

enum status report_file_read(struct report_file **out, const char *path, uint64_t contents_last, struct error *err)
{
	bool standard_input = !strcmp(path, "-");
	int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct report_reading r = { .file = NULL };

	*out = NULL;
	if (fd < 0)
		return error_set_errno(err, errno, "%s", path);
	values_open(&r.values, fd, standard_input ? "standard input" : path, err);
	r.file = new_file();
	r.file->contents_last = contents_last;
	bool read = read_document(&r);

	values_close(&r.values);
	for (size_t i = 0; i < r.rows_count; i++)
		free(r.rows[i].example);
	free(r.rows);
	if (!standard_input)
		close(fd);
	if (read)
		*out = r.file;
	else
		report_file_free(r.file);
	return read ? STATUS_OK : STATUS_FAILED;
}
