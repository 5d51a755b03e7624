/*
 * --device auto: all workers start on the CPU, and a GPU joins them if they would take long. It must never cost more
 * than 5 % of what the CPU alone takes:
 *
 * - CUDA takes up to a second of one core to start. So nothing of it is touched unless measuring would go on for
 *   WORK_MS, and all cores together for CORE_SHARE times as much, which is 40 s: 2.5 %. The estimate is from the
 *   files so far, and from how many are to come, which a walk of its own counts as far as it matters. Where it cannot
 *   count (a list from a pipe, archives), the audit is taken to last as long again as it has.
 * - Nobody waits for it. A thread of its own, the starter, asks the driver and opens what the GPU's workers need. Each
 *   draws from the same source as the others as soon as it is open. If the files end while the starter is in the
 *   driver, the report is written, and the process ends without it (leave_at_once.h): a driver that hangs is not
 *   waited for.
 * - The last units are the CPU's if the GPU is slow: a worker of it draws no more than it can do in a UNIT_SHAREth of
 *   the time so far, 2.5 % again, and waits if it cannot do WORK_UNIT_FILES in that time.
 *
 * A GPU's worker whose device fails finishes its unit on the CPU (measure/offload.h), and ends.
 */
#include "audit/audit_state.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audit/file_count.h"
#include "base/cpu.h"
#include "base/leave_at_once.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "base/stop.h"

#define THRESHOLD "LABELAUDIT_AUTO_MS"

enum {
	WORK_MS = 2000,
	WORK_MS_MAX = 86400000,
	CORE_SHARE = 20,
	UNIT_SHARE = 40,
	/* Streaming reports come in the order of the walk: the others soon wait for a unit that takes long. */
	STREAM_MS = 20,
	/*
	 * They mostly sleep: two stages of 128 masks each are at work for a worker, so that 16 fill a device of 132
	 * multiprocessors with 32 warps each.
	 */
	WORKERS_MAX = 16,
	LOOK_MS = 100,
};

#define MS UINT64_C(1000000)

struct late_gpu {
	struct audit *audit; /* the starter must not touch it once `over` is set */
	struct dataset_stats *total;
	unsigned jobs;
	uint64_t work_ns;
	pthread_t starter;

	pthread_mutex_t lock;
	pthread_cond_t ended;
	/* under the lock */
	bool over;      /* all workers have ended, and no other starts */
	bool in_driver; /* the starter is */

	/* the starter's, and when that has ended main's */
	struct worker *workers; /* WORKERS_MAX */
	unsigned count;         /* of them */
	unsigned started;
	char device[96]; /* in words */

	struct file_count ahead; /* the starter's, while it waits for long work */
};

enum status late_gpu_threshold(uint64_t *work_ns, struct error *err)
{
	const char *text = getenv(THRESHOLD);
	int64_t ms = WORK_MS;

	if (text && (scan_integer(text, strlen(text), &ms) != INTEGER_EXACT || ms < 1 || ms > WORK_MS_MAX))
		return error_set(err, THRESHOLD "=%s: expected milliseconds from 1 to %d", text, WORK_MS_MAX);
	*work_ns = (uint64_t)ms * MS;
	return STATUS_OK;
}

/* ---- whether it is worth it -------------------------------------------------------------------------------------- */

/*
 * As far as it has counted. Only the backend's time counts, which is what a GPU can spare: an audit that waits for its
 * disk, or reads no masks, gains nothing.
 */
static bool work_is_long(const struct late_gpu *g, uint64_t done)
{
	struct audit *a = g->audit;
	double taken_ns = (double)(clock_ns() - a->start_ns);
	double measured_ns = (double)atomic_load_explicit(&a->measured_ns, memory_order_relaxed) / g->jobs;
	/* what is to come, in terms of what is done */
	uint64_t files = g->ahead.files;
	double ahead = files > done ? (double)(files - done) / (double)done : g->ahead.source ? 0 : 1;

	return measured_ns * ahead >= (double)g->work_ns &&
	       taken_ns * (1 + ahead) * cpu_usable_cores() >= (double)g->work_ns * CORE_SHARE;
}

static bool is_over(struct late_gpu *g)
{
	pthread_mutex_lock(&g->lock);
	bool over = g->over;

	pthread_mutex_unlock(&g->lock);
	return over;
}

/* Until the next look, or the end. */
static void pause_starter(struct late_gpu *g)
{
	struct timespec until = clock_deadline(LOOK_MS);

	pthread_mutex_lock(&g->lock);
	if (!g->over)
		pthread_cond_timedwait(&g->ended, &g->lock, &until);
	pthread_mutex_unlock(&g->lock);
}

/* False: the audit is over before. */
static bool wait_for_long_work(struct late_gpu *g)
{
	struct audit *a = g->audit;
	struct find_options find = a->options->find;
	bool is_long = false;

	find.follow = find.follow || a->sorting.folders;
	find.hidden = find.hidden || a->sorting.folders;
	file_count_init(&g->ahead, &find);
	while (!is_long && !is_over(g)) {
		uint64_t done = atomic_load_explicit(&a->files_done, memory_order_relaxed);
		bool more = true, drawn;

		source_progress(a->source, &drawn);
		while (done && !drawn && !is_long && more && !is_over(g)) {
			is_long = work_is_long(g, done);
			more = is_long || file_count_more(&g->ahead);
		}
		if (!is_long)
			pause_starter(g);
	}
	file_count_release(&g->ahead);
	return is_long;
}

/* ---- the starter ------------------------------------------------------------------------------------------------- */

static bool enter_driver(struct late_gpu *g)
{
	pthread_mutex_lock(&g->lock);
	g->in_driver = !g->over;
	pthread_mutex_unlock(&g->lock);
	return g->in_driver;
}

/* False: nobody has waited, and the audit must not be touched. */
static bool leave_driver(struct late_gpu *g)
{
	pthread_mutex_lock(&g->lock);
	bool go_on = !g->over;

	g->in_driver = false;
	pthread_mutex_unlock(&g->lock);
	return go_on;
}

static void tell(struct audit *a, const char *note, const char *consequence)
{
	pthread_mutex_lock(&a->lock);
	if (!a->note[0])
		snprintf(a->note, sizeof(a->note), "%.*s%s", (int)sizeof(a->note) - 40, note, consequence);
	pthread_mutex_unlock(&a->lock);
}

/* Leaves the driver with an open backend, which gets a worker. False: it is to be the last, or the audit is over. */
static bool join_workers(struct late_gpu *g, void *self)
{
	bool joins = false;

	pthread_mutex_lock(&g->lock);
	g->in_driver = false;
	if (!g->over) {
		struct worker *w = &g->workers[g->count++];

		worker_init(w, g->audit, &backend_cuda, audit_device(g->audit, 0));
		w->backend_self = self;
		dataset_borrow_contents(&w->dataset, g->total);
		joins = worker_start(w);
		g->started += joins;
	}
	pthread_mutex_unlock(&g->lock);
	return joins;
}

static bool find_gpu(struct late_gpu *g)
{
	struct audit *a = g->audit;
	struct error err = ERROR_INIT;
	int device = audit_device(a, 0);

	if (!enter_driver(g))
		return false;
	bool there = backend_cuda.is_there();
	bool works = there && backend_cuda.probe(device, g->device, sizeof(g->device), &err) == STATUS_OK;

	if (!leave_driver(g))
		return false;
	/* most machines have no GPU, and that is nothing to tell */
	if (there && !works)
		tell(a, err.text, "; measured on the CPU instead");
	return works;
}

/* Opens a backend and starts its worker. False: no more of them. */
static bool add_worker(struct late_gpu *g)
{
	struct audit *a = g->audit;
	const struct settings *settings = a->settings; /* main's, which outlives the audit if it must */
	struct error err = ERROR_INIT;
	int device = audit_device(a, 0);
	void *self;

	if (!enter_driver(g))
		return false;
	enum status status = backend_cuda.open(&self, settings, device, &err);
	const char *note = status == STATUS_OK ? backend_cuda.note(self) : "";

	if (status == STATUS_OK && !note[0])
		return join_workers(g, self);
	if (!leave_driver(g))
		return false;
	/* it would be one more worker on the CPU */
	tell(a, status == STATUS_OK ? note : err.text, status == STATUS_OK ? "" : "; measured on the CPU instead");
	if (status == STATUS_OK && enter_driver(g)) {
		backend_cuda.close(self);
		leave_driver(g);
	}
	return false;
}

static void *starter_main(void *arg)
{
	struct late_gpu *g = arg;

	if (!wait_for_long_work(g) || !find_gpu(g))
		return NULL;
	for (unsigned i = 0; i < MIN(g->jobs, (unsigned)WORKERS_MAX); i++)
		if (!add_worker(g))
			break;
	return NULL;
}

/* ---- the main thread --------------------------------------------------------------------------------------------- */

void late_gpu_look(struct audit *a, unsigned jobs, struct dataset_stats *total)
{
	struct error ignored = ERROR_INIT;
	uint64_t work_ns = 0;

	/* with another decoder than the usual, the CPU is to be compared */
	if (a->late_gpu || a->options->device != DEVICE_AUTO || a->backend != &backend_cpu || stop_signal() ||
	    late_gpu_threshold(&work_ns, &ignored) != STATUS_OK || clock_ns() - a->start_ns < work_ns / 10)
		return;
	struct late_gpu *g = xcalloc(1, sizeof(*g));

	g->audit = a;
	g->total = total;
	g->jobs = jobs;
	g->work_ns = work_ns;
	g->workers = xcalloc(WORKERS_MAX, sizeof(*g->workers));
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->ended, NULL);
	a->late_gpu = g;
	if (!thread_start(&g->starter, starter_main, g))
		g->over = true;
}

bool late_gpu_end(struct audit *a)
{
	struct late_gpu *g = a->late_gpu;

	if (!g || g->over)
		return true;
	pthread_mutex_lock(&g->lock);
	pthread_mutex_lock(&a->lock);
	bool over = g->over = !a->workers_running, in_driver = g->in_driver;

	pthread_mutex_unlock(&a->lock);
	pthread_cond_signal(&g->ended);
	pthread_mutex_unlock(&g->lock);
	if (!over)
		return false;
	if (in_driver) {
		pthread_detach(g->starter);
		leave_at_once_set();
	} else {
		pthread_join(g->starter, NULL);
	}
	return true;
}

void late_gpu_merge(struct audit *a, struct dataset_stats *total, struct run_facts *run)
{
	struct late_gpu *g = a->late_gpu;
	uint64_t units = 0;

	for (unsigned i = 0; g && i < g->started; i++) {
		struct worker *w = &g->workers[i];

		pthread_join(w->thread, NULL);
		dataset_merge(total, &w->dataset);
		total->images_flat |= w->seeker.flat || w->names_images;
		for (int stage = 0; stage < STAGES; stage++)
			run->stage_ns[stage] += w->stage_ns[stage];
		units += w->units;
	}
	if (units) {
		size_t n = strlen(run->device);

		snprintf(run->device + n, sizeof(run->device) - n, ", %s", g->device);
	}
}

/* The starter may still need all of it, if it was left behind; then the process ends soon. */
void late_gpu_release(struct audit *a)
{
	struct late_gpu *g = a->late_gpu;

	if (!g || leave_at_once())
		return;
	for (unsigned i = 0; i < g->count; i++)
		worker_release(&g->workers[i]);
	pthread_cond_destroy(&g->ended);
	pthread_mutex_destroy(&g->lock);
	free(g->workers);
	free(g);
	a->late_gpu = NULL;
}

/* ---- a GPU's worker ---------------------------------------------------------------------------------------------- */

/* How long a unit may take. */
static uint64_t unit_ns(const struct audit *a)
{
	uint64_t share = (clock_ns() - a->start_ns) / UNIT_SHARE;

	return outputs_streams(a->outputs) ? MIN(share, STREAM_MS * MS) : share;
}

size_t late_gpu_draw(struct worker *w)
{
	static const struct timespec pause = { .tv_nsec = 20 * (long)MS };
	const struct audit *a = w->audit;
	size_t last = w->unit.count;
	/* waiting for files is not the device's fault */
	uint64_t worked_ns = w->stage_ns[STAGE_READ] + w->stage_ns[STAGE_MEASURE] + w->stage_ns[STAGE_JUDGE];
	uint64_t took_ns = worked_ns - w->worked_ns;

	w->worked_ns = worked_ns;
	if (w->backend->note(w->backend_self)[0])
		return 0; /* its device has failed */
	if (!w->units)
		return WORK_UNIT_FILES;
	/* a few files may take as long as many: they are decoded side by side */
	while (last <= WORK_UNIT_FILES && took_ns > unit_ns(a)) {
		bool drawn;

		source_progress(a->source, &drawn);
		if (drawn)
			return 0;
		if (stop_signal() || atomic_load_explicit(&a->stop, memory_order_relaxed))
			break;
		nanosleep(&pause, NULL);
	}
	size_t files = (size_t)((double)last * (double)unit_ns(a) / (double)MAX(took_ns, UINT64_C(1)));

	return MAX(MIN(files, w->backend->batch_files), (size_t)WORK_UNIT_FILES);
}
