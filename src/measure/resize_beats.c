#include "measure/resize_beats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/differing.h"
#include "base/mem.h"

/*
 * A mask is suspicious if LONE_MIN runs of one pixel are between two other ids, for at most LONE_SHARE edges each: nine
 * of ten that show beats, 6 in 100 of street scenes, and one in four of those drawn from polygons.
 */
enum { LONE_MIN = 50, LONE_SHARE = 16 };
enum {
	SIDE_MIN = 64,
	SIDE_MAX = 8192, /* finding the beats takes side * side / 2 steps */
	GROUPS_MIN = 20, /* in each direction */
	PERIOD_MAX = 32, /* pixels; longer ones are the distances of objects */
	WAVE_BITS = 10,
	WAVE_STEPS = 1 << WAVE_BITS,
	WAVE_QUARTER = WAVE_STEPS / 4,
	AMPLITUDE = 256,
	HELD_ROWS = 4,
	HELD_WORDS = 2,
	ROW_BEFORE = 16, /* bytes around a held row that may be read */
	ROW_AFTER = 80,
};
/*
 * Some 1,000 pairs of frequencies are tried. By chance one in 3.5 million exceeds five standard deviations, and one in
 * four of these passes the other conditions: one in 10,000 suspicious masks. Among 2,600 clean ones the highest score
 * was 4.1.
 */
static const double SCORE_MIN = 5, SCORE_EACH = 1.5, SCORE_OFF = 2;
/*
 * Below this in the shorter direction, the other is not measured. In 42 damaged masks with beats the lower peak of both
 * was 3.3 and more; 19 of 24 suspicious clean ones have less than 3.
 */
static const double PEAK_MIN = 3;

/*
 * Lone pixels along a direction, by their position. Neighbours across the direction that have the same id are a group,
 * which counts once: a vertical line of one pixel is not many lone pixels in the same column.
 */
struct axis {
	uint32_t side;
	uint32_t *at;    /* groups by position; later, of pairs: fold() */
	uint32_t *pairs; /* the first positions of those that have groups */
	uint32_t pairs_count;
	uint64_t groups;  /* their sum */
	uint64_t doubles; /* groups of runs of two pixels with different neighbours */
	/* by frequency, in cycles per side: half a cycle before the first pixel, a mixed pixel is at -1 */
	double *sum;   /* of the groups' cosines */
	double *in;    /* that it is below 0, in standard deviations */
	double *off;   /* |the sum of sines|, in standard deviations */
	double *power; /* sums of squares, from frequency 0 up to this one */
};

struct look {
	struct resize_beats *b;
	struct axis axes[2];      /* by enum line */
	uint8_t *rows[HELD_ROWS]; /* the last rows, the current one first */
	uint64_t *held;           /* of each 64 pixels of the last row: which are lone, and which begin a run of two */
	int16_t wave[WAVE_STEPS + WAVE_QUARTER];
};

void resize_beats_release(struct resize_beats *b)
{
	sample_rows_release(&b->rows);
	free(b->memory);
	*b = (struct resize_beats){ 0 };
}

bool resize_beats_is_suspicious(const struct batch_item *item, const struct batch *batch)
{
	const struct label_stats *s = &item->stats;
	uint64_t lone = 0;

	if (!batch_item_can_be_read_again(item) || MIN(s->width, s->height) < SIDE_MIN ||
	    MAX(s->width, s->height) > SIDE_MAX)
		return false;
	const struct id_stats *ids = batch->ids + s->ids_at;

	for (uint64_t i = 0; i < s->ids_count; i++)
		lone += ids[i].lone[LINE_ROW] + ids[i].lone[LINE_COLUMN];
	return lone >= LONE_MIN && lone > (s->edges[LINE_ROW] + s->edges[LINE_COLUMN]) / LONE_SHARE;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

enum { COLUMNS = 4 }; /* of doubles: sum, in, off, power */

static size_t axis_bytes(uint32_t side)
{
	return ((size_t)side / 2 + 1) * COLUMNS * sizeof(double) +
	       ((size_t)side + side / 2 + 1) / 2 * 2 * sizeof(uint32_t);
}

/* Places an axis at the start of memory of axis_bytes(). */
static void place_axis(struct axis *a, uint32_t side, void *memory)
{
	const size_t n = side / 2 + 1;
	double *columns = memory;

	*a = (struct axis){ .side = side,
			    .sum = columns,
			    .in = columns + n,
			    .off = columns + 2 * n,
			    .power = columns + 3 * n,
			    .at = (void *)(columns + COLUMNS * n) };
	a->pairs = a->at + side;
	memset(a->at, 0, side * sizeof(*a->at));
}

/* Returns false if there is no memory. */
static bool place(struct look *l, uint32_t width, uint32_t height)
{
	struct resize_beats *b = l->b;
	const size_t held_at = axis_bytes(width) + axis_bytes(height), stride = ROW_BEFORE + (size_t)width + ROW_AFTER;
	const size_t rows_at = held_at + ((size_t)width + 63) / 64 * HELD_WORDS * sizeof(uint64_t);

	b->memory = mem_try_fit(b->memory, &b->memory_cap, rows_at + HELD_ROWS * stride);
	if (!b->memory)
		return false;
	char *memory = b->memory;

	place_axis(&l->axes[LINE_ROW], width, memory);
	place_axis(&l->axes[LINE_COLUMN], height, memory + axis_bytes(width));
	l->held = (void *)(memory + held_at);
	memset(memory + held_at, 0, rows_at - held_at + HELD_ROWS * stride);
	for (size_t i = 0; i < HELD_ROWS; i++)
		l->rows[i] = (uint8_t *)memory + rows_at + i * stride + ROW_BEFORE;
	return true;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

/* Returns the bits of a word at `start` that stand for positions from..to - 1. */
static uint64_t within(uint32_t start, uint32_t from, uint32_t to)
{
	uint64_t bits = to >= start + 64 ? UINT64_MAX : to > start ? ((uint64_t)1 << (to - start)) - 1 : 0;

	return from > start ? bits & ~(((uint64_t)1 << (from - start)) - 1) : bits;
}

/* Counts groups that begin in row y, the current one. Where a direction has lone pixels are words, too. */
static inline __attribute__((always_inline)) void count_row(struct look *l, uint32_t y, differing64_fn *unequal)
{
	const uint8_t *row = l->rows[0], *above = l->rows[1];
	struct axis *a = &l->axes[LINE_ROW];

	for (uint32_t x = 0; x < a->side; x += 64) {
		const uint8_t *r = row + x;
		uint64_t *held = l->held + x / 64 * HELD_WORDS, lone = 0, twice = 0;
		uint64_t begins = unequal(r - 1, r) & within(x, 1, a->side - 1);

		if (begins) {
			uint64_t ends = unequal(r, r + 1), goes_on = y ? ~unequal(above + x, r) : 0;

			lone = begins & ends & unequal(r - 1, r + 1);
			twice = begins & ~ends & within(x, 1, a->side - 2);
			if (twice)
				twice &= unequal(r + 1, r + 2) & unequal(r - 1, r + 2);
			uint64_t new_lone = lone & ~(held[0] & goes_on);

			a->groups += (unsigned)__builtin_popcountll(new_lone);
			a->doubles += (unsigned)__builtin_popcountll(twice & ~(held[1] & goes_on));
			for (; new_lone; new_lone &= new_lone - 1)
				a->at[x + (unsigned)__builtin_ctzll(new_lone)]++;
		}
		held[0] = lone;
		held[1] = twice;
	}
}

/* Counts the groups in columns that end above the current row, y. */
static inline __attribute__((always_inline)) void count_columns(struct look *l, uint32_t y, differing64_fn *unequal)
{
	const uint32_t width = l->axes[LINE_ROW].side;

	const uint8_t *below = l->rows[0], *row = l->rows[1], *above = l->rows[2], *above2 = l->rows[3];
	struct axis *a = &l->axes[LINE_COLUMN];
	uint64_t lone_before = 0, twice_before = 0; /* bit 0: of the last pixel of the word before */

	for (uint32_t x = 0; x < width; x += 64) {
		uint64_t ends = unequal(row + x, below + x) & within(x, 0, width), lone = 0, twice = 0;

		if (ends) {
			uint64_t begins = unequal(above + x, row + x), same = ~unequal(row + x - 1, row + x);

			lone = ends & begins & unequal(above + x, below + x);
			twice = y > 2 ? ends & ~begins : 0;
			if (twice)
				twice &= unequal(above2 + x, above + x) & unequal(above2 + x, below + x);
			uint64_t groups = (unsigned)__builtin_popcountll(lone & ~((lone << 1 | lone_before) & same));

			a->at[y - 1] += (uint32_t)groups;
			a->groups += groups;
			a->doubles += (unsigned)__builtin_popcountll(twice & ~((twice << 1 | twice_before) & same));
		}
		lone_before = lone >> 63;
		twice_before = twice >> 63;
	}
}

static inline __attribute__((always_inline)) void count_lines(struct look *l, uint32_t y, differing64_fn *unequal)
{
	count_row(l, y, unequal);
	if (y >= 2)
		count_columns(l, y, unequal);
}

DIFFERING_WIDE static void count_lines_wide(struct look *l, uint32_t y)
{
	count_lines(l, y, differing64_wide);
}

static void count_lines_narrow(struct look *l, uint32_t y)
{
	count_lines(l, y, differing64);
}

/*
 * Returns whether there are enough groups to find beats in, and not nearly as many doubles: nearest that doubles most
 * pixels leaves these, and what it does not double has beats with many harmonics.
 */
static bool are_enough(const struct axis *x, const struct axis *y)
{
	return MIN(x->groups, y->groups) >= GROUPS_MIN && 4 * (x->doubles + y->doubles) < 3 * (x->groups + y->groups);
}

/* Counts the groups of a mask: a sample_rows_taker. */
static bool count_rows(void *context, struct sample_rows *rows)
{
	const struct png_header *png = &rows->sample.png;
	void (*count)(struct look *, uint32_t) = differing_is_wide() ? count_lines_wide : count_lines_narrow;
	struct look *l = context;

	if (!place(l, png->width, png->height))
		return false;

	for (uint32_t y = 0; y < png->height; y++) {
		const uint8_t *row = sample_rows_next(rows);
		uint8_t *current = l->rows[HELD_ROWS - 1];

		if (!row)
			return false;
		memmove(l->rows + 1, l->rows, (HELD_ROWS - 1) * sizeof(*l->rows));
		l->rows[0] = current;
		if (png->channels == 1)
			memcpy(current, row, png->width);
		else
			for (uint32_t x = 0; x < png->width; x++)
				current[x] = row[(size_t)x * png->channels];
		if (y && !memcmp(current, l->rows[1], png->width))
			continue; /* nothing begins in such a row, and nothing ends above it */
		count(l, y);
	}
	return sample_rows_end(rows);
}

/* ---- finding the beats ------------------------------------------------------------------------------------------- */

/* Fills a cycle of AMPLITUDE * sin and a quarter, by parabolas: integers are the same on every machine. */
static void fill_wave(int16_t wave[WAVE_STEPS + WAVE_QUARTER])
{
	const int half = WAVE_STEPS / 2;

	for (int i = 0; i < half; i++) {
		wave[i] = (int16_t)(i * (half - i) / (half * half / 4 / AMPLITUDE));
		wave[half + i] = (int16_t)-wave[i];
	}
	memcpy(wave + WAVE_STEPS, wave, WAVE_QUARTER * sizeof(*wave));
}

/*
 * Replaces the groups at a position and at its mirror image by their sum and difference: cosines are the same at both,
 * and sines opposite. The position in the middle is its own mirror image. Lists the pairs that have groups: few have.
 */
static void fold(struct axis *a)
{
	a->pairs_count = 0;
	for (uint32_t x = 0, end = a->side - 1; x < end; x++, end--) {
		uint32_t here = a->at[x], there = a->at[end];

		a->at[x] = here + there;
		a->at[end] = here - there;
		a->pairs[a->pairs_count] = x;
		a->pairs_count += here + there != 0;
	}
}

/* Returns the wave at a position; step: of its phase from one position to the next, where 2^32 is a cycle. */
static const int16_t *wave_at(const int16_t *wave, uint32_t step, uint32_t x)
{
	return wave + ((step / 2 + step * x) >> (32 - WAVE_BITS));
}

static void measure_frequency(struct axis *a, const int16_t wave[WAVE_STEPS + WAVE_QUARTER], uint32_t k)
{
	const uint32_t step = (uint32_t)(((uint64_t)k << 32) / a->side);
	int64_t cosines = 0, sines = 0;

	for (uint32_t i = 0; i < a->pairs_count; i++) {
		uint32_t x = a->pairs[i];
		const int16_t *at = wave_at(wave, step, x);

		cosines += (int64_t)a->at[x] * at[WAVE_QUARTER];
		sines += (int64_t)(int32_t)a->at[a->side - 1 - x] * at[0];
	}
	if (a->side % 2) {
		uint32_t x = a->side / 2;
		const int16_t *at = wave_at(wave, step, x);

		cosines += (int64_t)a->at[x] * at[WAVE_QUARTER];
		sines += (int64_t)a->at[x] * at[0];
	}
	a->sum[k] = (double)cosines / AMPLITUDE;
	a->off[k] = fabs((double)sines / AMPLITUDE);
	a->power[k] = a->power[k - 1] + a->sum[k] * a->sum[k] + a->off[k] * a->off[k];
}

/* Returns the sum of the power of frequencies from..to, as far as they exist. */
static double band(const struct axis *a, int64_t from, int64_t to, int64_t *count)
{
	from = MAX(from, 1);
	to = MIN(to, (int64_t)a->side / 2);
	if (from > to)
		return 0;
	*count += to - from + 1;
	return a->power[to] - a->power[from - 1];
}

/* Measures all frequencies, each against those around it. Groups that stand anywhere have a power of their number. */
static void measure_axis(struct axis *a, const int16_t wave[WAVE_STEPS + WAVE_QUARTER])
{
	enum { PEAK = 2, AROUND = 16, AROUND_MIN = 8 };
	const int64_t around = MAX((int64_t)a->side / AROUND, AROUND_MIN);

	fold(a);
	a->power[0] = 0;
	for (uint32_t k = 1; k <= a->side / 2; k++)
		measure_frequency(a, wave, k);
	for (int64_t k = 1; k <= a->side / 2; k++) {
		int64_t count = 0;
		double power = band(a, k - around, k - PEAK - 1, &count) + band(a, k + PEAK + 1, k + around, &count);
		double deviation = sqrt(MAX(power / (double)count, (double)a->groups) / 2);

		a->in[k] = -a->sum[k] / deviation;
		a->off[k] /= deviation;
	}
}

/* Returns the highest peak of the frequencies that may be beats. */
static double highest_peak(const struct axis *a)
{
	double highest = 0;

	for (uint32_t k = a->side / PERIOD_MAX - 1; k <= a->side / 2; k++)
		highest = MAX(highest, a->in[k]);
	return highest;
}

/*
 * Returns whether nearest explains the beats. Where it leaves out a pixel, every w / (v - w) pixels, runs of two become
 * lone; but most runs of two are elsewhere: (1 - f) / (2 f) for each that becomes lone, whose cosines are 0.7 in the
 * mean. Where it doubles a pixel, nothing is lone: doubles are f / (1 - 2 f) of the lone ones, and the mean of the
 * cosines is 2 f (1 + 2 f). f: cycles per pixel.
 */
static bool is_nearest(double f, double sum, double groups, double doubles)
{
	const double same = 0.8, fewer = 0.7, steeper = 1.3;
	bool omits = doubles * 2 * f * 0.7 >= same * sum * (1 - f);
	bool doubled = doubles * (1 - 2 * f) >= fewer * groups * f && sum <= steeper * groups * 2 * f * (1 + 2 * f);

	return omits || doubled;
}

/* Returns by how many standard deviations the groups beat kx times along rows and ky times along columns, or 0. */
static double score(const struct axis *x, const struct axis *y, uint32_t kx, uint32_t ky)
{
	double in = (x->in[kx] + y->in[ky]) / sqrt(2), off = (x->off[kx] + y->off[ky]) / sqrt(2);

	if (x->in[kx] < SCORE_EACH || y->in[ky] < SCORE_EACH || in < SCORE_OFF * off)
		return 0;
	if (is_nearest((double)kx / x->side, -x->sum[kx] - y->sum[ky], (double)(x->groups + y->groups),
		       (double)(x->doubles + y->doubles)))
		return 0;
	if (4 * kx > x->side || 4 * ky > y->side)
		return in;
	/* narrow beats, as a box filter makes, have a second harmonic, whose cosines are above 0 */
	double second = -(x->in[2 * kx] + y->in[2 * ky]) / sqrt(2);

	return MAX(in, (in + second) / sqrt(2));
}

/* Returns the frequency of the best pair, or 0. A resize by one factor has as many beats a pixel in rows and columns.
 */
static uint32_t best_pair(const struct axis *x, const struct axis *y)
{
	double best = SCORE_MIN;
	uint32_t beats = 0;

	for (uint32_t kx = (x->side + PERIOD_MAX - 1) / PERIOD_MAX; 2 * kx < x->side; kx++) {
		uint32_t middle = (uint32_t)(((uint64_t)kx * y->side + x->side / 2) / x->side);

		for (uint32_t ky = MAX(middle, 2) - 1; ky <= MIN(middle + 1, y->side / 2); ky++) {
			double s = score(x, y, kx, ky);

			if (s > best) {
				best = s;
				beats = kx;
			}
		}
	}
	return beats;
}

/* Returns the beats along a row of a mask whose rows are counted, or 0. */
static uint32_t find_beats(struct look *l)
{
	struct axis *x = &l->axes[LINE_ROW], *y = &l->axes[LINE_COLUMN];
	struct axis *shorter = x->side < y->side ? x : y;

	if (!are_enough(x, y))
		return 0;
	fill_wave(l->wave);
	measure_axis(shorter, l->wave);
	if (highest_peak(shorter) < PEAK_MIN)
		return 0;
	measure_axis(shorter == x ? y : x, l->wave);
	return best_pair(x, y);
}

void resize_beats_measure(struct resize_beats *b, const struct settings *settings, struct batch_item *item)
{
	struct sample_rows *rows = &b->rows; /* its faults are not reported: the verdict was given */
	struct look l = { .b = b };

	if (input_rewind(&item->input, &rows->sample.fault) &&
	    sample_rows_read(rows, &item->input, &settings->limits, count_rows, &l))
		item->stats.resize_beats = find_beats(&l);
}
