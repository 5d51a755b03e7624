/* The parts of the full engine that no instruction set changes: memory, rows, masks of spans, the end of an image. */
#include "measure/engine/full.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	NARROW = 256,              /* pixels; rows up to this width are measured several at a time */
	CONTEXT_ROWS = 4,          /* rows kept around those that are measured: two above, two below */
	WIDE_BYTES = 1 << 19,      /* longer rows are kept eight at a time, not 16: 12 MiB at most */
	WEIGHTS = 1 << 17,         /* columns whose content-key weights are kept; the others are computed each time */
	CONTENT_ROWS_AT_ONCE = 16, /* rows whose share of the content key is computed together */
};
_Static_assert(WEIGHTS % FULL_CHUNK_COLUMNS == 0, "a chunk's weights are all kept, or none");

struct full *full_new(const struct class_set *classes, const struct isa *isa)
{
	struct full *f = xcalloc(1, sizeof(*f));
	size_t lanes = (FULL_SPAN + 2 * FULL_PAD) * sizeof(uint16_t);

	f->class_set = classes;
	f->isa = isa ? isa : isa_best_full();
	f->masks.memory = xmalloc(3 * lanes);
	f->masks.in_row = f->masks.memory;
	f->masks.inner = (uint8_t *)f->masks.memory + lanes;
	f->masks.live = (uint8_t *)f->masks.memory + 2 * lanes;
	memset(f->masks.ones, 0xff, FULL_PAD);
	f->keys = xmalloc((FULL_SPAN + FULL_PAD) * sizeof(uint32_t));
	return f;
}

static void free_ids(struct full *f)
{
	free(f->ids.counts);
	free(f->ids.bboxes);
	free(f->ids.first);
}

void full_free(struct full *f)
{
	if (!f)
		return;
	free_ids(f);
	free(f->rows.memory);
	free(f->masks.memory);
	free(f->keys);
	free(f->ids.tables);
	free(f->columns.directions);
	free(f->columns.weights);
	free(f);
}

static size_t id_bytes(const struct full *f)
{
	return f->wide ? 2 : 1;
}

static uint8_t *row_at(const struct full *f, uint32_t row)
{
	return f->rows.memory + (FULL_PAD + (size_t)row * f->width) * id_bytes(f);
}

static uint32_t ids_end(const struct full *f)
{
	return f->wide ? IDS_16 : IDS_8;
}

static void begin_ids(struct full *f)
{
	const size_t table_bytes = (size_t)FULL_TABLES * CLASSES * IDS_8 * sizeof(*f->ids.tables);
	uint32_t n = ids_end(f);

	if (n > f->ids.cap) {
		free_ids(f);
		f->ids.counts = xmalloc((size_t)CLASSES * n * sizeof(*f->ids.counts));
		f->ids.bboxes = xmalloc(n * sizeof(*f->ids.bboxes));
		f->ids.first = xmalloc(n * sizeof(*f->ids.first));
		f->ids.cap = n;
	}
	memset(f->ids.counts, 0, (size_t)CLASSES * n * sizeof(*f->ids.counts));
	if (!f->ids.tables)
		f->ids.tables = xmalloc(table_bytes);
	memset(f->ids.tables, 0, table_bytes);
	f->ids.table_spans = 0;
	memset(f->ids.first, 0xff, n * sizeof(*f->ids.first));
	_Static_assert(NO_INDEX == UINT64_MAX, "memset above");
	f->ids.has_offenders = false;
	for (uint32_t id = 0; id < n; id++) {
		bool offender = class_set_role(f->class_set, id) == ID_INVALID;

		f->ids.has_offenders |= offender;
		if (id < IDS_8)
			f->ids.offenders[id] = offender;
		/* a box without columns, or with all of them */
		f->ids.bboxes[id] =
			offender ? (struct full_bbox){ UINT32_MAX, 0, 0 } : (struct full_bbox){ 0, UINT32_MAX, 0 };
	}
}

static bool begin_columns(struct full *f)
{
	uint32_t n = (MIN(f->width, (uint32_t)WEIGHTS) + GROUP_COLUMNS - 1) / GROUP_COLUMNS * GROUP_COLUMNS;

	if (n > f->columns.weights_count) {
		uint32_t from = f->columns.weights_count;

		f->columns.weights = xrealloc(f->columns.weights, n / GROUP_COLUMNS * sizeof(*f->columns.weights));
		f->isa->full.make_weights(f->columns.weights + from / GROUP_COLUMNS, from, (n - from) / GROUP_COLUMNS);
		f->columns.weights_count = n;
	}
	f->columns.all = content_columns(0, f->width);
	f->columns.below = content_rows(f->height, 0);
	size_t bytes = (f->width + (size_t)FULL_PAD) * id_bytes(f);

	f->columns.directions = mem_try_fit(f->columns.directions, &f->columns.directions_cap, bytes);
	if (!f->columns.directions)
		return false;
	memset(f->columns.directions, 0, bytes);
	return true;
}

bool full_begin(struct full *f, uint32_t width, uint32_t height, bool wide)
{
	assert(width > 0 && height > 0);
	/* f->ids.counts have 32 bits */
	if ((uint64_t)width * height > UINT32_MAX)
		return false;
	f->width = width;
	f->height = height;
	f->y = 0;
	f->wide = wide;
	f->narrow = width <= NARROW;
	/* moving the rows that are kept should cost little beside measuring */
	uint32_t spare = f->narrow ? 4 * (FULL_SPAN / width) : width * id_bytes(f) <= WIDE_BYTES ? 16 : 8;

	f->rows.max = spare + CONTEXT_ROWS;
	f->rows.memory = mem_try_fit(f->rows.memory, &f->rows.memory_cap,
				     ((size_t)f->rows.max * width + 2 * FULL_PAD) * id_bytes(f));
	if (!f->rows.memory || !begin_columns(f))
		return false;
	memset(f->rows.memory, 0, (2 * (size_t)width + FULL_PAD) * id_bytes(f));
	f->rows.held = 2;
	f->rows.done = 0;
	f->masks.n = 0;
	begin_ids(f);
	memset(&f->sums, 0, sizeof(f->sums));
	return true;
}

static void set_mask(const struct full *f, void *mask, int64_t from, int64_t to, bool on)
{
	memset((uint8_t *)mask + (size_t)(from + FULL_PAD) * id_bytes(f), on ? 0xff : 0,
	       (size_t)(to - from) * id_bytes(f));
}

/* Makes the masks for n pixels of a row, which begins there and has `after` more pixels; or for whole rows. */
static void make_masks(struct full *f, size_t n, bool begins, uint32_t after)
{
	const int64_t end = (int64_t)n, all = (int64_t)FULL_SPAN + FULL_PAD;
	int64_t step = f->narrow ? f->width : end;

	after = MIN(after, 2u); /* only two neighbours are looked at */
	if (f->masks.n == n && f->masks.begins == begins && f->masks.after == after)
		return;
	f->masks.n = n;
	f->masks.begins = begins;
	f->masks.after = after;
	set_mask(f, f->masks.in_row, -FULL_PAD, all, true);
	set_mask(f, f->masks.in_row, end + after, all, false);
	set_mask(f, f->masks.inner, -FULL_PAD, all, false);
	set_mask(f, f->masks.inner, 0, end, true);
	set_mask(f, f->masks.live, -FULL_PAD, all, false);
	set_mask(f, f->masks.live, 0, end, true);
	for (int64_t i = 0; i < end; i += step) {
		if (begins) {
			set_mask(f, f->masks.in_row, i, i + 1, false);
			set_mask(f, f->masks.inner, i, i + 1, false);
		}
		if (!after)
			set_mask(f, f->masks.inner, i + step - 1, i + step, false);
	}
}

void full_grow_bbox(struct full *f, uint32_t id, uint32_t x, uint64_t index)
{
	struct full_bbox *bbox = &f->ids.bboxes[id];

	if (f->ids.first[id] == NO_INDEX) {
		f->ids.first[id] = index;
		bbox->x0 = x;
		bbox->more = 0;
	} else {
		uint32_t x1 = MAX(bbox->x0 + bbox->more, x);

		bbox->x0 = MIN(bbox->x0, x);
		bbox->more = x1 - bbox->x0;
	}
}

void full_update_worst(struct full *f, enum line line, uint32_t left, uint32_t id, uint32_t right, uint64_t index)
{
	image_update_worst(&f->sums.worst, line, left, id, right, index);
}

/* Adds the tables of 8-bit ids to the counts, and clears them. */
static void fold_tables(struct full *f)
{
	const size_t keys = (size_t)CLASSES * IDS_8;

	for (size_t key = 0; key < keys; key++) {
		uint32_t n = 0;

		for (size_t t = 0; t < FULL_TABLES; t++)
			n += f->ids.tables[t * keys + key];
		f->ids.counts[key] += n;
	}
	memset(f->ids.tables, 0, FULL_TABLES * keys * sizeof(*f->ids.tables));
	f->ids.table_spans = 0;
}

static void measure_span(struct full *f, const uint8_t *p, size_t n, const struct full_span *span)
{
	bool begins = span->x == 0;

	make_masks(f, n, begins, f->narrow ? 0 : f->width - span->x - (uint32_t)n);
	if (begins)
		memset(f->carry, 0, sizeof(f->carry));
	f->isa->full.measure_span[f->wide](f, p, n, span);
	if (!f->wide && ++f->ids.table_spans == TABLE_SPANS)
		fold_tables(f);
}

/* Measures whole rows from `row` of the buffer on; the image's first and last row alone. Returns how many. */
static uint32_t measure_rows(struct full *f, uint32_t row, uint32_t rows)
{
	struct full_span span = { .y = f->rows.done, .rows = 1, .first = f->rows.done == 0 };
	size_t pixel = id_bytes(f);
	const uint8_t *p = row_at(f, row);

	span.inner = span.y > 0 && span.y + 1 < f->height;
	if (!f->narrow) {
		for (uint32_t n; span.x < f->width; span.x += n) {
			n = MIN(f->width - span.x, (uint32_t)FULL_SPAN);
			measure_span(f, p + span.x * pixel, n, &span);
		}
		return 1;
	}
	span.rows = !span.inner ? 1 : MIN(MIN(rows, FULL_SPAN / f->width), f->height - 1 - span.y);
	measure_span(f, p, (size_t)span.rows * f->width, &span);
	return span.rows;
}

/* Adds rows from `row` of the buffer and y of the image on to the content key, at most CONTENT_ROWS_AT_ONCE. */
static void add_content_rows(struct full *f, uint32_t row, uint32_t rows, uint32_t y)
{
	struct column_weights computed[FULL_CHUNK_COLUMNS / GROUP_COLUMNS];
	struct content_pair sums[CONTENT_ROWS_AT_ONCE];

	/* an id counts as id + 1 */
	for (uint32_t i = 0; i < rows; i++)
		sums[i] = f->columns.all;
	for (uint32_t x = 0, n; x < f->width; x += n) {
		const struct column_weights *parts = &f->columns.weights[x / GROUP_COLUMNS];

		n = MIN(f->width - x, (uint32_t)FULL_CHUNK_COLUMNS);
		if (x >= f->columns.weights_count) {
			f->isa->full.make_weights(computed, x, (n + GROUP_COLUMNS - 1) / GROUP_COLUMNS);
			parts = computed;
		}
		for (uint32_t i = 0; i < rows; i++)
			f->isa->full.sum_columns[f->wide](row_at(f, row + i) + x * id_bytes(f), n, parts, sums[i].v);
	}
	for (uint32_t i = 0; i < rows; i++) {
		struct content_pair below = content_rows(f->height - (y + i) - 1, 0),
				    weight = content_minus(f->columns.below, below);

		f->columns.below = below;
		f->sums.content[0] += sums[i].v[0] * weight.v[0];
		f->sums.content[1] += sums[i].v[1] * weight.v[1];
	}
}

/* Measures all rows that have two rows below them, and keeps the rows that their successors need. */
static void measure_held(struct full *f)
{
	uint32_t row = 2, first = f->rows.done;

	while (row + 2 < f->rows.held) {
		uint32_t n = measure_rows(f, row, f->rows.held - 2 - row);

		row += n;
		f->rows.done += n;
	}
	for (uint32_t i = 0, n; first + i < f->rows.done; i += n) {
		n = MIN(f->rows.done - first - i, (uint32_t)CONTENT_ROWS_AT_ONCE);
		add_content_rows(f, 2 + i, n, first + i);
	}
	memmove(row_at(f, 0), row_at(f, row - 2), (size_t)(f->rows.held - row + 2) * f->width * id_bytes(f));
	f->rows.held -= row - 2;
}

/* Makes a row of the buffer that differs from row `from` everywhere. */
static void make_different_row(struct full *f, uint32_t row, uint32_t from)
{
	uint8_t *out = row_at(f, row), *in = row_at(f, from);

	for (size_t i = 0; i < f->width * id_bytes(f); i++)
		out[i] = in[i] ^ 1;
}

void full_add_row(struct full *f, const void *ids)
{
	assert(f->y < f->height && f->rows.held < f->rows.max);
	memcpy(row_at(f, f->rows.held++), ids, f->width * id_bytes(f));
	if (f->y++ == 0)
		make_different_row(f, 1, 2);
	if (f->rows.held == f->rows.max)
		measure_held(f);
}

static void end_id(struct full *f, uint32_t id, struct label_stats *stats, struct batch *batch)
{
	unsigned bits = f->wide ? 16 : 8;
	struct id_stats row = { .id = id, .first_index = NO_INDEX };

	for (uint32_t i = 0; i < CLASSES; i++) {
		unsigned class[2] = { i & CLASS_BETWEEN, i >> CLASS_BITS & CLASS_BETWEEN };
		uint64_t n = f->ids.counts[(size_t)i << bits | id];

		row.labels += n;
		for (unsigned line = 0; line < 2; line++) {
			row.thin += class[line] >= CLASS_SHORT ? n : 0;
			row.lone[line] += class[line] >= CLASS_LONE ? n : 0;
			row.between[line] += class[line] == CLASS_BETWEEN ? n : 0;
		}
		if (class[LINE_ROW] == CLASS_BETWEEN || class[LINE_COLUMN] == CLASS_BETWEEN)
			stats->between_pixels += n;
	}
	if (!row.labels)
		return;
	if (f->ids.first[id] != NO_INDEX) {
		row.first_index = f->ids.first[id];
		row.x0 = f->ids.bboxes[id].x0;
		row.x1 = row.x0 + f->ids.bboxes[id].more;
		row.y0 = (uint32_t)(f->ids.first[id] / f->width);
		row.y1 = f->ids.bboxes[id].y1;
	}
	*image_end_id(stats, batch, id) = row;
}

void full_end(struct full *f, struct label_stats *stats, struct batch *batch)
{
	assert(f->y == f->height);
	/* afterwards two more rows fit: measure_held keeps at most four */
	if (f->rows.held + 2 > f->rows.max)
		measure_held(f);
	make_different_row(f, f->rows.held, f->rows.held - 1);
	make_different_row(f, f->rows.held + 1, f->rows.held);
	f->rows.held += 2;
	measure_held(f);
	assert(f->rows.done == f->height);
	if (!f->wide)
		fold_tables(f);
	image_end(stats, batch, f->width, f->height, &f->sums);
	for (uint32_t id = 0; id < ids_end(f); id++)
		end_id(f, id, stats, batch);
}
