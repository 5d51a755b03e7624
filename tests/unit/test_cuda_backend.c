/*
 * The backend cuda with a mock of the driver (cuda_mock.h). Whatever fails: the stats are the reference's, at most one
 * note is written, and nothing is left on the device.
 */
#include "check_main.h"

#include <stdio.h>

#include "cuda_mock.h"
#include "effort.h"
#include "png_set.h"

/* In the place of fatbin.S: this test needs no nvcc. */
const unsigned char cuda_fatbin[] = "kernels of the mock";
const uint64_t cuda_fatbin_size = sizeof(cuda_fatbin);
const char cuda_fatbin_targets[] = "none that runs";
const unsigned char cuda_ptx[] = "the same for older drivers";
const uint64_t cuda_ptx_size = sizeof(cuda_ptx);

static void reset(unsigned fail_at, int code, bool ever_after)
{
	cuda_mock_reset(fail_at, code, ever_after);
	cuda_mock.image = cuda_fatbin;
	cuda_mock.ptx = cuda_ptx;
}

static struct png_set set;
static struct batch expected;

static void setup(void)
{
	struct error err = ERROR_INIT;
	void *self;

	cuda_driver_replace(&cuda_mock_driver);
	setenv("LABELAUDIT_STAGE_KIB", "1", 1); /* several stages a batch */
	png_set_init(&set, effort(450, 900), 60, 50);
	batch_init(&expected);
	png_set_fill(&set, &expected);
	ck_assert_int_eq(backend_cpu_reference.open(&self, &set.settings, 0, &err), STATUS_OK);
	backend_cpu_reference.measure(self, &expected);
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
		ck_assert(cuda_mock_is_empty());
		return REFUSED;
	}
	batch_init(&got);
	for (int round = 0; round < 2; round++) {
		png_set_fill(&set, &got);
		backend_cuda.measure(self, &got);
		ck_assert_str_eq(err.text, "");
		png_set_compare(&expected, &got, "cuda");
		if (round == 1 && note[0])
			ck_assert_str_eq(backend_cuda.note(self), note); /* one note, the first */
		strcpy(note, backend_cuda.note(self));
	}
	ck_assert_ptr_null(strchr(note, '\n'));
	backend_cuda.close(self);
	ck_assert(cuda_mock_is_empty());
	batch_release(&got);
	return note[0] ? NOTED : SILENT;
}

TEST(works)
{
	char note[512];

	reset(0, 0, false);
	ck_assert_int_eq(run(note), SILENT);
	ck_assert_uint_gt(cuda_mock.launches, 8);
	ck_assert_uint_gt(cuda_mock.measured, 8);
}

/* Before CUDA 13, drivers refuse what nvcc 13 compiled; they compile its PTX. */
TEST(old_driver_gets_ptx)
{
	char note[512];

	reset(0, 0, false);
	cuda_mock.old_driver = true;
	ck_assert_int_eq(run(note), SILENT);
	ck_assert_uint_gt(cuda_mock.measured, 8);
}

/*
 * Each call of a whole run fails in turn, alone and with everything after it, with each of three codes; in `make check`
 * in one of these ways.
 */
TEST(every_failure_is_survived)
{
	static const int codes[] = { MOCK_OUT_OF_MEMORY, MOCK_NO_DEVICE, MOCK_ILLEGAL_ADDRESS };
	const unsigned tried = effort(1, ARRAY_SIZE(codes)), ways = effort(1, 2), each = ways * tried;
	unsigned outcomes[3] = { 0 }, calls;
	char note[512];

	reset(0, 0, false);
	run(note);
	calls = cuda_mock.calls;
	ck_assert_uint_gt(calls, 60);
	for (unsigned n = 1; n <= calls; n++) {
		for (unsigned c = n; c < n + tried; c++) {
			for (unsigned way = 0; way < ways; way++) {
				reset(n, codes[c % ARRAY_SIZE(codes)], (way + n) % 2);
				enum outcome o = run(note);

				ck_assert_uint_ge(cuda_mock.calls, n);
				outcomes[o]++;
				/* The cause, and none of its consequences. */
				if (o == NOTED)
					ck_assert_msg(strstr(note, cuda_mock.failed_first) &&
							      strstr(note, "; measured on the CPU instead"),
						      "'%s' failed first, the note is '%s'", cuda_mock.failed_first,
						      note);
			}
		}
	}
	/* The 8 questions before anything is tried; giving back at the end is silent; all else leaves its note. */
	ck_assert_uint_eq(outcomes[REFUSED], 8 * each);
	ck_assert_uint_gt(outcomes[NOTED], 40 * each);
	ck_assert_uint_eq(outcomes[REFUSED] + outcomes[NOTED] + outcomes[SILENT], calls * each);
	ck_assert_uint_le(outcomes[SILENT], 15 * each);
	printf("driver mock: %u calls, %u runs: %u refused, %u noted, %u silent\n", calls, calls * each,
	       outcomes[REFUSED], outcomes[NOTED], outcomes[SILENT]);
}

TEST(out_of_memory_names_itself)
{
	char note[512];
	bool seen = false;

	for (unsigned n = 9; n < 20 && !seen; n++) {
		reset(n, MOCK_OUT_OF_MEMORY, false);
		run(note);
		seen = !strcmp(note, "cuda:0: cannot allocate device memory: out of memory (2); measured on the CPU "
				     "instead");
	}
	ck_assert(seen);
}

/* A device that says all is well, and counts wrongly. */
TEST(wrong_counts_are_not_believed)
{
	char note[512];

	reset(0, 0, false);
	cuda_mock.corrupt = true;
	ck_assert_int_eq(run(note), NOTED);
	ck_assert_str_eq(note, "the device returned wrong counts; measured on the CPU instead");
}

TEST(a_stuck_device_is_left_alone)
{
	struct error err = ERROR_INIT;
	struct batch got;
	void *self;

	reset(0, 0, false);
	setenv("LABELAUDIT_GPU_TIMEOUT", "1", 1);
	ck_assert_int_eq(backend_cuda.open(&self, &set.settings, 0, &err), STATUS_OK);
	cuda_mock.stuck = true;
	batch_init(&got);
	for (int round = 0; round < 2; round++) {
		png_set_fill(&set, &got);
		backend_cuda.measure(self, &got);
		png_set_compare(&expected, &got, "stuck");
		ck_assert_str_eq(backend_cuda.note(self), "cuda:0: no response for 1 s; measured on the CPU instead");
	}
	unsigned calls = cuda_mock.calls;

	backend_cuda.close(self);
	ck_assert_uint_eq(cuda_mock.calls, calls); /* whatever is called now could hang */
	batch_release(&got);
	for (int i = 0; i < MOCK_BLOCKS; i++)
		free(cuda_mock.blocks[i]);

	setenv("LABELAUDIT_GPU_TIMEOUT", "0", 1);
	ck_assert_int_eq(backend_cuda.open(&self, &set.settings, 0, &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, "LABELAUDIT_GPU_TIMEOUT=0: expected seconds from 1 to 86400");
	unsetenv("LABELAUDIT_GPU_TIMEOUT");
}

/* Processes of one machine, given as -1 - rank. */
TEST(local_ranks_take_the_devices_in_turn)
{
	static const char *const names[] = { "cuda:0 ", "cuda:1 ", "cuda:2 ", "cuda:0 " };
	struct error err = ERROR_INIT;
	char text[256];

	reset(0, 0, false);
	cuda_mock.devices = 3;
	for (int rank = 0; rank < 4; rank++) {
		ck_assert_int_eq(backend_cuda.probe(-1 - rank, text, sizeof(text), &err), STATUS_OK);
		ck_assert_msg(!strncmp(text, names[rank], 7), "%s", text);
	}
}

TEST(probe_says_what_is_there)
{
	struct error err = ERROR_INIT;
	char text[128];

	reset(0, 0, false);
	ck_assert_int_eq(backend_cuda.probe(0, text, sizeof(text), &err), STATUS_OK);
	ck_assert_str_eq(text, "cuda:0 Mock 9000 (sm_90, driver for CUDA 13.0)");

	ck_assert_int_eq(backend_cuda.probe(1, text, sizeof(text), &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, "there is no cuda:1; the NVIDIA driver finds 1 GPU");

	reset(0, 0, false);
	cuda_mock.devices = 0;
	err.text[0] = '\0';
	ck_assert_int_eq(backend_cuda.probe(0, text, sizeof(text), &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, "the NVIDIA driver finds no GPU");

	reset(0, 0, false);
	cuda_mock.capability = 70;
	err.text[0] = '\0';
	ck_assert_int_eq(backend_cuda.probe(0, text, sizeof(text), &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, "cuda:0 Mock 9000 has compute capability 7.0; at least 7.5 is required");
}

TIMEOUT(300)
FIXTURE(setup, teardown)
