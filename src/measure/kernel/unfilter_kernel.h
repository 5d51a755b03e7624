/*
 * Unfilters the rows of a mask, and makes ids of samples that are none: a tile of a row at a time, a lane's bytes in
 * words.
 */
#pragma once

#include "measure/kernel/kernel_memory.h"

enum { KERNEL_NONE, KERNEL_SUB, KERNEL_UP, KERNEL_AVERAGE, KERNEL_PAETH };

/* The bytes of one lane in a tile. */
struct lane_words {
	uint32_t word[KERNEL_LANE_WORDS];
};

/* Returns the bytes from `at` on. `bytes` is a multiple of 4. */
KERNEL_FN struct lane_words kernel_load(const uint8_t *bytes, uint32_t at)
{
	const uint8_t *p = bytes + at / 4 * 4;
	uint32_t shift = at % 4 * 8, low = load_word(p);
	struct lane_words v;

	for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++) {
		uint32_t high = load_word(p + 4 * (k + 1));

		v.word[k] = word_pair_shift(low, high, shift);
		low = high;
	}
	return v;
}

KERNEL_FN struct lane_words kernel_load_aligned(const uint8_t *bytes)
{
	struct lane_words v;

	for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++)
		v.word[k] = load_word(bytes + 4 * k);
	return v;
}

KERNEL_FN void kernel_store_aligned(uint8_t *bytes, const struct lane_words *v)
{
	for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++)
		store_word(bytes + 4 * k, v->word[k]);
}

KERNEL_FN uint32_t kernel_any(const struct lane_words *v)
{
	uint32_t any = 0;

	for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++)
		any |= v->word[k];
	return any;
}

/* Adds bytes to bytes, each modulo 256. */
KERNEL_FN uint32_t kernel_add_bytes(uint32_t a, uint32_t b)
{
	return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
}

KERNEL_FN uint32_t kernel_paeth(uint32_t left, uint32_t up, uint32_t corner)
{
	uint32_t to_left = up > corner ? up - corner : corner - up;
	uint32_t to_up = left > corner ? left - corner : corner - left;
	uint32_t sum = left + up, twice = 2 * corner, to_corner = sum > twice ? sum - twice : twice - sum;

	if (to_left <= to_up && to_left <= to_corner)
		return left;
	return to_up <= to_corner ? up : corner;
}

/*
 * The pixel before a lane's bytes is held with its last byte lowest; there are 16 bits of it, of which a pixel of one
 * byte uses the lower 8.
 */
KERNEL_FN uint32_t kernel_last_pixel(uint32_t word)
{
	return word >> 24 | (word >> 8 & 0xff00);
}

/* Unfilters a lane's bytes; `filter` depends on the byte to the left. Returns the last pixel. */
KERNEL_FN uint32_t kernel_unfilter_lane(uint32_t filter, uint32_t pixel, const struct lane_words *filtered,
					const struct lane_words *up, uint32_t left, uint32_t corner,
					struct lane_words *out)
{
	uint32_t shift = 8 * (pixel - 1);

	for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++) {
		uint32_t word = 0;

		for (uint32_t i = 0; i < 32; i += 8) {
			uint32_t a = left >> shift & 0xff, b = up->word[k] >> i & 0xff, v = a;

			if (filter == KERNEL_AVERAGE)
				v = (a + b) / 2;
			else if (filter == KERNEL_PAETH)
				v = kernel_paeth(a, b, corner >> shift & 0xff);
			v = (v + (filtered->word[k] >> i)) & 0xff;
			left = (left << 8 | v) & 0xffff;
			corner = corner << 8 | b;
			word |= v << i;
		}
		out->word[k] = word;
	}
	return left;
}

/* The last pixel of a tile, and that of the row above. */
struct tile_carry {
	uint32_t left, corner;
};

/* Unfilters a tile of Sub: the sum of all bytes before a lane's is its left pixel. */
KERNEL_FN void kernel_unfilter_sub(struct warp *w, uint32_t pixel, const struct lane_words *filtered,
				   const struct lane_words *up, struct tile_carry *carry, struct lane_words *out)
{
	LANE_VAR(uint32_t, sums); /* of the first bytes of pixels in the upper half, of the last ones in the lower */
	LANE_VAR(uint32_t, left);
	LANE_VAR(uint32_t, last);

	LANES (w, lane) {
		uint32_t even = 0, odd = 0;

		for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++) {
			even += word_even_bytes(AT(filtered, lane).word[k]);
			odd += word_odd_bytes(AT(filtered, lane).word[k]);
		}
		even = word_add_halves(even);
		odd = word_add_halves(odd);
		AT(sums, lane) = pixel == 1 ? even + odd : even << 16 | odd;
	}
	warp_scan(w, left, sums); /* 32 sums of KERNEL_LANE_PIXELS bytes do not overflow a half */
	LANES (w, lane) {
		uint32_t second = AT(left, lane) + carry->left, first = (AT(left, lane) >> 16) + (carry->left >> 8);

		AT(last, lane) = kernel_unfilter_lane(KERNEL_SUB, pixel, &AT(filtered, lane), &AT(up, lane),
						      (first & 0xff) << 8 | (second & 0xff), 0, &AT(out, lane));
	}
	carry->left = warp_broadcast(w, last, WARP_LANES - 1);
}

/*
 * Unfilters a tile of Average or Paeth, where a byte depends on the finished byte to its left. Each lane guesses the
 * pixel left of its own to be the one above that, and repeats while the lane to its left disagrees. Lane 0 is right at
 * once, so that 32 rounds suffice. n: the bytes of the row from here on.
 */
KERNEL_FN void kernel_unfilter_left(struct warp *w, uint32_t filter, uint32_t pixel, uint32_t n,
				    const struct lane_words *filtered, const struct lane_words *up,
				    struct tile_carry *carry, struct lane_words *out)
{
	LANE_VAR(uint32_t, up_last);
	LANE_VAR(uint32_t, corner);
	LANE_VAR(uint32_t, left);
	LANE_VAR(uint32_t, last);
	LANE_VAR(uint32_t, given);
	LANE_VAR(uint32_t, wrong);
	uint32_t mask = pixel == 1 ? 0xff : 0xffff;

	LANES (w, lane)
		AT(last, lane) = AT(up_last, lane) = kernel_last_pixel(AT(up, lane).word[KERNEL_LANE_WORDS - 1]);
	warp_from_left(w, corner, up_last, carry->corner);
	LANES (w, lane) {
		AT(left, lane) = lane ? AT(corner, lane) : carry->left;
		AT(wrong, lane) = lane * KERNEL_LANE_PIXELS < n;
	}
	while (warp_ballot(w, wrong)) {
		LANES (w, lane) {
			if (AT(wrong, lane))
				AT(last, lane) = kernel_unfilter_lane(filter, pixel, &AT(filtered, lane), &AT(up, lane),
								      AT(left, lane), AT(corner, lane), &AT(out, lane));
		}
		warp_from_left(w, given, last, carry->left);
		LANES (w, lane) {
			AT(wrong, lane) =
				lane * KERNEL_LANE_PIXELS < n && ((AT(given, lane) ^ AT(left, lane)) & mask) != 0;
			AT(left, lane) = AT(given, lane);
		}
	}
	carry->left = warp_broadcast(w, last, WARP_LANES - 1);
	carry->corner = warp_broadcast(w, up_last, WARP_LANES - 1);
}

/* Returns the sum of a lane's bytes. */
KERNEL_FN uint32_t kernel_add_up(const struct lane_words *v)
{
	uint32_t sum = 0;

	for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++)
		sum += word_even_bytes(v->word[k]) + word_odd_bytes(v->word[k]);
	return word_add_halves(sum);
}

/*
 * Unfilters a tile of Paeth with pixels of one byte, as kernel_unfilter_left does, but in fewer rounds. Where the row
 * above is flat, up to the pixel before, Paeth is Sub: it takes the left pixel. So a flat lane passes on what it gets,
 * plus the sum of its bytes, and only the others have to guess: first, that they repeat the row above.
 */
KERNEL_FN void kernel_unfilter_paeth(struct warp *w, uint32_t n, const struct lane_words *filtered,
				     const struct lane_words *up, struct tile_carry *carry, struct lane_words *out)
{
	LANE_VAR(uint32_t, v);
	LANE_VAR(uint32_t, corner);
	LANE_VAR(uint32_t, left);
	LANE_VAR(uint32_t, last);
	LANE_VAR(uint32_t, before); /* the sum of all flat lanes to the left */
	LANE_VAR(uint32_t, from);   /* the next lane to the left that is not flat; the lane itself: there is none */
	LANE_VAR(uint32_t, given);

	LANES (w, lane) {
		AT(last, lane) = AT(up, lane).word[KERNEL_LANE_WORDS - 1] >> 24;
		AT(v, lane) = kernel_any(&AT(filtered, lane));
		AT(out, lane) = AT(up, lane);
	}
	warp_from_left(w, corner, last, carry->corner);
	uint32_t again = warp_ballot(w, v); /* bit by lane: it has something to add, and later, it guessed wrong */

	if (!again && carry->left == carry->corner) {
		carry->left = carry->corner = warp_broadcast(w, last, WARP_LANES - 1);
		return;
	}
	carry->corner = warp_broadcast(w, last, WARP_LANES - 1);
	LANES (w, lane) {
		AT(v, lane) = 0;
		for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++)
			AT(v, lane) |= AT(up, lane).word[k] ^ AT(corner, lane) * 0x01010101u;
		AT(v, lane) = AT(v, lane) && lane * KERNEL_LANE_PIXELS < n;
	}
	uint32_t steep = warp_ballot(w, v); /* lanes that are not flat */

	again &= steep;
	LANES (w, lane)
		AT(v, lane) = steep >> lane & 1 ? 0 : kernel_add_up(&AT(filtered, lane));
	warp_scan(w, before, v);
	LANES (w, lane) {
		uint32_t lower = steep & ((1u << lane) - 1);

		AT(from, lane) = lower ? bit_last(lower) : lane;
		AT(left, lane) = AT(corner, lane);
	}
	for (;;) {
		LANES (w, lane)
			AT(v, lane) = AT(last, lane) - AT(before, lane);
		warp_from(w, given, v, from);
		LANES (w, lane) {
			uint32_t source = AT(from, lane) != lane ? AT(given, lane) : carry->left;

			AT(given, lane) = (source + AT(before, lane)) & 0xff;
			AT(v, lane) = AT(given, lane) != AT(left, lane);
			AT(left, lane) = AT(given, lane);
		}
		again |= steep & warp_ballot(w, v);
		if (!again)
			break;
		LANES (w, lane) {
			if (again >> lane & 1)
				AT(last, lane) =
					kernel_unfilter_lane(KERNEL_PAETH, 1, &AT(filtered, lane), &AT(up, lane),
							     AT(left, lane), AT(corner, lane), &AT(out, lane));
		}
		again = 0;
	}
	LANES (w, lane) {
		if (!(steep >> lane & 1))
			AT(last, lane) = kernel_unfilter_lane(KERNEL_SUB, 1, &AT(filtered, lane), &AT(up, lane),
							      AT(left, lane), 0, &AT(out, lane));
	}
	carry->left = warp_broadcast(w, last, WARP_LANES - 1) & 0xff;
}

/*
 * Unfilters row y. above: where in scratch the row above it is, unfiltered; zeros for the first one. Returns whether
 * they differ.
 */
KERNEL_FN uint32_t kernel_unfilter_row(struct warp *w, const struct kernel_shared *s, uint8_t *scratch, uint32_t y,
				       uint32_t above, uint32_t row)
{
	LANE_VAR(struct lane_words, in);
	LANE_VAR(struct lane_words, up);
	LANE_VAR(struct lane_words, out);
	LANE_VAR(uint32_t, differs);
	struct tile_carry carry = { 0, 0 };
	uint32_t n = s->layout.row_bytes, pixel = s->job.depth == 16 ? 2 : 1;
	uint32_t at = y * (n + 1) + 1, filter = scratch[at - 1];

	LANES (w, lane)
		AT(differs, lane) = 0;
	for (uint32_t base = 0; base < n; base += KERNEL_TILE) {
		LANES (w, lane) {
			uint32_t x = base + lane * KERNEL_LANE_PIXELS;

			for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++)
				AT(in, lane).word[k] = AT(up, lane).word[k] = 0;
			if (x < n) {
				AT(in, lane) = kernel_load(scratch, at + x);
				AT(up, lane) = kernel_load_aligned(scratch + (above + x));
			}
		}
		if (filter == KERNEL_SUB) {
			kernel_unfilter_sub(w, pixel, in, up, &carry, out);
		} else if (filter == KERNEL_PAETH && pixel == 1) {
			kernel_unfilter_paeth(w, n - base, in, up, &carry, out);
		} else if (filter >= KERNEL_AVERAGE) {
			kernel_unfilter_left(w, filter, pixel, n - base, in, up, &carry, out);
		} else {
			uint32_t add = filter == KERNEL_UP ? 0xffffffffu : 0;

			LANES (w, lane) {
				for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++)
					AT(out, lane).word[k] =
						kernel_add_bytes(AT(in, lane).word[k], AT(up, lane).word[k] & add);
			}
		}
		LANES (w, lane) {
			uint32_t x = base + lane * KERNEL_LANE_PIXELS;

			if (x < n) {
				for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++) {
					/* 0 after the end, so that rows compare as words */
					if (n - x < 4 * k + 4)
						AT(out, lane).word[k] &=
							n - x > 4 * k ? (1u << 8 * (n - x - 4 * k)) - 1 : 0;
					AT(differs, lane) |= AT(out, lane).word[k] ^ AT(up, lane).word[k];
				}
				kernel_store_aligned(scratch + (row + x), &AT(out, lane));
			}
		}
	}
	return warp_ballot(w, differs);
}

/* Returns whether all rows have a filter that exists. */
KERNEL_FN uint32_t kernel_filters_exist(struct warp *w, const struct kernel_shared *s, const uint8_t *filtered)
{
	LANE_VAR(uint32_t, bad);

	LANES (w, lane) {
		AT(bad, lane) = 0;
		for (uint32_t y = lane; y < s->job.height; y += WARP_LANES)
			AT(bad, lane) |= filtered[y * (s->layout.row_bytes + 1)] > KERNEL_PAETH;
	}
	return !warp_ballot(w, bad);
}

KERNEL_FN uint32_t kernel_sample(const uint8_t *row, uint32_t depth, uint32_t x)
{
	if (depth == 8)
		return row[x];
	if (depth == 16)
		return row[2 * x];
	return (uint32_t)row[x * depth / 8] >> (8 - depth - x * depth % 8) & ((1u << depth) - 1);
}

/* Converts a row of samples to ids, one byte each. */
KERNEL_FN void kernel_make_ids(struct warp *w, const struct kernel_shared *s, const struct kernel_batch *b,
			       struct kernel_slot *slot, const uint8_t *samples, uint8_t *ids)
{
	const struct kernel_job *job = &s->job;
	const uint8_t *lut = job->lut_at == KERNEL_NO_LUT ? 0 : b->streams + job->lut_at;

	LANES (w, lane) {
		/* to the end of the last lane's pixels */
		for (uint32_t x = 4 * lane; x / KERNEL_LANE_PIXELS * KERNEL_LANE_PIXELS < job->width;
		     x += 4 * WARP_LANES) {
			uint32_t word = 0;

			for (uint32_t i = 0; i < 4 && x + i < job->width; i++) {
				uint32_t sample = kernel_sample(samples, job->depth, x + i);

				if (lut) {
					/* once per run */
					if (x + i == 0 || kernel_sample(samples, job->depth, x + i - 1) != sample)
						cell_or(&slot->raw_used[sample / 32], 1u << sample % 32);
					sample = lut[sample];
				}
				word |= sample << 8 * i;
			}
			store_word(ids + x, word);
		}
	}
}
