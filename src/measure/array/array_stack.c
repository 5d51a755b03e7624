#include "measure/array/array_stack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/array/array_mask.h"

enum {
	IDS = 256,
	/*
	 * Ids change up to three times as often across a road or a retina as along it, and ten times as often between
	 * the masks of different images as within each of them.
	 */
	AXES_UNLIKE = 4,
};

void array_stack_init(struct array_stack *s, const struct class_set *classes)
{
	memset(s, 0, sizeof(*s));
	s->classes = classes;
	batch_init(&s->plane);
}

void array_stack_release(struct array_stack *s)
{
	delta_free(s->delta);
	batch_release(&s->plane);
	free(s->ids);
	free(s->rows.bytes);
	free(s->gathered);
}

/*
 * Fills lengths with those of the three fastest axes, the slowest first, ignoring axes of length 1. Returns the number
 * of axes; 4 stands for more.
 */
static unsigned axis_lengths(const struct array_header *array, uint64_t lengths[3])
{
	unsigned count = 0;

	for (unsigned i = 0; i < array->rank && count < 4; i++) {
		uint64_t length = array->shape[array->fortran ? i : array->rank - 1 - i]; /* the fastest first */

		if (length == 1)
			continue;
		if (count < 3)
			lengths[2 - count] = length;
		count++;
	}
	return count;
}

static bool begin_memory(struct array_stack *s)
{
	if (!s->delta) {
		s->delta = delta_new(s->classes, NULL);
		s->ids = xcalloc(IDS, sizeof(*s->ids));
	}
	if (s->is_strided && s->gathered_cap < s->array->elements) {
		free(s->gathered);
		s->gathered = mem_try_zero(s->array->elements, 1);
		s->gathered_cap = s->gathered ? s->array->elements : 0;
	}
	memset(s->ids, 0, IDS * sizeof(*s->ids));
	/* allocates the engine's memory, which suffices for every plane */
	return array_rows_begin(&s->rows, s->width, false, DELTA_SLACK) && (s->gathered || !s->is_strided) &&
	       delta_begin(s->delta, s->width, s->height, false);
}

void array_stack_begin(struct array_stack *s, const struct array_header *array)
{
	uint64_t lengths[3] = { 0, 0, 0 };
	unsigned count = axis_lengths(array, lengths);

	s->array = array;
	s->no_memory = false;
	s->is_strided = count == 3 &&
			(lengths[2] < ARRAY_SIDE_MIN || (lengths[0] == lengths[1] && lengths[1] != lengths[2])) &&
			array->elements <= STACK_GATHERED_MAX;

	uint64_t height = lengths[!s->is_strided], width = lengths[1 + !s->is_strided];

	s->alive = count >= 3 && height >= ARRAY_SIDE_MIN && width >= ARRAY_SIDE_MIN && height <= DELTA_WIDTH_MAX &&
		   width <= DELTA_WIDTH_MAX && array->elements <= WORST_INDEX_MASK;
	if (!s->alive)
		return;
	s->height = (uint32_t)height;
	s->width = (uint32_t)width;
	s->planes = array->elements / height / width;
	s->at = s->used = s->index = 0;
	memset(&s->sum, 0, sizeof(s->sum));
	s->alive = begin_memory(s);
	s->no_memory = !s->alive;
}

/* ---- planes ----------------------------------------------------------------------------------------------------- */

/* Converts the index in the plane to one in the array. */
static void add_worst(struct array_stack *s, const struct worst_place *worst)
{
	uint64_t index = worst_key_index(worst->key), gap = worst_key_gap(worst->key);

	if (!worst->key || gap < worst_key_gap(s->sum.worst.key))
		return;
	index = s->is_strided ? index * s->planes + s->at : s->at * s->width * s->height + index;

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
	array_rows_measure(&s->rows, s->delta);
	if (s->rows.y == s->height)
		add_plane(s);
}

static void gather(struct array_stack *s, struct array_elements next)
{
	enum { PIECE = 4096 };
	uint8_t ids[PIECE];
	size_t area = (size_t)s->width * s->height;

	while (next.n) {
		size_t piece = MIN(next.n, (size_t)PIECE);

		elements_narrow(ids, false, &next, piece);
		for (size_t j = 0; j < piece; j++) {
			s->gathered[s->at * area + s->index] = ids[j];
			if (++s->at == s->planes) {
				s->at = 0;
				s->index++;
			}
		}
	}
}

static void measure_gathered(struct array_stack *s)
{
	const uint8_t *from = s->gathered;

	s->at = 0;
	while (s->alive && s->at < s->planes) {
		memcpy(array_rows_at(&s->rows, s->rows.y), from, s->width);
		from += s->width;
		end_row(s);
	}
}

void array_stack_add(struct array_stack *s, const struct id_counter *ids, struct array_elements next)
{
	s->alive = s->alive && !ids->slots_count && ids->used <= IDS;
	if (s->alive && s->is_strided) {
		gather(s, next);
		return;
	}
	while (s->alive && next.n)
		if (array_rows_fill(&s->rows, &next))
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
	if (s->alive && s->is_strided)
		measure_gathered(s);
	if (!s->alive || !axes_are_alike(s))
		return;
	stats->planes = (uint32_t)MIN(MAX(s->used, (uint64_t)1), (uint64_t)UINT32_MAX);
	memcpy(stats->edges, s->sum.edges, sizeof(stats->edges));
	memcpy(stats->wide_edges, s->sum.wide_edges, sizeof(stats->wide_edges));
	memcpy(stats->long_between, s->sum.long_between, sizeof(stats->long_between));
	stats->between_pixels = s->sum.between_pixels;
	stats->worst = s->sum.worst;
	for (uint64_t i = 0; i < stats->ids_count; i++) {
		const struct stack_id *id = &s->ids[rows[i].id];

		rows[i].thin = id->thin;
		memcpy(rows[i].lone, id->lone, sizeof(id->lone));
		memcpy(rows[i].between, id->between, sizeof(id->between));
	}
	stats->neighbours = array_has_regions(rows, stats->ids_count);
}
