/*
 * The fast path and damaged files: whatever it takes must be what the reference reads, and the reference must read it
 * without a warning. Files that it refuses are for the reference, which finds the words.
 */
#include "check_main.h"

#include <string.h>

#include "effort.h"
#include "engine_fixture.h"
#include "engine_masks.h"

static struct engine_fixture engine;

static void set_up(void)
{
	engine_fixture_init(&engine, "0-9,300-400", "255");
}

static void tear_down(void)
{
	engine_fixture_release(&engine);
}

/* Returns the next IDAT from *at on, and sets *at after it. NULL: there is none. */
static uint8_t *next_idat(const struct bytes *png, size_t *at, size_t *n)
{
	while (*at + 12 <= png->n) {
		uint8_t *chunk = png->p + *at;

		*n = be32(chunk);
		*at += *n + 12;
		if (!memcmp(chunk + 4, "IDAT", 4))
			return chunk + 8;
	}
	return NULL;
}

START_TEST(any_byte)
{
	const size_t files = effort(250, 1500);
	uint64_t s = 99;
	size_t taken = 0;

	for (uint64_t seed = 0; seed < files; seed++) {
		struct bytes whole = mask_png(seed, 1u << seed % 5), damaged = bytes_damaged(&whole, &s);

		taken += engine_compare(&engine, &damaged, seed);
		/* and nothing of it is left */
		if (seed % 16 == 0)
			ck_assert_uint_eq(engine_compare(&engine, &whole, seed), engine.count);
		free(damaged.p);
		free(whole.p);
	}
	/* but for a flipped bit in a text or a palette, whose CRC is wrong then, damage is seen */
	ck_assert_uint_lt(taken, files / 10 * engine.count);
}
END_TEST

/* Damage that the checksums of chunks do not show: the zlib stream is broken and every CRC is right. */
START_TEST(streams)
{
	uint64_t s = 5;

	for (uint64_t seed = 0; seed < effort(250, 1500); seed++) {
		struct bytes png = mask_png(seed, 1u << seed % 5);
		size_t at = 8, n;

		for (uint8_t *idat; (idat = next_idat(&png, &at, &n));)
			if (random_below(&s, 2))
				idat[random_below(&s, (uint32_t)n)] ^= (uint8_t)(1u << random_below(&s, 8));
		png_mend_crcs(&png);
		engine_compare(&engine, &png, seed);
		free(png.p);
	}
}
END_TEST

/* A window that is declared smaller than the stream needs: zlib refuses distances beyond it. */
START_TEST(small_windows)
{
	size_t declared = 0, taken = 0;

	for (uint64_t seed = 0; seed < 300; seed++) {
		struct bytes png = mask_png(seed, 8);
		size_t at = 8, n;
		uint8_t *idat = next_idat(&png, &at, &n);

		if (n > 1) {
			/* RFC 1950, 2.2: log2 of the window less 8, and deflate; the check makes both a multiple of 31
			 */
			idat[0] = (uint8_t)((1 + seed % 6) << 4 | 8);
			idat[1] = (uint8_t)(31 - (idat[0] << 8) % 31);
			png_mend_crcs(&png);
			taken += engine_compare(&engine, &png, seed);
			declared++;
		}
		free(png.p);
	}
	ck_assert_uint_gt(declared, 250);
	ck_assert_uint_lt(taken, declared * engine.count);
}
END_TEST

/* Narrow rows that are all the same: a match makes dozens of them, and the last input many. IDATs of a few bytes. */
static struct bytes repeated_png(uint32_t width, uint32_t height, uint8_t window, uint64_t *s)
{
	struct bytes png = { 0 }, rows = { 0 }, stream = { 0 };
	uint8_t line[8] = { 0 };
	uLong n = compressBound(height * (width + 1));

	for (uint32_t y = 0; y < height; y++) {
		if (!random_below(s, 200))
			line[1 + random_below(s, width)] = (uint8_t)random_below(s, 12);
		bytes_add(&rows, line, width + 1);
	}
	stream.p = xmalloc(n);
	z_stream z = { .next_in = rows.p, .avail_in = (uInt)rows.n, .next_out = stream.p, .avail_out = (uInt)n };

	ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	stream.n = z.total_out;
	deflateEnd(&z);
	png_begin(&png, width, height, 8, 0);
	png_end(&png, &stream, 9, s);
	free(rows.p);
	free(stream.p);
	return png;
}

/* Faults name the rows that libpng has read when it stops, which depends on when it asks for more input. */
START_TEST(places)
{
	uint64_t s = 77;

	for (uint64_t seed = 0; seed < effort(200, 1200); seed++) {
		struct bytes png =
			repeated_png(1 + (uint32_t)seed % 7, 300 + (uint32_t)seed % 4000, seed % 5 ? 15 : 9, &s);
		uint32_t at = 33 + random_below(&s, (uint32_t)png.n - 33);

		engine_compare(&engine, &png, seed);
		switch (seed % 4) {
		case 0:
			png.n = at;
			break;
		case 1: /* what follows the chunk in which that is, or its own rest, is gone */
			for (size_t next = 33; next < at; next += be32(png.p + next) + 12)
				png.n = next;
			bytes_chunk(&png, seed % 3 ? "IEND" : "IDAT", NULL, 0);
			break;
		case 2:
			png.p[at] ^= (uint8_t)(1u << random_below(&s, 8));
			break;
		default:
			png.p[at] ^= (uint8_t)(1u << random_below(&s, 8));
			png_mend_crcs(&png);
			break;
		}
		engine_compare(&engine, &png, seed);
		free(png.p);
	}
}
END_TEST

/* Chunks after the image data, and before: libpng goes on there itself. */
START_TEST(chunks_behind)
{
	static const char *const types[] = { "tEXt", "tRNS", "PLTE", "IDAT", "IHDR", "IEND", "ABCD", "teSt", "ab1d" };
	uint64_t s = 78;

	for (uint64_t seed = 0; seed < effort(200, 600); seed++) {
		struct bytes whole = mask_png(seed, 1u << seed % 5), png = { 0 };
		size_t iend = whole.n - 12;

		bytes_add(&png, whole.p, iend);
		for (uint32_t n = random_below(&s, 3); n; n--) {
			bytes_chunk(&png, types[random_below(&s, ARRAY_SIZE(types))], "\1\2\3\4\5\6",
				    random_below(&s, 7));
			if (!random_below(&s, 4))
				png.p[png.n - 1] ^= 1;
		}
		bytes_add(&png, whole.p + iend, 12 - random_below(&s, 2) * random_below(&s, 12));
		if (!random_below(&s, 2))
			bytes_add(&png, "behind", random_below(&s, 6));
		engine_compare(&engine, &png, seed);
		free(png.p);
		free(whole.p);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("engine damage");
	TCase *tests = tcase_create("engine damage");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, any_byte);
	tcase_add_test(tests, streams);
	tcase_add_test(tests, small_windows);
	tcase_add_test(tests, places);
	tcase_add_test(tests, chunks_behind);
	suite_add_tcase(suite, tests);
	return suite;
}

CHECK_MAIN(suite)
