#include "measure/array/array_mask.h"

#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"

enum {
	/* As for a PNG: the delta engine's weights fit 31 bits. */
	PIXELS_MAX = 1 << 28,
};

void array_mask_init(struct array_mask *m, const struct class_set *classes)
{
	memset(m, 0, sizeof(*m));
	m->delta = delta_new(classes, NULL);
}

void array_mask_release(struct array_mask *m)
{
	delta_free(m->delta);
	free(m->rows.bytes);
}

void array_mask_begin(struct array_mask *m, const struct array_header *array)
{
	uint64_t sides[2] = { 0, 0 }; /* the slower axis of the memory first */
	unsigned count = 0;

	for (unsigned i = 0; i < array->rank; i++) {
		if (array->shape[i] == 1)
			continue;
		if (count < 2)
			sides[array->fortran ? 1 - count : count] = array->shape[i];
		count++;
	}
	m->begun = m->no_memory = false;
	m->transposed = array->fortran;
	m->alive = count == 2 && sides[0] >= ARRAY_SIDE_MIN && sides[1] >= ARRAY_SIDE_MIN &&
		   sides[1] <= DELTA_WIDTH_MAX && array->elements <= PIXELS_MAX;
	if (!m->alive)
		return;
	m->height = (uint32_t)sides[0];
	m->width = (uint32_t)sides[1];
}

/* Begins with the engine, now that the first ids are known. */
static bool begin(struct array_mask *m, bool wide)
{
	m->begun = array_rows_begin(&m->rows, m->width, wide, DELTA_SLACK) &&
		   delta_begin(m->delta, m->width, m->height, wide);
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
		   (m->begun || begin(m, ids->used > 256));
	while (m->alive && next.n) {
		if (array_rows_fill(&m->rows, &next)) {
			array_rows_measure(&m->rows, m->delta);
			m->alive = !is_noise(m->delta);
		}
	}
}

static void swap_64(uint64_t pair[2])
{
	uint64_t first = pair[0];

	pair[0] = pair[1];
	pair[1] = first;
}

static void swap_32(uint32_t *a, uint32_t *b)
{
	uint32_t value = *a;

	*a = *b;
	*b = value;
}

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
	swap_32(&stats->width, &stats->height);
	swap_64(stats->edges);
	swap_64(stats->wide_edges);
	swap_64(stats->long_between);
	transpose_worst(&stats->worst, stats->width, stats->height);
	memset(stats->content, 0, sizeof(stats->content));
	for (uint64_t i = 0; i < stats->ids_count; i++) {
		swap_64(v[i].lone);
		swap_64(v[i].between);
		swap_32(&v[i].x0, &v[i].y0);
		swap_32(&v[i].x1, &v[i].y1);
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
