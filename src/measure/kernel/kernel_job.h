/*
 * What the host and the kernel hand each other. The same bytes in C11 and CUDA C++: fixed-size integers, no holes.
 *
 * The host packs zlib streams of masks, one job each, fills in the jobs and the legal ids, and sets *next to 0. Warps
 * draw jobs from *next until there are none, decode each into their own part of the scratch memory, measure it and fill
 * its slot; nothing else is written. A slot says in `serial` which job it answers, so that the answer to an earlier one
 * is never taken for it; and in `status` whether the stream was taken.
 */
#ifndef MEASURE_KERNEL_JOB_H
#define MEASURE_KERNEL_JOB_H

#include <stdint.h>

enum {
	KERNEL_IDS = 256,
	/* Streams start at multiples of it, and are followed by as many bytes that may be read: inflate reads words
	   ahead. */
	KERNEL_STREAM_PADDING = 16,
	/*
	 * Bytes of scratch that a job may ask for. One warp works on a mask, so that the others would wait for a huge
	 * one; and it keeps all counters below 2^32: thin counts a pixel twice at most.
	 */
	KERNEL_SCRATCH_MAX = 16 << 20,
	/* Likewise: inflating it takes one warp some milliseconds. */
	KERNEL_STREAM_MAX = 512 << 10,
};

/* In kernel_job.lut_at: samples are ids. */
#define KERNEL_NO_LUT 0xffffffffu

enum kernel_status {
	KERNEL_MEASURED = 1,
	KERNEL_REFUSED = 2, /* whatever the reason: for the CPU, which finds the words */
};

struct kernel_job {
	uint64_t serial;
	uint32_t stream_at,
		stream_bytes;   /* in kernel_batch.streams: the zlib stream, from its header to its Adler-32 */
	uint32_t lut_at;        /* in the same place: 256 bytes, from sample to id; or KERNEL_NO_LUT */
	uint32_t width, height; /* both > 0 */
	uint32_t depth;         /* 1, 2, 4, 8; or 16, of which the high byte is the id */
};

/* The terms of label_stats.h, dense by id. First places and boxes are those of illegal ids only. */
struct kernel_slot {
	uint64_t serial;
	uint64_t worst_key;
	uint64_t content[2];
	uint32_t worst_left, worst_id, worst_right;
	uint32_t between_pixels;
	uint32_t edges[2], wide_edges[2], long_between[2];
	uint32_t status, padding;
	uint32_t raw_used[KERNEL_IDS / 32]; /* samples before the lut; only if there is one */
	uint32_t labels[KERNEL_IDS], thin[KERNEL_IDS];
	uint32_t lone[2][KERNEL_IDS], between[2][KERNEL_IDS];
	uint32_t first_index[KERNEL_IDS], x0[KERNEL_IDS], y0[KERNEL_IDS], x1[KERNEL_IDS], y1[KERNEL_IDS];
};

struct kernel_batch {
	const uint8_t *streams;
	const struct kernel_job *jobs;
	struct kernel_slot *slots;       /* one a job */
	uint8_t *scratch;                /* scratch_bytes for each warp */
	uint32_t *next;                  /* the queue: the first job that no warp has drawn */
	uint32_t count;                  /* of jobs */
	uint32_t scratch_bytes;          /* a multiple of 16; what the hungriest job needs, at least */
	uint32_t legal[KERNEL_IDS / 32]; /* bit id % 32 of word id / 32: a class, or ignored */
};

#endif
