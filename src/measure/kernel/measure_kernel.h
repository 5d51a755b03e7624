/*
 * The kernel: each warp (warp.h) draws jobs (kernel_job.h), decodes a mask (decode_kernel.h) and measures it, as
 * label_stats.h defines. kernel_run_warp, at the end, is the entry.
 *
 * Rows are measured 32 adjacent pixels at a time: a ballot finds where runs start, and the lane at such a place closes
 * the run before it. Columns are measured one per lane, 32 adjacent ones at a time, so that lanes read adjacent bytes.
 * The counters of ids are in global memory, and changed once per run, not once per pixel.
 */
#ifndef MEASURE_MEASURE_KERNEL_H
#define MEASURE_MEASURE_KERNEL_H

#include "measure/content_key.h"
#include "measure/kernel/decode_kernel.h"
#include "measure/kernel/kernel_job.h"
#include "measure/kernel/warp.h"

/* The neighbour that the first and the last run of a line do not have. */
#define NO_ID   256u
#define NO_CELL 0xffffffffu

/* As in label_stats.h, which is not CUDA C++. */
enum { KERNEL_ROW = 0, KERNEL_COLUMN = 1 };
#define KERNEL_INDEX_MASK (((uint64_t)1 << 47) - 1)

/* A complete run of a line. */
struct kernel_run {
	uint32_t id, left, right; /* left, right: NO_ID at the border */
	uint32_t length;
};

/* The counts of one lane in one direction. */
struct lane_counts {
	uint32_t edges, wide_edges, long_between, between_pixels;
	uint64_t content[2];
};

KERNEL_FN uint32_t kernel_gap(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

KERNEL_FN uint32_t kernel_is_between(uint32_t left, uint32_t id, uint32_t right)
{
	return (left < id && id < right) || (left > id && id > right);
}

/* Counts a run, except labels, places and worst. Returns whether it is a lone pixel between its neighbours. */
KERNEL_FN uint32_t kernel_count_run(struct kernel_slot *slot, struct lane_counts *counts, uint32_t line,
				    const struct kernel_run *run)
{
	if (run->length <= 2)
		cell_add(&slot->thin[run->id], run->length);
	if (run->right == NO_ID)
		return 0;
	counts->edges++;
	counts->wide_edges += kernel_gap(run->id, run->right) >= 2;
	if (run->left == NO_ID || run->left == run->right)
		return 0;

	uint32_t between = kernel_is_between(run->left, run->id, run->right);

	if (run->length > 1) {
		counts->long_between += between;
		return 0;
	}
	cell_add(&slot->lone[line][run->id], 1);
	if (between)
		cell_add(&slot->between[line][run->id], 1);
	return between;
}

KERNEL_FN uint64_t kernel_worst_key(const struct kernel_run *run, uint64_t index, uint32_t line)
{
	return (uint64_t)kernel_gap(run->left, run->right) << 48 | (KERNEL_INDEX_MASK - index) << 1 |
	       (line == KERNEL_ROW);
}

/* Adds `length` pixels from x on in row y to the place and box of an illegal id. */
KERNEL_FN void kernel_note_place(struct kernel_slot *slot, uint32_t id, uint32_t width, uint32_t x, uint32_t y,
				 uint32_t length)
{
	cell_min(&slot->first_index[id], y * width + x);
	cell_min(&slot->x0[id], x);
	cell_max(&slot->x1[id], x + length - 1);
	cell_min(&slot->y0[id], y);
	cell_max(&slot->y1[id], y);
}

/* Counts the complete run [start, end) of row y. weight: of the row in the content key. */
KERNEL_FN void kernel_close_row_run(const struct kernel_batch *b, const struct kernel_raster *raster,
				    struct kernel_slot *slot, const uint8_t *row, uint32_t y,
				    const struct content_pair *weight, uint32_t start, uint32_t end,
				    struct lane_counts *counts, uint64_t *worst)
{
	struct kernel_run run;

	run.id = row[start];
	run.left = start > 0 ? row[start - 1] : NO_ID;
	run.right = end < raster->width ? row[end] : NO_ID;
	run.length = end - start;

	struct content_pair content = content_columns(start, end);

	counts->content[0] += (run.id + 1) * content.v[0] * weight->v[0];
	counts->content[1] += (run.id + 1) * content.v[1] * weight->v[1];
	cell_add(&slot->labels[run.id], run.length);
	if (!(b->legal[run.id / 32] >> run.id % 32 & 1))
		kernel_note_place(slot, run.id, raster->width, start, y, run.length);
	if (kernel_count_run(slot, counts, KERNEL_ROW, &run)) {
		uint64_t key = kernel_worst_key(&run, (uint64_t)y * raster->width + start, KERNEL_ROW);

		counts->between_pixels++;
		*worst = key > *worst ? key : *worst;
	}
}

KERNEL_FN void kernel_rows(struct warp *w, const struct kernel_batch *b, const struct kernel_raster *raster,
			   struct kernel_slot *slot, struct lane_counts *counts, uint64_t *worst)
{
	LANE_VAR(uint32_t, starts_here);

	for (uint32_t y = 0; y < raster->height; y++) {
		const uint8_t *row = raster->ids + (uint64_t)y * raster->stride;
		struct content_pair weight = content_rows(raster->height - y, raster->height - y - 1);
		uint32_t start = 0; /* of the run that is still open */

		for (uint32_t base = 0; base < raster->width; base += WARP_LANES) {
			LANES (w, lane) {
				uint32_t x = base + lane;

				AT(starts_here, lane) = x > 0 && x < raster->width && row[x] != row[x - 1];
			}
			uint32_t starts = warp_ballot(w, starts_here);

			if (!starts)
				continue;
			LANES (w, lane) {
				uint32_t below = starts & ((1u << lane) - 1);

				if (AT(starts_here, lane))
					kernel_close_row_run(b, raster, slot, row, y, &weight,
							     below ? base + bit_last(below) : start, base + lane,
							     &AT(counts, lane), &AT(worst, lane));
			}
			start = base + bit_last(starts);
		}
		LANES (w, lane) {
			if (lane == 0)
				kernel_close_row_run(b, raster, slot, row, y, &weight, start, raster->width,
						     &AT(counts, lane), &AT(worst, lane));
		}
	}
}

/* Measures a column, by one lane. */
KERNEL_FN void kernel_column(const struct kernel_raster *raster, struct kernel_slot *slot, uint32_t x,
			     struct lane_counts *counts, uint64_t *worst)
{
	struct kernel_run run;

	run.id = raster->ids[x];
	run.left = NO_ID;
	run.length = 1;
	for (uint32_t y = 1; y < raster->height; y++) {
		const uint8_t *row = raster->ids + (uint64_t)y * raster->stride;

		run.right = row[x];
		if (run.right == run.id) {
			run.length++;
			continue;
		}
		if (kernel_count_run(slot, counts, KERNEL_COLUMN, &run)) {
			const uint8_t *above = row - raster->stride; /* the row of the lone pixel */
			uint64_t key = kernel_worst_key(&run, (uint64_t)(y - 1) * raster->width + x, KERNEL_COLUMN);

			*worst = key > *worst ? key : *worst;
			/* kernel_rows has counted it if it is between its row neighbours, too */
			if (!(x > 0 && x + 1 < raster->width && kernel_is_between(above[x - 1], run.id, above[x + 1])))
				counts->between_pixels++;
		}
		run.left = run.id;
		run.id = run.right;
		run.length = 1;
	}
	run.right = NO_ID;
	kernel_count_run(slot, counts, KERNEL_COLUMN, &run);
}

KERNEL_FN void kernel_clear_slot(struct warp *w, struct kernel_slot *slot)
{
	LANES (w, lane) {
		if (lane < KERNEL_IDS / 32)
			slot->raw_used[lane] = 0;
		for (uint32_t id = lane; id < KERNEL_IDS; id += WARP_LANES) {
			slot->labels[id] = slot->thin[id] = 0;
			slot->lone[0][id] = slot->lone[1][id] = 0;
			slot->between[0][id] = slot->between[1][id] = 0;
			slot->first_index[id] = slot->x0[id] = slot->y0[id] = NO_CELL;
			slot->x1[id] = slot->y1[id] = 0;
		}
	}
}

/* Adds up the counts of all lanes in one direction, writes them to the slot and clears them. Returns between_pixels. */
KERNEL_FN uint32_t kernel_sum_counts(struct warp *w, struct kernel_slot *slot, uint32_t line,
				     struct lane_counts *counts)
{
	LANE_VAR(uint32_t, v);

	LANES (w, lane)
		AT(v, lane) = AT(counts, lane).edges;
	uint32_t edges = warp_sum(w, v);

	LANES (w, lane)
		AT(v, lane) = AT(counts, lane).wide_edges;
	uint32_t wide_edges = warp_sum(w, v);

	LANES (w, lane)
		AT(v, lane) = AT(counts, lane).long_between;
	uint32_t long_between = warp_sum(w, v);

	LANES (w, lane)
		AT(v, lane) = AT(counts, lane).between_pixels;
	uint32_t between_pixels = warp_sum(w, v);

	LANES (w, lane) {
		struct lane_counts none = { 0, 0, 0, 0, { 0, 0 } };

		AT(counts, lane) = none;
		if (lane == 0) {
			slot->edges[line] = edges;
			slot->wide_edges[line] = wide_edges;
			slot->long_between[line] = long_between;
		}
	}
	return between_pixels;
}

/* Writes the content key, to which only rows add. */
KERNEL_FN void kernel_sum_content(struct warp *w, struct kernel_slot *slot, const struct lane_counts *counts)
{
	LANE_VAR(uint64_t, v);

	for (uint32_t i = 0; i < 2; i++) {
		LANES (w, lane)
			AT(v, lane) = AT(counts, lane).content[i];
		uint64_t sum = warp_sum_wide(w, v);

		LANES (w, lane) {
			if (lane == 0)
				slot->content[i] = sum;
		}
	}
}

KERNEL_FN void kernel_finish_slot(struct warp *w, const struct kernel_job *job, const struct kernel_raster *raster,
				  struct kernel_slot *slot, uint32_t between_pixels, uint64_t worst_key)
{
	LANES (w, lane) {
		if (lane == 0) {
			slot->serial = job->serial;
			slot->status = KERNEL_MEASURED;
			slot->padding = 0;
			slot->between_pixels = between_pixels;
			slot->worst_key = worst_key;
			slot->worst_left = slot->worst_id = slot->worst_right = 0;
			if (worst_key && raster->width) {
				/* the worst pixel has two neighbours in its line */
				uint32_t index = (uint32_t)(KERNEL_INDEX_MASK - (worst_key >> 1 & KERNEL_INDEX_MASK));
				uint32_t step = worst_key & 1 ? 1 : raster->stride;
				const uint8_t *pixel = raster->ids +
						       (uint64_t)(index / raster->width) * raster->stride +
						       index % raster->width;

				slot->worst_left = *(pixel - step);
				slot->worst_id = *pixel;
				slot->worst_right = *(pixel + step);
			}
		}
	}
}

KERNEL_FN void kernel_measure(struct warp *w, const struct kernel_batch *b, const struct kernel_job *job,
			      const struct kernel_raster *raster, struct kernel_slot *slot)
{
	LANE_VAR(struct lane_counts, counts);
	LANE_VAR(uint64_t, worst);

	LANES (w, lane) {
		struct lane_counts none = { 0, 0, 0, 0, { 0, 0 } };

		AT(counts, lane) = none;
		AT(worst, lane) = 0;
	}
	kernel_rows(w, b, raster, slot, counts, worst);
	kernel_sum_content(w, slot, counts);
	uint32_t between_pixels = kernel_sum_counts(w, slot, KERNEL_ROW, counts);

	for (uint32_t base = 0; base < raster->width; base += WARP_LANES) {
		LANES (w, lane) {
			if (base + lane < raster->width)
				kernel_column(raster, slot, base + lane, &AT(counts, lane), &AT(worst, lane));
		}
	}
	between_pixels += kernel_sum_counts(w, slot, KERNEL_COLUMN, counts);
	kernel_finish_slot(w, job, raster, slot, between_pixels, warp_max(w, worst));
}

KERNEL_FN void kernel_refuse(struct warp *w, const struct kernel_job *job, struct kernel_slot *slot)
{
	LANES (w, lane) {
		if (lane == 0) {
			slot->serial = job->serial;
			slot->status = KERNEL_REFUSED;
		}
	}
}

/* Runs a warp until no jobs are left. index: the warp's number, which selects its part of the scratch. */
KERNEL_FN void kernel_run_warp(struct warp *w, struct kernel_shared *s, const struct kernel_batch *b, uint32_t index)
{
	uint8_t *scratch = b->scratch + (uint64_t)index * b->scratch_bytes;
	LANE_VAR(uint32_t, drawn);

	for (;;) {
		LANES (w, lane)
			AT(drawn, lane) = lane == 0 ? cell_add(b->next, 1) : 0;
		uint32_t at = warp_broadcast(w, drawn, 0);

		if (at >= b->count)
			return;
		const struct kernel_job *job = &b->jobs[at];
		struct kernel_slot *slot = &b->slots[at];
		struct kernel_raster raster;

		kernel_clear_slot(w, slot);
		warp_sync(w); /* the slot is clear, and all lanes are done with the last mask */
		if (kernel_decode(w, s, b, job, scratch, slot->raw_used, &raster))
			kernel_measure(w, b, job, &raster, slot);
		else
			kernel_refuse(w, job, slot);
		warp_sync(w);
	}
}

#endif
