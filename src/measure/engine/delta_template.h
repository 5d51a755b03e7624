/*
 * The inner loops of the delta engine (delta.h), for one instruction set and one width of pixels. An isa_*.c includes
 * this file twice, after its primitives: with PIXEL_BITS 8, then with PIXEL_BITS 16. It has no include guard.
 *
 * Parameters:
 *
 *   PIXEL_BITS        8 or 16
 *   HAVE_QUEUES       defined if delta_queues.h does the counting of 8-bit ids
 *   HAVE_MARK_ROWS    defined if the primitives include mark_rows
 *
 * Primitives (simd_*.h), all of them inlined:
 *
 *   TARGET_INLINE, TARGET_NOINLINE, TARGET_STATIC
 *                     attributes of a static function for the instruction set. A TARGET_NOINLINE function neither takes
 *                     nor returns a vector, since gcc 12 may clear its upper part on the way (vzeroupper).
 *
 *   word_vec          WORD_LANES numbers of 64 bits with C's operators: one word of as many events
 *   words_set1(x)     x in each lane
 *   words_load, words_store
 *   words_previous(now, before)
 *                     the lanes one event earlier: the last lane of `before`, then all lanes of `now` but the last
 *   words_eq          all ones in equal lanes, else 0
 *   words_popcount    the number of ones
 *   words_top_bit     only the highest one
 *   words_mul32       the product of the low halves, which are signed
 *   words_nonzero     one bit per lane: it is not 0
 *
 *   struct vec_8, struct vec_16: a block of 64 pixels. Masks have one bit a pixel.
 *   load, store, ones, and
 *   ne, lt, wide      masks: a != b; a < b; a and b differ by 2 or more
 *   differ            returns whether any pixel differs
 *   shift1, shift2    each pixel's neighbour one and two to the left, given the two pixels left of the block
 *   last_two          these two pixels, for the next block
 *
 *   Only of struct vec_8, since only rows of 8-bit pixels are unfiltered here:
 *   zero, set1, any, add, blend(mask, on, off)
 *   differ_masked(a, b, word, valid)
 *                     returns whether a differs from (b & word) where valid is 0xff
 *   prefix_sum, sum   of the bytes 0 to x; of all bytes
 *   weighted_sums     the sum of the bytes, and of each byte times its x; in lanes, whose low halves count
 *
 * To read it top down, begin with the entry points at its end. They scan columns and push events; process_events()
 * handles a batch of events; classify_events() has the logic of words.
 */

#if PIXEL_BITS == 8
#define PIXEL   uint8_t
#define NAME(x) x##_8
#else
#define PIXEL   uint16_t
#define NAME(x) x##_16
#endif
#define VEC struct NAME(vec)

#if PIXEL_BITS == 8 /* once: what does not depend on the width of pixels */

/* ---- the logic of events ----------------------------------------------------------------------------------------
 * All functions here handle WORD_LANES events at once, without a branch.
 */

/* Returns a word of event i. The events before event 0 are -1 and -2. */
TARGET_INLINE uint64_t event_word(const struct delta *s, enum delta_word word, size_t i)
{
	return s->group.events.words[word][DELTA_BEFORE + i];
}

/* Which of the events hold something that is rare enough to be handled in a loop over them; one bit each. */
struct found_events {
	uint64_t new_runs, old_runs, columns; /* short runs */
	uint64_t between;                     /* something between: in the row, in the row above, or in a column */
	uint64_t boundaries;                  /* the boundary changes */
};

/* Finds the pixels above which a run of 1 or of 2 rows ends, from the rows and WORD_BEGUN of the two events before. */
TARGET_INLINE void column_run_lengths(word_vec row, word_vec row_1, word_vec begun_1, word_vec row_2, word_vec begun_2,
				      word_vec *length_1, word_vec *length_2)
{
	const word_vec one = words_set1(1), two = words_set1(2);

	*length_1 = begun_1 & words_eq(row - row_1, one);
	*length_2 = ((begun_1 & words_eq(row - row_1, two)) | (begun_2 & words_eq(row - row_2, two))) & ~*length_1;
}

/*
 * Finds the transitions that close a between run of 2 or more pixels: those with the direction of the transition before
 * them. An addition carries that direction from each upward transition through the pixels that are no transitions.
 */
TARGET_INLINE word_vec long_between_runs(word_vec transitions, word_vec upwards, word_vec after_one, word_vec slope)
{
	word_vec seeds = (transitions & upwards) << 1 | (slope & words_set1(1));
	word_vec none_before = transitions & (0 - transitions) & ((slope >> 1) - 1);
	word_vec up_before = (~transitions + seeds) & transitions;
	word_vec down_before = transitions & ~up_before & ~none_before;

	return ((upwards & up_before) | (~upwards & down_before)) & ~after_one;
}

TARGET_INLINE word_vec popcount_change(word_vec now, word_vec above)
{
	return words_popcount(now) - words_popcount(above);
}

TARGET_INLINE void add_lanes(uint64_t *lanes, word_vec more)
{
	words_store(lanes, words_load(lanes) + more);
}

/* A word of the events from index i of the arrays on, or of those `back` before them. */
#define AT(word, back) words_load(&s->group.events.words[word][i - (back)])

/* Runs of a row that count for all rows from there on; a bit where each closes. The first four are short runs. */
struct row_runs {
	word_vec all, single, lone, between;
	word_vec long_between;
};

TARGET_INLINE struct row_runs row_runs_of(const struct delta *s, size_t i, word_vec end)
{
	word_vec boundary = AT(WORD_BOUNDARY, 0), transitions = AT(WORD_TRANSITIONS, 0), upwards = AT(WORD_UPWARDS, 0);
	word_vec before = boundary >> BOUNDARY_TRANSITIONS & words_set1(3);
	word_vec start = boundary >> BOUNDARY_START & words_set1(1);
	word_vec single_inner = transitions << 1 | before >> 1;
	word_vec after_one = single_inner | start << 1; /* pixels whose left neighbour begins a run */
	word_vec after_two = transitions << 2 | before | start << 2;
	word_vec closes = transitions | end;
	word_vec steady = ~(upwards ^ (upwards << 1 | (boundary >> BOUNDARY_UP & words_set1(1))));
	word_vec inner = transitions & single_inner, slope = boundary >> BOUNDARY_SLOPE & words_set1(3);

	return (struct row_runs){
		.all = closes & (after_one | after_two),
		.single = closes & after_one,
		.lone = inner & AT(WORD_LONE, 0),
		.between = inner & steady,
		.long_between = long_between_runs(transitions, upwards, after_one, slope),
	};
}

TARGET_INLINE struct row_runs previous_runs(struct row_runs now, struct row_runs before)
{
	return (struct row_runs){
		.all = words_previous(now.all, before.all),
		.single = words_previous(now.single, before.single),
		.lone = words_previous(now.lone, before.lone),
		.between = words_previous(now.between, before.between),
		.long_between = words_previous(now.long_between, before.long_between),
	};
}

/*
 * Finds short runs that equal those of the row above: a pole stays while something else in its block changes. They are
 * not counted again. last_pixel: the bits of the last pixel in a boundary.
 */
TARGET_INLINE word_vec unchanged_runs(const struct delta *s, size_t i, struct row_runs now, struct row_runs above,
				      uint64_t last_pixel)
{
	word_vec boundary_change = (AT(WORD_BOUNDARY, 0) ^ AT(WORD_BOUNDARY, 1)) & words_set1(last_pixel);
	word_vec changed = AT(WORD_CHANGED, 0) << 1 | (words_eq(boundary_change, words_set1(0)) + 1);

	return now.all & above.all &
	       ~(changed | (now.single ^ above.single) | (now.lone ^ above.lone) | (now.between ^ above.between));
}

/* Completes the boundary, which holds the last two pixels, with their transitions and the slope. */
TARGET_INLINE word_vec own_boundary_of(const struct delta *s, size_t i)
{
	word_vec transitions = AT(WORD_TRANSITIONS, 0), up = transitions & AT(WORD_UPWARDS, 0);
	word_vec slope = AT(WORD_BOUNDARY, 0) >> BOUNDARY_SLOPE & words_set1(3);
	word_vec none = words_eq(transitions, words_set1(0));
	word_vec down = words_eq(up & words_top_bit(transitions), words_set1(0));
	word_vec own_slope = (slope & none) | (~none & (down + words_set1(SLOPE_UP)));

	return AT(WORD_OWN_BOUNDARY, 0) | transitions >> 62 << BOUNDARY_TRANSITIONS | up >> 63 << BOUNDARY_UP |
	       own_slope << BOUNDARY_SLOPE;
}

/*
 * Classifies n events whose pixels have been compared: adds up what is frequent, stores the remaining words, and
 * returns which events hold what is rare. end: the bit after the last pixel of the row, if it is in this column.
 */
TARGET_INLINE struct found_events classify_events(struct delta *s, size_t n, uint64_t end, uint64_t last_pixel)
{
	uint64_t(*words)[DELTA_BEFORE + DELTA_EVENTS] = s->group.events.words;
	struct found_events found = { 0, 0, 0, 0, 0 };
	const size_t front = DELTA_BEFORE - WORD_LANES;
	/* of the events before the current ones */
	struct row_runs before = {
		.all = words_load(&words[WORD_SHORT][front]),
		.single = words_load(&words[WORD_SINGLE][front]),
		.lone = words_load(&words[WORD_LONE][front]),
		.between = words_load(&words[WORD_BETWEEN][front]),
		.long_between = words_load(&words[WORD_LONG_BETWEEN][front]),
	};
	word_vec boundary_before = words_load(&words[WORD_OWN_BOUNDARY][front]);

	for (size_t i = DELTA_BEFORE; i < DELTA_BEFORE + n; i += WORD_LANES) {
		const unsigned at = (unsigned)(i - DELTA_BEFORE);
		word_vec transitions = AT(WORD_TRANSITIONS, 0), changed = AT(WORD_CHANGED, 0), row = AT(WORD_ROW, 0);
		word_vec rows = words_set1(s->height) - row, length_1, length_2;

#define PUT(word, v) words_store(&words[word][i], v)
		PUT(WORD_STARTS, changed & (~(changed << 1) | AT(WORD_TRANSITIONS, 1) | transitions));

		/* the row: what it has more than the row above counts for all rows from here on */
		struct row_runs now = row_runs_of(s, i, words_set1(end)), above = previous_runs(now, before);
		word_vec unchanged = unchanged_runs(s, i, now, above, last_pixel);
		word_vec new_runs = now.all & ~unchanged, old_runs = above.all & ~unchanged;

		add_lanes(s->lanes[SUM_EDGES], popcount_change(transitions, AT(WORD_TRANSITIONS, 1)) * rows);
		add_lanes(s->lanes[SUM_WIDE_EDGES], popcount_change(AT(WORD_WIDE, 0), AT(WORD_WIDE, 1)) * rows);
		add_lanes(s->lanes[SUM_LONG_BETWEEN], popcount_change(now.long_between, above.long_between) * rows);

		/* the columns: what ends above this row counts once */
		column_run_lengths(row, AT(WORD_ROW, 1), AT(WORD_BEGUN, 1), AT(WORD_ROW, 2), AT(WORD_BEGUN, 2),
				   &length_1, &length_2);
		length_1 &= changed;
		length_2 &= changed;
		word_vec column_between = AT(WORD_COLUMN_BETWEEN, 0);

		add_lanes(s->lanes[SUM_EDGES + LINE_COLUMN], words_popcount(changed));
		add_lanes(s->lanes[SUM_WIDE_EDGES + LINE_COLUMN], words_popcount(AT(WORD_COLUMN_WIDE, 0)));
		add_lanes(s->lanes[SUM_LONG_BETWEEN + LINE_COLUMN], words_popcount(column_between & ~length_1));
		column_between &= length_1;

		word_vec boundary = own_boundary_of(s, i);

		found.new_runs |= words_nonzero(new_runs) << at;
		found.old_runs |= words_nonzero(old_runs) << at;
		found.columns |= words_nonzero(length_1 | length_2) << at;
		found.between |= words_nonzero(now.between | above.between | column_between) << at;
		found.boundaries |=
			words_nonzero((boundary ^ words_previous(boundary, boundary_before)) | column_between >> 63)
			<< at;
		PUT(WORD_OWN_BOUNDARY, boundary);
		PUT(WORD_SHORT, now.all);
		PUT(WORD_SINGLE, now.single);
		PUT(WORD_LONE, now.lone);
		PUT(WORD_BETWEEN, now.between);
		PUT(WORD_LONG_BETWEEN, now.long_between);
		PUT(WORD_NEW_SHORT, new_runs);
		PUT(WORD_OLD_SHORT, old_runs);
		PUT(WORD_COLUMN_SHORT, length_1 | length_2);
		PUT(WORD_COLUMN_SINGLE, length_1);
		PUT(WORD_COLUMN_LONE, AT(WORD_COLUMN_LONE, 0) & length_1);
		PUT(WORD_COLUMN_BETWEEN, column_between);
#undef PUT
		before = now;
		boundary_before = boundary;
	}
	return found;
}
#undef AT

/* ---- counting by id ------------------------------------------------------------------------------------------ */

/*
 * Updates first pixels and bounding boxes for n pixels from x on that changed from id `from` to id `to` in row y, of
 * those ids that are neither a class nor ignored. Calls may come in any order.
 */
TARGET_INLINE void update_bbox(struct delta *s, uint32_t from, uint32_t to, size_t x, unsigned n, uint32_t y)
{
	if (s->by_id.roles[from] == ID_INVALID && s->by_id.ids[from].first && y > s->by_id.ids[from].y1)
		s->by_id.ids[from].y1 = y - 1;
	if (s->by_id.roles[to] == ID_INVALID) {
		struct delta_id *id = &s->by_id.ids[to];
		uint32_t x0 = (uint32_t)x, x1 = (uint32_t)x + n - 1;
		uint64_t first = (uint64_t)y * s->width + x + 1;

		if (!id->first) {
			id->first = first;
			id->x0 = x0;
			id->y0 = y;
		}
		id->first = first < id->first ? first : id->first;
		id->x0 = x0 < id->x0 ? x0 : id->x0;
		id->x1 = x1 > id->x1 ? x1 : id->x1;
		id->y0 = y < id->y0 ? y : id->y0;
	}
}

/* Offers a pixel that lies between its neighbours as the worst one (struct worst_place). */
TARGET_INLINE void update_worst(struct delta *s, enum line line, uint32_t left, uint32_t id, uint32_t right,
				uint64_t index)
{
	uint64_t gap = left > right ? left - right : right - left;
	uint64_t key = gap << 48 | (WORST_INDEX_MASK - index) << 1 | (line == LINE_ROW);

	if (key > s->sums.worst.key)
		s->sums.worst = (struct worst_place){ key, left, id, right };
}

/* Returns the length of the run of ones in mask from bit x on: up to the next bit of `starts`. */
TARGET_INLINE unsigned run_length(uint64_t mask, uint64_t starts, unsigned x)
{
	uint64_t stop = (~mask | starts) & ~(UINT64_MAX >> (63 - x));

	return (stop ? (unsigned)__builtin_ctzll(stop) : 64) - x;
}

#ifdef HAVE_QUEUES
#include "measure/engine/delta_queues.h"
#endif
#endif /* PIXEL_BITS == 8 */

#if !defined(HAVE_QUEUES) || PIXEL_BITS != 8 /* what delta_queues.h has for 8 bits */

TARGET_INLINE void NAME(begin_queues)(struct delta *s)
{
	(void)s;
}

/* Counts labels for the changed pixels of the block at x0 in row y. */
TARGET_INLINE void NAME(count_labels)(struct delta *s, const PIXEL *above, const PIXEL *fresh, uint64_t changed,
				      uint64_t starts, size_t x0, uint32_t y)
{
	int64_t rows = (int64_t)(s->height - y);
	const uint8_t *roles = s->by_id.roles;
	int64_t *labels = s->by_id.labels;
	uint64_t content[2] = { 0, 0 };

	while (starts) {
		unsigned x = (unsigned)__builtin_ctzll(starts);

		starts &= starts - 1;
		unsigned n = run_length(changed, starts, x);
		uint32_t from = above[x], to = fresh[x];

		labels[from] -= rows * n;
		labels[to] += rows * n;
		delta_add_content(s, content, (uint32_t)x0 + x, n, (int64_t)to - from);
		if (sizeof(PIXEL) > 1)
			s->by_id.seen[to / 64] |= UINT64_C(1) << to % 64;
		if (__builtin_expect(!roles[from] || !roles[to], 0))
			update_bbox(s, from, to, x0 + x, n, y);
	}
	if (content[0] | content[1])
		delta_end_content(s, y, content);
}

TARGET_INLINE void NAME(queue_changes)(struct delta *s, const PIXEL *above, const PIXEL *fresh, uint64_t changed,
				       uint64_t starts, size_t x0, uint32_t y)
{
	if (starts)
		NAME(count_labels)(s, above, fresh, changed, starts, x0, y);
}

/* Counts short runs of these ids `times` times. kind: SHORT_COLUMN or 0. */
TARGET_INLINE void NAME(count_runs)(struct delta *s, const struct delta_short_runs *r, VEC ids, unsigned kind,
				    int64_t times)
{
	PIXEL at[DELTA_BLOCK] __attribute__((aligned(64)));

	NAME(store)(at, ids);
	for (uint64_t bits = r->all; bits; bits &= bits - 1) {
		unsigned x = (unsigned)__builtin_ctzll(bits);
		unsigned of = (unsigned)((r->single >> x & 1) * SHORT_SINGLE + (r->lone >> x & 1) * SHORT_LONE +
					 (r->between >> x & 1) * SHORT_BETWEEN);

		s->by_id.ids[at[x]].runs[of | kind] += times;
	}
}

TARGET_INLINE void NAME(count_row_runs)(struct delta *s, const struct delta_short_runs *r, VEC ids, uint32_t y,
					int64_t sign)
{
	NAME(count_runs)(s, r, ids, 0, (int64_t)(s->height - y) * sign);
}

/* transitions: of the row in which the runs end */
TARGET_INLINE void NAME(count_column_runs)(struct delta *s, const struct delta_short_runs *r, uint64_t transitions,
					   VEC ids)
{
	(void)transitions;
	NAME(count_runs)(s, r, ids, SHORT_COLUMN, 1);
}

TARGET_INLINE void NAME(drain_queues)(struct delta *s)
{
	(void)s;
}

TARGET_INLINE void NAME(end_queues)(struct delta *s)
{
	(void)s;
}
#endif

/* ---- a batch of events --------------------------------------------------------------------------------------- */

/* Masks of a column of blocks. */
struct NAME(column) {
	size_t x0;
	uint64_t valid; /* pixels that exist */
	uint64_t inner; /* pixels whose left neighbour exists */
	uint64_t end;   /* the bit after the last pixel of the row, if it is here */
};

TARGET_INLINE struct NAME(column) NAME(column_of)(const struct delta *s, size_t b)
{
	bool last = b + 1 == s->blocks_count;
	uint64_t end = last ? UINT64_C(1) << s->width % DELTA_BLOCK : 0, valid = end - 1;

	return (struct NAME(column)){ b * DELTA_BLOCK, valid, valid & (b ? UINT64_MAX : UINT64_MAX << 1), end };
}

/* Returns the block of event i, from -2 on. */
TARGET_INLINE PIXEL *NAME(event_pixels)(struct delta *s, ptrdiff_t i)
{
	return (PIXEL *)s->group.events.pixels + (2 + i) * DELTA_BLOCK;
}

/* Puts the column's state before event 0, and pads the n events to whole vectors by repeating the last one. */
TARGET_INLINE size_t NAME(pad_events)(struct delta *s, size_t b, size_t n)
{
	struct delta_block *k = &s->last.blocks[b];
	uint64_t(*words)[DELTA_BEFORE + DELTA_EVENTS] = s->group.events.words;
	const size_t x0 = b * DELTA_BLOCK, last = DELTA_BEFORE + n - 1;
	VEC pixels = NAME(load)(NAME(event_pixels)(s, (ptrdiff_t)n - 1));

	for (unsigned word = 0; word < DELTA_KNOWN_WORDS; word++)
		words[word][DELTA_BEFORE - 1] = k->known[word];
	words[WORD_ROW][DELTA_BEFORE - 2] = k->row_before;
	words[WORD_BEGUN][DELTA_BEFORE - 2] = k->begun_before;
	NAME(store)(NAME(event_pixels)(s, -2), NAME(load)((PIXEL *)s->last.above2 + x0));
	NAME(store)(NAME(event_pixels)(s, -1), NAME(load)((PIXEL *)s->last.above + x0));
	/* in the first row nothing changes, but every run begins */
	if (words[WORD_ROW][DELTA_BEFORE] == 0)
		NAME(store)(NAME(event_pixels)(s, -1), NAME(load)(NAME(event_pixels)(s, 0)));
	for (; n % WORD_LANES; n++) {
		NAME(store)(NAME(event_pixels)(s, (ptrdiff_t)n), pixels);
		words[WORD_ROW][DELTA_BEFORE + n] = words[WORD_ROW][last];
		words[WORD_BOUNDARY][DELTA_BEFORE + n] = words[WORD_BOUNDARY][last];
	}
	return n;
}

/* Saves the state of the column after its last event. */
TARGET_INLINE void NAME(keep_last_event)(struct delta *s, size_t b, size_t n)
{
	struct delta_block *k = &s->last.blocks[b];
	uint64_t(*words)[DELTA_BEFORE + DELTA_EVENTS] = s->group.events.words;
	const size_t x0 = b * DELTA_BLOCK, last = DELTA_BEFORE + n - 1;

	for (unsigned word = 0; word < DELTA_KNOWN_WORDS; word++)
		k->known[word] = words[word][last];
	k->row_before = words[WORD_ROW][last - 1];
	k->begun_before = words[WORD_BEGUN][last - 1];
	NAME(store)((PIXEL *)s->last.above2 + x0, NAME(load)(NAME(event_pixels)(s, (ptrdiff_t)n - 2)));
	NAME(store)((PIXEL *)s->last.above + x0, NAME(load)(NAME(event_pixels)(s, (ptrdiff_t)n - 1)));
}

/* Compares the pixels of n events with their left neighbours and with the event before. */
TARGET_INLINE void NAME(compare_events)(struct delta *s, struct delta_block *k, const struct NAME(column) * c, size_t n)
{
	struct delta_events *e = &s->group.events;
	VEC above2 = NAME(load)(NAME(event_pixels)(s, -2)), above = NAME(load)(NAME(event_pixels)(s, -1));
	uint64_t has_run_above = k->has_run_above, last_step_up = k->last_step_up;

	for (size_t i = 0; i < n; i++) {
		const size_t at = DELTA_BEFORE + i;
		uint32_t two = (uint32_t)e->words[WORD_BOUNDARY][at];
		VEC fresh = NAME(load)(NAME(event_pixels)(s, (ptrdiff_t)i));
		VEC left = NAME(shift1)(fresh, two), left2 = NAME(shift2)(fresh, two);
		uint64_t transitions = NAME(ne)(fresh, left) & c->inner, changed = NAME(ne)(fresh, above);
		uint64_t step_up = NAME(lt)(above, fresh), inner = changed & has_run_above;

		e->words[WORD_TRANSITIONS][at] = transitions;
		e->words[WORD_CHANGED][at] = changed;
		e->words[WORD_OWN_BOUNDARY][at] = NAME(last_two)(fresh);
		e->words[WORD_UPWARDS][at] = NAME(lt)(left, fresh);
		e->words[WORD_WIDE][at] = transitions & NAME(wide)(left, fresh);
		e->words[WORD_LONE][at] = NAME(ne)(left2, fresh);
		e->words[WORD_BEGUN][at] = changed;
		e->words[WORD_COLUMN_WIDE][at] = changed & NAME(wide)(above, fresh);
		e->words[WORD_COLUMN_LONE][at] = inner & NAME(ne)(above2, fresh);
		e->words[WORD_COLUMN_BETWEEN][at] = inner & ~(step_up ^ last_step_up);
		has_run_above |= changed;
		last_step_up = (last_step_up & ~changed) | (step_up & changed);
		above2 = above;
		above = fresh;
	}
	k->has_run_above = has_run_above;
	k->last_step_up = last_step_up;
	if (e->words[WORD_ROW][DELTA_BEFORE] == 0)
		e->words[WORD_BEGUN][DELTA_BEFORE] = c->valid;
}

/* Counts labels of row 0, in which every pixel is new. */
TARGET_NOINLINE void NAME(count_first_row)(struct delta *s, const struct NAME(column) * c)
{
	const PIXEL *at = NAME(event_pixels)(s, 0);
	int64_t height = (int64_t)s->height;
	uint64_t content[2] = { 0, 0 };

	for (uint64_t starts = c->valid & (event_word(s, WORD_TRANSITIONS, 0) | 1); starts;) {
		unsigned x = (unsigned)__builtin_ctzll(starts);

		starts &= starts - 1;
		unsigned n = run_length(c->valid, starts, x);
		uint32_t id = at[x];

		s->by_id.labels[id] += height * n;
		delta_add_content(s, content, (uint32_t)c->x0 + x, n, (int64_t)id + 1);
		if (sizeof(PIXEL) > 1)
			s->by_id.seen[id / 64] |= UINT64_C(1) << id % 64;
		if (!s->by_id.roles[id])
			update_bbox(s, id, id, c->x0 + x, n, 0);
	}
	delta_end_content(s, 0, content);
}

/*
 * Counts the pixels of event i that are between in their row, or were between in the column that ends above them. A
 * pixel that is both counts once ("Double counting" in README.md). Bit x of WORD_BETWEEN closes the run of pixel x - 1.
 */
TARGET_NOINLINE void NAME(count_between)(struct delta *s, const struct NAME(column) * c, size_t i)
{
	const PIXEL *fresh = NAME(event_pixels)(s, (ptrdiff_t)i);
	const PIXEL *above = fresh - DELTA_BLOCK, *above2 = above - DELTA_BLOCK;
	uint64_t between = event_word(s, WORD_BETWEEN, i), between_above = event_word(s, WORD_BETWEEN, i - 1);
	uint64_t columns = event_word(s, WORD_COLUMN_BETWEEN, i), y = event_word(s, WORD_ROW, i);
	int64_t more = __builtin_popcountll(between) - __builtin_popcountll(between_above);
	uint32_t boundary = (uint32_t)event_word(s, WORD_BOUNDARY, i);
	PIXEL row[2 + DELTA_BLOCK] = { (PIXEL)boundary, (PIXEL)(boundary >> 8 * sizeof(PIXEL)) };

	s->sums.between_pixels += (uint64_t)(more * (int64_t)(s->height - y));
	s->sums.between_pixels += (uint64_t)__builtin_popcountll(columns & ~(between_above >> 1));
	for (; columns; columns &= columns - 1) {
		unsigned x = (unsigned)__builtin_ctzll(columns);

		update_worst(s, LINE_COLUMN, above2[x], above[x], fresh[x], (y - 1) * s->width + c->x0 + x);
	}
	memcpy(row + 2, fresh, DELTA_BLOCK * sizeof(*row));
	for (; between; between &= between - 1) {
		unsigned x = (unsigned)__builtin_ctzll(between);

		update_worst(s, LINE_ROW, row[x], row[x + 1], row[x + 2], y * s->width + c->x0 + x - 1);
	}
}

/* Returns those short runs of event i's row that `which` selects. */
TARGET_INLINE struct delta_short_runs NAME(short_runs_of)(const struct delta *s, uint64_t which, size_t i)
{
	return (struct delta_short_runs){ which, event_word(s, WORD_SINGLE, i), event_word(s, WORD_LONE, i),
					  event_word(s, WORD_BETWEEN, i) };
}

/* Returns the ids of the runs that the bits of event i close. */
TARGET_INLINE VEC NAME(closed_ids)(struct delta *s, size_t i)
{
	return NAME(shift1)(NAME(load)(NAME(event_pixels)(s, (ptrdiff_t)i)), (uint32_t)event_word(s, WORD_BOUNDARY, i));
}

TARGET_INLINE void NAME(count_short_runs)(struct delta *s, const struct found_events *found)
{
	for (uint64_t bits = found->new_runs; bits; bits &= bits - 1) {
		size_t i = (size_t)__builtin_ctzll(bits);
		const struct delta_short_runs runs = NAME(short_runs_of)(s, event_word(s, WORD_NEW_SHORT, i), i);

		NAME(count_row_runs)(s, &runs, NAME(closed_ids)(s, i), (uint32_t)event_word(s, WORD_ROW, i), 1);
	}
	for (uint64_t bits = found->old_runs; bits; bits &= bits - 1) {
		size_t i = (size_t)__builtin_ctzll(bits);
		const struct delta_short_runs runs = NAME(short_runs_of)(s, event_word(s, WORD_OLD_SHORT, i), i - 1);

		NAME(count_row_runs)(s, &runs, NAME(closed_ids)(s, i - 1), (uint32_t)event_word(s, WORD_ROW, i), -1);
	}
	for (uint64_t bits = found->columns; bits; bits &= bits - 1) {
		size_t i = (size_t)__builtin_ctzll(bits);
		const struct delta_short_runs runs = { event_word(s, WORD_COLUMN_SHORT, i),
						       event_word(s, WORD_COLUMN_SINGLE, i),
						       event_word(s, WORD_COLUMN_LONE, i),
						       event_word(s, WORD_COLUMN_BETWEEN, i) };
		VEC above = NAME(load)(NAME(event_pixels)(s, (ptrdiff_t)i - 1));

		NAME(count_column_runs)(s, &runs, event_word(s, WORD_TRANSITIONS, i - 1), above);
	}
}

/* Appends the boundaries of these events to the column's list, which has `have` entries. Returns the new number. */
TARGET_INLINE size_t NAME(emit_boundaries)(const struct delta *s, uint64_t events, uint64_t *own, size_t have)
{
	for (; events; events &= events - 1) {
		size_t i = (size_t)__builtin_ctzll(events);
		uint64_t row = event_word(s, WORD_ROW, i) - s->y, between = event_word(s, WORD_COLUMN_BETWEEN, i) >> 63;

		own[have++] = event_word(s, WORD_OWN_BOUNDARY, i) | between << BOUNDARY_BETWEEN | row << BOUNDARY_ROW;
	}
	return have;
}

/*
 * Processes n events of column b, and appends to its boundary list, which has `have` entries. Returns the new number.
 * double_counted: events, one bit each, above which the left column has counted its last pixel as between in its
 * column; if bit 0 of WORD_BETWEEN counted it as well, it is subtracted.
 */
TARGET_NOINLINE size_t NAME(process_events)(struct delta *s, size_t b, size_t n, uint64_t double_counted, uint64_t *own,
					    size_t have)
{
	const uint64_t last_pixel = (uint64_t)(PIXEL)-1 << 8 * sizeof(PIXEL);
	const struct NAME(column) c = NAME(column_of)(s, b);
	size_t padded = NAME(pad_events)(s, b, n);

	NAME(begin_queues)(s);
	NAME(compare_events)(s, &s->last.blocks[b], &c, padded);
	struct found_events found = classify_events(s, padded, c.end, last_pixel);

	if (event_word(s, WORD_ROW, 0) == 0)
		NAME(count_first_row)(s, &c);
	for (size_t i = 0; i < n; i++) {
		const PIXEL *fresh = NAME(event_pixels)(s, (ptrdiff_t)i);
		uint64_t changed = event_word(s, WORD_CHANGED, i), starts = event_word(s, WORD_STARTS, i);
		uint32_t y = (uint32_t)event_word(s, WORD_ROW, i);

		NAME(queue_changes)(s, fresh - DELTA_BLOCK, fresh, changed, starts, c.x0, y);
	}
	NAME(count_short_runs)(s, &found);
	for (uint64_t bits = found.between; bits; bits &= bits - 1)
		NAME(count_between)(s, &c, (size_t)__builtin_ctzll(bits));
	for (; double_counted; double_counted &= double_counted - 1)
		s->sums.between_pixels -= event_word(s, WORD_BETWEEN, (size_t)__builtin_ctzll(double_counted) - 1) & 1;
	have = NAME(emit_boundaries)(s, found.boundaries, own, have);
	NAME(keep_last_event)(s, b, n);
	return have;
}

/* ---- the scan of a column ------------------------------------------------------------------------------------ */

/* A column while its rows are scanned. */
struct NAME(column_scan) {
	size_t b;
	uint64_t boundary;          /* of the left block, in the current row */
	const uint64_t *boundaries; /* its boundary list from here on */
	uint64_t *own;              /* boundary list of this column, with own_count entries */
	size_t own_count;
	size_t events;           /* events stored and not processed */
	uint64_t double_counted; /* see process_events */
};

/* Begins column b. *boundary: of the left block, above the group; it becomes the one of this block. */
TARGET_INLINE struct NAME(column_scan) NAME(begin_column)(struct delta *s, size_t b, uint64_t *boundary)
{
	struct NAME(column_scan) d = { .b = b,
				       .boundary = *boundary,
				       .boundaries = s->group.boundaries[b % 2],
				       .own = s->group.boundaries[(b + 1) % 2] };

	if (b == 0) {
		d.boundary = UINT64_C(1) << BOUNDARY_START;
		s->group.boundaries[0][0] = BOUNDARY_END;
	}
	*boundary = s->last.blocks[b].known[WORD_OWN_BOUNDARY];
	return d;
}

/* Stores event n: in row r of the group the block is `fresh`, with this boundary of the left block. */
TARGET_INLINE void NAME(store_event)(struct delta *s, size_t n, uint32_t r, uint64_t boundary, VEC fresh)
{
	NAME(store)(NAME(event_pixels)(s, (ptrdiff_t)n), fresh);
	s->group.events.words[WORD_ROW][DELTA_BEFORE + n] = (uint64_t)s->y + r;
	s->group.events.words[WORD_BOUNDARY][DELTA_BEFORE + n] = boundary;
}

/* Stores an event of the column, and processes the events when there are enough. */
TARGET_INLINE void NAME(push_event)(struct delta *s, struct NAME(column_scan) * d, uint32_t r, VEC fresh)
{
	NAME(store_event)(s, d->events++, r, d->boundary, fresh);
	if (d->events == DELTA_EVENTS) {
		d->own_count = NAME(process_events)(s, d->b, d->events, d->double_counted, d->own, d->own_count);
		d->events = 0;
		d->double_counted = 0;
	}
}

/* Sets the dirty bits of the rows in which the left block's boundary changes. */
TARGET_INLINE void NAME(mark_boundaries)(struct delta *s, const struct NAME(column_scan) * d)
{
	uint64_t *dirty = s->group.dirty + d->b * (DELTA_GROUP / 64);

	for (const uint64_t *boundary = d->boundaries; *boundary != BOUNDARY_END; boundary++) {
		uint32_t r = (uint32_t)(*boundary >> BOUNDARY_ROW);

		dirty[r / 64] |= UINT64_C(1) << r % 64;
	}
}

/* Takes the next entry of the left block's boundary list, which is for the next event. */
TARGET_INLINE void NAME(apply_boundary)(struct NAME(column_scan) * d)
{
	d->double_counted |= (*d->boundaries >> BOUNDARY_BETWEEN & 1) << d->events;
	d->boundary = *d->boundaries++ & BOUNDARY_MASK;
}

/* Processes the remaining events after the column's last row, and ends its boundary list. */
TARGET_INLINE void NAME(end_column)(struct delta *s, struct NAME(column_scan) * d)
{
	if (d->events)
		d->own_count = NAME(process_events)(s, d->b, d->events, d->double_counted, d->own, d->own_count);
	d->own[d->own_count] = BOUNDARY_END;
}

/* Scans rows of ids: pushes an event wherever a block or its left boundary changes. */
TARGET_INLINE void NAME(scan_ids)(struct delta *s, const void *first, size_t stride, uint32_t rows)
{
	const VEC whole = NAME(ones)();
	uint64_t boundary = 0;

	for (size_t b = 0; b < s->blocks_count; b++) {
		const uint8_t *at = (const uint8_t *)first + b * DELTA_BLOCK * sizeof(PIXEL);
		const VEC tail = b + 1 == s->blocks_count ? NAME(load)((const PIXEL *)s->last.tail) : whole;
		struct NAME(column_scan) d = NAME(begin_column)(s, b, &boundary);
		VEC above = NAME(load)((const PIXEL *)s->last.above + b * DELTA_BLOCK);

		for (uint32_t r = 0; r < rows; r++, at += stride) {
			VEC fresh = NAME(and)(NAME(load)((const PIXEL *)at), tail);
			bool new_boundary = *d.boundaries >> BOUNDARY_ROW == r;

			if (!new_boundary && !NAME(differ)(fresh, above) && s->y + r > 0)
				continue;
			if (new_boundary)
				NAME(apply_boundary)(&d);
			NAME(push_event)(s, &d, r, fresh);
			above = fresh;
		}
		NAME(end_column)(s, &d);
	}
}

/* Counts the runs that the end of the image ends in its columns. */
TARGET_INLINE void NAME(end_columns)(struct delta *s)
{
	NAME(drain_queues)(s); /* updates bounding boxes, before those of the last row */
	for (size_t b = 0; b < s->blocks_count; b++) {
		const struct delta_block *k = &s->last.blocks[b];
		const struct NAME(column) c = NAME(column_of)(s, b);
		const PIXEL *at = (const PIXEL *)s->last.above + c.x0;
		uint64_t age = s->y - k->known[WORD_ROW], age_before = s->y - k->row_before;
		uint64_t one = age == 1 ? k->known[WORD_BEGUN] : 0;
		uint64_t two = (age == 2 ? k->known[WORD_BEGUN] : 0) | (age_before == 2 ? k->begun_before & ~one : 0);

		const struct delta_short_runs runs = { .all = one | two, .single = one };

		if (runs.all)
			NAME(count_column_runs)(s, &runs, k->known[WORD_TRANSITIONS], NAME(load)(at));
		for (uint64_t starts = c.valid & (k->known[WORD_TRANSITIONS] | 1); starts; starts &= starts - 1) {
			uint32_t id = at[(unsigned)__builtin_ctzll(starts)];

			if (!s->by_id.roles[id])
				s->by_id.ids[id].y1 = s->height - 1;
		}
	}
	NAME(end_queues)(s);
}

#if PIXEL_BITS == 8 /* once: filtered rows have 8-bit pixels */

/* ---- PNG filters ------------------------------------------------------------------------------------------------
 * They are undone only in blocks that are visited.
 */

/* Loads a block; pixels after the end of the row are 0. */
TARGET_INLINE struct vec_8 load_block(const uint8_t *at, struct vec_8 valid)
{
	return and_8(load_8(at), valid);
}

TARGET_INLINE unsigned paeth(unsigned left, unsigned up, unsigned corner)
{
	int to_left = abs((int)up - (int)corner), to_up = abs((int)left - (int)corner);
	int to_corner = abs((int)left + (int)up - 2 * (int)corner);
	unsigned vertical = to_up <= to_corner ? up : corner;

	return to_left <= to_up && to_left <= to_corner ? left : vertical;
}

/* Returns the last pixel of the left block. */
TARGET_INLINE unsigned left_pixel(uint64_t boundary)
{
	return boundary >> 8 & 0xff;
}

struct filtered_block {
	struct vec_8 bytes, above;         /* filtered bytes; pixels of the row above */
	const uint8_t *at;                 /* the bytes again */
	uint64_t boundary, boundary_above; /* of the left block, in this row and in the row above */
	enum delta_filter filter;
};

/*
 * Where a byte is 0 and the pixel above has no transition, Paeth predicts the pixel above if the left pixel equals its
 * own upper neighbour, else the left pixel. So only the rest needs arithmetic: nonzero bytes and transitions above,
 * the stops.
 *
 * Extends `left` over the undecided pixels `rest` until a pixel equals the one above it. Returns false if none does.
 * add: the bytes; up: the row above.
 */
TARGET_INLINE __attribute__((always_inline)) bool extend_left(struct vec_8 *fresh, uint64_t stops, uint64_t *rest,
							      unsigned left, const uint8_t *add, const uint8_t *up)
{
	unsigned x;

	do {
		uint64_t next = stops & *rest, bit = next & -next;

		*fresh = blend_8(*rest & (bit - 1), set1_8((uint8_t)left), *fresh);
		if (!bit)
			return false;
		x = (unsigned)__builtin_ctzll(bit);
		left = (uint8_t)(add[x] + paeth(left, up[x], up[(int)x - 1]));
		stops &= ~bit; /* the next run begins here */
		*rest &= -bit;
	} while (left != up[x]);
	*rest &= *rest - 1;
	return true;
}

TARGET_INLINE struct vec_8 undo_paeth(const struct filtered_block *f, uint64_t valid)
{
	uint8_t memory[DELTA_BLOCK + DELTA_BLOCK] __attribute__((aligned(64))), *up = memory + DELTA_BLOCK;
	uint64_t bytes = ne_8(f->bytes, zero_8());
	uint64_t stops = bytes | ne_8(f->above, shift1_8(f->above, (uint32_t)f->boundary_above));
	uint64_t rest = valid;
	unsigned left = left_pixel(f->boundary);
	struct vec_8 fresh = f->above;

	store_8(up, fresh);
	up[-1] = (uint8_t)left_pixel(f->boundary_above);
	if (left != up[-1] && !extend_left(&fresh, stops, &rest, left, f->at, up))
		return fresh;
	while (bytes & rest) {
		uint64_t next = bytes & rest, bit = next & -next;
		unsigned x = (unsigned)__builtin_ctzll(bit);

		left = (uint8_t)(f->at[x] + up[x]);
		rest &= -bit;
		if (!extend_left(&fresh, stops & ~bit, &rest, left, f->at, up))
			break;
	}
	return fresh;
}

/* Undoes Average in place, from the pixels above. It is rare in masks, so a plain loop will do. */
TARGET_NOINLINE void undo_average(unsigned left, const uint8_t *add, uint8_t at[DELTA_BLOCK])
{
	for (unsigned x = 0; x < DELTA_BLOCK; x++)
		at[x] = (uint8_t)(left = (add[x] + (left + at[x]) / 2) & 0xff);
}

TARGET_INLINE struct vec_8 undo_filter(const struct filtered_block *f, uint64_t valid)
{
	/* No branch between None and Up, since it could not be predicted. */
	if (!(f->filter & ~(unsigned)FILTER_UP))
		return add_8(f->bytes, and_8(f->above, set1_8(f->filter == FILTER_UP ? 0xff : 0)));
	if (__builtin_expect(f->filter == FILTER_PAETH, 1))
		return undo_paeth(f, valid);
	if (f->filter == FILTER_SUB)
		return add_8(set1_8((uint8_t)left_pixel(f->boundary)), prefix_sum_8(f->bytes));
	uint8_t at[DELTA_BLOCK];

	store_8(at, f->above);
	undo_average(left_pixel(f->boundary), f->at, at);
	return load_8(at);
}

/* ---- Adler-32 in closed form --------------------------------------------------------------------------------- */

/*
 * Returns the weight in Adler-32 of the byte at the first pixel of row r: the number of bytes from there to the end,
 * summed over all rows that have the bytes of row r. Below 2^29: a group has DELTA_GROUP_BYTES, or is one row.
 */
TARGET_INLINE uint32_t adler_weight(const struct delta *s, uint32_t r)
{
	uint32_t rows = s->group.rows[r].rows, to_end = s->group.rows_count - r;

	return rows * (s->group.bytes_after - 1) + (s->width + 1) * (rows * to_end - rows * (rows - 1) / 2);
}

/*
 * A column's share of Adler-32 is a struct weighted_sums, as if the column began at x = 0.
 *
 * Adds the sums of row r, or their difference to those of the row above, for all rows that have the bytes of row r.
 */
TARGET_INLINE void add_adler(const struct delta *s, struct weighted_sums *all, struct weighted_sums a, uint32_t r)
{
	word_vec rows = words_set1(s->group.rows[r].rows), weight = words_set1(adler_weight(s, r));

	all->sum += words_mul32(a.sum, rows);
	all->weighted += words_mul32(a.sum, weight) - words_mul32(a.weighted, rows);
}

TARGET_INLINE void end_adler(struct delta *s, struct weighted_sums a, size_t b)
{
	add_lanes(s->adler.sum, a.sum);
	add_lanes(s->adler.weighted, a.weighted - a.sum * words_set1(b * DELTA_BLOCK));
}

/* ---- dirty bits ---------------------------------------------------------------------------------------------- */

/* Undoes Sub in row r of the group, one of sub_rows. Its pixels go to row_pixels; from then on its filter is None. */
TARGET_INLINE void undo_sub(struct delta *s, uint32_t r)
{
	struct delta_row *row = &s->group.rows[r];
	const uint8_t *at = s->group.bytes + r * ((size_t)s->width + 1);
	uint8_t *out = s->group.row_pixels + r * s->blocks_count * DELTA_BLOCK;
	uint8_t left = 0;

	for (size_t b = 0, count = s->blocks_count; b < count; b++) {
		struct vec_8 valid = b + 1 == count ? load_8(s->last.tail) : ones_8();
		struct vec_8 d = load_block(at + b * DELTA_BLOCK, valid), fresh = set1_8(left);

		if (any_8(d)) {
			struct weighted_sums adler = { words_set1(0), words_set1(0) };

			add_adler(s, &adler, weighted_sums_8(d), r);
			end_adler(s, adler, b);
			fresh = add_8(fresh, prefix_sum_8(d));
			left = (uint8_t)(left + sum_8(d));
		}
		store_8(out + b * DELTA_BLOCK, fresh);
	}
	row->filter = FILTER_NONE;
	row->rows = 0;
}

#ifndef HAVE_MARK_ROWS
/* Rows that are marked together: each is compared with the one above while that is in a register. */
enum { MARKED_ROWS = 8 };

/* Blocks are compared with nothing, as after Up; the one above; what same_filter_as_above of each row says. */
enum marked { MARKED_BYTES, MARKED_REPEATS, MARKED_MIXED };

TARGET_INLINE __attribute__((always_inline)) void mark_blocks(struct delta *s, uint32_t r, uint32_t n, size_t b,
							      size_t end, const enum marked marked)
{
	const size_t line = (size_t)s->width + 1;
	const uint8_t *at = s->group.bytes + r * line + b * DELTA_BLOCK;
	const uint8_t *above = r ? at - line : s->last.above + b * DELTA_BLOCK;
	const struct vec_8 whole = ones_8(), tail = load_8(s->last.tail);
	uint64_t *dirty = s->group.dirty + r / 64;

	for (; b < end; b++, at += DELTA_BLOCK, above += DELTA_BLOCK) {
		const struct vec_8 valid = b + 1 == s->blocks_count ? tail : whole;
		struct vec_8 last = load_8(above);
		uint64_t bits = 0;

#pragma GCC unroll 8
		for (uint32_t i = 0; i < n; i++) {
			struct vec_8 bytes = load_8(at + i * line);
			bool is_dirty = marked == MARKED_BYTES ? any_8(bytes)
					: marked == MARKED_REPEATS
						? differ_8(bytes, last)
						: differ_masked_8(bytes, last,
								  s->group.rows[r + i].same_filter_as_above, valid);

			bits |= (uint64_t)is_dirty << i;
			last = bytes;
		}
		dirty[b * (DELTA_GROUP / 64)] |= bits << r % 64;
	}
}

/*
 * Sets the dirty bit of each block in rows r to r + n - 1 whose filtered bytes may change pixels ("Dirty bits" in
 * README.md). r is a multiple of MARKED_ROWS. Most often these rows have one filter.
 */
TARGET_INLINE __attribute__((always_inline)) void mark_rows(struct delta *s, uint32_t r, uint32_t n)
{
	const size_t last = s->blocks_count - 1;
	uint64_t all = UINT64_MAX, any = 0;

	for (uint32_t i = 0; i < n; i++) {
		all &= s->group.rows[r + i].same_filter_as_above;
		any |= s->group.rows[r + i].same_filter_as_above;
	}
	if (!any)
		mark_blocks(s, r, n, 0, last, MARKED_BYTES);
	else if (all)
		mark_blocks(s, r, n, 0, last, MARKED_REPEATS);
	else
		mark_blocks(s, r, n, 0, last, MARKED_MIXED);
	mark_blocks(s, r, n, last, last + 1, MARKED_MIXED);
}
#endif

TARGET_INLINE void mark_group(struct delta *s)
{
	uint32_t r = 0;

	for (; r + MARKED_ROWS <= s->group.rows_count; r += MARKED_ROWS)
		mark_rows(s, r, MARKED_ROWS);
	if (r < s->group.rows_count)
		mark_rows(s, r, s->group.rows_count - r);
	for (uint32_t word = 0; word < DELTA_GROUP / 64; word++)
		for (uint64_t bits = s->group.sub_rows[word]; bits; bits &= bits - 1)
			undo_sub(s, word * 64 + (uint32_t)__builtin_ctzll(bits));
}

/* ---- filtered rows ------------------------------------------------------------------------------------------- */

/* Scans a column of the group: visits the rows in which it is dirty, and those that are always visited. */
TARGET_INLINE void scan_column(struct delta *s, struct column_scan_8 *d, struct vec_8 tail)
{
	const struct column_8 c = column_of_8(s, d->b);
	const size_t line = (size_t)s->width + 1, pixels_line = s->blocks_count * DELTA_BLOCK;
	uint64_t *dirty = s->group.dirty + d->b * (DELTA_GROUP / 64);
	struct weighted_sums adler = { words_set1(0), words_set1(0) };
	struct filtered_block f = { .above = load_8(s->last.above + c.x0) };

	/* of the bytes of the row visited last, if they are known */
	struct weighted_sums last = weighted_sums_8(f.above);
	bool known = s->group.rows[0].same_filter_as_above;

	if (known)
		add_adler(s, &adler, last, 0);
	mark_boundaries_8(s, d);
	for (uint32_t word = 0; word * 64 < s->group.rows_count; word++) {
		for (uint64_t bits = dirty[word] | s->group.always_visit[word]; bits; bits &= bits - 1) {
			uint32_t r = word * 64 + (uint32_t)__builtin_ctzll(bits);
			const struct delta_row *row = &s->group.rows[r];
			uint64_t rest = bits & (bits - 1);
			uint32_t next = word * 64 + (uint32_t)__builtin_ctzll(rest ? rest : bits);
			const uint8_t *ahead = s->group.bytes + next * line + c.x0;
			bool new_boundary = *d->boundaries >> BOUNDARY_ROW == r;

			__builtin_prefetch(ahead);
			__builtin_prefetch(ahead + DELTA_BLOCK - 1);
			f.at = s->group.sub_rows[word] >> r % 64 & 1 ? s->group.row_pixels + r * pixels_line
								     : s->group.bytes + r * line;
			f.at += c.x0;
			f.bytes = load_block(f.at, tail);
			/* Sub, undone: half of these blocks change nothing */
			if (!row->rows && !new_boundary && !differ_8(f.bytes, f.above) && s->y + r) {
				known = false;
				continue;
			}
			struct weighted_sums sums = weighted_sums_8(f.bytes), more = sums;

			if (row->same_filter_as_above) {
				if (!known)
					last = weighted_sums_8(load_block(f.at - line, tail));
				more.sum -= last.sum;
				more.weighted -= last.weighted;
			}
			add_adler(s, &adler, more, r);
			last = sums;
			known = row->rows;
			f.filter = (enum delta_filter)row->filter;
			f.boundary_above = d->boundary;
			if (new_boundary)
				apply_boundary_8(d);
			f.boundary = d->boundary;

			struct vec_8 fresh = and_8(undo_filter(&f, c.valid), tail);

			if (new_boundary || differ_8(fresh, f.above) || s->y + r == 0) {
				push_event_8(s, d, r, fresh);
				f.above = fresh;
			}
		}
		dirty[word] = 0;
	}
	end_column_8(s, d);
	end_adler(s, adler, d->b);
}

TARGET_INLINE void scan_filtered(struct delta *s)
{
	const struct vec_8 whole = ones_8();
	uint64_t boundary = 0;

	mark_group(s);
	for (size_t b = 0; b < s->blocks_count; b++) {
		struct vec_8 tail = b + 1 == s->blocks_count ? load_8(s->last.tail) : whole;
		struct column_scan_8 d = begin_column_8(s, b, &boundary);

		scan_column(s, &d, tail);
	}
}

#else /* PIXEL_BITS == 16: both widths are there */

/* ---- entry points: struct isa -------------------------------------------------------------------------------- */

TARGET_STATIC void delta_scan_filtered(struct delta *s)
{
	scan_filtered(s);
}

TARGET_STATIC void delta_scan_ids(struct delta *s, const void *first, size_t stride, uint32_t count)
{
	if (s->wide)
		scan_ids_16(s, first, stride, count);
	else
		scan_ids_8(s, first, stride, count);
}

TARGET_STATIC void delta_end_columns(struct delta *s)
{
	if (s->wide)
		end_columns_16(s);
	else
		end_columns_8(s);
}
#endif

#undef PIXEL
#undef NAME
#undef VEC
