/*
 * Masks that are read by their colours: the fast path against the reference, bit for bit. Images in RGB and RGBA, and
 * palettes of every depth; colours in the table and others, about as many as are counted; narrow tables and wide ones;
 * each colour's id, checked by hand.
 */
#include "check_main.h"

#include <string.h>

#include "effort.h"
#include "engine_fixture.h"
#include "random_masks.h"

enum { COLOURS = 24 };

static struct engine_fixture engine;
static struct colour_table table;

static uint32_t colour_at(unsigned i)
{
	uint64_t s = i * UINT64_C(7919) + 1;

	return i < 2 ? i * 0xffffff : random_next(&s) & 0xffffff;
}

/* Half of the colours are in the table. step: from id to id. */
static void set_up_table(unsigned step, bool presumed)
{
	int32_t other;

	table = (struct colour_table){ .presumed = presumed };
	for (unsigned i = 0; i < COLOURS; i += 2)
		ck_assert(colour_table_add(&table, colour_at(i), (int32_t)(i / 2 * step), &other));
	/* #22 is ignored by its id, a colour that is in no table by its name */
	engine_fixture_init_colours(&engine, step == 1 ? "0-10" : "0-32766", "255,11", &table);
	id_ranges_add(&engine.settings.classes.ignored, COLOUR_ID(colour_at(3)), COLOUR_ID(colour_at(3)));
}

static void set_up_narrow(void)
{
	set_up_table(1, false);
}

static void set_up_wide(void)
{
	set_up_table(2900, false);
}

static void set_up_presumed(void)
{
	set_up_table(1, true);
}

static void tear_down(void)
{
	engine_fixture_release(&engine);
	colour_table_release(&table);
}

static struct bytes zlib_stream(const struct bytes *rows)
{
	struct bytes out = { xmalloc(2 * rows->n + 1000), 2 * rows->n + 1000 };
	uLongf n = out.n;

	ck_assert_int_eq(compress2(out.p, &n, rows->p, rows->n, 6), Z_OK);
	out.n = n;
	return out;
}

struct paint {
	unsigned channels, depth; /* 3 or 4; 8 or 16. 1: a palette */
	unsigned colours;         /* the first of colour_at() */
	bool known_only, grey, alpha_varies;
};

/* The colour of id i of a random mask. */
static uint32_t paint_colour(const struct paint *p, unsigned i)
{
	unsigned at = i % p->colours;

	return p->grey ? (at * 5 & 255) * 0x010101 : colour_at(p->known_only ? at & ~1u : at);
}

static struct bytes rgb_png(const struct paint *p, const struct mask *m, unsigned filter, uint64_t *s)
{
	size_t pixel = p->channels * p->depth / 8, row = m->width * pixel;
	uint8_t *samples = xcalloc(m->height, row), *at = samples;
	struct bytes png = { 0 };

	for (size_t i = 0; i < (size_t)m->width * m->height; i++) {
		uint32_t colour = paint_colour(p, m->ids[i]);

		for (unsigned c = 0; c < p->channels; c++) {
			unsigned v = c < 3 ? colour >> (16 - 8 * c) & 255 : 200;

			if (c == 3 && p->alpha_varies && i == (size_t)m->width * m->height / 2)
				v = 199;
			*at++ = (uint8_t)v;
			if (p->depth == 16)
				*at++ = (uint8_t)(c < 3 ? random_below(s, 3) : 7);
		}
	}
	struct bytes rows = filter_rows(samples, row, m->height, pixel, filter, s), stream = zlib_stream(&rows);

	png_begin(&png, m->width, m->height, p->depth, p->channels == 3 ? PNG_RGB : PNG_RGBA);
	png_end(&png, &stream, 500, s);
	free(stream.p);
	free(rows.p);
	free(samples);
	return png;
}

/* order: of the palette: 0 of the table, then others, 1 reversed, 2 random, with the same colours many times. */
static struct bytes palette_png(const struct mask *m, unsigned depth, unsigned order, uint64_t *s)
{
	unsigned entries = 1u << depth, each = 8 / depth;
	size_t row = (m->width + each - 1) / each;
	uint8_t *samples = xcalloc(m->height, row), palette[256][3];
	struct bytes png = { 0 };

	for (unsigned i = 0; i < entries; i++) {
		uint32_t colour = order == 0   ? (i < COLOURS / 2 ? colour_at(2 * i) : colour_at(1000 + i))
				  : order == 1 ? colour_at(entries - 1 - i)
					       : colour_at(random_below(s, COLOURS));

		for (unsigned c = 0; c < 3; c++)
			palette[i][c] = (uint8_t)(colour >> (16 - 8 * c));
	}
	for (uint32_t y = 0; y < m->height; y++)
		for (uint32_t x = 0; x < m->width; x++) {
			unsigned index = m->ids[(size_t)y * m->width + x] % entries;

			samples[y * row + x / each] |= (uint8_t)(index << (8 - depth * (x % each + 1)));
		}
	struct bytes rows = filter_rows(samples, row, m->height, 1, depth == 8 ? random_below(s, 6) : 0, s);
	struct bytes stream = zlib_stream(&rows);

	png_begin(&png, m->width, m->height, depth, PNG_PALETTE);
	bytes_chunk(&png, "PLTE", palette, 3u * entries);
	png_end(&png, &stream, 500, s);
	free(stream.p);
	free(rows.p);
	free(samples);
	return png;
}

static const enum view views[] = { VIEW_PIL, VIEW_RAW, VIEW_CV2 };

static void compare_taken(const struct bytes *png, uint64_t seed)
{
	engine.settings.view = views[seed % 3];
	ck_assert_uint_eq(engine_compare(&engine, png, seed), engine.count);
}

START_TEST(rgb)
{
	for (uint64_t seed = 0; seed < effort(70, 3000); seed++) {
		uint64_t s = seed * 31 + 7;
		struct mask m = mask_random(seed, random_below(&s, 2) ? 256 : 65536, 200);
		struct paint p = { .channels = 3 + random_below(&s, 2),
				   .depth = random_below(&s, 3) ? 8 : 16,
				   .colours = 2 + random_below(&s, COLOURS - 2),
				   .known_only = random_below(&s, 2),
				   .grey = random_below(&s, 8) == 0,
				   .alpha_varies = random_below(&s, 8) == 0 };
		struct bytes png = rgb_png(&p, &m, random_below(&s, 6), &s);

		compare_taken(&png, seed);
		free(png.p);
		mask_release(&m);
	}
}
END_TEST

START_TEST(palettes)
{
	for (uint64_t seed = 0; seed < effort(70, 3000); seed++) {
		uint64_t s = seed * 37 + 5;
		unsigned depth = 1u << random_below(&s, 4);
		/* few ids: of the table alone; many: others, too */
		struct mask m = mask_random(seed, random_below(&s, 2) ? 8 : 256, 200);
		struct bytes png = palette_png(&m, depth, random_below(&s, 3), &s);

		compare_taken(&png, seed);
		free(png.p);
		mask_release(&m);
	}
}
END_TEST

/* About as many colours as are counted. */
START_TEST(many_colours)
{
	uint64_t s = 31;

	for (uint64_t seed = 0; seed < effort(10, 120); seed++) {
		struct mask m = { .width = 70 + random_below(&s, 60), .height = 100 };
		struct paint p = { .channels = 3 + seed % 2,
				   .depth = seed % 3 ? 8 : 16,
				   .colours = COLOURS_MAX - 1 + random_below(&s, 3) };

		m.ids = xmalloc(m.width * m.height * sizeof(*m.ids));
		for (uint32_t i = 0; i < m.width * m.height; i++)
			m.ids[i] = (uint16_t)(i < p.colours ? i : random_below(&s, p.colours));
		struct bytes png = rgb_png(&p, &m, (unsigned)(seed % 6), &s);

		compare_taken(&png, seed);
		free(png.p);
		mask_release(&m);
	}
}
END_TEST

/* Noise that has a code: the full engine measures it. */
START_TEST(noise)
{
	uint64_t s = 77;

	for (uint64_t seed = 0; seed < effort(2, 6); seed++) {
		struct mask m = { .width = effort(750, 1500), .height = effort(600, 1000) };
		struct paint p = {
			.channels = 3 + seed % 2, .depth = 8, .colours = COLOURS, .known_only = seed % 2 == 0
		};

		m.ids = xmalloc(m.width * m.height * sizeof(*m.ids));
		for (uint32_t i = 0; i < m.width * m.height; i++)
			m.ids[i] = (uint16_t)random_below(&s, COLOURS);
		struct bytes png = rgb_png(&p, &m, 0, &s);

		compare_taken(&png, seed);
		free(png.p);
		mask_release(&m);
	}
}
END_TEST

START_TEST(damaged)
{
	uint64_t s = 99;

	for (uint64_t seed = 0; seed < effort(100, 1000); seed++) {
		struct mask m = mask_random(seed, 256, 60);
		struct paint p = { .channels = 3 + seed % 2, .depth = 8, .colours = COLOURS, .known_only = seed % 4 };
		struct bytes whole = seed % 3 ? rgb_png(&p, &m, 5, &s) : palette_png(&m, 8, seed % 2, &s);
		struct bytes png = bytes_damaged(&whole, &s);

		engine.settings.view = views[seed % 3];
		if (random_below(&s, 4) == 0)
			png_mend_crcs(&png);
		engine_compare(&engine, &png, seed);
		if (seed % 16 == 0) /* and nothing of it is left */
			compare_taken(&whole, seed);
		free(png.p);
		free(whole.p);
		mask_release(&m);
	}
}
END_TEST

static const struct id_stats *row_of(const struct batch *batch, int64_t id)
{
	for (size_t i = 0; i < batch->ids_count; i++)
		if (batch->ids[i].id == id)
			return &batch->ids[i];
	return NULL;
}

/* The reference, by hand: 4 x 2 pixels. */
START_TEST(by_hand)
{
	/* colours 0 and 2 are classes 0 and 1; 22 is ignored; 1 is unknown; 3 is ignored by its name */
	uint16_t ids[] = { 0, 2, 1, 1, 22, 3, 1, 2 };
	struct mask m = { .width = 4, .height = 2, .ids = ids };
	struct paint p = { .channels = 3, .depth = 8, .colours = COLOURS };
	uint64_t s = 1;
	struct bytes png = rgb_png(&p, &m, 0, &s);
	struct batch batch;

	batch_init(&batch);
	struct batch_item *item = engine_file(&batch, &png);

	engine_measure_reference(&engine, &batch, item);
	ck_assert(item->stats.coded && !item->stats.colours);
	ck_assert_uint_eq(item->stats.labels, 8);
	ck_assert_uint_eq(batch.ids_count, 5);
	ck_assert_uint_eq(row_of(&batch, 0)->labels, 1);
	ck_assert_uint_eq(row_of(&batch, 1)->labels, 2);
	ck_assert_uint_eq(row_of(&batch, 11)->labels, 1);
	ck_assert_uint_eq(row_of(&batch, 11)->first_index, NO_INDEX);
	const struct id_stats *unknown = row_of(&batch, COLOUR_ID(0xffffff)),
			      *named = row_of(&batch, COLOUR_ID(colour_at(3)));

	ck_assert(unknown && named);
	ck_assert_uint_eq(unknown->labels, 3);
	ck_assert_uint_eq(unknown->first_index, 2);
	ck_assert(unknown->x0 == 2 && unknown->x1 == 3 && unknown->y0 == 0 && unknown->y1 == 1);
	ck_assert(named->labels == 1 && named->first_index == NO_INDEX && !named->x1);
	ck_assert_int_eq(item->stats.max, batch.ids[4].id);
	ck_assert(!item->stats.content[0] && !item->stats.content[1]);
	batch_release(&batch);
	free(png.p);
}
END_TEST

static Suite *suite(void)
{
	static const struct {
		const char *name;
		void (*set_up)(void);
	} fixtures[] = { { "narrow", set_up_narrow }, { "wide", set_up_wide }, { "presumed", set_up_presumed } };
	Suite *suite = suite_create("engine coded");

	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		TCase *tests = tcase_create(fixtures[i].name);

		tcase_add_checked_fixture(tests, fixtures[i].set_up, tear_down);
		tcase_set_timeout(tests, 300);
		tcase_add_test(tests, palettes);
		suite_add_tcase(suite, tests);
		if (i == 2)
			break; /* images in RGB do not depend on it */
		tcase_add_test(tests, rgb);
		tcase_add_test(tests, many_colours);
		tcase_add_test(tests, noise);
		tcase_add_test(tests, damaged);
		if (i == 0)
			tcase_add_test(tests, by_hand);
	}
	return suite;
}

CHECK_MAIN(suite)
