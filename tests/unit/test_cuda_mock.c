/*
 * The backend cuda with a mock of the driver, whose launches run the kernel as a loop over lanes, and whose n-th call
 * can be made to fail. Whatever fails: the stats are the reference's, and at most one note is written. Device memory of
 * the mock is memory of the host with a guard: an address that was never allocated, or is freed twice, is caught.
 * Copies and launches happen as late as a driver may let them happen, at the wait for their stream: so what reads
 * answers too early, or changes a stream that is still on its way, is caught too.
 */
#include "check_main.h"

#include <stdio.h>

#include "../../cuda/driver.h"
#include "measure/kernel_host.h"
#include "measure/measure_sim.h"
#include "png_set.h"

/* In the place of fatbin.S: this test needs no nvcc. */
const unsigned char cuda_fatbin[] = "kernels of the mock";
const uint64_t cuda_fatbin_size = sizeof(cuda_fatbin);

enum { CODE_OUT_OF_MEMORY = 2, CODE_NO_DEVICE = 100, CODE_ILLEGAL_ADDRESS = 700, BLOCKS_MAX = 16 };

/* A copy or (is_launch) a launch that a stream has still to do. */
struct mock_work {
	void *to;
	const void *from;
	size_t n;
	bool is_launch;
	struct kernel_batch batch;
	unsigned warps;
};

struct mock_stream {
	bool exists;
	bool asked; /* whether it is through, since it has work: it is, at the second time */
	unsigned count;
	struct mock_work work[16];
};

/* The mock's state, for the one backend at work. */
static struct {
	unsigned calls, fail_at; /* fail_at: number of the call, from 1; 0: none */
	int fail_code;
	bool fail_ever_after; /* as a lost device does */
	const char *failed_first;
	bool stuck;                  /* streams are never through */
	bool corrupt;                /* launches give wrong counts, without an error */
	unsigned launches, measured; /* measured: launches that took a mask, at least one */
	int devices, capability;
	void *blocks[BLOCKS_MAX];
	size_t sizes[BLOCKS_MAX];
	int contexts, modules, pins;
	struct mock_stream streams[2];
	bool current; /* the context is */
} mock;

/* what: words of the note that is expected if this is the first call to fail. */
static int called(const char *what)
{
	mock.calls++;
	if (!mock.fail_at || mock.calls < mock.fail_at || (mock.calls > mock.fail_at && !mock.fail_ever_after))
		return CUDA_OK;
	if (!mock.failed_first)
		mock.failed_first = what;
	return mock.fail_code;
}

/* The n bytes at `address` lie in a block that is allocated. */
static bool is_device_memory(uint64_t address, size_t n)
{
	for (int i = 0; i < BLOCKS_MAX; i++) {
		uint64_t start = (uint64_t)(uintptr_t)mock.blocks[i];

		if (start && address >= start && address + n <= start + mock.sizes[i])
			return true;
	}
	return false;
}

static int mock_init(unsigned flags)
{
	ck_assert_uint_eq(flags, 0);
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
	*text = code == CODE_OUT_OF_MEMORY ? "out of memory" : "an error of the mock";
	return CUDA_OK;
}

static int mock_device_count(int *count)
{
	*count = mock.devices;
	return called("");
}

static int mock_device_get(int *device, int ordinal)
{
	*device = ordinal + 40;
	return called("");
}

static int mock_device_name(char *name, int n, int device)
{
	ck_assert(device >= 40 && device < 40 + mock.devices);
	snprintf(name, (size_t)n, "Mock 9000");
	return called("");
}

static int mock_device_attribute(int *value, int attribute, int device)
{
	ck_assert(device >= 40 && device < 40 + mock.devices);
	*value = attribute == CUDA_MULTIPROCESSORS    ? 3
		 : attribute == CUDA_CAPABILITY_MAJOR ? mock.capability / 10
						      : mock.capability % 10;
	return called("");
}

static int mock_context_retain(void **context, int device)
{
	int code = called("make a context");

	ck_assert_int_eq(device, 40);
	if (code == CUDA_OK) {
		*context = &mock;
		mock.contexts++;
	}
	return code;
}

static int mock_context_release(int device)
{
	ck_assert_int_eq(device, 40);
	ck_assert_int_gt(mock.contexts, 0);
	mock.contexts--; /* also if it reports an error, of something earlier */
	return called("");
}

static int mock_context_set(void *context)
{
	int code = called("use the context");

	if (code == CUDA_OK)
		mock.current = context != NULL;
	return code;
}

static int mock_module_load(void **module, const void *image)
{
	int code = called("load the kernels");

	ck_assert(mock.current);
	ck_assert_ptr_eq(image, cuda_fatbin);
	if (code == CUDA_OK) {
		*module = &mock.modules;
		mock.modules++;
	}
	return code;
}

static int mock_module_unload(void *module)
{
	ck_assert_ptr_eq(module, &mock.modules);
	mock.modules--;
	return called("");
}

static int mock_module_function(void **function, void *module, const char *name)
{
	ck_assert_ptr_eq(module, &mock.modules);
	ck_assert_str_eq(name, "labelaudit_measure");
	*function = &mock.launches;
	return called("find the kernel");
}

static struct mock_stream *the_stream(void *stream)
{
	struct mock_stream *s = stream;

	ck_assert(s == &mock.streams[0] || s == &mock.streams[1]);
	ck_assert(s->exists);
	return s;
}

static struct mock_work *add_work(void *stream)
{
	struct mock_stream *s = the_stream(stream);

	ck_assert_uint_lt(s->count, ARRAY_SIZE(s->work));
	memset(&s->work[s->count], 0, sizeof(s->work[0]));
	return &s->work[s->count++];
}

static void do_launch(const struct kernel_batch *b, unsigned warps)
{
	struct kernel_slot *measured = NULL;

	for (uint32_t i = 0; i < b->count; i++) {
		const struct kernel_job *job = &b->jobs[i];

		ck_assert(is_device_memory((uintptr_t)b->streams + job->stream_at,
					   job->stream_bytes + KERNEL_STREAM_PADDING));
		ck_assert(job->lut_at == KERNEL_NO_LUT ||
			  is_device_memory((uintptr_t)b->streams + job->lut_at, KERNEL_IDS));
		ck_assert_uint_le(kernel_scratch_bytes(job), b->scratch_bytes);
	}
	ck_assert(is_device_memory((uintptr_t)b->scratch, (size_t)warps * b->scratch_bytes));
	sim_kernel(b, SIM_RANDOM);
	for (uint32_t i = 0; i < b->count; i++)
		if (b->slots[i].status == KERNEL_MEASURED)
			measured = &b->slots[i];
	if (mock.corrupt && measured)
		measured->labels[1]++;
	mock.launches++;
	mock.measured += measured != NULL;
}

static int mock_stream_create(void **stream, unsigned flags)
{
	int code = called("make a stream");

	(void)flags;
	if (code == CUDA_OK) {
		struct mock_stream *s = &mock.streams[mock.streams[0].exists];

		ck_assert(!s->exists);
		s->exists = true;
		*stream = s;
	}
	return code;
}

static void do_work(struct mock_stream *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		struct mock_work *work = &s->work[i];

		if (work->is_launch)
			do_launch(&work->batch, work->warps);
		else
			memcpy(work->to, work->from, work->n);
	}
	s->count = 0;
	s->asked = false;
}

static int mock_stream_wait(void *stream)
{
	ck_assert_msg(!mock.stuck, "this would wait for ever");
	do_work(the_stream(stream));
	return called("the device failed");
}

static int mock_stream_query(void *stream)
{
	struct mock_stream *s = the_stream(stream);

	if (mock.stuck)
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
	struct mock_stream *s = the_stream(stream);

	ck_assert_uint_eq(s->count, 0);
	s->exists = false;
	return called("");
}

static int mock_memory(size_t *available, size_t *total)
{
	/* A 64th of it is scratch memory: too little for the larger masks of the set. */
	*available = *total = 64 * (16 << 10);
	return called("ask for memory");
}

static int mock_alloc(uint64_t *address, size_t n)
{
	int code = called("allocate device memory");

	if (code != CUDA_OK)
		return code;
	for (int i = 0; i < BLOCKS_MAX; i++) {
		if (!mock.blocks[i]) {
			mock.blocks[i] = xmalloc(n);
			mock.sizes[i] = n;
			memset(mock.blocks[i], 0x5a, n);
			*address = (uint64_t)(uintptr_t)mock.blocks[i];
			return CUDA_OK;
		}
	}
	return CODE_OUT_OF_MEMORY;
}

static int mock_free(uint64_t address)
{
	for (int i = 0; i < BLOCKS_MAX; i++) {
		if (address && (uint64_t)(uintptr_t)mock.blocks[i] == address) {
			free(mock.blocks[i]);
			mock.blocks[i] = NULL;
			return called("");
		}
	}
	ck_abort_msg("freed what is not allocated");
	return 1;
}

static int mock_pin(void *host, size_t n, unsigned flags)
{
	int code = called("pin host memory");

	ck_assert_uint_eq((uintptr_t)host % 4096 + n % 4096 + flags, 0);
	mock.pins += code == CUDA_OK;
	return code;
}

static int mock_unpin(void *host)
{
	ck_assert_ptr_nonnull(host);
	mock.pins--;
	return called("");
}

static int mock_upload(uint64_t to, const void *from, size_t n, void *stream)
{
	ck_assert_msg(!mock.failed_first, "a device that failed is used again");
	int code = called("upload");

	ck_assert(mock.current);
	ck_assert(is_device_memory(to, n));
	if (code == CUDA_OK) {
		struct mock_work *work = add_work(stream);

		work->to = (void *)(uintptr_t)to;
		work->from = from;
		work->n = n;
	}
	return code;
}

static int mock_download(void *to, uint64_t from, size_t n, void *stream)
{
	int code = called("download the counts");

	ck_assert(is_device_memory(from, n));
	if (code == CUDA_OK) {
		struct mock_work *work = add_work(stream);

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
	ck_assert_msg(!mock.failed_first, "a device that failed is used again");
	int code = called("launch the kernel");

	ck_assert_ptr_eq(function, &mock.launches);
	ck_assert_ptr_null(extra);
	ck_assert(grid_x >= 1 && grid_x <= 3 * 8 && grid_y == 1 && grid_z == 1);
	ck_assert(block_x == 128 && block_y == 1 && block_z == 1 && shared_bytes == 0);
	ck_assert(is_device_memory((uintptr_t)b->jobs, b->count * sizeof(*b->jobs)));
	ck_assert(is_device_memory((uintptr_t)b->slots, b->count * sizeof(*b->slots)));
	ck_assert(is_device_memory((uintptr_t)b->next, sizeof(*b->next)));
	if (code == CUDA_OK) {
		struct mock_work *work = add_work(stream);

		work->is_launch = true;
		work->batch = *b;
		work->warps = grid_x * block_x / 32;
	}
	return code;
}

static const struct cuda_driver mock_driver = {
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

static void mock_reset(unsigned fail_at, int code, bool ever_after)
{
	memset(&mock, 0, sizeof(mock));
	mock.devices = 1;
	mock.capability = 90;
	mock.fail_at = fail_at;
	mock.fail_code = code;
	mock.fail_ever_after = ever_after;
}

static struct png_set set;
static struct batch expected;

static void setup(void)
{
	struct error err = ERROR_INIT;
	void *self;

	cuda_driver_replace(&mock_driver);
	setenv("LABELAUDIT_STAGE_KIB", "2", 1); /* several stages a batch */
	png_set_init(&set, 900, 60, 50);
	batch_init(&expected);
	png_set_fill(&set, &expected);
	ck_assert_int_eq(backend_cpu_reference.open(&self, &set.settings, 0, &err), STATUS_OK);
	ck_assert_int_eq(backend_cpu_reference.measure(self, &expected, &err), STATUS_OK);
	backend_cpu_reference.close(self);
}

static void teardown(void)
{
	batch_release(&expected);
	png_set_release(&set);
	unsetenv("LABELAUDIT_STAGE_KIB");
	cuda_driver_replace(NULL);
}

enum outcome { REFUSED, NOTED, SILENT };

/* Opens, measures two batches, closes; nothing of the device may be left. */
static enum outcome run(char *note)
{
	struct error err = ERROR_INIT;
	struct batch got;
	void *self;

	note[0] = '\0';
	if (backend_cuda.open(&self, &set.settings, 0, &err) != STATUS_OK) {
		ck_assert_str_ne(err.text, "");
		strcpy(note, err.text);
		ck_assert_int_eq(mock.contexts + mock.pins + mock.modules, 0);
		return REFUSED;
	}
	batch_init(&got);
	for (int round = 0; round < 2; round++) {
		png_set_fill(&set, &got);
		ck_assert_int_eq(backend_cuda.measure(self, &got, &err), STATUS_OK);
		ck_assert_str_eq(err.text, "");
		png_set_compare(&expected, &got, "cuda");
		if (round == 1 && note[0])
			ck_assert_str_eq(backend_cuda.note(self), note); /* one note, the first */
		strcpy(note, backend_cuda.note(self));
	}
	ck_assert_ptr_null(strchr(note, '\n'));
	backend_cuda.close(self);
	ck_assert_int_eq(mock.contexts, 0);
	ck_assert_int_eq(mock.modules, 0);
	ck_assert(!mock.streams[0].exists && !mock.streams[1].exists);
	ck_assert_int_eq(mock.pins, 0);
	for (int i = 0; i < BLOCKS_MAX; i++)
		ck_assert_ptr_null(mock.blocks[i]);
	batch_release(&got);
	return note[0] ? NOTED : SILENT;
}

START_TEST(works)
{
	char note[512];

	mock_reset(0, 0, false);
	ck_assert_int_eq(run(note), SILENT);
	ck_assert_uint_gt(mock.launches, 8);
	ck_assert_uint_gt(mock.measured, 8);
}
END_TEST

/* Each call of a whole run fails in turn, with each of three codes, alone and with everything after it. */
START_TEST(every_failure_is_survived)
{
	static const int codes[] = { CODE_OUT_OF_MEMORY, CODE_NO_DEVICE, CODE_ILLEGAL_ADDRESS };
	unsigned outcomes[3] = { 0 }, calls;
	char note[512];

	mock_reset(0, 0, false);
	run(note);
	calls = mock.calls;
	ck_assert_uint_gt(calls, 60);
	for (unsigned n = 1; n <= calls; n++) {
		for (size_t c = 0; c < ARRAY_SIZE(codes); c++) {
			for (int lost = 0; lost < 2; lost++) {
				mock_reset(n, codes[c], lost);
				enum outcome o = run(note);

				ck_assert_uint_ge(mock.calls, n);
				outcomes[o]++;
				/* The cause, and none of its consequences. */
				if (o == NOTED)
					ck_assert_msg(strstr(note, mock.failed_first) &&
							      strstr(note, "; measured on the CPU instead"),
						      "'%s' failed first, the note is '%s'", mock.failed_first, note);
			}
		}
	}
	/* The 8 questions before anything is tried; giving back at the end is silent; all else leaves its note. */
	ck_assert_uint_eq(outcomes[REFUSED], 8 * 6);
	ck_assert_uint_gt(outcomes[NOTED], 40 * 6);
	ck_assert_uint_eq(outcomes[REFUSED] + outcomes[NOTED] + outcomes[SILENT], calls * 6);
	ck_assert_uint_le(outcomes[SILENT], 15 * 6);
	printf("driver mock: %u calls, %u runs: %u refused, %u noted, %u silent\n", calls, calls * 6, outcomes[REFUSED],
	       outcomes[NOTED], outcomes[SILENT]);
}
END_TEST

START_TEST(out_of_memory_names_itself)
{
	char note[512];
	bool seen = false;

	for (unsigned n = 9; n < 20 && !seen; n++) {
		mock_reset(n, CODE_OUT_OF_MEMORY, false);
		run(note);
		seen = !strcmp(note, "cuda:0: cannot allocate device memory: out of memory (2); measured on the CPU "
				     "instead");
	}
	ck_assert(seen);
}
END_TEST

/* A device that says all is well, and counts wrongly. */
START_TEST(wrong_counts_are_not_believed)
{
	char note[512];

	mock_reset(0, 0, false);
	mock.corrupt = true;
	ck_assert_int_eq(run(note), NOTED);
	ck_assert_str_eq(note, "the device returned wrong counts; measured on the CPU instead");
}
END_TEST

START_TEST(a_stuck_device_is_left_alone)
{
	struct error err = ERROR_INIT;
	struct batch got;
	void *self;

	mock_reset(0, 0, false);
	setenv("LABELAUDIT_GPU_TIMEOUT", "1", 1);
	ck_assert_int_eq(backend_cuda.open(&self, &set.settings, 0, &err), STATUS_OK);
	mock.stuck = true;
	batch_init(&got);
	for (int round = 0; round < 2; round++) {
		png_set_fill(&set, &got);
		ck_assert_int_eq(backend_cuda.measure(self, &got, &err), STATUS_OK);
		png_set_compare(&expected, &got, "stuck");
		ck_assert_str_eq(backend_cuda.note(self), "cuda:0: no answer for 1 s; measured on the CPU instead");
	}
	unsigned calls = mock.calls;

	backend_cuda.close(self);
	ck_assert_uint_eq(mock.calls, calls); /* whatever is called now could hang */
	batch_release(&got);
	for (int i = 0; i < BLOCKS_MAX; i++)
		free(mock.blocks[i]);

	setenv("LABELAUDIT_GPU_TIMEOUT", "0", 1);
	ck_assert_int_eq(backend_cuda.open(&self, &set.settings, 0, &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, "LABELAUDIT_GPU_TIMEOUT=0: expected seconds from 1 to 86400");
	unsetenv("LABELAUDIT_GPU_TIMEOUT");
}
END_TEST

/* Processes of one machine, told by -1 - rank. */
START_TEST(local_ranks_take_the_devices_in_turn)
{
	static const char *const names[] = { "cuda:0 ", "cuda:1 ", "cuda:2 ", "cuda:0 " };
	struct error err = ERROR_INIT;
	char text[256];

	mock_reset(0, 0, false);
	mock.devices = 3;
	for (int rank = 0; rank < 4; rank++) {
		ck_assert_int_eq(backend_cuda.probe(-1 - rank, text, sizeof(text), &err), STATUS_OK);
		ck_assert_msg(!strncmp(text, names[rank], 7), "%s", text);
	}
}
END_TEST

START_TEST(probe_says_what_is_there)
{
	struct error err = ERROR_INIT;
	char text[128];

	mock_reset(0, 0, false);
	ck_assert_int_eq(backend_cuda.probe(0, text, sizeof(text), &err), STATUS_OK);
	ck_assert_str_eq(text, "cuda:0 Mock 9000 (sm_90, driver for CUDA 13.0)");

	ck_assert_int_eq(backend_cuda.probe(1, text, sizeof(text), &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, "there is no cuda:1; the NVIDIA driver finds 1 GPU");

	mock_reset(0, 0, false);
	mock.devices = 0;
	err.text[0] = '\0';
	ck_assert_int_eq(backend_cuda.probe(0, text, sizeof(text), &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, "the NVIDIA driver finds no GPU");

	mock_reset(0, 0, false);
	mock.capability = 70;
	err.text[0] = '\0';
	ck_assert_int_eq(backend_cuda.probe(0, text, sizeof(text), &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, "cuda:0 Mock 9000 has compute capability 7.0; 7.5 is the least");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("cuda_mock");
	TCase *c = tcase_create("mock");

	tcase_set_timeout(c, 300);
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, works);
	tcase_add_test(c, every_failure_is_survived);
	tcase_add_test(c, out_of_memory_names_itself);
	tcase_add_test(c, wrong_counts_are_not_believed);
	tcase_add_test(c, a_stuck_device_is_left_alone);
	tcase_add_test(c, local_ranks_take_the_devices_in_turn);
	tcase_add_test(c, probe_says_what_is_there);
	suite_add_tcase(s, c);
	return s;
}

CHECK_MAIN(suite)
