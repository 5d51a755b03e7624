/*
 * How often a clean set fails because some of its masks look interpolated by chance: computed, not drawn, for sets of
 * 49 to 1,000,000 masks.
 *
 * A mask is flagged with a probability p. Then the number of flagged masks is binomial, and the set fails if that
 * number is certain (judge/interpolation.h). p as measured is 1 in 5,000; the rule is to hold for 1 in 1,000, too.
 */
#include "check_main.h"

#include <math.h>
#include <stdint.h>

#include "base/mem.h"
#include "judge/interpolation.h"

static const uint64_t sizes[] = { 49, 100, 316, 1000, 3162, 10000, 31623, 100000, 316228, 1000000 };

/* Returns the smallest number of flagged masks that is certain. */
static uint64_t least_that_stands(uint64_t masks)
{
	uint64_t n = 0;

	while (n <= masks && !interpolation_stands(masks, n))
		n++;
	return n;
}

/* Returns the probability that at least `least` of n masks are flagged. */
static double tail(uint64_t n, double p, uint64_t least)
{
	double below = 0;

	for (uint64_t k = 0; k < least; k++)
		below += exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) +
			     (double)k * log(p) + (double)(n - k) * log1p(-p));
	return fmax(1 - below, 0);
}

TEST(clean_sets_pass)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint64_t least = least_that_stands(sizes[i]);
		double measured = tail(sizes[i], 1. / 5000, least), worse = tail(sizes[i], 1. / 1000, least);

		ck_assert_msg(measured < .01, "%g of the sets of %zu fail", measured, (size_t)sizes[i]);
		ck_assert_msg(worse < .02, "%g of the sets of %zu would fail", worse, (size_t)sizes[i]);
	}
}

/* One mask in a hundred that is damaged is found in nearly each set of 1,000 and more. */
TEST(damaged_sets_fail)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (sizes[i] >= 1000)
			ck_assert_msg(tail(sizes[i], .01, least_that_stands(sizes[i])) > .9, "sets of %zu",
				      (size_t)sizes[i]);
}

/* A certain number is certain in a smaller set, too, and so is a larger one. */
TEST(more_flagged_stand_as_well)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint64_t least = least_that_stands(sizes[i]);

		ck_assert(interpolation_stands(sizes[i], sizes[i]));
		ck_assert(!interpolation_stands(sizes[i], least - 1));
		for (uint64_t n = least; n < least + 100 && n <= sizes[i]; n++)
			ck_assert(interpolation_stands(sizes[i], n));
		ck_assert(!i || least >= least_that_stands(sizes[i - 1]));
	}
}
