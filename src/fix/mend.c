#include "fix/mend.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fix/resized.h"
#include "judge/role.h"

enum {
	RAMP_RUN = 2,       /* pixels of a run within a ramp: what a resize to twice the size makes of two near ids */
	RAMP_MAX = 8,       /* runs of a ramp, with those that overshoot */
	OVERSHOOT_PART = 4, /* of a ramp's height: pixels beside it are at most so much beyond it */
	BOUND_MAX = 8,      /* pixels from a bogus one to the id that bounds it in its row or column */
	RING_MAX = 4,       /* and to others around it */
	CANDIDATES = 16,    /* different ids in a ring */
	NEAR_PART = 3,      /* times as far as an id are all others of which the value tells it */
	NEAR_PERCENT = 90,  /* of the changed pixels tell their ids so, if no resize explains them */
	TIE_HEIGHT = 5,     /* of a ramp, from which on the middle of two ids was rounded to a value of its own */
	/* marks of a pixel: it holds no true id, as its row says, its column, or its value */
	BOGUS_ROW = 1,
	BOGUS_COLUMN = 2,
	BOGUS = BOGUS_ROW | BOGUS_COLUMN,
};

/* A line of pixels: a row or a column. */
struct line {
	const uint16_t *ids;
	uint8_t *marks;
	size_t step; /* between its pixels */
	uint32_t n;
	uint8_t mark; /* for bogus ones */
};

/* Pixels beside a ramp may lie beyond it: that is what sharpening kernels do, and what thin objects look like. */
enum overshoot { NO_OVERSHOOT, OVERSHOOTS };

/* The pixels of equal id from `at` on. */
struct run {
	uint32_t at, end;
	int id;
};

static struct run run_at(const struct line *l, uint32_t at)
{
	const uint16_t *p = l->ids + at * l->step;
	struct run run = { at, at + 1, *p };

	while (run.end < l->n && l->ids[run.end * l->step] == run.id)
		run.end++;
	return run;
}

/*
 * Returns whether the ids of runs[1] to runs[n - 2] lie on a ramp from the first run to the last: they rise or fall
 * all the way, but for those at its ends that overshoot.
 */
static bool is_ramp(const struct run *runs, unsigned n, enum overshoot overshoot)
{
	int height = runs[n - 1].id - runs[0].id, sign = height < 0 ? -1 : 1;
	int beyond = overshoot == OVERSHOOTS ? height * sign / OVERSHOOT_PART : 0;
	bool rises = false;

	for (unsigned i = 1; i + 1 < n; i++) {
		int up = (runs[i].id - runs[0].id) * sign, down = (runs[n - 1].id - runs[i].id) * sign;

		if (up < -beyond || down < -beyond)
			return false;
		rises |= up > 0 && down > 0;
		if (up > 0 && down > 0 && i > 1 && (runs[i].id - runs[i - 1].id) * sign <= 0)
			return false;
	}
	return rises;
}

/* Marks the short runs of a line that lie in a ramp. */
static void mark_line(const struct line *l, enum overshoot overshoot)
{
	struct run runs[RAMP_MAX + 2] = { run_at(l, 0) };

	while (runs[0].end < l->n) {
		unsigned n = 1;

		do {
			runs[n] = run_at(l, runs[n - 1].end);
			n++;
		} while (n < RAMP_MAX + 2 && runs[n - 1].end < l->n && runs[n - 1].end - runs[n - 1].at <= RAMP_RUN);
		/* the longest ramp from the first run on */
		for (; n > 2 && !is_ramp(runs, n, overshoot); n--)
			;
		for (uint32_t i = runs[0].end; n > 2 && i < runs[n - 1].at; i++)
			l->marks[i * l->step] |= l->mark;
		runs[0] = runs[n - 1];
	}
}

static void mark_all(const struct settings *settings, bool interpolated, enum overshoot overshoot, const uint16_t *ids,
		     uint8_t *marks, uint32_t width, uint32_t height)
{
	size_t pixels = (size_t)width * height;

	for (uint32_t y = 0; y < height && interpolated; y++)
		mark_line(&(struct line){ ids + (size_t)y * width, marks + (size_t)y * width, 1, width, BOGUS_ROW },
			  overshoot);
	for (uint32_t x = 0; x < width && interpolated; x++)
		mark_line(&(struct line){ ids + x, marks + x, width, height, BOGUS_COLUMN }, overshoot);
	for (size_t i = 0; i < pixels; i++)
		if (settings_role(settings, ids[i]) == ID_INVALID)
			marks[i] |= BOGUS;
}

/* The ids around a bogus pixel, and how many pixels have each. */
struct ring {
	struct {
		uint16_t id;
		unsigned pixels;
	} v[CANDIDATES];
	unsigned count;
};

static void ring_add(struct ring *r, uint16_t id)
{
	unsigned i = 0;

	while (i < r->count && r->v[i].id != id)
		i++;
	if (i == CANDIDATES)
		return;
	if (i == r->count)
		r->v[r->count++].id = id, r->v[i].pixels = 0;
	r->v[i].pixels++;
}

/* Adds the pixels at most `radius` away that are not bogus. */
static void ring_fill(struct ring *r, const uint16_t *ids, const uint8_t *marks, uint32_t width, uint32_t height,
		      uint32_t x, uint32_t y, uint32_t radius)
{
	uint32_t x0 = x - MIN(x, radius), y0 = y - MIN(y, radius);
	uint32_t x1 = MIN(x + radius, width - 1), y1 = MIN(y + radius, height - 1);

	r->count = 0;
	for (uint32_t v = y0; v <= y1; v++)
		for (uint32_t u = x0; u <= x1; u++)
			if (!(marks[(size_t)v * width + u] & BOGUS))
				ring_add(r, ids[(size_t)v * width + u]);
}

/* Returns the entry with most pixels of the ids on one side of the value (side -1: at most it; 1: at least it); or -1.
 */
static int commonest(const struct ring *r, uint16_t value, int side)
{
	int best = -1;

	for (unsigned i = 0; i < r->count; i++) {
		if (side < 0 ? r->v[i].id > value : r->v[i].id < value)
			continue;
		if (best < 0 || r->v[i].pixels > r->v[best].pixels ||
		    (r->v[i].pixels == r->v[best].pixels && r->v[i].id < r->v[best].id))
			best = (int)i;
	}
	return best;
}

/* Returns the id of the ring that the value came from; the ring is not empty. */
static uint16_t choose(const struct ring *r, uint16_t value)
{
	int low = commonest(r, value, -1), high = commonest(r, value, 1);

	if (low < 0 || high < 0)
		return r->v[low < 0 ? high : low].id;
	unsigned down = value - r->v[low].id, up = r->v[high].id - value;

	if (down != up)
		return r->v[down < up ? low : high].id;
	return r->v[r->v[low].pixels >= r->v[high].pixels ? low : high].id;
}

/* Returns the nearest id that is not bogus, `step` by `step` from pixel `at` on, at most n of them; or -1. */
static int bound(const uint16_t *ids, const uint8_t *marks, size_t at, ptrdiff_t step, uint32_t n)
{
	for (uint32_t i = 0; i < MIN(n, (uint32_t)BOUND_MAX); i++) {
		at += (size_t)step;
		if (!marks[at])
			return ids[at];
	}
	return -1;
}

/* Twice the value's distance from the middle of two ids, towards the second; 0: there is no telling. */
static int towards(int value, int first, int second)
{
	int twice = (2 * value - first - second) * (second < first ? -1 : 1);
	int height = abs(second - first);

	return height >= TIE_HEIGHT && abs(twice) <= (height & 1) ? 0 : twice;
}

/*
 * Returns the id of the two that bound a pixel in its row, in its column or in both; or -1: more than two do, or none.
 * The value tells which has more weight. If both have the same, the pixel's centre lay on their border, and the nearest
 * pixel is the one to the right or below.
 */
static int id_of_bounds(const uint16_t *ids, const uint8_t *marks, uint32_t width, uint32_t height, uint32_t x,
			uint32_t y)
{
	size_t at = (size_t)y * width + x;
	int value = ids[at], first = -1, second = -1;

	if (marks[at] & BOGUS_ROW) {
		first = bound(ids, marks, at, -1, x);
		second = bound(ids, marks, at, 1, width - 1 - x);
	}
	if (marks[at] & BOGUS_COLUMN) {
		int above = bound(ids, marks, at, -(ptrdiff_t)width, y);
		int below = bound(ids, marks, at, (ptrdiff_t)width, height - 1 - y);

		if (first < 0 || second < 0 || first == second) {
			if (above >= 0 && below >= 0 && above != below)
				first = above, second = below;
		} else if (above >= 0 && below >= 0 && above != below &&
			   (MIN(first, second) != MIN(above, below) || MAX(first, second) != MAX(above, below))) {
			return -1;
		}
	}
	if (first < 0 || second < 0 || first == second)
		return -1;
	return towards(value, first, second) >= 0 ? second : first;
}

/* Returns the true id of a bogus pixel; or -1. */
static int64_t true_id(const uint16_t *ids, const uint8_t *marks, uint32_t width, uint32_t height, uint32_t x,
		       uint32_t y)
{
	uint16_t value = ids[(size_t)y * width + x];
	int id = id_of_bounds(ids, marks, width, height, x, y);
	struct ring ring;

	if (id >= 0)
		return id;
	/* two ids bound it; farther away than a step there are others */
	for (uint32_t radius = 1; radius <= RING_MAX; radius++) {
		ring_fill(&ring, ids, marks, width, height, x, y, radius);
		if (ring.count > 1 || (ring.count == 1 && radius > 2))
			return choose(&ring, value);
	}
	return ring.count ? choose(&ring, value) : -1;
}

/* A mask and what it is mended by. */
struct mending {
	const struct settings *settings;
	bool interpolated;
	int64_t ignored;
	const uint16_t *ids;
	uint32_t width, height;
	uint8_t *marks; /* owned */
};

/* Fills what each pixel becomes, as its neighbours tell. Returns false if *fault is set: there is no id for one. */
static bool guess_all(const struct mending *m, enum overshoot overshoot, uint16_t *out, struct fault *fault)
{
	size_t i = 0;

	memset(m->marks, 0, (size_t)m->width * m->height);
	mark_all(m->settings, m->interpolated, overshoot, m->ids, m->marks, m->width, m->height);
	for (uint32_t y = 0; y < m->height; y++) {
		for (uint32_t x = 0; x < m->width; x++, i++) {
			int64_t id = !m->marks[i]      ? m->ids[i]
				     : m->interpolated ? true_id(m->ids, m->marks, m->width, m->height, x, y)
						       : m->ignored;

			if (id < 0)
				id = settings_role(m->settings, m->ids[i]) == ID_INVALID ? m->ignored : m->ids[i];
			if (id < 0)
				return fault_set(fault, FAULT_LABELS, FAULT_NO_OFFSET,
						 "id %u at x %" PRIu32 ", y %" PRIu32
						 " is out of range, and no ignored id is declared that it could become",
						 m->ids[i], x, y);
			out[i] = (uint16_t)id;
		}
	}
	return true;
}

/* Undoes a resize; if none explains the mask, once more with ramps that overshoot. Returns whether one does. */
static bool undo_resize(const struct mending *m, uint16_t *mended)
{
	size_t pixels = (size_t)m->width * m->height;
	struct fault fault = FAULT_INIT;

	if (resized_undo(m->ids, m->marks, mended, m->width, m->height))
		return true;
	uint16_t *guess = mem_try(pixels, sizeof(*guess));
	bool ok = guess && guess_all(m, OVERSHOOTS, guess, &fault) &&
		  resized_undo(m->ids, m->marks, guess, m->width, m->height);

	if (ok)
		memcpy(mended, guess, pixels * sizeof(*mended));
	free(guess);
	return ok;
}

/* Returns whether the id is the only legal one near the value: any other is three times as far from it. */
static bool is_near(const struct settings *settings, int value, int id)
{
	int reach = NEAR_PART * abs(value - id);

	for (int other = MAX(value - reach + 1, 0); other < MIN(value + reach, UINT16_MAX); other++)
		if (other != id && settings_role(settings, other) != ID_INVALID)
			return false;
	return true;
}

/*
 * Returns whether the values alone tell what nearly all changed pixels become, as in a JPEG of 0 and 255: there the
 * guess needs no resize that explains it.
 */
static bool values_tell(const struct mending *m, const uint16_t *mended)
{
	uint64_t changed = 0, near = 0;

	for (size_t i = 0; i < (size_t)m->width * m->height; i++) {
		if (mended[i] == m->ids[i])
			continue;
		changed++;
		near += is_near(m->settings, m->ids[i], mended[i]);
	}
	return near * 100 >= changed * NEAR_PERCENT;
}

bool mend_mask(const struct settings *settings, bool interpolated, int64_t ignored, uint16_t *ids, uint32_t width,
	       uint32_t height, uint64_t *changed, struct fault *fault)
{
	size_t pixels = (size_t)width * height;
	uint16_t *mended = mem_try(pixels, sizeof(*mended));
	struct mending m = { .settings = settings,
			     .interpolated = interpolated,
			     .ignored = ignored,
			     .ids = ids,
			     .width = width,
			     .height = height,
			     .marks = mem_try(pixels, 1) };
	bool ok = m.marks && mended;

	if (!ok)
		fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to mend the mask");
	ok = ok && guess_all(&m, NO_OVERSHOOT, mended, fault);
	if (ok && interpolated && !undo_resize(&m, mended) && !values_tell(&m, mended))
		ok = fault_set(fault, FAULT_LABELS, FAULT_NO_OFFSET,
			       "is interpolated, and no enlarged mask explains its pixels");
	for (size_t i = 0; ok && i < pixels; i++)
		*changed += mended[i] != ids[i];
	if (ok)
		memcpy(ids, mended, pixels * sizeof(*ids));
	free(mended);
	free(m.marks);
	return ok;
}
