#include "audit/pick_device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit_state.h"
#include "audit/file_count.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "base/scan_number.h"
#include "base/stop.h"
#include "base/thread.h"
#include "read/identify.h"
#include "read/input.h"

#define LIMIT_VARIABLE "LABELAUDIT_AUTO_MS"
#define MS             UINT64_C(1000000) /* nanoseconds */

enum {
	LIMIT_MS = 10000,
	LIMIT_MS_MAX = 86400000,
	/* Starting CUDA: a second, of a limit of ten. */
	START_SHARE = 10,
	/* Counting ahead may cost a fiftieth of the work that it has counted, and this much in any case. */
	COUNT_SHARE = 50,
	COUNT_MIN_MS = 20,
	/*
	 * One core measures a compressed byte of a PNG mask in 11 to 15 ns (bench/race: 88 us for 6.0 KB, 32 us for
	 * 2.9 KB, 317 us for 22 KB).
	 */
	CPU_PS_PER_BYTE = 12000,
	/*
	 * A GPU of 132 multiprocessors measures a pixel in 7 to 21 ps, by a timing model of the kernel's machine code
	 * that has not been compared with a device; twice that is what it must win by.
	 */
	GPU_PS_PER_PIXEL = 2 * 21,
	/* A driver that does not answer is given up after this. */
	PROBE_MS = 5000,
};

/* ---- how much work there is -------------------------------------------------------------------------------------- */

struct work {
	uint64_t files;         /* counted */
	uint64_t sampled;       /* of them, one of each draw */
	uint64_t bytes, pixels; /* of the PNGs among those sampled */
};

static void sample_entry(struct work *work, const struct entry *entry)
{
	uint8_t head[PEEK_BYTES];
	struct fault ignored = FAULT_INIT;
	uint32_t width, height;
	struct stat st;

	work->sampled++;
	if (entry->failed || !file_name_ends_in(entry->name, ".png") || fstatat(entry->dirfd, entry->name, &st, 0) < 0)
		return;
	int n = input_read_head(entry->dirfd, entry->name, head, &ignored);

	if (n < PNG_IHDR_AT + PNG_IHDR_SIZE_BYTES || identify(head, (size_t)n) != CONTENT_PNG)
		return;
	work->bytes += (uint64_t)st.st_size;
	png_header_parse_size(head + PNG_IHDR_AT, &width, &height);
	work->pixels += (uint64_t)width * height;
}

/* Returns nanoseconds for all files, given picoseconds for what was sampled of them. */
static double scale_ns(const struct work *work, double sampled_ps)
{
	return work->sampled ? 1e-3 * sampled_ps * (double)work->files / (double)work->sampled : 0;
}

static double cpu_ns(const struct work *work, unsigned jobs)
{
	unsigned cores = MIN(jobs, cpu_usable_cores());

	return scale_ns(work, (double)work->bytes * CPU_PS_PER_BYTE) / cores;
}

static double gpu_ns(const struct work *work, uint64_t limit_ns)
{
	return scale_ns(work, (double)work->pixels * GPU_PS_PER_PIXEL) + (double)limit_ns / START_SHARE;
}

/* Returns whether the cores need limit_ns or more. Counts no further than that takes. */
static bool is_long(const struct find_options *find, unsigned jobs, uint64_t limit_ns, struct work *work)
{
	uint64_t start_ns = clock_ns(), spent_ns = 0;
	struct file_count count;
	double ns = 0;

	memset(work, 0, sizeof(*work));
	file_count_init(&count, find);
	while (ns < (double)limit_ns && (spent_ns < COUNT_MIN_MS * MS || (double)spent_ns < ns / COUNT_SHARE) &&
	       file_count_more(&count)) {
		work->files = count.files;
		sample_entry(work, &count.unit.entries[count.unit.count / 2]);
		ns = cpu_ns(work, jobs);
		spent_ns = clock_ns() - start_ns;
	}
	file_count_release(&count);
	return ns >= (double)limit_ns;
}

/* ---- whether there is a GPU -------------------------------------------------------------------------------------- */

/* Shared by the main thread and the one that queries the driver; the last to leave frees it. */
struct probe {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	int ordinal;
	/* under the lock */
	bool done, abandoned;
	bool is_there, works;
	char device[128];
	struct error error;
};

static void probe_free(struct probe *p)
{
	pthread_cond_destroy(&p->ended);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static void *probe_main(void *arg)
{
	struct probe *p = arg;
	struct error err = ERROR_INIT;
	char device[sizeof(p->device)] = "";
	bool is_there = backend_cuda.is_there();
	bool works = is_there && backend_cuda.probe(p->ordinal, device, sizeof(device), &err) == STATUS_OK;

	pthread_mutex_lock(&p->lock);
	p->is_there = is_there;
	p->works = works;
	memcpy(p->device, device, sizeof(device));
	p->error = err;
	p->done = true;
	bool abandoned = p->abandoned;

	pthread_cond_signal(&p->ended);
	pthread_mutex_unlock(&p->lock);
	if (abandoned)
		probe_free(p);
	return NULL;
}

/* Queries the driver in a thread of its own, since a broken one may never answer. Returns whether the GPU works. */
static bool gpu_works(int ordinal, struct device_pick *pick)
{
	struct timespec until = clock_deadline(PROBE_MS);
	struct probe *p = xcalloc(1, sizeof(*p));
	pthread_t thread;

	p->ordinal = ordinal;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->ended, NULL);
	if (!thread_start(&thread, probe_main, p)) {
		probe_free(p);
		return false;
	}
	pthread_detach(thread);
	pthread_mutex_lock(&p->lock);
	while (!p->done && pthread_cond_timedwait(&p->ended, &p->lock, &until) == 0)
		;
	bool done = p->done, works = p->works;

	/* most machines have no GPU, and that needs no note */
	if (!done)
		snprintf(pick->note, sizeof(pick->note),
			 "the NVIDIA driver did not respond within %d s; measured on the CPU instead", PROBE_MS / 1000);
	else if (p->is_there && !works)
		snprintf(pick->note, sizeof(pick->note), "%.*s; measured on the CPU instead",
			 (int)sizeof(pick->note) - 40, p->error.text);
	memcpy(pick->device, p->device, sizeof(pick->device));
	p->abandoned = !done;
	pthread_mutex_unlock(&p->lock);
	if (done)
		probe_free(p);
	else
		exit_now_set();
	return works;
}

/* Returns whether the kernel has loaded a driver for NVIDIA's GPUs (or Windows has, for WSL): two cheap calls. */
static bool has_driver(void)
{
	return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

static enum status parse_limit(const char *text, uint64_t *limit_ns, struct error *err)
{
	int64_t ms = LIMIT_MS;

	if (text && (scan_integer(text, strlen(text), &ms) != INTEGER_EXACT || ms < 1 || ms > LIMIT_MS_MAX))
		return error_set(err, LIMIT_VARIABLE "=%s: expected milliseconds from 1 to %d", text, LIMIT_MS_MAX);
	*limit_ns = (uint64_t)ms * MS;
	return STATUS_OK;
}

enum status pick_device(const struct options *options, bool masks, unsigned jobs, struct device_pick *pick,
			struct error *err)
{
	const char *limit_text = getenv(LIMIT_VARIABLE);
	struct work work;
	uint64_t limit_ns = 0;

	*pick = (struct device_pick){ .backend = &backend_cpu };
	if (parse_limit(limit_text, &limit_ns, err) != STATUS_OK)
		return STATUS_FAILED;
	/* a limit of one's own is a test's, whose driver is none of the kernel's */
	if (masks && backend_cuda.built_for()[0] && (limit_text || has_driver()) &&
	    is_long(&options->find, jobs, limit_ns, &work) && gpu_ns(&work, limit_ns) < cpu_ns(&work, jobs) &&
	    gpu_works(options->cuda_devices[0], pick))
		pick->backend = &backend_cuda;
	return STATUS_OK;
}
