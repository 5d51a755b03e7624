#include "measure/engine/full.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/engine/full_parts.h"

enum {
	IDS_8 = 256,
	IDS_16 = 65536,
	/* Rows up to this are taken several at a time. */
	NARROW = 256,
	/* Rows that are kept beside those that are measured: two above and two below. */
	CONTEXT_ROWS = 4,
	/* Rows of more bytes are kept eight at a time, not 16: 12 MiB at most. */
	WIDE_BYTES = 1 << 19,
	/* Weights of the content key that are kept; of columns beyond, they are computed each time. */
	WEIGHTS = 1 << 17,
	/* Rows whose share of the content key is computed together. */
	CONTENT_ROWS_AT_ONCE = 16,
};
_Static_assert(WEIGHTS % CHUNK_COLUMNS == 0, "a chunk's weights are all kept, or none");

const struct full_code *const full_codes[] = {
#if defined(__x86_64__)
	&full_avx2,
#endif
	&full_generic,
};
const size_t full_codes_count = ARRAY_SIZE(full_codes);

static const struct full_code *best_code(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(full_codes); i++)
		if (full_codes[i]->usable())
			return full_codes[i];
	return &full_generic; /* always usable */
}

struct full *full_new(const struct class_set *classes, const struct full_code *code)
{
	struct full *d = xcalloc(1, sizeof(*d));
	size_t lanes = (SPAN_PIXELS + 2 * FULL_PAD) * sizeof(uint16_t);

	d->classes_set = classes;
	d->code = code ? code : best_code();
	d->masks_memory = xmalloc(3 * lanes);
	d->masks.in_row = d->masks_memory;
	d->masks.inner = (uint8_t *)d->masks_memory + lanes;
	d->masks.live = (uint8_t *)d->masks_memory + 2 * lanes;
	memset(d->ones, 0xff, FULL_PAD);
	d->keys = xmalloc((SPAN_PIXELS + FULL_PAD) * sizeof(uint32_t));
	return d;
}

static void free_ids(struct full *d)
{
	free(d->counts);
	free(d->places);
	free(d->first);
}

void full_free(struct full *d)
{
	if (!d)
		return;
	free_ids(d);
	free(d->memory);
	free(d->masks_memory);
	free(d->keys);
	free(d->tables);
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

static size_t id_bytes(const struct full *d)
{
	return d->wide ? 2 : 1;
}

static uint8_t *row_at(const struct full *d, uint32_t row)
{
	return d->memory + (FULL_PAD + (size_t)row * d->width) * id_bytes(d);
}

static uint32_t ids_end(const struct full *d)
{
	return d->wide ? IDS_16 : IDS_8;
}

static void begin_ids(struct full *d)
{
	const size_t table_bytes = (size_t)FULL_TABLES * CLASSES * IDS_8 * sizeof(*d->tables);
	uint32_t n = ids_end(d);

	if (n > d->ids_cap) {
		free_ids(d);
		d->counts = xmalloc((size_t)CLASSES * n * sizeof(*d->counts));
		d->places = xmalloc(n * sizeof(*d->places));
		d->first = xmalloc(n * sizeof(*d->first));
		d->ids_cap = n;
	}
	memset(d->counts, 0, (size_t)CLASSES * n * sizeof(*d->counts));
	if (!d->tables)
		d->tables = xmalloc(table_bytes);
	memset(d->tables, 0, table_bytes);
	d->table_spans = 0;
	memset(d->first, 0xff, n * sizeof(*d->first));
	_Static_assert(NO_INDEX == UINT64_MAX, "memset above");
	d->has_others = false;
	for (uint32_t id = 0; id < n; id++) {
		bool other = class_set_role(d->classes_set, id) == ID_INVALID;

		d->has_others |= other;
		if (id < IDS_8)
			d->others[id] = other;
		/* no column is in it, or all are */
		d->places[id] =
			other ? (struct full_place){ UINT32_MAX, 0, 0 } : (struct full_place){ 0, UINT32_MAX, 0 };
	}
}

static bool begin_columns(struct full *d)
{
	uint32_t n = (MIN(d->width, (uint32_t)WEIGHTS) + GROUP_COLUMNS - 1) / GROUP_COLUMNS * GROUP_COLUMNS;

	if (n > d->columns_count) {
		uint32_t from = d->columns_count;

		d->columns = xrealloc(d->columns, n / GROUP_COLUMNS * sizeof(*d->columns));
		d->code->make_parts(d->columns + from / GROUP_COLUMNS, from, (n - from) / GROUP_COLUMNS);
		d->columns_count = n;
	}
	d->all_columns = content_columns(0, d->width);
	d->below = content_rows(d->height, 0);
	size_t bytes = (d->width + (size_t)FULL_PAD) * id_bytes(d);

	if (!grow(&d->directions, &d->directions_cap, bytes))
		return false;
	memset(d->directions, 0, bytes);
	return true;
}

bool full_begin(struct full *d, uint32_t width, uint32_t height, bool wide)
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
	uint32_t spare = d->narrow ? 4 * (SPAN_PIXELS / width) : width * id_bytes(d) <= WIDE_BYTES ? 16 : 8;
	void *memory = d->memory;

	d->room = spare + CONTEXT_ROWS;
	bool got = grow(&memory, &d->memory_cap, ((size_t)d->room * width + 2 * FULL_PAD) * id_bytes(d));

	d->memory = memory;
	if (!got || !begin_columns(d))
		return false;
	memset(d->memory, 0, (2 * (size_t)width + FULL_PAD) * id_bytes(d));
	d->held = 2;
	d->done = 0;
	d->masks.n = 0;
	begin_ids(d);
	memset(d->edges, 0, sizeof(d->edges));
	memset(d->wide_edges, 0, sizeof(d->wide_edges));
	memset(d->long_between, 0, sizeof(d->long_between));
	memset(d->content, 0, sizeof(d->content));
	memset(&d->worst, 0, sizeof(d->worst));
	return true;
}

static void set_mask(const struct full *d, void *mask, int64_t from, int64_t to, bool on)
{
	memset((uint8_t *)mask + (size_t)(from + FULL_PAD) * id_bytes(d), on ? 0xff : 0,
	       (size_t)(to - from) * id_bytes(d));
}

/* For n pixels of a row, which begins there, and has so many more behind them; or of whole rows. */
static void make_masks(struct full *d, size_t n, bool begins, uint32_t behind)
{
	const int64_t end = (int64_t)n, all = (int64_t)SPAN_PIXELS + FULL_PAD;
	int64_t step = d->narrow ? d->width : end;

	behind = MIN(behind, 2u); /* no more are looked at */
	if (d->masks.n == n && d->masks.begins == begins && d->masks.behind == behind)
		return;
	d->masks.n = n;
	d->masks.begins = begins;
	d->masks.behind = behind;
	set_mask(d, d->masks.in_row, -FULL_PAD, all, true);
	set_mask(d, d->masks.in_row, end + behind, all, false);
	set_mask(d, d->masks.inner, -FULL_PAD, all, false);
	set_mask(d, d->masks.inner, 0, end, true);
	set_mask(d, d->masks.live, -FULL_PAD, all, false);
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

void full_grow_bbox(struct full *d, uint32_t id, uint32_t x, uint64_t index)
{
	struct full_place *place = &d->places[id];

	if (d->first[id] == NO_INDEX) {
		d->first[id] = index;
		place->x0 = x;
		place->more = 0;
	} else {
		uint32_t x1 = MAX(place->x0 + place->more, x);

		place->x0 = MIN(place->x0, x);
		place->more = x1 - place->x0;
	}
}

void full_update_worst(struct full *d, enum line line, uint32_t left, uint32_t id, uint32_t right, uint64_t index)
{
	uint64_t gap = left > right ? left - right : right - left;
	uint64_t key = gap << 48 | (WORST_INDEX_MASK - index) << 1 | (line == LINE_ROW);

	if (key > d->worst.key)
		d->worst = (struct worst_place){ key, left, id, right };
}

/* Empties the tables of 8-bit ids. */
static void add_tables(struct full *d)
{
	const size_t keys = (size_t)CLASSES * IDS_8;

	for (size_t key = 0; key < keys; key++) {
		uint32_t n = 0;

		for (size_t t = 0; t < FULL_TABLES; t++)
			n += d->tables[t * keys + key];
		d->counts[key] += n;
	}
	memset(d->tables, 0, FULL_TABLES * keys * sizeof(*d->tables));
	d->table_spans = 0;
}

static void add_span(struct full *d, const uint8_t *p, size_t n, const struct full_span *span)
{
	bool begins = span->x == 0;

	make_masks(d, n, begins, d->narrow ? 0 : d->width - span->x - (uint32_t)n);
	if (begins)
		memset(d->carry, 0, sizeof(d->carry));
	d->code->add_span[d->wide](d, p, n, span);
	if (!d->wide && ++d->table_spans == TABLE_SPANS)
		add_tables(d);
}

/* Whole rows from the buffer's row on; the first and the last of the image are alone. Returns how many. */
static uint32_t add_rows(struct full *d, uint32_t row, uint32_t rows)
{
	struct full_span span = { .y = d->done, .rows = 1, .first = d->done == 0 };
	size_t pixel = id_bytes(d);
	const uint8_t *p = row_at(d, row);

	span.inner = span.y > 0 && span.y + 1 < d->height;
	if (!d->narrow) {
		for (uint32_t n; span.x < d->width; span.x += n) {
			n = MIN(d->width - span.x, (uint32_t)SPAN_PIXELS);
			add_span(d, p + span.x * pixel, n, &span);
		}
		return 1;
	}
	span.rows = !span.inner ? 1 : MIN(MIN(rows, SPAN_PIXELS / d->width), d->height - 1 - span.y);
	add_span(d, p, (size_t)span.rows * d->width, &span);
	return span.rows;
}

/* The share of the content key of rows from the buffer's on, at most CONTENT_ROWS_AT_ONCE; y: the first of them. */
static void add_content(struct full *d, uint32_t row, uint32_t rows, uint32_t y)
{
	struct column_parts room[CHUNK_COLUMNS / GROUP_COLUMNS];
	struct content_pair sums[CONTENT_ROWS_AT_ONCE];

	/* each id counts one more than it is */
	for (uint32_t i = 0; i < rows; i++)
		sums[i] = d->all_columns;
	for (uint32_t x = 0, n; x < d->width; x += n) {
		const struct column_parts *parts = &d->columns[x / GROUP_COLUMNS];

		n = MIN(d->width - x, (uint32_t)CHUNK_COLUMNS);
		if (x >= d->columns_count) {
			d->code->make_parts(room, x, (n + GROUP_COLUMNS - 1) / GROUP_COLUMNS);
			parts = room;
		}
		for (uint32_t i = 0; i < rows; i++)
			d->code->sum_columns[d->wide](row_at(d, row + i) + x * id_bytes(d), n, parts, sums[i].v);
	}
	for (uint32_t i = 0; i < rows; i++) {
		struct content_pair below = content_rows(d->height - (y + i) - 1, 0),
				    weight = content_minus(d->below, below);

		d->below = below;
		d->content[0] += sums[i].v[0] * weight.v[0];
		d->content[1] += sums[i].v[1] * weight.v[1];
	}
}

/* Measures all rows that have two below, and keeps what is still wanted. */
static void add_held(struct full *d)
{
	uint32_t row = 2, first = d->done;

	while (row + 2 < d->held) {
		uint32_t n = add_rows(d, row, d->held - 2 - row);

		row += n;
		d->done += n;
	}
	for (uint32_t i = 0, n; first + i < d->done; i += n) {
		n = MIN(d->done - first - i, (uint32_t)CONTENT_ROWS_AT_ONCE);
		add_content(d, 2 + i, n, first + i);
	}
	memmove(row_at(d, 0), row_at(d, row - 2), (size_t)(d->held - row + 2) * d->width * id_bytes(d));
	d->held -= row - 2;
}

/* A row of the buffer that differs from another one everywhere. */
static void make_other(struct full *d, uint32_t row, uint32_t from)
{
	uint8_t *out = row_at(d, row), *in = row_at(d, from);

	for (size_t i = 0; i < d->width * id_bytes(d); i++)
		out[i] = in[i] ^ 1;
}

void full_add_row(struct full *d, const void *ids)
{
	assert(d->y < d->height && d->held < d->room);
	memcpy(row_at(d, d->held++), ids, d->width * id_bytes(d));
	if (d->y++ == 0)
		make_other(d, 1, 2);
	if (d->held == d->room)
		add_held(d);
}

static void finish_id(struct full *d, uint32_t id, struct label_stats *stats, struct batch *batch)
{
	unsigned bits = d->wide ? 16 : 8;
	struct id_stats row = { .id = id, .first_index = NO_INDEX };

	for (uint32_t i = 0; i < CLASSES; i++) {
		unsigned class[2] = { i & CLASS_BETWEEN, i >> CLASS_BITS & CLASS_BETWEEN };
		uint64_t n = d->counts[(size_t)i << bits | id];

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
		row.x0 = d->places[id].x0;
		row.x1 = row.x0 + d->places[id].more;
		row.y0 = (uint32_t)(d->first[id] / d->width);
		row.y1 = d->places[id].y1;
	}
	if (stats->ids_count++ == 0)
		stats->min = id;
	stats->max = id;
	*batch_add_ids(batch, 1) = row;
}

void full_end(struct full *d, struct label_stats *stats, struct batch *batch)
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
	if (!d->wide)
		add_tables(d);
	stats->labels = (uint64_t)d->width * d->height;
	stats->width = d->width;
	stats->height = d->height;
	stats->colours = 0;
	stats->neighbours = 1;
	stats->ids_at = batch->ids_count;
	stats->ids_count = 0;
	stats->bogus_pixels = 0;
	for (uint32_t id = 0; id < ids_end(d); id++)
		finish_id(d, id, stats, batch);
	memcpy(stats->edges, d->edges, sizeof(d->edges));
	memcpy(stats->wide_edges, d->wide_edges, sizeof(d->wide_edges));
	memcpy(stats->long_between, d->long_between, sizeof(d->long_between));
	memcpy(stats->content, d->content, sizeof(d->content));
	stats->worst = d->worst;
}
