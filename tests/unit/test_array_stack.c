/*
 * Stacks of masks in arrays: the counters are the sums of what the reference (reference_rows.h) counts in each plane
 * alone; other arrays have none.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"
#include "judge/interpolation.h"
#include "measure/array/array_images.h"
#include "measure/reference_rows.h"

static struct class_set classes;
static struct id_counter counter;
static struct array_stack stack;
static struct batch batch;
static struct label_stats stats;

static void set_up(void)
{
	struct error err = ERROR_INIT;

	class_set_init(&classes);
	ck_assert_int_eq(class_set_parse_classes(&classes, "40", &err), STATUS_OK);
	class_set_finish(&classes);
	id_counter_init(&counter, &classes);
	array_stack_init(&stack, &classes);
	batch_init(&batch);
}

static void tear_down(void)
{
	batch_release(&batch);
	array_stack_release(&stack);
	id_counter_release(&counter);
	class_set_release(&classes);
}

/* Regions with lone pixels along their borders. */
static uint8_t id_at(uint64_t plane, uint64_t y, uint64_t x)
{
	uint64_t region = (x + plane) / 7 + (y + 2 * plane) / 5 * 3;

	return (uint8_t)((x + plane) % 7 == 6 && y % 4 ? region % 6 * 6 + 3 : region % 6 * 6);
}

struct shape {
	uint64_t planes, height, width;
	unsigned rank;
	uint64_t v[4];
	unsigned plane_axis, y_axis, x_axis;
	bool fortran;
};

static struct array_header header_of(const struct shape *shape)
{
	struct array_header h = { .dtype = DTYPE_UINT8, .fortran = shape->fortran, .rank = (uint8_t)shape->rank };

	h.elements = 1;
	for (unsigned i = 0; i < shape->rank; i++)
		h.elements *= h.shape[i] = shape->v[i];
	return h;
}

/* The id at an index of the memory; its place in the array, row-major, in *place. */
static uint8_t id_in_memory(const struct shape *shape, uint64_t index, uint64_t *place)
{
	uint64_t at[4] = { 0 };

	*place = 0;
	for (unsigned i = 0; i < shape->rank; i++) {
		unsigned axis = shape->fortran ? i : shape->rank - 1 - i;

		at[axis] = index % shape->v[axis];
		index /= shape->v[axis];
	}
	for (unsigned axis = 0; axis < shape->rank; axis++)
		*place = *place * shape->v[axis] + at[axis];
	return id_at(at[shape->plane_axis], at[shape->y_axis], at[shape->x_axis]);
}

/* add: to every id. piece: elements given at once. Returns what became of it in stats and batch. */
static void measure(const struct shape *shape, unsigned add, size_t piece)
{
	struct array_header header = header_of(shape);
	uint8_t *v = xmalloc(header.elements);
	uint64_t place;

	for (uint64_t i = 0; i < header.elements; i++)
		v[i] = (uint8_t)(id_in_memory(shape, i, &place) + add);
	memset(&stats, 0, sizeof(stats));
	batch_clear(&batch);
	array_stack_begin(&stack, &header);
	for (uint64_t at = 0; at < header.elements; at += piece) {
		size_t n = (size_t)MIN(piece, header.elements - at);

		for (size_t i = 0; i < n; i++)
			id_counter_add(&counter, v[at + i], at + i);
		array_stack_add(&stack, &counter, (struct array_elements){ .v = v + at, .n = n, .bytes = 1 });
	}
	ck_assert(id_counter_end(&counter, &stats, &batch));
	array_stack_end(&stack, &stats, batch.ids);
	free(v);
}

/* Sums of the reference over the planes; rows and columns are as the array has them. */
static void expect_sums(const struct shape *shape)
{
	struct reference_rows *reference = reference_rows_new(&classes);
	uint8_t *row = xmalloc(shape->width + 64);
	struct label_stats sum = { .edges = { 0, 0 } };
	struct id_stats ids[256] = { { .id = 0 } };

	for (uint64_t plane = 0; plane < shape->planes; plane++) {
		struct label_stats one = { .edges = { 0, 0 } };
		struct batch rows;

		batch_init(&rows);
		ck_assert(reference_rows_begin(reference, (uint32_t)shape->width, (uint32_t)shape->height, false));
		for (uint64_t y = 0; y < shape->height; y++) {
			for (uint64_t x = 0; x < shape->width; x++)
				row[x] = id_at(plane, y, x);
			reference_rows_add(reference, row);
		}
		reference_rows_end(reference, &one, &rows);
		for (unsigned d = 0; d < 2; d++) {
			sum.edges[d] += one.edges[d];
			sum.wide_edges[d] += one.wide_edges[d];
			sum.long_between[d] += one.long_between[d];
		}
		sum.between_pixels += one.between_pixels;
		for (uint64_t i = 0; i < one.ids_count; i++) {
			struct id_stats *id = &ids[rows.ids[i].id];

			id->labels += rows.ids[i].labels;
			id->thin += rows.ids[i].thin;
			for (unsigned d = 0; d < 2; d++) {
				id->lone[d] += rows.ids[i].lone[d];
				id->between[d] += rows.ids[i].between[d];
			}
		}
		batch_release(&rows);
	}
	/* in Fortran order the planes lie in memory transposed */
	ck_assert_uint_eq(stats.neighbours, 1);
	ck_assert_uint_eq(stats.planes, shape->planes);
	for (unsigned d = 0; d < 2; d++) {
		unsigned from = shape->fortran ? 1 - d : d;

		ck_assert_uint_eq(stats.edges[d], sum.edges[from]);
		ck_assert_uint_eq(stats.wide_edges[d], sum.wide_edges[from]);
		ck_assert_uint_eq(stats.long_between[d], sum.long_between[from]);
	}
	ck_assert_uint_eq(stats.between_pixels, sum.between_pixels);
	for (uint64_t i = 0; i < stats.ids_count; i++) {
		const struct id_stats *found = &batch.ids[i], *id = &ids[found->id];

		ck_assert_uint_eq(found->labels, id->labels);
		ck_assert_uint_eq(found->thin, id->thin);
		ck_assert_uint_eq(found->lone[0] + found->lone[1], id->lone[0] + id->lone[1]);
		ck_assert_uint_eq(found->between[0] + found->between[1], id->between[0] + id->between[1]);
	}
	free(row);
	reference_rows_free(reference);
}

static const struct shape shapes[] = {
	{ 5, 20, 30, 3, { 5, 20, 30 }, 0, 1, 2, false },
	{ 30, 20, 30, 3, { 30, 20, 30 }, 0, 1, 2, false },
	{ 24, 24, 24, 3, { 24, 24, 24 }, 0, 1, 2, false },
	/* as a reader of volumes leaves them */
	{ 9, 20, 30, 3, { 20, 30, 9 }, 2, 0, 1, true },
	/* axes of length 1 */
	{ 5, 20, 30, 4, { 5, 20, 30, 1 }, 0, 1, 2, false },
	{ 5, 20, 30, 4, { 5, 1, 20, 30 }, 0, 2, 3, false },
};

TEST_EACH(counters_are_the_sums_of_the_planes, ARRAY_SIZE(shapes))
{
	static const size_t pieces[] = { 1, 17, 5000, 1 << 20 };
	const struct shape *shape = &shapes[_i];
	uint64_t place;

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		measure(shape, 0, pieces[i]);
		expect_sums(shape);
	}

	/* the worst place is a place of the array, and the first of its kind */
	struct array_header header = header_of(shape);
	uint64_t index = WORST_INDEX_MASK - (stats.worst.key >> 1 & WORST_INDEX_MASK);

	ck_assert_uint_ne(stats.worst.key, 0);
	for (uint64_t i = 0; i < header.elements; i++) {
		uint8_t id = id_in_memory(shape, i, &place);

		if (place == index)
			ck_assert_int_eq(id, stats.worst.id);
	}
	ck_assert_uint_lt(index, header.elements);
}

TEST(other_arrays_have_none)
{
	static const struct shape others[] = {
		{ 5, 20, 15, 3, { 5, 20, 15 }, 0, 1, 2, false },   /* too narrow either way */
		{ 1, 20, 30, 2, { 20, 30 }, 3, 0, 1, false },      /* one mask */
		{ 1, 20, 30, 3, { 1, 20, 30 }, 0, 1, 2, false },   /* the same */
		{ 2, 20, 30, 4, { 2, 5, 30, 4 }, 0, 1, 2, false }, /* planes of 30 x 4 */
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		measure(&others[i], 0, 100);
		ck_assert_uint_eq(stats.neighbours, 0);
		ck_assert_uint_eq(stats.planes, 0);
		ck_assert_uint_gt(stats.ids_count, 0);
	}
	/* and neither have ids above 255; the next array has its own again */
	struct array_header header = header_of(&shapes[0]);
	uint16_t wide[5 * 20 * 30];

	for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
		wide[i] = i % 30 < 15 ? 3 : 256;
	memset(&stats, 0, sizeof(stats));
	batch_clear(&batch);
	array_stack_begin(&stack, &header);
	for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
		id_counter_add(&counter, wide[i], i);
	array_stack_add(&stack, &counter, (struct array_elements){ .v = wide, .n = ARRAY_SIZE(wide), .bytes = 2 });
	ck_assert(id_counter_end(&counter, &stats, &batch));
	array_stack_end(&stack, &stats, batch.ids);
	ck_assert_uint_eq(stats.neighbours, 0);
	measure(&shapes[0], 0, 100);
	expect_sums(&shapes[0]);
}

/* Unrelated masks side by side: ids change along their axis as they never do within one. */
TEST(an_axis_of_other_masks_is_no_side)
{
	struct array_header header = { .dtype = DTYPE_UINT8, .rank = 3, .shape = { 32, 40, 48 }, .elements = 61440 };
	uint8_t *v = xmalloc(header.elements);

	for (unsigned alike = 0; alike < 2; alike++) {
		memset(&stats, 0, sizeof(stats));
		batch_clear(&batch);
		array_stack_begin(&stack, &header);
		for (uint64_t i = 0; i < header.elements; i++) {
			uint64_t y = i / 48 / 40, x = i / 48 % 40, plane = i % 48;

			v[i] = alike ? (x < 20) == (plane < 20) : plane % 4 < 2 && x > 10 && x < 30 && y > 10;
			id_counter_add(&counter, v[i], i);
		}
		array_stack_add(&stack, &counter, (struct array_elements){ .v = v, .n = header.elements, .bytes = 1 });
		ck_assert(id_counter_end(&counter, &stats, &batch));
		array_stack_end(&stack, &stats, batch.ids);
		ck_assert_uint_eq(stats.neighbours, alike);
	}
	free(v);
}

/* Tags of words, one sentence a row, and masks whose regions have a fringe. */
TEST(regions)
{
	struct id_stats rows[] = {
		{ .id = 0, .labels = 9000, .thin = 500 },
		{ .id = 1, .labels = 300, .thin = 300 },
		{ .id = 2, .labels = 200, .thin = 200 },
	};

	ck_assert(array_has_regions(rows, 3));
	rows[2].thin++;
	ck_assert(!array_has_regions(rows, 3));
	/* the most frequent one is not asked, and of two ids none can lie between others */
	rows[0].thin = 18000;
	rows[2].thin--;
	ck_assert(array_has_regions(rows, 3));
	rows[1].thin = 600;
	ck_assert(array_has_regions(rows, 2));
	ck_assert(array_has_regions(rows, 0));
}

/* The mean of the planes is judged: copies of a plane are what the plane is. */
TEST(a_stack_is_judged_as_its_mean)
{
	struct id_stats row = { .id = 2, .labels = 600, .thin = 60, .lone = { 60, 60 }, .between = { 60, 60 } };
	struct label_stats many = { .labels = 6000, .neighbours = 1, .max = 2, .ids_count = 1, .planes = 10 };
	struct interpolation_evidence e;

	many.edges[0] = many.edges[1] = 105;
	many.wide_edges[1] = 99;
	interpolation_gather(&many, &row, &e);
	ck_assert_uint_eq(e.edges[0], 10);
	ck_assert_uint_eq(e.wide_edges[1], 9);
	ck_assert_uint_eq(e.between[0], 6);
	ck_assert_uint_eq(e.most_between[1], 6);
	ck_assert_uint_eq(e.lone[1], 6);
	ck_assert_uint_eq(e.labels, 60);
	ck_assert_uint_eq(e.thin, 6);
	many.planes = 0;
	interpolation_gather(&many, &row, &e);
	ck_assert_uint_eq(e.edges[0], 105);
}

FIXTURE(set_up, tear_down)
