/* Categories encoding and shape, but lossy-format (test_file_rules.c). */
#include "../unit/check_main.h"
#include "judge/colours.h"
#include "judge/one_channel.h"
#include "measured.h"

extern const struct rule rule_color_mask, rule_replicated_channels, rule_one_hot_mask, rule_expanded_bit_depth,
	rule_loader_divergence, rule_index_beyond_palette, rule_wide_ids, rule_mask_in_alpha, rule_scaled_ids,
	rule_interpolated_mask;

/* ---- several channels ------------------------------------------------------------------------------------------- */

/* Asks all three rules of files with several channels; exactly the one expected may fire. Leaves its finding. */
static void only(struct measured *m, const struct rule *expected)
{
	static const struct rule *const rules[] = { &rule_color_mask, &rule_replicated_channels, &rule_one_hot_mask };

	for (int i = 0; i < 3; i++)
		ck_assert_msg(measured_check(m, rules[i]) == (rules[i] == expected), "%s", rules[i]->name);
	ck_assert(measured_check(m, expected));
}

TEST(color_mask)
{
	struct measured *m = measured_new("3", NULL);
	const uint8_t rgb[] = { 0, 0, 0, 0x2a, 0x7d, 0xd1, 0x24, 0xb3, 0x53, 0, 0, 0 };

	measured_channels(m, 2, 2, 3, rgb);
	only(m, &rule_color_mask);
	ck_assert_str_eq(m->finding.message.s, "3 colours instead of ids: #000000, #24b353, #2a7dd1");
	ck_assert_str_eq(m->finding.details.map.s, "#000000 (2), #24b353 (1), #2a7dd1 (1)");
	assert_says(m->finding.advice, "name all colours of the set in one table, --colors");
	measured_list(m, 0, 1, 2);
	ck_assert(!measured_check(m, &rule_color_mask));
}

TEST(color_mask_of_known_palette)
{
	struct measured *m = measured_new("21", NULL);
	const uint8_t voc[] = { 0, 0, 0, 128, 0, 0, 192, 128, 128 }, city[] = { 0, 0, 0, 128, 64, 128, 0, 0, 142 };

	measured_channels(m, 3, 1, 3, voc);
	only(m, &rule_color_mask);
	ck_assert_str_eq(m->finding.details.map.s, "#000000 -> 0, #800000 -> 1, #c08080 -> 15");
	assert_says(m->finding.advice, "PASCAL VOC");
	assert_says(m->finding.advice, "they are the colours of PASCAL VOC: ");
	measured_channels(m, 3, 1, 3, city);
	only(m, &rule_color_mask);
	ck_assert_str_eq(m->finding.details.map.s, "#000000 -> 255, #00008e -> 13, #804080 -> 0");
	assert_says(m->finding.advice, "Cityscapes");
}

/* 256 colours may be a code, 257 are a rendering; past COLOURS_MAX nobody counts. */
/* A few colours that a palette happens to have, too, name no palette. */
TEST(color_mask_of_no_palette)
{
	struct measured *m = measured_new("2", NULL);
	const uint8_t red[] = { 0, 0, 0, 255, 0, 0 }; /* Cityscapes' rider, 12 */
	const uint8_t voc[] = { 0, 0, 0, 128, 0, 0, 192, 128, 128, 0, 128, 0 };

	measured_channels(m, 2, 1, 3, red);
	only(m, &rule_color_mask);
	ck_assert(!strstr(m->finding.advice.s, "Cityscapes"));
	measured_channels(m, 4, 1, 3, voc); /* four of its classes: it is VOC, whatever was declared */
	only(m, &rule_color_mask);
	assert_says(m->finding.advice, "PASCAL VOC");
}

/* A colour mask that may have been resized in its colours: a map of each colour would keep the damage. */
TEST(color_mask_of_rare_colours)
{
	enum { RARE = 8, PIXELS = 2000 };
	struct measured *m = measured_new("3", NULL);
	static uint8_t rgb[3 * PIXELS];

	for (size_t i = 0; i < PIXELS; i++)
		rgb[3 * i] = i < RARE ? (uint8_t)(20 * (i + 1)) : i % 2 ? 200 : 0;
	measured_channels(m, PIXELS, 1, 3, rgb);
	only(m, &rule_color_mask);
	assert_says(m->finding.message, "10 colours instead of ids: #000000, #140000, ");
	assert_says(m->finding.message, " and 2 more; 8 of them have fewer than one pixel in 1,000 each");
	assert_says(m->finding.advice, "if it was resized, smoothed or once a JPEG, make it again");
	assert_says(m->finding.advice, "; else name all colours");
	rgb[3 * RARE] = 20; /* two pixels in 2,000 */
	measured_channels(m, PIXELS, 1, 3, rgb);
	only(m, &rule_color_mask);
	ck_assert(!strstr(m->finding.message.s, "fewer"));
}

/* A mask that was painted in RGB and written by OpenCV. */
TEST(color_mask_of_swapped_palette)
{
	const uint8_t bgr[] = { 0, 0, 0, 0, 0, 128, 0, 128, 0, 0, 128, 128 },
		      bus[] = { 0, 0, 0, 64, 128, 0, 128, 0, 192 };
	struct measured *m = measured_new("4", NULL);

	measured_channels(m, 4, 1, 3, bgr); /* VOC's 0, 4, 2, 6; exchanged 0, 1, 2, 3 */
	only(m, &rule_color_mask);
	ck_assert_str_eq(m->finding.details.map.s, "#000000 -> 0, #000080 -> 1, #008000 -> 2, #008080 -> 3");
	assert_says(m->finding.advice, "PASCAL VOC with red and blue exchanged");
	measured_channels(m, 2, 1, 3, bgr); /* black and blue are everybody's */
	only(m, &rule_color_mask);
	ck_assert(!strstr(m->finding.advice.s, "PASCAL"));
	m = measured_new("21", NULL); /* declared as they are */
	measured_channels(m, 4, 1, 3, bgr);
	only(m, &rule_color_mask);
	assert_says(m->finding.advice, "PASCAL VOC: with --colors voc masks");
	measured_channels(m, 3, 1, 3, bus); /* 10 and 37; exchanged 34 and 13 */
	only(m, &rule_color_mask);
	ck_assert(!strstr(m->finding.advice.s, "PASCAL"));
}

TEST(color_mask_in_one_channel)
{
	struct measured *m = measured_new("4", "255");
	const uint8_t red[] = { 0, 0, 0, 2, 0, 0, 255, 0, 0 }, blue[] = { 0, 0, 0, 0, 0, 3, 0, 0, 2 },
		      beyond[] = { 0, 0, 0, 2, 0, 0, 4, 0, 0 };

	measured_channels(m, 3, 1, 3, red);
	only(m, &rule_color_mask);
	assert_says(m->finding.advice, "red channel alone: keep that, np.array(Image.open(f))[..., 0]");
	measured_channels(m, 3, 1, 3, blue);
	only(m, &rule_color_mask);
	assert_says(m->finding.advice, "blue channel alone: keep that, np.array(Image.open(f))[..., 2]");
	measured_channels(m, 3, 1, 3, beyond);
	only(m, &rule_color_mask);
	ck_assert(!strstr(m->finding.advice.s, "channel"));
}

TEST(color_mask_of_too_many_colours)
{
	struct measured *m = measured_new("3", NULL);
	uint8_t rgb[257 * 3] = { 0 };

	for (int i = 0; i < 257; i++) {
		rgb[3 * i] = (uint8_t)(i & 255);
		rgb[3 * i + 1] = (uint8_t)(i >> 8);
	}
	measured_channels(m, 256, 1, 3, rgb);
	only(m, &rule_color_mask);
	assert_says(m->finding.message, "256 colours instead of ids");
	assert_says(m->finding.message, "and 248 more");
	measured_channels(m, 257, 1, 3, rgb);
	only(m, &rule_color_mask);
	assert_says(m->finding.message, "257 colours: a rendering");
	m->stats.channels.colours_cut = 1;
	m->stats.ids_count = 0;
	only(m, &rule_color_mask);
	assert_says(m->finding.message, "more than 4096 colours");
	m->settings.rules.levels[rule_index(rule_find("image-as-mask"))] = LEVEL_ERROR;
	ck_assert(!measured_check(m, &rule_color_mask)); /* a photograph: image-as-mask reports it */
	m->stats.channels.blank_pixels = 129;
	ck_assert(measured_check(m, &rule_color_mask));
}

TEST(color_mask_or_not_by_alpha)
{
	struct measured *m = measured_new("3", NULL);
	const uint8_t varies[] = { 1, 1, 1, 255, 1, 1, 1, 0 }, constant[] = { 1, 1, 1, 255, 2, 2, 2, 255 };

	measured_channels(m, 2, 1, 4, varies);
	only(m, &rule_color_mask);
	assert_says(m->finding.message, "an alpha that varies from 0 to 255");
	measured_channels(m, 2, 1, 4, constant);
	only(m, &rule_replicated_channels);
}

TEST(replicated_channels)
{
	struct measured *m = measured_new("3", NULL);
	const uint8_t grey[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 7, 7, 7 }, alpha[] = { 0, 255, 2, 255 };

	measured_channels(m, 4, 1, 3, grey);
	only(m, &rule_replicated_channels);
	ck_assert_str_eq(m->finding.message.s,
			 "3 equal channels; one of them holds ids 0-2, 7, 1 of them out of range; valid ids are 0-2");
	measured_channels(m, 2, 1, 2, alpha);
	only(m, &rule_replicated_channels);
	ck_assert_str_eq(m->finding.message.s, "grey and a constant alpha; one of them holds ids 0, 2");
	measured_list(m, 0, 1, 2);
	ck_assert(!measured_check(m, &rule_replicated_channels));

	/* one channel of it would be scaled */
	const uint8_t white[] = { 0, 0, 0, 255, 255, 255 };

	m = measured_new("2", NULL);
	measured_channels(m, 2, 1, 3, white);
	only(m, &rule_replicated_channels);
	ck_assert_ptr_nonnull(strstr(m->finding.advice.s, "[..., 0] == 255).astype(np.uint8)"));
	m = measured_new("3", NULL); /* where grey may lie between in other files */
	measured_channels(m, 2, 1, 3, white);
	only(m, &rule_replicated_channels);
	ck_assert_ptr_null(strstr(m->finding.advice.s, "=="));
}

/* width pixels, of which `black` are black and the others red or green in turn. */
static void red_green(struct measured *m, uint32_t width, uint32_t black, uint8_t peak)
{
	uint8_t *rgb = calloc(width, 3);

	for (uint32_t i = black; i < width; i++)
		rgb[3 * i + i % 2] = peak;
	measured_channels(m, width, 1, 3, rgb);
	free(rgb);
}

TEST(one_hot_mask)
{
	struct measured *m = measured_new("3", NULL);

	red_green(m, 1000, 0, 255);
	only(m, &rule_one_hot_mask);
	assert_says(m->finding.message, "exactly one of 3 channels is set to 255 in every pixel");
	assert_says(m->finding.advice, "argmax(-1)");
	red_green(m, 1000, 0, 1);
	only(m, &rule_one_hot_mask);
	red_green(m, 1000, 1, 255); /* 99.9 % */
	only(m, &rule_one_hot_mask);
	red_green(m, 1000, 2, 255); /* 99.8 %: pure colours on a black background */
	only(m, &rule_color_mask);
	red_green(m, 999, 1, 255); /* 99.8999 % */
	only(m, &rule_color_mask);
}

TEST(one_hot_mask_needs_two_channels_and_one_peak)
{
	struct measured *m = measured_new("3", NULL);
	const uint8_t red[] = { 255, 0, 0, 255, 0, 0 }, two_values[] = { 255, 0, 0, 0, 128, 0 };

	measured_channels(m, 2, 1, 3, red);
	only(m, &rule_color_mask);
	measured_channels(m, 2, 1, 3, two_values);
	only(m, &rule_color_mask);
}

/* ---- one channel ------------------------------------------------------------------------------------------------ */

TEST(expanded_bit_depth)
{
	struct measured *m = measured_new("4", NULL);

	measured_list(m, 0, 85, 170);
	m->stats.raw_used[0] = 7; /* samples 0, 1, 2 */
	m->sample.png.bit_depth = 2;
	ck_assert(measured_check(m, &rule_expanded_bit_depth));
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
	assert_says(m->finding.message, "grey of 2 bits: Pillow and OpenCV multiply the samples by 85");
	ck_assert_str_eq(m->finding.details.map.s, "85 -> 1, 170 -> 2");
	m->sample.png.bit_depth = 4;
	ck_assert(measured_check(m, &rule_expanded_bit_depth));
	assert_says(m->finding.message, "by 17");
	m->sample.png.bit_depth = 1;
	ck_assert(measured_check(m, &rule_expanded_bit_depth));
	m->sample.png.bit_depth = 8;
	ck_assert(!measured_check(m, &rule_expanded_bit_depth));
	m->sample.png.bit_depth = 4;
	m->sample.png.colour_type = PNG_PALETTE;
	ck_assert(!measured_check(m, &rule_expanded_bit_depth));
	m->sample.png.colour_type = PNG_GREY;
	m->stats.raw_used[0] = 1; /* nothing but 0: every loader agrees */
	ck_assert(!measured_check(m, &rule_expanded_bit_depth));
}

static bool diverges(struct measured *m, bool flagged)
{
	struct dataset_stats d;

	dataset_init(&d);
	measured_add(m, &d, flagged);
	bool fired = measured_check_dataset(m, &rule_loader_divergence, &d);

	dataset_release(&d);
	return fired;
}

TEST(loader_divergence)
{
	struct measured *m = measured_new("3", NULL);

	measured_list(m, 0, 1, 2);
	ck_assert(!diverges(m, false)); /* 8-bit grey */
	m->sample.png.colour_type = PNG_PALETTE;
	m->sample.png.palette_entries = 256;
	for (int i = 0; i < 256; i++)
		memset(m->sample.png.palette[i], i, 3);
	ck_assert(!diverges(m, false)); /* a grey palette */
	m->sample.png.palette[3][0] = 200;
	ck_assert(!diverges(m, false)); /* not in use */
	m->sample.png.palette[2][0] = 200;
	ck_assert(diverges(m, false));
	assert_says(m->finding.message, "1 palette file, first mask.png: cv2.imread(f, 0) reads luma");
	assert_says(m->finding.advice, "--view pil");
}

TEST(loader_divergence_of_depths)
{
	struct measured *m = measured_new("400", NULL);

	measured_list(m, 0, 1);
	m->sample.png.bit_depth = 1;
	ck_assert(diverges(m, false));
	assert_says(m->finding.message, "1 file of 1 bit");
	m->sample.png.bit_depth = 4;
	ck_assert(diverges(m, false));
	assert_says(m->finding.message, "1 grey file of 2 or 4 bits");
	m->sample.png.bit_depth = 16;
	ck_assert(diverges(m, false));
	assert_says(m->finding.message, "1 file of 16 bits");
	ck_assert(!strstr(m->finding.message.s, "uint8"));
	measured_list(m, 0, 255);
	ck_assert(diverges(m, false));
	ck_assert(!strstr(m->finding.message.s, "uint8"));
	measured_list(m, 0, 256);
	ck_assert(diverges(m, false));
	assert_says(m->finding.message, "uint8");
	measured_list(m, 0);
	ck_assert(!diverges(m, false));
}

TEST(mask_in_alpha)
{
	struct measured *m = measured_new("2", NULL);

	measured_list(m, 0, 90, 255);
	m->sample.png.colour_type = PNG_PALETTE;
	m->sample.png.palette_entries = 256;
	memset(m->sample.png.palette, 255, sizeof(m->sample.png.palette));
	ck_assert(measured_check(m, &rule_mask_in_alpha));
	ck_assert_str_eq(m->finding.message.s,
			 "all 3 indices in use are white: the mask is in their transparency (tRNS)");
	m->sample.png.palette[90][2] = 254;
	ck_assert(!measured_check(m, &rule_mask_in_alpha));
	m->sample.png.palette[90][2] = 255;
	m->sample.png.palette_entries = 255;
	ck_assert(!measured_check(m, &rule_mask_in_alpha));
	m->sample.png.palette_entries = 256;
	m->sample.png.colour_type = PNG_GREY;
	ck_assert(!measured_check(m, &rule_mask_in_alpha));
	m->sample.png.colour_type = PNG_PALETTE;
	measured_list(m, 0, 1); /* ids, all in range */
	ck_assert(!measured_check(m, &rule_mask_in_alpha));
	measured_list(m, 255, 255);
	ck_assert(!measured_check(m, &rule_mask_in_alpha));
}

TEST(mask_in_alpha_channel)
{
	struct measured *m = measured_new("2", NULL);
	const uint8_t black[] = { 0, 0, 0, 255, 0, 0, 0, 3 }, two[] = { 0, 0, 0, 255, 1, 1, 1, 0 };
	const uint8_t white[] = { 255, 0, 255, 255 }, opaque[] = { 255, 9, 255, 9 };

	m->settings.rules.levels[rule_index(rule_find("mask-in-alpha"))] = LEVEL_ERROR;
	measured_channels(m, 2, 1, 4, black);
	ck_assert(!measured_check(m, &rule_color_mask)); /* one finding for one cause */
	ck_assert(measured_check(m, &rule_mask_in_alpha));
	ck_assert_str_eq(m->finding.message.s, "all pixels are #000000: the mask is in the alpha channel, 3 to 255");
	measured_channels(m, 2, 1, 2, white);
	ck_assert(measured_check(m, &rule_mask_in_alpha));
	measured_channels(m, 2, 1, 2, opaque);
	ck_assert(!measured_check(m, &rule_mask_in_alpha));
	measured_channels(m, 2, 1, 4, two);
	ck_assert(!measured_check(m, &rule_mask_in_alpha));
	only(m, &rule_color_mask);
}

/* Measures 4,000 pixels of three equal channels: black and white, and 10 of each level of from, from + step ... to. */
static bool is_soft(struct measured *m, unsigned white, unsigned from, unsigned to, unsigned step)
{
	static uint8_t pixels[3 * 4000];
	static struct one_channel one;
	unsigned at = 0;

	for (unsigned level = from; level <= to; level += step)
		for (unsigned i = 0; i < 10; i++, at += 3)
			memset(pixels + at, (int)level, 3);
	for (unsigned i = 0; at < sizeof(pixels); i++, at += 3)
		memset(pixels + at, i < white ? 255 : 0, 3);
	measured_channels(m, 80, 50, 3, pixels);
	const struct rule_input s = rule_input_of(&m->settings, &m->sample, &m->stats, m->ids, NULL);

	ck_assert(one_channel_init(&one, &s));
	finding_init(&m->finding, &rule_interpolated_mask);
	return rule_applies(&rule_interpolated_mask, rule_input_facts(&one.input)) &&
	       rule_check_file(&rule_interpolated_mask, &one.input, &m->finding);
}

/* The levels of one of several equal channels tell, too, where its neighbourhood counters do not. */
TEST(levels_of_one_channel)
{
	struct measured *m = measured_new("2", NULL);

	ck_assert(is_soft(m, 900, 16, 240, 16));
	ck_assert_str_eq(m->finding.message.s,
			 "15 levels between black and white hold 150 pixels: soft edges of a binary mask");
	assert_says(m->finding.advice, "INTER_NEAREST");
	ck_assert(is_soft(m, 40, 16, 240, 16));
	ck_assert(!is_soft(m, 39, 16, 240, 16)); /* hardly any white */
	ck_assert(is_soft(m, 900, 30, 228, 33));
	ck_assert(!is_soft(m, 900, 70, 238, 28)); /* nothing in the first quarter: 8 to 67 */
	ck_assert(!is_soft(m, 900, 9, 33, 1));    /* undeclared classes, and 255 */
	ck_assert(!is_soft(m, 0, 16, 240, 16));
	m = measured_new("256", NULL); /* all in range */
	ck_assert(!is_soft(m, 900, 16, 240, 16));
}

/* A mask whose channels are equal is judged as the mask of one of them. */
TEST(one_channel)
{
	struct measured *m = measured_new("4", NULL);
	static struct one_channel one;
	static struct finding f;
	const uint8_t grey[] = { 0, 0, 0, 85, 85, 85, 170, 170, 170, 255, 255, 255, 255, 255, 255 };
	struct rule_input s;

	measured_channels(m, 5, 1, 3, grey);
	m->sample.png.bit_depth = 8;
	s = rule_input_of(&m->settings, &m->sample, &m->stats, m->ids, NULL);
	ck_assert(one_channel_init(&one, &s));
	ck_assert_uint_eq(one.stats.labels, 5);
	ck_assert_int_eq(one.stats.max, 255);
	ck_assert_uint_eq(one.ids[3].labels, 2);
	ck_assert_uint_eq(rule_input_facts(&one.input), FACTS_IDS | FACTS_MASK | FACTS_PNG);
	finding_init(&f, &rule_scaled_ids);
	ck_assert(rule_check_file(&rule_scaled_ids, &one.input, &f));
	assert_says(f.message, "4 classes spread over 0..255 in steps of 85.00");

	m->sample.png.bit_depth = 16; /* the low bytes are lost */
	ck_assert(!one_channel_init(&one, &s));
	m->sample.png.bit_depth = 8;
	m->stats.channels.unequal_pixels = 1;
	ck_assert(!one_channel_init(&one, &s));
	measured_list(m, 0, 1);
	ck_assert(!one_channel_init(&one, &s));
}

TEST(index_beyond_palette)
{
	struct measured *m = measured_new("256", NULL);

	measured_list(m, 0, 20, 21, 21, 255);
	m->sample.png.colour_type = PNG_PALETTE;
	m->sample.png.palette_entries = 21;
	ck_assert(measured_check(m, &rule_index_beyond_palette));
	ck_assert_str_eq(m->finding.message.s, "palette ids 21, 255 are used, the palette has only 21 entries");
	ck_assert_uint_eq(m->finding.details.ids[0].labels, 2);
	m->sample.png.palette_entries = 255;
	ck_assert(measured_check(m, &rule_index_beyond_palette));
	m->sample.png.palette_entries = 256;
	ck_assert(!measured_check(m, &rule_index_beyond_palette));
	m->sample.png.colour_type = PNG_GREY;
	m->sample.png.palette_entries = 0;
	ck_assert(!measured_check(m, &rule_index_beyond_palette));
}

TEST(wide_ids)
{
	struct measured *m = measured_new("400", NULL);

	measured_list(m, 0, 255);
	ck_assert(!measured_check(m, &rule_wide_ids));
	m->sample.png.bit_depth = 16;
	ck_assert(measured_check(m, &rule_wide_ids));
	ck_assert_int_eq(m->finding.level, LEVEL_INFO);
	assert_says(m->finding.message, "no id is above 255");
	m->settings.view = VIEW_CV2;
	ck_assert(!measured_check(m, &rule_wide_ids));
	m->settings.view = VIEW_PIL;
	measured_list(m, 0, 256);
	ck_assert(!measured_check(m, &rule_wide_ids));
}

/* The published head of VOC's colormap, and the way back for all of it. */
TEST(voc_palette)
{
	static const uint32_t head[] = { 0x000000, 0x800000, 0x008000, 0x808000, 0x000080, 0x800080, 0x008080,
					 0x808080, 0x400000, 0xc00000, 0x408000, 0xc08000, 0x400080, 0xc00080,
					 0x408080, 0xc08080, 0x004000, 0x804000, 0x00c000, 0x80c000, 0x004080 };
	struct id_stats two[2] = { { .id = 0 }, { .id = 0 } };

	for (unsigned i = 0; i < 21; i++)
		ck_assert_uint_eq(voc_colour(i), head[i]);
	ck_assert_uint_eq(voc_colour(255), 0xe0e0c0);
	for (unsigned i = 1; i < 256; i++) {
		two[1].id = voc_colour(i);
		const struct known_palette *p = known_palette_match(two, 2, false);

		ck_assert_ptr_nonnull(p);
		if (!strcmp(p->name, "PASCAL VOC"))
			ck_assert_int_eq(p->id_of(voc_colour(i)), i);
	}
	two[1].id = 0x810000;
	ck_assert_ptr_null(known_palette_match(two, 2, false));
	ck_assert_ptr_null(known_palette_match(two, 1, false));
}
