/*
 * A mock of the CUDA driver whose launches run the kernel as a loop over lanes, and whose n-th call can be made to
 * fail. Device memory is host memory with a guard: the mock catches addresses that were never allocated, or are freed
 * twice. Copies and launches happen as late as a driver may run them, when their stream is queried: so the mock also
 * catches code that reads results too early, or changes the data of a stream that is still running. Each error ends the
 * program with a line that says where it is.
 *
 * One thread at a time. Test programs use cuda_mock_driver (cuda_driver_replace); tests/cuda_mock_library.c makes a
 * libcuda.so.1 of it for the whole program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../cuda/driver.h"
#include "measure/kernel/kernel_job.h"

enum {
	MOCK_OUT_OF_MEMORY = 2,
	MOCK_NO_DEVICE = 100,
	MOCK_INVALID_IMAGE = 200,
	MOCK_ILLEGAL_ADDRESS = 700,
	MOCK_BLOCKS = 128,
	MOCK_STREAMS = 64,
	MOCK_WORK = 16,
};

/* A copy or (is_launch) a launch that a stream has still to do. */
struct cuda_mock_work {
	void *to;
	const void *from;
	size_t n;
	bool is_launch;
	struct kernel_batch batch;
	unsigned warps;
};

struct cuda_mock_stream {
	bool exists;
	bool asked; /* whether it is through, since it has work: it is, at the second time */
	unsigned count;
	struct cuda_mock_work work[MOCK_WORK];
};

struct cuda_mock {
	/* what it is to do */
	const void *image; /* the kernels that are expected; NULL: any */
	const void *ptx;   /* the same for an old driver */
	bool old_driver;   /* it refuses `image` */
	unsigned fail_at;  /* number of the call, from 1; 0: none */
	int fail_code;
	bool fail_ever_after;    /* as a lost device does */
	bool several;            /* backends are at work: others go on after a failure */
	bool stuck;              /* streams are never through */
	unsigned stuck_at;       /* number of the launch from which on they are not, from 1; 0: never */
	bool corrupt;            /* launches give wrong counts, without an error */
	int devices, capability; /* 90: 9.0 */
	size_t memory;           /* that is free on it */
	/* what was done */
	unsigned calls;
	const char *failed_first;    /* words of the note that is expected */
	unsigned started;            /* launches that are on a stream, or through */
	unsigned launches, measured; /* that are through; measured: that took a mask, at least one */
	/* what is left */
	void *blocks[MOCK_BLOCKS];
	size_t sizes[MOCK_BLOCKS];
	int contexts, modules, pins;
	struct cuda_mock_stream streams[MOCK_STREAMS];
};

extern struct cuda_mock cuda_mock;
extern const struct cuda_driver cuda_mock_driver;

/* One device, of which all works but for the fail_at-th call. */
void cuda_mock_reset(unsigned fail_at, int code, bool ever_after);
/* Nothing is allocated, pinned, open or on its way. */
bool cuda_mock_is_empty(void);
