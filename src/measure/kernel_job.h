/*
 * What the host and the measuring kernel hand each other. The same bytes in C11 and CUDA C++: fixed-size
 * integers, no holes.
 *
 * The host packs rasters of 8-bit ids, one job each, fills in the jobs and the legal ids, and sets *next to 0. Warps
 * draw jobs from *next until there are none, and fill the slot of each; nothing else is written. The slot says in
 * `serial` which job it answers, so that the answer to an earlier one is never taken for it.
 */
#ifndef MEASURE_KERNEL_JOB_H
#define MEASURE_KERNEL_JOB_H

#include <stdint.h>

enum {
	KERNEL_IDS = 256,
	/*
	 * Pixels of a job are fewer than this: thin counts a pixel twice at most, so that every counter fits
	 * in 32 bits.
	 */
	KERNEL_PIXELS_LOG2 = 31,
};

struct kernel_job {
	uint64_t pixels_at; /* bytes from kernel_batch.pixels; rows follow each other without padding */
	uint64_t serial;
	uint32_t width, height; /* both > 0 */
};

/* The terms of label_stats.h, dense by id. First places and boxes are those of illegal ids only. */
struct kernel_slot {
	uint64_t serial;
	uint64_t worst_key;
	uint32_t worst_left, worst_id, worst_right;
	uint32_t bogus_pixels;
	uint32_t edges[2], wide_edges[2], long_between[2];
	uint32_t labels[KERNEL_IDS], thin[KERNEL_IDS];
	uint32_t lone[2][KERNEL_IDS], between[2][KERNEL_IDS];
	uint32_t first_index[KERNEL_IDS], x0[KERNEL_IDS], y0[KERNEL_IDS], x1[KERNEL_IDS], y1[KERNEL_IDS];
};

struct kernel_batch {
	const uint8_t *pixels;
	const struct kernel_job *jobs;
	struct kernel_slot *slots;       /* one a job */
	uint32_t *next;                  /* the queue: the first job that no warp has drawn */
	uint32_t count;                  /* of jobs */
	uint32_t legal[KERNEL_IDS / 32]; /* bit id % 32 of word id / 32: a class, or ignored */
	uint32_t padding;
};

#endif
