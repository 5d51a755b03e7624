/* Arrays that hold images, [H, W, 3] and the like: the findings of the rules about colours and channels. */
#include "../unit/check_main.h"
#include "measured_array.h"

extern const struct rule rule_color_mask, rule_replicated_channels, rule_multi_label_mask, rule_one_hot_mask,
	rule_image_as_mask, rule_out_of_range_id, rule_scaled_ids, rule_wrong_dtype, rule_non_integer_labels;

enum { HEIGHT = 20, WIDTH = 30, STACK = 2 };

/* A sample of a picture. */
typedef uint8_t pixel_fn(unsigned x, unsigned y, unsigned channel);

static uint8_t coloured(unsigned x, unsigned y, unsigned channel)
{
	static const uint8_t colours[3][4] = { { 0, 0, 0, 255 }, { 128, 0, 0, 255 }, { 0, 64, 32, 255 } };

	return colours[(x / 5 + y / 7) % 3][channel];
}

static uint8_t grey(unsigned x, unsigned y, unsigned channel)
{
	return channel == 3 ? 255 : (uint8_t)((x / 5 + y / 7) % 3);
}

static uint8_t black_and_white(unsigned x, unsigned y, unsigned channel)
{
	return channel == 3 || x / 5 % 2 == y / 7 % 2 ? 255 : 0;
}

/* Bits: several, or none, in a place. */
static uint8_t layers(unsigned x, unsigned y, unsigned channel)
{
	return (x / 5 + y / 7) % 4 >> channel & 1;
}

static uint8_t one_hot(unsigned x, unsigned y, unsigned channel)
{
	return (x / 5 + y / 7) % 3 == channel;
}

static uint8_t in_range(unsigned x, unsigned y, unsigned channel)
{
	return (uint8_t)((x / 5 + y / 7 + channel) % 3);
}

static uint8_t alpha_varies(unsigned x, unsigned y, unsigned channel)
{
	return channel == 3 ? (uint8_t)(x * 4) : coloured(x, y, channel);
}

/* Measures a picture, or a stack of them, as [.., channels] of `dtype`: uint8, int64 or float32. */
static void picture(struct measured *m, pixel_fn *pixel, unsigned channels, unsigned stack, enum array_dtype dtype)
{
	static uint8_t bytes[STACK * HEIGHT * WIDTH * 4];
	static int64_t wide[STACK * HEIGHT * WIDTH * 4];
	static float floats[STACK * HEIGHT * WIDTH * 4];
	size_t n = 0;

	for (unsigned row = 0; row < stack * HEIGHT; row++)
		for (unsigned x = 0; x < WIDTH; x++)
			for (unsigned c = 0; c < channels; c++, n++) {
				bytes[n] = pixel(x, row % HEIGHT, c);
				wide[n] = bytes[n];
				floats[n] = bytes[n];
			}
	const void *v = dtype == DTYPE_UINT8 ? (const void *)bytes : dtype == DTYPE_INT64 ? (const void *)wide : floats;

	if (stack > 1)
		measured_array(m, dtype, v, SHAPE(stack, HEIGHT, WIDTH, channels));
	else
		measured_array(m, dtype, v, SHAPE(HEIGHT, WIDTH, channels));
}

/* Asserts that exactly this rule fires (NULL: none); leaves its finding. */
static void only(struct measured *m, const struct rule *expected)
{
	static const struct rule *const rules[] = {
		&rule_color_mask,   &rule_replicated_channels, &rule_multi_label_mask,
		&rule_one_hot_mask, &rule_image_as_mask,       &rule_out_of_range_id,
		&rule_scaled_ids,   &rule_wrong_dtype,         &rule_non_integer_labels,
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct rule_input s = rule_input_of(&m->settings, &m->sample, &m->stats, m->ids, NULL);
		bool asked = (rules[i]->facts_needed & rule_input_facts(&s)) == rules[i]->facts_needed;

		ck_assert_msg((asked && measured_check(m, rules[i])) == (rules[i] == expected), "%s", rules[i]->name);
	}
	if (expected)
		ck_assert(measured_check(m, expected));
}

TEST(colours)
{
	static const enum array_dtype dtypes[] = { DTYPE_UINT8, DTYPE_INT64, DTYPE_FLOAT32 };
	struct measured *m = measured_new("4", NULL);

	for (size_t i = 0; i < ARRAY_SIZE(dtypes); i++)
		for (unsigned stack = 1; stack <= STACK; stack++)
			for (unsigned channels = 3; channels <= 4; channels++) {
				picture(m, coloured, channels, stack, dtypes[i]);
				only(m, &rule_color_mask);
				ck_assert_str_eq(m->finding.message.s,
						 "3 colours instead of ids: #000000, #004020, #800000");
				assert_says(m->finding.advice, "with one table of all colours");
				ck_assert_uint_eq(m->stats.channels.pixels, stack * HEIGHT * WIDTH);
			}
}

TEST(equal_channels)
{
	struct measured *m = measured_new("3", NULL);

	picture(m, grey, 3, 1, DTYPE_UINT8);
	only(m, &rule_replicated_channels);
	ck_assert_str_eq(m->finding.message.s, "3 equal channels; one of them holds ids 0-2");
	ck_assert_str_eq(m->finding.advice.s, "keep one channel: np.load(f)[..., 0]");
	picture(m, grey, 4, STACK, DTYPE_INT64);
	only(m, &rule_replicated_channels);

	/* an axis as long as there are classes, on or off: equal channels are no classes all the same */
	m = measured_new("2", NULL);
	picture(m, black_and_white, 3, 1, DTYPE_UINT8);
	only(m, &rule_replicated_channels);
}

TEST(classes_side_by_side)
{
	struct measured *m = measured_new("8", NULL);

	picture(m, layers, 3, 1, DTYPE_UINT8);
	only(m, &rule_multi_label_mask);
	picture(m, one_hot, 3, 1, DTYPE_UINT8);
	only(m, &rule_one_hot_mask);
	assert_says(m->finding.advice, "np.load(f)[..., :3].argmax(-1)");
}

/* The background has no channel of its own; and a picture without objects is all zeros. */
TEST(one_class_has_no_channel)
{
	static uint8_t stack[4][HEIGHT][WIDTH], blank[HEIGHT][WIDTH][4];
	struct measured *m = measured_new("5", NULL);

	for (unsigned x = 0; x < 4; x++)
		stack[x][3][x] = stack[0][5][x] = 1;
	stack[1][5][2] = 1;
	measured_array(m, DTYPE_UINT8, stack, SHAPE(4, HEIGHT, WIDTH));
	only(m, &rule_multi_label_mask);
	measured_array(m, DTYPE_UINT8, blank, SHAPE(HEIGHT, WIDTH, 4));
	only(m, NULL);
	measured_array(m, DTYPE_UINT8, blank, SHAPE(HEIGHT, WIDTH, 3));
	only(m, NULL);
	/* masks of three classes that happen to use two of them, in a stack of two */
	m = measured_new("3", NULL);
	measured_array(m, DTYPE_UINT8, stack, SHAPE(2, HEIGHT, WIDTH));
	only(m, NULL);
}

/* Values that may be ids stay ids. */
TEST(ids)
{
	struct measured *m = measured_new("3", NULL);

	picture(m, in_range, 3, 1, DTYPE_UINT8);
	only(m, NULL);
	ck_assert_uint_eq(m->stats.labels, 3 * HEIGHT * WIDTH);
	picture(m, alpha_varies, 4, 1, DTYPE_UINT8);
	only(m, &rule_out_of_range_id);
	ck_assert_uint_eq(m->stats.colours, 0);
	m = measured_new("3", "3-255");
	picture(m, coloured, 3, 1, DTYPE_UINT8);
	only(m, NULL);
}
