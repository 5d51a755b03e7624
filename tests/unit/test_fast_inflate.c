/*
 * struct inflate against zlib: whole streams of every kind come out alike, in steps of any size and with the window
 * moved between them, from inputs in one piece and in many; and what it takes of damaged ones, zlib takes, to the same
 * bytes. All lies between pages that may not be touched: inputs end with INFLATE_READ_AHEAD there, pieces that others
 * follow with their last byte, outputs begin at such a page or end at it with INFLATE_WRITE_AHEAD. With and without the
 * wide registers.
 */
#include "check_main.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "png/fast_inflate.h"
#include "random_masks.h"
#include "registers.h"

struct bytes {
	uint8_t *p;
	size_t n;
};

enum { OUT_MAX = 300000, STEP_MAX = 40000 };

/* Pages that may be used, between two that may not. */
struct guarded {
	uint8_t *begin, *end;
};

static struct guarded in_pages[2], out_pages;

static struct guarded guarded_new(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), all = (n + page - 1) / page * page;
	uint8_t *p = mmap(NULL, all + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert(p != MAP_FAILED);
	ck_assert_int_eq(mprotect(p, page, PROT_NONE), 0);
	ck_assert_int_eq(mprotect(p + page + all, page, PROT_NONE), 0);
	return (struct guarded){ p + page, p + page + all };
}

static void set_up(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(in_pages); i++)
		in_pages[i] = guarded_new(2 * OUT_MAX + 100000 + INFLATE_READ_AHEAD);
	out_pages = guarded_new(2 * INFLATE_WINDOW + STEP_MAX + INFLATE_WRITE_AHEAD);
}

/* In one piece. The number of bytes, or -1; *used of the input. */
static int64_t inflate_zlib(const struct bytes *in, uint8_t *out, size_t room, size_t *used)
{
	z_stream z = { .next_in = in->p, .avail_in = (uInt)in->n, .next_out = out, .avail_out = (uInt)room };

	ck_assert_int_eq(inflateInit2(&z, -15), Z_OK);
	int code = inflate(&z, Z_FINISH);
	size_t n = z.total_out;
	*used = z.total_in;
	inflateEnd(&z);
	return code == Z_STREAM_END ? (int64_t)n : -1;
}

/* An input that is given piece by piece. */
struct pieces {
	const struct bytes *in;
	size_t most;  /* bytes that a piece has more than it must; SIZE_MAX: one piece is all */
	size_t given; /* of the input */
	unsigned count;
	uint8_t *piece; /* in the pages of in_pages[count % 2]; the rest of the last one is in the others */
	size_t piece_bytes;
};

/* Loads the next one, after what is left of the last; true: it is the last. */
static bool next_piece(struct pieces *p, const uint8_t *left, size_t left_bytes, uint64_t *seed)
{
	size_t rest = p->in->n - p->given, n = rest;

	if (p->most != SIZE_MAX) {
		n = INFLATE_LEFT_MAX + 1 - MIN(left_bytes, (size_t)INFLATE_LEFT_MAX) +
		    random_below(seed, (uint32_t)p->most);
		n = MIN(n, rest);
	}
	bool last = n == rest;
	uint8_t *piece = in_pages[++p->count % 2].end - left_bytes - n - (last ? INFLATE_READ_AHEAD : 0);

	if (left_bytes)
		memcpy(piece, left, left_bytes);
	if (n)
		memcpy(piece + left_bytes, p->in->p + p->given, n);
	for (size_t i = 0; last && i < INFLATE_READ_AHEAD; i++)
		piece[left_bytes + n + i] = (uint8_t)random_next(seed);
	p->piece = piece;
	p->piece_bytes = left_bytes + n;
	p->given += n;
	return last;
}

static enum inflate_result step_pieces(struct inflate *z, struct pieces *p, const uint8_t *first, uint8_t **out,
				       const uint8_t *limit, uint64_t *seed)
{
	enum inflate_result result;

	while ((result = inflate_step(z, first, out, limit)) == INFLATE_WAITS) {
		const uint8_t *rest;
		size_t left = inflate_left(z, &rest);

		ck_assert_uint_le(left, INFLATE_LEFT_MAX);
		ck_assert_uint_lt(p->given, p->in->n);
		bool last = next_piece(p, rest, left, seed);

		inflate_go_on(z, p->piece, p->piece_bytes, last);
	}
	return result;
}

/*
 * The same in steps of up to `step` bytes; a buffer that is full keeps its window alone, as struct fast_stream does.
 * -1 also if there is more than `room`. piece: see struct pieces.
 */
static int64_t inflate_steps(const struct bytes *in, uint8_t *out, size_t room, size_t step, size_t piece,
			     uint64_t *seed, size_t *used)
{
	size_t buffer_size = 2 * INFLATE_WINDOW + step, given = 0;
	bool at_the_end = random_below(seed, 2);
	uint8_t *buffer = at_the_end ? out_pages.end - INFLATE_WRITE_AHEAD - buffer_size : out_pages.begin;
	uint8_t *at = buffer;
	struct pieces pieces = { .in = in, .most = piece };
	bool last = next_piece(&pieces, NULL, 0, seed);
	static struct inflate z; /* kept from stream to stream, as a worker keeps it: what one leaves must not matter */
	enum inflate_result result;

	inflate_begin(&z, pieces.piece, pieces.piece_bytes, last);
	do {
		size_t want = 1 + random_below(seed, (uint32_t)step);

		if (at > buffer + buffer_size || want > (size_t)(buffer + buffer_size - at)) {
			memmove(buffer, at - INFLATE_WINDOW, INFLATE_WINDOW);
			at = buffer + INFLATE_WINDOW;
		}
		uint8_t *before = at;

		result = step_pieces(&z, &pieces, buffer, &at, before + want, seed);
		size_t got = (size_t)(at - before);

		if (result == INFLATE_MORE && got < want)
			ck_abort_msg("%zu bytes of %zu", got,
				     want); /* an assertion a step would take most of the time */
		if (result == INFLATE_BAD || got > room - given)
			break;
		memcpy(out + given, before, got);
		given += got;
	} while (result == INFLATE_MORE);
	const uint8_t *rest;
	size_t left = inflate_left(&z, &rest);

	if (left == SIZE_MAX) /* made of bytes after the input: the caller sees that */
		result = INFLATE_BAD;
	*used = pieces.given - left;
	return result == INFLATE_END ? (int64_t)given : -1;
}

static const struct {
	size_t step, piece;
} ways[] = {
	{ 1, SIZE_MAX }, { 300, SIZE_MAX }, { 5000, SIZE_MAX }, { STEP_MAX, SIZE_MAX },
	{ STEP_MAX, 1 }, { 5000, 30 },      { 1, 2000 },
};

/* Returns whether it was taken. must: it has to be, if zlib takes it. */
static bool compare(const struct bytes *in, bool must, uint64_t *seed)
{
	static uint8_t ours[OUT_MAX], theirs[OUT_MAX];
	size_t used, zlib_used;
	int64_t want = inflate_zlib(in, theirs, sizeof(theirs), &zlib_used);
	bool taken = false;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		int64_t got = inflate_steps(in, ours, sizeof(ours), ways[i].step, ways[i].piece, seed, &used);

		ck_assert(i == 0 || taken == (got >= 0));
		taken = got >= 0;
		if (must)
			ck_assert_int_eq(got, want);
		if (!taken)
			continue;
		ck_assert_int_eq(got, want);
		ck_assert_uint_eq(used, zlib_used);
		ck_assert(memcmp(ours, theirs, (size_t)got) == 0);
	}
	return taken;
}

/* Rows like those of masks: runs, repeats of the row above, periods, and a little noise. */
static size_t draw_rows(uint8_t *out, uint64_t *seed)
{
	size_t n = 1 + random_below(seed, OUT_MAX / 2), row = 1 + random_below(seed, 600), period;
	unsigned ids = 1 + random_below(seed, 255);

	for (size_t at = 0; at < n;) {
		size_t run = 1 + random_below(seed, random_below(seed, 3) ? 20 : 700);

		run = MIN(run, n - at);
		switch (random_below(seed, 4)) {
		case 0:
			memset(out + at, (int)random_below(seed, ids), run);
			break;
		case 1:
			for (size_t i = 0; i < run; i++)
				out[at + i] = at + i < row ? 0 : out[at + i - row];
			break;
		case 2:
			period = 1 + random_below(seed, 90);
			for (size_t i = 0; i < run; i++)
				out[at + i] = at + i < period ? (uint8_t)random_below(seed, ids) : out[at + i - period];
			break;
		default:
			run = MIN(run, (size_t)9);
			for (size_t i = 0; i < run; i++)
				out[at + i] = (uint8_t)random_below(seed, ids);
		}
		at += run;
	}
	return n;
}

/* Bytes like those of packed data: noise that is a little uneven, and short repeats. */
static size_t draw_packed(uint8_t *out, uint64_t *seed)
{
	size_t n = 1 + random_below(seed, OUT_MAX / 2);
	unsigned often = 1 + random_below(seed, 200);

	for (size_t at = 0; at < n;) {
		size_t noise = MIN(1 + random_below(seed, often), n - at), repeat = 3 + random_below(seed, 6);

		for (; noise--; at++)
			out[at] = (uint8_t)(random_below(seed, 8) ? random_next(seed) : random_below(seed, 40));
		for (; repeat-- && at > 3000 && at < n; at++)
			out[at] = out[at - 2999];
	}
	return n;
}

static struct bytes pack(const uint8_t *bytes, size_t n, uint64_t *seed)
{
	static const int levels[] = { 0, 1, 3, 6, 9 }, strategies[] = { Z_DEFAULT_STRATEGY, Z_DEFAULT_STRATEGY,
									Z_FILTERED,         Z_RLE,
									Z_HUFFMAN_ONLY,     Z_FIXED };
	size_t room = 2 * n + 100000; /* flushes cost bytes */
	struct bytes packed = { xmalloc(room), 0 };
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)bytes, .next_out = packed.p, .avail_out = (uInt)room };

	ck_assert_int_eq(deflateInit2(&z, levels[random_below(seed, ARRAY_SIZE(levels))], Z_DEFLATED, -15,
				      1 + (int)random_below(seed, 9),
				      strategies[random_below(seed, ARRAY_SIZE(strategies))]),
			 Z_OK);
	while (z.total_in < n) {
		/* blocks end anywhere; empty ones come between */
		size_t piece = 1 + random_below(seed, random_below(seed, 2) ? 3000 : OUT_MAX);

		z.avail_in = (uInt)MIN(n - z.total_in, piece);
		ck_assert_int_eq(deflate(&z, random_below(seed, 4) ? Z_NO_FLUSH : Z_FULL_FLUSH), Z_OK);
	}
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	packed.n = z.total_out;
	deflateEnd(&z);
	return packed;
}

TEST_EACH(test_streams, 2)
{
	static uint8_t bytes[OUT_MAX];

	choose_registers(_i);
	for (uint64_t round = 0; round < 120; round++) {
		uint64_t seed = round;
		size_t n = round % 3 ? draw_rows(bytes, &seed) : draw_packed(bytes, &seed);
		struct bytes packed = pack(bytes, n, &seed);

		ck_assert(compare(&packed, true, &seed));
		free(packed.p);
	}
}

TEST_EACH(test_damaged, 2)
{
	static uint8_t bytes[OUT_MAX];
	unsigned taken = 0, all = 0;

	choose_registers(_i);
	for (uint64_t round = 0; round < 40; round++) {
		uint64_t seed = 1000 + round;
		size_t n = round % 3 ? draw_rows(bytes, &seed) : draw_packed(bytes, &seed);
		struct bytes packed = pack(bytes, MIN(n, (size_t)6000), &seed);

		for (unsigned i = 0; i < 40; i++) {
			struct bytes mutant = { xmalloc(packed.n), packed.n };

			memcpy(mutant.p, packed.p, packed.n);
			if (i % 4 == 0)
				mutant.n = random_below(&seed, (uint32_t)packed.n);
			else /* the codes are at the front */
				mutant.p[random_below(&seed, (uint32_t)MIN(packed.n, i % 2 ? packed.n : 60))] ^=
					(uint8_t)(1 << random_below(&seed, 8));
			taken += compare(&mutant, false, &seed);
			all++;
			free(mutant.p);
		}
		free(packed.p);
	}
	ck_assert_uint_gt(taken, 20);
	ck_assert_uint_lt(taken, all);
}

/* ---- by hand: a writer of bits ------------------------------------------------------------------------------------
 */

struct writer {
	struct bytes out;
	size_t cap;
	uint64_t bits;
	unsigned count;
};

static void put_bits(struct writer *w, uint32_t v, unsigned n)
{
	w->bits |= (uint64_t)v << w->count;
	w->count += n;
	while (w->count >= 8) {
		GROW(w->out.p, w->cap, w->out.n + 1);
		w->out.p[w->out.n++] = (uint8_t)w->bits;
		w->bits >>= 8;
		w->count -= 8;
	}
}

/* Codewords begin with their highest bit. */
static void put_codeword(struct writer *w, uint32_t codeword, unsigned n)
{
	while (n--)
		put_bits(w, codeword >> n & 1, 1);
}

/* RFC 1951, section 3.2.6. */
static void put_fixed(struct writer *w, unsigned symbol)
{
	if (symbol < 144)
		put_codeword(w, 0x30 + symbol, 8);
	else if (symbol < 256)
		put_codeword(w, 0x190 + symbol - 144, 9);
	else if (symbol < 280)
		put_codeword(w, symbol - 256, 7);
	else
		put_codeword(w, 0xc0 + symbol - 280, 8);
}

/* The symbol of a length or distance from its table in the RFC: bases go up by 2^extra; v counts from 0. */
static unsigned put_symbol_of(uint32_t v, unsigned per_doubling, uint32_t *extra, unsigned *extra_bits)
{
	unsigned symbol = 0, bits = 0;
	uint32_t base = 0;

	for (;;) {
		bits = symbol < 2 * per_doubling ? 0 : symbol / per_doubling - 1;
		if (v < base + (1u << bits))
			break;
		base += 1u << bits;
		symbol++;
	}
	*extra = v - base;
	*extra_bits = bits;
	return symbol;
}

static void put_match(struct writer *w, unsigned length, uint32_t distance)
{
	uint32_t extra;
	unsigned bits, symbol = put_symbol_of(length - 3, 4, &extra, &bits);

	if (length == 258) {
		symbol = 28;
		extra = bits = 0;
	}
	put_fixed(w, 257 + symbol);
	put_bits(w, extra, bits);
	symbol = put_symbol_of(distance - 1, 2, &extra, &bits);
	put_codeword(w, symbol, 5);
	put_bits(w, extra, bits);
}

static void end_fixed(struct writer *w)
{
	put_fixed(w, 256);
	put_bits(w, 0, 7); /* to the end of the byte */
}

/* Every distance up to beyond the longest match with every length; others by chance. */
TEST_EACH(test_distances, 2)
{
	enum { ALL_LENGTHS = 300 };
	uint64_t seed = 7;

	choose_registers(_i);
	for (uint32_t distance = 1; distance <= INFLATE_WINDOW;
	     distance += distance < 700 ? 1 : 1 + random_below(&seed, 900)) {
		struct writer w = { 0 };
		unsigned matches = distance <= ALL_LENGTHS ? 258 - 3 + 1 : 30;

		put_bits(&w, 1 | 1 << 1, 3);
		for (uint32_t i = 0; i < distance + 5; i++)
			put_fixed(&w, random_below(&seed, 256));
		for (unsigned i = 0; i < matches; i++) {
			put_match(&w, 3 + (distance <= ALL_LENGTHS ? i : random_below(&seed, 256)), distance);
			/* so that what is copied next has no period already */
			for (uint32_t n = random_below(&seed, MIN(distance, 8u) + 1); n; n--)
				put_fixed(&w, random_below(&seed, 256));
		}
		end_fixed(&w);
		ck_assert(compare(&w.out, true, &seed));
		free(w.out.p);
	}
}

TEST_EACH(test_too_far, 2)
{
	uint64_t seed = 8;

	choose_registers(_i);
	for (unsigned before = 0; before < 200; before += 13) {
		for (unsigned distance = 1; distance < 300; distance += 1 + random_below(&seed, 7)) {
			struct writer w = { 0 };

			put_bits(&w, 1 | 1 << 1, 3);
			for (unsigned i = 0; i < before; i++)
				put_fixed(&w, 'a' + i % 20);
			put_match(&w, 40, distance);
			end_fixed(&w);
			ck_assert_int_eq(compare(&w.out, false, &seed), distance <= before);
			free(w.out.p);
		}
	}
}

/* Symbols that the fixed codes have and that mean nothing: zlib refuses them. */
TEST_EACH(test_symbols_without_meaning, 2)
{
	uint64_t seed = 9;

	choose_registers(_i);
	for (unsigned bad = 0; bad < 4; bad++) {
		struct writer w = { 0 };

		put_bits(&w, 1 | 1 << 1, 3);
		for (unsigned i = 0; i < 10; i++)
			put_fixed(&w, i);
		if (bad < 2) {
			put_fixed(&w, 286 + bad);
		} else {
			put_fixed(&w, 257);
			put_codeword(&w, 30 + bad - 2, 5);
		}
		put_fixed(&w, 'x');
		end_fixed(&w);
		ck_assert(!compare(&w.out, false, &seed));
		free(w.out.p);
	}
}

/* Writes a dynamic block's codes: `lengths` of the literals and lengths, then of the distances. */
static void put_codes(struct writer *w, const uint8_t *lengths, unsigned litlens, unsigned distances)
{
	static const uint8_t order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };

	put_bits(w, 1 | 2 << 1, 3);
	put_bits(w, litlens - 257, 5);
	put_bits(w, distances - 1, 5);
	put_bits(w, 15, 4);
	/* lengths 0 to 15 in codewords of 4 bits */
	for (unsigned i = 0; i < 19; i++)
		put_bits(w, order[i] < 16 ? 4 : 0, 3);
	for (unsigned i = 0; i < litlens + distances; i++)
		put_codeword(w, lengths[i], 4);
}

/* Which codes are taken, each with an end of block as the whole content. */
TEST_EACH(test_codes, 2)
{
	/* {symbol, bits} up to a symbol that does not exist; distances from 300 on */
	static const struct {
		uint16_t lengths[8][2];
		unsigned end_codeword, end_bits;
		bool fine;
	} codes[] = {
		{ { { 0, 1 }, { 256, 1 }, { 300, 1 }, { 301, 1 }, { 999, 0 } }, 1, 1, true },
		{ { { 0, 1 }, { 256, 1 }, { 300, 1 }, { 999, 0 } }, 1, 1, true },  /* one distance */
		{ { { 0, 1 }, { 256, 1 }, { 329, 1 }, { 999, 0 } }, 1, 1, true },  /* the last one */
		{ { { 0, 1 }, { 256, 1 }, { 300, 2 }, { 999, 0 } }, 1, 1, false }, /* one of two bits */
		{ { { 0, 1 }, { 256, 1 }, { 999, 0 } }, 1, 1, true },              /* none */
		{ { { 0, 1 }, { 256, 1 }, { 300, 2 }, { 301, 2 }, { 999, 0 } }, 1, 1, false },
		{ { { 0, 1 }, { 1, 1 }, { 999, 0 } }, 0, 1, false },             /* no end of block */
		{ { { 0, 1 }, { 257, 1 }, { 999, 0 } }, 0, 1, false },           /* nor here */
		{ { { 0, 2 }, { 256, 1 }, { 999, 0 } }, 0, 1, false },           /* incomplete */
		{ { { 0, 1 }, { 1, 1 }, { 256, 1 }, { 999, 0 } }, 1, 1, false }, /* too many */
		{ { { 0, 1 }, { 256, 2 }, { 285, 2 }, { 300, 1 }, { 999, 0 } }, 2, 2, true },
	};
	uint64_t seed = 10;

	choose_registers(_i);
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		uint8_t lengths[286 + 30] = { 0 };
		struct writer w = { 0 };

		for (unsigned j = 0; codes[i].lengths[j][0] != 999; j++) {
			unsigned symbol = codes[i].lengths[j][0];

			lengths[symbol < 300 ? symbol : symbol - 300 + 286] = (uint8_t)codes[i].lengths[j][1];
		}
		put_codes(&w, lengths, 286, 30);
		put_codeword(&w, codes[i].end_codeword, codes[i].end_bits);
		put_bits(&w, 0, 7);
		ck_assert_int_eq(compare(&w.out, codes[i].fine, &seed), codes[i].fine);
		free(w.out.p);
	}
}

/* Random complete codes with codewords of up to 15 bits: second tables, and literals that are joined with the next. */
TEST_EACH(test_deep_codes, 2)
{
	choose_registers(_i);
	for (uint64_t round = 0; round < 300; round++) {
		uint64_t seed = 5000 + round;
		uint8_t lengths[286 + 30] = { 0 };
		uint16_t symbols[286], codewords[286];
		unsigned used = 0, n = 0, codeword = 0, most = 3 + random_below(&seed, 60);
		struct writer w = { 0 };
		uint8_t bits[286];

		/* a full tree: a leaf becomes two, now and then the deepest */
		bits[used++] = 1;
		bits[used++] = 1;
		while (used < most) {
			unsigned leaf = random_below(&seed, 2) ? used - 1 : random_below(&seed, used);

			if (bits[leaf] == CODE_BITS_MAX)
				continue;
			bits[used++] = ++bits[leaf];
		}
		/* literals but for the end of block and a length or two */
		for (unsigned i = 0; i < used; i++) {
			unsigned symbol = i == 0 ? 256 : i == 1 ? 257 : i == 2 ? 285 : random_below(&seed, 256);

			while (lengths[symbol])
				symbol = (symbol + 1) % 256;
			lengths[symbol] = bits[i];
		}
		lengths[286] = lengths[286 + 1] = 1;
		put_codes(&w, lengths, 286, 30);
		/* canonical codewords */
		for (unsigned length = 1; length <= CODE_BITS_MAX; length++, codeword <<= 1) {
			for (unsigned symbol = 0; symbol < 286; symbol++) {
				if (lengths[symbol] != length)
					continue;
				symbols[n] = (uint16_t)symbol;
				codewords[n++] = (uint16_t)codeword++;
			}
		}
		ck_assert_uint_eq(n, used);
		for (unsigned i = 0; i < 400; i++) {
			unsigned at = random_below(&seed, n);

			if (symbols[at] == 256 || (symbols[at] > 256 && i < 2))
				continue;
			put_codeword(&w, codewords[at], lengths[symbols[at]]);
			if (symbols[at] > 256)
				put_bits(&w, random_below(&seed, 2), 1);
		}
		for (unsigned i = 0; i < n; i++)
			if (symbols[i] == 256)
				put_codeword(&w, codewords[i], lengths[256]);
		put_bits(&w, 0, 7);
		/* a match may come before there is anything to copy: then both refuse it */
		compare(&w.out, true, &seed);
		free(w.out.p);
	}
}

TIMEOUT(120)
FIXTURE(set_up, NULL)
