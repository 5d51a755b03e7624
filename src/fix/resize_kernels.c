#include "fix/resize_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void axis_release(struct axis *a)
{
	free(a->taps);
	free(a->from);
	free(a->to);
}

static double cubic(double x, double a)
{
	x = fabs(x);
	return x < 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static double sinc(double x)
{
	return x == 0 ? 1 : sin(M_PI * x) / (M_PI * x);
}

static double kernel_at(enum kernel k, double x)
{
	switch (k) {
	case LINEAR:
	case LINEAR_CUT:
	case AREA:
		return fmax(0, 1 - fabs(x));
	case HAMMING:
		return fabs(x) < 1 ? sinc(x) * (.54 + .46 * cos(M_PI * x)) : 0;
	case CUBIC_PILLOW:
		return cubic(x, -.5);
	case CUBIC_OPENCV:
		return cubic(x, -.75);
	case LANCZOS3:
		return fabs(x) < 3 ? sinc(x) * sinc(x / 3) : 0;
	default:
		return fabs(x) < 4 ? sinc(x) * sinc(x / 4) : 0;
	}
}

static double support_of(enum kernel k)
{
	return k <= HAMMING ? 1 : k <= CUBIC_OPENCV ? 2 : k == LANCZOS3 ? 3 : 4;
}

bool kernel_is_pillow(enum kernel k)
{
	return k == HAMMING || k == CUBIC_PILLOW || k == LANCZOS3;
}

/* Fills the taps of a pixel whose centre lies at u. */
static void fill_taps(struct taps *t, enum kernel k, double u, uint32_t source)
{
	double support = support_of(k) - 1e-6; /* at its end the kernel is 0 */
	int64_t low = (int64_t)ceil(u - support), high = (int64_t)floor(u + support), last = (int64_t)source - 1;
	double sum = 0, weights[TAPS_MAX] = { 0 };

	t->first = (uint32_t)MIN(MAX(low, (int64_t)0), last);
	t->count = MIN((uint32_t)(MIN(MAX(high, (int64_t)0), last) - t->first + 1), (uint32_t)TAPS_MAX);
	for (int64_t i = low; i <= high; i++) {
		double weight = kernel_at(k, (double)i - u);
		int64_t at = MIN(MAX(i, (int64_t)0), last) - t->first;

		if ((kernel_is_pillow(k) && (i < 0 || i > last)) || at >= t->count)
			continue;
		weights[at] += weight;
		sum += weight;
	}
	for (uint32_t i = 0; i < TAPS_MAX; i++) {
		double weight = weights[i] / sum;

		t->weight[i] = (float)weight;
		t->fixed[i] = (int32_t)(weight * (1 << FIXED_BITS) + (weight < 0 ? -.5 : .5));
	}
}

/* Returns a pixel's place between two source pixels, of which OpenCV's AREA takes the parts that it covers. */
static double covered(uint32_t x, double scale)
{
	double first = floor(x * scale + 1e-9), part = x + 1 - (first + 1) / scale;

	return first + (part > 0 ? part - floor(part) : 0);
}

bool axis_init(struct axis *a, enum kernel k, uint32_t first, uint32_t n, uint32_t whole, uint32_t source)
{
	double scale = (double)source / whole;

	*a = (struct axis){ .n = n };
	a->taps = mem_try(n, sizeof(*a->taps));
	for (uint32_t x = 0; a->taps && x < n; x++)
		fill_taps(&a->taps[x], k, k == AREA ? covered(first + x, scale) : (first + x + .5) * scale - .5,
			  source);
	if (!a->taps)
		return false;
	a->at = a->taps[0].first;
	a->source = source = a->taps[n - 1].first + a->taps[n - 1].count - a->at;
	a->from = mem_try(source, sizeof(*a->from));
	a->to = mem_try_zero(source, sizeof(*a->to));
	if (!a->from || !a->to)
		return false;
	for (uint32_t i = 0; i < source; i++)
		a->from[i] = n;
	for (uint32_t x = 0; x < n; x++) {
		struct taps *t = &a->taps[x];

		t->first -= a->at;
		for (uint32_t i = t->first; i < t->first + t->count; i++) {
			a->from[i] = MIN(a->from[i], x);
			a->to[i] = x + 1;
		}
	}
	return true;
}

void axis_fill_nearest(const struct axis *a, bool opencv, uint32_t *nearest)
{
	double scale = (double)a->source / a->n, centre = scale * .5;

	for (uint32_t x = 0; x < a->n; x++) {
		nearest[x] = (uint32_t)(opencv ? x * scale : centre);
		nearest[x] = MIN(nearest[x], a->source - 1);
		centre += scale;
	}
}
