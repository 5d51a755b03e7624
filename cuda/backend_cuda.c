/*
 * The backend cuda: measures with the warp kernel on a GPU.
 *
 * probe and open fail if the program has no kernels, or there is no driver or no such device. Whatever fails later is a
 * failing device: offload.h then measures on the CPU, and note says so.
 *
 * A worker has one allocation on the device: a block for each stage, with the same layout as its block on the host, and
 * scratch memory for each. A stage has its own stream. Per stage, there are two uploads (streams; jobs and queue), one
 * launch and one download (slots). The host's blocks are pinned, but stay ours, so that nothing is lost with the
 * device. The warps of a stage share its scratch memory: the larger the rasters, the fewer the warps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "base/stop.h"
#include "driver.h"
#include "gpu_context.h"
#include "measure/backend.h"
#include "measure/kernel/offload.h"

#define GPU_TIMEOUT "LABELAUDIT_GPU_TIMEOUT"

enum {
	/* As in measure.cu. Warps do not work together, so small blocks spread best. */
	BLOCK_WARPS = 4,
	BLOCK_THREADS = BLOCK_WARPS * 32,
	/* As many as measure.cu's launch bounds let a multiprocessor hold. */
	BLOCKS_A_MULTIPROCESSOR = 24 / BLOCK_WARPS,
	/* Scratch of a stage: 128 rasters of 2 MiB. The stages of 64 workers may take all free memory. */
	SCRATCH_MAX = 256 << 20,
	SCRATCH_SHARE = 64 * OFFLOAD_STAGES,
	/* nvcc 13 builds for nothing older. */
	CAPABILITY_MIN = 75,
	/* A stage takes milliseconds, but other programs on the device may delay it by seconds. */
	TIMEOUT_S = 30,
	TIMEOUT_S_MAX = 86400,
	/* A tenth of the shortest stage; and while many workers wait, their queries must not keep the driver busy. */
	WAIT_NS = 20000,
	WAIT_SHARE = 8, /* of the time waited so far */
	WAIT_NS_MAX = 1000000,
	STREAM_NON_BLOCKING = 1, /* CU_STREAM_NON_BLOCKING: workers do not wait for each other */
};

struct gpu {
	const struct cuda_driver *cu;
	struct gpu_context *context; /* NULL: it failed */
	int ordinal;
	bool stuck;          /* it did not answer: never wait for it again, and release nothing */
	bool pinned;         /* the host's blocks */
	uint64_t timeout_ns; /* of one wait */
	unsigned multiprocessors;
	size_t scratch_bytes; /* of each stage */
	uint64_t memory;      /* on the device: the blocks of all stages, then their scratch; 0: none */
	void *streams[OFFLOAD_STAGES];
	struct offload offload;
};

struct device_facts {
	int ordinal, device, version, major, minor, multiprocessors;
	char name[96];
};

/* Fills all facts but the ordinal. Returns the driver's code. */
static int query_device(const struct cuda_driver *cu, int ordinal, struct device_facts *facts)
{
	int code = cu->version(&facts->version);

	if (code == CUDA_OK)
		code = cu->device_get(&facts->device, ordinal);
	if (code == CUDA_OK)
		code = cu->device_name(facts->name, sizeof(facts->name) - 1, facts->device);
	if (code == CUDA_OK)
		code = cu->device_attribute(&facts->major, CUDA_CAPABILITY_MAJOR, facts->device);
	if (code == CUDA_OK)
		code = cu->device_attribute(&facts->minor, CUDA_CAPABILITY_MINOR, facts->device);
	if (code == CUDA_OK)
		code = cu->device_attribute(&facts->multiprocessors, CUDA_MULTIPROCESSORS, facts->device);
	return code;
}

/* Finds the driver and the device, and checks that the kernels run on it. */
static enum status find_device(const struct cuda_driver **out, int ordinal, struct device_facts *facts,
			       struct error *err)
{
	const struct cuda_driver *cu;
	int code, count = 0;

	if (cuda_fatbin_size == 0)
		return error_set(err, "built without CUDA kernels");
	cu = cuda_driver_get(err);
	if (!cu)
		return STATUS_FAILED;
	code = cu->init(0);
	if (code == CUDA_NO_DEVICE)
		return error_set(err, "the NVIDIA driver finds no GPU");
	if (code != CUDA_OK)
		return error_set(err, "cannot start the NVIDIA driver: %s (%d)", gpu_error_text(cu, code), code);
	code = cu->device_count(&count);
	if (code == CUDA_OK && count == 0)
		return error_set(err, "the NVIDIA driver finds no GPU");
	if (code == CUDA_OK && ordinal < 0)
		ordinal = (-1 - ordinal) % count;
	if (code == CUDA_OK && ordinal >= count)
		return error_set(err, "there is no cuda:%d; the NVIDIA driver finds %d GPU%s", ordinal, count,
				 count == 1 ? "" : "s");
	memset(facts, 0, sizeof(*facts));
	facts->ordinal = ordinal;
	if (code == CUDA_OK)
		code = query_device(cu, ordinal, facts);
	if (code != CUDA_OK)
		return error_set(err, "cannot query cuda:%d: %s (%d)", ordinal, gpu_error_text(cu, code), code);
	if (facts->major * 10 + facts->minor < CAPABILITY_MIN)
		return error_set(err, "cuda:%d %s has compute capability %d.%d; at least 7.5 is required", ordinal,
				 facts->name, facts->major, facts->minor);
	*out = cu;
	return STATUS_OK;
}

static bool cuda_is_there(void)
{
	struct error ignored = ERROR_INIT;

	return cuda_fatbin_size > 0 && cuda_driver_get(&ignored);
}

static const char *cuda_built_for(void)
{
	return cuda_fatbin_size > 0 ? cuda_fatbin_targets : "";
}

/* Reads LABELAUDIT_GPU_TIMEOUT, whole seconds. */
static enum status parse_timeout(uint64_t *ns, struct error *err)
{
	const char *text = getenv(GPU_TIMEOUT);
	uint64_t seconds = TIMEOUT_S;

	if (text && (!scan_whole_uint64(text, strlen(text), &seconds) || !seconds || seconds > TIMEOUT_S_MAX))
		return error_set(err, GPU_TIMEOUT "=%s: expected seconds from 1 to %d", text, TIMEOUT_S_MAX);
	*ns = seconds * UINT64_C(1000000000);
	return STATUS_OK;
}

static enum status cuda_probe(int device, char *text, size_t n, struct error *err)
{
	const struct cuda_driver *cu;
	struct device_facts facts;
	uint64_t timeout_ns;

	if (parse_timeout(&timeout_ns, err) != STATUS_OK || find_device(&cu, device, &facts, err) != STATUS_OK)
		return STATUS_FAILED;
	snprintf(text, n, "cuda:%d %s (sm_%d%d, driver for CUDA %d.%d)", facts.ordinal, facts.name, facts.major,
		 facts.minor, facts.version / 1000, facts.version % 1000 / 10);
	return STATUS_OK;
}

static bool fails(const struct gpu *gpu, int code, const char *what, char *why)
{
	return gpu_fails(gpu->cu, gpu->ordinal, code, what, why, OFFLOAD_NOTE);
}

/* Takes what the stages need on the device. */
static bool set_up(struct gpu *gpu, int device, char *why)
{
	const struct cuda_driver *cu = gpu->cu;
	struct offload *o = &gpu->offload;
	size_t available = 0, total = 0;

	gpu->context = gpu_context_get(cu, gpu->ordinal, device, why, OFFLOAD_NOTE);
	if (!gpu->context || fails(gpu, cu->memory(&available, &total), "cannot query the memory", why))
		return false;
	gpu->scratch_bytes = MIN(available / SCRATCH_SHARE, (size_t)SCRATCH_MAX) / 4096 * 4096;
	/* each warp of a block needs scratch */
	o->scratch_max = (uint32_t)MIN(gpu->scratch_bytes / BLOCK_WARPS, (size_t)KERNEL_SCRATCH_MAX);
	if (fails(gpu, cu->alloc(&gpu->memory, OFFLOAD_STAGES * (o->block_bytes + gpu->scratch_bytes)),
		  "cannot allocate device memory", why) ||
	    fails(gpu, cu->pin(o->blocks, OFFLOAD_STAGES * o->block_bytes, 0), "cannot pin host memory", why))
		return false;
	gpu->pinned = true;
	for (unsigned i = 0; i < OFFLOAD_STAGES; i++)
		if (fails(gpu, cu->stream_create(&gpu->streams[i], STREAM_NON_BLOCKING), "cannot create a stream", why))
			return false;
	return true;
}

/*
 * Releases everything, unless the device of this or another worker is stuck: then freeing would never end. Errors are
 * ignored: those of a lost device say nothing new.
 */
static void tear_down(struct gpu *gpu)
{
	const struct cuda_driver *cu = gpu->cu;

	if (!gpu->context || gpu->stuck || exit_now())
		return;
	cu->context_set(gpu->context->context);
	for (unsigned i = 0; i < OFFLOAD_STAGES; i++) {
		if (gpu->streams[i]) {
			cu->stream_wait(gpu->streams[i]); /* no copy may still write to memory that is released */
			cu->stream_destroy(gpu->streams[i]);
		}
	}
	if (gpu->pinned)
		cu->unpin(gpu->offload.blocks);
	if (gpu->memory)
		cu->free(gpu->memory);
	gpu_context_release(gpu->context);
	gpu->context = NULL;
}

static void *pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static bool cuda_submit(void *device, unsigned at, struct offload_stage *host, char *why)
{
	struct gpu *gpu = device;
	const struct cuda_driver *cu = gpu->cu;
	void *stream = gpu->streams[at];
	struct kernel_batch batch = offload_kernel_batch(&gpu->offload, host);
	size_t head_bytes = (size_t)((const uint8_t *)(host->next + 1) - (const uint8_t *)host->jobs);
	size_t slots_bytes = host->count * sizeof(*host->slots);
	unsigned room = (unsigned)(gpu->scratch_bytes / BLOCK_WARPS / batch.scratch_bytes); /* > 0: scratch_max */
	unsigned wanted = (host->count + BLOCK_WARPS - 1) / BLOCK_WARPS;
	unsigned blocks = MIN(MIN(wanted, room), gpu->multiprocessors * BLOCKS_A_MULTIPROCESSOR);
	void *arguments[] = { &batch };

	/* the addresses of the fields of the host's block */
	uint64_t streams = gpu->memory + at * gpu->offload.block_bytes;
	uint64_t jobs = streams + (uint64_t)((const uint8_t *)host->jobs - host->streams);
	uint64_t next = streams + (uint64_t)((const uint8_t *)host->next - host->streams);
	uint64_t slots = streams + (uint64_t)((const uint8_t *)host->slots - host->streams);

	batch.streams = pointer(streams);
	batch.scratch = pointer(gpu->memory + OFFLOAD_STAGES * gpu->offload.block_bytes + at * gpu->scratch_bytes);
	batch.jobs = pointer(jobs);
	batch.next = pointer(next);
	batch.slots = pointer(slots);
	return !fails(gpu, cu->upload(streams, host->streams, host->streams_used, stream), "cannot upload masks",
		      why) &&
	       !fails(gpu, cu->upload(jobs, host->jobs, head_bytes, stream), "cannot upload jobs", why) &&
	       !fails(gpu,
		      cu->launch(gpu->context->function, blocks, 1, 1, BLOCK_THREADS, 1, 1, 0, stream, arguments, NULL),
		      "cannot launch the kernel", why) &&
	       !fails(gpu, cu->download(host->slots, slots, slots_bytes, stream), "cannot download the counts", why);
}

/*
 * Polls the stream until it is done or the timeout passes. The driver's own wait never ends if the device hangs, while
 * the CPU can still measure the files of the stage.
 */
static bool cuda_wait(void *device, unsigned at, struct offload_stage *host, char *why)
{
	struct gpu *gpu = device;
	uint64_t start = clock_ns(), waited = 0;

	(void)host;
	while (!gpu->stuck) {
		int code = gpu->cu->stream_query(gpu->streams[at]);
		struct timespec pause = { 0 };

		if (code != CUDA_NOT_READY)
			return !fails(gpu, code, "the device failed", why);
		waited = clock_ns() - start;
		if (waited > gpu->timeout_ns)
			gpu->stuck = true;
		pause.tv_nsec = (long)MIN(MAX(waited / WAIT_SHARE, (uint64_t)WAIT_NS), (uint64_t)WAIT_NS_MAX);
		nanosleep(&pause, NULL);
	}
	exit_now_set();
	snprintf(why, OFFLOAD_NOTE, "cuda:%d: no response for %u s", gpu->ordinal,
		 (unsigned)(gpu->timeout_ns / 1000000000));
	return false;
}

static const struct offload_device cuda_device = { cuda_submit, cuda_wait };

static enum status cuda_open(void **self, const struct settings *settings, int device, struct error *err)
{
	struct gpu *gpu = xcalloc(1, sizeof(*gpu));
	struct device_facts facts;
	char why[OFFLOAD_NOTE] = "";

	if (parse_timeout(&gpu->timeout_ns, err) != STATUS_OK ||
	    find_device(&gpu->cu, device, &facts, err) != STATUS_OK ||
	    offload_init(&gpu->offload, settings, &cuda_device, gpu, err) != STATUS_OK) {
		free(gpu);
		return STATUS_FAILED;
	}
	gpu->ordinal = facts.ordinal;
	gpu->multiprocessors = (unsigned)MAX(facts.multiprocessors, 1);
	if (!set_up(gpu, facts.device, why))
		offload_device_fails(&gpu->offload, why);
	*self = gpu;
	return STATUS_OK;
}

static void cuda_measure(void *self, struct batch *batch)
{
	struct gpu *gpu = self;
	char why[OFFLOAD_NOTE] = "";

	/* another thread may have opened it, and each thread has a current context of its own */
	if (!gpu->offload.device_failed &&
	    fails(gpu, gpu->cu->context_set(gpu->context->context), "cannot use the context", why))
		offload_device_fails(&gpu->offload, why);
	offload_measure(&gpu->offload, batch);
}

static const char *cuda_loaded(const void *self)
{
	const struct gpu *gpu = self;

	if (!gpu->context)
		return "";
	return gpu->context->from_ptx ? "compiled by the driver, which is older than nvcc" : "loaded";
}

static const char *cuda_note(void *self)
{
	struct gpu *gpu = self;

	return gpu->offload.note;
}

static void cuda_close(void *self)
{
	struct gpu *gpu = self;

	tear_down(gpu);
	offload_release(&gpu->offload);
	free(gpu);
}

const struct backend backend_cuda = {
	.name = "cuda",
	.is_there = cuda_is_there,
	.built_for = cuda_built_for,
	.loaded = cuda_loaded,
	.probe = cuda_probe,
	.open = cuda_open,
	.measure = cuda_measure,
	.note = cuda_note,
	.close = cuda_close,
	/* several stages of ordinary masks: one is measured while the next is packed */
	.batch_files = 512,
	.batch_bytes = 8 << 20,
};
