/*
 * Inflate (RFC 1950, RFC 1951) by a warp (warp.h).
 *
 * Huffman codes have no markers at which decoding could start. So a window of the next bits is divided into shares, and
 * each lane guesses that a symbol starts where its share does, and reads symbols into its own slots. If a lane did not
 * start where the lane to its left ended, it reads again from there. Wrong starts soon fall into step with the right
 * ones, so that few rounds are needed; lane 0 starts right, so that 32 rounds always suffice.
 *
 * Then all lanes store their literals, and copy the matches together, one after the other. Lengths and distances are
 * checked before anything that depends on them is stored. Refused is whatever zlib refuses, and besides: an incomplete
 * literal code, a match beyond the declared window, data after the end, and an absurd number of blocks. The host finds
 * the reason with the reference.
 *
 * Work is bounded by the sizes of the stream and the output. Reads stay within the stream and its
 * KERNEL_STREAM_PADDING, writes within the output.
 */
#ifndef MEASURE_INFLATE_KERNEL_H
#define MEASURE_INFLATE_KERNEL_H

#include "measure/kernel/huffman_kernel.h"
#include "measure/kernel/kernel_job.h"
#include "measure/kernel/warp.h"

enum {
	/* Bits per share; adapted so that a lane's symbols fill three quarters of its slots. */
	KERNEL_SHARE_MIN = 16,
	KERNEL_SHARE_MAX = 1024,
	KERNEL_SHARE_FIRST = 160, /* masks have 14 bits a symbol, typically */
};

/*
 * A stream may have KERNEL_BLOCKS_MIN blocks, and one more per KERNEL_BLOCK_BYTES bytes: zlib with the least memory
 * ends a block after 128 symbols.
 */
#define KERNEL_BLOCKS_MIN  64u
#define KERNEL_BLOCK_BYTES 32u

#define MATCH_FLAG 0x80000000u

/* The symbols that a lane read from bit `start` to `end`. */
struct lane_tokens {
	uint32_t start, end;
	uint32_t count, bytes; /* symbols, and bytes of output */
	uint32_t state;
};
enum { TOKENS_MORE, TOKENS_FULL, TOKENS_END, TOKENS_BAD };

/* Reads symbols from t->start until one ends at or after `bound`, the slots are full, or the block ends or is bad. */
KERNEL_FN void kernel_read_tokens(const struct kernel_shared *s, const struct kernel_inflate *z, uint32_t bound,
				  uint32_t *tokens, struct lane_tokens *t)
{
	uint32_t at = t->start, count = 0, bytes = 0, state = TOKENS_MORE;

	while (at < bound && state == TOKENS_MORE) {
		if (count == KERNEL_TOKENS) {
			state = TOKENS_FULL;
			break;
		}
		if (at >= z->end) {
			state = TOKENS_BAD;
			break;
		}
		uint64_t bits = kernel_bits(z->stream, at);
		uint32_t entry = kernel_lookup(s, CODE_LITLEN, (uint32_t)bits);
		uint32_t kind = entry >> 8 & 3, used = entry & 15, extra = entry >> 4 & 15, value = entry >> 16;

		if (!entry || kind == ENTRY_INVALID) {
			state = TOKENS_BAD;
		} else if (kind == ENTRY_END) {
			at += used;
			state = TOKENS_END;
		} else if (kind == ENTRY_VALUE) {
			at += used;
			tokens[count++] = value;
			bytes++;
		} else {
			uint32_t length = value + kernel_low_bits(bits >> used, extra);

			used += extra;
			entry = kernel_lookup(s, CODE_DISTANCE, (uint32_t)(bits >> used));
			if (!entry || (entry >> 8 & 3) == ENTRY_INVALID) {
				state = TOKENS_BAD;
			} else {
				used += entry & 15;
				extra = entry >> 4 & 15;
				value = (entry >> 16) + kernel_low_bits(bits >> used, extra);
				at += used + extra;
				tokens[count++] = MATCH_FLAG | (length - KERNEL_MATCH_MIN) << 15 | (value - 1);
				bytes += length;
			}
		}
		if (at > z->end)
			state = TOKENS_BAD;
	}
	t->end = at;
	t->count = count;
	t->bytes = bytes;
	t->state = state;
}

/*
 * Reads a window from z->at on, until lanes 0 to the returned one are right. The returned one is the first that ended
 * the block, found an error or filled its slots, or else the last.
 */
KERNEL_FN uint32_t kernel_read_window(struct warp *w, struct kernel_shared *s, const struct kernel_inflate *z,
				      uint32_t share, struct lane_tokens *t)
{
	LANE_VAR(uint32_t, v);
	LANE_VAR(uint32_t, left_end);

	LANES (w, lane) {
		AT(t, lane).start = z->at + lane * share;
		kernel_read_tokens(s, z, z->at + (lane + 1) * share, s->u.tokens + lane * KERNEL_TOKENS_STRIDE,
				   &AT(t, lane));
	}
	for (;;) {
		LANES (w, lane)
			AT(v, lane) = AT(t, lane).end;
		warp_from_left(w, left_end, v, z->at);
		LANES (w, lane)
			AT(v, lane) = AT(t, lane).state != TOKENS_MORE;
		uint32_t stopped = warp_ballot(w, v);
		uint32_t last = stopped ? bit_first(stopped) : WARP_LANES - 1;

		/* A lane after one that stopped keeps its guess: that one may have guessed wrong. */
		LANES (w, lane)
			AT(v, lane) = !(stopped << 1 >> lane & 1) && AT(left_end, lane) != AT(t, lane).start;
		uint32_t wrong = warp_ballot(w, v);

		if (!wrong || bit_first(wrong) > last)
			return last;
		LANES (w, lane) {
			if (AT(v, lane)) {
				AT(t, lane).start = AT(left_end, lane);
				kernel_read_tokens(s, z, z->at + (lane + 1) * share,
						   s->u.tokens + lane * KERNEL_TOKENS_STRIDE, &AT(t, lane));
			}
		}
	}
}

/*
 * Stores a lane's literals and leaves its matches in the slots, each with the number of literals before it in bits 23
 * to 30. Returns the number of matches; sets *bad if one starts before the output, or beyond the window.
 */
KERNEL_FN uint32_t kernel_store_literals(const struct kernel_inflate *z, uint32_t *tokens, uint32_t count, uint32_t at,
					 uint32_t *bad)
{
	uint32_t matches = 0, literals = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t token = tokens[i];

		if (!(token & MATCH_FLAG)) {
			z->out[at++] = (uint8_t)token;
			literals++;
			continue;
		}
		uint32_t distance = (token & 0x7fff) + 1;

		if (distance > at || distance > z->window)
			*bad = 1;
		at += (token >> 15 & 0xff) + KERNEL_MATCH_MIN;
		tokens[matches++] = (token & ~MATCH_FLAG) | literals << 23;
		literals = 0;
	}
	return matches;
}

/* Copies a match. A source that reaches into the match repeats, so no lane reads what another writes. */
KERNEL_FN void kernel_copy_match(struct warp *w, uint8_t *out, uint32_t at, uint32_t distance, uint32_t length)
{
	LANES (w, lane) {
		for (uint32_t i = lane; i < length; i += WARP_LANES)
			out[at + i] = out[at - distance + (distance < length ? i % distance : i)];
	}
	warp_sync(w);
}

/* Decodes the symbols of a block. Returns 0 if they are refused. */
KERNEL_FN uint32_t kernel_inflate_codes(struct warp *w, struct kernel_shared *s, struct kernel_inflate *z)
{
	LANE_VAR(struct lane_tokens, t);
	LANE_VAR(uint32_t, v);
	LANE_VAR(uint32_t, before);
	LANE_VAR(uint32_t, bad);
	uint32_t share = KERNEL_SHARE_FIRST, state;

	do {
		uint32_t last = kernel_read_window(w, s, z, share, t);

		LANES (w, lane)
			AT(v, lane) = AT(t, lane).state;
		state = warp_broadcast(w, v, last);
		if (state == TOKENS_BAD)
			return 0;
		LANES (w, lane)
			AT(v, lane) = AT(t, lane).end;
		uint32_t end = warp_broadcast(w, v, last);

		LANES (w, lane)
			AT(v, lane) = lane <= last ? AT(t, lane).count : 0;
		uint32_t symbols = warp_sum(w, v);

		LANES (w, lane)
			AT(v, lane) = lane <= last ? AT(t, lane).bytes : 0;
		uint32_t bytes = warp_scan(w, before, v);

		if (bytes > z->size - z->done)
			return 0;
		LANES (w, lane) {
			AT(bad, lane) = 0;
			AT(v, lane) = lane > last ? 0
						  : kernel_store_literals(z, s->u.tokens + lane * KERNEL_TOKENS_STRIDE,
									  AT(t, lane).count, z->done + AT(before, lane),
									  &AT(bad, lane));
		}
		if (warp_ballot(w, bad))
			return 0;
		warp_sync(w); /* literals and slots */
		for (uint32_t lanes = warp_ballot(w, v); lanes; lanes &= lanes - 1) {
			uint32_t from = bit_first(lanes), matches = warp_broadcast(w, v, from);
			uint32_t at = z->done + warp_broadcast(w, before, from);

			for (uint32_t i = 0; i < matches; i++) {
				uint32_t token = s->u.tokens[from * KERNEL_TOKENS_STRIDE + i];
				uint32_t length = (token >> 15 & 0xff) + KERNEL_MATCH_MIN;

				at += token >> 23;
				kernel_copy_match(w, z->out, at, (token & 0x7fff) + 1, length);
				at += length;
			}
		}
		if (symbols) {
			share = (end - z->at) * KERNEL_TOKENS / symbols * 3 / 4;
			share = share < KERNEL_SHARE_MIN ? KERNEL_SHARE_MIN : share;
			share = share > KERNEL_SHARE_MAX ? KERNEL_SHARE_MAX : share;
		}
		z->at = end;
		z->done += bytes;
	} while (state != TOKENS_END);
	/* the slots share memory with the tables' build */
	warp_sync(w);
	return 1;
}

KERNEL_FN uint32_t kernel_inflate_stored(struct warp *w, struct kernel_inflate *z)
{
	z->at = (z->at + 7) / 8 * 8;
	if (z->end - z->at < 32 || z->at > z->end)
		return 0;
	uint32_t lengths = (uint32_t)kernel_bits(z->stream, z->at), n = lengths & 0xffff;

	z->at += 32;
	if ((lengths >> 16 ^ n) != 0xffff || n > (z->end - z->at) / 8 || n > z->size - z->done)
		return 0;
	LANES (w, lane) {
		for (uint32_t i = lane; i < n; i += WARP_LANES)
			z->out[z->done + i] = z->stream[z->at / 8 + i];
	}
	warp_sync(w);
	z->at += n * 8;
	z->done += n;
	return 1;
}

/* Decodes all blocks. Returns 0 unless they use exactly the stream and fill exactly the output. */
KERNEL_FN uint32_t kernel_inflate_blocks(struct warp *w, struct kernel_shared *s, struct kernel_inflate *z)
{
	uint32_t blocks = KERNEL_BLOCKS_MIN + z->end / 8 / KERNEL_BLOCK_BYTES, is_last, type;
	uint32_t tables = 0; /* the type of block they were built for */

	do {
		if (z->end - z->at < 3 || blocks-- == 0)
			return 0;
		uint64_t bits = kernel_bits(z->stream, z->at);

		is_last = kernel_low_bits(bits, 1);
		type = kernel_low_bits(bits >> 1, 2);
		z->at += 3;
		if (type == 0) {
			if (!kernel_inflate_stored(w, z))
				return 0;
			continue;
		}
		if (type == 3 || (type == 2 && !kernel_dynamic_codes(w, s, z)) ||
		    (type == 1 && tables != 1 && !kernel_fixed_codes(w, s)))
			return 0;
		tables = type;
		if (!kernel_inflate_codes(w, s, z))
			return 0;
	} while (!is_last);
	return (z->at + 7) / 8 * 8 == z->end && z->done == z->size;
}

/* Computes the Adler-32 (RFC 1950) from the sums of all lanes, which 64 bits hold. */
KERNEL_FN uint32_t kernel_adler32(struct warp *w, const uint8_t *bytes, uint32_t n)
{
	LANE_VAR(uint32_t, v);
	LANE_VAR(uint32_t, weighted);

	LANES (w, lane) {
		uint64_t sum = 0, sums = 0;

		for (uint32_t i = lane * 4; i < n / 4 * 4; i += WARP_LANES * 4) {
			uint32_t word = load_word(bytes + i);
			uint32_t b1 = word >> 8 & 0xff, b2 = word >> 16 & 0xff, b3 = word >> 24;
			uint32_t four = (word & 0xff) + b1 + b2 + b3;

			sum += four;
			sums += (uint64_t)four * (n - i) - (b1 + 2 * b2 + 3 * b3);
		}
		if (lane < n % 4) {
			uint32_t i = n / 4 * 4 + lane;

			sum += bytes[i];
			sums += (uint64_t)bytes[i] * (n - i);
		}
		AT(v, lane) = (uint32_t)(sum % 65521);
		AT(weighted, lane) = (uint32_t)(sums % 65521);
	}
	uint32_t low = (warp_sum(w, v) + 1) % 65521, high = (warp_sum(w, weighted) + n) % 65521;

	warp_sync(w); /* the caller may change the bytes */
	return high << 16 | low;
}

/*
 * Inflates a zlib stream of n bytes, aligned to 4, to exactly `size` bytes. Returns 0 if it is refused; then out is
 * undefined. n < 2^28, size < 2^28.
 */
KERNEL_FN uint32_t kernel_inflate(struct warp *w, struct kernel_shared *s, const uint8_t *stream, uint32_t n,
				  uint8_t *out, uint32_t size)
{
	struct kernel_inflate z;

	if (n < 6)
		return 0;
	uint32_t method = stream[0], flags = stream[1];

	/* deflate, a window of 2^(8 + 0..7), the check bits, no dictionary */
	if ((method & 15) != 8 || method >> 4 > 7 || (method << 8 | flags) % 31 || flags & 0x20)
		return 0;
	z.stream = stream;
	z.at = 16;
	z.end = (n - 4) * 8;
	z.out = out;
	z.size = size;
	z.done = 0;
	z.window = 256u << (method >> 4);
	if (!kernel_inflate_blocks(w, s, &z))
		return 0;
	const uint8_t *adler = stream + n - 4;

	return kernel_adler32(w, out, size) ==
	       ((uint32_t)adler[0] << 24 | (uint32_t)adler[1] << 16 | (uint32_t)adler[2] << 8 | adler[3]);
}

#endif
