/*
 * The fast path and damaged files: whatever it takes must be what the reference reads, and the reference must read it
 * without a remark. What it leaves alone is for the reference, which finds the words.
 */
#include "check_main.h"

#include <string.h>

#include "engine.h"
#include "engine_masks.h"

static struct engine engine;

static void set_up(void)
{
	engine_init(&engine, "0-9,300-400", "255");
}

static void tear_down(void)
{
	engine_release(&engine);
}

/* The next IDAT from *at on; *at is set behind it. NULL: there is none. */
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
	enum { FILES = 1500 };
	uint64_t s = 99;
	size_t taken = 0;

	for (uint64_t seed = 0; seed < FILES; seed++) {
		struct bytes whole = mask_png(seed, 1u << seed % 5), damaged = bytes_damaged(&whole, &s);

		taken += engine_compare(&engine, &damaged, seed);
		/* and nothing of it is left behind */
		if (seed % 16 == 0)
			ck_assert_uint_eq(engine_compare(&engine, &whole, seed), engine.count);
		free(damaged.p);
		free(whole.p);
	}
	/* but for a flipped bit in a text or a palette, whose CRC is wrong then, damage is seen */
	ck_assert_uint_lt(taken, FILES / 10 * engine.count);
}
END_TEST

/* Damage behind the checksums of chunks: the zlib stream is broken and every CRC is right. */
START_TEST(streams)
{
	uint64_t s = 5;

	for (uint64_t seed = 0; seed < 1500; seed++) {
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

static Suite *suite(void)
{
	Suite *suite = suite_create("engine damage");
	TCase *tests = tcase_create("engine damage");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, any_byte);
	tcase_add_test(tests, streams);
	tcase_add_test(tests, small_windows);
	suite_add_tcase(suite, tests);
	return suite;
}

CHECK_MAIN(suite)
