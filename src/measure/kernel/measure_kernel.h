/*
 * The kernel: each warp (warp.h) draws jobs (kernel_job.h), decodes a mask to a raster of ids and measures it, as
 * label_stats.h defines. kernel_run_warp, at the end, is the entry.
 *
 * The filtered rows are inflated into the warp's scratch memory (inflate_kernel.h) and unfiltered in place. If samples
 * are not ids (depths other than 8, or a lut), the ids are written after them.
 *
 * Rows are measured 32 adjacent pixels at a time: a ballot finds where runs start, and the lane at such a place closes
 * the run before it. Columns are measured one per lane, 32 adjacent ones at a time, so that lanes read adjacent bytes.
 * The counters of ids are in global memory, and changed once per run, not once per pixel.
 */
#ifndef MEASURE_MEASURE_KERNEL_H
#define MEASURE_MEASURE_KERNEL_H

#include "measure/content_key.h"
#include "measure/kernel/inflate_kernel.h"
#include "measure/kernel/kernel_job.h"
#include "measure/kernel/warp.h"

/* ---- decoding --------------------------------------------------------------------------------------------------- */

/* Rows of 8-bit ids. */
struct kernel_raster {
	const uint8_t *ids;
	uint32_t width, height;
	uint32_t stride; /* bytes from row to row */
};

enum { KERNEL_NONE, KERNEL_SUB, KERNEL_UP, KERNEL_AVERAGE, KERNEL_PAETH };

KERNEL_FN uint32_t kernel_paeth(uint32_t left, uint32_t up, uint32_t corner)
{
	uint32_t to_left = up > corner ? up - corner : corner - up;
	uint32_t to_up = left > corner ? left - corner : corner - left;
	uint32_t sum = left + up, twice = 2 * corner, to_corner = sum > twice ? sum - twice : twice - sum;

	if (to_left <= to_up && to_left <= to_corner)
		return left;
	return to_up <= to_corner ? up : corner;
}

/* Unfilters a row of Up, adjacent bytes by adjacent lanes. */
KERNEL_FN void kernel_unfilter_up(struct warp *w, uint8_t *row, const uint8_t *above, uint32_t n)
{
	LANES (w, lane) {
		for (uint32_t i = lane; i < n; i += WARP_LANES)
			row[i] = (uint8_t)(row[i] + above[i]);
	}
}

/*
 * Unfilters a row of Sub. Each lane has a chunk; the sum of all chunks before it is its left pixel. The two bytes of a
 * 16-bit pixel are summed in the halves of a word, which 32 sums of 8 bits do not overflow.
 */
KERNEL_FN void kernel_unfilter_sub(struct warp *w, uint8_t *row, uint32_t n, uint32_t chunk, uint32_t pixel)
{
	LANE_VAR(uint32_t, sums);
	LANE_VAR(uint32_t, left);

	LANES (w, lane) {
		uint32_t i = lane * chunk, end = i + chunk < n ? i + chunk : n, low = 0, high = 0;

		for (; i < end; i += pixel) {
			low += row[i];
			high += row[i + pixel - 1];
		}
		AT(sums, lane) = (low & 0xff) | (high & 0xff) << 16;
	}
	warp_scan(w, left, sums);
	LANES (w, lane) {
		uint32_t i = lane * chunk, end = i + chunk < n ? i + chunk : n;
		uint32_t low = AT(left, lane), high = low >> 16;

		for (; i < end; i += pixel) {
			high += row[i + pixel - 1];
			low += row[i];
			row[i + pixel - 1] = (uint8_t)high;
			row[i] = (uint8_t)low; /* the same place, and the same value, if a pixel has one byte */
		}
	}
}

/*
 * Unfilters bytes i to end of a row of Average or Paeth. left: the pixel before them, its last byte lowest. Returns
 * their last pixel; stores them if `store`. above: NULL for the first row.
 */
KERNEL_FN uint32_t kernel_chunk(uint8_t *row, const uint8_t *above, uint32_t i, uint32_t end, uint32_t pixel,
				uint32_t filter, uint32_t left, uint32_t store)
{
	uint32_t shift = 8 * (pixel - 1), mask = (256u << shift) - 1;

	for (; i < end; i++) {
		uint32_t a = left >> shift & 0xff, b = above ? above[i] : 0, v;

		if (filter == KERNEL_AVERAGE)
			v = (a + b) / 2;
		else
			v = kernel_paeth(a, b, above && i >= pixel ? above[i - pixel] : 0);
		v = (row[i] + v) & 0xff;
		left = (left << 8 | v) & mask;
		if (store)
			row[i] = (uint8_t)v;
	}
	return left;
}

/*
 * Unfilters a row of Average or Paeth, where a byte depends on the finished byte to its left. Each lane guesses the
 * pixel left of its chunk to be the one above that, which is right in most of a mask, and computes its last pixel; it
 * repeats this while the lane to its left disagrees. Lane 0 is right at once, so that 32 rounds suffice. The row is
 * stored at the end.
 */
KERNEL_FN void kernel_unfilter_left(struct warp *w, uint8_t *row, const uint8_t *above, uint32_t n, uint32_t chunk,
				    uint32_t pixel, uint32_t filter)
{
	LANE_VAR(uint32_t, guess);
	LANE_VAR(uint32_t, left);
	LANE_VAR(uint32_t, last);
	LANE_VAR(uint32_t, wrong);
	uint32_t again = 0xffffffffu; /* bit by lane */

	LANES (w, lane) {
		uint32_t from = lane * chunk;

		AT(guess, lane) = 0;
		for (uint32_t i = pixel; above && lane && from < n && i > 0; i--)
			AT(guess, lane) = AT(guess, lane) << 8 | above[from - i];
		AT(left, lane) = AT(guess, lane);
		AT(last, lane) = 0;
	}
	do {
		LANES (w, lane) {
			uint32_t from = lane * chunk, end = from + chunk < n ? from + chunk : n;

			if (again >> lane & 1)
				AT(last, lane) = kernel_chunk(row, above, from, end, pixel, filter, AT(left, lane), 0);
			AT(guess, lane) = AT(left, lane);
		}
		warp_from_left(w, left, last, 0);
		LANES (w, lane)
			AT(wrong, lane) = lane * chunk < n && AT(left, lane) != AT(guess, lane);
		again = warp_ballot(w, wrong);
	} while (again);
	LANES (w, lane) {
		uint32_t from = lane * chunk, end = from + chunk < n ? from + chunk : n;

		kernel_chunk(row, above, from, end, pixel, filter, AT(left, lane), 1);
	}
}

/* Unfilters all rows of n bytes, each after its filter byte. Returns 0 if a filter byte is invalid. */
KERNEL_FN uint32_t kernel_unfilter(struct warp *w, uint8_t *rows, uint32_t n, uint32_t height, uint32_t pixel)
{
	uint32_t chunk = (n / pixel + WARP_LANES - 1) / WARP_LANES * pixel;
	const uint8_t *above = 0;

	for (uint32_t y = 0; y < height; y++) {
		uint8_t *row = rows + y * (n + 1) + 1;
		uint32_t filter = row[-1];

		if (filter > KERNEL_PAETH)
			return 0;
		if (filter == KERNEL_SUB || (filter == KERNEL_PAETH && !above))
			kernel_unfilter_sub(w, row, n, chunk, pixel);
		else if (filter == KERNEL_UP && above)
			kernel_unfilter_up(w, row, above, n);
		else if (filter >= KERNEL_AVERAGE)
			kernel_unfilter_left(w, row, above, n, chunk, pixel, filter);
		warp_sync(w);
		above = row;
	}
	return 1;
}

KERNEL_FN uint32_t kernel_sample(const uint8_t *row, uint32_t depth, uint32_t x)
{
	if (depth == 16)
		return row[2 * x];
	return (uint32_t)row[x * depth / 8] >> (8 - depth - x * depth % 8) & ((1u << depth) - 1);
}

/* Converts unfiltered rows to ids, one byte each. */
KERNEL_FN void kernel_make_ids(struct warp *w, const struct kernel_job *job, const uint8_t *rows, uint32_t row_bytes,
			       const uint8_t *lut, uint32_t *raw_used, uint8_t *ids)
{
	for (uint32_t y = 0; y < job->height; y++) {
		const uint8_t *row = rows + y * (row_bytes + 1) + 1;

		LANES (w, lane) {
			for (uint32_t x = lane; x < job->width; x += WARP_LANES) {
				uint32_t sample = job->depth == 8 ? row[x] : kernel_sample(row, job->depth, x);

				if (lut) {
					/* once per run */
					if (x == 0 || kernel_sample(row, job->depth, x - 1) != sample)
						cell_or(&raw_used[sample / 32], 1u << sample % 32);
					sample = lut[sample];
				}
				ids[y * job->width + x] = (uint8_t)sample;
			}
		}
	}
	warp_sync(w);
}

/* Returns whether ids are written after the samples: samples are not ids. */
KERNEL_FN uint32_t kernel_job_makes_ids(const struct kernel_job *job)
{
	return job->depth != 8 || job->lut_at != KERNEL_NO_LUT;
}

/* Decodes a job's stream; raw_used comes cleared. Returns 0 if the stream is refused. */
KERNEL_FN uint32_t kernel_decode(struct warp *w, struct kernel_shared *s, const struct kernel_batch *b,
				 const struct kernel_job *job, uint8_t *scratch, uint32_t *raw_used,
				 struct kernel_raster *raster)
{
	uint32_t row_bytes = (job->width * job->depth + 7) / 8, bytes = (row_bytes + 1) * job->height;

	if (!kernel_inflate(w, s, b->streams + job->stream_at, job->stream_bytes, scratch, bytes) ||
	    !kernel_unfilter(w, scratch, row_bytes, job->height, job->depth == 16 ? 2 : 1))
		return 0;
	raster->width = job->width;
	raster->height = job->height;
	if (kernel_job_makes_ids(job)) {
		const uint8_t *lut = job->lut_at == KERNEL_NO_LUT ? 0 : b->streams + job->lut_at;

		kernel_make_ids(w, job, scratch, row_bytes, lut, raw_used, scratch + bytes);
		raster->ids = scratch + bytes;
		raster->stride = job->width;
	} else {
		raster->ids = scratch + 1;
		raster->stride = row_bytes + 1;
	}
	return 1;
}

/* ---- measuring -------------------------------------------------------------------------------------------------- */

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

/* Writes all that kernel_clear_slot leaves: the host downloads whole slots. */
KERNEL_FN void kernel_refuse(struct warp *w, const struct kernel_job *job, struct kernel_slot *slot)
{
	LANES (w, lane) {
		if (lane == 0) {
			slot->serial = job->serial;
			slot->status = KERNEL_REFUSED;
			slot->padding = 0;
			slot->worst_key = 0;
			slot->worst_left = slot->worst_id = slot->worst_right = 0;
			slot->between_pixels = 0;
			for (uint32_t i = 0; i < 2; i++) {
				slot->content[i] = 0;
				slot->edges[i] = slot->wide_edges[i] = slot->long_between[i] = 0;
			}
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
