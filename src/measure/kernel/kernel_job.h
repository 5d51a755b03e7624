/*
 * The input and output of the kernel. The same bytes in C11 and CUDA C++: fixed-size integers, no holes.
 *
 * The host packs the zlib streams of masks, fills one job per mask and the legal ids, and sets *next to 0. Each warp
 * draws jobs from *next until there are none, decodes the mask into its own part of the scratch memory, measures it and
 * fills the job's slot; it writes nothing else. A slot repeats the job's `serial`, so that an old answer is never taken
 * for a new one.
 */
#pragma once

#include <stdint.h>

enum {
	KERNEL_IDS = 256,
	/* Streams start at multiples of this, and as many bytes after them can be read: inflate reads ahead. */
	KERNEL_STREAM_PADDING = 16,
	/*
	 * The most scratch bytes of a job. One warp works on a mask, so that all others would wait for a huge one; and
	 * this keeps all counters below 2^32, even thin, which counts a pixel up to twice.
	 */
	KERNEL_SCRATCH_MAX = 16 << 20,
	/* For the same reason: one warp inflates this much in some milliseconds. */
	KERNEL_STREAM_MAX = 512 << 10,
};

/* In kernel_job.lut_at: samples are ids. */
#define KERNEL_NO_LUT 0xffffffffu

enum kernel_status {
	KERNEL_MEASURED = 1,
	KERNEL_REFUSED = 2, /* for any reason; the CPU measures the file and words its fault */
};

struct kernel_job {
	uint64_t serial;
	uint32_t stream_at, stream_bytes; /* in kernel_batch.streams: a zlib stream, header and Adler-32 included */
	uint32_t lut_at;                  /* in kernel_batch.streams: 256 bytes, from sample to id; or KERNEL_NO_LUT */
	uint32_t width, height;           /* both > 0 */
	uint32_t depth;                   /* 1, 2, 4, 8; or 16, where the high byte is the id */
};

/* The counters of label_stats.h, dense by id. first_index and the box are valid for illegal ids only. */
struct kernel_slot {
	uint64_t serial;
	uint64_t worst_key;
	uint64_t content[2];
	uint32_t worst_left, worst_id, worst_right;
	uint32_t between_pixels;
	uint32_t edges[2], wide_edges[2], long_between[2];
	uint32_t status, padding;
	uint32_t raw_used[KERNEL_IDS / 32]; /* samples before the lut; valid if there is one */
	uint32_t labels[KERNEL_IDS], thin[KERNEL_IDS];
	uint32_t lone[2][KERNEL_IDS], between[2][KERNEL_IDS];
	uint32_t first_index[KERNEL_IDS], x0[KERNEL_IDS], y0[KERNEL_IDS], x1[KERNEL_IDS], y1[KERNEL_IDS];
};

struct kernel_batch {
	const uint8_t *streams;
	const struct kernel_job *jobs;
	struct kernel_slot *slots;       /* one per job */
	uint8_t *scratch;                /* scratch_bytes per warp */
	uint32_t *next;                  /* the queue: the first job that no warp has drawn */
	uint32_t count;                  /* jobs */
	uint32_t scratch_bytes;          /* the most that a job needs; a multiple of 16 */
	uint32_t legal[KERNEL_IDS / 32]; /* bit id % 32 of word id / 32: the id is a class, or ignored */
};
