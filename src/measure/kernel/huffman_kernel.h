/*
 * The Huffman codes of deflate (RFC 1951): all lanes of a warp (warp.h) build the tables together. Refuses the codes
 * that zlib refuses, and all incomplete literal codes.
 */
#ifndef MEASURE_HUFFMAN_KERNEL_H
#define MEASURE_HUFFMAN_KERNEL_H

#include "measure/kernel/kernel_job.h"
#include "measure/kernel/warp.h"

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

/* The shared memory of a warp. */
struct kernel_shared {
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
KERNEL_FN uint32_t kernel_lookup(const struct kernel_shared *s, uint32_t which, uint32_t bits)
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
KERNEL_FN uint32_t kernel_build(struct warp *w, struct kernel_shared *s, uint32_t which, uint32_t first, uint32_t n)
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

KERNEL_FN uint32_t kernel_fixed_codes(struct warp *w, struct kernel_shared *s)
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
KERNEL_FN uint32_t kernel_dynamic_codes(struct warp *w, struct kernel_shared *s, struct kernel_inflate *z)
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

#endif
