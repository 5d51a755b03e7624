/*
 * The kernel alone, on a GPU: how fast it is when the device is full, how fast masks get there, and whether it counts
 * what the CPU does. No start-up, no reading, no packing: those are in the whole program's times (bench/gpu.sh).
 *
 * usage: gpu_kernel [-n JOBS] [-r ROUNDS] [-k FATBIN [-w WARPS]] FILE...
 *
 *   -n  masks that a launch decodes: the files, over and over (16384)
 *   -r  how often each is timed; the median counts (5)
 *   -k  another build of cuda/measure.cu instead of the program's, a fatbin or PTX, and its warps a block (4). One with
 *       -DWARP_CLOCKS tells what the warps' time goes to
 *
 * Takes the stages that the program's backend would send to the device, and measures them on the CPU as well: each
 * answer is compared with that. Exit status: 0 all are equal, 1 some differ, 2 it could not be tried.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../cuda/driver.h"
#include "base/clock.h"
#include "base/mem.h"
#include "measure/kernel/kernel_host.h"
#include "measure/kernel/offload.h"
#include "measure/kernel/warp.h"

enum { FILES_A_BATCH = 128, LANES = 32, COPY_BYTES = 256 << 20, ROUNDS_MAX = 99, BLOCKS_MAX = 6 };

static const struct cuda_driver *cu;

/* Everything that goes to the device, and what the CPU measures in it. */
static struct {
	struct offload offload;
	struct batch batch;
	uint8_t *streams;
	size_t streams_used, streams_cap;
	struct kernel_job *jobs;
	size_t count, jobs_cap;
	size_t *items; /* of the batch at work, by job */
	size_t items_cap;
	size_t batch_first;           /* the first job of it */
	struct label_stats *expected; /* by job; ids_at in ids below */
	size_t expected_cap;
	struct batch ids;
	uint32_t scratch_bytes;
} all;

static void check(int code, const char *what)
{
	const char *text = NULL;

	if (code == CUDA_OK)
		return;
	cu->error_string(code, &text);
	fprintf(stderr, "gpu_kernel: %s: %s (%d)\n", what, text ? text : "unknown error", code);
	exit(2);
}

static void give_up(const char *why)
{
	fprintf(stderr, "gpu_kernel: %s\n", why);
	exit(2);
}

/* In the place of a device: keeps what it is given, and refuses it, so that the CPU measures it. */
static bool keep_stage(void *device, unsigned at, struct offload_stage *s, char *why)
{
	(void)device;
	(void)at;
	(void)why;
	GROW(all.streams, all.streams_cap, all.streams_used + s->streams_used);
	GROW(all.jobs, all.jobs_cap, all.count + s->count);
	GROW(all.items, all.items_cap, all.count + s->count);
	memcpy(all.streams + all.streams_used, s->streams, s->streams_used);
	for (uint32_t i = 0; i < s->count; i++) {
		struct kernel_job *job = &all.jobs[all.count];

		*job = s->jobs[i];
		job->stream_at += (uint32_t)all.streams_used;
		if (job->lut_at != KERNEL_NO_LUT)
			job->lut_at += (uint32_t)all.streams_used;
		all.scratch_bytes = MAX(all.scratch_bytes, (uint32_t)kernel_scratch_bytes(job));
		all.items[all.count++] = s->items[i];
	}
	all.streams_used += s->streams_used;
	if (all.streams_used >= UINT32_C(1) << 31)
		give_up("more than 2 GiB of streams");
	return true;
}

static bool refuse_stage(void *device, unsigned at, struct offload_stage *s, char *why)
{
	(void)device;
	(void)at;
	(void)why;
	for (uint32_t i = 0; i < s->count; i++) {
		s->slots[i].serial = s->jobs[i].serial;
		s->slots[i].status = KERNEL_REFUSED;
	}
	return true;
}

static const struct offload_device keeper = { keep_stage, refuse_stage };

static void keep_files(const struct settings *settings, char **paths, int count)
{
	struct error err = ERROR_INIT;

	if (offload_init(&all.offload, settings, &keeper, NULL, &err) != STATUS_OK)
		give_up(err.text);
	batch_init(&all.batch);
	batch_init(&all.ids);
	for (int first = 0; first < count; first += FILES_A_BATCH) {
		batch_clear(&all.batch);
		for (int i = first; i < MIN(first + FILES_A_BATCH, count); i++) {
			struct batch_item *item = batch_add(&all.batch);

			fault_clear(&item->sample.fault);
			fault_clear(&item->sample.warning);
			item->sample.path = paths[i];
			item->sample.format = FORMAT_PNG;
			item->sample.status = SAMPLE_READ;
			if (!input_open(&item->input, AT_FDCWD, paths[i], &item->sample.fault))
				give_up(item->sample.fault.text);
		}
		offload_measure(&all.offload, &all.batch);
		GROW(all.expected, all.expected_cap, all.count);
		for (; all.batch_first < all.count; all.batch_first++) {
			struct label_stats *stats = &all.expected[all.batch_first];

			*stats = all.batch.items[all.items[all.batch_first]].stats;
			const struct id_stats *rows = all.batch.ids + stats->ids_at;

			stats->ids_at = all.ids.ids_count;
			if (stats->ids_count)
				memcpy(batch_add_ids(&all.ids, stats->ids_count), rows,
				       stats->ids_count * sizeof(*rows));
		}
	}
	if (!all.count)
		give_up("none of the files is for the device");
}

static void *host_memory(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		give_up("no memory");
	check(cu->pin(p, n, 0), "cannot pin memory");
	return p;
}

static size_t round_up(size_t n)
{
	return (n + 4095) / 4096 * 4096;
}

static int compare_seconds(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *seconds, unsigned n)
{
	qsort(seconds, n, sizeof(*seconds), compare_seconds);
	return seconds[n / 2];
}

/* Both directions, of pinned memory: what no upload of masks can be faster than. */
static void time_copies(void *stream, unsigned rounds)
{
	size_t available = 0, total = 0;
	double up[ROUNDS_MAX], down[ROUNDS_MAX];
	uint64_t address = 0;

	check(cu->memory(&available, &total), "cannot query the memory");
	size_t n = MIN((size_t)COPY_BYTES, round_up(available / 8));
	void *host = host_memory(n);

	check(cu->alloc(&address, n), "cannot allocate");
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t start = clock_ns();

		check(cu->upload(address, host, n, stream), "cannot upload");
		check(cu->stream_wait(stream), "cannot upload");
		uint64_t middle = clock_ns();

		check(cu->download(host, address, n, stream), "cannot download");
		check(cu->stream_wait(stream), "cannot download");
		up[i] = 1e-9 * (double)(middle - start);
		down[i] = 1e-9 * (double)(clock_ns() - middle);
	}
	printf("copies of %zu MiB, pinned: %.2f GB/s to the device, %.2f GB/s back\n", n >> 20,
	       1e-9 * (double)n / median(up, rounds), 1e-9 * (double)n / median(down, rounds));
	check(cu->free(address), "cannot free");
	check(cu->unpin(host), "cannot unpin");
	munmap(host, n);
}

/* Returns the number of answers that are wrong. */
static size_t compare(const struct kernel_slot *slots, const struct kernel_job *jobs, size_t count,
		      const struct settings *settings)
{
	size_t same = 0, refused = 0, stricter = 0, wrong = 0;
	struct batch got;

	batch_init(&got);
	for (size_t i = 0; i < count; i++) {
		const struct label_stats *expected = &all.expected[i % all.count];
		enum kernel_answer answer = kernel_slot_answer(&slots[i], &jobs[i]);
		struct label_stats stats = { 0 };

		if (answer == ANSWER_REFUSED) {
			refused++;
			stricter += expected->labels > 0;
			continue;
		}
		got.ids_count = 0;
		if (answer == ANSWER_MEASURED)
			kernel_slot_collect(&slots[i], &jobs[i], &settings->classes, &stats, &got);
		stats.ids_at = expected->ids_at;
		if (answer == ANSWER_MEASURED && !memcmp(&stats, expected, sizeof(stats)) &&
		    !memcmp(got.ids, all.ids.ids + expected->ids_at, stats.ids_count * sizeof(*got.ids)))
			same++;
		else
			wrong++;
	}
	batch_release(&got);
	printf("answers: %zu equal to the CPU's, %zu refused (%zu of them fine for the CPU), %zu WRONG\n", same,
	       refused, stricter, wrong);
	return wrong;
}

/* Prints by phase what a build with WARP_CLOCKS added up. */
static void print_phases(void *module, void *stream)
{
	static const char *const names[WARP_PHASES] = {
		"draw and clear", "Huffman tables", "symbols",      "matches",
		"checksum",       "filters",        "compare rows", "count",
	};
	void *library = dlopen("libcuda.so.1", RTLD_NOW),
	     *symbol = library ? dlsym(library, "cuModuleGetGlobal_v2") : NULL;
	int (*get_global)(uint64_t *, size_t *, void *, const char *) = NULL;
	unsigned long long clocks[WARP_PHASES], sum = 0;
	uint64_t address = 0;
	size_t n = 0;

	if (symbol)
		memcpy(&get_global, &symbol, sizeof(symbol));
	if (!get_global || get_global(&address, &n, module, "warp_clocks") != CUDA_OK || n != sizeof(clocks))
		return;
	check(cu->download(clocks, address, n, stream), "cannot download");
	check(cu->stream_wait(stream), "cannot download");
	for (int i = 0; i < WARP_PHASES; i++)
		sum += clocks[i];
	printf("the warps' time, in %%:");
	for (int i = 0; i < WARP_PHASES; i++)
		printf("%s %s %.1f", i ? "," : "", names[i], 100 * (double)clocks[i] / (double)MAX(sum, 1ULL));
	printf("\n");
}

struct device_side {
	void *function, *stream;
	unsigned multiprocessors, block_warps;
	uint64_t streams, jobs, slots, next, scratch;
	size_t scratch_warps; /* it has room for */
};

static double time_launches(const struct device_side *d, struct kernel_batch *batch, unsigned blocks, unsigned rounds)
{
	static uint32_t zero;
	void *arguments[] = { batch };
	double seconds[ROUNDS_MAX];

	/* once for nothing: code and caches */
	for (unsigned i = 0; i <= rounds; i++) {
		check(cu->upload(d->next, &zero, sizeof(zero), d->stream), "cannot upload");
		check(cu->stream_wait(d->stream), "cannot upload");
		uint64_t start = clock_ns();

		check(cu->launch(d->function, blocks, 1, 1, d->block_warps * LANES, 1, 1, 0, d->stream, arguments,
				 NULL),
		      "cannot launch");
		check(cu->stream_wait(d->stream), "the kernel failed");
		seconds[i ? i - 1 : 0] = 1e-9 * (double)(clock_ns() - start);
	}
	return median(seconds, rounds);
}

static size_t run(struct device_side *d, const struct settings *settings, size_t count, unsigned rounds)
{
	struct kernel_job *jobs = xmalloc(count * sizeof(*jobs));
	struct kernel_slot *slots = xcalloc(count, sizeof(*slots));
	struct kernel_batch batch = { .count = (uint32_t)count, .scratch_bytes = all.scratch_bytes };
	double compressed = 0, decoded = 0;
	size_t available = 0, total = 0;

	for (size_t i = 0; i < count; i++) {
		jobs[i] = all.jobs[i % all.count];
		compressed += jobs[i].stream_bytes;
		decoded += (double)jobs[i].width * jobs[i].height * jobs[i].depth / 8;
	}
	check(cu->alloc(&d->streams, all.streams_used), "cannot allocate");
	check(cu->alloc(&d->jobs, count * sizeof(*jobs)), "cannot allocate");
	check(cu->alloc(&d->slots, count * sizeof(*slots)), "cannot allocate");
	check(cu->alloc(&d->next, 16), "cannot allocate");
	check(cu->memory(&available, &total), "cannot query the memory");
	size_t most = (size_t)d->multiprocessors * BLOCKS_MAX * d->block_warps;

	d->scratch_warps = MIN(most, available / 2 / all.scratch_bytes);
	if (d->scratch_warps < d->block_warps)
		give_up("not enough memory for rasters");
	check(cu->alloc(&d->scratch, d->scratch_warps * all.scratch_bytes), "cannot allocate");
	check(cu->upload(d->streams, all.streams, all.streams_used, d->stream), "cannot upload");
	check(cu->upload(d->jobs, jobs, count * sizeof(*jobs), d->stream), "cannot upload");
	check(cu->stream_wait(d->stream), "cannot upload");
	batch.streams = (const uint8_t *)(uintptr_t)d->streams;
	batch.jobs = (const struct kernel_job *)(uintptr_t)d->jobs;
	batch.slots = (struct kernel_slot *)(uintptr_t)d->slots;
	batch.next = (uint32_t *)(uintptr_t)d->next;
	batch.scratch = (uint8_t *)(uintptr_t)d->scratch;
	kernel_legal_ids(&settings->classes, batch.legal);

	printf("%zu masks a launch (%zu different), %.1f KB each, %.0f to 1\n", count, all.count,
	       compressed / 1e3 / (double)count, decoded / compressed);
	printf("%8s %8s %10s %12s %14s %14s\n", "warps/mp", "warps", "seconds", "files/s", "GB/s in", "GB/s decoded");
	/* from one warp for each scheduler to as many as fit */
	for (unsigned blocks_a_mp = 1; blocks_a_mp <= BLOCKS_MAX; blocks_a_mp++) {
		unsigned blocks = MIN(blocks_a_mp * d->multiprocessors, (unsigned)(d->scratch_warps / d->block_warps));
		double s = time_launches(d, &batch, blocks, rounds);

		printf("%8u %8u %10.4f %12.0f %14.3f %14.2f\n", blocks_a_mp * d->block_warps, blocks * d->block_warps,
		       s, (double)count / s, compressed / s / 1e9, decoded / s / 1e9);
	}
	check(cu->download(slots, d->slots, count * sizeof(*slots), d->stream), "cannot download");
	check(cu->stream_wait(d->stream), "cannot download");
	size_t wrong = compare(slots, jobs, count, settings);

	for (const uint64_t *p = &d->streams; p <= &d->scratch; p++)
		check(cu->free(*p), "cannot free");
	free(jobs);
	free(slots);
	return wrong;
}

static void *read_kernel(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *bytes = NULL;
	size_t n = 0, cap = 0, got;

	if (!f)
		give_up("cannot open the kernels");
	do {
		GROW(bytes, cap, n + 65536);
		got = fread(bytes + n, 1, 65536, f);
		n += got;
	} while (got);
	fclose(f);
	bytes[n] = '\0'; /* PTX ends with one */
	return bytes;
}

static unsigned long number(const char *text, unsigned long most)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	if (*end || v < 1 || v > most)
		give_up("a number is expected, or a smaller one");
	return v;
}

int main(int argc, char **argv)
{
	static struct settings settings;
	struct device_side d = { .block_warps = 4 };
	const char *kernel_file = NULL;
	unsigned long jobs = 16384, rounds = 5;
	struct error err = ERROR_INIT;
	void *context = NULL, *module = NULL;
	int option, device = 0, multiprocessors = 0;
	char name[96] = "";

	while ((option = getopt(argc, argv, "n:r:k:w:")) != -1) {
		if (option == 'n')
			jobs = number(optarg, 1 << 20);
		else if (option == 'r')
			rounds = number(optarg, ROUNDS_MAX);
		else if (option == 'k')
			kernel_file = optarg;
		else if (option == 'w')
			d.block_warps = (unsigned)number(optarg, 32);
		else
			return 2;
	}
	if (optind == argc)
		give_up("usage: gpu_kernel [-n JOBS] [-r ROUNDS] [-k FATBIN [-w WARPS]] FILE...");
	if (class_set_parse_classes(&settings.classes, "2", &err) != STATUS_OK ||
	    class_set_parse_ignore(&settings.classes, "255", &err) != STATUS_OK)
		give_up(err.text);
	class_set_finish(&settings.classes);
	settings.limits = (struct limits){ .max_pixels = UINT64_C(1) << 30, .max_inflated = UINT64_C(1) << 31 };
	cu = cuda_driver_get(&err);
	if (!cu)
		give_up(err.text);
	if (!kernel_file && !cuda_fatbin_size)
		give_up("built without CUDA kernels");
	keep_files(&settings, argv + optind, argc - optind);

	uint64_t start = clock_ns();

	check(cu->init(0), "cannot start the driver");
	check(cu->device_get(&device, 0), "no device");
	check(cu->device_name(name, sizeof(name) - 1, device), "no name");
	check(cu->device_attribute(&multiprocessors, CUDA_MULTIPROCESSORS, device), "cannot query the device");
	check(cu->context_retain(&context, device), "cannot create a context");
	check(cu->context_set(context), "cannot use the context");
	void *image = kernel_file ? read_kernel(kernel_file) : NULL;

	check(cu->module_load(&module, image ? image : cuda_fatbin), "cannot load the kernels");
	check(cu->module_function(&d.function, module, "labelaudit_measure"), "no kernel");
	check(cu->stream_create(&d.stream, 1), "cannot create a stream");
	d.multiprocessors = (unsigned)MAX(multiprocessors, 1);
	printf("%s, %d multiprocessors, %.3f s from nothing to loaded kernels\n", name, multiprocessors,
	       1e-9 * (double)(clock_ns() - start));
	time_copies(d.stream, (unsigned)rounds);
	size_t wrong = run(&d, &settings, jobs, (unsigned)rounds);

	print_phases(module, d.stream);
	check(cu->stream_destroy(d.stream), "cannot end the stream");
	check(cu->module_unload(module), "cannot unload");
	check(cu->context_release(device), "cannot release");
	free(image);
	return wrong ? 1 : 0;
}
