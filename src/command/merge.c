#include "command/commands.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audit/baseline_session.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/version.h"
#include "cli/options_table.h"
#include "judge/finding_list.h"
#include "judge/fix_decision.h"
#include "judge/rule.h"
#include "output/outputs.h"
#include "report/report_file.h"
#include "report/settings_difference.h"

struct merge {
	const struct options *options;
	struct report_file *first; /* its settings are those of all; owned */
	struct dataset_stats dataset;
	struct finding_list findings;
	struct run_facts run;
	bool complete;
	struct baseline_session baseline;
	uint8_t *seen;           /* one bit per shard, from 0; owned */
	time_t earliest, latest; /* start of a part; unless stale ones are allowed */
};

/* Parts of one audit are made together, or one after the other in a queue; a set changes from day to day. */
enum { STALE_SECONDS = 24 * 60 * 60 };

static bool is_seen(const struct merge *m, uint32_t shard)
{
	return m->seen[shard / 8] >> shard % 8 & 1;
}

static enum status check_settings(const struct report_file *first, const struct report_file *part, const char *path,
				  struct error *err)
{
	RELEASED struct strbuf difference = STRBUF_INIT;

	if (settings_difference(part, first, &difference))
		return error_set(err, "%s: made with settings that differ from those of the parts before it: %s", path,
				 difference.s);
	return STATUS_OK;
}

/* Parses the RFC 3339 time that a report began at. */
static bool started_at(const struct report_file *part, time_t *out)
{
	struct tm utc = { 0 };
	const char *end = strptime(part->report.run.started, "%Y-%m-%dT%H:%M:%SZ", &utc);

	*out = end && !*end ? timegm(&utc) : -1;
	return *out != -1;
}

/* The data may have changed since another day's part was made, and the merged report would be of no one set. */
static enum status check_time(const struct merge *m, const struct report_file *part, const char *path,
			      struct error *err)
{
	time_t started;

	if (!started_at(part, &started))
		return error_set(err, "%s: it does not say when it was made (--allow stale takes it)", path);
	if (!m->first ||
	    !GUARD(stale_part, started < m->latest - STALE_SECONDS || started > m->earliest + STALE_SECONDS))
		return STATUS_OK;
	return error_set(err,
			 "%s: made at %s, more than 24 hours apart from another part: the data may have changed "
			 "(--allow stale takes it)",
			 path, part->report.run.started);
}

static enum status check_part(const struct merge *m, const struct report_file *part, const char *path,
			      struct error *err)
{
	const struct settings *mine = &part->settings, *all = m->first ? &m->first->settings : mine;

	if (!part->partial)
		return error_set(err, "%s: this is the report of a whole audit, not of one with --shard", path);
	if (strcmp(part->version, LABELAUDIT_VERSION) != 0)
		return error_set(err,
				 "%s: written by labelaudit %s; this is " LABELAUDIT_VERSION
				 ", whose rules may judge differently",
				 path, part->version);
	if (mine->shards != all->shards)
		return error_set(err, "%s: shard %" PRIu32 " of %" PRIu32 ", but the parts before it are of %" PRIu32,
				 path, mine->shard, mine->shards, all->shards);
	if (m->first && check_settings(m->first, part, path, err) != STATUS_OK)
		return STATUS_FAILED;
	if (!(m->options->allowed & ALLOW_STALE) && check_time(m, part, path, err) != STATUS_OK)
		return STATUS_FAILED;
	if (m->seen && is_seen(m, mine->shard - 1))
		return error_set(err, "%s: shard %" PRIu32 " of %" PRIu32 " is given twice", path, mine->shard,
				 mine->shards);
	return STATUS_OK;
}

/* Returns false if a sum exceeds 64 bits, which no data set reaches. */
static bool sums_fit(const struct merge *m, const struct report_file *part)
{
	uint64_t sum;

	return size_add(m->dataset.files, part->dataset.files, &sum) &&
	       size_add(m->dataset.labels, part->dataset.labels, &sum) &&
	       size_add(m->dataset.bytes, part->dataset.bytes, &sum) &&
	       size_add(m->findings.total, part->findings.total, &sum);
}

/*
 * Lowers the length of the merged list to that of a part whose list is cut: what follows its end is unknown. 0 is no
 * limit.
 */
static void lower_limit(struct merge *m, const struct report_file *part)
{
	uint64_t limit = part->settings.max_findings;
	bool matters = part->findings.count < part->findings.total || !m->options->output.max_findings_given;

	if (limit && matters && (!m->findings.max || limit < m->findings.max))
		m->findings.max = limit;
}

static void add_run(struct merge *m, const struct report_file *part)
{
	const struct run_facts *run = &part->report.run;

	if (!m->run.started[0] || strcmp(run->started, m->run.started) < 0)
		memcpy(m->run.started, run->started, sizeof(m->run.started));
	m->run.seconds += run->seconds;
	m->run.jobs = MAX(m->run.jobs, run->jobs);
	m->run.peak_memory = MAX(m->run.peak_memory, run->peak_memory);
	for (int stage = 0; stage < STAGES; stage++)
		m->run.stage_ns[stage] += run->stage_ns[stage];
	if (!m->run.device[0])
		memcpy(m->run.device, run->device, sizeof(m->run.device));
	else if (strcmp(m->run.device, run->device) != 0)
		snprintf(m->run.device, sizeof(m->run.device), "several");
	if (!m->run.note[0])
		memcpy(m->run.note, run->note, sizeof(m->run.note));
}

static enum status add_part(struct merge *m, const char *path, struct error *err)
{
	struct report_file *part;
	const struct content_table *contents = m->dataset.contents[CONTENT_MASKS];
	uint64_t last = contents ? atomic_load(&contents->last) : UINT64_MAX;
	enum status status = report_file_read(&part, path, last, err);

	if (status == STATUS_OK)
		status = check_part(m, part, path, err);
	if (status == STATUS_OK && !sums_fit(m, part))
		status = error_set(err, "%s: the sums of the parts are too large", path);
	if (status != STATUS_OK)
		goto out;
	if (!m->seen)
		m->seen = xcalloc(part->settings.shards / 8 + 1, 1);
	m->seen[(part->settings.shard - 1) / 8] |= (uint8_t)(1 << (part->settings.shard - 1) % 8);
	time_t started;

	if (started_at(part, &started)) {
		m->earliest = m->first ? MIN(m->earliest, started) : started;
		m->latest = m->first ? MAX(m->latest, started) : started;
	}
	lower_limit(m, part);
	m->complete = m->complete && part->report.complete;
	add_run(m, part);
	dataset_take_back_names(&part->dataset);
	dataset_merge(&m->dataset, &part->dataset);
	finding_list_merge(&m->findings, &part->findings);
	if (m->first) {
		narrowings_add_counts(&m->first->settings.narrowed, &part->settings.narrowed);
	} else {
		m->first = part;
		part = NULL;
	}
out:
	report_file_free(part);
	return status;
}

/* Appends the missing shards as sbatch --array takes them, "7,19-21". Returns their number. */
static uint32_t list_missing(const struct merge *m, struct strbuf *out)
{
	uint32_t shards = m->first->settings.shards, count = 0;

	for (uint32_t i = 0; i < shards; i++) {
		uint32_t first = i;

		while (i < shards && !is_seen(m, i))
			i++;
		if (i == first)
			continue;
		count += i - first;
		strbuf_addf(out, "%s%" PRIu32, out->len ? "," : "", first + 1);
		if (i > first + 1)
			strbuf_addf(out, "-%" PRIu32, i);
	}
	return count;
}

static enum status check_missing(struct merge *m, struct error *err)
{
	RELEASED struct strbuf missing = STRBUF_INIT;
	uint32_t count = list_missing(m, &missing);

	if (count && !(m->options->allowed & ALLOW_MISSING))
		return error_set(err,
				 "%" PRIu32 " of %" PRIu32
				 " shards %s missing: %s (--allow missing continues without them)",
				 count, m->first->settings.shards, count == 1 ? "is" : "are", missing.s);
	m->complete &= !count;
	return STATUS_OK;
}

/* Fails as an audit of the whole set would if a PATH had nothing to audit. */
static enum status check_matched(const struct merge *m, struct error *err)
{
	const struct dataset_stats *d = &m->dataset;

	if (!m->complete)
		return STATUS_OK;
	return coverage_check(&d->coverage, d->files_read + d->files_failed, m->options->allowed & ALLOW_EMPTY, err);
}

/* Adds to the findings that --severity lowered in the parts those about the data set, less those that were dropped. */
static void count_lowered(struct merge *m, uint64_t dropped)
{
	struct narrowing *severity = narrowings_find(&m->first->settings.narrowed, "severity");

	if (severity && severity->findings != NARROWING_UNCOUNTED && severity->findings >= dropped)
		severity->findings += m->findings.lowered - dropped;
}

/*
 * Opens the baseline for the findings about the set, which no part has: it must be the one that the parts compared
 * their own with.
 */
static enum status open_baseline(struct merge *m, struct error *err)
{
	const struct setting_values *options = &m->first->settings.options;
	const char *of_parts = setting_values_find(options, "baseline"), *file = m->options->baseline.file;
	const char *tolerance = setting_values_find(options, "baseline-tolerance");
	char digest[sizeof("(0123456789abcdef)")];

	if (!file && of_parts && m->options->output.verbosity >= 0)
		log_text("labelaudit: note: the parts were made with a baseline; pass it to merge as well, or findings "
			 "about the set that it knows count as new\n");
	if (!file)
		return STATUS_OK;
	if (baseline_session_open(&m->baseline, m->options, err) != STATUS_OK)
		return STATUS_FAILED;
	snprintf(digest, sizeof(digest), "(%016" PRIx64 ")", baseline_digest(m->baseline.baseline));
	if (!GUARD(baseline_of_other_parts, of_parts && file_name_ends_in(of_parts, digest)))
		return error_set(
			err, "--baseline %s: the parts were made %s%s: pass the same one to each audit with --shard",
			file, of_parts ? "with another, " : "without a baseline", of_parts ? of_parts : "");
	m->baseline.tolerance = tolerance ? strtoull(tolerance, NULL, 10) : 0;
	baseline_session_attach(&m->baseline, &m->findings);
	return STATUS_OK;
}

static enum status report_sums(struct merge *m, int *signal_number, struct error *err)
{
	struct settings *settings = &m->first->settings;
	struct report report = {
		.settings = settings,
		.dataset = &m->dataset,
		.findings = &m->findings,
		.run = m->run,
		.complete = m->complete,
	};

	/*
	 * If images lie flat (image_pairs.h), the rule missing-mask does not apply; a shard without flat images could
	 * not know that. (Findings after these in a cut list are counted but not listed.)
	 */
	const struct rule *missing = rule_find("missing-mask");
	struct fix_decision decision;
	struct diagnosis diagnosis;
	uint64_t dropped = 0;

	if (open_baseline(m, err) != STATUS_OK)
		return STATUS_FAILED;
	if (m->dataset.images_flat) {
		if (settings->rules.levels[rule_index(missing)] < missing->level)
			dropped = m->findings.by_rule[rule_index(missing)];
		finding_list_drop(&m->findings, missing);
	}
	settings->shard = settings->shards = 0;
	if (option_given_of(m->options, "fail-on")->origin == ORIGIN_COMMAND_LINE)
		settings->fail_on = m->options->settings.fail_on;
	dataset_number_names(&m->dataset, settings);
	verdict_dataset(settings, &m->dataset, &m->findings);
	fix_decide(&decision, settings, &m->dataset, &m->findings, NULL);
	const char *map = fix_decision_explain(settings, &m->dataset, &m->findings);

	fix_decision_mark(&decision, &m->findings);
	finding_list_finish(&m->findings);
	diagnose(&diagnosis, &m->dataset, settings, map, &decision, &m->findings);
	fix_decision_release(&decision);
	report.diagnosis = &diagnosis;
	count_lowered(m, dropped);
	struct narrowing *known = narrowings_find(&settings->narrowed, "baseline");

	if (known && m->baseline.baseline)
		known->findings = m->findings.baselined;
	enum status status = outputs_write(m->options, &report, signal_number, err);

	diagnosis_release(&diagnosis);
	return status;
}

enum status merge_run(const struct options *options, int *signal_number, struct error *err)
{
	struct merge m = { .options = options, .complete = true };
	struct progress progress;
	enum status status = STATUS_OK;

	*signal_number = 0;
	dataset_init(&m.dataset);
	finding_list_init(&m.findings, options->output.max_findings_given ? options->settings.max_findings : 0);
	progress_init(&progress, options->output.progress == PROGRESS_BAR, options->output.progress == PROGRESS_LINES,
		      options->output.unicode);
	progress.unit = "parts";
	for (size_t i = 0; i < options->words.count && status == STATUS_OK; i++) {
		status = add_part(&m, options->words.v[i], err);
		progress_update(&progress, &(struct progress_counts){ .done = i + 1, .total = options->words.count });
	}
	progress_finish(&progress);
	if (status == STATUS_OK)
		status = check_missing(&m, err);
	struct error unmatched = ERROR_INIT;
	bool matched = status != STATUS_OK || check_matched(&m, &unmatched) == STATUS_OK;

	if (!matched)
		m.complete = false;
	if (status == STATUS_OK && (matched || coverage_has_unread(&m.dataset.coverage)))
		status = report_sums(&m, signal_number, err);
	if (!matched && !err->text[0]) {
		*err = unmatched;
		status = STATUS_FAILED;
	}
	baseline_session_close(&m.baseline);
	finding_list_release(&m.findings);
	dataset_release(&m.dataset);
	report_file_free(m.first);
	free(m.seen);
	return status;
}
