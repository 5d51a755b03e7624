/* The worker threads of the audit: each draws work units from the source until it ends or something stops them. */
#include "audit/audit.h"
#include "audit/audit_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/apart.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/thread.h"

static void count_unit(struct audit *a, uint64_t number)
{
	pthread_mutex_lock(&a->lock);
	a->units = MAX(a->units, number + 1);
	pthread_mutex_unlock(&a->lock);
}

/* Returns whether a sample is large enough; one worker takes it. */
static bool is_sampled(const struct worker *w)
{
	const struct id_sample *sample = w->audit->sample;

	return sample && (w->dataset.files_read >= sample->files_max || clock_ns() > sample->until_ns);
}

static enum status work(struct worker *w, struct error *err)
{
	struct audit *a = w->audit;

	while (!stop_signal() && !atomic_load_explicit(&a->stop, memory_order_relaxed) && !is_sampled(w)) {
		uint64_t since = clock_ns();

		read_ahead_give_back(&a->ahead, &w->ahead, &w->unit);
		worker_enter_storage(w);
		enum status drawn = read_ahead_draw(&a->ahead, &w->ahead, &w->unit, worker_unit_files(w), err);

		worker_leave_storage(w);
		if (drawn != STATUS_OK)
			return STATUS_FAILED;
		worker_end_stage(w, STAGE_WALK, &since);
		if (!w->unit.count) {
			if (!stop_signal())
				return STATUS_OK;
			break; /* the signal may have ended the walk */
		}
		if (!outputs_wait_for_turn(a->outputs, w->unit.number)) {
			work_budget_end_unit(&a->budget, w->unit.number);
			break;
		}
		count_unit(a, w->unit.number);
		if (worker_audit_unit(w, err) != STATUS_OK)
			return STATUS_FAILED;
		outputs_submit(a->outputs, w->unit.number, w->texts);
	}
	atomic_store(&a->incomplete, true);
	return STATUS_OK;
}

/* Keeps the first note. */
static void add_note(struct audit *a, const char *text, const char *consequence)
{
	pthread_mutex_lock(&a->lock);
	if (text[0] && !a->note[0])
		snprintf(a->note, sizeof(a->note), "%.*s%s", (int)sizeof(a->note) - 40, text, consequence);
	pthread_mutex_unlock(&a->lock);
}

/* Opens the worker's backend. A GPU that was there when the audit began, and fails now, is replaced by the CPU. */
static enum status open_backend(struct worker *w, struct error *err)
{
	struct audit *a = w->audit;
	enum status status = worker_open(w, err);

	if (status == STATUS_OK || w->backend != &backend_cuda)
		return status;
	add_note(a, err->text, "; measured on the CPU instead");
	*err = (struct error)ERROR_INIT;
	w->backend = &backend_cpu;
	return worker_open(w, err);
}

/*
 * Waits until no worker uses a GPU. To free its memory the driver waits for all that it has to do, which never ends if
 * the GPU hangs; then another worker finds that out first.
 */
static void wait_for_others(struct audit *a)
{
	pthread_mutex_lock(&a->lock);
	while (a->workers_running)
		pthread_cond_wait(&a->worker_ended, &a->lock);
	pthread_mutex_unlock(&a->lock);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct audit *a = w->audit;
	struct error err = ERROR_INIT;
	enum status status = open_backend(w, &err);

	if (status == STATUS_OK)
		status = work(w, &err);
	read_ahead_give_back(&a->ahead, &w->ahead, &w->unit); /* others may wait for the archive that it reads */
	if (w->backend_self && w->backend->note)
		add_note(a, w->backend->note(w->backend_self), "");

	pthread_mutex_lock(&a->lock);
	if (status != STATUS_OK) {
		atomic_store(&a->stop, true);
		if (!a->error.text[0])
			a->error = err;
	}
	w->ended = true;
	a->workers_running--;
	pthread_cond_broadcast(&a->worker_ended);
	pthread_mutex_unlock(&a->lock);
	if (status != STATUS_OK) {
		source_stop(a->source);
		read_ahead_stop(&a->ahead);
		outputs_stop(a->outputs);
	}
	if (w->backend == &backend_cuda)
		wait_for_others(a);
	worker_close(w);
	return NULL;
}

/* Returns the n-th of the devices to use, in turn. */
static int device_of(const struct audit *a, unsigned n)
{
	return a->devices[n % a->devices_count];
}

/* Counting ahead begins when the progress is about to be shown: a short audit pays nothing for it. */
static uint64_t count_after_ns(const struct progress *progress)
{
	return progress->bar ? UINT64_C(500000000) : progress->lines ? UINT64_C(5000000000) : UINT64_MAX;
}

/*
 * Where there are archives, the share that is done is that of their bytes, since their members are not counted ahead;
 * any other file counts as much as a usual mask.
 */
enum { USUAL_FILE_BYTES = 16 << 10 };

static void add_work(const struct count_ahead *c, const struct source_progress *source, struct progress_counts *counts)
{
	uint64_t files = counts->done > source->members ? counts->done - source->members : 0;

	counts->work = source->archive_bytes + MIN(files, c->files) * USUAL_FILE_BYTES;
	counts->work_total = c->archive_bytes + c->files * USUAL_FILE_BYTES;
}

static void draw_progress(struct audit *a, struct progress *progress)
{
	struct source_progress source = source_progress(a->source);
	struct progress_counts counts = {
		.done = atomic_load_explicit(&a->files_done, memory_order_relaxed),
		.flagged = atomic_load_explicit(&a->files_with_findings, memory_order_relaxed),
	};

	if (source.complete)
		counts.total = source.drawn;
	else if (!count_ahead_is_done(&a->count))
		counts.total = 0;
	else if (a->count.archives)
		add_work(&a->count, &source, &counts);
	else
		counts.total = MAX(a->count.files, source.drawn);
	if (!a->count.started && !source.complete && clock_ns() - progress->start_ns > count_after_ns(progress))
		count_ahead_start(&a->count, a->find);
	progress_update(progress, &counts);
}

/*
 * Gives the workers up that still wait for storage when the audit was interrupted long enough ago, unless one computes.
 * Under the lock.
 */
static void abandon(struct audit *a, struct worker *workers, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!workers[i].ended && !atomic_load(&workers[i].in_storage))
			return;
	for (unsigned i = 0; i < count; i++)
		workers[i].abandoned = !workers[i].ended;
	a->workers_running = 0;
	pthread_cond_broadcast(&a->worker_ended);
	atomic_store(&a->incomplete, true);
	last_wait_give_up();
	a->abandoned = true;
}

/* Waits until all workers have ended, and draws the progress ten times a second. */
static void wait_for_workers(struct audit *a, struct worker *workers, unsigned count, struct progress *progress)
{
	struct last_wait wait = { 0 };

	pthread_mutex_lock(&a->lock);
	while (a->workers_running) {
		struct timespec until = clock_deadline(WAIT_MS);
		int rc = pthread_cond_timedwait(&a->worker_ended, &a->lock, &until);

		if (rc == ETIMEDOUT) {
			pthread_mutex_unlock(&a->lock);
			if (stop_signal()) {
				source_stop(a->source);
				read_ahead_stop(&a->ahead);
				outputs_stop(a->outputs);
			}
			draw_progress(a, progress);
			pthread_mutex_lock(&a->lock);
			if (last_wait_is_over(&wait))
				abandon(a, workers, count);
		}
	}
	pthread_mutex_unlock(&a->lock);
}

static bool start_worker(struct worker *w)
{
	struct audit *a = w->audit;

	pthread_mutex_lock(&a->lock);
	a->workers_running++;
	pthread_mutex_unlock(&a->lock);
	if (thread_start(&w->thread, worker_main, w))
		return true;
	pthread_mutex_lock(&a->lock);
	a->workers_running--;
	pthread_cond_broadcast(&a->worker_ended);
	pthread_mutex_unlock(&a->lock);
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

static bool leave_images(void *self)
{
	return worker_abandon(((struct image_audit *)self)->worker);
}

/* Judges the images without a label file. Label files of images can be found only in folders. */
static enum status run_images(struct audit *a, struct worker *workers, unsigned count, struct dataset_stats *total,
			      struct progress *progress, struct error *err)
{
	for (unsigned i = 0; i < count; i++)
		total->images_flat |= workers[i].seeker.flat || workers[i].names_images;
	progress_finish(progress);
	if (stop_signal()) {
		atomic_store(&a->incomplete, true);
		return STATUS_OK;
	}
	struct image_audit *images = xcalloc(1, sizeof(*images));

	images->worker = &workers[0];
	images->seek_masks = a->folders_only && !total->images_flat;
	progress_init(&images->progress, progress->bar, progress->lines, progress->unicode);
	images->progress.unit = "images";
	bool ended = run_apart(audit_images, images, leave_images);

	if (stop_signal())
		atomic_store(&a->incomplete, true);
	a->abandoned |= !ended;
	if (!ended)
		return STATUS_OK;
	enum status status = images->status;

	*err = images->err;
	free(images);
	return status;
}

enum status workers_run(struct audit *a, unsigned jobs, struct dataset_stats *total, struct run_facts *run,
			struct progress *progress, struct error *err)
{
	struct worker *workers = xcalloc(jobs, sizeof(*workers));
	unsigned ready = 0, started = 0;
	enum status status = STATUS_OK;

	read_ahead_init(&a->ahead, a->source, &a->fetching, a->cache, &a->stop, a->find->io, a->options->io > 0);
	do {
		worker_init(&workers[ready], a, a->backend, device_of(a, ready));
		dataset_borrow_contents(&workers[ready].dataset, total);
	} while (start_worker(&workers[ready++]) && ++started < jobs);
	if (!started)
		status = error_set(err, "cannot start a thread");
	wait_for_workers(a, workers, started, progress);
	a->abandoned |= !count_ahead_end(&a->count);
	for (unsigned i = 0; i < SPLITS_MAX; i++)
		dataset_name_split(total, i, source_splits(a->source)->names[i]);
	if (layouts_folders(&a->layouts, false))
		folder_totals_add_all(&total->folders, layouts_folders(&a->layouts, false));
	for (unsigned i = 0; i < started; i++) {
		if (!worker_is_abandoned(&workers[i]))
			pthread_join(workers[i].thread, NULL);
		dataset_merge(total, &workers[i].dataset);
		gallery_samples_merge(&a->samples, &workers[i].samples);
		for (int stage = 0; stage < STAGES; stage++)
			run->stage_ns[stage] += workers[i].stage_ns[stage];
	}
	if (status == STATUS_OK && !a->error.text[0] && a->settings->pairing)
		status = run_images(a, workers, ready, total, progress, err);
	a->abandoned |= !read_ahead_close(&a->ahead, !a->abandoned, run);
	for (unsigned i = 0; i < ready && !a->abandoned; i++)
		worker_release(&workers[i]);
	if (!a->abandoned)
		free(workers);
	if (status == STATUS_OK && a->error.text[0]) {
		*err = a->error;
		status = STATUS_FAILED;
	}
	return status;
}
