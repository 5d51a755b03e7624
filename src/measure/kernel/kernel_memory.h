/*
 * The memory of a warp: where things lie in its scratch memory, which is global, and what its shared memory holds.
 */
#pragma once

#include "measure/kernel/inflate_kernel.h"
#include "measure/kernel/kernel_job.h"
#include "measure/kernel/warp.h"

enum {
	/* Two words: with one, too much is spent on each tile; with more, a row of 500 pixels leaves lanes idle. */
	KERNEL_LANE_WORDS = 2,
	KERNEL_LANE_PIXELS = 4 * KERNEL_LANE_WORDS,
	KERNEL_TILE = KERNEL_LANE_PIXELS * WARP_LANES,
	/* Places of a row that are gathered before they are counted: those of any mask but noise. */
	KERNEL_STARTS = 512,
	KERNEL_CHANGES = KERNEL_TILE + 64,
};

/* ---- scratch memory --------------------------------------------------------------------------------------------- */

/* Returns whether ids are rows of their own, since samples are not ids. */
KERNEL_FN uint32_t kernel_job_makes_ids(const struct kernel_job *job)
{
	return job->depth != 8 || job->lut_at != KERNEL_NO_LUT;
}

/*
 * Where things lie in the scratch memory of a warp: multiples of 16, from its start. The filtered rows come first. If
 * the end is above KERNEL_SCRATCH_MAX, the others may have overflowed.
 */
struct kernel_layout {
	uint32_t row_bytes;  /* of samples, without the filter byte */
	uint32_t filtered;   /* bytes */
	uint32_t columns;    /* a word for each column, kernel_column_change */
	uint32_t samples[2]; /* unfiltered rows: the one above, and the current one */
	uint32_t ids[2];     /* the same rows as ids; the samples themselves, if they are ids */
	uint64_t end;
};

/* Words that begin within a row may end this far after it. */
enum { KERNEL_ROW_PADDING = 16 };

/* Takes n bytes at *end, and moves it. */
KERNEL_FN uint32_t kernel_take(uint64_t *end, uint64_t n)
{
	uint64_t at = *end;

	*end += (n + 15) / 16 * 16 + KERNEL_ROW_PADDING;
	return (uint32_t)at;
}

KERNEL_FN struct kernel_layout kernel_lay_out(const struct kernel_job *job)
{
	uint64_t row = ((uint64_t)job->width * job->depth + 7) / 8;
	struct kernel_layout l;

	l.end = 0;
	l.row_bytes = (uint32_t)row;
	l.filtered = (uint32_t)((row + 1) * job->height);
	kernel_take(&l.end, (row + 1) * job->height);
	l.columns = kernel_take(&l.end, 4 * (uint64_t)job->width);
	l.ids[0] = l.samples[0] = kernel_take(&l.end, row);
	l.ids[1] = l.samples[1] = kernel_take(&l.end, row);
	if (kernel_job_makes_ids(job)) {
		l.ids[0] = kernel_take(&l.end, job->width);
		l.ids[1] = kernel_take(&l.end, job->width);
	}
	return l;
}

/* ---- shared memory ---------------------------------------------------------------------------------------------- */

/* As in label_stats.h, which is not CUDA C++. */
enum { KERNEL_ROW = 0, KERNEL_COLUMN = 1 };
#define KERNEL_INDEX_MASK (((uint64_t)1 << 47) - 1)

/* The counts of each lane, by field and lane: in registers, they would crowd out everything else. */
struct lane_sums {
	uint64_t content[2][WARP_LANES];
	uint64_t worst_key[WARP_LANES];
	uint32_t worst_ids[WARP_LANES]; /* left | id << 8 | right << 16, of the worst pixel that the lane has seen */
	uint32_t between_pixels[WARP_LANES];
	uint32_t edges[2][WARP_LANES], wide_edges[2][WARP_LANES], long_between[2][WARP_LANES]; /* KERNEL_ROW, _COLUMN */
};

/*
 * The shared memory of a warp: first of inflate, then of measuring. Values that are the same for all lanes lie here,
 * too, unless they change from row to row: registers are few.
 */
struct kernel_shared {
	struct kernel_job job;
	struct kernel_layout layout;
	union {
		struct inflate_shared inflate;
		struct {
			struct lane_sums sums;
			uint32_t starts[KERNEL_STARTS + 1]; /* x of each run's start, and the end of the last one */
			uint32_t changes[KERNEL_CHANGES];   /* x of the pixels that differ from those above */
			uint32_t changes_count;
		} rows;
	} u;
};
