#include "measure/engine/pixel_facts.h"

#include "base/mem.h"

/* Returns the highest bit of each lane of v that is not zero. high: the highest bits of all lanes. */
static inline uint64_t not_zero(uint64_t v, uint64_t high)
{
	return (((v & ~high) + ~high) | v) & high;
}

/* Counts a pixel without branches, with each sample in a lane of a word. */
static inline void count_pixel(struct pixel_facts *c, const uint8_t *pixel, unsigned colours, bool deep, uint32_t peak)
{
	const unsigned bits = deep ? 16 : 8;
	const uint64_t mask = UINT64_MAX >> (64 - bits * colours), ones = mask / ((UINT64_C(1) << bits) - 1);
	const uint64_t high = ones << (bits - 1);
	uint64_t v = 0, peaks = ones * peak;

	for (unsigned i = 0; i < colours; i++)
		v |= (uint64_t)pixel_sample(pixel + (deep ? 2 : 1) * i, deep) << bits * i;
	uint64_t positive = not_zero(v, high), not_peak = not_zero(v ^ peaks, high);

	c->unequal += v != (v & (mask / ones)) * ones;
	c->one_hot += (positive != 0) & !(positive & (positive - 1));
	c->blank += positive == 0;
	c->pure += (positive != 0) & !(positive & not_peak);
}

static inline __attribute__((always_inline)) uint32_t peak_of_run(const uint8_t *p, size_t n, unsigned channels,
								  bool deep)
{
	uint32_t peak = 0;

	for (size_t i = 0; i < n; i++, p += channels * (deep ? 2 : 1))
		for (unsigned c = 0; c < (channels % 2 ? channels : channels - 1); c++)
			peak = MAX(peak, pixel_sample(p + (deep ? 2 : 1) * c, deep));
	return peak;
}

static inline __attribute__((always_inline)) void count_run(struct pixel_facts *c, const uint8_t *p, size_t n,
							    unsigned channels, bool deep, uint32_t peak)
{
	for (size_t i = 0; i < n; i++, p += channels * (deep ? 2 : 1))
		count_pixel(c, p, channels % 2 ? channels : channels - 1, deep, peak);
}

/* Calls an inline function with constants, so that each kind of pixel has a loop of its own. */
#define EACH_KIND(kind, call)           \
	switch ((kind)->bytes) {        \
	case 3:                         \
		call(3, false);         \
		break;                  \
	case 6:                         \
		call(3, true);          \
		break;                  \
	case 8:                         \
		call(4, true);          \
		break;                  \
	case 2:                         \
		call(2, false);         \
		break;                  \
	default:                        \
		if ((kind)->deep)       \
			call(2, true);  \
		else                    \
			call(4, false); \
		break;                  \
	}

struct pixel_facts pixel_facts_of(const struct pixel_kind *kind, const uint8_t *pixels, size_t n, uint32_t peak)
{
	struct pixel_facts c = { 0 };

#define COUNT(channels, deep) count_run(&c, pixels, n, channels, deep, peak)
	EACH_KIND(kind, COUNT)
#undef COUNT
	return c;
}

uint32_t pixels_peak(const struct pixel_kind *kind, const uint8_t *pixels, size_t n)
{
	uint32_t peak = 0;

#define PEAK(channels, deep) peak = peak_of_run(pixels, n, channels, deep)
	EACH_KIND(kind, PEAK)
#undef PEAK
	return peak;
}

void pixel_facts_add(struct pixel_facts *to, const struct pixel_facts *more, uint64_t times)
{
	to->unequal += times * more->unequal;
	to->one_hot += times * more->one_hot;
	to->blank += times * more->blank;
	to->pure += times * more->pure;
}
