#include "measure/fast_dense.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/mem.h"
#include "measure/content_key.h"

enum {
	IDS_8 = 256,
	IDS_16 = 65536,
	DENSE_VECTOR = 16, /* bytes */
	/* Pixels that are seen to at once: with the rows around them they fit the first cache, and so many bytes can be
	 * added up in lanes of 8 bits. */
	SPAN_PIXELS = 63 * 64,
	/* Rows up to this are taken several at a time. */
	NARROW = 256,
	/* Before and behind a span may be loaded: what vectors and neighbours reach. */
	DENSE_PAD = 64,
	/* Rows that are kept beside those that are measured: two above and two below. */
	CONTEXT_ROWS = 4,
	/* Weights of the content key that are kept; of columns beyond, they are computed each time. */
	WEIGHTS = 1 << 18,
	/* Rows up to this are too short for sums in vectors. */
	FEW_COLUMNS = 32,
	/* Classes of a pixel in its row or column; they add up, so that CLASS_BETWEEN is all three. */
	CLASS_BITS = 2,
	CLASS_SHORT = 1,   /* in a run of 1 or 2 */
	CLASS_LONE = 2,    /* of 1, inner, with different neighbours */
	CLASS_BETWEEN = 3, /* which it lies between */
	CLASSES = 1 << 2 * CLASS_BITS,
};
_Static_assert(SPAN_PIXELS / DENSE_VECTOR < 256, "lanes of 8 bits");
_Static_assert(SPAN_PIXELS % 64 == 0, "words of bits go on in the next span");

/* Tables that pixels take in turn, since the same counter cannot be raised in one go after the other. */
#define DENSE_TABLES(bits) ((bits) == 8 ? 2 : 1)
#define COUNTS_8           ((size_t)DENSE_TABLES(8) * CLASSES * IDS_8)
#define COUNTS_16          ((size_t)DENSE_TABLES(16) * CLASSES * IDS_16)

typedef int16_t ids8 __attribute__((vector_size(16)));
typedef uint16_t words8 __attribute__((vector_size(16)));
typedef int32_t sums4 __attribute__((vector_size(16)));

/*
 * The weights of eight columns in the content key, in parts of 16 bits: part[4 * i + k] of v[i], its bits from 16 * k
 * on, signed: a part below 0 is made up for in the next one. Products of ids and parts fit 32 bits.
 */
struct column_parts {
	ids8 part[8];
};

/* Sums of them, of up to COLUMN_STEPS times eight columns: each step adds two products of 255 * 2^15 at most. */
enum { COLUMN_STEPS = 128 };
struct column_sums {
	sums4 part[8];
};

/* The columns of an id that is no class: x0 to x0 + more. Of others all, so that they need not be looked after. */
struct columns_box {
	uint32_t x0, more;
};

/* Some pixels of row y from x on, or whole rows from y on. */
struct dense_span {
	uint32_t x, y;
	bool first, inner; /* the row has none above; has rows on both sides */
};

struct dense {
	const struct class_set *classes_set;
	uint32_t width, height, y; /* y: rows that were added */
	bool wide;
	bool narrow;

	/* The rows, ids without gaps. Two rows that differ everywhere from theirs lie around the image. */
	uint8_t *memory; /* owned */
	size_t memory_cap;
	uint32_t held, room; /* rows */
	uint32_t done;       /* rows of the image that were measured; they begin at row 2 of the buffer */

	/* For a span: a lane is all ones if the pixel ... DENSE_PAD lanes before and behind are there too. */
	struct {
		void *in_row; /* has one to the left in the row */
		void *inner;  /* and to the right, and is of the span */
		void *live;   /* is of the span */
		size_t n;     /* they are of such a span */
		bool begins;
		uint32_t behind;
	} masks;
	void *masks_memory; /* owned */
	void *classes;      /* of the span's pixels, owned */
	uint16_t *xs;       /* columns of the span's pixels, behind its first; SPAN_PIXELS; owned */

	/* by column */
	void *directions; /* of its last change; owned */
	size_t directions_cap;
	struct column_parts *columns; /* weights of the first columns_count, eight each; owned */
	uint32_t columns_count;
	struct content_pair few[FEW_COLUMNS]; /* weights of one each */
	struct content_pair all_columns;
	struct content_pair below;    /* content_rows of the rows that are not done */
	struct column_sums high_sums; /* of the upper bytes of 16-bit ids; zero between rows */

	/* by id */
	uint32_t *counts; /* by table, class in the column, class in the row, id; owned */
	struct columns_box *boxes;
	uint64_t *first, *last; /* row-major index; of ids that are no class, and of all */
	uint32_t ids_cap;

	uint64_t edges[2], wide_edges[2], long_between[2];
	struct {
		uint64_t start, run;
	} carry[2]; /* of long_runs */
	uint64_t content[2], row_content[2];
	struct worst_place worst;
};

struct dense *dense_new(const struct class_set *classes)
{
	struct dense *d = xcalloc(1, sizeof(*d));
	size_t lanes = (SPAN_PIXELS + 2 * DENSE_PAD) * sizeof(uint16_t);

	d->classes_set = classes;
	d->masks_memory = xmalloc(3 * lanes);
	d->masks.in_row = d->masks_memory;
	d->masks.inner = (uint8_t *)d->masks_memory + lanes;
	d->masks.live = (uint8_t *)d->masks_memory + 2 * lanes;
	d->classes = xmalloc(lanes);
	d->xs = xmalloc(SPAN_PIXELS * sizeof(*d->xs));
	for (uint32_t x = 0; x < FEW_COLUMNS; x++)
		d->few[x] = content_columns(x, x + 1);
	return d;
}

static void free_ids(struct dense *d)
{
	free(d->counts);
	free(d->boxes);
	free(d->first);
	free(d->last);
}

void dense_free(struct dense *d)
{
	if (!d)
		return;
	free_ids(d);
	free(d->memory);
	free(d->masks_memory);
	free(d->classes);
	free(d->xs);
	free(d->directions);
	free(d->columns);
	free(d);
}

static bool grow(void **p, size_t *cap, size_t want)
{
	if (want <= *cap)
		return true;
	free(*p);
	*p = mem_try(want, 1);
	*cap = *p ? want : 0;
	return *p;
}

static size_t id_bytes(const struct dense *d)
{
	return d->wide ? 2 : 1;
}

static uint8_t *row_at(const struct dense *d, uint32_t row)
{
	return d->memory + (DENSE_PAD + (size_t)row * d->width) * id_bytes(d);
}

static void begin_ids(struct dense *d)
{
	uint32_t n = d->wide ? IDS_16 : IDS_8;

	if (n > d->ids_cap) {
		free_ids(d);
		d->counts = xmalloc((d->wide ? COUNTS_16 : COUNTS_8) * sizeof(*d->counts));
		d->boxes = xmalloc(n * sizeof(*d->boxes));
		d->first = xmalloc(n * sizeof(*d->first));
		d->last = xmalloc(n * sizeof(*d->last));
		d->ids_cap = n;
	}
	memset(d->counts, 0, (d->wide ? COUNTS_16 : COUNTS_8) * sizeof(*d->counts));
	memset(d->first, 0xff, n * sizeof(*d->first));
	_Static_assert(NO_INDEX == UINT64_MAX, "memset above");
	/* no column is in it */
	for (uint32_t id = 0; id < n; id++)
		d->boxes[id] = (struct columns_box){ UINT32_MAX, 0 };
}

static struct column_parts make_parts(uint32_t x)
{
	struct column_parts parts;

	for (uint32_t i = 0; i < 8; i++) {
		struct content_pair weight = content_columns(x + i, x + i + 1);

		for (unsigned k = 0; k < 8; k++) {
			uint64_t *rest = &weight.v[k / 4];
			int16_t part = (int16_t)(*rest & 0xffff);

			parts.part[k][i] = part;
			*rest = (*rest - (uint64_t)part) >> 16;
		}
	}
	return parts;
}

/* Of eight columns from x on; in the room, if they are not kept. */
static inline const struct column_parts *parts_at(const struct dense *d, uint32_t x, struct column_parts *room)
{
	if (__builtin_expect(x < d->columns_count, 1))
		return &d->columns[x / 8];
	*room = make_parts(x);
	return room;
}

static inline void add_columns(struct column_sums *sums, ids8 ids, const struct column_parts *parts)
{
	for (unsigned k = 0; k < 8; k++) {
#if defined(__SSE2__)
		sums->part[k] += (sums4)_mm_madd_epi16((__m128i)ids, (__m128i)parts->part[k]);
#else
		for (unsigned i = 0; i < 8; i++)
			sums->part[k][i / 2] += ids[i] * parts->part[k][i];
#endif
	}
}

/* Adds them, times 2^shift, and forgets them. */
static void end_columns(struct column_sums *sums, uint64_t content[2], unsigned shift)
{
	for (unsigned k = 0; k < 8; k++) {
		uint64_t sum = 0;

		for (unsigned i = 0; i < 4; i++)
			sum += (uint64_t)(int64_t)sums->part[k][i];
		content[k / 4] += sum << (16 * (k % 4) + shift);
	}
	memset(sums, 0, sizeof(*sums));
}

static bool begin_columns(struct dense *d)
{
	uint32_t n = (MIN(d->width, (uint32_t)WEIGHTS) + 7) / 8 * 8;

	if (n > d->columns_count) {
		d->columns = xrealloc(d->columns, n / 8 * sizeof(*d->columns));
		for (uint32_t x = d->columns_count; x < n; x += 8)
			d->columns[x / 8] = make_parts(x);
		d->columns_count = n;
	}
	d->all_columns = content_columns(0, d->width);
	d->below = content_rows(d->height, 0);
	memset(&d->high_sums, 0, sizeof(d->high_sums));
	size_t bytes = (d->width + (size_t)DENSE_VECTOR) * id_bytes(d);

	if (!grow(&d->directions, &d->directions_cap, bytes))
		return false;
	memset(d->directions, 0, bytes);
	return true;
}

bool dense_begin(struct dense *d, uint32_t width, uint32_t height, bool wide)
{
	assert(width > 0 && height > 0);
	/* counters of 32 bits */
	if ((uint64_t)width * height > UINT32_MAX)
		return false;
	d->width = width;
	d->height = height;
	d->y = 0;
	d->wide = wide;
	d->narrow = width <= NARROW;
	/* moving what is kept on should cost little beside what is measured */
	uint32_t spare = d->narrow ? 4 * (SPAN_PIXELS / width) : width <= WEIGHTS ? 16 : 4;
	void *memory = d->memory;

	d->room = spare + CONTEXT_ROWS;
	bool got = grow(&memory, &d->memory_cap, ((size_t)d->room * width + 2 * DENSE_PAD) * id_bytes(d));

	d->memory = memory;
	if (!got || !begin_columns(d))
		return false;
	memset(d->memory, 0, (2 * (size_t)width + DENSE_PAD) * id_bytes(d));
	d->held = 2;
	d->done = 0;
	d->masks.n = 0;
	for (uint32_t i = 0; i < SPAN_PIXELS; i++)
		d->xs[i] = (uint16_t)(d->narrow ? i % width : i);
	begin_ids(d);
	memset(d->edges, 0, sizeof(d->edges));
	memset(d->wide_edges, 0, sizeof(d->wide_edges));
	memset(d->long_between, 0, sizeof(d->long_between));
	memset(d->content, 0, sizeof(d->content));
	memset(d->row_content, 0, sizeof(d->row_content));
	memset(&d->worst, 0, sizeof(d->worst));
	return true;
}

static void set_mask(const struct dense *d, void *mask, int64_t from, int64_t to, bool on)
{
	memset((uint8_t *)mask + (size_t)(from + DENSE_PAD) * id_bytes(d), on ? 0xff : 0,
	       (size_t)(to - from) * id_bytes(d));
}

/* For n pixels of a row, which begins there, and has so many more behind them; or of whole rows. */
static void make_masks(struct dense *d, size_t n, bool begins, uint32_t behind)
{
	const int64_t end = (int64_t)n, all = (int64_t)SPAN_PIXELS + DENSE_PAD;
	int64_t step = d->narrow ? d->width : end;

	behind = MIN(behind, 2u); /* no more are looked at */
	if (d->masks.n == n && d->masks.begins == begins && d->masks.behind == behind)
		return;
	d->masks.n = n;
	d->masks.begins = begins;
	d->masks.behind = behind;
	set_mask(d, d->masks.in_row, -DENSE_PAD, all, true);
	set_mask(d, d->masks.in_row, end + behind, all, false);
	set_mask(d, d->masks.inner, -DENSE_PAD, all, false);
	set_mask(d, d->masks.inner, 0, end, true);
	set_mask(d, d->masks.live, -DENSE_PAD, all, false);
	set_mask(d, d->masks.live, 0, end, true);
	for (int64_t i = 0; i < end; i += step) {
		if (begins) {
			set_mask(d, d->masks.in_row, i, i + 1, false);
			set_mask(d, d->masks.inner, i, i + 1, false);
		}
		if (!behind)
			set_mask(d, d->masks.inner, i + step - 1, i + step, false);
	}
}

/* The first of an id, or one beyond the columns where it was so far. */
static __attribute__((noinline)) void widen_box(struct dense *d, uint32_t id, uint32_t x, uint64_t index)
{
	struct columns_box *box = &d->boxes[id];

	if (class_set_role(d->classes_set, id) != ID_INVALID) {
		*box = (struct columns_box){ 0, UINT32_MAX };
	} else if (d->first[id] == NO_INDEX) {
		d->first[id] = index;
		*box = (struct columns_box){ x, 0 };
	} else {
		uint32_t x1 = MAX(box->x0 + box->more, x);

		box->x0 = MIN(box->x0, x);
		box->more = x1 - box->x0;
	}
}

static void offer_worst(struct dense *d, enum line line, uint32_t left, uint32_t id, uint32_t right, uint64_t index)
{
	uint64_t gap = left > right ? left - right : right - left;
	uint64_t key = gap << 48 | (WORST_INDEX_MASK - index) << 1 | (line == LINE_ROW);

	if (key > d->worst.key)
		d->worst = (struct worst_place){ key, left, id, right };
}

#define PIXEL   uint8_t
#define BITS    8
#define NAME(x) x##_8
#include "measure/fast_dense_template.inc"
#undef PIXEL
#undef BITS
#undef NAME
#define PIXEL   uint16_t
#define BITS    16
#define NAME(x) x##_16
#include "measure/fast_dense_template.inc"

static void add_span(struct dense *d, const uint8_t *p, size_t n, const struct dense_span *span)
{
	bool begins = span->x == 0;

	make_masks(d, n, begins, d->narrow ? 0 : d->width - span->x - (uint32_t)n);
	if (begins)
		memset(d->carry, 0, sizeof(d->carry));
	if (d->wide)
		add_span_16(d, (const uint16_t *)(const void *)p, n, span);
	else
		add_span_8(d, p, n, span);
}

static void add_part(struct dense *d, const uint8_t *p, size_t n, uint32_t x, uint32_t y)
{
	if (d->wide)
		add_part_16(d, (const uint16_t *)(const void *)p, n, x, y);
	else
		add_part_8(d, p, n, x, y);
}

static void end_row(struct dense *d, uint32_t y)
{
	struct content_pair below = content_rows(d->height - y - 1, 0), weight = content_minus(d->below, below);

	d->below = below;
	for (unsigned i = 0; i < 2; i++) {
		/* each id counts one more than it is */
		d->content[i] += (d->row_content[i] + d->all_columns.v[i]) * weight.v[i];
		d->row_content[i] = 0;
	}
}

/* Whole rows from the buffer's row on; the first and the last of the image are alone. Returns how many. */
static uint32_t add_rows(struct dense *d, uint32_t row, uint32_t rows)
{
	struct dense_span span = { .y = d->done, .first = d->done == 0 };
	size_t pixel = id_bytes(d);
	const uint8_t *p = row_at(d, row);

	span.inner = span.y > 0 && span.y + 1 < d->height;
	if (!d->narrow) {
		for (uint32_t n; span.x < d->width; span.x += n) {
			n = MIN(d->width - span.x, (uint32_t)SPAN_PIXELS);
			add_span(d, p + span.x * pixel, n, &span);
			add_part(d, p + span.x * pixel, n, span.x, span.y);
		}
		end_row(d, span.y);
		return 1;
	}
	rows = !span.inner ? 1 : MIN(MIN(rows, SPAN_PIXELS / d->width), d->height - 1 - span.y);
	add_span(d, p, (size_t)rows * d->width, &span);
	for (uint32_t i = 0; i < rows; i++) {
		add_part(d, p + i * d->width * pixel, d->width, 0, span.y + i);
		end_row(d, span.y + i);
	}
	return rows;
}

/* Measures all rows that have two below, and keeps what is still wanted. */
static void add_held(struct dense *d)
{
	uint32_t row = 2;

	while (row + 2 < d->held) {
		uint32_t n = add_rows(d, row, d->held - 2 - row);

		row += n;
		d->done += n;
	}
	memmove(row_at(d, 0), row_at(d, row - 2), (size_t)(d->held - row + 2) * d->width * id_bytes(d));
	d->held -= row - 2;
}

/* A row of the buffer that differs from another one everywhere. */
static void make_other(struct dense *d, uint32_t row, uint32_t from)
{
	uint8_t *out = row_at(d, row), *in = row_at(d, from);

	for (size_t i = 0; i < d->width * id_bytes(d); i++)
		out[i] = in[i] ^ 1;
}

void dense_add(struct dense *d, const void *ids)
{
	assert(d->y < d->height && d->held < d->room);
	memcpy(row_at(d, d->held++), ids, d->width * id_bytes(d));
	if (d->y++ == 0)
		make_other(d, 1, 2);
	if (d->held == d->room)
		add_held(d);
}

static void finish_id(struct dense *d, uint32_t id, struct label_stats *stats, struct batch *batch)
{
	unsigned bits = d->wide ? 16 : 8;
	struct id_stats row = { .id = id, .first_index = NO_INDEX };

	for (uint32_t i = 0; i < (d->wide ? DENSE_TABLES(16) : DENSE_TABLES(8)) * CLASSES; i++) {
		unsigned class[2] = { i & CLASS_BETWEEN, i >> CLASS_BITS & CLASS_BETWEEN };
		uint64_t n = d->counts[i << bits | id];

		row.labels += n;
		for (unsigned line = 0; line < 2; line++) {
			row.thin += class[line] >= CLASS_SHORT ? n : 0;
			row.lone[line] += class[line] >= CLASS_LONE ? n : 0;
			row.between[line] += class[line] == CLASS_BETWEEN ? n : 0;
		}
		if (class[LINE_ROW] == CLASS_BETWEEN || class[LINE_COLUMN] == CLASS_BETWEEN)
			stats->bogus_pixels += n;
	}
	if (!row.labels)
		return;
	if (d->first[id] != NO_INDEX) {
		row.first_index = d->first[id];
		row.x0 = d->boxes[id].x0;
		row.x1 = row.x0 + d->boxes[id].more;
		row.y0 = (uint32_t)(d->first[id] / d->width);
		row.y1 = (uint32_t)(d->last[id] / d->width);
	}
	if (stats->ids_count++ == 0)
		stats->min = id;
	stats->max = id;
	*batch_add_ids(batch, 1) = row;
}

void dense_end(struct dense *d, struct label_stats *stats, struct batch *batch)
{
	assert(d->y == d->height);
	/* there is room for two: add_held keeps four at most */
	if (d->held + 2 > d->room)
		add_held(d);
	make_other(d, d->held, d->held - 1);
	make_other(d, d->held + 1, d->held);
	d->held += 2;
	add_held(d);
	assert(d->done == d->height);
	stats->labels = (uint64_t)d->width * d->height;
	stats->width = d->width;
	stats->height = d->height;
	stats->colours = 0;
	stats->neighbours = 1;
	stats->ids_at = batch->ids_count;
	stats->ids_count = 0;
	stats->bogus_pixels = 0;
	for (uint32_t id = 0; id < (d->wide ? IDS_16 : IDS_8); id++)
		finish_id(d, id, stats, batch);
	memcpy(stats->edges, d->edges, sizeof(d->edges));
	memcpy(stats->wide_edges, d->wide_edges, sizeof(d->wide_edges));
	memcpy(stats->long_between, d->long_between, sizeof(d->long_between));
	memcpy(stats->content, d->content, sizeof(d->content));
	stats->worst = d->worst;
}
