/* The worker threads of the audit: each draws work units from the source until it ends or something stops them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/apart.h"
#include "audit/audit_parts.h"
#include "audit/worker.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/thread.h"

/* Keeps the first note. */
static void add_note(struct audit *a, const char *text, const char *consequence)
{
	struct audit_shared *s = &a->shared;

	pthread_mutex_lock(&s->lock);
	if (text[0] && !s->note[0])
		snprintf(s->note, sizeof(s->note), "%.*s%s", (int)sizeof(s->note) - 40, text, consequence);
	pthread_mutex_unlock(&s->lock);
}

/* Opens the worker's backend. A GPU that was there when the audit began, and fails now, is replaced by the CPU. */
static enum status open_backend(struct worker *w, struct error *err)
{
	enum status status = measure_stage_open(&w->measure, err);

	if (status == STATUS_OK || w->measure.backend != &backend_cuda)
		return status;
	add_note(w->audit, err->text, "; measured on the CPU instead");
	*err = (struct error)ERROR_INIT;
	w->measure.backend = &backend_cpu;
	return measure_stage_open(&w->measure, err);
}

/*
 * Waits until no worker uses a GPU. To free its memory the driver waits for all that it has to do, which never ends if
 * the GPU hangs; then another worker finds that out first.
 */
static void wait_for_others(struct audit_shared *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->workers_running)
		pthread_cond_wait(&s->worker_ended, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

/* Ends all draws and waits but those for storage. */
static void stop_all(struct audit *a)
{
	source_stop(a->source);
	outputs_stop(a->outputs);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct audit_shared *s = &w->audit->shared;
	struct error err = ERROR_INIT;
	enum status status = open_backend(w, &err);

	if (status == STATUS_OK)
		status = worker_run(w, &err);
	atomic_fetch_add(&s->spare, 1);
	if (w->measure.backend_self && w->measure.backend->note)
		add_note(w->audit, w->measure.backend->note(w->measure.backend_self), "");

	pthread_mutex_lock(&s->lock);
	if (status != STATUS_OK) {
		atomic_store(&s->stop, true);
		if (!s->error.text[0])
			s->error = err;
	}
	w->ended = true;
	s->workers_running--;
	pthread_cond_broadcast(&s->worker_ended);
	pthread_mutex_unlock(&s->lock);
	if (status != STATUS_OK)
		stop_all(w->audit);
	if (w->measure.backend == &backend_cuda)
		wait_for_others(s);
	worker_close(w);
	return NULL;
}

/* Returns the n-th of the devices to use, in turn. */
static int device_of(const struct audit *a, unsigned n)
{
	return a->devices[n % a->devices_count];
}

/*
 * Where there are archives, the share that is done is that of their bytes, since not all of their members were seen;
 * any other file counts as much as a usual mask.
 */
enum { USUAL_FILE_BYTES = 16 << 10 };

/* Says how much there is, as the walk that decided what is audited saw it; of a list, how long it is. */
static void count_all(const struct folder_table *t, const struct source_progress *s, struct progress_counts *counts)
{
	if (s->complete) {
		counts->total = s->drawn;
	} else if (!t) {
		counts->work = s->list_bytes;
		counts->work_total = s->list_size;
	} else if (t->entries_seen && !t->has_members) {
		counts->total = MAX(t->entries_seen, s->drawn);
	} else if (t->archive_bytes) {
		uint64_t files = counts->done > s->members ? counts->done - s->members : 0;

		counts->work = s->archive_bytes + MIN(files, t->entries_seen) * USUAL_FILE_BYTES;
		counts->work_total = t->archive_bytes + t->entries_seen * USUAL_FILE_BYTES;
	}
}

static void draw_progress(struct audit *a, struct progress *progress)
{
	const struct source_progress source = source_progress(a->source);
	struct progress_counts counts = {
		.done = atomic_load_explicit(&a->shared.files_done, memory_order_relaxed),
		.flagged = atomic_load_explicit(&a->shared.files_with_findings, memory_order_relaxed),
	};

	count_all(a->layouts.table, &source, &counts);
	progress_update(progress, &counts);
}

/*
 * Leaves without a worker: its lock is kept, so that its sums are those of whole files. Waits for what it does with
 * them.
 */
static void leave_worker(struct worker *w)
{
	pthread_mutex_lock(&w->emit.lock);
}

/*
 * Waits until all workers have ended, and draws the progress ten times a second. Leaves without those that still wait
 * for storage long after an interruption.
 */
static void wait_for_workers(struct audit *a, struct worker *workers, unsigned count, struct progress *progress)
{
	struct audit_shared *s = &a->shared;
	struct last_wait wait = { 0 };
	bool left = false;

	pthread_mutex_lock(&s->lock);
	while (s->workers_running && !left) {
		struct timespec until = clock_deadline(WAIT_MS);
		int rc = pthread_cond_timedwait(&s->worker_ended, &s->lock, &until);

		if (rc != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&s->lock);
		if (stop_signal())
			stop_all(a);
		draw_progress(a, progress);
		left = last_wait_is_over(&wait);
		pthread_mutex_lock(&s->lock);
	}
	s->workers_running = 0; /* those that have a GPU go on */
	pthread_cond_broadcast(&s->worker_ended);
	pthread_mutex_unlock(&s->lock);
	for (unsigned i = 0; i < count; i++) {
		pthread_mutex_lock(&s->lock);
		bool ended = workers[i].ended;

		pthread_mutex_unlock(&s->lock);
		if (ended) {
			pthread_join(workers[i].thread, NULL);
			continue;
		}
		leave_worker(&workers[i]);
		last_wait_give_up();
		atomic_store(&s->incomplete, true);
	}
}

static bool start_worker(struct worker *w)
{
	struct audit_shared *s = &w->audit->shared;

	pthread_mutex_lock(&s->lock);
	s->workers_running++;
	pthread_mutex_unlock(&s->lock);
	if (thread_start(&w->thread, worker_main, w))
		return true;
	pthread_mutex_lock(&s->lock);
	s->workers_running--;
	pthread_cond_broadcast(&s->worker_ended);
	pthread_mutex_unlock(&s->lock);
	return false;
}

/* The images, after the files. Held until the process ends if storage does not answer. */
struct image_audit {
	struct worker *worker; /* whose tables are used */
	bool seek_masks;
	struct progress progress; /* of its own */
	enum status status;
	struct error err;
};

static void audit_images(void *self)
{
	struct image_audit *i = self;

	i->status = worker_audit_images(i->worker, i->seek_masks, &i->progress, &i->err);
	progress_finish(&i->progress);
}

/* Judges the images without a label file. Label files of images can be found only in folders. */
static enum status run_images(struct audit *a, struct worker *worker, bool seek_masks, struct progress *progress,
			      struct error *err)
{
	progress_finish(progress);
	if (stop_signal()) {
		atomic_store(&a->shared.incomplete, true);
		return STATUS_OK;
	}
	struct image_audit *images = xcalloc(1, sizeof(*images));

	images->worker = worker;
	images->seek_masks = seek_masks;
	progress_init(&images->progress, progress->bar, progress->lines, progress->unicode);
	bool ended = run_apart(audit_images, images, 0);

	if (stop_signal())
		atomic_store(&a->shared.incomplete, true);
	if (!ended) {
		leave_worker(worker);
		return STATUS_OK;
	}
	enum status status = images->status;

	*err = images->err;
	free(images);
	return status;
}

/* Adds up what a worker has. */
static void add_up(struct worker *w, struct dataset_stats *total, struct run_facts *run)
{
	total->images_flat |= w->emit.images_flat || w->emit.names_images;
	dataset_merge(total, &w->emit.dataset);
	for (int stage = 0; w->ended && stage < STAGES; stage++)
		run->stage_ns[stage] += w->stage_ns[stage];
}

/* Adds what is known of the set as a whole; no worker has it. */
static void add_names(struct audit *a, struct dataset_stats *total)
{
	for (unsigned i = 0; i < SPLITS_MAX; i++)
		dataset_name_split(total, i, source_splits(a->source)->names[i]);
	if (layouts_folders(&a->layouts, false))
		folder_totals_add_all(&total->folders, layouts_folders(&a->layouts, false));
}

enum status workers_run(struct audit *a, unsigned jobs, struct dataset_stats *total, struct run_facts *run,
			struct progress *progress, struct error *err)
{
	struct worker *workers = xcalloc(jobs, sizeof(*workers));
	unsigned ready = 0, started = 0;
	enum status status = STATUS_OK;

	fetcher_init(&a->ahead.fetcher, a->settings, &a->pairs, &a->layouts, a->cache);
	ahead_init(&a->ahead, a->source, a->pool, MAX((size_t)WORK_UNIT_FILES, a->backend->batch_files));
	do {
		worker_init(&workers[ready], a, device_of(a, ready));
		dataset_borrow_contents(&workers[ready].emit.dataset, total);
	} while (start_worker(&workers[ready++]) && ++started < jobs);
	if (!started)
		status = error_set(err, "cannot start a thread");
	wait_for_workers(a, workers, started, progress);
	add_names(a, total);
	for (unsigned i = 0; i < started; i++)
		add_up(&workers[i], total, run);
	if (status == STATUS_OK && !a->shared.error.text[0] && a->settings->images.folder)
		status = run_images(a, &workers[0], a->folders_only && !total->images_flat, progress, err);
	run->read_ahead = atomic_load(&a->ahead.fetcher.fetched);
	run->under_way = run->read_ahead ? pool_reached(a->pool) : 0;
	if (pool_stop(a->pool) && !last_wait_given_up()) {
		ahead_release(&a->ahead);
		for (unsigned i = 0; i < ready; i++)
			worker_release(&workers[i]);
		free(workers);
	}
	if (status == STATUS_OK && a->shared.error.text[0]) {
		*err = a->shared.error;
		status = STATUS_FAILED;
	}
	return status;
}
