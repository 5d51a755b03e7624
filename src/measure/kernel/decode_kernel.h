/*
 * Decodes a PNG's zlib stream to a raster of ids, by a warp (warp.h).
 *
 * The filtered rows are inflated into the warp's scratch memory (inflate_kernel.h) and unfiltered in place. If samples
 * are not ids (depths other than 8, or a lut), the ids are written after them.
 */
#ifndef MEASURE_DECODE_KERNEL_H
#define MEASURE_DECODE_KERNEL_H

#include "measure/kernel/inflate_kernel.h"
#include "measure/kernel/kernel_job.h"
#include "measure/kernel/warp.h"

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

#endif
