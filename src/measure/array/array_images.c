#include "measure/array/array_images.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"

enum {
	/* As for a PNG: the delta engine's weights fit 31 bits. */
	MASK_PIXELS_MAX = 1 << 28,
	STACK_IDS = 256,
	/*
	 * Ids change up to three times as often across a road or a retina as along it, and ten times as often between
	 * the masks of different images as within each of them.
	 */
	AXES_UNLIKE = 4,
	/* Longer rows are not those of an image. */
	COLOUR_ROW_BYTES_MAX = 1 << 22,
};

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* Begins with rows of `length` ids. slack: ids that may be read after a row. Returns false if there is no memory. */
static bool rows_begin(struct array_rows *r, size_t length, bool wide, size_t slack)
{
	r->stride = (length + slack) * (wide ? 2 : 1);
	r->length = length;
	r->wide = wide;
	r->filled = 0;
	r->y = 0;
	r->bytes = mem_try_fit(r->bytes, &r->cap, 2 * r->stride);
	return r->bytes;
}

static uint8_t *rows_at(const struct array_rows *r, uint32_t y)
{
	return r->bytes + y % 2 * r->stride;
}

/* Moves elements to the current row. Returns whether it is complete; then rows_end must follow. */
static bool rows_fill(struct array_rows *r, struct array_elements *from)
{
	size_t piece = MIN(from->n, r->length - r->filled);

	elements_narrow(rows_at(r, r->y) + r->filled * (r->wide ? 2 : 1), r->wide, from, piece);
	r->filled += piece;
	return r->filled == r->length;
}

static void rows_end(struct array_rows *r)
{
	r->filled = 0;
	r->y++;
}

/* Measures the complete row and ends it. */
static void rows_measure(struct array_rows *r, struct delta *delta)
{
	const uint8_t *row = rows_at(r, r->y);

	if (r->y && memcmp(row, rows_at(r, r->y + 1), r->length * (r->wide ? 2 : 1)) == 0)
		delta_repeat_row(delta);
	else
		delta_add_ids(delta, row);
	rows_end(r);
}

/* ---- masks ------------------------------------------------------------------------------------------------------ */

void array_mask_init(struct array_mask *m, const struct class_set *classes)
{
	*m = (struct array_mask){ .delta = delta_new(classes, NULL) };
}

void array_mask_release(struct array_mask *m)
{
	delta_free(m->delta);
	free(m->rows.bytes);
}

/*
 * Fills sides with the lengths of the two fastest axes, the slower one first, ignoring axes of length 1. Returns the
 * number of axes.
 */
static unsigned fastest_axes(const struct array_header *array, uint64_t sides[2])
{
	unsigned count = 0;

	for (unsigned i = 0; i < array->rank; i++) {
		const uint64_t length = array->shape[array->fortran ? i : array->rank - 1 - i];

		if (length == 1)
			continue;
		if (count < 2)
			sides[1 - count] = length;
		count++;
	}
	return count;
}

void array_mask_begin(struct array_mask *m, const struct array_header *array)
{
	uint64_t sides[2] = { 0, 0 };
	const unsigned count = fastest_axes(array, sides);

	m->begun = m->no_memory = false;
	m->transposed = array->fortran;
	m->alive = count == 2 && sides[0] >= ARRAY_SIDE_MIN && sides[1] >= ARRAY_SIDE_MIN &&
		   sides[1] <= DELTA_WIDTH_MAX && array->elements <= MASK_PIXELS_MAX;
	if (!m->alive)
		return;
	m->height = (uint32_t)sides[0];
	m->width = (uint32_t)sides[1];
}

/* Begins with the engine, now that the first ids are known. */
static bool begin_mask(struct array_mask *m, bool wide)
{
	m->begun =
		rows_begin(&m->rows, m->width, wide, DELTA_SLACK) && delta_begin(m->delta, m->width, m->height, wide);
	m->no_memory = GUARD(array_without_memory, !m->begun);
	return m->begun;
}

/* Returns whether the rows measured so far are noise. */
static bool is_noise(const struct delta *s)
{
	uint64_t pixels = (uint64_t)s->y * s->width;

	return pixels >= ARRAY_NOISE_PIXELS && delta_row_edges(s) > pixels / 2;
}

void array_mask_add(struct array_mask *m, const struct id_counter *ids, struct array_elements next)
{
	if (!m->alive)
		return;
	m->alive = !ids->slots_count && (!m->begun || m->rows.wide || ids->used <= 256) &&
		   (m->begun || begin_mask(m, ids->used > 256));
	while (m->alive && next.n) {
		if (rows_fill(&m->rows, &next)) {
			rows_measure(&m->rows, m->delta);
			m->alive = !is_noise(m->delta);
		}
	}
}

#define SWAP(type, a, b)          \
	do {                      \
		type value = (a); \
		(a) = (b);        \
		(b) = value;      \
	} while (0)

static void transpose_worst(struct worst_place *worst, uint32_t width, uint32_t height)
{
	if (!worst->key)
		return;
	uint64_t index = worst_key_index(worst->key); /* x * height + y */

	index = index % height * width + index / height;
	worst->key = worst_key(worst_key_gap(worst->key), index, ~worst->key & 1); /* a row becomes a column */
}

static void transpose_stats(const struct id_counter *ids, struct label_stats *stats, struct id_stats *v)
{
	SWAP(uint32_t, stats->width, stats->height);
	SWAP(uint64_t, stats->edges[0], stats->edges[1]);
	SWAP(uint64_t, stats->wide_edges[0], stats->wide_edges[1]);
	SWAP(uint64_t, stats->long_between[0], stats->long_between[1]);
	transpose_worst(&stats->worst, stats->width, stats->height);
	memset(stats->content, 0, sizeof(stats->content));
	for (uint64_t i = 0; i < stats->ids_count; i++) {
		SWAP(uint64_t, v[i].lone[0], v[i].lone[1]);
		SWAP(uint64_t, v[i].between[0], v[i].between[1]);
		SWAP(uint32_t, v[i].x0, v[i].y0);
		SWAP(uint32_t, v[i].x1, v[i].y1);
		if (v[i].first_index != NO_INDEX)
			v[i].first_index = id_counter_first(ids, v[i].id);
	}
}

bool array_has_regions(const struct id_stats *rows, uint64_t n)
{
	const struct id_stats *most = rows;
	uint64_t labels = 0, thin = 0; /* a label counts as thin up to twice, once a direction */

	for (uint64_t i = 0; i < n; i++) {
		labels += rows[i].labels;
		thin += rows[i].thin;
		if (rows[i].labels > most->labels)
			most = &rows[i];
	}
	return n < 3 || thin - most->thin <= labels - most->labels;
}

bool array_mask_end(struct array_mask *m, const struct id_counter *ids, struct label_stats *stats, struct batch *batch)
{
	if (!m->alive)
		return false;
	delta_end(m->delta);
	if (is_noise(m->delta))
		return false;
	delta_finish(m->delta, stats, batch);
	if (!array_has_regions(batch->ids + stats->ids_at, stats->ids_count))
		stats->neighbours = 0;
	if (m->transposed)
		transpose_stats(ids, stats, batch->ids + stats->ids_at);
	return true;
}

/* ---- stacks ----------------------------------------------------------------------------------------------------- */

void array_stack_init(struct array_stack *s, const struct class_set *classes)
{
	*s = (struct array_stack){ .classes = classes };
}

void array_stack_release(struct array_stack *s)
{
	delta_free(s->delta);
	batch_release(&s->plane);
	free(s->ids);
	free(s->rows.bytes);
}

static bool begin_memory(struct array_stack *s)
{
	if (!s->delta) {
		s->delta = delta_new(s->classes, NULL);
		s->ids = xcalloc(STACK_IDS, sizeof(*s->ids));
	}
	memset(s->ids, 0, STACK_IDS * sizeof(*s->ids));
	/* allocates the engine's memory, which suffices for every plane */
	return rows_begin(&s->rows, s->width, false, DELTA_SLACK) && delta_begin(s->delta, s->width, s->height, false);
}

void array_stack_begin(struct array_stack *s, const struct array_header *array)
{
	uint64_t sides[2] = { 0, 0 };
	const unsigned count = fastest_axes(array, sides);
	const uint64_t height = sides[0], width = sides[1];

	s->array = array;
	s->no_memory = false;
	s->alive = count >= 3 && height >= ARRAY_SIDE_MIN && width >= ARRAY_SIDE_MIN && height <= DELTA_WIDTH_MAX &&
		   width <= DELTA_WIDTH_MAX && array->elements <= WORST_INDEX_MASK;
	if (!s->alive)
		return;
	s->height = (uint32_t)height;
	s->width = (uint32_t)width;
	s->planes = array->elements / height / width;
	s->at = s->used = 0;
	memset(&s->sum, 0, sizeof(s->sum));
	s->alive = begin_memory(s);
	s->no_memory = !s->alive;
}

/* Converts the index in the plane to one in the array. */
static void add_worst(struct array_stack *s, const struct worst_place *worst)
{
	uint64_t index = worst_key_index(worst->key), gap = worst_key_gap(worst->key);

	if (!worst->key || gap < worst_key_gap(s->sum.worst.key))
		return;
	index += s->at * s->width * s->height;

	uint64_t key = worst_key(gap, array_place(s->array, index), worst->key & 1);

	if (key <= s->sum.worst.key)
		return;
	s->sum.worst = *worst;
	s->sum.worst.key = key;
}

static void add_plane(struct array_stack *s)
{
	struct label_stats stats;

	memset(&stats, 0, sizeof(stats));
	delta_end(s->delta);
	delta_finish(s->delta, &stats, &s->plane);
	for (unsigned d = 0; d < 2; d++) {
		s->sum.edges[d] += stats.edges[d];
		s->sum.wide_edges[d] += stats.wide_edges[d];
		s->sum.long_between[d] += stats.long_between[d];
	}
	s->sum.between_pixels += stats.between_pixels;
	s->used += stats.ids_count > 1;
	for (uint64_t i = 0; i < stats.ids_count; i++) {
		const struct id_stats *row = &s->plane.ids[i];
		struct stack_id *id = &s->ids[row->id];

		id->thin += row->thin;
		for (unsigned d = 0; d < 2; d++) {
			id->lone[d] += row->lone[d];
			id->between[d] += row->between[d];
		}
	}
	add_worst(s, &stats.worst);
	batch_clear(&s->plane);
	s->at++;
	s->rows.y = 0;

	uint64_t labels = s->at * s->width * s->height;

	s->alive = labels < ARRAY_NOISE_PIXELS || s->sum.edges[LINE_ROW] <= labels / 2;
}

static void end_row(struct array_stack *s)
{
	if (!s->rows.y) {
		bool has_memory = delta_begin(s->delta, s->width, s->height, false);

		assert(has_memory);
		(void)has_memory;
	}
	rows_measure(&s->rows, s->delta);
	if (s->rows.y == s->height)
		add_plane(s);
}

void array_stack_add(struct array_stack *s, const struct id_counter *ids, struct array_elements next)
{
	s->alive = s->alive && !ids->slots_count && ids->used <= STACK_IDS;
	while (s->alive && next.n)
		if (rows_fill(&s->rows, &next))
			end_row(s);
}

/* Returns whether ids change about as often along rows as along columns, per pair of neighbours. */
static bool axes_are_alike(const struct array_stack *s)
{
	double rows = (double)s->sum.edges[LINE_ROW] / (s->width - 1.0),
	       columns = (double)s->sum.edges[LINE_COLUMN] / (s->height - 1.0);

	rows /= s->height;
	columns /= s->width;
	return rows <= AXES_UNLIKE * columns && columns <= AXES_UNLIKE * rows;
}

void array_stack_end(struct array_stack *s, struct label_stats *stats, struct id_stats *rows)
{
	if (!s->alive || !axes_are_alike(s))
		return;
	stats->planes = (uint32_t)MIN(MAX(s->used, (uint64_t)1), (uint64_t)UINT32_MAX);
	image_put_sums(stats, &s->sum);
	for (uint64_t i = 0; i < stats->ids_count; i++) {
		const struct stack_id *id = &s->ids[rows[i].id];

		rows[i].thin = id->thin;
		memcpy(rows[i].lone, id->lone, sizeof(id->lone));
		memcpy(rows[i].between, id->between, sizeof(id->between));
	}
	stats->neighbours = array_has_regions(rows, stats->ids_count);
}

/* ---- images ----------------------------------------------------------------------------------------------------- */

void array_colours_release(struct array_colours *c)
{
	colour_measurer_free(c->measurer);
	free(c->rows.bytes);
}

void array_colours_begin(struct array_colours *c, const struct array_header *a)
{
	unsigned last = a->rank - 1u;
	uint64_t width, height;

	c->alive = c->no_memory = false;
	if (a->fortran || (a->rank != 3 && a->rank != 4) || (a->shape[last] != 3 && a->shape[last] != 4))
		return;
	width = a->shape[last - 1];
	if (width < ARRAY_SIDE_MIN || width > COLOUR_ROW_BYTES_MAX / 4 || a->shape[last - 2] < ARRAY_SIDE_MIN)
		return;
	height = a->elements / a->shape[last] / width;
	if (!height || height > UINT32_MAX)
		return;
	c->stacked = a->rank == 4;
	c->channels = (unsigned)a->shape[last];
	c->width = (uint32_t)width;
	c->height = (uint32_t)height;
	c->no_memory = !rows_begin(&c->rows, width * c->channels, false, COLOUR_SLACK);
	if (c->no_memory)
		return;
	if (!c->measurer)
		c->measurer = colour_measurer_new();
	colour_measurer_begin(c->measurer, &(struct png_header){ .width = c->width,
								 .height = c->height,
								 .bit_depth = 8,
								 .channels = (uint8_t)c->channels });
	c->alive = true;
}

void array_colours_add(struct array_colours *c, const struct id_counter *ids, struct array_elements next)
{
	c->alive = c->alive && !ids->slots_count && ids->used <= 256;
	while (c->alive && next.n) {
		struct array_rows *r = &c->rows;

		if (!rows_fill(r, &next))
			break;
		colour_measurer_add(c->measurer, r->y ? rows_at(r, r->y - 1) : NULL);
		rows_end(r);
	}
}

static bool has_invalid(const struct id_counter *ids)
{
	for (uint32_t id = 0; id < ids->used; id++)
		if (ids->labels[id] && class_set_role(ids->classes, id) == ID_INVALID)
			return true;
	return false;
}

bool array_colours_end(struct array_colours *c, const struct id_counter *ids, bool may_be_classes,
		       struct label_stats *stats, struct batch *batch)
{
	size_t count = batch->ids_count;
	struct label_stats image;

	if (!c->alive)
		return false;
	colour_measurer_end(c->measurer, rows_at(&c->rows, c->height - 1), &image, batch);

	const struct channel_stats *facts = &image.channels;
	bool equal = !facts->unequal_pixels, all_zeros = !facts->peak && !facts->alpha_max;
	bool is_image = equal || (!may_be_classes && (facts->peak == 1 || has_invalid(ids)));

	if (!is_image || all_zeros || facts->alpha_min != facts->alpha_max) {
		batch->ids_count = count;
		return false;
	}
	if (c->stacked)
		image.width = image.height = 0;
	*stats = image;
	return true;
}
