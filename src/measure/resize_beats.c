#include "measure/resize_beats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	AMPLITUDE = 256,
	HELD_ROWS = 4,
	ROW_SLACK = 8, /* bytes after a held row that may be read */
};
/*
 * Some 1,000 pairs of frequencies are tried. By chance one in 3.5 million exceeds five standard deviations, and one in
 * four of these passes the other conditions: one in 10,000 suspicious masks. Among 2,600 clean ones the highest score
 * was 4.1.
 */
static const double SCORE_MIN = 5, SCORE_EACH = 1.5, SCORE_OFF = 2;

/*
 * Lone pixels along a direction, by their position. Neighbours across the direction that have the same id are a group,
 * which counts once: a vertical line of one pixel is not many lone pixels in the same column.
 */
struct axis {
	uint32_t side;
	uint32_t *at;     /* groups by position */
	uint64_t groups;  /* their sum */
	uint64_t doubles; /* groups of runs of two pixels with different neighbours */
	/* by frequency, in cycles per side: half a cycle before the first pixel, a mixed pixel is at -1 */
	double *sum;   /* of the groups' cosines */
	double *in;    /* that it is below 0, in standard deviations */
	double *off;   /* |the sum of sines|, in standard deviations */
	double *power; /* sums of squares, from frequency 0 up to this one */
};

struct look {
	struct axis axes[2];      /* by enum line */
	uint8_t *rows[HELD_ROWS]; /* the last rows, the current one first */
	int16_t wave[WAVE_STEPS];
};

void resize_beats_release(struct resize_beats *b)
{
	sample_rows_release(&b->rows);
	free(b->memory);
	*b = (struct resize_beats){ 0 };
}

bool resize_beats_is_suspicious(const struct batch_item *item, const struct batch *batch)
{
	const struct sample *sample = &item->sample;
	const struct label_stats *s = &item->stats;
	uint64_t lone = 0;

	if (item->cached || item->input.stream.read || sample->status != SAMPLE_READ || sample->format != FORMAT_PNG ||
	    !s->neighbours || s->coded || s->planes || sample->png.bit_depth > 8 ||
	    MIN(s->width, s->height) < SIDE_MIN || MAX(s->width, s->height) > SIDE_MAX)
		return false;
	const struct id_stats *ids = batch->ids + s->ids_at;

	for (uint64_t i = 0; i < s->ids_count; i++)
		lone += ids[i].lone[LINE_ROW] + ids[i].lone[LINE_COLUMN];
	return lone >= LONE_MIN && lone > (s->edges[LINE_ROW] + s->edges[LINE_COLUMN]) / LONE_SHARE;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static bool is_lone(uint8_t left, uint8_t id, uint8_t right)
{
	return left != id && id != right && left != right;
}

static bool is_double(uint8_t left, uint8_t id, uint8_t id2, uint8_t right)
{
	return id == id2 && is_lone(left, id, right);
}

/* Returns whether eight ids from a and from b are equal; rows are followed by ROW_SLACK bytes. */
static bool are_equal(const uint8_t *a, const uint8_t *b)
{
	return !memcmp(a, b, ROW_SLACK);
}

/* Counts groups that begin in a row, at x. above: NULL in the first row. */
static void count_in_row(struct axis *a, const uint8_t *row, const uint8_t *above, uint32_t x)
{
	const uint8_t *r = row + x, *p = above && above[x] == row[x] ? above + x : NULL;

	if (is_lone(r[-1], r[0], r[1]) && !(p && is_lone(p[-1], p[0], p[1]))) {
		a->at[x]++;
		a->groups++;
	}
	if (x + 2 < a->side && is_double(r[-1], r[0], r[1], r[2]) && !(p && is_double(p[-1], p[0], p[1], p[2])))
		a->doubles++;
}

static void count_row(struct axis *a, const uint8_t *row, const uint8_t *above)
{
	for (uint32_t x = 1; x + 1 < a->side; x += ROW_SLACK) {
		if (are_equal(row + x - 1, row + x))
			continue;
		for (uint32_t i = x; i < MIN(x + ROW_SLACK, a->side - 1); i++)
			if (row[i - 1] != row[i])
				count_in_row(a, row, above, i);
	}
}

/* Counts the groups in columns that end above the current row, y. */
static void count_columns(struct axis *a, uint8_t *const rows[HELD_ROWS], uint32_t y, uint32_t width)
{
	const uint8_t *below = rows[0], *row = rows[1], *above = rows[2], *above2 = rows[3];
	bool lone = false, twice = false;

	for (uint32_t start = 0; start < width; start += ROW_SLACK) {
		if (are_equal(row + start, below + start)) {
			lone = twice = false;
			continue;
		}
		for (uint32_t x = start; x < MIN(start + ROW_SLACK, width); x++) {
			bool same = x > 0 && row[x - 1] == row[x];
			bool was_lone = lone && same, was_twice = twice && same;

			lone = is_lone(above[x], row[x], below[x]);
			twice = y > 2 && is_double(above2[x], above[x], row[x], below[x]);
			a->at[y - 1] += lone && !was_lone;
			a->groups += lone && !was_lone;
			a->doubles += twice && !was_twice;
		}
	}
}

/*
 * Returns whether there are enough groups to find beats in, and not nearly as many doubles: nearest that doubles most
 * pixels leaves these, and what it does not double has beats with many harmonics.
 */
static bool are_enough(const struct axis *x, const struct axis *y)
{
	return MIN(x->groups, y->groups) >= GROUPS_MIN && 4 * (x->doubles + y->doubles) < 3 * (x->groups + y->groups);
}

/* Counts all rows. Returns false if the file cannot be read again. */
static bool count_rows(struct look *l, struct sample_rows *rows)
{
	const struct png_header *png = &rows->sample.png;

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
		count_row(&l->axes[LINE_ROW], current, y ? l->rows[1] : NULL);
		if (y >= 2)
			count_columns(&l->axes[LINE_COLUMN], l->rows, y, png->width);
	}
	return sample_rows_end(rows);
}

/* ---- finding the beats ------------------------------------------------------------------------------------------- */

/* Fills a cycle of AMPLITUDE * sin, by parabolas: integers are the same on every machine. */
static void fill_wave(int16_t wave[WAVE_STEPS])
{
	const int half = WAVE_STEPS / 2;

	for (int i = 0; i < half; i++) {
		wave[i] = (int16_t)(i * (half - i) / (half * half / 4 / AMPLITUDE));
		wave[half + i] = (int16_t)-wave[i];
	}
}

/* Cosines are the same at the same distance from either end, and sines opposite: half of the positions are enough. */
static void measure_frequency(struct axis *a, const int16_t wave[WAVE_STEPS], uint32_t k)
{
	const uint32_t step = (uint32_t)(((uint64_t)k << 32) / a->side), quarter = 1u << 30, shift = 32 - WAVE_BITS;
	uint32_t phase = step / 2; /* 2^32 is a cycle */
	int64_t cosines = 0, sines = 0;

	for (uint32_t x = 0, end = a->side - 1; x <= end; x++, end--, phase += step) {
		int64_t here = a->at[x], there = x < end ? a->at[end] : 0;

		cosines += (here + there) * wave[(phase + quarter) >> shift];
		sines += (here - there) * wave[phase >> shift];
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
static void measure_axis(struct axis *a, const int16_t wave[WAVE_STEPS])
{
	enum { PEAK = 2, AROUND = 16, AROUND_MIN = 8 };
	const int64_t around = MAX((int64_t)a->side / AROUND, AROUND_MIN);

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

/* Returns the beats along a row, or 0. A resize by one factor has as many per pixel in columns, up to rounding. */
static uint32_t find_beats(const struct axis *x, const struct axis *y)
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

/* ---- memory ------------------------------------------------------------------------------------------------------ */

enum { COLUMNS = 4 }; /* of doubles: sum, in, off, power */

static size_t axis_bytes(uint32_t side)
{
	return ((size_t)side / 2 + 1) * COLUMNS * sizeof(double) + ((size_t)side + 1) / 2 * 2 * sizeof(uint32_t);
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
			    .at = (uint32_t *)(columns + COLUMNS * n) };
	memset(a->at, 0, side * sizeof(*a->at));
}

/* Returns false if there is no memory. */
static bool place(struct resize_beats *b, struct look *l, uint32_t width, uint32_t height)
{
	size_t rows_at = axis_bytes(width) + axis_bytes(height);

	b->memory = mem_try_fit(b->memory, &b->memory_cap, rows_at + HELD_ROWS * ((size_t)width + ROW_SLACK));
	if (!b->memory)
		return false;
	char *memory = b->memory;

	place_axis(&l->axes[LINE_ROW], width, memory);
	place_axis(&l->axes[LINE_COLUMN], height, memory + axis_bytes(width));
	memset(memory + rows_at, 0, HELD_ROWS * ((size_t)width + ROW_SLACK));
	for (size_t i = 0; i < HELD_ROWS; i++)
		l->rows[i] = (uint8_t *)memory + rows_at + i * (width + ROW_SLACK);
	return true;
}

/* Reads an open file and sets *beats. Returns false if that fails. */
static bool look_again(struct resize_beats *b, uint32_t *beats)
{
	struct look l;

	if (!place(b, &l, b->rows.sample.png.width, b->rows.sample.png.height) || !count_rows(&l, &b->rows))
		return false;
	if (!are_enough(&l.axes[LINE_ROW], &l.axes[LINE_COLUMN]))
		return true;
	fill_wave(l.wave);
	measure_axis(&l.axes[LINE_ROW], l.wave);
	measure_axis(&l.axes[LINE_COLUMN], l.wave);
	*beats = find_beats(&l.axes[LINE_ROW], &l.axes[LINE_COLUMN]);
	return true;
}

void resize_beats_measure(struct resize_beats *b, const struct settings *settings, struct batch_item *item)
{
	struct sample_rows *rows = &b->rows; /* its faults are not reported: the verdict was given */
	struct input *in = &item->input;

	if (!input_rewind(in, &rows->sample.fault))
		return;
	bool opened = sample_rows_open(rows, in, &settings->limits);

	if (opened && !look_again(b, &item->stats.resize_beats)) {
		sample_rows_close(rows);
		opened = sample_rows_again(rows, in, &settings->limits);
		if (opened)
			look_again(b, &item->stats.resize_beats);
	}
	if (opened)
		sample_rows_close(rows);
}
