#include "fix/resize_sizes.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	SAMPLES_MAX = 4096, /* ramp pixels that are asked for a size */
	SAMPLES_MIN = 24,
	RAMP_HEIGHT = 2, /* of a ramp whose values tell where a pixel lies */
	RAMP_PIXELS = 6,
	GROWN_MAX = 8, /* times that the mask is larger than its source */
	PEAKS = 6,     /* sizes that are looked at, of each axis */
	SKEW = 4,      /* pixels by which a size may differ from the one with the same factor as the other way */
};

/* The largest source, in pixels of the mask: a larger one explains whatever is there. */
static const double source_largest = .8;

/* A pixel of a ramp: its place, and the part of the way between two source pixels that its value tells. */
struct ramp_pixel {
	float at, part;
};

struct ramp_pixels {
	struct ramp_pixel v[SAMPLES_MAX];
	size_t count;
	uint64_t seen; /* all; some of them are kept */
};

static void add_ramp_pixel(struct ramp_pixels *r, uint32_t x, float part)
{
	size_t at = r->count < SAMPLES_MAX ? r->count++ : (size_t)(r->seen * UINT64_C(0x9e3779b97f4a7c15) >> 52);

	r->v[at] = (struct ramp_pixel){ (float)x + .5F, part };
	r->seen++;
}

/* Adds the ramps of a line of n pixels, `step` apart, that the lines on both sides have as well. */
static void add_ramps(struct ramp_pixels *r, const uint16_t *p, const uint8_t *marks, size_t step, ptrdiff_t side,
		      uint32_t n)
{
	for (uint32_t x = 1; x + 1 < n; x++) {
		uint32_t end = x;

		if (marks[(x - 1) * step] || !marks[x * step])
			continue;
		while (end < n && marks[end * step] && end - x <= RAMP_PIXELS)
			end++;
		if (end == n || marks[end * step])
			continue;
		int first = p[(x - 1) * step], height = p[end * step] - first;
		bool straight = abs(height) >= RAMP_HEIGHT;

		for (uint32_t i = x - 1; i <= end && straight; i++) {
			const uint16_t *pixel = p + i * step;

			straight = pixel[0] == pixel[side] && pixel[0] == pixel[-side];
		}
		for (uint32_t i = x; i < end && straight; i++) {
			float part = (float)(p[i * step] - first) / (float)height;

			if (part > 0 && part < 1)
				add_ramp_pixel(r, i, part);
		}
		x = end;
	}
}

/* How well each size of a source agrees with the ramps of an axis: 1 if all do, about 0 by chance. */
struct agreement {
	uint32_t n;     /* pixels of the mask */
	double *scores; /* by the source's pixels, up to n; owned */
	bool tells;     /* there are enough ramps */
};

static bool agreement_init(struct agreement *a, const struct ramp_pixels *r, uint32_t n, bool area)
{
	*a = (struct agreement){ .n = n, .scores = mem_try_zero(n + 1, sizeof(*a->scores)) };
	a->tells = r->count >= SAMPLES_MIN;
	const uint32_t first = MAX(n / GROWN_MAX, 1U), last = (uint32_t)(n * source_largest);

	for (size_t i = 0; a->scores && a->tells && i < r->count; i++) {
		/* the cosine of an angle that grows by a step with each size: it turns a vector */
		const struct ramp_pixel *p = &r->v[i];
		double step = 2 * M_PI * (p->at + (area ? .5 - p->part : 0)) / n;
		double angle = first * step - (area ? 0 : 2 * M_PI * (.5 + p->part));
		double x = cos(angle), y = sin(angle), across = cos(step), up = sin(step);

		for (uint32_t m = first; m <= last; m++) {
			double turned = x * across - y * up;

			a->scores[m] += x / (double)r->count;
			y = x * up + y * across;
			x = turned;
		}
	}
	return a->scores;
}

static void add_size(struct size *sizes, unsigned *count, struct size size)
{
	unsigned at = *count;

	for (unsigned i = 0; i < *count; i++)
		if (sizes[i].width == size.width && sizes[i].height == size.height && sizes[i].area == size.area)
			return;
	while (at && sizes[at - 1].score < size.score)
		at--;
	if (at == RESIZE_SIZES)
		return;
	*count = MIN(*count + 1, (unsigned)RESIZE_SIZES);
	memmove(sizes + at + 1, sizes + at, (*count - at - 1) * sizeof(*sizes));
	sizes[at] = size;
}

/* Returns the pixels, near as many as the factor of the other axis gives, that agree best. */
static uint32_t partner(const struct agreement *a, double factor)
{
	uint32_t middle = (uint32_t)MIN(MAX(a->n * factor + .5, 1.), (double)a->n), best = middle;

	for (uint32_t m = middle - MIN(middle - 1, (uint32_t)SKEW); m <= MIN(middle + SKEW, a->n) && a->tells; m++)
		if (a->scores[m] > a->scores[best])
			best = m;
	return best;
}

/* Adds the sizes that agree best with one axis, each with the best one of the other that has about the same factor. */
static void add_peaks(const struct agreement *a, const struct agreement *other, bool transposed, bool area,
		      struct size *sizes, unsigned *count)
{
	double below = 2;

	for (unsigned i = 0; i < PEAKS && a->tells; i++) {
		uint32_t peak = 0;

		for (uint32_t m = 1; m <= a->n * source_largest; m++)
			if (a->scores[m] < below && a->scores[m] >= a->scores[m - 1] &&
			    a->scores[m] >= a->scores[m + 1] && a->scores[m] > (peak ? a->scores[peak] : .2))
				peak = m;
		if (!peak)
			return;
		below = a->scores[peak];
		uint32_t there = partner(other, (double)peak / a->n);
		double score = a->scores[peak] + (other->tells ? other->scores[there] : 0);

		add_size(sizes, count,
			 transposed ? (struct size){ there, peak, score, area }
				    : (struct size){ peak, there, score, area });
	}
}

static int compare_sizes(const void *a, const void *b)
{
	uint32_t m = ((const struct size *)a)->width, n = ((const struct size *)b)->width;

	return m < n ? -1 : m > n;
}

unsigned resize_find_sizes(const uint16_t *seen, const uint8_t *marks, uint32_t width, uint32_t height,
			   struct size sizes[RESIZE_SIZES])
{
	struct ramp_pixels *ramps = xcalloc(2, sizeof(*ramps));
	unsigned count = 0;

	for (uint32_t i = 1; i + 1 < height; i++)
		add_ramps(&ramps[0], seen + (size_t)i * width, marks + (size_t)i * width, 1, (ptrdiff_t)width, width);
	for (uint32_t i = 1; i + 1 < width; i++)
		add_ramps(&ramps[1], seen + i, marks + i, width, 1, height);
	for (int area = 0; area < 2; area++) {
		struct agreement x = { 0 }, y = { 0 };

		if (agreement_init(&x, &ramps[0], width, area) && agreement_init(&y, &ramps[1], height, area)) {
			add_peaks(&x, &y, false, area, sizes, &count);
			add_peaks(&y, &x, true, area, sizes, &count);
		}
		free(x.scores);
		free(y.scores);
	}
	free(ramps);
	qsort(sizes, count, sizeof(*sizes), compare_sizes);
	return count;
}
