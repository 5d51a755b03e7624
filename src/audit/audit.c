#include "audit/audit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "audit/audit_state.h"
#include "audit/detect_apart.h"
#include "audit/pick_device.h"
#include "base/cpu.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "cli/command_line.h"
#include "find/archive.h"
#include "find/names.h"
#include "find/path_state.h"
#include "judge/finding_list.h"
#include "judge/rule.h"
#include "layout/image_folder.h"
#include "layout/label_folder.h"
#include "output/gallery.h"
#include "report/narrowed.h"
#include "report/output_file.h"

/* How long a sample is taken. */
#define SAMPLE_NS UINT64_C(1000000000)

/* LABELAUDIT_DECODER=libpng takes the plain reference instead of the fast path, to compare them. */
static bool reference_wanted(void)
{
	const char *decoder = getenv("LABELAUDIT_DECODER");

	return decoder && !strcmp(decoder, "libpng");
}

static enum status check_environment(struct error *err)
{
	const char *decoder = getenv("LABELAUDIT_DECODER");

	if (decoder && strcmp(decoder, "libpng") && strcmp(decoder, "fast"))
		return error_set(err, "LABELAUDIT_DECODER=%s: expected libpng or fast", decoder);
	return STATUS_OK;
}

const struct backend *audit_backend(const struct options *options)
{
	switch (options->device) {
	case DEVICE_CUDA:
		return &backend_cuda;
	case DEVICE_SIM:
		return &backend_sim;
	case DEVICE_AUTO: /* a GPU, for long audits: pick_device.c */
	case DEVICE_CPU:
		break;
	}
	return reference_wanted() ? &backend_cpu_reference : &backend_cpu;
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
	const struct key_set *paths = source_listed(a->source);
	struct strbuf text = STRBUF_INIT;

	strbuf_add_count(&text, paths->total, "path");
	setting_values_set(&a->reported->options, "files-from", text.s, paths->sum);
	strbuf_release(&text);
}

/* Names the accounts of the PATHs that are folders, archives or lists: each of them must contribute to the audit. */
static void name_paths(const struct audit *a, struct coverage *c)
{
	const struct options *options = a->options;

	for (size_t i = 0; i < options->paths.count; i++) {
		const char *path = options->paths.v[i];

		if (is_archive_name(path) || path_is_folder(a->find, i))
			coverage_name_path(c, i, path);
	}
	if (options->find.files_from)
		coverage_name_path(c, options->paths.count, "--files-from");
	coverage_keep_named(c);
}

/* Returns STATUS_FAILED with the reason if a PATH, or the whole audit, had nothing to audit. */
static enum status check_matched(const struct audit *a, const struct dataset_stats *d, struct error *err)
{
	struct strbuf folder = STRBUF_INIT;

	/* a shard may be empty: the merge sees whether all are */
	if (stop_signal() || a->settings->shards || outputs_failed(a->outputs))
		return STATUS_OK;
	if (coverage_check(&d->coverage, d->files_read + d->files_failed, a->options->allow_empty, err) == STATUS_OK)
		return STATUS_OK;
	if (a->options->paths.count == 1 && label_folder_beside(a->options->paths.v[0], &folder)) {
		struct error failed = *err;

		err->text[0] = '\0';
		error_set(err, "%s; the labels seem to be in %s", failed.text, folder.s);
	}
	strbuf_release(&folder);
	return STATUS_FAILED;
}

/* Returns whether most files are images of the scene, which --classes cannot be about. */
static bool are_images(const struct audit *a, const struct dataset_stats *d)
{
	const uint64_t *by_rule = a->findings.by_rule;
	uint64_t images =
		by_rule[rule_index(rule_find("image-as-mask"))] + by_rule[rule_index(rule_find("lossy-format"))];

	return 2 * images > d->files_read + d->files_failed;
}

/* Suggests the folder of the masks beside a PATH that holds the images. */
static void suggest_masks(const struct audit *a, const struct dataset_stats *d, struct strbuf *hint,
			  struct strbuf *next)
{
	const char *path = a->options->paths.count ? a->options->paths.v[0] : NULL;
	struct strbuf folder = STRBUF_INIT;

	if (path && are_images(a, d) && label_folder_beside(path, &folder)) {
		strbuf_addf(hint, "these files look like the images; the masks seem to be in %s", folder.s);
		command_line_add(a->options, NULL, path, folder.s, next);
	}
	strbuf_release(&folder);
}

/* Returns what the command cures that report->fix is to be: the exact fixes if there are any; or CURE_UNKNOWN. */
static enum cure curable(const struct audit *a)
{
	enum cure cure = CURE_UNKNOWN;

	for (size_t i = 0; i < rule_count; i++) {
		if (!a->findings.by_rule[i] || a->findings.rule_worst[i] < LEVEL_WARNING)
			continue;
		if (rule_table[i]->cure == CURE_EXACT)
			return CURE_EXACT;
		if (rule_table[i]->cure == CURE_LOSSY)
			cure = CURE_LOSSY;
	}
	return cure;
}

/* Judges the whole set, and sorts the findings. */
static enum status judge_set(struct audit *a, const struct dataset_stats *dataset, struct error *err)
{
	/* A shard's sums are not the set's: merge adds them up and judges them. */
	if (!a->settings->shards)
		verdict_dataset(a->settings, dataset, &a->findings);
	finding_list_finish(&a->findings);
	return finding_list_check(&a->findings, err);
}

static enum status report_audit(struct audit *a, const struct dataset_stats *dataset, struct run_facts *run,
				uint64_t start_ns, struct error *err)
{
	struct report report = {
		.settings = a->settings,
		.dataset = dataset,
		.findings = &a->findings,
		.interrupted = stop_signal() != 0,
		.complete = PLANTED(partial_report_called_complete, !atomic_load(&a->incomplete), true),
		.root = a->options->paths.count ? a->options->paths.v[0] : NULL,
	};
	struct thumbnails pictures = { NULL, 0 };
	struct strbuf hint = STRBUF_INIT, next = STRBUF_INIT, fix = STRBUF_INIT;
	enum status status;

	if (count_ahead_is_done(&a->count) && !a->count.archives)
		report.files_expected = a->count.files;

	if (judge_set(a, dataset, err) != STATUS_OK)
		return STATUS_FAILED;
	narrowed_count(&a->reported->narrowed, dataset, &a->findings);
	/* The pixels were not kept: the few masks that a page shows are read again. */
	if (gallery_wanted(a->options)) {
		gallery_make(&pictures, &report, &a->samples);
		report.pictures = &pictures;
	}
	snprintf(run->note, sizeof(run->note), "%s", a->note);
	baseline_session_note(&a->baseline, a->settings, report.complete, run->baseline_note,
			      sizeof(run->baseline_note));
	run->seconds = 1e-9 * (double)(clock_ns() - start_ns);
	run->peak_memory = peak_memory();
	report.run = *run;
	suggest_masks(a, dataset, &hint, &next);
	report.hint = hint.len ? hint.s : NULL;
	report.next = next.len ? next.s : NULL;
	report.fix_cure = curable(a);
	if (report.fix_cure != CURE_UNKNOWN && !hint.len && !a->options->fix.out &&
	    command_line_add_fix(a->options, report.fix_cure == CURE_LOSSY, &fix))
		report.fix = fix.s;
	status = outputs_report(a->outputs, a->options, &report, err);
	strbuf_release(&hint);
	strbuf_release(&next);
	strbuf_release(&fix);
	gallery_release(&pictures);
	if (a->options->verbosity >= 1 && a->cache) {
		struct strbuf text = STRBUF_INIT;

		strbuf_adds(&text, "labelaudit: ");
		cache_summary(a->cache, &text);
		strbuf_addch(&text, '\n');
		log_text(text.s);
		strbuf_release(&text);
	}
	if (a->options->verbosity >= 0 && run->baseline_note[0]) {
		log_text("labelaudit: note: ");
		log_text(run->baseline_note);
		log_text("\n");
	}
	if (!err->text[0] && baseline_session_write(&a->baseline, report.complete, err) != STATUS_OK)
		status = STATUS_FAILED;
	return status;
}

/* Describes what measures, all GPUs if there are several. */
static enum status probe_devices(const struct audit *a, char *text, size_t n, struct error *err)
{
	struct strbuf all = STRBUF_INIT;
	enum status status = STATUS_OK;

	for (unsigned i = 0; status == STATUS_OK && i < a->devices_count; i++) {
		char one[128] = "";

		status = a->backend->probe(a->devices[i], one, sizeof(one), err);
		strbuf_addf(&all, "%s%s", i ? ", " : "", one);
	}
	snprintf(text, n, "%s", all.s);
	strbuf_release(&all);
	return status;
}

/* Sets a->backend and describes what measures. With the libpng decoder the CPU is to be compared: no GPU replaces it.
 */
static enum status choose_backend(struct audit *a, struct run_facts *run, struct error *err)
{
	struct device_pick pick;

	a->backend = audit_backend(a->options);
	memcpy(a->devices, a->options->cuda_devices, sizeof(a->devices));
	a->devices_count = a->options->cuda_devices_count;
	if (a->options->device == DEVICE_AUTO && a->backend == &backend_cpu) {
		if (pick_device(a, run->jobs, &pick, err) != STATUS_OK)
			return STATUS_FAILED;
		a->backend = pick.backend;
		snprintf(a->note, sizeof(a->note), "%s", pick.note);
		snprintf(run->device, sizeof(run->device), "%s", pick.text);
		if (pick.count) {
			memcpy(a->devices, pick.devices, sizeof(a->devices));
			a->devices_count = pick.count;
		}
	}
	return run->device[0] ? STATUS_OK : probe_devices(a, run->device, sizeof(run->device), err);
}

static enum status observe_end(struct audit *a, const struct dataset_stats *dataset, struct error *err)
{
	if (judge_set(a, dataset, err) != STATUS_OK)
		return STATUS_FAILED;
	a->observer->end(a->observer->self, dataset, &a->findings, !atomic_load(&a->incomplete));
	return STATUS_OK;
}

static void take_sample(const struct audit *a, const struct dataset_stats *dataset)
{
	struct id_sample *sample = a->sample;

	sample->files = dataset->files_read;
	sample->cut = !source_progress(a->source).complete;
	for (size_t i = 0; i < dataset->ids_count; i++)
		id_ranges_add(&sample->ids, dataset->ids[i].id, dataset->ids[i].id);
}

static unsigned jobs_of(const struct options *options)
{
	return options->jobs ? options->jobs : cpu_usable_cores();
}

static enum status run_audit(struct audit *a, struct error *err)
{
	const struct options *options = a->options;
	struct dataset_stats dataset;
	struct run_facts run = { .jobs = jobs_of(options) };
	uint64_t start_ns = clock_ns();
	struct progress progress;
	enum status status;

	timestamp(run.started);
	if (options->cache)
		a->cache = cache_open(a->settings, options->cache_folder, options->cache_verify);
	status = choose_backend(a, &run, err);
	if (status == STATUS_OK)
		status = baseline_session_open(&a->baseline, options, err);
	if (status == STATUS_OK && a->baseline.baseline)
		setting_values_set(&a->reported->options, "baseline", options->baseline,
				   baseline_digest(a->baseline.baseline));
	if (status == STATUS_OK)
		status = outputs_open(&a->outputs, options, run.started, err);
	if (status != STATUS_OK) {
		cache_close(a->cache);
		return status;
	}
	dataset_init(&dataset);
	finding_list_init(&a->findings, a->settings->max_findings);
	baseline_session_attach(&a->baseline, &a->findings);
	progress_init(&progress, options->progress == PROGRESS_BAR, options->progress == PROGRESS_LINES,
		      options->unicode);
	a->sample_masks = gallery_wanted(options);
	status = workers_run(a, run.jobs, &dataset, &run, &progress, err);
	progress_finish(&progress);
	dataset_number_names(&dataset, a->settings);
	if (options->find.files_from)
		name_list(a);
	name_paths(a, &dataset.coverage);
	struct error unmatched = ERROR_INIT;
	bool matched = status != STATUS_OK || check_matched(a, &dataset, &unmatched) == STATUS_OK;

	if (!matched)
		atomic_store(&a->incomplete, true);
	/* for the report of a shard, which lists them; rules do not depend on their order */
	for (size_t i = 0; i < CONTENTS && status == STATUS_OK && a->settings->shards; i++)
		if (dataset.contents[i])
			content_table_sort(dataset.contents[i]);
	const struct content_table *groups = dataset.contents[CONTENT_GROUPS]; /* NULL: no file was read whole */

	if (a->settings->group && dataset.files_read && (!groups || !groups->count))
		log_warning("--group: no path of a label file matches");
	/* with nothing audited, the report says how labels that are not read are converted */
	if (a->sample)
		take_sample(a, &dataset);
	else if (a->observer && status == STATUS_OK)
		status = observe_end(a, &dataset, err);
	else if (status == STATUS_OK && (matched || coverage_has_unread(&dataset.coverage)))
		status = report_audit(a, &dataset, &run, start_ns, err);
	if (!matched && !err->text[0]) {
		*err = unmatched;
		status = STATUS_FAILED;
	}
	if (outputs_pipe_closed(a->outputs))
		err->text[0] = '\0';
	if (a->cache && status != STATUS_FAILED && cache_verdict(a->cache, err) != STATUS_OK)
		status = STATUS_FAILED;
	if (a->abandoned) /* a thread that waits for storage may come back, and use it */
		return status;
	cache_close(a->cache);
	finding_list_release(&a->findings);
	gallery_samples_release(&a->samples);
	dataset_release(&dataset);
	return status;
}

static bool are_folders(const struct find_options *find)
{
	for (size_t i = 0; i < find->paths_count; i++)
		if (!path_is_folder(find, i))
			return false;
	return !find->files_from;
}

/* Held until the process ends if a thread waits for storage that does not answer. */
struct run {
	struct audit audit;
	struct find_options find;
	struct path_state *states; /* owned */
	struct listings listings;
};

/* Opens what is audited, and audits or lists it. */
static enum status run_opened(struct run *r, struct options *options, int *signal_number, struct error *err)
{
	struct audit *a = &r->audit;
	enum status status = source_open(&a->source, &r->find, err);

	if (status == STATUS_OK && options->images) {
		a->folders_only = are_folders(&r->find);
		status = pairs_open(&a->pairs, options->images, options->find.paths, options->find.paths_count, err);
		if (status != STATUS_OK) {
			source_close(a->source);
			return status;
		}
	}
	if (status != STATUS_OK)
		return status;
	a->fetching = (struct fetch_options){ a->settings, &a->pairs, &a->layouts };
	pthread_mutex_init(&a->lock, NULL);
	work_budget_init(&a->budget, options->settings.limits.pixel_budget, &a->stop);
	pthread_cond_init(&a->worker_ended, NULL);
	status = options->list ? audit_list(a, signal_number, err) : run_audit(a, err);
	if (a->outputs) {
		*signal_number = outputs_pipe_closed(a->outputs) ? SIGPIPE : stop_signal();
		outputs_close(a->outputs);
	}
	baseline_session_close(&a->baseline);
	if (a->abandoned)
		return status;
	pthread_cond_destroy(&a->worker_ended);
	work_budget_release(&a->budget);
	pthread_mutex_destroy(&a->lock);
	if (options->images)
		pairs_close(&a->pairs);
	source_close(a->source);
	return status;
}

/* Detects the kind of the data set, and audits or lists it. */
static enum status run_with(struct run *r, struct options *options, int *signal_number, struct error *err)
{
	struct audit *a = &r->audit;
	struct find_options *find = &r->find;

	find->leave_listings = &r->listings;
	find->io = options->io ? io_open(options->io) : NULL;
	enum status status = detect_apart(options, &a->targets, find, &r->states, &a->layouts, &a->abandoned, err);

	if (status == STATUS_OK)
		status = audit_check_outputs(a, err);
	if (status == STATUS_OK) {
		const struct class_folders *folders = layouts_folders(&a->layouts, true);

		find->leave_listings = NULL;
		find->take_listings = a->abandoned ? NULL : &r->listings;
		if (layouts_folders(&a->layouts, false))
			image_folder_name_classes(layouts_folders(&a->layouts, false), &options->settings);
		if (folders) {
			find->hidden = find->follow = true; /* as ImageFolder does */
			find->names_only = true;
			find->take_listings = NULL;
		}
		find->classify_member = classify_member;
		find->chooser = &a->layouts;
		find->heads_only = options->list;
		find->unpacks_ahead = options->io && jobs_of(options) > 1;
		a->find = find;
		status = run_opened(r, options, signal_number, err);
	}
	if (a->abandoned)
		return status;
	dataset_layouts_release(&a->layouts);
	io_close(find->io);
	listings_release(&r->listings);
	free(r->states);
	return status;
}

static enum status run(struct options *options, struct id_sample *sample, const struct audit_observer *observer,
		       int *signal_number, struct error *err)
{
	enum status status = check_environment(err);

	*signal_number = 0;
	if (status != STATUS_OK)
		return status;
	struct run *r = xcalloc(1, sizeof(*r));
	struct audit *a = &r->audit;

	a->options = options;
	a->settings = a->reported = &options->settings;
	a->sample = sample;
	a->observer = observer;
	r->find = options->find;
	r->find.limits = options->settings.limits;
	if (!options->list) /* an interrupted audit has a report, too, and removes its temporary files */
		stop_install(output_file_remove_temporary);
	status = targets_resolve(&a->targets, options, err);
	if (status == STATUS_OK)
		status = run_with(r, options, signal_number, err);
	if (a->abandoned)
		return status;
	targets_release(&a->targets);
	free(r);
	return status;
}

enum status audit_run(struct options *options, int *signal_number, struct error *err)
{
	return run(options, NULL, NULL, signal_number, err);
}

enum status audit_observe(struct options *options, const struct audit_observer *observer, int *signal_number,
			  struct error *err)
{
	return run(options, NULL, observer, signal_number, err);
}

enum status audit_sample(struct options *options, struct id_sample *sample, struct error *err)
{
	int signal_number;

	sample->until_ns = clock_ns() + SAMPLE_NS;
	return run(options, sample, NULL, &signal_number, err);
}
