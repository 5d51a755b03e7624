/*
 * Rules about what a set is made of, and about files that are no masks: mixed-encoding, inconsistent-palette,
 * multi-label-mask, mixed-sizes, image-as-mask, edge-halo, rare-class, unaudited-labels, unread-format.
 */
#include "../unit/check_main.h"
#include "set.h"

extern const struct rule rule_mixed_encoding, rule_reordered_palette, rule_out_of_range_id, rule_inconsistent_palette,
	rule_multi_label_mask, rule_mixed_sizes, rule_too_few_files, rule_image_as_mask, rule_edge_halo,
	rule_rare_class, rule_color_mask, rule_one_hot_mask, rule_unaudited_labels, rule_unread_format;

/* ---- mixed-encoding --------------------------------------------------------------------------------------------- */

static void add_encoded(struct set *s, const char *path, uint8_t colour_type, uint8_t depth, uint8_t interlace)
{
	measured_list(s->m, 0, 1);
	s->m->sample.path = path;
	s->m->sample.png.colour_type = colour_type;
	s->m->sample.png.bit_depth = depth;
	s->m->sample.png.interlace = interlace;
	measured_add(s->m, s->d, false);
}

TEST(mixed_encoding)
{
	struct set s = set_new("2", NULL);

	add_encoded(&s, "a.png", PNG_PALETTE, 8, 0);
	add_encoded(&s, "b.png", PNG_PALETTE, 4, 0); /* read alike */
	add_encoded(&s, "c.png", PNG_PALETTE, 8, 1);
	ck_assert(!set_check(&s, &rule_mixed_encoding));
	add_encoded(&s, "y.png", PNG_GREY, 8, 0);
	add_encoded(&s, "x.png", PNG_GREY, 8, 1);
	add_encoded(&s, "z.png", PNG_GREY, 16, 0);
	ck_assert(set_check(&s, &rule_mixed_encoding));
	ck_assert_str_eq(s.m->finding.message.s, "6 files in 3 encodings: 3 png palette, 2 png grey 8 (first x.png), 1 "
						 "png grey 16 (first z.png)");
}

/* ---- inconsistent-palette --------------------------------------------------------------------------------------- */

static void add_palette(struct set *s, struct dataset_stats *d, const char *path, uint8_t red_of_1)
{
	struct png_header *png = &s->m->sample.png;

	measured_list(s->m, 0, 1);
	s->m->sample.path = path;
	png->colour_type = PNG_PALETTE;
	png->palette_entries = 3;
	memset(png->palette, 0, sizeof(png->palette));
	png->palette[1][0] = red_of_1;
	png->palette[2][0] = (uint8_t)path[0]; /* differs in every file, used in none */
	measured_add(s->m, d, false);
}

TEST(inconsistent_palette)
{
	struct set s = set_new("2", NULL);

	add_palette(&s, s.d, "a.png", 128);
	add_palette(&s, s.d, "c.png", 128);
	ck_assert(!set_check(&s, &rule_inconsistent_palette));
	add_palette(&s, s.d, "d.png", 64);
	add_palette(&s, s.d, "b.png", 64);
	add_palette(&s, s.d, "e.png", 128);
	ck_assert(set_check(&s, &rule_inconsistent_palette));
	ck_assert_str_eq(s.m->finding.message.s, "index 1 is #800000 in 3 of 5 files, and #400000 in b.png");
	ck_assert_uint_eq(s.m->finding.details.ids_total, 1);
	s = set_new("2", NULL); /* three colours: of the others the more frequent one */
	add_palette(&s, s.d, "a.png", 128);
	add_palette(&s, s.d, "b.png", 128);
	add_palette(&s, s.d, "c.png", 128);
	add_palette(&s, s.d, "d.png", 64);
	add_palette(&s, s.d, "e.png", 32);
	add_palette(&s, s.d, "f.png", 32);
	add_palette(&s, s.d, "g.png", 200);
	add_palette(&s, s.d, "h.png", 200);
	add_palette(&s, s.d, "i.png", 200);
	add_palette(&s, s.d, "j.png", 200);
	ck_assert(set_check(&s, &rule_inconsistent_palette));
	ck_assert_str_eq(s.m->finding.message.s,
			 "index 1 is #c80000 in 4 of 10 files, and #800000 in a.png (4 colours in all)");
	s = set_new("1", "1"); /* what colour ignored pixels have does not matter */
	add_palette(&s, s.d, "a.png", 128);
	add_palette(&s, s.d, "b.png", 64);
	ck_assert(!set_check(&s, &rule_inconsistent_palette));
}

/* ---- reordered-palette ------------------------------------------------------------------------------------------ */

/* Colours by index, the first two of which the mask uses. */
static bool check_palette(struct measured *m, uint32_t zero, uint32_t one)
{
	struct png_header *png = &m->sample.png;
	const uint32_t colours[] = { zero, one, 0x808000 };

	measured_list(m, 0, 1);
	m->stats.coded = 1;
	png->colour_type = PNG_PALETTE;
	png->palette_entries = 3;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned c = 0; c < 3; c++)
			png->palette[i][c] = (uint8_t)(colours[i] >> (16 - 8 * c));
	return measured_check(m, &rule_reordered_palette);
}

/* Masks in RGB that are read by their colours, among masks that are not; a black mask is either. */
TEST(mixed_colours_and_ids)
{
	struct set s = set_new("3", NULL);
	int32_t other;

	ck_assert(colour_table_add(&s.m->settings.colours, 0x800000, 1, &other));
	s.m->sample.path = "b.png";
	set_add(&s, 0, 0);
	s.m->sample.path = "a.png";
	s.m->sample.png.colour_type = PNG_RGB;
	s.m->sample.png.channels = 3;
	measured_list(s.m, 0, 1);
	s.m->stats.coded = 1;
	measured_add(s.m, s.d, false);
	ck_assert(set_check(&s, &rule_mixed_encoding));
	ck_assert_int_eq(s.m->finding.level, LEVEL_WARNING);
	s.m->sample.path = "c.png";
	s.m->sample.png.colour_type = PNG_GREY;
	s.m->sample.png.channels = 1;
	set_add(&s, 0, 2);
	ck_assert(set_check(&s, &rule_mixed_encoding));
	ck_assert_int_eq(s.m->finding.level, LEVEL_ERROR);
	ck_assert_ptr_nonnull(strstr(s.m->finding.message.s,
				     "; 1 is read by the table of colours (first a.png), 1 by its ids "
				     "(first c.png): no loader does both"));
	colour_table_release(&s.m->settings.colours);
}

TEST(reordered_palette)
{
	struct measured *m = measured_new("3", NULL);
	int32_t other;

	class_set_name(&m->settings.classes, 1, "car");
	for (int i = 0; i < 3; i++)
		ck_assert(colour_table_add(&m->settings.colours, 0x800000 >> 8 * i, i, &other));
	ck_assert(!check_palette(m, 0x800000, 0x008000)); /* index 2 is not in use */
	ck_assert(!check_palette(m, 0x800000, 0x123456)); /* out of range, and no more */
	ck_assert(check_palette(m, 0x008000, 0x000080));
	ck_assert_str_eq(m->finding.message.s,
			 "index 0 has #008000, the colour of class 1 (car); 2 of 2 indices in use are "
			 "not the ids of their colours");
	ck_assert_str_eq(m->finding.details.map.s, "0 -> 1, 1 -> 2");
	ck_assert(check_palette(m, 0x800000, 0x000080));
	ck_assert_str_eq(
		m->finding.message.s,
		"index 1 has #000080, the colour of class 2; 1 of 2 indices in use is not the id of its colour");
	m->stats.coded = 0;
	ck_assert(!measured_check(m, &rule_reordered_palette));
	colour_table_release(&m->settings.colours);
}

/* ---- a colour out of range --------------------------------------------------------------------------------------- */

TEST(unknown_colours)
{
	struct measured *m = measured_new("2", NULL);
	int32_t other;

	ck_assert(colour_table_add(&m->settings.colours, 0x000000, 0, &other));
	ck_assert(colour_table_add(&m->settings.colours, 0x800010, 1, &other));
	m->sample.png.colour_type = PNG_RGB;
	m->sample.png.channels = 3;
	measured_list(m, 0, COLOUR_ID(0x7f0010), 1, 1);
	m->stats.coded = 1;
	ck_assert(measured_check(m, &rule_out_of_range_id));
	ck_assert_str_eq(m->finding.message.s, "1 pixel (25.0 %) has the colour #7f0010; the table has 2 colours, the "
					       "nearest is #800010, class 1");
	ck_assert_ptr_nonnull(strstr(m->finding.advice.s, "--ignore='#7f0010'"));
	ck_assert(m->finding.details.has_first && m->finding.details.first_x == 1);
	measured_list(m, 0, COLOUR_ID(0x7f0010), COLOUR_ID(0x010000), COLOUR_ID(0x7f0010));
	m->stats.coded = 1;
	ck_assert(measured_check(m, &rule_out_of_range_id));
	ck_assert_str_eq(m->finding.message.s, "3 pixels (75.0 %) have the colours #010000, #7f0010; the table has 2 "
					       "colours, the nearest to #7f0010 is #800010, class 1");
	ck_assert_str_eq(m->finding.details.map.s, "#010000 -> #000000, #7f0010 -> #800010");
	ck_assert_ptr_nonnull(strstr(m->finding.advice.s, "anti-aliasing"));
	measured_list(m, 0, COLOUR_ID(0x100080));
	m->stats.coded = 1;
	ck_assert(measured_check(m, &rule_out_of_range_id));
	ck_assert_ptr_nonnull(strstr(m->finding.advice.s, "red and blue are exchanged"));
	m->sample.png.colour_type = PNG_PALETTE;
	m->sample.png.channels = 1;
	measured_list(m, COLOUR_ID(0x010101), COLOUR_ID(0x020202));
	m->stats.coded = 1;
	ck_assert(measured_check(m, &rule_out_of_range_id));
	ck_assert_ptr_nonnull(strstr(m->finding.advice.s, "--colors none"));
	colour_table_release(&m->settings.colours);
}

/* Parts of a set, added in another order, give the same finding. */
TEST(inconsistent_palette_of_merged_parts)
{
	struct set s = set_new("2", NULL);
	struct dataset_stats one, two;
	char whole[TEXT_ROOM];

	add_palette(&s, s.d, "a.png", 1);
	add_palette(&s, s.d, "b.png", 2);
	add_palette(&s, s.d, "c.png", 2);
	add_palette(&s, s.d, "d.png", 1);
	add_palette(&s, s.d, "e.png", 1);
	ck_assert(set_check(&s, &rule_inconsistent_palette));
	memcpy(whole, s.m->finding.message.s, sizeof(whole));
	dataset_init(&one);
	dataset_init(&two);
	add_palette(&s, &one, "e.png", 1);
	add_palette(&s, &one, "c.png", 2);
	add_palette(&s, &two, "d.png", 1);
	add_palette(&s, &two, "b.png", 2);
	add_palette(&s, &two, "a.png", 1);
	dataset_merge(&two, &one);
	ck_assert(measured_check_dataset(s.m, &rule_inconsistent_palette, &two));
	ck_assert_str_eq(s.m->finding.message.s, whole);
	dataset_release(&two);
}

/* A full table keeps the smallest keys, with exact counts, in whatever order they came. */
TEST(palette_totals_are_bounded)
{
	struct palette_totals up = { .v = NULL }, down = { .v = NULL }, rest = { .v = NULL };
	struct sample sample = { .path = "p", .png = { .palette_entries = 1 } };
	const uint64_t used[4] = { 1, 0, 0, 0 };
	const uint32_t colours = PALETTE_TOTALS_MAX + 500;

	for (uint32_t i = 0; i < 2 * colours; i++) {
		uint32_t c = i % colours;

		sample.png.palette[0][1] = (uint8_t)(c >> 8);
		sample.png.palette[0][2] = (uint8_t)c;
		palette_totals_add(&up, &sample, used);
		c = colours - 1 - c;
		sample.png.palette[0][1] = (uint8_t)(c >> 8);
		sample.png.palette[0][2] = (uint8_t)c;
		palette_totals_add(i % 2 ? &down : &rest, &sample, used);
	}
	palette_totals_merge(&down, &rest);
	ck_assert_uint_eq(rest.count, 0);
	ck_assert_uint_eq(up.count, PALETTE_TOTALS_MAX);
	ck_assert_uint_eq(down.count, PALETTE_TOTALS_MAX);
	for (uint32_t i = 0; i < PALETTE_TOTALS_MAX; i++) {
		ck_assert_int_eq(up.v[i].key, i);
		ck_assert_uint_eq(up.v[i].files, 2);
		ck_assert_int_eq(down.v[i].key, i);
		ck_assert_uint_eq(down.v[i].files, 2);
	}
	palette_totals_release(&up);
	palette_totals_release(&down);
}

/* ---- multi-label-mask ------------------------------------------------------------------------------------------- */

TEST(multi_label_mask)
{
	struct measured *m = measured_new("3", NULL);
	uint8_t rgb[] = { 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1 };

	measured_channels(m, 4, 1, 3, rgb);
	ck_assert(!measured_check(m, &rule_color_mask));
	ck_assert(measured_check(m, &rule_multi_label_mask));
	ck_assert_str_eq(m->finding.message.s,
			 "channels are 0 and 1; several are set in 1 pixel (25.0 %), none in 1 (25.0 %)");
	assert_says(m->finding.advice, "BCEWithLogitsLoss");
	rgb[4] = 0; /* none has several: a background */
	measured_channels(m, 4, 1, 3, rgb);
	ck_assert(measured_check(m, &rule_multi_label_mask));
	assert_says(m->finding.advice, "np.where(m.any(-1), m.argmax(-1) + 1, 0)");
	for (size_t i = 0; i < sizeof(rgb); i++) /* colours, for all we know */
		rgb[i] = rgb[i] ? 255 : 0;
	measured_channels(m, 4, 1, 3, rgb);
	ck_assert(!measured_check(m, &rule_multi_label_mask));
	ck_assert(measured_check(m, &rule_color_mask));
}

TEST(multi_label_mask_threshold)
{
	struct measured *m = measured_new("3", NULL);
	uint8_t rgb[3000] = { 0 };

	for (size_t i = 0; i < 1000; i++)
		rgb[3 * i + i % 2] = 1;
	rgb[2] = 1; /* 1 in 1000 has two: still one-hot */
	measured_channels(m, 1000, 1, 3, rgb);
	ck_assert(!measured_check(m, &rule_multi_label_mask));
	ck_assert(measured_check(m, &rule_one_hot_mask));
	rgb[5] = 1;
	measured_channels(m, 1000, 1, 3, rgb);
	ck_assert(measured_check(m, &rule_multi_label_mask));
	ck_assert(!measured_check(m, &rule_one_hot_mask));
}

/* ---- mixed-sizes ------------------------------------------------------------------------------------------------ */

static void add_size(struct set *s, uint32_t width, uint32_t height)
{
	int64_t ids[16] = { 0 };

	measured_ids(s->m, width, height, ids);
	measured_add(s->m, s->d, false);
}

TEST(mixed_sizes)
{
	struct set s = set_new("2", NULL);

	add_size(&s, 4, 3);
	add_size(&s, 4, 3);
	add_size(&s, 3, 4);
	ck_assert(!set_check(&s, &rule_mixed_sizes)); /* two equal ones are no habit */
	add_size(&s, 4, 3);
	ck_assert(set_check(&s, &rule_mixed_sizes));
	ck_assert_str_eq(s.m->finding.message.s, "3 of 4 masks are 4 x 3 (width x height), 1 is not: 3 x 4 (1)");
	add_size(&s, 1, 1);
	add_size(&s, 1, 2); /* 3 of 6 */
	ck_assert(set_check(&s, &rule_mixed_sizes));
	add_size(&s, 1, 3);
	ck_assert(!set_check(&s, &rule_mixed_sizes));
	s = set_new("2", NULL);
	for (int i = 0; i < 9; i++)
		add_size(&s, 4, 3);
	ck_assert(!set_check(&s, &rule_mixed_sizes));
}

TEST(too_few_files)
{
	struct set s = set_new("2", NULL);

	set_add(&s, 0, 1);
	set_add(&s, 0, 1);
	ck_assert(!set_check(&s, &rule_too_few_files)); /* without --min-files */
	s.m->settings.thresholds.min_files = 2;
	ck_assert(!set_check(&s, &rule_too_few_files));
	s.m->settings.thresholds.min_files = 3;
	ck_assert(set_check(&s, &rule_too_few_files));
	ck_assert_str_eq(s.m->finding.message.s, "2 label files; --min-files wants 3");
	s.d->files_failed++; /* is there, though it cannot be read */
	ck_assert(!set_check(&s, &rule_too_few_files));
}

/* ---- image-as-mask ---------------------------------------------------------------------------------------------- */

/* n levels one after another, in every row another place: thin everywhere, all levels alike. */
static void measure_levels(struct measured *m, int64_t n, uint32_t run)
{
	static int64_t ids[128 * 128];

	for (uint32_t i = 0; i < 128 * 128; i++)
		ids[i] = (i % 128 / run + i / 128 / run * 7) % n;
	measured_ids(m, 128, 128, ids);
}

TEST(image_as_mask)
{
	struct measured *m = measured_new("256", NULL);

	measure_levels(m, 65, 1);
	ck_assert(measured_check(m, &rule_image_as_mask));
	assert_says(m->finding.message, "65 ids");
	measure_levels(m, 64, 1);
	ck_assert(!measured_check(m, &rule_image_as_mask));
	measure_levels(m, 65, 1); /* as many labels as there can be */
	for (uint64_t i = 0; i < m->stats.ids_count; i++) {
		m->ids[i].labels <<= 44;
		m->ids[i].thin <<= 44;
	}
	m->stats.labels <<= 44;
	ck_assert(measured_check(m, &rule_image_as_mask));
	measure_levels(m, 65, 4); /* areas of 4 x 4: a mosaic, not noise */
	ck_assert_uint_eq(m->stats.ids_count, 65);
	ck_assert(!measured_check(m, &rule_image_as_mask));
}

/* 65 ids and thin, but most labels are of a few ids: 1 / sum of squares is just below 6, and above. */
TEST(image_as_mask_needs_many_ids)
{
	struct measured *m = measured_new("256", NULL);
	static int64_t ids[128 * 128];

	for (int64_t few = 5; few <= 7; few += 2) {
		for (int64_t i = 0; i < 128 * 128; i++)
			ids[i] = (i + i / 128) % few;
		for (int64_t i = 0; i < 65; i++)
			ids[200 * i] = i;
		measured_ids(m, 128, 128, ids);
		ck_assert_uint_eq(m->stats.ids_count, 65);
		ck_assert(measured_check(m, &rule_image_as_mask) == (few == 7));
	}
}

/* A quarter of the labels is thin in damaged masks, too; half of them is not. */
TEST(image_as_mask_is_not_every_damaged_mask)
{
	struct measured *m = measured_new("60", NULL);

	for (unsigned damaged = 0; damaged < 2; damaged++)
		for (unsigned percent = 30; percent <= 40; percent += 10) {
			measure_levels(m, 65, 1);
			memset(m->stats.wide_edges, 0, sizeof(m->stats.wide_edges));
			m->stats.long_between[0] = m->stats.long_between[1] = 0;
			for (uint64_t i = 0; i < m->stats.ids_count; i++) {
				m->ids[i].thin = m->ids[i].labels * 2 * percent / 100;
				m->ids[i].between[0] = m->ids[i].between[1] = damaged * 20;
				m->ids[i].lone[0] = m->ids[i].lone[1] = damaged * 20;
			}
			ck_assert(measured_check(m, &rule_image_as_mask) == (!damaged || percent == 40));
		}
}

/* Steps of a scale: next to each other on the map as they are as ids. Out of range they are a picture. */
TEST(image_as_mask_is_no_scale)
{
	static int64_t ids[128 * 128];

	for (unsigned classes = 0; classes < 2; classes++) {
		struct measured *m = measured_new(classes ? "128" : "127", NULL);

		for (uint32_t i = 0; i < 128 * 128; i++)
			ids[i] = (i % 128 + i / 128) / 2;
		measured_ids(m, 128, 128, ids);
		ck_assert(measured_check(m, &rule_image_as_mask) == !classes);
		m->stats.wide_edges[LINE_COLUMN] = m->stats.edges[LINE_COLUMN] / 4 + 1;
		ck_assert(measured_check(m, &rule_image_as_mask));
	}
}

/* An array of which most neighbours differ. */
TEST(image_as_mask_without_counters)
{
	struct measured *m = measured_new("100", NULL);

	for (int64_t n = 128; n <= 129; n++) {
		m->sample.format = FORMAT_NPY;
		m->sample.array.rank = 2;
		measure_levels(m, n, 1);
		m->stats.neighbours = 0;
		ck_assert(measured_check(m, &rule_image_as_mask) == (n == 129));
	}
	assert_says(m->finding.message, "129 ids, evenly used");
	m->sample.array.rank = 1; /* a list */
	ck_assert(!measured_check(m, &rule_image_as_mask));
	m = measured_new("129", NULL); /* words in letters */
	m->sample.format = FORMAT_NPY;
	m->sample.array.rank = 2;
	measure_levels(m, 129, 1);
	m->stats.neighbours = 0;
	ck_assert(!measured_check(m, &rule_image_as_mask));
}

TEST(image_as_mask_of_colours)
{
	struct measured *m = measured_new("2", NULL);
	static uint8_t grey[3 * 1024];

	for (size_t i = 0; i < 1024; i++)
		memset(grey + 3 * i, (int)(i % 129), 3);
	measured_channels(m, 1024, 1, 3, grey);
	ck_assert(measured_check(m, &rule_image_as_mask));
	assert_says(m->finding.message, "129 levels of grey");
	for (size_t i = 0; i < 1024; i++)
		memset(grey + 3 * i, (int)(i % 128), 3);
	measured_channels(m, 1024, 1, 3, grey);
	ck_assert(!measured_check(m, &rule_image_as_mask));
	/* The measurement gives up counting colours; half of them black is a rendering. */
	m->stats.channels.unequal_pixels = 1;
	m->stats.channels.colours_cut = 1;
	m->stats.channels.blank_pixels = 512;
	m->stats.ids_count = 0;
	ck_assert(measured_check(m, &rule_image_as_mask));
	m->stats.channels.blank_pixels = 513;
	ck_assert(!measured_check(m, &rule_image_as_mask));
}

/* ---- edge-halo -------------------------------------------------------------------------------------------------- */

/* A square of class 1 with an outline of `id`, `thick` pixels wide, in a field of 40 x 40 zeros. */
static void measure_outline(struct measured *m, uint32_t side, int64_t id, uint32_t thick)
{
	static int64_t ids[40 * 40];

	for (uint32_t y = 0; y < 40; y++) {
		for (uint32_t x = 0; x < 40; x++) {
			bool in = x >= 5 && y >= 5 && x < 5 + side && y < 5 + side;
			bool inner = x >= 5 + thick && y >= 5 + thick && x < 5 + side - thick && y < 5 + side - thick;

			ids[40 * y + x] = in ? inner ? 1 : id : 0;
		}
	}
	measured_ids(m, 40, 40, ids);
}

TEST(edge_halo)
{
	struct measured *m = measured_new("2", NULL);

	measure_outline(m, 17, 255, 1); /* 64 pixels */
	ck_assert(measured_check(m, &rule_edge_halo));
	assert_says(m->finding.message,
		    "id 255 occurs only as lines of one or two pixels between other ids (64 pixels)");
	assert_says(m->finding.advice, "--ignore=255");
	ck_assert(m->finding.details.has_first);
	measure_outline(m, 16, 255, 1); /* 60 */
	ck_assert(!measured_check(m, &rule_edge_halo));
	measure_outline(m, 25, 255, 5); /* a border class */
	ck_assert(!measured_check(m, &rule_edge_halo));
	m = measured_new("2", "255"); /* declared */
	measure_outline(m, 17, 255, 1);
	ck_assert(!measured_check(m, &rule_edge_halo));
	m = measured_new("9", NULL); /* a class of its own */
	measure_outline(m, 17, 8, 1);
	ck_assert(!measured_check(m, &rule_edge_halo));
	m = measured_new("256", NULL); /* 255 is no class that anybody has */
	measure_outline(m, 17, 255, 1);
	ck_assert(measured_check(m, &rule_edge_halo));
}

/* Scattered pixels are thin both ways. */
TEST(edge_halo_is_not_noise)
{
	struct measured *m = measured_new("2", NULL);
	struct id_stats *row;

	measure_outline(m, 17, 255, 1);
	row = measured_row(m, 255);
	ck_assert_uint_eq(row->labels, 64);
	row->thin = 120;
	ck_assert(measured_check(m, &rule_edge_halo));
	row->thin = 121;
	ck_assert(!measured_check(m, &rule_edge_halo));
}

/* Ids between their neighbours are interpolation's. */
TEST(edge_halo_is_not_between)
{
	struct measured *m = measured_new("2", NULL);

	measure_outline(m, 17, 255, 1);
	for (size_t i = 0; i < m->stats.ids_count; i++) {
		m->ids[i].between[0] = m->ids[i].lone[0];
		m->ids[i].between[1] = m->ids[i].lone[1];
	}
	ck_assert(!measured_check(m, &rule_edge_halo));
	/* nor is it judged where other ids were made up: filters overshoot, too */
	measure_outline(m, 17, 255, 1);
	ck_assert(measured_check(m, &rule_edge_halo));
	for (int64_t id = 100; id < 110; id++) {
		struct id_stats *row = measured_row(m, id);

		row->labels = 20;
		row->thin = 40;
		row->lone[0] = row->lone[1] = row->between[0] = row->between[1] = 20;
	}
	ck_assert(!measured_check(m, &rule_edge_halo));
}

/* ---- rare-class ------------------------------------------------------------------------------------------------- */

TEST(rare_class_by_labels)
{
	struct set s = set_new("3", "255");

	measured_list(s.m, 0, 1, 2, 255);
	s.m->ids[0].labels = 99998;
	s.m->ids[3].labels = 1000000; /* ignored ones do not count */
	measured_add(s.m, s.d, false);
	ck_assert(!set_check(&s, &rule_rare_class)); /* 1 in 100,000 exactly */
	measured_list(s.m, 0);
	measured_add(s.m, s.d, false);
	ck_assert(set_check(&s, &rule_rare_class));
	ck_assert_str_eq(s.m->finding.message.s,
			 "class 1 has 1 label in 1 of 2 files; class 2 has 1 label in 1 of 2 files");
}

TEST(rare_class_by_files)
{
	struct set s = set_new("2", NULL);

	measured_list(s.m, 0, 1);
	measured_add(s.m, s.d, false);
	measured_list(s.m, 0);
	for (int i = 1; i < 1000; i++)
		measured_add(s.m, s.d, false);
	ck_assert(!set_check(&s, &rule_rare_class));
	measured_add(s.m, s.d, false);
	ck_assert(set_check(&s, &rule_rare_class));
	assert_says(s.m->finding.message, "class 1 has 1 label in 1 of 1001 files");
}

TEST(rare_classes_by_name)
{
	struct set s = set_new("0-5", NULL);

	class_set_name(&s.m->settings.classes, 1, "cat");
	class_set_finish(&s.m->settings.classes);
	measured_list(s.m, 0, 1, 2, 3, 4, 5);
	s.m->ids[0].labels = 1000000;
	measured_add(s.m, s.d, false);
	ck_assert(set_check(&s, &rule_rare_class));
	ck_assert_str_eq(s.m->finding.message.s,
			 "class 1 (cat) has 1 label in 1 of 1 files; class 2 has 1 label in 1 of "
			 "1 files; class 3 has 1 label in 1 of 1 files; and 2 more");
	ck_assert_uint_eq(s.m->finding.details.ids_total, 5);
}

/* ---- unaudited-labels ------------------------------------------------------------------------------------------- */

static void leave_out(struct set *s, const char *path, enum skip_reason reason, bool looks_like_labels)
{
	struct sample *sample = &s->m->sample;

	sample->path = path;
	sample->status = SAMPLE_SKIPPED;
	sample->left_out.reason = (uint8_t)reason;
	sample->left_out.looks_like_labels = looks_like_labels;
	dataset_add(s->d, &s->m->settings, sample, &s->m->stats, s->m->ids, false);
	sample->status = SAMPLE_READ;
	sample->left_out.looks_like_labels = false;
}

TEST(unaudited_labels)
{
	struct set s = set_new("3", NULL);

	set_add(&s, 0, 1);
	leave_out(&s, "notes.md", SKIP_NO_LABELS, false);
	leave_out(&s, "z.jpg", SKIP_IMAGE, false);
	ck_assert(!set_check(&s, &rule_unaudited_labels));
	leave_out(&s, "m/b.png", SKIP_LINK_OUTSIDE, true);
	ck_assert(set_check(&s, &rule_unaudited_labels));
	ck_assert_int_eq(s.m->finding.level, LEVEL_WARNING); /* one was audited, one left out */
	ck_assert_str_eq(s.m->finding.message.s,
			 "1 file that looks like labels was not audited: 1 symbolic link that leads out of the paths "
			 "given (the first: m/b.png)");
	s.m->settings.strict = true;
	ck_assert(set_check(&s, &rule_unaudited_labels));
	ck_assert_int_eq(s.m->finding.level, LEVEL_ERROR);
	s.m->settings.strict = false;
	leave_out(&s, "m/a.png", SKIP_LINK_OUTSIDE, true);
	leave_out(&s, "x.txt", SKIP_OTHER_KIND, true);
	ck_assert(set_check(&s, &rule_unaudited_labels));
	ck_assert_int_eq(s.m->finding.level, LEVEL_ERROR); /* more than were audited */
	ck_assert_str_eq(s.m->finding.message.s,
			 "3 files that look like labels were not audited: 2 symbolic links that lead out of the paths "
			 "given, 1 label file of another kind (the first: m/a.png)");
}

/* Annotations that are not read lie beside masks in public data sets: VOC has six for each mask. */
TEST(unread_annotations_are_no_error)
{
	struct set s = set_new("3", NULL);

	set_add(&s, 0, 1);
	for (int i = 0; i < 6; i++)
		leave_out(&s, "Annotations/1.xml", SKIP_UNREAD_ANNOTATION, true);
	ck_assert(set_check(&s, &rule_unaudited_labels));
	ck_assert_int_eq(s.m->finding.level, LEVEL_WARNING);
}

/* ---- unread-format ---------------------------------------------------------------------------------------------- */

static bool check_kind(struct set *s, enum unread_kind kind)
{
	finding_init(&s->m->finding, &rule_unread_format);
	s->m->finding.part = kind;
	return rule_check_dataset(&rule_unread_format, &s->m->settings, s->d, &s->m->finding);
}

static void leave_unread(struct set *s, const char *path, enum unread_kind kind, int files)
{
	s->m->sample.left_out.unread_kind = (uint8_t)kind;
	for (int i = 0; i < files; i++)
		leave_out(s, path, unread_kind_reason(kind), true);
	s->m->sample.left_out.unread_kind = UNREAD_NONE;
}

TEST(unread_format)
{
	struct set s = set_new("3", NULL);

	set_add(&s, 0, 1);
	set_add(&s, 0, 1);
	leave_out(&s, "m/a.tif", SKIP_UNREAD_FORMAT, true);
	for (unsigned kind = 0; kind < UNREAD_KINDS; kind++)
		ck_assert(!check_kind(&s, (enum unread_kind)kind));
	leave_unread(&s, "m/1.tif", UNREAD_TIFF, 1);
	ck_assert(check_kind(&s, UNREAD_TIFF));
	ck_assert(!check_kind(&s, UNREAD_WEBP));
	ck_assert(check_kind(&s, UNREAD_TIFF));
	ck_assert_int_eq(s.m->finding.level, LEVEL_WARNING); /* two audited, two left out */
	ck_assert_str_eq(s.m->finding.message.s, "1 TIFF image is not read (the first: m/1.tif)");
	assert_says(s.m->finding.advice, "python3 -c");
	leave_unread(&s, "m/0.h5", UNREAD_HDF5, 1);
	ck_assert(check_kind(&s, UNREAD_TIFF));
	ck_assert_int_eq(s.m->finding.level, LEVEL_ERROR); /* three */
	ck_assert(check_kind(&s, UNREAD_HDF5));
	ck_assert_int_eq(s.m->finding.level, LEVEL_ERROR);
	/* one cause, one finding */
	ck_assert(set_check(&s, &rule_unaudited_labels));
	ck_assert_str_eq(s.m->finding.message.s, "1 file that looks like labels was not audited: 1 file in a format "
						 "that is not read (the first: m/a.tif)");
}

/* Annotations beside masks are usual; a hundred times as many are the set. */
TEST(unread_annotations_that_are_the_set)
{
	struct set s = set_new("3", NULL);

	set_add(&s, 0, 1);
	leave_unread(&s, "a/1.xml", UNREAD_VOC_XML, 100);
	ck_assert(check_kind(&s, UNREAD_VOC_XML));
	ck_assert_int_eq(s.m->finding.level, LEVEL_WARNING);
	leave_unread(&s, "a/0.xml", UNREAD_VOC_XML, 1);
	ck_assert(check_kind(&s, UNREAD_VOC_XML));
	ck_assert_int_eq(s.m->finding.level, LEVEL_ERROR);
	ck_assert_str_eq(s.m->finding.message.s, "101 Pascal VOC XML files are not read (the first: a/0.xml)");
	s.m->settings.strict = true;
	ck_assert(check_kind(&s, UNREAD_VOC_XML));
	ck_assert_int_eq(s.m->finding.level, LEVEL_ERROR);
}
