#include "cuda_mock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/kernel/backend_sim.h"
#include "measure/kernel/kernel_host.h"

struct cuda_mock cuda_mock;

static _Thread_local bool current; /* the context is */

/* Not Check's: the library has no tests around it. */
static void expect_at(bool holds, const char *what, int line)
{
	if (holds)
		return;
	fprintf(stderr, "cuda_mock.c:%d: not %s\n", line, what);
	abort();
}
#define expect(what) expect_at(what, #what, __LINE__)

static bool is_stuck(void)
{
	return cuda_mock.stuck || (cuda_mock.stuck_at && cuda_mock.started >= cuda_mock.stuck_at);
}

/* what: words of the note that is expected if this is the first call to fail. */
static int called(const char *what)
{
	cuda_mock.calls++;
	if (!cuda_mock.fail_at || cuda_mock.calls < cuda_mock.fail_at ||
	    (cuda_mock.calls > cuda_mock.fail_at && !cuda_mock.fail_ever_after))
		return CUDA_OK;
	if (!cuda_mock.failed_first)
		cuda_mock.failed_first = what;
	return cuda_mock.fail_code;
}

/* The n bytes at `address` lie in a block that is allocated. */
static bool is_device_memory(uint64_t address, size_t n)
{
	for (int i = 0; i < MOCK_BLOCKS; i++) {
		uint64_t start = (uint64_t)(uintptr_t)cuda_mock.blocks[i];

		if (start && address >= start && address + n <= start + cuda_mock.sizes[i])
			return true;
	}
	return false;
}

static int mock_init(unsigned flags)
{
	expect(flags == 0);
	return called("");
}

static int mock_version(int *version)
{
	*version = 13000;
	return called("");
}

static int mock_error_string(int code, const char **text)
{
	/* No call() here: it is asked only after a failure, and must not shift the numbers. */
	*text = code == MOCK_OUT_OF_MEMORY ? "out of memory" : "an error of the mock";
	return CUDA_OK;
}

static int mock_device_count(int *count)
{
	*count = cuda_mock.devices;
	return called("");
}

static int mock_device_get(int *device, int ordinal)
{
	*device = ordinal + 40;
	return called("");
}

static int mock_device_name(char *name, int n, int device)
{
	expect(device >= 40 && device < 40 + cuda_mock.devices);
	snprintf(name, (size_t)n, "Mock 9000");
	return called("");
}

static int mock_device_attribute(int *value, int attribute, int device)
{
	expect(device >= 40 && device < 40 + cuda_mock.devices);
	*value = attribute == CUDA_MULTIPROCESSORS    ? 3
		 : attribute == CUDA_CAPABILITY_MAJOR ? cuda_mock.capability / 10
						      : cuda_mock.capability % 10;
	return called("");
}

static int mock_context_retain(void **context, int device)
{
	int code = called("create a context");

	expect(device >= 40 && device < 40 + cuda_mock.devices);
	if (code == CUDA_OK) {
		*context = &cuda_mock;
		cuda_mock.contexts++;
	}
	return code;
}

static int mock_context_release(int device)
{
	expect(device >= 40 && device < 40 + cuda_mock.devices);
	expect(cuda_mock.contexts > 0);
	cuda_mock.contexts--; /* also if it reports an error, of something earlier */
	return called("");
}

static int mock_context_set(void *context)
{
	int code = called("use the context");

	if (code == CUDA_OK)
		current = context != NULL;
	return code;
}

static int mock_module_load(void **module, const void *image)
{
	int code = called("load the kernels");

	expect(current);
	expect(image && (!cuda_mock.image || image == cuda_mock.image || image == cuda_mock.ptx));
	if (image == cuda_mock.image && image) {
		if (cuda_mock.old_driver)
			return MOCK_INVALID_IMAGE;
		/* the program has another image to try */
		if (code != CUDA_OK && cuda_mock.calls == cuda_mock.fail_at && !cuda_mock.fail_ever_after)
			cuda_mock.failed_first = NULL;
	}
	if (code == CUDA_OK) {
		*module = &cuda_mock.modules;
		cuda_mock.modules++;
	}
	return code;
}

static int mock_module_unload(void *module)
{
	expect(module == &cuda_mock.modules);
	cuda_mock.modules--;
	return called("");
}

static int mock_module_function(void **function, void *module, const char *name)
{
	expect(module == &cuda_mock.modules);
	expect(!strcmp(name, "labelaudit_measure"));
	*function = &cuda_mock.launches;
	return called("find the kernel");
}

static struct cuda_mock_stream *the_stream(void *stream)
{
	struct cuda_mock_stream *s = stream;

	expect(s >= cuda_mock.streams && s < cuda_mock.streams + MOCK_STREAMS);
	expect(s->exists);
	return s;
}

static struct cuda_mock_work *add_work(void *stream)
{
	struct cuda_mock_stream *s = the_stream(stream);

	expect(s->count < ARRAY_SIZE(s->work));
	memset(&s->work[s->count], 0, sizeof(s->work[0]));
	return &s->work[s->count++];
}

static void do_launch(const struct kernel_batch *b, unsigned warps)
{
	struct kernel_slot *measured = NULL;

	for (uint32_t i = 0; i < b->count; i++) {
		const struct kernel_job *job = &b->jobs[i];

		expect(is_device_memory((uintptr_t)b->streams + job->stream_at,
					job->stream_bytes + KERNEL_STREAM_PADDING));
		expect(job->lut_at == KERNEL_NO_LUT ||
		       is_device_memory((uintptr_t)b->streams + job->lut_at, KERNEL_IDS));
		expect(kernel_scratch_bytes(job) <= b->scratch_bytes);
	}
	expect(is_device_memory((uintptr_t)b->scratch, (size_t)warps * b->scratch_bytes));
	sim_kernel(b, LANES_RANDOM);
	for (uint32_t i = 0; i < b->count; i++)
		if (b->slots[i].status == KERNEL_MEASURED)
			measured = &b->slots[i];
	if (cuda_mock.corrupt && measured)
		measured->labels[1]++;
	cuda_mock.launches++;
	cuda_mock.measured += measured != NULL;
}

static int mock_stream_create(void **stream, unsigned flags)
{
	int code = called("create a stream");

	(void)flags;
	if (code == CUDA_OK) {
		struct cuda_mock_stream *s = cuda_mock.streams;

		while (s->exists)
			expect(++s < cuda_mock.streams + MOCK_STREAMS);
		s->exists = true;
		*stream = s;
	}
	return code;
}

static void do_work(struct cuda_mock_stream *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		struct cuda_mock_work *work = &s->work[i];

		if (work->is_launch)
			do_launch(&work->batch, work->warps);
		else
			memcpy(work->to, work->from, work->n);
	}
	s->count = 0;
	s->asked = false;
}

/* Returns whether a call that waits for all work would never return. */
static bool never_ends(void)
{
	for (int i = 0; is_stuck() && i < MOCK_STREAMS; i++)
		if (cuda_mock.streams[i].exists && cuda_mock.streams[i].count)
			return true;
	return false;
}

static int mock_stream_wait(void *stream)
{
	struct cuda_mock_stream *s = the_stream(stream);

	expect(!is_stuck() || !s->count);
	do_work(s);
	return called("the device failed");
}

static int mock_stream_query(void *stream)
{
	struct cuda_mock_stream *s = the_stream(stream);

	if (is_stuck())
		return CUDA_NOT_READY;
	if (s->count && !s->asked) {
		s->asked = true;
		return CUDA_NOT_READY;
	}
	/* Done also if an error comes back: it may be of anything. */
	do_work(s);
	return called("the device failed");
}

static int mock_stream_destroy(void *stream)
{
	struct cuda_mock_stream *s = the_stream(stream);

	expect(s->count == 0);
	s->exists = false;
	return called("");
}

static int mock_memory(size_t *available, size_t *total)
{
	*available = *total = cuda_mock.memory;
	return called("query the memory");
}

static int mock_alloc(uint64_t *address, size_t n)
{
	int code = called("allocate device memory");

	if (code != CUDA_OK)
		return code;
	for (int i = 0; i < MOCK_BLOCKS; i++) {
		if (!cuda_mock.blocks[i]) {
			cuda_mock.blocks[i] = xmalloc(n);
			cuda_mock.sizes[i] = n;
			memset(cuda_mock.blocks[i], 0x5a, n);
			*address = (uint64_t)(uintptr_t)cuda_mock.blocks[i];
			return CUDA_OK;
		}
	}
	return MOCK_OUT_OF_MEMORY;
}

static int mock_free(uint64_t address)
{
	expect(!never_ends());
	for (int i = 0; i < MOCK_BLOCKS; i++) {
		if (address && (uint64_t)(uintptr_t)cuda_mock.blocks[i] == address) {
			free(cuda_mock.blocks[i]);
			cuda_mock.blocks[i] = NULL;
			return called("");
		}
	}
	expect(!"allocated");
	return 1;
}

static int mock_pin(void *host, size_t n, unsigned flags)
{
	int code = called("pin host memory");

	expect((uintptr_t)host % 4096 + n % 4096 + flags == 0);
	cuda_mock.pins += code == CUDA_OK;
	return code;
}

static int mock_unpin(void *host)
{
	expect(host && !never_ends());
	cuda_mock.pins--;
	return called("");
}

static int mock_upload(uint64_t to, const void *from, size_t n, void *stream)
{
	expect(!cuda_mock.failed_first || cuda_mock.several); /* a device that failed is not used again */
	int code = called("upload");

	expect(current);
	expect(is_device_memory(to, n));
	if (code == CUDA_OK) {
		struct cuda_mock_work *work = add_work(stream);

		work->to = (void *)(uintptr_t)to;
		work->from = from;
		work->n = n;
	}
	return code;
}

static int mock_download(void *to, uint64_t from, size_t n, void *stream)
{
	int code = called("download the counts");

	expect(is_device_memory(from, n));
	if (code == CUDA_OK) {
		struct cuda_mock_work *work = add_work(stream);

		work->to = to;
		work->from = (const void *)(uintptr_t)from;
		work->n = n;
	}
	return code;
}

static int mock_launch(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
		       unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments,
		       void **extra)
{
	const struct kernel_batch *b = arguments[0];
	expect(!cuda_mock.failed_first || cuda_mock.several); /* a device that failed is not used again */
	int code = called("launch the kernel");

	expect(function == &cuda_mock.launches);
	expect(!extra);
	expect(grid_x >= 1 && grid_x <= 3 * 8 && grid_y == 1 && grid_z == 1);
	expect(block_x == 128 && block_y == 1 && block_z == 1 && shared_bytes == 0);
	expect(is_device_memory((uintptr_t)b->jobs, b->count * sizeof(*b->jobs)));
	expect(is_device_memory((uintptr_t)b->slots, b->count * sizeof(*b->slots)));
	expect(is_device_memory((uintptr_t)b->next, sizeof(*b->next)));
	if (code == CUDA_OK) {
		struct cuda_mock_work *work = add_work(stream);

		cuda_mock.started++;
		work->is_launch = true;
		work->batch = *b;
		work->warps = grid_x * block_x / 32;
	}
	return code;
}

const struct cuda_driver cuda_mock_driver = {
	mock_init,
	mock_version,
	mock_error_string,
	mock_device_count,
	mock_device_get,
	mock_device_name,
	mock_device_attribute,
	mock_context_retain,
	mock_context_release,
	mock_context_set,
	mock_module_load,
	mock_module_unload,
	mock_module_function,
	mock_stream_create,
	mock_stream_wait,
	mock_stream_query,
	mock_stream_destroy,
	mock_memory,
	mock_alloc,
	mock_free,
	mock_pin,
	mock_unpin,
	mock_upload,
	mock_download,
	mock_launch,
};

void cuda_mock_reset(unsigned fail_at, int code, bool ever_after)
{
	memset(&cuda_mock, 0, sizeof(cuda_mock));
	current = false;
	cuda_mock.devices = 1;
	cuda_mock.capability = 90;
	/* A 256th of it is the scratch memory of a stage: too little for the larger masks of a set. */
	cuda_mock.memory = 256 * (16 << 10);
	cuda_mock.fail_at = fail_at;
	cuda_mock.fail_code = code;
	cuda_mock.fail_ever_after = ever_after;
}

bool cuda_mock_is_empty(void)
{
	bool left = cuda_mock.contexts || cuda_mock.modules || cuda_mock.pins;

	for (int i = 0; i < MOCK_BLOCKS; i++)
		left |= cuda_mock.blocks[i] != NULL;
	for (int i = 0; i < MOCK_STREAMS; i++)
		left |= cuda_mock.streams[i].exists;
	return !left;
}
