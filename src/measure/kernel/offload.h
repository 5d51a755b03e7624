/*
 * What backends share that decode and measure on a device with the warp kernel: sim and cuda.
 *
 * The host walks the chunks and checks their CRCs. The zlib streams of masks with one channel whose ids have 8 bits are
 * packed into a stage: one block of memory with streams, jobs and room for the answers. A full stage goes to the
 * device, while the next one is filled. Everything else (16-bit ids, several channels, interlaced, large), every stream
 * that the device refuses, and every stage that it fails on, is measured here by the CPU's backend (engine.h, and
 * behind it the reference, which owns all verdicts and words): the same stats, whatever happens. A failing device is
 * not used again, and one note says so.
 *
 * The id rows of a batch end up in the order of its items, as the reference appends them.
 */
#ifndef MEASURE_OFFLOAD_H
#define MEASURE_OFFLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/backend.h"
#include "measure/engine/engine.h"
#include "measure/kernel/kernel_job.h"
#include "measure/reference.h"
#include "png/fast_chunks.h"

enum {
	OFFLOAD_STAGES = 2, /* one is filled while the device works on the other */
	/* A slot has 11 KiB: 128 of them and 2 MiB of streams, twice, are a fifth of a worker's 32 MiB. */
	OFFLOAD_JOBS_MAX = 128,
	OFFLOAD_STREAMS = 2 << 20,
	OFFLOAD_NOTE = 256,
};

/*
 * One block of memory, in this order, without gaps that matter: streams (streams_cap bytes), jobs, next, slots. So a
 * device needs one allocation of the same size, and one registration of the block.
 */
struct offload_stage {
	uint8_t *streams;        /* the start of the block; mmap: page-aligned, and safe to unmap under a lost device */
	struct kernel_job *jobs; /* OFFLOAD_JOBS_MAX */
	uint32_t *next;
	struct kernel_slot *slots; /* OFFLOAD_JOBS_MAX */
	size_t block_bytes, streams_cap, streams_used;
	uint32_t lut_at;        /* the newest lut among the streams; KERNEL_NO_LUT: none yet */
	uint32_t scratch_bytes; /* what its hungriest job needs */
	uint32_t count;         /* of jobs */
	bool submitted;
	size_t items[OFFLOAD_JOBS_MAX]; /* of the batch, by job */
};

/* The device: false means that it failed, with one line in why (OFFLOAD_NOTE bytes). */
struct offload_device {
	/* Starts on the jobs of stage `at` and may return before they are done. */
	bool (*submit)(void *device, unsigned at, struct offload_stage *stage, char *why);
	/* Waits until the slots of stage `at` are filled. */
	bool (*wait)(void *device, unsigned at, struct offload_stage *stage, char *why);
};

struct offload {
	const struct settings *settings;
	const struct offload_device *device;
	void *device_self;
	bool device_failed;
	char note[OFFLOAD_NOTE];
	uint32_t scratch_max; /* bytes that a job may need; the device may lower it from KERNEL_SCRATCH_MAX */
	struct fast_chunks chunks;
	struct engine *simd;
	struct batch ids; /* id rows of the batch at work, in the order in which they come */
	struct offload_stage stages[OFFLOAD_STAGES];
	unsigned current;
	uint64_t serial;
	uint64_t taken, refused; /* jobs that the device answered so, ever; for tests */
	uint32_t legal[KERNEL_IDS / 32];
};

/*
 * Sizes come from LABELAUDIT_STAGE_KIB, KiB of streams a stage (1 to 2^20), for benchmarks and tests. STATUS_FAILED if
 * that is no number, or memory is out; nothing is left to release then.
 */
enum status offload_init(struct offload *o, const struct settings *settings, const struct offload_device *device,
			 void *device_self, struct error *err);
void offload_release(struct offload *o);
void offload_measure(struct offload *o, struct batch *batch);
/* The device is not used any more; the first reason is kept as the note. */
void offload_device_fails(struct offload *o, const char *why);
/* The launch of a stage, with its addresses on the host; scratch is the device's to set. */
struct kernel_batch offload_kernel_batch(const struct offload *o, const struct offload_stage *stage);

#endif
