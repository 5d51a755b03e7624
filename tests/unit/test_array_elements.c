/* Compares the loops over elements with one element after the other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "check_main.h"
#include "measure/array/array_elements.h"
#include "random.h"

enum { ELEMENTS = 64 * ELEMENTS_BLOCK };

static uint64_t seed = 1;

static uint64_t next_random(void)
{
	return random_next64(&seed);
}

static union {
	uint8_t bytes[8 * ELEMENTS];
	uint16_t u16[ELEMENTS];
	uint32_t u32[ELEMENTS];
	uint64_t u64[ELEMENTS];
	float f32[ELEMENTS];
	double f64[ELEMENTS];
} v __attribute__((aligned(64)));

static struct byte_counts counts;

static void put(unsigned bytes, size_t i, uint64_t value)
{
	switch (bytes) {
	case 1:
		v.bytes[i] = (uint8_t)value;
		return;
	case 2:
		v.u16[i] = (uint16_t)value;
		return;
	case 4:
		v.u32[i] = (uint32_t)value;
		return;
	default:
		v.u64[i] = value;
	}
}

static int64_t get(unsigned bytes, bool is_signed, size_t i)
{
	switch (bytes) {
	case 1:
		return is_signed ? (int8_t)v.bytes[i] : v.bytes[i];
	case 2:
		return is_signed ? (int16_t)v.u16[i] : v.u16[i];
	case 4:
		return is_signed ? (int32_t)v.u32[i] : (int64_t)v.u32[i];
	default: /* above 2^63 is negative here, and as little small as there */
		return (int64_t)v.u64[i];
	}
}

static uint64_t sum(uint32_t tables[ELEMENTS_TABLES][256], unsigned value)
{
	uint64_t n = 0;

	for (unsigned t = 0; t < ELEMENTS_TABLES; t++)
		n += tables[t][value];
	return n;
}

/* 0: all that this processor has; 1: without AVX2. */
static void use_instructions(int without)
{
	struct error err = ERROR_INIT;

	if (without)
		ck_assert_int_eq(setenv("LABELAUDIT_DISABLE_CPU_FEATURES", "avx2", 1), 0);
	ck_assert_int_eq(cpu_init(&err), STATUS_OK);
}

/* Block by block: all of 0..255, or (signed) all of -128..127. */
static void check_ints(unsigned bytes, bool is_signed)
{
	uint64_t want[2][256] = { 0 };
	size_t blocks = 0;

	for (; blocks < ELEMENTS / ELEMENTS_BLOCK; blocks++) {
		bool small = true, negative = is_signed;

		for (size_t i = blocks * ELEMENTS_BLOCK; i < (blocks + 1) * ELEMENTS_BLOCK; i++) {
			int64_t id = get(bytes, is_signed, i);

			small &= id >= 0 && id <= 255;
			negative &= id >= -128 && id <= 127;
		}
		if (bytes == 1)
			small = !is_signed;
		if (!small && !negative)
			break;
		for (size_t i = blocks * ELEMENTS_BLOCK; i < (blocks + 1) * ELEMENTS_BLOCK; i++)
			want[!small][(uint8_t)get(bytes, is_signed, i)]++;
	}
	memset(&counts, 0, sizeof(counts));
	ck_assert_uint_eq(elements_count_ints(&counts, &v, bytes, is_signed, ELEMENTS / ELEMENTS_BLOCK), blocks);
	for (unsigned value = 0; value < 256; value++) {
		/* 0 and 1 alone may be counted either way */
		uint64_t got[2] = { sum(counts.small, value), sum(counts.negative, value) };

		ck_assert_uint_eq(got[0] + (value < 2 ? got[1] : 0), want[0][value] + (value < 2 ? want[1][value] : 0));
		ck_assert_uint_eq(got[1] + (value < 2 ? got[0] : 0), want[1][value] + (value < 2 ? want[0][value] : 0));
	}
}

TEST_EACH(integers, 2)
{
	use_instructions(_i);
	for (unsigned round = 0; round < 400; round++) {
		unsigned bytes = 1u << round % 4;
		uint64_t range = (uint64_t[]){ 2, 10, 128, 256 }[next_random() % 4], run = 1 + next_random() % 200;
		int64_t low = round % 3 ? 0 : -(int64_t)(next_random() % 129);
		uint64_t value = 0;

		for (size_t i = 0; i < ELEMENTS; i++) {
			if (next_random() % run == 0)
				value = (uint64_t)low + next_random() % range;
			put(bytes, i, value);
		}
		/* one block with something else in it, or none */
		if (round % 5 == 0)
			put(bytes, next_random() % ELEMENTS, next_random());
		check_ints(bytes, false);
		check_ints(bytes, true);
	}
}

TEST_EACH(integers_at_the_limits, 2)
{
	use_instructions(_i);
	static const int64_t edges[] = { 0,   255,   256,   -1,     -128,      -129,     127,
					 128, 65535, 65536, -65536, INT64_MIN, INT64_MAX };

	for (unsigned bytes = 1; bytes <= 8; bytes *= 2)
		for (size_t e = 0; e < ARRAY_SIZE(edges); e++)
			for (size_t at = 0; at < ELEMENTS_BLOCK; at += 21) {
				for (size_t i = 0; i < ELEMENTS; i++)
					put(bytes, i, i % 3);
				put(bytes, ELEMENTS_BLOCK + at, (uint64_t)edges[e]);
				check_ints(bytes, false);
				check_ints(bytes, true);
			}
}

static void check_floats(unsigned bytes)
{
	uint64_t want[256] = { 0 };
	size_t blocks = 0;

	for (; blocks < ELEMENTS / ELEMENTS_BLOCK; blocks++) {
		bool fits = true;

		for (size_t i = blocks * ELEMENTS_BLOCK; i < (blocks + 1) * ELEMENTS_BLOCK; i++) {
			double x = bytes == 4 ? (double)v.f32[i] : v.f64[i];

			fits &= x >= 0 && x <= 255 && x == floor(x);
		}
		if (!fits)
			break;
		for (size_t i = blocks * ELEMENTS_BLOCK; i < (blocks + 1) * ELEMENTS_BLOCK; i++)
			want[(unsigned)(bytes == 4 ? (double)v.f32[i] : v.f64[i])]++;
	}
	memset(&counts, 0, sizeof(counts));
	ck_assert_uint_eq(elements_count_floats(&counts, &v, bytes, ELEMENTS / ELEMENTS_BLOCK), blocks);
	for (unsigned value = 0; value < 256; value++)
		ck_assert_uint_eq(sum(counts.small, value), want[value]);
}

TEST_EACH(integral_floats, 2)
{
	use_instructions(_i);
	static const double others[] = { 0.5, -1,   256,      255.5,     -0.0,     254.99999,  1e300,
					 NAN, -NAN, INFINITY, -INFINITY, 0x1p-149, 4294967296, -0.25 };

	for (unsigned bytes = 4; bytes <= 8; bytes *= 2)
		for (size_t e = 0; e < ARRAY_SIZE(others); e++) {
			size_t at = next_random() % ELEMENTS;

			for (size_t i = 0; i < ELEMENTS; i++) {
				double x = i == at ? others[e] : (double)(next_random() % 256);

				if (bytes == 4)
					v.f32[i] = (float)x;
				else
					v.f64[i] = x;
			}
			check_floats(bytes);
		}
}

static void naive_facts(struct float_facts *f, const double *x, double tolerance, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (isnan(x[i])) {
			f->nan++;
			continue;
		}
		if (isinf(x[i])) {
			f->infinite++;
			continue;
		}
		f->min = fmin(f->min, x[i]);
		f->max = fmax(f->max, x[i]);
		if (x[i] == trunc(x[i]))
			continue;
		f->fractions++;
		f->least = fmin(f->least, fabs(x[i]));
		f->of_255 += x[i] > 0 && x[i] <= 1 && rint(x[i] * 255) > 0 &&
			     fabs(x[i] * 255 - rint(x[i] * 255)) < tolerance;
	}
}

TEST(facts_about_floats)
{
	static const double odd[] = { NAN,   -NAN,    INFINITY,  -INFINITY, -0.0, 0,         0x1p-149,  3e38,
				      -3e38, 8388608, 8388607.5, 16777216,  -0.5, 4194304.5, -8388607.5 };
	static double x[ELEMENTS];

	for (unsigned round = 0; round < 300; round++) {
		bool half = round % 3 == 2;
		unsigned bytes = round % 3 == 1 ? 8 : 4;
		size_t n = 1 + next_random() % ELEMENTS;
		struct float_facts got = { .min = INFINITY, .max = -INFINITY, .least = INFINITY }, want = got;

		for (size_t i = 0; i < n; i++) {
			double value = round % 2 ? (double)(next_random() % 256) / 255 : (double)next_random() / 0x1p64;

			if (next_random() % 50 == 0)
				value = odd[next_random() % ARRAY_SIZE(odd)];
			if (next_random() % 4 == 0)
				value = (double)(next_random() % 100) - 20;
			if (bytes == 4)
				v.f32[i] = (float)value;
			else
				v.f64[i] = value;
			x[i] = bytes == 4 ? (double)v.f32[i] : value;
		}
		naive_facts(&want, x, half ? 0.13 : bytes == 4 ? 1e-3 : 1e-4, n);
		elements_float_facts(&got, &v, bytes, half, n);
		ck_assert_uint_eq(got.nan, want.nan);
		ck_assert_uint_eq(got.infinite, want.infinite);
		ck_assert_uint_eq(got.fractions, want.fractions);
		/* the product is rounded to float there */
		ck_assert_uint_le(got.of_255 > want.of_255 ? got.of_255 - want.of_255 : want.of_255 - got.of_255, 1);
		ck_assert(got.min == want.min && got.max == want.max && got.least == want.least);
	}
}

static double naive_half(uint16_t half)
{
	int exponent = half >> 10 & 31, fraction = half & 1023;
	double x = exponent == 31 ? (fraction ? NAN : INFINITY)
		   : exponent     ? ldexp(1024 + fraction, exponent - 25)
				  : ldexp(fraction, -24);

	return half >> 15 ? -x : x;
}

TEST(every_half)
{
	static uint16_t halves[65536];
	static float wide[65536];

	for (unsigned i = 0; i < 65536; i++)
		halves[i] = (uint16_t)i;
	elements_widen_halves(wide, halves, 65536);
	for (unsigned i = 0; i < 65536; i++) {
		double want = naive_half((uint16_t)i);

		ck_assert_msg(isnan(want) ? isnan(wide[i]) : (double)wide[i] == want, "%04x: %g, not %g", i,
			      (double)wide[i], want);
		ck_assert_int_eq(signbit(wide[i]) != 0, i >> 15);
	}
}

TEST(small_loops)
{
	static uint8_t on[ELEMENTS], bytes[8 * ELEMENTS];
	static float sums[ELEMENTS];

	for (unsigned size = 1; size <= 8; size *= 2) {
		for (size_t i = 0; i < ELEMENTS; i++)
			put(size, i, next_random() % 3 ? 0 : next_random());
		v.bytes[size - 1] = 0x80; /* -0.0 */
		memset(v.bytes, 0, size - 1);
		memset(on, 7, sizeof(on));
		elements_add_nonzero(on, &v, size, false, ELEMENTS);
		for (size_t i = 0; i < ELEMENTS; i++)
			ck_assert_uint_eq(on[i], 7 + (get(size, false, i) != 0));
		if (size > 1) {
			memset(on, 0, sizeof(on));
			elements_add_nonzero(on, &v, size, true, ELEMENTS);
			ck_assert_uint_eq(on[0], 0);
			ck_assert_uint_eq(on[1], get(size, false, 1) != 0);
			memcpy(bytes, &v, sizeof(bytes));
			elements_swap(&v, size, ELEMENTS);
			for (size_t i = 0; i < (size_t)size * ELEMENTS; i++)
				ck_assert_uint_eq(v.bytes[i], bytes[i - i % size + size - 1 - i % size]);
		}
	}
	for (unsigned size = 4; size <= 8; size *= 2) {
		memset(sums, 0, sizeof(sums));
		for (size_t i = 0; i < ELEMENTS; i++) {
			if (size == 4)
				v.f32[i] = (float)i / 8;
			else
				v.f64[i] = (double)i / 8;
		}
		elements_add_floats(sums, &v, size, ELEMENTS);
		elements_add_floats(sums, &v, size, ELEMENTS);
		for (size_t i = 0; i < ELEMENTS; i++)
			ck_assert(sums[i] == (float)i / 4);
	}
}

TIMEOUT(60)
