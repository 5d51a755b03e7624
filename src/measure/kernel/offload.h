/*
 * struct offload: measures batches with the warp kernel on a device; shared by the backends sim and cuda.
 *
 * The host reads the PNG chunks and checks their CRCs. It packs the zlib streams of masks with one channel and 8-bit
 * ids into a stage. A full stage goes to the device while the next one is filled. The CPU engine (engine.h) measures
 * everything else: masks that are not for the device (16-bit ids, several channels, interlaced, large), streams that it
 * refuses, and stages on which it fails. A failing device is not used again, and note says so.
 *
 * The id rows of a batch end up in the order of its items, as the reference appends them. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/backend.h"
#include "measure/engine/engine.h"
#include "measure/kernel/kernel_job.h"
#include "png/fast_chunks.h"

enum {
	OFFLOAD_STAGES = 4, /* those of a batch are all under way before the first is waited for */
	/* A slot has 11 KiB: four stages with 128 slots and 2 MiB of streams take half of a worker's 32 MiB. */
	OFFLOAD_JOBS_MAX = 128,
	OFFLOAD_STREAMS = 2 << 20,
	OFFLOAD_NOTE = 256,
};

/* A block of memory that holds streams (streams_cap bytes), jobs, next and slots, in this order. */
struct offload_stage {
	uint8_t *streams;        /* the start of the block */
	struct kernel_job *jobs; /* OFFLOAD_JOBS_MAX */
	uint32_t *next;
	struct kernel_slot *slots; /* OFFLOAD_JOBS_MAX */
	size_t streams_cap, streams_used;
	uint32_t lut_at;        /* the last lut among the streams; KERNEL_NO_LUT: none */
	uint32_t scratch_bytes; /* the most that one of its jobs needs */
	uint32_t count;         /* jobs */
	bool submitted;
	size_t items[OFFLOAD_JOBS_MAX]; /* the index in the batch of each job's item */
};

/* A device. Its functions return false if it failed; then why (OFFLOAD_NOTE bytes) holds one line. */
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
	uint32_t scratch_max; /* bytes of a job; KERNEL_SCRATCH_MAX, or what the device lowers it to */
	struct fast_chunks chunks;
	struct engine *engine;
	struct batch ids; /* id rows of the current batch, in the order in which items are measured */
	/*
	 * The blocks of all stages, from mmap: page-aligned, and safe to unmap if the device is lost. A device needs
	 * one allocation of the same layout, and one registration.
	 */
	uint8_t *blocks;
	size_t block_bytes;
	struct offload_stage stages[OFFLOAD_STAGES];
	unsigned current;
	uint64_t serial;
	uint64_t taken, refused; /* jobs that the device has measured and refused so far; for tests */
	uint32_t legal[KERNEL_IDS / 32];
};

/*
 * LABELAUDIT_STAGE_KIB, for benchmarks and tests, sets the KiB of streams per stage (1 to 2^20). STATUS_FAILED if it is
 * not such a number, or memory runs out; then nothing is left to release.
 */
enum status offload_init(struct offload *o, const struct settings *settings, const struct offload_device *device,
			 void *device_self, struct error *err);
void offload_release(struct offload *o);
void offload_measure(struct offload *o, struct batch *batch);
/* Stops using the device; the first reason is kept as the note. */
void offload_device_fails(struct offload *o, const char *why);
/* Returns the kernel's argument for a stage, with host addresses and without scratch, which the device sets. */
struct kernel_batch offload_kernel_batch(const struct offload *o, const struct offload_stage *stage);
