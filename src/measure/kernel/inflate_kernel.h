/*
 * Inflate (RFC 1950, RFC 1951) by a warp (warp.h).
 *
 * Huffman codes have no markers at which decoding could start. So a window of the next bits is divided into shares, and
 * each lane guesses that a symbol starts where its share does, and reads symbols into its own slots. If a lane did not
 * start where the lane to its left ended, it reads again from there. Wrong starts soon fall into step with the right
 * ones, so that few rounds are needed; lane 0 starts right, so that 32 rounds always suffice.
 *
 * Then all lanes store their literals, and copy the matches together, one after the other. Lengths and distances are
 * checked before anything that depends on them is stored. It refuses whatever zlib refuses, and besides: an incomplete
 * literal code, a match beyond the declared window, data after the end, and an absurd number of blocks.
 *
 * Work is bounded by the sizes of the stream and the output. Reads stay within the stream and its
 * KERNEL_STREAM_PADDING; reads and writes of the output within its words.
 */
#pragma once

#include "measure/kernel/kernel_job.h"
#include "measure/kernel/warp.h"

/* ---- words of bytes --------------------------------------------------------------------------------------------- */

/* Returns the lower word of high:low, shifted right by less than 32 bits. */
KERNEL_FN uint32_t word_pair_shift(uint32_t low, uint32_t high, uint32_t shift)
{
	return (uint32_t)(((uint64_t)high << 32 | low) >> shift);
}

/* Returns bytes 0 and 2 of a word in its two halves, and bytes 1 and 3. */
KERNEL_FN uint32_t word_even_bytes(uint32_t word)
{
	return word & 0x00ff00ff;
}

KERNEL_FN uint32_t word_odd_bytes(uint32_t word)
{
	return word >> 8 & 0x00ff00ff;
}

KERNEL_FN uint32_t word_add_halves(uint32_t word)
{
	return (word & 0xffff) + (word >> 16);
}

/* ---- Huffman codes ----------------------------------------------------------------------------------------------
 * All lanes build the tables together. They refuse the codes that zlib refuses, and all incomplete literal codes.
 */

enum {
	/* Table sizes of puff and cuDF; longer codes are rare and found by their canonical order. */
	KERNEL_LITLEN_BITS = 9,
	KERNEL_DISTANCE_BITS = 8,
	KERNEL_CODE_BITS_MAX = 15,
	KERNEL_LITLENS = 288,
	KERNEL_DISTANCES = 32,
	KERNEL_CODE_LENGTHS = 19,
	/* Symbols that a lane reads per window. */
	KERNEL_TOKENS = 16,
	/* Odd, so that slots of equal number lie in different banks of shared memory. */
	KERNEL_TOKENS_STRIDE = KERNEL_TOKENS + 1,
	KERNEL_MATCH_MIN = 3,
	KERNEL_END_OF_BLOCK = 256,
};

/* The code of the code lengths uses the memory of the distance code. */
enum { CODE_LITLEN, CODE_DISTANCE, CODE_LENGTHS };

/*
 * A table entry, from bit 0: code length (4 bits), number of extra bits (4), kind (2), unused (6), value or base (16).
 * An entry of 0 means no code, or a code longer than the table's index.
 */
enum { ENTRY_BASE = 0, ENTRY_VALUE = 1, ENTRY_END = 2, ENTRY_INVALID = 3 };

/* Canonical codes by length: all are below `end`; code + symbol_at modulo 2^16 is the index of a code's symbol. */
struct kernel_code {
	uint16_t end[KERNEL_CODE_BITS_MAX + 1], symbol_at[KERNEL_CODE_BITS_MAX + 1];
};

/* The shared memory of inflate. */
struct inflate_shared {
	uint32_t litlen[1 << KERNEL_LITLEN_BITS];
	uint32_t distance[1 << KERNEL_DISTANCE_BITS];
	union {
		/* Literals; or MATCH_FLAG | (length - 3) << 15 | (distance - 1). */
		uint32_t tokens[WARP_LANES * KERNEL_TOKENS_STRIDE];
		/* While tables are built */
		struct {
			uint32_t counts[KERNEL_CODE_BITS_MAX + 1]; /* of codes by length */
			uint8_t lengths[KERNEL_LITLENS + KERNEL_DISTANCES];
		} build;
	} u;
	struct kernel_code codes[2];
	uint16_t symbols[KERNEL_LITLENS + KERNEL_DISTANCES];
};

/* The state of inflating; uniform. */
struct kernel_inflate {
	const uint8_t *stream; /* aligned to 4 bytes */
	uint32_t at, end;      /* in bits; end: where the Adler-32 starts */
	uint8_t *out;
	uint32_t size, done; /* bytes of out */
	uint32_t window;     /* the largest distance */
};

/* Returns the 64 bits from bit `at` on, which is within the stream. */
KERNEL_FN uint64_t kernel_bits(const uint8_t *stream, uint32_t at)
{
	const uint8_t *p = stream + at / 32 * 4;
	uint32_t shift = at % 32;
	uint64_t low = load_word(p) | (uint64_t)load_word(p + 4) << 32;

	return shift ? low >> shift | (uint64_t)load_word(p + 8) << (64 - shift) : low;
}

KERNEL_FN uint32_t kernel_low_bits(uint64_t bits, uint32_t n)
{
	return (uint32_t)bits & ((1u << n) - 1);
}

/* Makes the table entry of a symbol (RFC 1951, section 3.2.5). */
KERNEL_FN uint32_t kernel_entry(uint32_t which, uint32_t symbol, uint32_t length)
{
	uint32_t kind = ENTRY_BASE, extra = 0, value;

	if (which == CODE_LENGTHS) {
		kind = ENTRY_VALUE;
		value = symbol;
	} else if (which == CODE_DISTANCE) {
		extra = symbol < 4 ? 0 : symbol / 2 - 1;
		value = symbol < 4 ? symbol + 1 : ((2 + symbol % 2) << extra) + 1;
		if (symbol >= 30)
			kind = ENTRY_INVALID;
	} else if (symbol <= KERNEL_END_OF_BLOCK) {
		kind = symbol < KERNEL_END_OF_BLOCK ? ENTRY_VALUE : ENTRY_END;
		value = symbol;
	} else if (symbol < 265) {
		value = symbol - 257 + KERNEL_MATCH_MIN;
	} else if (symbol < 285) {
		extra = (symbol - 261) / 4;
		value = ((4 + (symbol - 261) % 4) << extra) + KERNEL_MATCH_MIN;
	} else {
		value = 258;
		if (symbol > 285)
			kind = ENTRY_INVALID;
	}
	return kind == ENTRY_INVALID ? length | kind << 8 : length | extra << 4 | kind << 8 | value << 16;
}

/* Returns the entry of the code in the lowest bits, or 0 if there is none. */
KERNEL_FN uint32_t kernel_lookup(const struct inflate_shared *s, uint32_t which, uint32_t bits)
{
	uint32_t table_bits = which == CODE_LITLEN ? KERNEL_LITLEN_BITS : KERNEL_DISTANCE_BITS;
	const uint32_t *table = which == CODE_LITLEN ? s->litlen : s->distance;
	uint32_t entry = table[bits & ((1u << table_bits) - 1)];

	if (entry)
		return entry;
	uint32_t reversed = bits_reversed(bits) >> (32 - KERNEL_CODE_BITS_MAX);

	for (uint32_t length = table_bits + 1; length <= KERNEL_CODE_BITS_MAX; length++) {
		uint32_t code = reversed >> (KERNEL_CODE_BITS_MAX - length);

		/* A code below the first of this length would have matched a shorter one before. */
		if (code < s->codes[which].end[length]) {
			uint32_t at = (code + s->codes[which].symbol_at[length]) & 0xffff;

			return kernel_entry(which, s->symbols[at], length);
		}
	}
	return 0;
}

/*
 * Builds the table of a code from n code lengths, from build.lengths[first] on. Returns 0 if the code is
 * over-subscribed or incomplete; only the distance code may be empty, or a single code of one bit.
 */
KERNEL_FN uint32_t kernel_build(struct warp *w, struct inflate_shared *s, uint32_t which, uint32_t first, uint32_t n)
{
	uint32_t table_bits = which == CODE_LITLEN ? KERNEL_LITLEN_BITS : KERNEL_DISTANCE_BITS;
	uint32_t *table = which == CODE_LITLEN ? s->litlen : s->distance;
	struct kernel_code *code = &s->codes[which == CODE_LITLEN ? 0 : 1];
	uint32_t symbols_first = which == CODE_LITLEN ? 0 : KERNEL_LITLENS;
	LANE_VAR(uint32_t, mine);

	LANES (w, lane) {
		for (uint32_t i = lane; i < 1u << table_bits; i += WARP_LANES)
			table[i] = 0;
		if (lane <= KERNEL_CODE_BITS_MAX)
			s->u.build.counts[lane] = 0;
	}
	warp_sync(w);
	LANES (w, lane) {
		for (uint32_t i = lane; i < n; i += WARP_LANES)
			cell_add(&s->u.build.counts[s->u.build.lengths[first + i]], 1);
	}
	warp_sync(w);

	int32_t left = 1;
	uint32_t total = 0;

	for (uint32_t length = 1; length <= KERNEL_CODE_BITS_MAX; length++) {
		uint32_t count = s->u.build.counts[length];

		left = left * 2 - (int32_t)count;
		total += count;
		if (left < 0)
			return 0;
	}
	if (left > 0 && !(which == CODE_DISTANCE && total == s->u.build.counts[1] && total <= 1))
		return 0;

	uint32_t next = 0, symbol_at = symbols_first; /* the next code of the current length, and its symbol's index */

	for (uint32_t length = 1; length <= KERNEL_CODE_BITS_MAX; length++) {
		uint32_t count = s->u.build.counts[length];

		next *= 2;
		LANES (w, lane) {
			if (lane == 0) {
				code->end[length] = (uint16_t)(next + count);
				code->symbol_at[length] = (uint16_t)(symbol_at - next);
			}
		}
		for (uint32_t base = 0; count && base < n; base += WARP_LANES) {
			LANES (w, lane)
				AT(mine, lane) = base + lane < n && s->u.build.lengths[first + base + lane] == length;
			uint32_t all = warp_ballot(w, mine);

			if (!all)
				continue;
			LANES (w, lane) {
				uint32_t rank = bits_count(all & ((1u << lane) - 1));

				if (AT(mine, lane)) {
					uint32_t start = bits_reversed(next + rank) >> (32 - length);
					uint32_t entry = kernel_entry(which, base + lane, length);

					s->symbols[symbol_at + rank] = (uint16_t)(base + lane);
					for (; start < 1u << table_bits && length <= table_bits; start += 1u << length)
						table[start] = entry;
				}
			}
			next += bits_count(all);
			symbol_at += bits_count(all);
		}
	}
	warp_sync(w);
	return 1;
}

KERNEL_FN uint32_t kernel_fixed_codes(struct warp *w, struct inflate_shared *s)
{
	LANES (w, lane) {
		for (uint32_t i = lane; i < KERNEL_LITLENS + KERNEL_DISTANCES; i += WARP_LANES)
			s->u.build.lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : i < KERNEL_LITLENS ? 8 : 5;
	}
	warp_sync(w);
	return kernel_build(w, s, CODE_LITLEN, 0, KERNEL_LITLENS) &&
	       kernel_build(w, s, CODE_DISTANCE, KERNEL_LITLENS, KERNEL_DISTANCES);
}

/* Where the k-th length of the code lengths' code belongs: 16 17 18 0 8 7 9 6 10 5 11 4, 12 3 13 2 14 1 15. */
KERNEL_FN uint32_t kernel_length_order(uint32_t k)
{
	uint64_t five_bits_each = k < 12 ? 0x22caa324e804a30u : 0x3c2e1346cu;

	return (uint32_t)(five_bits_each >> (k < 12 ? k : k - 12) * 5) & 31;
}

/* Reads the codes of a dynamic block and builds their tables (RFC 1951, section 3.2.7). Returns 0 if they are invalid.
 */
KERNEL_FN uint32_t kernel_dynamic_codes(struct warp *w, struct inflate_shared *s, struct kernel_inflate *z)
{
	uint64_t bits = kernel_bits(z->stream, z->at);
	uint32_t litlens = 257 + kernel_low_bits(bits, 5), distances = 1 + kernel_low_bits(bits >> 5, 5);
	uint32_t given = 4 + kernel_low_bits(bits >> 10, 4), all = litlens + distances;
	uint32_t lengths_at = z->at + 14, n = 0, last = 0;

	z->at = lengths_at + 3 * given;
	if (z->at > z->end || litlens > 286 || distances > 30)
		return 0;
	LANES (w, lane) {
		if (lane < KERNEL_CODE_LENGTHS)
			s->u.build.lengths[kernel_length_order(lane)] =
				(uint8_t)(lane < given
						  ? kernel_low_bits(kernel_bits(z->stream, lengths_at + 3 * lane), 3)
						  : 0);
	}
	warp_sync(w);
	if (!kernel_build(w, s, CODE_LENGTHS, 0, KERNEL_CODE_LENGTHS))
		return 0;
	while (n < all) {
		if (z->at >= z->end)
			return 0;
		uint32_t next = (uint32_t)kernel_bits(z->stream, z->at);
		uint32_t entry = s->distance[next & ((1u << KERNEL_DISTANCE_BITS) - 1)];
		uint32_t symbol = entry >> 16, used = entry & 15, value = symbol, repeat = 1;

		next >>= used;
		if (symbol == 16) {
			if (n == 0)
				return 0;
			value = last;
			repeat = 3 + kernel_low_bits(next, 2);
			used += 2;
		} else if (symbol == 17) {
			value = 0;
			repeat = 3 + kernel_low_bits(next, 3);
			used += 3;
		} else if (symbol == 18) {
			value = 0;
			repeat = 11 + kernel_low_bits(next, 7);
			used += 7;
		}
		z->at += used;
		last = value;
		if (z->at > z->end || repeat > all - n)
			return 0;
		LANES (w, lane) {
			for (uint32_t i = lane; i < repeat; i += WARP_LANES)
				s->u.build.lengths[n + i] = (uint8_t)value;
		}
		n += repeat;
	}
	warp_sync(w);
	return s->u.build.lengths[KERNEL_END_OF_BLOCK] && kernel_build(w, s, CODE_LITLEN, 0, litlens) &&
	       kernel_build(w, s, CODE_DISTANCE, litlens, distances);
}

/* ---- inflate ---------------------------------------------------------------------------------------------------- */

enum {
	/* Bits per share; adapted so that a lane's symbols fill three quarters of its slots. */
	KERNEL_SHARE_MIN = 16,
	KERNEL_SHARE_MAX = 1024,
	KERNEL_SHARE_FIRST = 160, /* masks have 14 bits a symbol, typically */
};

/*
 * A stream may have KERNEL_BLOCKS_MIN blocks, and one more per KERNEL_BLOCK_BYTES bytes: zlib with the least memory
 * ends a block after 127 symbols, each of a bit or more.
 */
#define KERNEL_BLOCKS_MIN  64u
#define KERNEL_BLOCK_BYTES 16u

#define MATCH_FLAG 0x80000000u

/* The symbols that a lane read from bit `start` to `end`. */
struct lane_tokens {
	uint32_t start, end;
	uint32_t count, bytes; /* symbols, and bytes of output */
	uint32_t state;
};
enum { TOKENS_MORE, TOKENS_FULL, TOKENS_END, TOKENS_BAD };

/* Reads symbols from t->start until one ends at or after `bound`, the slots are full, or the block ends or is bad. */
KERNEL_FN void kernel_read_tokens(const struct inflate_shared *s, const struct kernel_inflate *z, uint32_t bound,
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
KERNEL_FN uint32_t kernel_read_window(struct warp *w, struct inflate_shared *s, const struct kernel_inflate *z,
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

/* A match of 258 bytes lies in at most 66 words. */
enum { KERNEL_MATCH_WORDS = 3 };

struct match_words {
	uint32_t word[KERNEL_MATCH_WORDS];
};

/* Returns the word at `at` of a match that starts at `to`, and whose source, of `distance` bytes, repeats. */
KERNEL_FN uint32_t kernel_repeated_word(const uint8_t *out, uint32_t to, uint32_t distance, uint32_t at)
{
	uint32_t offset = at > to ? at - to : 0, word = 0;

	offset %= distance;
	for (uint32_t i = at > to ? 0 : to - at; i < 4; i++) {
		word |= (uint32_t)out[to - distance + offset] << 8 * i;
		offset = offset + 1 < distance ? offset + 1 : 0;
	}
	return word;
}

/*
 * Copies a match, at most KERNEL_MATCH_WORDS words a lane; all are read before the first is written, to wait but once.
 * A source that reaches into the match repeats. No lane reads what another writes, nor what nobody has written: a
 * source so near that its words reach into the match is read byte by byte.
 */
KERNEL_FN void kernel_copy_match(struct warp *w, uint8_t *out, uint32_t to, uint32_t distance, uint32_t length)
{
	LANE_VAR(struct match_words, v);
	uint32_t base = to / 4 * 4, end = to + length;

	if (distance >= length + 10) {
		/* the distance rounded up to words, and the bits by which that is too much */
		uint32_t back = (distance + 3) / 4 * 4, shift = 8 * (back - distance);

		LANES (w, lane) {
			for (uint32_t k = 0; k < KERNEL_MATCH_WORDS; k++) {
				uint32_t at = base + 4 * (lane + WARP_LANES * k), low = 0, high = 0;

				if (at < end) {
					if (at >= back)
						low = load_word(out + (at - back));
					if (shift)
						high = load_word(out + (at - back + 4));
					AT(v, lane).word[k] = word_pair_shift(low, high, shift);
				}
			}
		}
	} else if (distance == 1) {
		LANES (w, lane) {
			for (uint32_t k = 0; k < KERNEL_MATCH_WORDS; k++)
				AT(v, lane).word[k] = out[to - 1] * 0x01010101u;
		}
	} else {
		LANES (w, lane) {
			for (uint32_t k = 0; k < KERNEL_MATCH_WORDS; k++) {
				uint32_t at = base + 4 * (lane + WARP_LANES * k);

				if (at < end)
					AT(v, lane).word[k] = kernel_repeated_word(out, to, distance, at);
			}
		}
	}
	LANES (w, lane) {
		for (uint32_t k = 0; k < KERNEL_MATCH_WORDS; k++) {
			uint32_t at = base + 4 * (lane + WARP_LANES * k), word = AT(v, lane).word[k];

			if (at >= to && at + 4 <= end) {
				store_word(out + at, word);
			} else if (at < end) {
				for (uint32_t i = 0; i < 4; i++)
					if (at + i >= to && at + i < end)
						out[at + i] = (uint8_t)(word >> 8 * i);
			}
		}
	}
	warp_sync(w);
}

/* Decodes the symbols of a block. Returns 0 if they are refused. */
KERNEL_FN uint32_t kernel_inflate_codes(struct warp *w, struct inflate_shared *s, struct kernel_inflate *z)
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
		warp_phase(w, PHASE_SYMBOLS);
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
		warp_phase(w, PHASE_MATCHES);
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
KERNEL_FN uint32_t kernel_inflate_blocks(struct warp *w, struct inflate_shared *s, struct kernel_inflate *z)
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
		warp_phase(w, PHASE_TABLES);
		if (!kernel_inflate_codes(w, s, z))
			return 0;
	} while (!is_last);
	return (z->at + 7) / 8 * 8 == z->end && z->done == z->size;
}

/*
 * Computes the Adler-32 (RFC 1950) of n bytes: the sum of all bytes, and the sum of each times its distance to the end.
 * Lane l adds up the words at 4 l + 128 k, in blocks of KERNEL_ADLER_WORDS: more would overflow the halves of `ramp`.
 * `later` counts the sum of a word once for each word after it.
 */
enum { KERNEL_ADLER_WORDS = 16 }; /* 2 * 255 * (0 + 1 + ... + 15) < 2^16 */

KERNEL_FN uint32_t kernel_adler32(struct warp *w, const uint8_t *bytes, uint32_t n)
{
	LANE_VAR(uint32_t, v);
	LANE_VAR(uint32_t, weighted);

	LANES (w, lane) {
		uint32_t sum = 0, within = 0, words = 0, at = lane * 4, end = n / 4 * 4;
		uint64_t later = 0, weights;

		while (at < end) {
			uint32_t even = 0, odd = 0, ramp = 0, k = 0;

			for (; k < KERNEL_ADLER_WORDS && at < end; k++, at += WARP_LANES * 4) {
				uint32_t word = load_word(bytes + at);

				ramp += even + odd;
				even += word_even_bytes(word);
				odd += word_odd_bytes(word);
			}
			later += (uint64_t)sum * k + word_add_halves(ramp);
			sum += word_add_halves(even) + word_add_halves(odd);
			within += (odd & 0xffff) + 2 * (even >> 16) + 3 * (odd >> 16);
			words += k;
		}
		/* The last word has (n - 4 lane - 128 (words - 1)) bytes from its start to the end. */
		weights = words ? (uint64_t)sum * (n - 4 * lane - 4 * WARP_LANES * (words - 1)) +
					  4 * WARP_LANES * later - within
				: 0;
		if (lane < n % 4) {
			uint32_t i = n / 4 * 4 + lane;

			sum += bytes[i];
			weights += (uint64_t)bytes[i] * (n - i);
		}
		AT(v, lane) = sum % 65521;
		AT(weighted, lane) = (uint32_t)(weights % 65521);
	}
	uint32_t low = (warp_sum(w, v) + 1) % 65521, high = (warp_sum(w, weighted) + n) % 65521;

	return high << 16 | low;
}

/*
 * Inflates a zlib stream of n bytes, aligned to 4, to exactly `size` bytes of out. Returns 0 if it is refused; then out
 * is undefined. n < 2^28, size < 2^28.
 */
KERNEL_FN uint32_t kernel_inflate(struct warp *w, struct inflate_shared *s, const uint8_t *stream, uint32_t n,
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
	uint32_t sum = kernel_adler32(w, out, size);

	warp_phase(w, PHASE_CHECKSUM);
	return sum == ((uint32_t)adler[0] << 24 | (uint32_t)adler[1] << 16 | (uint32_t)adler[2] << 8 | adler[3]);
}
