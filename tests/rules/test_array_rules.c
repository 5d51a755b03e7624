/* Findings about arrays: encoding and shape rules on NumPy arrays that are measured as in an audit. */
#include <math.h>

#include "../unit/check_main.h"
#include "../unit/random.h"
#include "base/mem.h"
#include "measure/array/array_images.h"
#include "measured_array.h"

extern const struct rule rule_one_hot_mask, rule_multi_label_mask, rule_soft_labels, rule_non_integer_labels,
	rule_nan_labels, rule_wrong_dtype, rule_extra_dimension, rule_wide_ids, rule_wrapped_negative_ids,
	rule_out_of_range_id, rule_malformed_labels, rule_malformed_png;

/* Asserts that of the rules about elements exactly the one expected fires (NULL: none). Leaves its finding. */
static void only(struct measured *m, const struct rule *expected)
{
	static const struct rule *const rules[] = { &rule_one_hot_mask, &rule_multi_label_mask, &rule_soft_labels,
						    &rule_non_integer_labels, &rule_nan_labels };

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		ck_assert_msg(measured_check(m, rules[i]) == (rules[i] == expected), "%s", rules[i]->name);
	if (expected)
		ck_assert(measured_check(m, expected));
}

/* 65536 ids past the dense ones are counted; with one more they are keys, and the file has no counts. */
TEST(keys_are_no_labels)
{
	enum { MOST = ID_COUNTER_SPARSE };
	static int32_t v[MOST + 1];
	struct measured *m = measured_new("3", NULL);

	for (int32_t i = 0; i <= MOST; i++)
		v[i] = ID_COUNTER_DENSE + 3 * i;
	for (uint64_t n = MOST; n <= MOST + 1; n++) {
		struct array_measurer *measurer = array_measurer_new(&m->settings, NULL);
		struct array_header a = { .dtype = DTYPE_INT32, .rank = 1, .shape = { n }, .elements = n };
		struct label_stats stats = { .labels = 0 };
		struct fault fault, warning;
		struct id_counter ids;
		struct batch batch;
		struct input in;

		fault_clear(&fault);
		fault_clear(&warning);
		id_counter_init(&ids, &m->settings.classes);
		batch_init(&batch);
		input_init(&in);
		input_from_memory(&in, v, n * sizeof(*v));
		bool measured = array_measurer_measure(measurer, &ids, &in, &a, &stats, &batch, &warning, &fault);

		ck_assert_int_eq(measured, n == MOST);
		ck_assert_uint_eq(batch.ids_count, measured ? MOST : 0);
		ck_assert_str_eq(fault.text, measured ? ""
						      : "more than 65536 different values that are no classes: "
							"measurements, keys, or ids of another type");
		batch_release(&batch);
		id_counter_release(&ids);
		array_measurer_free(measurer);
	}
}

/* ---- class axes ------------------------------------------------------------------------------------------------- */

enum { ROWS = 2000 };

/* One-hot rows of 3; the first `wrong` of them have two set. */
static void one_hot_rows(uint8_t rows[ROWS][3], unsigned wrong)
{
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned c = 0; c < 3; c++)
			rows[i][c] = c == i % 3 || (i < wrong && c == (i + 1) % 3);
}

TEST(one_hot_mask)
{
	struct measured *m = measured_new("3", NULL);
	static uint8_t rows[ROWS][3];

	one_hot_rows(rows, 0);
	measured_array(m, DTYPE_UINT8, rows, SHAPE(ROWS, 3));
	only(m, &rule_one_hot_mask);
	assert_says(m->finding.message, "axis 1 has 3 elements, of which exactly one is not 0 everywhere");
	assert_says(m->finding.advice, "argmax(1)");
	ck_assert_uint_eq(m->stats.labels, 0);
	ck_assert_uint_eq(m->stats.ids_count, 0);
	/* 99.9 % is enough, less is not */
	one_hot_rows(rows, 2);
	measured_array(m, DTYPE_UINT8, rows, SHAPE(ROWS, 3));
	only(m, &rule_one_hot_mask);
	assert_says(m->finding.message, "at least 99.9 % of the places");
	one_hot_rows(rows, 3);
	measured_array(m, DTYPE_UINT8, rows, SHAPE(ROWS, 3));
	only(m, &rule_multi_label_mask);
	/* another axis; 0 and 255; bool */
	one_hot_rows(rows, 0);
	measured_array(m, DTYPE_BOOL, rows, SHAPE(40, 50, 3));
	only(m, &rule_one_hot_mask);
	assert_says(m->finding.message, "axis 2");
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned c = 0; c < 3; c++)
			((uint8_t *)rows)[c * ROWS + i] = c == i % 3 ? 255 : 0;
	measured_array(m, DTYPE_UINT8, rows, SHAPE(3, 40, 50));
	only(m, &rule_one_hot_mask);
	assert_says(m->finding.advice, "argmax(0)");
	measured_array(m, DTYPE_UINT8, rows, SHAPE(1, 3, 40, 50));
	only(m, &rule_one_hot_mask);
	/* neither 0 and 1 nor 0 and 255 */
	((uint8_t *)rows)[0] = 1;
	measured_array(m, DTYPE_UINT8, rows, SHAPE(3, 40, 50));
	only(m, NULL);
	ck_assert_uint_eq(m->stats.labels, 3 * ROWS);
}

TEST(one_hot_mask_needs_as_many_elements_as_classes)
{
	static const struct {
		const char *classes;
		bool fires;
	} t[] = { { "2", true }, { "3", true }, { "4", false }, { "1", false }, { "0,2", true } };
	static uint8_t rows[ROWS][3];

	one_hot_rows(rows, 0);
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct measured *m = measured_new(t[i].classes, NULL);

		measured_array(m, DTYPE_UINT8, rows, SHAPE(ROWS, 3));
		only(m, t[i].fires ? &rule_one_hot_mask : NULL);
	}
}

TEST(multi_label_mask)
{
	struct measured *m = measured_new("3", NULL);
	const uint8_t rows[6][3] = { { 1, 1, 0 }, { 0, 0, 0 }, { 0, 1, 0 }, { 1, 1, 1 }, { 1, 0, 0 }, { 0, 0, 1 } };
	const uint8_t lone[4][3] = { { 1, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
		      square[3][3] = { { 1, 1, 0 } };
	const uint8_t stack[2][2][2] = { { { 1, 0 }, { 0, 0 } }, { { 1, 1 }, { 0, 0 } } }, zeros[5][3] = { { 0 } };

	measured_array(m, DTYPE_UINT8, rows, SHAPE(6, 3));
	only(m, &rule_multi_label_mask);
	assert_says(m->finding.message, "several are set in 2 places (33.3 %), none in 1 (16.7 %)");
	assert_says(m->finding.advice, "BCEWithLogitsLoss");
	measured_array(m, DTYPE_UINT8, lone, SHAPE(4, 3));
	only(m, &rule_multi_label_mask);
	assert_says(m->finding.advice, "np.where(a.any(1), a.argmax(1) + 1, 0)");
	/* what may as well be a mask of 0 and 1 */
	measured_array(m, DTYPE_UINT8, square, SHAPE(3, 3));
	only(m, NULL);
	measured_array(m, DTYPE_UINT8, zeros, SHAPE(5, 3));
	only(m, NULL);
	m = measured_new("2", NULL);
	measured_array(m, DTYPE_UINT8, stack, SHAPE(2, 2, 2));
	ck_assert(measured_check(m, &rule_multi_label_mask)); /* its last axis is none of a stack */
	measured_array(m, DTYPE_UINT8, stack, SHAPE(2, 1, 4));
	only(m, NULL);
}

TEST(soft_labels)
{
	struct measured *m = measured_new("3", NULL);
	static float rows[ROWS][3];

	for (unsigned i = 0; i < ROWS; i++) {
		rows[i][0] = (float)(i % 10) / 10;
		rows[i][1] = 1 - rows[i][0];
	}
	measured_array(m, DTYPE_FLOAT32, rows, SHAPE(ROWS, 3));
	only(m, &rule_soft_labels);
	assert_says(m->finding.message,
		    "along axis 1 the 3 values add up to 1, with at most 2 of them above 0, as MixUp");
	assert_says(m->finding.advice, "cross_entropy");
	ck_assert_uint_eq(m->stats.labels, 0);
	/* within 0.001, in 99.9 % of the places */
	rows[0][2] = 0.0009f;
	rows[1][2] = 0.002f;
	rows[2][2] = 0.002f;
	measured_array(m, DTYPE_FLOAT32, rows, SHAPE(ROWS, 3));
	only(m, &rule_soft_labels);
	assert_says(m->finding.message, "in 1998 of 2000 places: class probabilities");
	rows[3][2] = 0.002f;
	measured_array(m, DTYPE_FLOAT32, rows, SHAPE(ROWS, 3));
	only(m, &rule_non_integer_labels);
	/* shares are not negative */
	rows[1][2] = rows[2][2] = rows[3][2] = 0;
	rows[4][0] = -0.25f;
	rows[4][1] = 1.25f;
	measured_array(m, DTYPE_FLOAT32, rows, SHAPE(ROWS, 3));
	only(m, &rule_non_integer_labels);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

TEST(non_integer_labels)
{
	struct measured *m = measured_new("9", NULL);
	const double some[6] = { 0, 1, 2.5, -0.25, 3, 4 }, whole[6] = { 0, 1, 2, 3, -0.0, 4 };
	const float pixels[6] = { 0, 1 / 255.0f, 2 / 255.0f, 1, 254 / 255.0f, 0.5f / 255 };

	measured_array(m, DTYPE_FLOAT64, some, SHAPE(2, 3));
	only(m, &rule_non_integer_labels);
	assert_says(m->finding.message,
		    "2 of 6 values (33.3 %) are not integers, the first at [0, 2], the smallest 0.25");
	ck_assert_ptr_null(strstr(m->finding.message.s, "255"));
	measured_array(m, DTYPE_FLOAT64, whole, SHAPE(6));
	only(m, NULL);
	ck_assert_uint_eq(m->stats.labels, 6);
	measured_array(m, DTYPE_FLOAT32, pixels, SHAPE(5));
	only(m, &rule_non_integer_labels);
	assert_says(m->finding.message, "all of them are multiples of 1/255");
	measured_array(m, DTYPE_FLOAT32, pixels, SHAPE(6));
	only(m, &rule_non_integer_labels);
	ck_assert_ptr_null(strstr(m->finding.message.s, "255"));
}

TEST(nan_labels)
{
	struct measured *m = measured_new("9", NULL);
	const double nan[4] = { 0, 1, NAN, NAN }, infinite[4] = { 0, 1, -INFINITY, 2 },
		     both[4] = { 0, INFINITY, 2, NAN }, large[4] = { 0, 1, 1e300, 2 };

	measured_array(m, DTYPE_FLOAT64, nan, SHAPE(4));
	only(m, &rule_nan_labels);
	assert_says(m->finding.message, "2 of 4 values (50.0 %) are NaN, the first at [2]");
	measured_array(m, DTYPE_FLOAT64, infinite, SHAPE(4));
	only(m, &rule_nan_labels);
	assert_says(m->finding.message, "1 of 4 values (25.0 %) is infinite, the first at [2]");
	measured_array(m, DTYPE_FLOAT64, both, SHAPE(2, 2));
	only(m, &rule_nan_labels);
	assert_says(m->finding.message, "are NaN or infinite, the first at [0, 1]");
	measured_array(m, DTYPE_FLOAT64, large, SHAPE(4));
	only(m, NULL);
}

TEST(out_of_range_id_beyond_int64)
{
	struct measured *m = measured_new("9", NULL);
	const uint64_t ids[5] = { 0, 8, UINT64_MAX, (uint64_t)1 << 63, INT64_MAX };
	const double large[2] = { 0, 1e300 };

	measured_array(m, DTYPE_UINT64, ids, SHAPE(4));
	ck_assert(measured_check(m, &rule_out_of_range_id));
	assert_says(
		m->finding.message,
		"2 labels (50.0 %) have ids that are too large to tell apart (the first at [2]: 18446744073709551615); "
		"valid ids are 0-8");
	assert_says(m->finding.advice, "-1 in uint64");
	ck_assert_uint_eq(m->stats.labels, 4);
	measured_array(m, DTYPE_UINT64, ids, SHAPE(5));
	ck_assert_uint_eq(m->stats.labels, 5);
	ck_assert_int_eq(m->ids[m->stats.ids_count - 1].id, INT64_MAX);
	ck_assert_uint_eq(m->ids[m->stats.ids_count - 1].labels, 3);
	ck_assert(measured_check(m, &rule_out_of_range_id));
	assert_says(m->finding.message, "3 labels (60.0 %) have id 9223372036854775807 and ids that are too large");
	measured_array(m, DTYPE_UINT64, ids, SHAPE(2));
	ck_assert(!measured_check(m, &rule_out_of_range_id));
	measured_array(m, DTYPE_FLOAT64, large, SHAPE(2));
	ck_assert(measured_check(m, &rule_out_of_range_id));
	assert_says(m->finding.message, "1 label (50.0 %) has ids that are too large to tell apart (the first at [1])");
}

TEST(wrapped_negative_ids_in_int8)
{
	struct measured *m = measured_new("200", NULL);
	const int8_t ids[5] = { 0, -56 /* 200 */, -57 /* 199 */, -1, 127 };

	measured_array(m, DTYPE_INT8, ids + 2, SHAPE(3));
	ck_assert(measured_check(m, &rule_wrapped_negative_ids));
	assert_says(m->finding.message, "int8 cannot hold values above 127: 1 label has id -57, valid with");
	ck_assert_str_eq(m->finding.details.map.s, "-57 -> 199");
	/* with 256 added some are still no class; -1 alone is an ignore id */
	measured_array(m, DTYPE_INT8, ids, SHAPE(5));
	ck_assert(!measured_check(m, &rule_wrapped_negative_ids));
	measured_array(m, DTYPE_INT8, ids + 3, SHAPE(2));
	ck_assert(!measured_check(m, &rule_wrapped_negative_ids));
}

/* ---- types and shapes ------------------------------------------------------------------------------------------- */

TEST(wrong_dtype)
{
	static const struct {
		enum array_dtype dtype;
		bool list, mask;
		enum level level;
	} t[] = {
		{ DTYPE_INT64, false, false, LEVEL_OFF },     { DTYPE_UINT8, true, false, LEVEL_INFO },
		{ DTYPE_INT32, true, false, LEVEL_INFO },     { DTYPE_UINT16, true, false, LEVEL_INFO },
		{ DTYPE_BOOL, true, true, LEVEL_WARNING },    { DTYPE_FLOAT16, true, true, LEVEL_WARNING },
		{ DTYPE_FLOAT32, true, true, LEVEL_WARNING }, { DTYPE_FLOAT64, true, true, LEVEL_WARNING },
	};
	struct measured *m = measured_new("9", NULL);
	const uint8_t zeros[64] = { 0 };
	const double fraction = 0.5;

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		measured_array(m, t[i].dtype, zeros, SHAPE(8));
		ck_assert_int_eq(measured_check(m, &rule_wrong_dtype), t[i].list);
		ck_assert(!t[i].list || m->finding.level == t[i].level);
		measured_array(m, t[i].dtype, zeros, SHAPE(4, 2));
		ck_assert_int_eq(measured_check(m, &rule_wrong_dtype), t[i].mask);
	}
	measured_array(m, DTYPE_FLOAT64, &fraction, SHAPE(1));
	ck_assert(!measured_check(m, &rule_wrong_dtype)); /* non-integer-labels */
}

TEST(wrong_dtype_of_objects)
{
	struct measured *m = measured_new("9", NULL);

	m->sample.status = SAMPLE_FAILED;
	m->sample.format = FORMAT_NPY;
	fault_set(&m->sample.fault, FAULT_OBJECTS, 20, "a pickle");
	ck_assert(measured_check(m, &rule_wrong_dtype));
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
	m->sample.is_explicit = true;
	ck_assert(measured_check(m, &rule_wrong_dtype));
	ck_assert_int_eq(m->finding.level, LEVEL_ERROR);
	ck_assert(!measured_check(m, &rule_malformed_labels));
	fault_clear(&m->sample.fault);
	fault_set(&m->sample.fault, FAULT_LABELS, 20, "a structure");
	ck_assert(!measured_check(m, &rule_wrong_dtype));
	ck_assert(measured_check(m, &rule_malformed_labels));
}

TEST(extra_dimension)
{
	static const struct {
		uint64_t shape[4];
		const char *words; /* NULL: silent */
	} t[] = {
		{ { 8 }, NULL },
		{ { 8, 1 }, "shape [8, 1]: axis 1 has length 1, and ids are expected as [N]" },
		{ { 1, 8 }, NULL },
		{ { 4, 2, 1 }, "axis 2 has length 1, and ids are expected as [H, W]" },
		{ { 1, 4, 2 }, "shape [1, 4, 2]: a channel before rows and columns" },
		{ { 2, 2, 2, 1 }, "axis 3 has length 1, and ids are expected as [B, H, W]" },
		{ { 2, 1, 2, 2 }, "axis 1 has length 1" },
		{ { 1, 2, 2, 2 }, NULL },
		{ { 2, 2, 1, 2 }, NULL },
	};
	struct measured *m = measured_new("9", NULL);
	const uint8_t zeros[64] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		measured_array(m, DTYPE_INT64, zeros, t[i].shape);
		ck_assert_int_eq(measured_check(m, &rule_extra_dimension), t[i].words != NULL);
		if (t[i].words)
			assert_says(m->finding.message, t[i].words);
	}
}

TEST(wide_ids)
{
	struct measured *m = measured_new("300", NULL);
	const int16_t ids[4] = { 0, 255, 256, -1 };

	measured_array(m, DTYPE_INT16, ids, SHAPE(2, 1));
	ck_assert(measured_check(m, &rule_wide_ids));
	ck_assert_str_eq(m->finding.message.s, "int16 uses 2 bytes per label, but no id is above 255");
	measured_array(m, DTYPE_INT16, ids, SHAPE(2)); /* a list */
	ck_assert(!measured_check(m, &rule_wide_ids));
	measured_array(m, DTYPE_INT16, ids + 1, SHAPE(2, 1));
	ck_assert(!measured_check(m, &rule_wide_ids));
	measured_array(m, DTYPE_INT16, ids + 3, SHAPE(1, 1));
	ck_assert(!measured_check(m, &rule_wide_ids));
	measured_array(m, DTYPE_UINT8, ids, SHAPE(2, 2));
	ck_assert(!measured_check(m, &rule_wide_ids));
}

/* Noise is no mask, however many ids it has; what has few edges is. */
TEST(noise)
{
	enum { SIDE = 300 };
	struct measured *m = measured_new("5", NULL);
	static uint8_t ids[SIDE][SIDE];

	for (unsigned step = 1; step <= 4; step++) {
		for (unsigned y = 0; y < SIDE; y++)
			for (unsigned x = 0; x < SIDE; x++)
				ids[y][x] = (uint8_t)(x / step % 5);
		measured_array(m, DTYPE_UINT8, ids, SHAPE(SIDE, SIDE));
		ck_assert_uint_eq(m->stats.neighbours, step >= 2);
		ck_assert_uint_eq(m->stats.labels, SIDE * SIDE);
	}
	/* in a small one it does not matter */
	measured_array(m, DTYPE_UINT8, ids, SHAPE(200, SIDE));
	ck_assert_uint_eq(m->stats.neighbours, 1);
}

TEST(warning_is_malformed_labels)
{
	struct measured *m = measured_new("9", NULL);
	const uint8_t zeros[8] = { 0 };

	measured_array(m, DTYPE_UINT8, zeros, SHAPE(8));
	ck_assert(!measured_check(m, &rule_malformed_labels));
	fault_set(&m->sample.warning, FAULT_MALFORMED, 8, "1 byte follows");
	ck_assert(measured_check(m, &rule_malformed_labels));
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
	ck_assert(!measured_check(m, &rule_malformed_png));
	m->sample.format = FORMAT_PNG;
	ck_assert(!measured_check(m, &rule_malformed_labels));
	ck_assert(measured_check(m, &rule_malformed_png));
}

/* ---- masks ------------------------------------------------------------------------------------------------------ */

enum { SIDE_MAX = 80 };

/* The place that is reported as the worst has the reported ids, in the reported direction. */
static void check_worst(const struct label_stats *stats, const int64_t *ids)
{
	const struct worst_place *worst = &stats->worst;

	if (!worst->key)
		return;
	size_t at = (size_t)(WORST_INDEX_MASK - (worst->key >> 1 & WORST_INDEX_MASK));
	size_t step = worst->key & 1 ? 1 : stats->width;

	ck_assert_int_eq(ids[at], worst->id);
	ck_assert(ids[at - step] == worst->left && ids[at + step] == worst->right);
}

/*
 * Asserts that an array [H, W], or one with a third axis of 1, gives what the mask of the same ids gives, in either
 * order. Returns whether it had neighbours.
 */
static bool same_as_mask_in_order(const int64_t *ids, uint32_t height, uint32_t width, enum array_dtype dtype)
{
	static union {
		uint8_t u8[SIDE_MAX * SIDE_MAX];
		uint16_t u16[SIDE_MAX * SIDE_MAX];
		int32_t i32[SIDE_MAX * SIDE_MAX];
		int64_t i64[SIDE_MAX * SIDE_MAX];
		float f32[SIDE_MAX * SIDE_MAX];
		double f64[SIDE_MAX * SIDE_MAX];
	} v;
	struct measured *m = measured_new("5", "255"), *want = measured_new("5", "255");

	for (size_t k = 0; k < (size_t)width * height; k++) {
		size_t i = fortran ? k % width * height + k / width : k;

		switch (dtype) {
		case DTYPE_UINT8:
			v.u8[i] = (uint8_t)ids[k];
			break;
		case DTYPE_UINT16:
			v.u16[i] = (uint16_t)ids[k];
			break;
		case DTYPE_INT32:
			v.i32[i] = (int32_t)ids[k];
			break;
		case DTYPE_INT64:
			v.i64[i] = ids[k];
			break;
		case DTYPE_FLOAT32:
			v.f32[i] = (float)ids[k];
			break;
		default:
			v.f64[i] = (double)ids[k];
		}
	}
	measured_ids(want, width, height, ids);
	if (height % 3 == 0)
		measured_array(m, dtype, &v, SHAPE(1, height, width));
	else if (height % 3 == 1)
		measured_array(m, dtype, &v, SHAPE(height, width, 1));
	else
		measured_array(m, dtype, &v, SHAPE(height, width));
	bool neighbours = m->stats.width; /* the strip saw it */

	ck_assert_uint_eq(m->stats.neighbours, neighbours && array_has_regions(m->ids, m->stats.ids_count));
	ck_assert_uint_eq(m->stats.labels, want->stats.labels);
	ck_assert_int_eq(m->stats.min, want->stats.min);
	ck_assert_int_eq(m->stats.max, want->stats.max);
	ck_assert_uint_eq(m->stats.ids_count, want->stats.ids_count);
	for (size_t i = 0; i < m->stats.ids_count; i++) {
		ck_assert_int_eq(m->ids[i].id, want->ids[i].id);
		ck_assert_uint_eq(m->ids[i].labels, want->ids[i].labels);
		ck_assert_uint_eq(m->ids[i].first_index, want->ids[i].first_index);
		ck_assert(!neighbours || !memcmp(&m->ids[i], &want->ids[i], sizeof(m->ids[i])));
	}
	if (neighbours) {
		ck_assert_uint_eq(m->stats.width, width);
		ck_assert_uint_eq(m->stats.height, height);
		ck_assert_mem_eq(m->stats.edges, want->stats.edges, sizeof(want->stats.edges));
		ck_assert_mem_eq(m->stats.wide_edges, want->stats.wide_edges, sizeof(want->stats.wide_edges));
		ck_assert_mem_eq(m->stats.long_between, want->stats.long_between, sizeof(want->stats.long_between));
		ck_assert_uint_eq(m->stats.between_pixels, want->stats.between_pixels);
		check_worst(&m->stats, ids);
		ck_assert(!fortran == !!(m->stats.content[0] | m->stats.content[1]));
	}
	return neighbours;
}

static bool same_as_mask(const int64_t *ids, uint32_t height, uint32_t width, enum array_dtype dtype)
{
	fortran = true;
	bool neighbours = same_as_mask_in_order(ids, height, width, dtype);

	fortran = false;
	ck_assert_int_eq(same_as_mask_in_order(ids, height, width, dtype), neighbours);
	return neighbours;
}

TEST(masks)
{
	static const enum array_dtype dtypes[] = { DTYPE_UINT8, DTYPE_UINT16,  DTYPE_INT32,
						   DTYPE_INT64, DTYPE_FLOAT32, DTYPE_FLOAT64 };
	static int64_t ids[SIDE_MAX * SIDE_MAX];
	uint64_t s = 1;

	for (unsigned round = 0; round < 120; round++) {
		uint32_t height = 16 + random_below(&s, SIDE_MAX - 16), width = 16 + random_below(&s, SIDE_MAX - 16);
		enum array_dtype dtype = dtypes[round % ARRAY_SIZE(dtypes)];
		uint32_t range = round % 3 ? 8 : 256, id = 0;

		for (uint32_t i = 0; i < width * height; i++) {
			if (random_below(&s, round % 5 * 5 + 1) == 0)
				id = random_below(&s, range);
			ids[i] = i >= width && random_below(&s, 4) ? ids[i - width] : id;
		}
		ck_assert(same_as_mask(ids, height, width, dtype));
		/* more than 8 bits, from the beginning */
		if (dtype == DTYPE_UINT8)
			continue;
		ids[3] = 1000;
		ck_assert(same_as_mask(ids, height, width, dtype));
		/* -1 and what is too large have no place in a mask, and are counted all the same */
		if (dtype == DTYPE_UINT16)
			continue;
		ids[width * height - 1] = round % 2 ? -1 : 65536;
		ck_assert(!same_as_mask(ids, height, width, dtype));
	}
	/* a list of rows */
	ck_assert(!same_as_mask(ids, 60, 15, DTYPE_INT64));
}
