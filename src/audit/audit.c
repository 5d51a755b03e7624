#include "audit/audit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "audit/apart.h"
#include "audit/audit_parts.h"
#include "audit/prepare.h"
#include "base/clock.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "cli/command_line.h"
#include "cli/options_table.h"
#include "find/archive.h"
#include "find/names.h"
#include "find/path_state.h"
#include "judge/finding_list.h"
#include "judge/fix_decision.h"
#include "judge/rule.h"
#include "layout/class_folders.h"
#include "layout/label_folder.h"
#include "output/gallery.h"
#include "report/layout.h"
#include "report/narrowed.h"
#include "report/output_file.h"

/* How long a sample is taken. */
#define SAMPLE_NS UINT64_C(1000000000)

static enum status check_environment(struct error *err)
{
	const char *decoder = getenv("LABELAUDIT_DECODER");

	if (decoder && strcmp(decoder, "libpng") && strcmp(decoder, "fast"))
		return error_set(err, "LABELAUDIT_DECODER=%s: expected libpng or fast", decoder);
	return STATUS_OK;
}

/* Returns the peak of resident memory, in bytes. */
static uint64_t peak_memory(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) < 0 ? 0 : (uint64_t)usage.ru_maxrss * 1024;
}

static void timestamp(char out[32])
{
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Names the list of --files-from by what it holds: its order, and where it comes from, make no difference. */
static void name_list(struct audit *a)
{
	RELEASED struct strbuf text = STRBUF_INIT;
	uint64_t sum;

	strbuf_add_count(&text, source_listed(a->source, &sum), "path");
	setting_values_set(&a->reported->options, "files-from", text.s, sum);
}

/* Names the accounts of the PATHs that are folders, archives or lists: each of them must contribute to the audit. */
static void name_paths(const struct audit *a, struct coverage *c)
{
	const struct options *options = a->options;

	for (size_t i = 0; i < options->input.paths.count; i++) {
		const char *path = options->input.paths.v[i];

		if (is_archive_name(path) || path_is_folder(a->find, i))
			coverage_name_path(c, i, path);
	}
	if (options->input.find.files_from)
		coverage_name_path(c, options->input.paths.count, LISTED_PATHS);
	coverage_keep_named(c);
}

/* Sets the error if files are declared to be the labels, and there are none. */
static enum status check_declared(const struct audit *a, struct error *err)
{
	RELEASED struct strbuf globs = STRBUF_INIT;

	for (size_t i = 0; i < a->layouts.count && a->find->labels_count; i++)
		if (a->layouts.v[i].table && a->layouts.v[i].decision.outcome == OUTCOME_LABELS)
			return STATUS_OK;
	for (size_t i = 0; i < a->find->labels_count; i++)
		strbuf_addf(&globs, "%s%s", i ? ", " : "", a->find->labels[i]);
	if (globs.len) {
		err->text[0] = '\0';
		error_set(err, "no file matches labels: %s (a glob with a slash is of the path below the PATH)",
			  globs.s);
	}
	return a->find->labels_count ? STATUS_FAILED : STATUS_OK;
}

/* Returns STATUS_FAILED with the reason if a PATH, or the whole audit, had nothing to audit. */
static enum status check_matched(const struct audit *a, const struct dataset_stats *d, struct error *err)
{
	RELEASED struct strbuf folder = STRBUF_INIT;

	/* a shard may be empty: the merge sees whether all are */
	if (stop_signal() || a->settings->shards || outputs_failed(a->outputs))
		return STATUS_OK;
	if (coverage_check(&d->coverage, d->files_read + d->files_failed, a->options->allowed & ALLOW_EMPTY, err) ==
	    STATUS_OK)
		return STATUS_OK;
	if (check_declared(a, err) == STATUS_OK && a->options->input.paths.count == 1) {
		const char *path = a->options->input.paths.v[0];
		const bool beside = label_folder_beside(path, &folder);
		/* a class may be called as labels are: with_mask, without_mask */
		RELEASED struct strbuf within = STRBUF_INIT;
		const bool photos = d->files_skipped && d->coverage.left_out[SKIP_IMAGE].files == d->files_skipped &&
				    (!beside || label_folder_in(path, &within));
		struct error failed = *err;

		err->text[0] = '\0';
		if (beside || photos)
			error_set(err, "%s%s%s%s", failed.text, beside ? "; the labels seem to be in " : "",
				  beside ? folder.s : "",
				  photos ? "; if their folders are the classes: --kind imagefolder" : "");
		else
			*err = failed;
	}
	return STATUS_FAILED;
}

/* Suggests the folder of the masks beside a PATH that holds the images. */
static void suggest_masks(const struct audit *a, const struct dataset_stats *d, struct strbuf *hint,
			  struct strbuf *next)
{
	const char *path = a->options->input.paths.count ? a->options->input.paths.v[0] : NULL;
	RELEASED struct strbuf folder = STRBUF_INIT;

	if (path && diagnosis_of_images(d, &a->shared.findings) && label_folder_beside(path, &folder)) {
		strbuf_addf(hint, "these files look like the images; the masks seem to be in %s", folder.s);
		command_line_add(a->options, NULL, path, folder.s, next);
	}
}

/* Judges the whole set, and sorts the findings. Returns the rule whose map explains the ids of all files, or NULL. */
static const char *judge_set(struct audit *a, const struct dataset_stats *dataset, struct fix_decision *decision)
{
	const struct options *o = a->options;
	const char *map = NULL;

	/* A shard's sums are not the set's: merge adds them up and judges them. */
	if (!a->settings->shards) {
		verdict_dataset(a->settings, dataset, &a->shared.findings);
		fix_decide(decision, a->settings, dataset, &a->shared.findings,
			   o->command == COMMAND_FIX ? &o->fix.declared : NULL);
		map = fix_decision_explain(a->settings, dataset, &a->shared.findings);
		fix_decision_mark(decision, &a->shared.findings);
	}
	finding_list_finish(&a->shared.findings);
	return map;
}

/* Parts of a report for which files are read again. Held until the process ends if storage does not answer. */
struct extras {
	const struct audit *audit;
	const struct dataset_stats *dataset;
	struct report report; /* as far as it is known; the gallery's findings */
	struct thumbnails pictures;
	struct strbuf hint, next;
};

static void make_extras(void *self)
{
	struct extras *x = self;

	/* The pixels were not kept: the few masks that a page shows are read again. */
	if (gallery_wanted(x->audit->options))
		gallery_make(&x->pictures, &x->report);
	if (!stop_signal())
		suggest_masks(x->audit, x->dataset, &x->hint, &x->next);
}

static struct extras *extras_new(const struct audit *a, const struct report *report)
{
	struct extras *x = xcalloc(1, sizeof(*x));

	x->audit = a;
	x->dataset = report->dataset;
	x->report = *report;
	strbuf_init(&x->hint);
	strbuf_init(&x->next);
	return x;
}

static void extras_free(struct extras *x)
{
	strbuf_release(&x->hint);
	strbuf_release(&x->next);
	gallery_release(&x->pictures);
	free(x);
}

/* Says that images in a tar on standard input were left alone: it can be read once, and images may come last. */
static void note_unseen_images(struct audit *a, const struct coverage *c)
{
	static const char *const text = "the images in a tar on standard input were not looked at";

	for (enum skip_reason reason = SKIP_IMAGE; reason <= SKIP_NAMED_IMAGE; reason++) {
		if (!c->left_out[reason].files || strncmp(c->left_out[reason].example, "-#", 2) != 0 ||
		    a->shared.note[0])
			continue;
		snprintf(a->shared.note, sizeof(a->shared.note), "%s", text);
		log_warning("%s: name the file instead", text);
	}
}

static enum status report_audit(struct audit *a, const struct dataset_stats *dataset, struct run_facts *run,
				uint64_t start_ns, struct error *err)
{
	struct report report = {
		.settings = a->settings,
		.dataset = dataset,
		.findings = &a->shared.findings,
		.interrupted = stop_signal() != 0,
		.complete = PLANTED(partial_report_called_complete, !atomic_load(&a->shared.incomplete), true),
		.root = a->options->input.paths.count ? a->options->input.paths.v[0] : NULL,
	};
	struct fix_decision decision = { .place = NULL };
	struct diagnosis diagnosis = { .v = NULL };
	enum status status;

	if (a->layouts.table && !a->layouts.table->has_members)
		report.files_expected = a->layouts.table->entries_seen;

	const char *map = judge_set(a, dataset, &decision);

	if (!a->settings->shards)
		diagnose(&diagnosis, dataset, a->settings, map, &decision, &a->shared.findings);
	report.diagnosis = &diagnosis;
	narrowed_count(&a->reported->narrowed, dataset, &a->shared.findings);
	struct extras *extras = extras_new(a, &report);

	if (!run_apart(make_extras, extras, 0))
		extras = extras_new(a, &report); /* the other one is the thread's */
	report.pictures = gallery_wanted(a->options) ? &extras->pictures : NULL;
	snprintf(run->note, sizeof(run->note), "%s", a->shared.note);
	baseline_session_note(&a->baseline, a->settings, report.complete, run->baseline_note,
			      sizeof(run->baseline_note));
	run->seconds = 1e-9 * (double)(clock_ns() - start_ns);
	run->peak_memory = peak_memory();
	report.run = *run;
	report.hint = extras->hint.len ? extras->hint.s : NULL;
	report.next = extras->next.len ? extras->next.s : NULL;
	status = outputs_report(a->outputs, a->options, &report, err);
	fix_decision_release(&decision);
	diagnosis_release(&diagnosis);
	extras_free(extras);
	if (a->options->output.verbosity >= 1 && a->cache) {
		RELEASED struct strbuf text = STRBUF_INIT;

		strbuf_adds(&text, "labelaudit: ");
		cache_summary(a->cache, &text);
		strbuf_addch(&text, '\n');
		log_text(text.s);
	}
	if (a->options->output.verbosity >= 0 && run->baseline_note[0]) {
		log_text("labelaudit: note: ");
		log_text(run->baseline_note);
		log_text("\n");
	}
	if (!err->text[0] && baseline_session_write(&a->baseline, report.complete, err) != STATUS_OK)
		status = STATUS_FAILED;
	return status;
}

static void observe_end(struct audit *a, const struct dataset_stats *dataset)
{
	struct fix_decision decision = { .place = NULL };

	judge_set(a, dataset, &decision);
	a->observer->end(a->observer->self, &a->shared.findings, &decision, !atomic_load(&a->shared.incomplete));
	fix_decision_release(&decision);
}

static void take_sample(const struct audit *a, struct dataset_stats *dataset)
{
	a->sample->dataset = *dataset;
	a->sample->cut = !source_progress(a->source).complete;
	dataset_init(dataset);
}

/* Opens the reports. Held until the process ends if storage does not answer. */
struct opening {
	const struct options *options;
	char started[sizeof(((struct run_facts *)NULL)->started)];
	struct outputs *outputs;
	enum status status;
	struct error err;
};

static void open_apart(void *self)
{
	struct opening *o = self;

	o->status = outputs_open(&o->outputs, o->options, o->started, &o->err);
}

static enum status open_outputs(struct audit *a, const char *started, struct error *err)
{
	struct opening *o = xcalloc(1, sizeof(*o));

	o->options = a->options;
	snprintf(o->started, sizeof(o->started), "%s", started);
	if (!run_apart(open_apart, o, 0))
		return error_set(err, "interrupted while the reports were opened: there is none");
	enum status status = o->status;

	a->outputs = o->outputs;
	*err = o->err;
	free(o);
	return status;
}

/* Says how a corrected copy of these files is made. */
static void name_command(const struct options *options, struct fix_facts *facts)
{
	RELEASED struct strbuf words = STRBUF_INIT;

	if (options->command != COMMAND_FIX && command_line_add_fix(options, &words))
		facts->words = xmemdup0(words.s, words.len);
}

/* Warns of options that were typed for other files than these. Where not all was read, and of a part, nobody knows. */
static void warn_unused(const struct audit *a, const struct dataset_stats *d)
{
	unsigned formats = 0;

	for (size_t i = 0; i < d->formats.count; i++)
		formats |= 1u << d->formats.v[i].format;
	if (formats && !d->files_failed && !a->settings->shards && a->settings->scope == SCOPE_SET)
		options_warn_unused(a->options, formats);
}

static enum status run_audit(struct audit *a, struct run_facts run, uint64_t start_ns, struct error *err)
{
	const struct options *options = a->options;
	struct dataset_stats dataset;
	struct progress progress;
	enum status status;

	if (a->baseline.baseline)
		setting_values_set(&a->reported->options, "baseline", options->baseline.file,
				   baseline_digest(a->baseline.baseline));
	if (open_outputs(a, run.started, err) != STATUS_OK)
		return STATUS_FAILED;
	dataset_init(&dataset);
	finding_list_init(&a->shared.findings, a->settings->max_findings);
	baseline_session_attach(&a->baseline, &a->shared.findings);
	progress_init(&progress, options->output.progress == PROGRESS_BAR, options->output.progress == PROGRESS_LINES,
		      options->output.unicode);
	status = workers_run(a, run.jobs, &dataset, &run, &progress, err);
	progress_finish(&progress);
	dataset_number_names(&dataset, a->settings);
	name_command(options, &dataset.fix);
	if (options->input.find.files_from)
		name_list(a);
	name_paths(a, &dataset.coverage);
	layout_facts(&a->layouts, a->find, &dataset.coverage);
	note_unseen_images(a, &dataset.coverage);
	struct error unmatched = ERROR_INIT;
	bool matched = status != STATUS_OK || check_matched(a, &dataset, &unmatched) == STATUS_OK;

	/* what can be read by now may have been taken for another kind, or left out */
	if (a->layouts.table && a->layouts.table->unread && !atomic_exchange(&a->shared.incomplete, true))
		log_warning(
			"a file or folder could not be read at first, when it was decided what to audit: audit again");
	if (!matched)
		atomic_store(&a->shared.incomplete, true);
	/* for the report of a shard, which lists them; rules do not depend on their order */
	for (size_t i = 0; i < CONTENTS && status == STATUS_OK && a->settings->shards; i++)
		if (dataset.contents[i])
			content_table_sort(dataset.contents[i]);
	const struct content_table *groups = dataset.contents[CONTENT_GROUPS]; /* NULL: no file was read whole */

	if (a->settings->group && dataset.files_read && (!groups || !groups->count))
		log_warning("--group: no path of a label file matches");
	warn_unused(a, &dataset);
	/* with nothing audited, the report says how labels that are not read are converted */
	if (a->sample)
		take_sample(a, &dataset);
	else if (a->observer && status == STATUS_OK)
		observe_end(a, &dataset);
	else if (status == STATUS_OK && (matched || coverage_has_unread(&dataset.coverage)))
		status = report_audit(a, &dataset, &run, start_ns, err);
	if (!matched && !err->text[0]) {
		*err = unmatched;
		status = STATUS_FAILED;
	}
	if (outputs_pipe_closed(a->outputs))
		err->text[0] = '\0';
	if (last_wait_given_up()) /* a thread that waits for storage may come back, and use it */
		return status;
	audit_close_cache(a);
	finding_list_release(&a->shared.findings);
	dataset_release(&dataset);
	return status;
}

/* Audits or lists what was prepared. */
static enum status run_prepared(struct prepared *p, struct options *options, struct strbuf *decisions,
				uint64_t start_ns, int *signal_number, struct error *err)
{
	struct audit *a = &p->audit;

	if (options->input.explain)
		return audit_explain(a, decisions, signal_number, err);
	if (options->input.list)
		return audit_list(a, signal_number, err);
	if (layouts_folders(&a->layouts, false))
		class_folders_name_classes(layouts_folders(&a->layouts, false), &options->settings);
	enum status status = run_audit(a, p->facts, start_ns, err);

	*signal_number = a->outputs && outputs_pipe_closed(a->outputs) ? SIGPIPE : stop_signal();
	if (a->outputs)
		outputs_close(a->outputs);
	return status;
}

static enum status run(struct options *options, struct id_sample *sample, const struct audit_observer *observer,
		       struct strbuf *decisions, int *signal_number, struct error *err)
{
	uint64_t start_ns = clock_ns();
	char started[32];

	*signal_number = 0;
	if (check_environment(err) != STATUS_OK)
		return STATUS_FAILED;
	timestamp(started);
	if (!options->input.list &&
	    !options->input.explain) /* an interrupted audit has a report, too, and removes its temporary files */
		stop_install(output_file_remove_temporary);
	struct prepared *p = audit_prepare(options);
	struct audit *a = &p->audit;
	enum status status = p->status;

	memcpy(p->facts.started, started, sizeof(started));
	a->reported = &options->settings;
	a->sample = sample;
	a->observer = observer;
	if (status == STATUS_OK)
		status = run_prepared(p, options, decisions, start_ns, signal_number, err);
	else
		*err = p->err;
	prepared_free(p);
	return status;
}

enum status audit_run(struct options *options, int *signal_number, struct error *err)
{
	return run(options, NULL, NULL, NULL, signal_number, err);
}

enum status audit_decide(struct options *options, struct strbuf *decisions, int *signal_number, struct error *err)
{
	return run(options, NULL, NULL, decisions, signal_number, err);
}

enum status audit_observe(struct options *options, const struct audit_observer *observer, int *signal_number,
			  struct error *err)
{
	return run(options, NULL, observer, NULL, signal_number, err);
}

enum status audit_sample(struct options *options, struct id_sample *sample, const struct audit_observer *observer,
			 struct error *err)
{
	int signal_number;

	sample->until_ns = clock_ns() + SAMPLE_NS;
	dataset_init(&sample->dataset);
	return run(options, sample, observer, NULL, &signal_number, err);
}
