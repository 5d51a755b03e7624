#include "fix/mend.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/role.h"

enum {
	RAMP_RUN = 2,    /* pixels of a run within a ramp: what a resize to twice the size makes of two near ids */
	RING_MAX = 4,    /* pixels from a bogus one to the ids that bound it */
	CANDIDATES = 16, /* different ids in a ring */
	BOGUS = 1,       /* the mark of a pixel */
};

/* A line of pixels: a row or a column. */
struct line {
	const uint16_t *ids;
	uint8_t *marks;
	size_t step; /* between its pixels */
	uint32_t n;
};

static uint16_t id_at(const struct line *l, uint32_t i)
{
	return l->ids[i * l->step];
}

/* Marks the short runs of a line that lie in a ramp. */
static void mark_line(const struct line *l)
{
	uint32_t start = 0, end;

	for (; start < l->n; start = end) {
		for (end = start + 1; end < l->n && id_at(l, end) == id_at(l, start); end++)
			;
		if (!start || end == l->n || end - start > RAMP_RUN)
			continue;
		uint16_t before = id_at(l, start - 1), id = id_at(l, start), after = id_at(l, end);

		if ((before < id && id < after) || (before > id && id > after))
			for (uint32_t i = start; i < end; i++)
				l->marks[i * l->step] |= BOGUS;
	}
}

static void mark_all(const struct settings *settings, bool interpolated, const uint16_t *ids, uint8_t *marks,
		     uint32_t width, uint32_t height)
{
	size_t pixels = (size_t)width * height;

	for (uint32_t y = 0; y < height && interpolated; y++)
		mark_line(&(struct line){ ids + (size_t)y * width, marks + (size_t)y * width, 1, width });
	for (uint32_t x = 0; x < width && interpolated; x++)
		mark_line(&(struct line){ ids + x, marks + x, width, height });
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

/* Returns the true id of a bogus pixel; or -1. */
static int64_t true_id(const uint16_t *ids, const uint8_t *marks, uint32_t width, uint32_t height, uint32_t x,
		       uint32_t y)
{
	uint16_t value = ids[(size_t)y * width + x];
	struct ring ring;

	/* two ids bound it; farther away than a step there are others */
	for (uint32_t radius = 1; radius <= RING_MAX; radius++) {
		ring_fill(&ring, ids, marks, width, height, x, y, radius);
		if (ring.count > 1 || (ring.count == 1 && radius > 2))
			return choose(&ring, value);
	}
	return ring.count ? choose(&ring, value) : -1;
}

bool mend_mask(const struct settings *settings, bool interpolated, int64_t ignored, uint16_t *ids, uint32_t width,
	       uint32_t height, uint64_t *changed, struct fault *fault)
{
	size_t pixels = (size_t)width * height;
	uint8_t *marks = mem_try_zero(pixels, 1);
	uint16_t *mended = mem_try(pixels, sizeof(*mended));
	bool ok = marks && mended;

	if (!ok)
		fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to mend the mask");
	else
		mark_all(settings, interpolated, ids, marks, width, height);
	for (size_t i = 0; ok && i < pixels; i++) {
		uint32_t x = (uint32_t)(i % width), y = (uint32_t)(i / width);
		int64_t id = !(marks[i] & BOGUS) ? ids[i]
			     : interpolated      ? true_id(ids, marks, width, height, x, y)
						 : ignored;

		if (id < 0 && (marks[i] & BOGUS))
			id = settings_role(settings, ids[i]) == ID_INVALID ? ignored : ids[i];
		if (id < 0)
			ok = fault_set(fault, FAULT_LABELS, FAULT_NO_OFFSET,
				       "id %u at x %" PRIu32 ", y %" PRIu32
				       " is out of range, and no ignored id is declared that it could become",
				       ids[i], x, y);
		else
			mended[i] = (uint16_t)id;
		*changed += ok && mended[i] != ids[i];
	}
	if (ok)
		memcpy(ids, mended, pixels * sizeof(*ids));
	free(mended);
	free(marks);
	return ok;
}
