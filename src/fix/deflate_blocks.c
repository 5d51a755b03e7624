#include "fix/deflate_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	END_OF_BLOCK = 256,
	FIRST_LENGTH = 257, /* the symbol of the shortest match */
	CODE_MAX = 15,      /* bits of a codeword */
	PRECODE = 19,       /* symbols of the code of code lengths */
	PRECODE_MAX = 7,
	REPEAT_LAST = 16, /* 3 to 6 times */
	ZEROS = 17,       /* 3 to 10 */
	MANY_ZEROS = 18,  /* 11 to 138 */
	CODED_FIXED = 1,
	CODED = 2,
	SYMBOL_BITS_MAX = 2 * CODE_MAX + 5 + 13, /* of a match: both codewords, both extra bits */
};
_Static_assert(SYMBOL_BITS_MAX + 7 <= 64, "a symbol fits the bits that are held");

/* A Huffman code: of each symbol the codeword, reversed as it is written, and its bits; 0: it has none. */
struct code {
	uint16_t words[DEFLATE_LITLEN + 2];
	uint8_t bits[DEFLATE_LITLEN + 2];
};

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

static void write_block(struct deflate_blocks *d, bool last);

void deflate_begin(struct deflate_blocks *d, struct strbuf *out)
{
	d->out = out;
	d->bits = 0;
	d->bits_count = 0;
	d->bytes_count = 0;
	d->count = 0;
}

void deflate_next_block(struct deflate_blocks *d)
{
	write_block(d, false);
}

/* Counts by turns in two tables, since symbols often follow themselves and each count would wait for the last one. */
static void count_uses(struct deflate_blocks *d)
{
	uint32_t litlen[2][DEFLATE_LITLEN] = { 0 }, distance[2][DEFLATE_NO_DISTANCE + 1] = { 0 };

	for (size_t i = 0; i < d->count; i++) {
		litlen[i & 1][d->symbols[i] & 511]++;
		distance[i & 1][d->symbols[i] >> 9 & 31]++;
	}
	for (unsigned i = 0; i < DEFLATE_LITLEN; i++)
		d->litlen_uses[i] = litlen[0][i] + litlen[1][i];
	for (unsigned i = 0; i < DEFLATE_DISTANCES; i++)
		d->distance_uses[i] = distance[0][i] + distance[1][i];
	d->litlen_uses[END_OF_BLOCK] = 1;
}

/* The extra bits of each symbol (RFC 1951, 3.2.5). */
static const uint8_t litlen_extra_bits[DEFLATE_LITLEN] = {
	[265] = 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5,
};
static const uint8_t distance_extra_bits[DEFLATE_NO_DISTANCE + 1] = {
	[4] = 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
};

/* ---- Huffman codes ----------------------------------------------------------------------------------------------- */

/* Returns a codeword with its bits in reverse. */
static uint16_t reversed(unsigned word, unsigned bits)
{
	word = (word & 0x5555) << 1 | (word >> 1 & 0x5555);
	word = (word & 0x3333) << 2 | (word >> 2 & 0x3333);
	word = (word & 0x0f0f) << 4 | (word >> 4 & 0x0f0f);
	word = (word & 0x00ff) << 8 | (word >> 8 & 0x00ff);
	return (uint16_t)(word >> (16 - bits));
}

/* Fills the canonical codewords (RFC 1951, 3.2.2) of codewords of these bits. */
static void fill_words(struct code *c, unsigned symbols)
{
	unsigned next[CODE_MAX + 1] = { 0 }, count[CODE_MAX + 1] = { 0 };

	for (unsigned i = 0; i < symbols; i++)
		count[c->bits[i]]++;
	count[0] = 0;
	for (unsigned bits = 1; bits <= CODE_MAX; bits++)
		next[bits] = (next[bits - 1] + count[bits - 1]) << 1;
	for (unsigned i = 0; i < symbols; i++)
		if (c->bits[i])
			c->words[i] = reversed(next[c->bits[i]]++, c->bits[i]);
}

/* A symbol and how often it is used, as one number that sorts. */
static uint32_t weighed(uint32_t uses, unsigned symbol)
{
	return uses << 9 | symbol;
}

/* Lists the symbols that are used, the rarest first; at least two, so that the code is complete. Returns their number.
 */
static unsigned sort_symbols(const uint32_t *uses, unsigned symbols, uint32_t sorted[DEFLATE_LITLEN])
{
	unsigned n = 0;

	for (unsigned i = 0; i < symbols; i++)
		if (uses[i])
			sorted[n++] = weighed(uses[i], i);
	for (unsigned i = 0; n < 2; i++)
		if (!uses[i])
			sorted[n++] = weighed(1, i);
	for (unsigned i = 1; i < n; i++) { /* few, and nearly all of them small */
		uint32_t key = sorted[i];
		unsigned at = i;

		for (; at && sorted[at - 1] > key; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = key;
	}
	return n;
}

/* Counts the leaves at each depth of the Huffman tree of these n >= 2 symbols; those below `limit` count there. */
static void count_depths(const uint32_t *sorted, unsigned n, unsigned limit, unsigned count[CODE_MAX + 1])
{
	uint32_t weight[2 * DEFLATE_LITLEN];
	uint16_t parent[2 * DEFLATE_LITLEN], depth[2 * DEFLATE_LITLEN];
	unsigned leaf = 0, inner = n, last = 2 * n - 2;

	for (unsigned i = 0; i < n; i++)
		weight[i] = sorted[i] >> 9;
	/* inner nodes are made in the order of their weights, so that the two lightest are first of a queue */
	for (unsigned node = n; node <= last; node++) {
		weight[node] = 0;
		for (int child = 0; child < 2; child++) {
			bool takes_leaf = leaf < n && (inner == node || weight[leaf] <= weight[inner]);
			unsigned least = takes_leaf ? leaf++ : inner++;

			weight[node] += weight[least];
			parent[least] = (uint16_t)node;
		}
	}
	depth[last] = 0;
	for (unsigned node = last; node-- > 0;) {
		depth[node] = (uint16_t)(depth[parent[node]] + 1);
		if (node < n)
			count[MIN(depth[node], limit)]++;
	}
}

/* Lengthens codewords until as many as there are fit: a shorter one and one of `limit` bits become two below it. */
static void fit_depths(unsigned limit, unsigned count[CODE_MAX + 1])
{
	unsigned space = 0;

	for (unsigned bits = 1; bits <= limit; bits++)
		space += count[bits] << (limit - bits);
	for (; space > 1u << limit; space--) {
		unsigned bits = limit - 1;

		while (!count[bits])
			bits--;
		count[bits]--;
		count[bits + 1] += 2;
		count[limit]--;
	}
}

static void make_code(struct code *c, const uint32_t *uses, unsigned symbols, unsigned limit)
{
	unsigned count[CODE_MAX + 1] = { 0 }, bits = limit;
	uint32_t sorted[DEFLATE_LITLEN];
	unsigned n = sort_symbols(uses, symbols, sorted);

	count_depths(sorted, n, limit, count);
	fit_depths(limit, count);
	memset(c, 0, sizeof(*c));
	for (unsigned i = 0; i < n; i++) {
		while (!count[bits])
			bits--;
		count[bits]--;
		c->bits[sorted[i] & 511] = (uint8_t)bits;
	}
	fill_words(c, symbols);
}

/* Fills the bits of the codes of RFC 1951, 3.2.6. */
static void fixed_bits(struct code *litlen, struct code *distance)
{
	memset(litlen->bits, 8, DEFLATE_LITLEN + 2);
	memset(litlen->bits + 144, 9, 256 - 144);
	memset(litlen->bits + 256, 7, 280 - 256);
	memset(distance->bits, 5, DEFLATE_DISTANCES + 2);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void write_bytes(struct deflate_blocks *d)
{
	strbuf_add(d->out, d->bytes, d->bytes_count);
	d->bytes_count = 0;
}

static inline void store_le64(uint8_t *out, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(out, &v, sizeof(v));
}

/* Adds bits to at most 7 that are there; then whole bytes go on. */
static inline void add_bits(struct deflate_blocks *d, uint64_t bits, unsigned count)
{
	d->bits |= bits << d->bits_count;
	d->bits_count += count;
	if (d->bytes_count > sizeof(d->bytes) - sizeof(d->bits))
		write_bytes(d);
	store_le64(d->bytes + d->bytes_count, d->bits);
	d->bytes_count += d->bits_count / 8;
	d->bits >>= d->bits_count & ~7u;
	d->bits_count &= 7;
}

/* How the bits of codewords are written: as symbols of the precode, some with a number of repetitions. */
struct lengths {
	unsigned litlen, distance; /* symbols up to the last that is used */
	unsigned count;
	uint8_t symbol[DEFLATE_LITLEN + DEFLATE_DISTANCES], extra[DEFLATE_LITLEN + DEFLATE_DISTANCES];
	uint32_t uses[PRECODE];
	struct code precode;
	unsigned precode_count;
};

static const uint8_t precode_order[PRECODE] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };

static unsigned precode_extra_bits(unsigned symbol)
{
	return symbol == REPEAT_LAST ? 2 : symbol == ZEROS ? 3 : symbol == MANY_ZEROS ? 7 : 0;
}

static void add_length(struct lengths *l, unsigned symbol, unsigned extra)
{
	l->symbol[l->count] = (uint8_t)symbol;
	l->extra[l->count++] = (uint8_t)extra;
	l->uses[symbol]++;
}

/* Adds n codewords of equal bits. */
static void add_lengths(struct lengths *l, unsigned bits, unsigned n)
{
	while (!bits && n >= 3) {
		unsigned part = MIN(n, 138u);

		add_length(l, part > 10 ? MANY_ZEROS : ZEROS, part - (part > 10 ? 11 : 3));
		n -= part;
	}
	if (n) {
		add_length(l, bits, 0);
		n--;
	}
	while (n >= 3) {
		unsigned part = MIN(n, 6u);

		add_length(l, REPEAT_LAST, part - 3);
		n -= part;
	}
	while (n--)
		add_length(l, bits, 0);
}

static void make_lengths(struct lengths *l, const struct code *litlen, const struct code *distance)
{
	uint8_t bits[DEFLATE_LITLEN + DEFLATE_DISTANCES];

	memset(l, 0, sizeof(*l));
	l->litlen = DEFLATE_LITLEN;
	while (l->litlen > FIRST_LENGTH && !litlen->bits[l->litlen - 1])
		l->litlen--;
	l->distance = DEFLATE_DISTANCES;
	while (l->distance > 1 && !distance->bits[l->distance - 1])
		l->distance--;
	memcpy(bits, litlen->bits, l->litlen);
	memcpy(bits + l->litlen, distance->bits, l->distance);
	for (unsigned i = 0, n; i < l->litlen + l->distance; i += n) {
		for (n = 1; i + n < l->litlen + l->distance && bits[i + n] == bits[i]; n++)
			;
		add_lengths(l, bits[i], n);
	}
	make_code(&l->precode, l->uses, PRECODE, PRECODE_MAX);
	l->precode_count = PRECODE;
	while (l->precode_count > 4 && !l->precode.bits[precode_order[l->precode_count - 1]])
		l->precode_count--;
}

static uint64_t lengths_bits(const struct lengths *l)
{
	uint64_t bits = 5 + 5 + 4 + 3 * (uint64_t)l->precode_count;

	for (unsigned i = 0; i < PRECODE; i++)
		bits += (uint64_t)l->uses[i] * (l->precode.bits[i] + precode_extra_bits(i));
	return bits;
}

static void write_lengths(struct deflate_blocks *d, const struct lengths *l)
{
	add_bits(d, l->litlen - FIRST_LENGTH, 5);
	add_bits(d, l->distance - 1, 5);
	add_bits(d, l->precode_count - 4, 4);
	for (unsigned i = 0; i < l->precode_count; i++)
		add_bits(d, l->precode.bits[precode_order[i]], 3);
	for (unsigned i = 0; i < l->count; i++) {
		unsigned symbol = l->symbol[i];

		add_bits(d, l->precode.words[symbol], l->precode.bits[symbol]);
		add_bits(d, l->extra[i], precode_extra_bits(symbol));
	}
}

/* Returns the bits of the block's symbols, but for the extra bits, which are the same in every code. */
static uint64_t symbols_bits(const struct deflate_blocks *d, const struct code *litlen, const struct code *distance)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < DEFLATE_LITLEN; i++)
		bits += (uint64_t)d->litlen_uses[i] * litlen->bits[i];
	for (unsigned i = 0; i < DEFLATE_DISTANCES; i++)
		bits += (uint64_t)d->distance_uses[i] * distance->bits[i];
	return bits;
}

/* A codeword with its bits and those with the extra bits, in one load. */
struct packed_word {
	uint16_t word;
	uint8_t bits, all_bits;
};

static void pack_words(const struct code *c, const uint8_t *extra_bits, unsigned symbols, struct packed_word *out)
{
	for (unsigned i = 0; i < symbols; i++)
		out[i] = (struct packed_word){ c->words[i], c->bits[i], (uint8_t)(c->bits[i] + extra_bits[i]) };
}

static void write_symbols(struct deflate_blocks *d, const struct code *litlen, const struct code *distance)
{
	struct packed_word litlens[DEFLATE_LITLEN], distances[DEFLATE_NO_DISTANCE + 1];

	pack_words(litlen, litlen_extra_bits, DEFLATE_LITLEN, litlens);
	pack_words(distance, distance_extra_bits, DEFLATE_NO_DISTANCE + 1, distances);
	for (size_t i = 0; i < d->count;) {
		/* in registers, for as many symbols as surely fit */
		const size_t end = MIN(d->count, i + (sizeof(d->bytes) - d->bytes_count) / sizeof(d->bits));
		uint8_t *out = d->bytes + d->bytes_count;
		uint64_t held = d->bits;
		unsigned held_count = d->bits_count;

		for (; i < end; i++) { /* without a branch: literals and matches alternate at random */
			const uint32_t symbol = d->symbols[i];
			const struct packed_word a = litlens[symbol & 511], b = distances[symbol >> 9 & 31];
			const uint64_t low = a.word | (uint64_t)(symbol >> 14 & 31) << a.bits;
			const uint64_t high = b.word | (uint64_t)(symbol >> 19) << b.bits;

			held |= (low | high << a.all_bits) << held_count;
			held_count += a.all_bits + b.all_bits;
			store_le64(out, held);
			out += held_count / 8;
			held >>= held_count & ~7u;
			held_count &= 7;
		}
		d->bytes_count = (size_t)(out - d->bytes);
		d->bits = held;
		d->bits_count = held_count;
		if (i < d->count)
			write_bytes(d);
	}
	add_bits(d, litlen->words[END_OF_BLOCK], litlen->bits[END_OF_BLOCK]);
}

static void write_block(struct deflate_blocks *d, bool last)
{
	struct code litlen, distance, fixed_litlen, fixed_distance;
	struct lengths lengths;

	count_uses(d);
	make_code(&litlen, d->litlen_uses, DEFLATE_LITLEN, CODE_MAX);
	make_code(&distance, d->distance_uses, DEFLATE_DISTANCES, CODE_MAX);
	make_lengths(&lengths, &litlen, &distance);
	fixed_bits(&fixed_litlen, &fixed_distance);
	if (symbols_bits(d, &fixed_litlen, &fixed_distance) <=
	    lengths_bits(&lengths) + symbols_bits(d, &litlen, &distance)) {
		fill_words(&fixed_litlen, DEFLATE_LITLEN + 2);
		fill_words(&fixed_distance, DEFLATE_DISTANCES + 2);
		fixed_distance.bits[DEFLATE_NO_DISTANCE] = 0;
		fixed_distance.words[DEFLATE_NO_DISTANCE] = 0;
		add_bits(d, last | CODED_FIXED << 1, 3);
		write_symbols(d, &fixed_litlen, &fixed_distance);
	} else {
		add_bits(d, last | CODED << 1, 3);
		write_lengths(d, &lengths);
		write_symbols(d, &litlen, &distance);
	}
	d->count = 0;
}

void deflate_end(struct deflate_blocks *d)
{
	write_block(d, true);
	if (d->bits_count)
		add_bits(d, 0, 8 - d->bits_count);
	write_bytes(d);
}
