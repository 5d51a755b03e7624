/*
 * The warp's inflate as a loop over lanes, in three orders, against zlib: streams of every kind, and mutants of them
 * with right and wrong checksums, in buffers of exactly their sizes. zlib accepts all that it accepts, and gives the
 * same bytes; it always accepts whole streams.
 */
#include "check_main.h"

#include <stdint.h>
#include <stdio.h>

#include "effort.h"
#include "measure/kernel/inflate_kernel.h"
#include "pictures.h"

enum { ORDERS = 3, UNWRITTEN = 0xa5 };
static const enum lane_order orders[ORDERS] = { LANES_FORWARD, LANES_REVERSE, LANES_RANDOM };

static unsigned runs;

/* Inflates to `size` bytes in *out, in one lane order after the other. False: refused, by every order. */
static bool inflate_warp(const struct bytes *stream, struct bytes *out)
{
	size_t room = (stream->n + KERNEL_STREAM_PADDING + 15) / 16 * 16;
	uint8_t *in = xcalloc(room, 1);
	struct inflate_shared *s = xmalloc(sizeof(*s));
	bool taken[ORDERS];
	uint8_t *first = NULL;

	if (stream->n)
		memcpy(in, stream->p, stream->n);
	for (int i = 0; i < ORDERS; i++) {
		struct warp w;
		/* The checksum reads words, and scratch memory is as long. */
		uint8_t *got = xmalloc(out->n);

		memset(got, UNWRITTEN, out->n);
		memset(s, 0x5a, sizeof(*s));
		warp_init(&w, orders[i]);
		taken[i] = kernel_inflate(&w, s, in, (uint32_t)stream->n, got, (uint32_t)out->n);
		ck_assert_int_eq(taken[i], taken[0]);
		if (!first)
			first = got;
		if (taken[i])
			ck_assert(memcmp(got, first, out->n) == 0);
		if (got != first)
			free(got);
	}
	if (taken[0])
		memcpy(out->p, first, out->n);
	free(first);
	free(s);
	free(in);
	runs++;
	return taken[0];
}

/* As strict as the kernel: exactly out->n bytes from exactly the stream. */
static bool inflate_zlib(const struct bytes *stream, struct bytes *out, bool check)
{
	z_stream z = {
		.next_in = stream->p, .avail_in = (uInt)stream->n, .next_out = out->p, .avail_out = (uInt)out->n
	};
	uint8_t more;

	ck_assert_int_eq(inflateInit(&z), Z_OK);
	if (!check)
		inflateValidate(&z, 0);
	int code = inflate(&z, Z_FINISH);

	if (code == Z_BUF_ERROR && z.avail_out == 0) { /* perhaps only the end of the block is missing */
		z.next_out = &more;
		z.avail_out = 1;
		code = inflate(&z, Z_FINISH);
		if (z.avail_out == 0)
			code = Z_BUF_ERROR;
	}
	bool fine = code == Z_STREAM_END && z.total_out == out->n && z.avail_in == 0;

	inflateEnd(&z);
	return fine;
}

static struct bytes bytes_new(size_t n)
{
	return (struct bytes){ xmalloc(MAX(n, (size_t)1)), n };
}

/* Filtered rows of a mask, or noise, or a few values, or one. */
static struct bytes data_make(uint64_t seed, uint32_t side_max)
{
	uint64_t s = seed;

	if (random_below(&s, 4)) {
		static const uint32_t depths[] = { 8, 8, 1, 4, 16 };
		uint32_t depth = depths[random_below(&s, ARRAY_SIZE(depths))];
		struct mask m = mask_random(seed, depth == 16 ? 65536 : 256, side_max);
		struct bytes rows = mask_rows(&m, depth, &s);

		mask_release(&m);
		return rows;
	}
	struct bytes b = bytes_new(1 + random_below(&s, 60000));
	uint32_t values = 1 + random_below(&s, random_below(&s, 2) ? 256 : 3);

	for (size_t i = 0; i < b.n; i++)
		b.p[i] = (uint8_t)(values == 256 && i > 300 ? b.p[i - 1 - random_below(&s, 300)]
							    : random_below(&s, values) * random_below(&s, values));
	return b;
}

TEST(whole_streams_are_taken)
{
	for (uint64_t seed = 1; seed <= effort(120, 1500); seed++) {
		uint64_t random = seed;
		struct bytes data = data_make(seed, seed % 10 ? 60 : 300),
			     stream = stream_make(&data, LEVEL_ANY, PACKED_ANYHOW, &random);
		struct bytes out = bytes_new(data.n);

		ck_assert_msg(inflate_warp(&stream, &out), "seed %llu", (unsigned long long)seed);
		ck_assert_msg(memcmp(out.p, data.p, data.n) == 0, "seed %llu", (unsigned long long)seed);

		/* one byte more or less is not the size that was promised */
		struct bytes more = bytes_new(data.n + 1);

		ck_assert(!inflate_warp(&stream, &more));
		if (data.n > 1) {
			struct bytes less = bytes_new(data.n - 1);

			ck_assert(!inflate_warp(&stream, &less));
			free(less.p);
		}
		free(more.p);
		free(out.p);
		free(stream.p);
		free(data.p);
	}
}

/* Bits are flipped, bytes changed, moved and lost. */
static void mutate(struct bytes *stream, uint64_t *s)
{
	for (uint32_t changes = 1 + random_below(s, 3); changes; changes--) {
		uint32_t at = random_below(s, random_below(s, 2) ? (uint32_t)MIN(stream->n, (size_t)100)
								 : (uint32_t)stream->n);

		switch (random_below(s, 5)) {
		case 0:
			stream->p[at] = (uint8_t)random_below(s, 256);
			break;
		case 1:
			memmove(stream->p + at, stream->p + at + 1, stream->n - at - 1);
			break;
		case 2:
			if (stream->n > 8 && random_below(s, 4) == 0)
				stream->n -= 1 + random_below(s, 2);
			break;
		default:
			stream->p[at] ^= (uint8_t)(1u << random_below(s, 8));
			break;
		}
		at = random_below(s, (uint32_t)stream->n);
	}
	stream->p = xrealloc(stream->p, stream->n);
}

/* LABELAUDIT_MUTANTS: more of them than make check has time for, or fewer. */
TEST(mutants_are_taken_as_by_zlib)
{
	const char *wanted = getenv("LABELAUDIT_MUTANTS");
	unsigned taken = 0, refused = 0, only_zlib = 0;
	uint64_t s = 77, mutants = wanted ? strtoull(wanted, NULL, 10) : effort(500, 8000);

	for (uint64_t seed = 1; seed <= mutants; seed++) {
		uint64_t random = seed;
		struct bytes data = data_make(seed, 40), stream = stream_make(&data, LEVEL_ANY, PACKED_ANYHOW, &random);
		size_t size = data.n;

		mutate(&stream, &s);
		struct bytes expected = bytes_new(size);

		/* With the checksum that it needs, most of them. The last four bytes are no symbols then. */
		if (stream.n > 6 && random_below(&s, 8)) {
			z_stream z = { .next_in = stream.p,
				       .avail_in = (uInt)stream.n,
				       .next_out = expected.p,
				       .avail_out = (uInt)size };

			if (inflateInit(&z) == Z_OK && inflateValidate(&z, 0) == Z_OK) {
				inflate(&z, Z_FINISH);
				size = MAX((size_t)z.total_out, (size_t)1);
				expected.n = size;
				inflateEnd(&z);
				uint32_t adler = (uint32_t)adler32(1, expected.p, (uInt)size);

				for (int i = 0; i < 4; i++)
					stream.p[stream.n - 1 - (size_t)i] = (uint8_t)(adler >> 8 * i);
			}
		}
		struct bytes got = bytes_new(size);
		bool by_zlib = inflate_zlib(&stream, &expected, true), by_warp = inflate_warp(&stream, &got);

		ck_assert_msg(by_zlib || !by_warp, "zlib refuses seed %llu", (unsigned long long)seed);
		if (by_warp)
			ck_assert_msg(memcmp(got.p, expected.p, size) == 0, "seed %llu", (unsigned long long)seed);
		taken += by_warp;
		refused += !by_zlib;
		only_zlib += by_zlib && !by_warp;
		free(got.p);
		free(expected.p);
		free(stream.p);
		free(data.p);
	}
	printf("mutants: %u taken by both, %u refused by both, %u only by zlib\n", taken, refused, only_zlib);
	/* It must hold what it is meant to test; the kernel is a little stricter (see its header). */
	ck_assert_uint_gt(taken, mutants / 16);
	ck_assert_uint_gt(refused, mutants / 4);
	ck_assert_uint_le(only_zlib, mutants / 200);
}

/* Bits by hand, least significant first. */
struct bit_writer {
	struct bytes bytes;
	unsigned bits;
};

static void put_bits(struct bit_writer *b, uint32_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++, b->bits++) {
		if (b->bits % 8 == 0)
			bytes_add(&b->bytes, "", 1);
		b->bytes.p[b->bytes.n - 1] |= (uint8_t)((v >> i & 1) << b->bits % 8);
	}
}

static void put_code(struct bit_writer *b, uint32_t code, unsigned n)
{
	for (unsigned i = n; i-- > 0;)
		put_bits(b, code >> i, 1);
}

/* Blocks of the fixed code: literals 'x', then a match of 3 at `distance`. window: CINFO. */
static struct bytes fixed_stream(unsigned literals, uint32_t symbol, uint32_t distance_code, unsigned extra_bits,
				 uint32_t extra, unsigned window, unsigned size)
{
	struct bit_writer b = { { 0 }, 0 };
	unsigned method = window << 4 | 8;
	uint8_t *all = xmalloc(size);

	put_bits(&b, method, 8);
	put_bits(&b, 31 - (method << 8) % 31, 8);
	put_bits(&b, 1 | 1 << 1, 3);
	for (unsigned i = 0; i < literals; i++)
		put_code(&b, 0x30 + 'x', 8);
	if (symbol < 280)
		put_code(&b, symbol - 256, 7);
	else
		put_code(&b, 0xc0 + symbol - 280, 8);
	put_code(&b, distance_code, 5);
	put_bits(&b, extra, extra_bits);
	put_code(&b, 0, 7);
	memset(all, 'x', size);
	bytes_be32(&b.bytes, (uint32_t)adler32(1, all, size));
	free(all);
	return b.bytes;
}

/*
 * A block with codes of its own: 'x' of one bit, 'y' and the end of block of these lengths (0 to 2), and `distances`
 * distances without a code, whose lengths are one repeat of `zeros` zeros (0: a single zero); the data is 'x'. The
 * checksum is right, so that only the codes can be wrong.
 */
static struct bytes coded_stream(unsigned y_length, unsigned end_length, unsigned distances, unsigned zeros)
{
	/* 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1: the codes of 0, 1, 2 and 18 have two bits */
	static const uint8_t lengths[] = { 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2 };
	struct bit_writer b = { { 0 }, 0 };

	put_bits(&b, 0x78, 8);
	put_bits(&b, 0x9c, 8);
	put_bits(&b, 1 | 2 << 1, 3);
	put_bits(&b, 0, 5); /* 257 literals */
	put_bits(&b, distances - 1, 5);
	put_bits(&b, ARRAY_SIZE(lengths) - 4, 4);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		put_bits(&b, lengths[i], 3);
	put_code(&b, 3, 2); /* zeros before 'x' */
	put_bits(&b, 'x' - 11, 7);
	put_code(&b, 1, 2);
	put_code(&b, y_length, 2);
	put_code(&b, 3, 2); /* zeros between 'y' and the end of block */
	put_bits(&b, 256 - 'z' - 11, 7);
	put_code(&b, end_length, 2);
	if (zeros) {
		put_code(&b, 3, 2);
		put_bits(&b, zeros - 11, 7);
	} else {
		put_code(&b, 0, 2);
	}
	put_code(&b, 0, 1);
	put_code(&b, end_length == 1 ? 1 : 2, end_length);
	bytes_be32(&b.bytes, (uint32_t)adler32(1, (const Bytef *)"x", 1));
	return b.bytes;
}

static bool takes(struct bytes stream, unsigned size)
{
	struct bytes out = bytes_new(size), by_zlib = bytes_new(size);
	bool taken = inflate_warp(&stream, &out);

	if (taken)
		ck_assert(inflate_zlib(&stream, &by_zlib, true) && memcmp(out.p, by_zlib.p, size) == 0);
	free(out.p);
	free(by_zlib.p);
	free(stream.p);
	return taken;
}

/* A stored block of 'x', with the checksum of 'x' and a byte of memory that nothing was written to. */
static struct bytes short_stream(void)
{
	static const uint8_t expected[] = { 'x', UNWRITTEN };
	struct bytes b = { 0 };

	bytes_add(&b,
		  "\x78\x01"
		  "\1\1\0\xfe\xff"
		  "x",
		  8);
	bytes_be32(&b, (uint32_t)adler32(1, expected, sizeof(expected)));
	return b;
}

TEST(borders_of_the_format)
{
	/* distance code 1 is 2, 4 with an extra bit 5 or 6 */
	ck_assert(takes(fixed_stream(2, 257, 1, 0, 0, 7, 5), 5));
	ck_assert(!takes(fixed_stream(1, 257, 1, 0, 0, 7, 4), 4));
	ck_assert(takes(fixed_stream(6, 257, 4, 1, 1, 7, 9), 9));
	ck_assert(!takes(fixed_stream(5, 257, 4, 1, 1, 7, 8), 8));
	ck_assert(!takes(fixed_stream(0, 257, 0, 0, 0, 7, 3), 3));
	/* distance 257 = code 16 with 7 bits of 0; the window is 256, or 512 */
	ck_assert(takes(fixed_stream(300, 257, 16, 7, 0, 1, 303), 303));
	ck_assert(!takes(fixed_stream(300, 257, 16, 7, 0, 0, 303), 303));
	/* symbols that are no lengths, distances that do not exist */
	ck_assert(takes(fixed_stream(9, 285, 0, 0, 0, 7, 9 + 258), 9 + 258));
	ck_assert(!takes(fixed_stream(9, 286, 0, 0, 0, 7, 12), 12));
	ck_assert(!takes(fixed_stream(9, 287, 0, 0, 0, 7, 12), 12));
	ck_assert(!takes(fixed_stream(9, 257, 30, 13, 0, 7, 12), 12));
	ck_assert(!takes(fixed_stream(9, 257, 31, 13, 0, 7, 12), 12));
	/* a code that fits, more codes than fit, and fewer */
	ck_assert(takes(coded_stream(0, 1, 1, 0), 1));
	ck_assert(!takes(coded_stream(2, 1, 1, 0), 1));
	ck_assert(!takes(coded_stream(0, 2, 1, 0), 1));
	/* a repeat that ends with the last length, and ones that go on after it */
	ck_assert(takes(coded_stream(0, 1, 11, 11), 1));
	ck_assert(takes(coded_stream(0, 1, 30, 30), 1));
	ck_assert(!takes(coded_stream(0, 1, 30, 31), 1));
	ck_assert(!takes(coded_stream(0, 1, 1, 11), 1));
	ck_assert(!takes(coded_stream(0, 1, 1, 138), 1));
	/* fewer bytes than promised, and a checksum that does not tell */
	ck_assert(!takes(short_stream(), 2));
}

/* zlib with the least memory and one symbol of one bit: the shortest blocks that it makes, and the most of them. */
TEST(the_shortest_blocks_of_zlib_are_taken)
{
	struct bytes data = bytes_new(90000), stream = bytes_new(90000), out = bytes_new(data.n);
	z_stream z = { .next_in = data.p, .avail_in = (uInt)data.n, .next_out = stream.p, .avail_out = (uInt)stream.n };

	memset(data.p, 'x', data.n);
	ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, 15, 1, Z_HUFFMAN_ONLY), Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	stream.n = z.total_out;
	deflateEnd(&z);
	ck_assert(inflate_warp(&stream, &out));
	ck_assert(memcmp(out.p, data.p, data.n) == 0);
	free(data.p);
	free(stream.p);
	free(out.p);
}

/* Random bytes after a good header, for streams that no encoder writes. */
TEST(noise_ends)
{
	uint64_t s = 5;

	for (unsigned i = 0; i < effort(1000, 3000); i++) {
		struct bytes stream = bytes_new(2 + random_below(&s, 600)), out = bytes_new(1 + random_below(&s, 3000));
		struct bytes by_zlib = bytes_new(out.n);

		for (size_t k = 0; k < stream.n; k++)
			stream.p[k] = (uint8_t)random_below(&s, 256);
		memcpy(stream.p, "\x78\x9c", 2);
		if (stream.n > 2)
			stream.p[2] = (uint8_t)((stream.p[2] & 0xf8) | random_below(&s, 4) << 1);
		bool taken = inflate_warp(&stream, &out);

		ck_assert(!taken || inflate_zlib(&stream, &by_zlib, true));
		free(stream.p);
		free(out.p);
		free(by_zlib.p);
	}
	/* Absurdly many empty blocks are refused, though zlib takes them. */
	struct bytes many = bytes_new(0), out = bytes_new(1);

	bytes_add(&many, "\x78\x9c", 2);
	for (unsigned i = 0; i < 5000; i++)
		bytes_add(&many, "\0\0\0\xff\xff", 5);
	bytes_add(&many,
		  "\1\1\0\xfe\xff"
		  "x",
		  6);
	bytes_be32(&many, (uint32_t)adler32(1, (const Bytef *)"x", 1));
	ck_assert(inflate_zlib(&many, &out, true));
	ck_assert(!inflate_warp(&many, &out));
	free(many.p);
	free(out.p);
}

TIMEOUT(300)
