/*
 * The fast path against the reference, bit for bit: every set of inner loops that this processor has, over generated
 * images of every colour type, depth, filter, view and odd sizes, whole and damaged. Masks that it takes must be those
 * that the reference reads, without a warning; files that it refuses are for the reference, which finds the words.
 * (Files in memory and streamed: test_engine_files.c; noise: test_engine_full.c.)
 */
#include "check_main.h"

#include <string.h>

#include "effort.h"
#include "engine_fixture.h"
#include "engine_masks.h"
#include "measure/engine/colour.h"
#include "measure/engine/delta.h"

static const enum view views[] = { VIEW_PIL, VIEW_RAW, VIEW_CV2 };

static struct engine_fixture engine;
static struct colour_table table;

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

static void set_up(void)
{
	engine_fixture_init(&engine, "0-9,40-90,300-400", "255");
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

/* A good file must go the fast way. Frees it. */
static void expect_taken(struct bytes *png, uint64_t seed)
{
	ck_assert_uint_eq(engine_compare(&engine, png, seed), engine.count);
	free(png->p);
}

/* ---- generated files -------------------------------------------------------------------------------------------- */

static struct bytes make_8(uint64_t seed)
{
	return mask_png(seed, 8);
}

static struct bytes make_16(uint64_t seed)
{
	return mask_png(seed, 16);
}

static struct bytes make_below_8(uint64_t seed)
{
	return mask_png(seed, 1u << seed % 3);
}

static struct bytes make_painted(uint64_t seed)
{
	uint64_t s = seed * 31 + 7;
	struct mask m = mask_random(seed, random_below(&s, 2) ? 256 : 65536, 200);
	struct paint p = { .channels = 3 + random_below(&s, 2),
			   .depth = random_below(&s, 3) ? 8 : 16,
			   .colours = 2 + random_below(&s, COLOURS - 2),
			   .known_only = random_below(&s, 2),
			   .grey = random_below(&s, 8) == 0,
			   .alpha_varies = random_below(&s, 8) == 0 };
	struct bytes png = painted_png(&p, &m, random_below(&s, 6), &s);

	mask_release(&m);
	return png;
}

static struct bytes make_palette(uint64_t seed)
{
	uint64_t s = seed * 37 + 5;
	unsigned depth = 1u << random_below(&s, 4);
	/* few ids: of the table alone; many: others, too */
	struct mask m = mask_random(seed, random_below(&s, 2) ? 8 : 256, 200);
	struct bytes png = palette_png(&m, depth, random_below(&s, 3), &s);

	mask_release(&m);
	return png;
}

static const struct shape {
	const char *name;
	void (*set_up)(void);
	struct bytes (*make)(uint64_t seed);
	uint32_t few, all;         /* files, by effort() */
	uint32_t few_bad, all_bad; /* damaged ones */
} shapes[] = {
	{ "8 bits", set_up, make_8, 150, 3000, 75, 500 },
	{ "16 bits", set_up, make_16, 60, 600, 30, 500 },
	{ "less than 8 bits", set_up, make_below_8, 90, 1200, 60, 500 },
	{ "several channels", set_up, random_picture_png, 150, 3000, 80, 1500 },
	{ "painted, a narrow table", set_up_narrow, make_painted, 70, 3000, 60, 600 },
	{ "painted, a wide table", set_up_wide, make_painted, 70, 3000, 40, 400 },
	{ "a palette, a narrow table", set_up_narrow, make_palette, 70, 3000, 50, 500 },
	{ "a palette, a wide table", set_up_wide, make_palette, 70, 3000, 50, 500 },
	{ "a palette, a presumed table", set_up_presumed, make_palette, 70, 3000, 50, 500 },
};

/* i: 0 or 1. */
static void set_up_codes(int i)
{
	tear_down();
	(i ? set_up_wide : set_up_narrow)();
}

TIMEOUT(300)
FIXTURE(set_up, tear_down)

TEST_EACH(good_files, ARRAY_SIZE(shapes))
{
	const struct shape *shape = &shapes[_i];

	tear_down();
	shape->set_up();
	for (uint64_t seed = 0; seed < effort(shape->few, shape->all); seed++) {
		struct bytes png = shape->make(seed);

		engine.settings.view = views[seed % 3];
		expect_taken(&png, seed);
	}
}

/* One in four of them has right checksums of its chunks. */
TEST_EACH(damaged_files, ARRAY_SIZE(shapes))
{
	const struct shape *shape = &shapes[_i];
	const size_t files = effort(shape->few_bad, shape->all_bad);
	uint64_t s = 99;
	size_t taken = 0;

	tear_down();
	shape->set_up();
	for (uint64_t seed = 0; seed < files; seed++) {
		struct bytes good = shape->make(seed), png = bytes_damaged(&good, &s);

		engine.settings.view = views[seed % 3];
		if (random_below(&s, 4) == 0)
			png_mend_crcs(&png);
		taken += engine_compare(&engine, &png, seed);
		/* and nothing of it is left */
		if (seed % 16 == 0)
			ck_assert_uint_eq(engine_compare(&engine, &good, seed), engine.count);
		free(png.p);
		free(good.p);
	}
	/* but for a flipped bit in a text or a palette, whose CRC is wrong then, damage is seen */
	ck_assert_uint_le(taken, files / 10 * engine.count);
}

/* ---- one channel: places where loops begin and end ----------------------------------------------------------------
 */

/* Sizes around the edges of a block and of as many as are marked side by side, each with each filter. */
TEST(block_edges)
{
	static const uint32_t widths[] = { 1,   2,   3,    62,   63,   64,   65,   66,   127, 128, 129, 191,
					   192, 193, 255,  256,  257,  319,  320,  321,  383, 448, 511, 512,
					   513, 575, 576,  577,  640,  703,  767,  768,  769, 831, 832, 833,
					   960, 992, 1023, 1024, 1025, 4095, 4096, 4097, 4160 };
	uint64_t s = 7;

	for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
		for (unsigned filter = (unsigned)w % effort(2, 1); filter <= 5; filter += effort(2, 1)) {
			struct picture p = picture_new(widths[w], 1 + random_below(&s, 80), 8, PNG_GREY);
			uint16_t *samples = p.samples;

			/* rows that mostly repeat, so that blocks stay, and change at their edges */
			for (size_t i = 0, n = (size_t)p.width * p.height; i < n; i++) {
				uint32_t kind = random_below(&s, 40);

				samples[i] = kind == 0       ? (uint16_t)random_below(&s, 12)
					     : kind < 4 && i ? samples[i - 1]
					     : i >= p.width  ? samples[i - p.width]
							     : (uint8_t)(i / 50);
			}
			struct bytes png = random_png(&p, filter, &s);

			expect_taken(&png, w * 6 + filter);
		}
	}
}

/* Heights around a group of rows (delta.h), of narrow and of wide rows, 8 and 16 bits: most rows repeat. */
TEST(group_edges)
{
	static const uint32_t widths[] = { 1, 63, 64, 65, 8000 };
	uint64_t s = 19;

	for (size_t i = 0; i < ARRAY_SIZE(widths) * 5 * 2; i++) {
		uint32_t width = widths[i / 10], bytes = i % 2 ? 2 : 1;
		uint32_t group = MIN((uint32_t)DELTA_GROUP, DELTA_GROUP_BYTES / ((width / 64 + 1) * 64 * bytes));
		struct picture p =
			picture_new(width, (uint32_t)(group * (1 + i / 10 % 2) - 2 + i % 10 / 2), 8 * bytes, PNG_GREY);

		for (uint32_t y = 0; y < p.height; y++) {
			uint16_t *row = p.samples + (size_t)y * width;

			if (y)
				memcpy(row, row - width, width * sizeof(*row));
			for (unsigned n = y ? random_below(&s, 3) : 9; n; n--)
				row[random_below(&s, width)] =
					(uint16_t)(random_below(&s, 4) << (bytes == 2 && n % 2 ? 8 : 0));
		}
		struct bytes png = random_png(&p, (unsigned)i % 6, &s);

		expect_taken(&png, i);
	}
}

/* More than the stream's buffer holds, so that its window moves; in rows of many lengths. */
TEST(large)
{
	uint64_t s = 11;

	for (unsigned i = 0; i < 24; i++) {
		unsigned depth = i % 4 == 3 ? 16 : 8;

		if (i % 3 && effort(1, 0))
			continue;
		uint32_t width = i < 20 ? 500 + random_below(&s, 1500) : 200000 + random_below(&s, 300000);
		struct picture p = picture_new(width, (3 << 22) / width / depth + 1, depth, PNG_GREY);
		size_t n = (size_t)width * p.height;

		/* long matches and short ones, a few of them from far away */
		for (size_t at = 0; at < n;) {
			uint32_t kind = random_below(&s, 4), length = 1 + random_below(&s, kind ? 40 : 3000);
			uint16_t id = (uint16_t)random_below(&s, 20);

			for (; length && at < n; length--, at++)
				p.samples[at] = kind == 1 && at >= width   ? p.samples[at - width]
						: kind == 2 && at >= 32768 ? p.samples[at - 32768]
									   : id;
		}
		struct bytes png = random_png(&p, i % 6, &s);

		expect_taken(&png, i);
	}
}

/* More rows than weights are kept for, and than a queue tells apart (delta.h). */
TEST(tall)
{
	uint64_t s = 13;

	for (unsigned filter = 0; filter <= 5; filter++) {
		struct picture tower = picture_new(2, DELTA_QUEUE_ROWS + 5000, 8, PNG_GREY);

		for (uint32_t y = 0; y < tower.height; y++)
			tower.samples[2 * y] =
				(uint16_t)(1 + (y > 10) + (y > DELTA_QUEUE_ROWS - 1) + (y > DELTA_QUEUE_ROWS + 100));
		struct bytes png = random_png(&tower, filter, &s);

		expect_taken(&png, filter);
	}
	for (unsigned filter = 0; filter <= 5; filter++) {
		struct picture p = picture_new(1 + random_below(&s, 70), DELTA_WEIGHTS + 100, 8, PNG_GREY);

		for (size_t i = 0, n = (size_t)p.width * p.height; i < n; i++)
			p.samples[i] = i && random_below(&s, 30) ? p.samples[i - 1] : (uint16_t)random_below(&s, 12);
		struct bytes png = random_png(&p, filter, &s);

		expect_taken(&png, filter);
	}
}

/* Adler-32 beyond 2^28 bytes, where its weights are reduced: rows of the largest bytes, as wide as they may be. */
TEST(long_adler)
{
	enum { WIDTH = DELTA_WIDTH_MAX, HEIGHT = 280 };
	uint8_t *row = xcalloc(1 + WIDTH + DELTA_SLACK, 1);
	uLong expected = adler32(0, NULL, 0);

	for (size_t i = 0; i < engine.count; i++) {
		struct delta *delta = delta_new(&engine.settings.classes, engine.isas[i]);
		uint64_t s = 17;

		ck_assert(delta_begin(delta, WIDTH, HEIGHT, false));
		memset(row + 1, 0xff, WIDTH);
		for (uint32_t y = 0; y < HEIGHT; y++) {
			row[0] = y % 70 ? FILTER_NONE : (uint8_t)(y / 70 + 1);
			row[1 + random_below(&s, WIDTH)] ^= 1;
			ck_assert(delta_add_filtered(delta, row, 1));
			if (i == 0) /* the rows are the same for all */
				expected = adler32(expected, row, 1 + WIDTH);
		}
		delta_end(delta);
		ck_assert_uint_eq(delta_adler32(delta), expected);
		delta_free(delta);
	}
	free(row);
}

/* ---- several channels ------------------------------------------------------------------------------------------- */

static const unsigned several[] = { PNG_GREY_ALPHA, PNG_RGB, PNG_RGBA };

/* About as many colours as are counted, the last of them anywhere, with facts that stand or fall with it. */
TEST(pictures_of_many_colours)
{
	uint64_t s = 31;

	engine.settings.view = VIEW_PIL;
	for (uint64_t seed = 0; seed < effort(72, 240); seed++) {
		bool deep = seed & 1;
		struct picture p = picture_new(70 + random_below(&s, 60), 100, deep ? 16 : 8, several[seed / 2 % 3]);
		uint32_t colours = COLOURS_MAX - 1 + random_below(&s, 3), rate = 1 + random_below(&s, 3);
		/* of 16 bits: distinct in the low bytes only, in the high ones only, or in both */
		unsigned low = random_below(&s, 3), peak = random_below(&s, 2) ? 200 : 63;
		size_t pixels = (size_t)p.width * p.height, bright = random_below(&s, (uint32_t)pixels);

		for (size_t i = 0; i < pixels; i++) {
			uint32_t n = (uint32_t)MIN(i / rate, (size_t)colours - 1);
			uint16_t *at = p.samples + i * p.channels;

			/* rows that repeat for a while, once there are enough */
			if (i / rate > colours && random_below(&s, 3)) {
				memcpy(at, at - p.width * p.channels, p.channels * sizeof(*at));
				continue;
			}
			for (unsigned c = 0; c < p.channels; c++, n >>= 6) {
				unsigned v = n & 63 ? (n & 63) : peak;

				*at++ = (uint16_t)(deep ? (low == 0 ? 7 : v) << 8 | (low == 1 ? 7 : v) : v);
			}
		}
		for (unsigned c = 0; c < p.channels; c++)
			p.samples[bright * p.channels + c] = deep ? 65535 : 255;
		struct bytes png = random_png(&p, (unsigned)(seed % 6), &s);

		expect_taken(&png, seed);
	}
}

/* Rows of many lengths, and more than the stream's buffer holds, with long matches and short ones. */
TEST(large_pictures)
{
	uint64_t s = 41;

	for (uint64_t seed = 0; seed < 30; seed++) {
		/* in `make check` a fifth of them, and those with long rows */
		if (seed % 5 && seed < 26 && effort(1, 0))
			continue;
		uint32_t width = seed < 26 ? 300 + random_below(&s, 900) : 60000 + random_below(&s, 20000);
		unsigned colour = several[seed % 3];
		struct picture p = picture_new(width, 1 + 800000 / (width * (2 + (unsigned)seed % 3)),
					       seed % 4 == 3 ? 16 : 8, colour);
		size_t row = (size_t)width * p.channels, n = row * p.height;

		for (size_t at = 0; at < n;) {
			uint32_t kind = random_below(&s, 4), length = 1 + random_below(&s, kind ? 60 : 4000);
			uint16_t value = (uint16_t)random_below(&s, 20);

			for (; length && at < n; length--, at++)
				p.samples[at] = kind < 2 && at >= row           ? p.samples[at - row]
						: kind == 2 && at >= p.channels ? p.samples[at - p.channels]
										: value;
		}
		struct bytes png = random_png(&p, (unsigned)(seed % 6), &s);

		engine.settings.view = views[seed / 2 % 3];
		expect_taken(&png, seed);
	}
}

/* ---- colours that have ids -------------------------------------------------------------------------------------- */

/* About as many colours as are counted. */
TEST_EACH(codes_of_many_colours, 2)
{
	uint64_t s = 31;

	set_up_codes(_i);
	for (uint64_t seed = 0; seed < effort(10, 120); seed++) {
		struct mask m = { .width = 70 + random_below(&s, 60), .height = 100 };
		struct paint p = { .channels = 3 + seed % 2,
				   .depth = seed % 3 ? 8 : 16,
				   .colours = COLOURS_MAX - 1 + random_below(&s, 3) };

		m.ids = xmalloc(m.width * m.height * sizeof(*m.ids));
		for (uint32_t i = 0; i < m.width * m.height; i++)
			m.ids[i] = (uint16_t)(i < p.colours ? i : random_below(&s, p.colours));
		struct bytes png = painted_png(&p, &m, (unsigned)(seed % 6), &s);

		expect_taken(&png, seed);
		mask_release(&m);
	}
}

/* Noise that has a code: the full engine measures it. */
TEST_EACH(noise_with_codes, 2)
{
	uint64_t s = 77;

	set_up_codes(_i);
	for (uint64_t seed = 0; seed < effort(2, 6); seed++) {
		struct mask m = { .width = effort(750, 1500), .height = effort(600, 1000) };
		struct paint p = {
			.channels = 3 + seed % 2, .depth = 8, .colours = COLOURS, .known_only = seed % 2 == 0
		};

		m.ids = xmalloc(m.width * m.height * sizeof(*m.ids));
		for (uint32_t i = 0; i < m.width * m.height; i++)
			m.ids[i] = (uint16_t)random_below(&s, COLOURS);
		struct bytes png = painted_png(&p, &m, 0, &s);

		expect_taken(&png, seed);
		mask_release(&m);
	}
}

static const struct id_stats *row_of(const struct batch *batch, int64_t id)
{
	for (size_t i = 0; i < batch->ids_count; i++)
		if (batch->ids[i].id == id)
			return &batch->ids[i];
	return NULL;
}

/* The reference, by hand: 4 x 2 pixels. */
TEST(by_hand)
{
	/* colours 0 and 2 are classes 0 and 1; 22 is ignored; 1 is unknown; 3 is ignored by its name */
	uint16_t ids[] = { 0, 2, 1, 1, 22, 3, 1, 2 };
	struct mask m = { .width = 4, .height = 2, .ids = ids };
	struct paint p = { .channels = 3, .depth = 8, .colours = COLOURS };
	uint64_t s = 1;
	struct bytes png = painted_png(&p, &m, 0, &s);
	struct batch batch;

	set_up_codes(0);
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

/* ---- damage ----------------------------------------------------------------------------------------------------- */

/* Returns the next IDAT from *at on, and sets *at after it. NULL: there is none. */
static uint8_t *next_idat(const struct bytes *png, size_t *at, size_t *n)
{
	while (*at + 12 <= png->n) {
		uint8_t *chunk = png->p + *at;

		*n = be32(chunk);
		*at += *n + 12;
		if (!memcmp(chunk + 4, "IDAT", 4))
			return chunk + 8;
	}
	return NULL;
}

/* Damage that the checksums of chunks do not show: the zlib stream is broken and every CRC is right. */
TEST(streams)
{
	uint64_t s = 5;

	for (uint64_t seed = 0; seed < effort(150, 1500); seed++) {
		struct bytes png = mask_png(seed, 1u << seed % 5);
		size_t at = 8, n;

		for (uint8_t *idat; (idat = next_idat(&png, &at, &n));)
			if (random_below(&s, 2))
				idat[random_below(&s, (uint32_t)n)] ^= (uint8_t)(1u << random_below(&s, 8));
		png_mend_crcs(&png);
		engine_compare(&engine, &png, seed);
		free(png.p);
	}
}

/* A window that is declared smaller than the stream needs: zlib refuses distances beyond it. */
TEST(small_windows)
{
	size_t declared = 0, taken = 0;

	for (uint64_t seed = 0; seed < 300; seed++) {
		struct bytes png = mask_png(seed, 8);
		size_t at = 8, n;
		uint8_t *idat = next_idat(&png, &at, &n);

		if (n > 1) {
			/* RFC 1950, 2.2: log2 of the window less 8, and deflate; the check makes both a multiple of 31
			 */
			idat[0] = (uint8_t)((1 + seed % 6) << 4 | 8);
			idat[1] = (uint8_t)(31 - (idat[0] << 8) % 31);
			png_mend_crcs(&png);
			taken += engine_compare(&engine, &png, seed);
			declared++;
		}
		free(png.p);
	}
	ck_assert_uint_gt(declared, 250);
	ck_assert_uint_lt(taken, declared * engine.count);
}

/* Narrow rows that are all the same: a match makes dozens of them, and the last input many. IDATs of a few bytes. */
static struct bytes repeated_png(uint32_t width, uint32_t height, uint8_t window, uint64_t *s)
{
	struct bytes png = { 0 }, rows = { 0 }, stream = { 0 };
	uint8_t line[8] = { 0 };
	uLong n = compressBound(height * (width + 1));

	for (uint32_t y = 0; y < height; y++) {
		if (!random_below(s, 200))
			line[1 + random_below(s, width)] = (uint8_t)random_below(s, 12);
		bytes_add(&rows, line, width + 1);
	}
	stream.p = xmalloc(n);
	z_stream z = { .next_in = rows.p, .avail_in = (uInt)rows.n, .next_out = stream.p, .avail_out = (uInt)n };

	ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	stream.n = z.total_out;
	deflateEnd(&z);
	png_begin(&png, width, height, 8, PNG_GREY, 0);
	bool whole = random_below(s, 3);

	for (size_t at = 0, part; at < stream.n; at += part) {
		part = whole ? stream.n : MIN(stream.n - at, (size_t)1 + random_below(s, 9));
		bytes_chunk(&png, "IDAT", stream.p + at, part);
	}
	bytes_chunk(&png, "IEND", NULL, 0);
	free(rows.p);
	free(stream.p);
	return png;
}

/* Faults name the rows that libpng has read when it stops, which depends on when it asks for more input. */
TEST(places)
{
	uint64_t s = 77;

	for (uint64_t seed = 0; seed < effort(120, 1200); seed++) {
		struct bytes png =
			repeated_png(1 + (uint32_t)seed % 7, 300 + (uint32_t)seed % 4000, seed % 5 ? 15 : 9, &s);
		uint32_t at = 33 + random_below(&s, (uint32_t)png.n - 33);

		engine_compare(&engine, &png, seed);
		switch (seed % 4) {
		case 0:
			png.n = at;
			break;
		case 1: /* what follows the chunk in which that is, or its own rest, is gone */
			for (size_t next = 33; next < at; next += be32(png.p + next) + 12)
				png.n = next;
			bytes_chunk(&png, seed % 3 ? "IEND" : "IDAT", NULL, 0);
			break;
		case 2:
			png.p[at] ^= (uint8_t)(1u << random_below(&s, 8));
			break;
		default:
			png.p[at] ^= (uint8_t)(1u << random_below(&s, 8));
			png_mend_crcs(&png);
			break;
		}
		engine_compare(&engine, &png, seed);
		free(png.p);
	}
}

/* Chunks after the image data, and before: libpng goes on there itself. */
TEST(chunks_behind)
{
	static const char *const types[] = { "tEXt", "tRNS", "PLTE", "IDAT", "IHDR", "IEND", "ABCD", "teSt", "ab1d" };
	uint64_t s = 78;

	for (uint64_t seed = 0; seed < effort(120, 600); seed++) {
		struct bytes whole = mask_png(seed, 1u << seed % 5), png = { 0 };
		size_t iend = whole.n - 12;

		bytes_add(&png, whole.p, iend);
		for (uint32_t n = random_below(&s, 3); n; n--) {
			bytes_chunk(&png, types[random_below(&s, ARRAY_SIZE(types))], "\1\2\3\4\5\6",
				    random_below(&s, 7));
			if (!random_below(&s, 4))
				png.p[png.n - 1] ^= 1;
		}
		bytes_add(&png, whole.p + iend, 12 - random_below(&s, 2) * random_below(&s, 12));
		if (!random_below(&s, 2))
			bytes_add(&png, "behind", random_below(&s, 6));
		engine_compare(&engine, &png, seed);
		free(png.p);
		free(whole.p);
	}
}
