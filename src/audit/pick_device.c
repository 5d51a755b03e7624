#include "audit/pick_device.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/apart.h"
#include "audit/audit_parts.h"
#include "base/cpu.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "base/scan_number.h"
#include "measure/kernel/kernel_job.h"
#include "read/identify.h"
#include "read/input.h"

#define LIMIT_VARIABLE "LABELAUDIT_AUTO_MS"
#define MS             UINT64_C(1000000) /* nanoseconds */

enum {
	LIMIT_MS = 10000,
	LIMIT_MS_MAX = 86400000,
	/* Starting CUDA: a second, of a limit of ten. */
	START_SHARE = 10,
	/* The most files that the estimate opens, and the most rows of the folder table that these are from. */
	SAMPLED_FILES = 256,
	SAMPLED_ROWS = 64,
	/*
	 * One core measures a compressed byte of a PNG mask in 11 to 15 ns (bench/race: 88 us for 6.0 KB, 32 us for
	 * 2.9 KB, 317 us for 22 KB).
	 */
	CPU_PS_PER_BYTE = 12000,
	/*
	 * An H100 measures a pixel in 9 to 17 ps, from file to report, after start-up
	 * (src/measure/kernel/PERFORMANCE.md); twice that is what it must win by.
	 */
	GPU_PS_PER_PIXEL = 2 * 17,
	/* A core reads, checks and packs for a GPU 114,000 masks of 2.9 KB a second, or 75,000 of 6.0 KB. */
	FEED_PS_PER_BYTE = 3000,
	/* A driver that does not answer is given up after this. */
	PROBE_MS = 5000,
};

/* LABELAUDIT_DECODER=libpng takes the plain reference instead of the fast path, to compare them. */
static bool reference_wanted(void)
{
	const char *decoder = getenv("LABELAUDIT_DECODER");

	return decoder && !strcmp(decoder, "libpng");
}

const struct backend *backend_of(const struct options *options)
{
	switch (options->run.device.choice) {
	case DEVICE_CUDA:
		return &backend_cuda;
	case DEVICE_SIM:
		return &backend_sim;
	case DEVICE_AUTO: /* pick_device() may prefer a GPU */
	case DEVICE_CPU:
		break;
	}
	return reference_wanted() ? &backend_cpu_reference : &backend_cpu;
}

/* ---- how much work there is -------------------------------------------------------------------------------------- */

/* An estimate for the masks that a GPU could measure, from a sample: each of it counts for several files. */
struct work {
	double bytes, pixels;
};

/* Returns whether a GPU measures such a mask, as offload.h says. 16-bit samples are 16-bit ids, mostly. */
static bool is_for_gpu(const struct png_header *png, uint64_t bytes)
{
	return png->channels == 1 && png->bit_depth <= 8 && !png->interlace && bytes <= KERNEL_STREAM_MAX &&
	       (uint64_t)png->width * png->height <= KERNEL_SCRATCH_MAX;
}

/* Adds a mask of the sample, times the number of files that it represents. */
static void add_mask(struct work *work, struct cache_reader *cache, const char *path, double files)
{
	uint8_t head[PEEK_BYTES];
	struct fault ignored = FAULT_INIT;
	struct png_header png;
	struct stat st;

	if (!file_name_ends_in(path, ".png") || stat(path, &st) < 0 || !S_ISREG(st.st_mode) || cache_has(cache, &st))
		return;
	int n = input_read_head(AT_FDCWD, path, head, &ignored);

	if (n < PNG_IHDR_END || identify(head, (size_t)n) != CONTENT_PNG)
		return;
	png_header_parse(head + PNG_IHDR_AT, &png);
	if (!is_for_gpu(&png, (uint64_t)st.st_size))
		return;
	work->bytes += files * (double)st.st_size;
	work->pixels += files * png.width * png.height;
}

/* Adds the masks of the folder table, by some rows and a few files of each. Those of archives are not seen. */
static void add_table(struct work *work, struct cache_reader *cache, const struct folder_table *t)
{
	const size_t step = t->rows_count / SAMPLED_ROWS + 1;
	const size_t most = SAMPLED_FILES / MAX(MIN(t->rows_count, (size_t)SAMPLED_ROWS), (size_t)1);

	for (size_t i = 0; i < t->rows_count; i += step) {
		const struct folder_row *r = &t->rows[i];
		const size_t count = MIN(r->items_count, most);

		for (size_t k = 0; k < count && r->role == ROLE_LABELS && r->family == FAMILY_MASK; k++)
			if (!r->items[k]->in_walk)
				add_mask(work, cache, r->items[k]->path, (double)(step * r->files) / (double)count);
	}
}

/* Returns the nanoseconds that the cores need. */
static double cpu_ns(const struct work *work, unsigned cores)
{
	return 1e-3 * work->bytes * CPU_PS_PER_BYTE / cores;
}

/* The cores read for the GPU while it works. */
static double gpu_ns(const struct work *work, unsigned cores, uint64_t limit_ns)
{
	return 1e-3 * MAX(work->bytes * FEED_PS_PER_BYTE / cores, work->pixels * GPU_PS_PER_PIXEL) +
	       (double)limit_ns / START_SHARE;
}

/* Estimates the work of this shard. Nothing is known of the files of a list, nor of those that were typed. */
static struct work estimate(const struct audit *a)
{
	const double share = 1.0 / MAX(a->options->input.find.shard.count, 1U);
	struct cache_reader cache;
	struct work work = { 0 };

	cache_reader_open(&cache, a->cache);
	if (a->layouts.table)
		add_table(&work, &cache, a->layouts.table);
	cache_reader_close(&cache);
	return (struct work){ share * work.bytes, share * work.pixels };
}

/* ---- whether there is a GPU -------------------------------------------------------------------------------------- */

/* A query of the driver. Held until the process ends if that does not answer. */
struct probe {
	bool all; /* GPUs, else `first` alone */
	int first;
	bool is_there;
	struct device_pick pick;
	struct error error;
};

/* Adds the GPU if it works. The text describes the first, and has the numbers of the others. */
static bool add_gpu(struct device_pick *pick, int ordinal, struct error *err)
{
	char text[sizeof(pick->text)];
	size_t length = strlen(pick->text);

	if (backend_cuda.probe(ordinal, text, sizeof(text), err) != STATUS_OK)
		return false;
	if (pick->count)
		snprintf(pick->text + length, sizeof(pick->text) - length, ", cuda:%d", ordinal);
	else
		memcpy(pick->text, text, sizeof(text));
	pick->devices[pick->count++] = ordinal;
	return true;
}

/* Adds one GPU, or all up to the first that does not work: CUDA numbers the fastest first. */
static void add_gpus(struct probe *p)
{
	struct error ignored = ERROR_INIT;
	const int end = p->first + (p->all ? CUDA_DEVICES_MAX : 1);

	for (int i = p->first; i < end; i++)
		if (!add_gpu(&p->pick, i, p->pick.count ? &ignored : &p->error))
			break;
}

static void query_driver(void *self)
{
	struct probe *p = self;

	p->is_there = backend_cuda.is_there();
	if (p->is_there)
		add_gpus(p);
	if (p->pick.count)
		p->pick.backend = &backend_cuda;
}

/* Picks all GPUs that work; with --shard auto that of this process. */
static void pick_gpus(const struct options *options, struct device_pick *pick)
{
	struct probe *p = xcalloc(1, sizeof(*p));

	p->all = !options->run.shard_auto;
	p->first = options->run.device.cuda[0];
	p->pick = *pick;
	if (!run_apart(query_driver, p, PROBE_MS)) {
		snprintf(pick->note, sizeof(pick->note),
			 "the NVIDIA driver did not respond within %d s; measured on the CPU instead", PROBE_MS / 1000);
		return;
	}
	*pick = p->pick;
	/* most machines have no GPU, and that needs no note */
	if (p->is_there && !pick->count)
		snprintf(pick->note, sizeof(pick->note), "%.*s; measured on the CPU instead",
			 (int)sizeof(pick->note) - 40, p->error.text);
	free(p);
}

/* Returns whether the kernel shows a driver of NVIDIA's, before CUDA is touched. (In WSL it is that of Windows.) */
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

enum status pick_device(const struct audit *a, unsigned jobs, struct device_pick *pick, struct error *err)
{
	const char *limit_text = getenv(LIMIT_VARIABLE);
	unsigned cores = MIN(jobs, cpu_usable_cores());
	uint64_t limit_ns = 0;

	*pick = (struct device_pick){ .backend = &backend_cpu };
	if (parse_limit(limit_text, &limit_ns, err) != STATUS_OK)
		return STATUS_FAILED;
	if (!layouts_have_masks(&a->layouts) || !backend_cuda.built_for()[0])
		return STATUS_OK;
	/* a limit of one's own is a test's, whose driver is none of the kernel's */
	if (!limit_text && !has_driver())
		return STATUS_OK;
	const struct work work = estimate(a);
	const double ns = cpu_ns(&work, cores);

	if (ns >= (double)limit_ns && gpu_ns(&work, cores, limit_ns) < ns)
		pick_gpus(a->options, pick);
	return STATUS_OK;
}
