#include "fix/resized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	TAPS_MAX = 32,      /* source pixels that make one */
	SAMPLES_MAX = 4096, /* ramp pixels that are asked for a size */
	SAMPLES_MIN = 24,
	RAMP_HEIGHT = 3, /* of a ramp whose values tell where a pixel lies */
	RAMP_PIXELS = 6,
	GROWN_MAX = 8, /* times that the mask is larger than its source */
	SWEEPS = 8,
	REACH = 2, /* source pixels from one to those whose ids it may have */
	CANDIDATES = 12,
};

/* A pixel differs from its prediction by rounding; Pillow rounds twice, which takes few pixels beyond this. */
static const float fits_within = .65F;
/* A resize must explain this share of the pixels that are not between equal ones; with the other nothing else is tried.
 */
static const double share_explained = .8, share_certain = .95;
/* Parts of the squared error that a border between two source pixels costs: the shorter of two borders is taken. */
static const float border_price = .04F;

enum kernel { LINEAR, LINEAR_WIDE, CUBIC_PILLOW, CUBIC_OPENCV, LANCZOS, KERNELS };

/* Which source pixels make the pixels of a row or a column, and with which weights. */
struct taps {
	uint32_t first, count;
	float weight[TAPS_MAX];
};

struct axis {
	uint32_t n, source;
	struct taps *taps;   /* of each of n pixels; owned */
	uint32_t *from, *to; /* pixels that a source pixel is in: owned */
};

static void axis_release(struct axis *a)
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
	case LINEAR_WIDE:
		return fmax(0, 1 - fabs(x));
	case CUBIC_PILLOW:
		return cubic(x, -.5);
	case CUBIC_OPENCV:
		return cubic(x, -.75);
	default:
		return fabs(x) < 3 ? sinc(x) * sinc(x / 3) : 0;
	}
}

/* Fills the taps of a pixel whose centre lies at u. Source pixels beyond the edge repeat it, or do not count. */
static void fill_taps(struct taps *t, enum kernel k, double u, double scale, uint32_t source)
{
	bool wide = k != LINEAR && k != CUBIC_OPENCV; /* Pillow's kernels widen to average what they shrink */
	double stretch = wide ? fmax(scale, 1) : 1, support = (k == LANCZOS ? 3 : k < CUBIC_PILLOW ? 1 : 2) * stretch;
	int64_t low = (int64_t)ceil(u - support), high = (int64_t)floor(u + support), last = (int64_t)source - 1;
	double sum = 0;

	t->first = (uint32_t)MIN(MAX(low, (int64_t)0), last);
	t->count = MIN((uint32_t)(MIN(MAX(high, (int64_t)0), last) - t->first + 1), (uint32_t)TAPS_MAX);
	memset(t->weight, 0, sizeof(t->weight));
	for (int64_t i = low; i <= high; i++) {
		double weight = kernel_at(k, ((double)i - u) / stretch);
		int64_t at = MIN(MAX(i, (int64_t)0), last) - t->first;

		if ((wide && (i < 0 || i > last)) || at >= t->count)
			continue;
		t->weight[at] += (float)weight;
		sum += weight;
	}
	for (uint32_t i = 0; i < t->count; i++)
		t->weight[i] /= (float)sum;
}

static bool axis_init(struct axis *a, enum kernel k, uint32_t n, uint32_t source)
{
	*a = (struct axis){ .n = n, .source = source };
	a->taps = mem_try(n, sizeof(*a->taps));
	a->from = mem_try(source, sizeof(*a->from));
	a->to = mem_try_zero(source, sizeof(*a->to));
	if (!a->taps || !a->from || !a->to)
		return false;
	double scale = (double)source / n;

	for (uint32_t i = 0; i < source; i++)
		a->from[i] = n;
	for (uint32_t x = 0; x < n; x++) {
		struct taps *t = &a->taps[x];

		fill_taps(t, k, (x + .5) * scale - .5, scale, source);
		for (uint32_t i = t->first; i < t->first + t->count; i++) {
			a->from[i] = MIN(a->from[i], x);
			a->to[i] = x + 1;
		}
	}
	return true;
}

/*
 * Fills the source pixel that is nearest to each pixel's centre. Where that lies between two, OpenCV takes the first;
 * Pillow the one that the sum of the steps comes to, with its rounding errors.
 */
static void fill_nearest(const struct axis *a, bool opencv, uint32_t *nearest)
{
	double scale = (double)a->source / a->n, centre = scale * .5;

	for (uint32_t x = 0; x < a->n; x++) {
		double from_start = (x + .5) * scale;

		nearest[x] = (uint32_t)(opencv ? fmax(ceil(from_start - 1e-6) - 1, 0) : centre);
		nearest[x] = MIN(nearest[x], a->source - 1);
		centre += scale;
	}
}

static inline float weight_of(const struct axis *a, uint32_t x, uint32_t source)
{
	uint32_t at = source - a->taps[x].first;

	return at < a->taps[x].count ? a->taps[x].weight[at] : 0;
}

/* ---- the size ---------------------------------------------------------------------------------------------------- */

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

/* Returns the number of source pixels in a line of n that agrees best with its ramps; 0: none does. */
static uint32_t source_pixels(const struct ramp_pixels *r, uint32_t n)
{
	double best = 0;
	uint32_t source = 0;

	if (r->count < SAMPLES_MIN)
		return 0;
	for (uint32_t m = MAX(n / GROWN_MAX, 1U); m <= 2 * n; m++) {
		double turns = (double)m / n, sum = 0;

		if (m == n)
			continue;
		for (size_t i = 0; i < r->count; i++)
			sum += cos(2 * M_PI * (r->v[i].at * turns - .5 - r->v[i].part));
		if (sum > best * 1.0001) {
			best = sum;
			source = m;
		}
	}
	return best > .6 * (double)r->count ? source : 0;
}

/* Finds the size of the source. Returns false if too few ramps agree on one. */
static bool find_source(const uint16_t *seen, const uint8_t *marks, uint32_t width, uint32_t height, uint32_t source[2])
{
	struct ramp_pixels *ramps = xcalloc(2, sizeof(*ramps));

	for (uint32_t y = 1; y + 1 < height; y++)
		add_ramps(&ramps[0], seen + (size_t)y * width, marks + (size_t)y * width, 1, (ptrdiff_t)width, width);
	for (uint32_t x = 1; x + 1 < width; x++)
		add_ramps(&ramps[1], seen + x, marks + x, width, 1, height);
	source[0] = source_pixels(&ramps[0], width);
	source[1] = source_pixels(&ramps[1], height);
	free(ramps);
	/* too few ramps one way: the same factor as the other way */
	if (!source[0])
		source[0] = (uint32_t)((double)width * source[1] / height + .5);
	if (!source[1])
		source[1] = (uint32_t)((double)height * source[0] / width + .5);
	return source[0] && source[1];
}

/* ---- the ids ----------------------------------------------------------------------------------------------------- */

struct undo {
	const uint16_t *seen;
	uint32_t width, height;
	struct axis x, y;
	uint16_t *source; /* owned */
	float *predicted; /* owned */
};

/* Fills u->predicted. rounds: the rows of the source are rounded between the two passes, as Pillow does. */
static bool predict(struct undo *u, bool rounds)
{
	float *rows = mem_try((size_t)u->width * u->y.source, sizeof(*rows));

	if (!rows)
		return false;
	for (uint32_t j = 0; j < u->y.source; j++)
		for (uint32_t x = 0; x < u->width; x++) {
			const struct taps *t = &u->x.taps[x];
			const uint16_t *source = u->source + (size_t)j * u->x.source + t->first;
			float sum = 0;

			for (uint32_t i = 0; i < t->count; i++)
				sum += t->weight[i] * source[i];
			rows[(size_t)j * u->width + x] = rounds ? floorf(sum + .5F) : sum;
		}
	for (uint32_t y = 0; y < u->height; y++)
		for (uint32_t x = 0; x < u->width; x++) {
			const struct taps *t = &u->y.taps[y];
			float sum = 0;

			for (uint32_t i = 0; i < t->count; i++)
				sum += t->weight[i] * rows[(size_t)(t->first + i) * u->width + x];
			u->predicted[(size_t)y * u->width + x] = sum;
		}
	free(rows);
	return true;
}

static inline float error_of(const struct undo *u, size_t at, float more)
{
	/* what goes beyond the range of a byte was cut off */
	float value = u->predicted[at] + more, error;

	value = value < 0 ? 0 : value;
	error = value - (float)u->seen[at];
	return error;
}

/* Returns how much the squared error grows if a source pixel changes by `by`. */
static float growth(const struct undo *u, uint32_t i, uint32_t j, float by)
{
	float sum = 0;

	for (uint32_t y = u->y.from[j]; y < u->y.to[j]; y++) {
		float wy = by * weight_of(&u->y, y, j);

		for (uint32_t x = u->x.from[i]; x < u->x.to[i]; x++) {
			size_t at = (size_t)y * u->width + x;
			float before = error_of(u, at, 0), after = error_of(u, at, wy * weight_of(&u->x, x, i));

			sum += after * after - before * before;
		}
	}
	return sum;
}

static void change(struct undo *u, uint32_t i, uint32_t j, uint16_t to)
{
	uint16_t *id = u->source + (size_t)j * u->x.source + i;
	float by = (float)to - (float)*id;

	*id = to;
	for (uint32_t y = u->y.from[j]; y < u->y.to[j]; y++)
		for (uint32_t x = u->x.from[i]; x < u->x.to[i]; x++)
			u->predicted[(size_t)y * u->width + x] += by * weight_of(&u->y, y, j) * weight_of(&u->x, x, i);
}

/* Returns whether some pixel that a source pixel is in is not explained. */
static bool is_doubtful(const struct undo *u, uint32_t i, uint32_t j)
{
	for (uint32_t y = u->y.from[j]; y < u->y.to[j]; y++)
		for (uint32_t x = u->x.from[i]; x < u->x.to[i]; x++)
			if (fabsf(error_of(u, (size_t)y * u->width + x, 0)) > .51F)
				return true;
	return false;
}

static unsigned borders(const struct undo *u, uint32_t i, uint32_t j, uint16_t id)
{
	const uint16_t *p = u->source + (size_t)j * u->x.source + i;

	return (unsigned)(i && p[-1] != id) + (i + 1 < u->x.source && p[1] != id) +
	       (j && p[-(ptrdiff_t)u->x.source] != id) + (j + 1 < u->y.source && p[u->x.source] != id);
}

/* Gives a source pixel the id among those around it that explains the pixels best. Returns whether it changed. */
static bool improve(struct undo *u, uint32_t i, uint32_t j)
{
	uint16_t candidates[CANDIDATES], id = u->source[(size_t)j * u->x.source + i], best = id;
	unsigned count = 0;
	float least = border_price * (float)borders(u, i, j, id);

	for (uint32_t b = j - MIN(j, (uint32_t)REACH); b <= MIN(j + REACH, u->y.source - 1); b++)
		for (uint32_t a = i - MIN(i, (uint32_t)REACH); a <= MIN(i + REACH, u->x.source - 1); a++) {
			uint16_t other = u->source[(size_t)b * u->x.source + a];
			unsigned k = 0;

			while (k < count && candidates[k] != other)
				k++;
			if (k == count && count < CANDIDATES)
				candidates[count++] = other;
		}
	for (unsigned k = 0; k < count; k++) {
		if (candidates[k] == id)
			continue;
		float price = growth(u, i, j, (float)candidates[k] - (float)id) +
			      border_price * (float)borders(u, i, j, candidates[k]);

		if (price < least - .001F) {
			least = price;
			best = candidates[k];
		}
	}
	if (best == id)
		return false;
	change(u, i, j, best);
	return true;
}

static void improve_all(struct undo *u)
{
	bool changed = true;

	for (int sweep = 0; sweep < SWEEPS && changed; sweep++) {
		changed = false;
		for (uint32_t j = 0; j < u->y.source; j++)
			for (uint32_t i = 0; i < u->x.source; i++)
				if (is_doubtful(u, i, j))
					changed |= improve(u, i, j);
	}
}

/* Returns the share of the pixels that are not equal to all around them that are explained. */
static double explained(const struct undo *u)
{
	uint64_t all = 0, good = 0;

	for (uint32_t y = 1; y + 1 < u->height; y++)
		for (uint32_t x = 1; x + 1 < u->width; x++) {
			size_t at = (size_t)y * u->width + x;
			const uint16_t *p = u->seen + at;

			if (p[0] == p[-1] && p[0] == p[1] && p[0] == p[u->width] && p[0] == p[-(ptrdiff_t)u->width])
				continue;
			all++;
			good += fabsf(error_of(u, at, 0)) <= fits_within;
		}
	return all ? (double)good / (double)all : 0;
}

/* Returns how many pixels are exactly what was predicted, rounded. */
static uint64_t count_exact(const struct undo *u)
{
	uint64_t n = 0;

	for (size_t at = 0; at < (size_t)u->width * u->height; at++)
		n += fabsf(error_of(u, at, 0)) <= .502F;
	return n;
}

/* Returns whether OpenCV made the mask: by its kernel, or because nothing was rounded between two passes. */
static bool is_by_opencv(struct undo *u, enum kernel k)
{
	if (k != LINEAR)
		return k == CUBIC_OPENCV;
	if (u->x.source > u->width)
		return true; /* Pillow's kernel would be wide */
	uint64_t once = count_exact(u);

	return predict(u, true) && once > count_exact(u);
}

/* Replaces the guess by the nearest source pixel, where the source explains what is there. */
static bool take_ids(struct undo *u, enum kernel k, const uint16_t *guess, uint16_t *out)
{
	uint32_t *columns = mem_try(u->width, sizeof(*columns)), *rows = mem_try(u->height, sizeof(*rows));
	bool opencv = is_by_opencv(u, k), ok = columns && rows && predict(u, false);

	if (ok) {
		fill_nearest(&u->x, opencv, columns);
		fill_nearest(&u->y, opencv, rows);
	}
	for (size_t at = 0; ok && at < (size_t)u->width * u->height; at++) {
		uint16_t id = u->source[(size_t)rows[at / u->width] * u->x.source + columns[at % u->width]];

		out[at] = fabsf(error_of(u, at, 0)) <= 4 * fits_within ? id : guess[at];
	}
	free(columns);
	free(rows);
	return ok;
}

static void fill_source(struct undo *u, const uint16_t *guess)
{
	for (uint32_t j = 0; j < u->y.source; j++)
		for (uint32_t i = 0; i < u->x.source; i++) {
			double x = MIN((i + .5) * u->width / u->x.source, u->width - 1.);
			double y = MIN((j + .5) * u->height / u->y.source, u->height - 1.);

			u->source[(size_t)j * u->x.source + i] = guess[(size_t)y * u->width + (size_t)x];
		}
}

/* Tries one kernel. If it explains more than *best, that becomes its share, and out gets the ids. */
static void try_kernel(struct undo *u, enum kernel k, const uint32_t source[2], const uint16_t *guess, double *best,
		       uint16_t *out)
{
	if (axis_init(&u->x, k, u->width, source[0]) && axis_init(&u->y, k, u->height, source[1])) {
		fill_source(u, guess);
		if (predict(u, false)) {
			improve_all(u);
			double share = explained(u);

			if (share > *best && take_ids(u, k, guess, out))
				*best = share;
		}
	}
	axis_release(&u->x);
	axis_release(&u->y);
}

bool resized_undo(const uint16_t *seen, const uint8_t *marks, uint16_t *ids, uint32_t width, uint32_t height)
{
	struct undo u = { .seen = seen, .width = width, .height = height };
	size_t pixels = (size_t)width * height;
	double best = share_explained;
	uint32_t source[2];

	if (pixels > RESIZED_PIXELS_MAX || !find_source(seen, marks, width, height, source))
		return false;
	uint16_t *out = mem_try(pixels, sizeof(*out));

	u.source = mem_try((size_t)source[0] * source[1], sizeof(*u.source));
	u.predicted = mem_try(pixels, sizeof(*u.predicted));
	for (unsigned k = 0; out && u.source && u.predicted && k < KERNELS && best < share_certain; k++)
		if (k != LINEAR_WIDE || source[0] > width || source[1] > height) /* else it is LINEAR */
			try_kernel(&u, (enum kernel)k, source, ids, &best, out);
	if (best > share_explained)
		memcpy(ids, out, pixels * sizeof(*ids));
	free(u.predicted);
	free(u.source);
	free(out);
	return best > share_explained;
}
