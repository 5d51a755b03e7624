/*
 * The backend cuda: measures with the warp kernel on a GPU.
 *
 * probe and open fail if the program has no kernels, or there is no driver or no such device. Whatever fails later is a
 * failing device: offload.h then measures on the CPU, and note says so.
 *
 * A stage has its own stream, and a block of device memory with the same layout as its block on the host. Per stage,
 * there are two uploads (streams; jobs and queue), one launch and one download (slots). The host's block is pinned, but
 * stays ours, so that nothing is lost with the device. The warps of a stage share its scratch memory: the larger the
 * rasters, the fewer the warps.
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
#include "measure/backend.h"
#include "measure/kernel/offload.h"

#define GPU_TIMEOUT "LABELAUDIT_GPU_TIMEOUT"

enum {
	/* As in measure.cu. Warps do not work together, so small blocks spread best. */
	BLOCK_WARPS = 4,
	BLOCK_THREADS = BLOCK_WARPS * 32,
	/* The kernel needs 64 registers, so that no multiprocessor so far holds more. */
	BLOCKS_A_MULTIPROCESSOR = 8,
	/* Scratch of a stage: 128 rasters of 1 MiB. The 64 stages of 32 workers may take all free memory. */
	SCRATCH_MAX = 128 << 20,
	SCRATCH_SHARE = 64,
	/* nvcc 13 builds for nothing older. */
	CAPABILITY_MIN = 75,
	/* A stage takes milliseconds, but other programs on the device may delay it by seconds. */
	TIMEOUT_S = 30,
	TIMEOUT_S_MAX = 86400,
	/* a tenth of the shortest stage */
	WAIT_NS = 20000,
	STREAM_NON_BLOCKING = 1, /* CU_STREAM_NON_BLOCKING: workers do not wait for each other */
};

static const char kernel_name[] = "labelaudit_measure";

struct gpu_stage {
	uint64_t address; /* 0: none */
	uint64_t scratch; /* likewise */
	void *stream;
	bool pinned;
};

struct gpu {
	const struct cuda_driver *cu;
	int device, ordinal;
	bool stuck;          /* it did not answer: never wait for it again, and release nothing */
	uint64_t timeout_ns; /* of one wait */
	unsigned multiprocessors;
	size_t scratch_bytes; /* of each stage */
	void *context, *module, *function;
	struct gpu_stage stages[OFFLOAD_STAGES];
	struct offload offload;
};

static const char *error_text(const struct cuda_driver *cu, int code)
{
	const char *text = NULL;

	return cu->error_string(code, &text) == CUDA_OK && text ? text : "unknown error";
}

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
		return error_set(err, "cannot start the NVIDIA driver: %s (%d)", error_text(cu, code), code);
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
		return error_set(err, "cannot query cuda:%d: %s (%d)", ordinal, error_text(cu, code), code);
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
	if (code == CUDA_OK)
		return false;
	snprintf(why, OFFLOAD_NOTE, "cuda:%d: %s: %s (%d)", gpu->ordinal, what, error_text(gpu->cu, code), code);
	return true;
}

/* Takes what the stages need on the device. */
static bool set_up(struct gpu *gpu, char *why)
{
	const struct cuda_driver *cu = gpu->cu;
	size_t available = 0, total = 0;
	void *context = NULL;

	if (fails(gpu, cu->context_retain(&context, gpu->device), "cannot create a context", why))
		return false;
	gpu->context = context;
	if (fails(gpu, cu->context_set(context), "cannot use the context", why) ||
	    fails(gpu, cu->module_load(&gpu->module, cuda_fatbin), "cannot load the kernels", why) ||
	    fails(gpu, cu->module_function(&gpu->function, gpu->module, kernel_name), "cannot find the kernel", why) ||
	    fails(gpu, cu->memory(&available, &total), "cannot query the memory", why))
		return false;
	gpu->scratch_bytes = MIN(available / SCRATCH_SHARE, (size_t)SCRATCH_MAX) / 4096 * 4096;
	/* each warp of a block needs scratch */
	gpu->offload.scratch_max = (uint32_t)MIN(gpu->scratch_bytes / BLOCK_WARPS, (size_t)KERNEL_SCRATCH_MAX);
	for (unsigned i = 0; i < OFFLOAD_STAGES; i++) {
		struct gpu_stage *s = &gpu->stages[i];
		struct offload_stage *host = &gpu->offload.stages[i];

		if (fails(gpu, cu->alloc(&s->address, host->block_bytes), "cannot allocate device memory", why) ||
		    fails(gpu, cu->alloc(&s->scratch, MAX(gpu->scratch_bytes, (size_t)4096)),
			  "cannot allocate device memory", why) ||
		    fails(gpu, cu->pin(host->streams, host->block_bytes, 0), "cannot pin host memory", why))
			return false;
		s->pinned = true;
		if (fails(gpu, cu->stream_create(&s->stream, STREAM_NON_BLOCKING), "cannot create a stream", why))
			return false;
	}
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
	cu->context_set(gpu->context);
	for (unsigned i = 0; i < OFFLOAD_STAGES; i++) {
		struct gpu_stage *s = &gpu->stages[i];

		if (s->stream) {
			cu->stream_wait(s->stream); /* no copy may still write to memory that is released */
			cu->stream_destroy(s->stream);
		}
		if (s->pinned)
			cu->unpin(gpu->offload.stages[i].streams);
		if (s->scratch)
			cu->free(s->scratch);
		if (s->address)
			cu->free(s->address);
	}
	if (gpu->module)
		cu->module_unload(gpu->module);
	cu->context_set(NULL);
	cu->context_release(gpu->device);
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
	void *stream = gpu->stages[at].stream;
	struct kernel_batch batch = offload_kernel_batch(&gpu->offload, host);
	size_t head_bytes = (size_t)((const uint8_t *)(host->next + 1) - (const uint8_t *)host->jobs);
	size_t slots_bytes = host->count * sizeof(*host->slots);
	unsigned room = (unsigned)(gpu->scratch_bytes / BLOCK_WARPS / batch.scratch_bytes); /* > 0: scratch_max */
	unsigned wanted = (host->count + BLOCK_WARPS - 1) / BLOCK_WARPS;
	unsigned blocks = MIN(MIN(wanted, room), gpu->multiprocessors * BLOCKS_A_MULTIPROCESSOR);
	void *arguments[] = { &batch };

	/* the addresses of the fields of the host's block */
	uint64_t streams = gpu->stages[at].address;
	uint64_t jobs = streams + (uint64_t)((const uint8_t *)host->jobs - host->streams);
	uint64_t next = streams + (uint64_t)((const uint8_t *)host->next - host->streams);
	uint64_t slots = streams + (uint64_t)((const uint8_t *)host->slots - host->streams);

	batch.streams = pointer(streams);
	batch.scratch = pointer(gpu->stages[at].scratch);
	batch.jobs = pointer(jobs);
	batch.next = pointer(next);
	batch.slots = pointer(slots);
	return !fails(gpu, cu->upload(streams, host->streams, host->streams_used, stream), "cannot upload masks",
		      why) &&
	       !fails(gpu, cu->upload(jobs, host->jobs, head_bytes, stream), "cannot upload jobs", why) &&
	       !fails(gpu, cu->launch(gpu->function, blocks, 1, 1, BLOCK_THREADS, 1, 1, 0, stream, arguments, NULL),
		      "cannot launch the kernel", why) &&
	       !fails(gpu, cu->download(host->slots, slots, slots_bytes, stream), "cannot download the counts", why);
}

/*
 * Polls the stream every WAIT_NS until it is done or the timeout passes. The driver's own wait never ends if the device
 * hangs, while the CPU can still measure the files of the stage.
 */
static bool cuda_wait(void *device, unsigned at, struct offload_stage *host, char *why)
{
	const struct timespec pause = { .tv_nsec = WAIT_NS };
	struct gpu *gpu = device;
	uint64_t start = clock_ns();

	(void)host;
	for (;;) {
		int code = gpu->cu->stream_query(gpu->stages[at].stream);

		if (code != CUDA_NOT_READY)
			return !fails(gpu, code, "the device failed", why);
		if (clock_ns() - start > gpu->timeout_ns)
			break;
		nanosleep(&pause, NULL);
	}
	gpu->stuck = true;
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
	gpu->device = facts.device;
	gpu->multiprocessors = (unsigned)MAX(facts.multiprocessors, 1);
	if (!set_up(gpu, why))
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
	    fails(gpu, gpu->cu->context_set(gpu->context), "cannot use the context", why))
		offload_device_fails(&gpu->offload, why);
	offload_measure(&gpu->offload, batch);
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
	.probe = cuda_probe,
	.open = cuda_open,
	.measure = cuda_measure,
	.note = cuda_note,
	.close = cuda_close,
	/* several stages of ordinary masks: one is measured while the next is packed */
	.batch_files = 512,
	.batch_bytes = 8 << 20,
};
