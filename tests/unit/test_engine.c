/*
 * The fast path against the reference, bit for bit: every set of inner loops that this processor has, over generated
 * images of every type, depth, filter and odd sizes, and over damaged files.
 */
#include "check_main.h"

#include <string.h>
#include <zlib.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "measure/measure_png.h"
#include "measure/measure_simd.h"
#include "random_masks.h"

static struct settings settings;
static struct measure_simd *fast[8];
static const struct strip_code *codes[8];
static size_t fast_count;
static struct measure_png reference;

static void set_up(void)
{
	struct error err = ERROR_INIT;

	ck_assert_int_eq(cpu_init(&err), STATUS_OK);
	memset(&settings, 0, sizeof(settings));
	class_set_init(&settings.classes);
	/* some ids are classes, some ignored, most neither: then places are measured */
	ck_assert_int_eq(class_set_parse_classes(&settings.classes, "0-9,300-400", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(&settings.classes, "255", &err), STATUS_OK);
	class_set_finish(&settings.classes);
	measure_png_init(&reference, &settings);
	fast_count = 0;
	for (size_t i = 0; i < strip_codes_count; i++) {
		if (!strip_codes[i]->usable())
			continue;
		codes[fast_count] = strip_codes[i];
		fast[fast_count++] = measure_simd_new(&settings, strip_codes[i]);
	}
}

static void tear_down(void)
{
	for (size_t i = 0; i < fast_count; i++)
		measure_simd_free(fast[i]);
	measure_png_release(&reference);
	class_set_release(&settings.classes);
}

/* A growing file. */
struct file {
	uint8_t *bytes;
	size_t size, cap;
};

static void file_add(struct file *f, const void *bytes, size_t n)
{
	GROW(f->bytes, f->cap, f->size + n);
	if (n)
		memcpy(f->bytes + f->size, bytes, n);
	f->size += n;
}

static void file_be32(struct file *f, uint32_t v)
{
	uint8_t b[4] = { (uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v };

	file_add(f, b, sizeof(b));
}

static void file_chunk(struct file *f, const char *type, const void *data, size_t n)
{
	file_be32(f, (uint32_t)n);
	size_t at = f->size;

	file_add(f, type, 4);
	file_add(f, data, n);
	file_be32(f, (uint32_t)crc32(0, f->bytes + at, (uInt)n + 4));
}

/* IHDR. */
struct image {
	uint32_t width, height;
	unsigned depth, colour;
};

static unsigned filter_guess(unsigned filter, unsigned left, unsigned up, unsigned corner)
{
	switch (filter) {
	case 1:
		return left;
	case 2:
		return up;
	case 3:
		return (left + up) / 2;
	case 4: {
		int p = (int)(left + up) - (int)corner, a = abs(p - (int)left), b = abs(p - (int)up),
		    c = abs(p - (int)corner);

		return a <= b && a <= c ? left : b <= c ? up : corner;
	}
	default:
		return 0;
	}
}

/* 0, or what zlib headers say of the window: log2 of its size less 8. Distances may then be too long for it. */
static unsigned declared_window;

/* samples: packed as the file has them, without filter bytes. filter: 0..4, or 5: another one each row. */
static void file_png(struct file *f, const struct image *im, const uint8_t *samples, size_t row_bytes, unsigned filter,
		     uint64_t *s)
{
	size_t n = (row_bytes + 1) * im->height, pixel_bytes = im->depth == 16 ? 2 : 1;
	uint8_t *filtered = xmalloc(n), *out = filtered, *packed, palette[768], ihdr[13] = { 0 };
	size_t packed_size = 2 * n + 1000;
	int window = 15;
	z_stream z = { 0 };
	static const int levels[] = { 0, 1, 6, 6, 9 },
			 strategies[] = { Z_DEFAULT_STRATEGY, Z_DEFAULT_STRATEGY, Z_RLE, Z_FIXED, Z_HUFFMAN_ONLY };

	for (uint32_t y = 0; y < im->height; y++) {
		const uint8_t *row = samples + y * row_bytes, *prior = y ? row - row_bytes : NULL;
		unsigned type = filter < 5 ? filter : random_below(s, 5);

		*out++ = (uint8_t)type;
		for (size_t i = 0; i < row_bytes; i++) {
			bool inside = i >= pixel_bytes;

			*out++ = (uint8_t)(row[i] - filter_guess(type, inside ? row[i - pixel_bytes] : 0,
								 prior ? prior[i] : 0,
								 prior && inside ? prior[i - pixel_bytes] : 0));
		}
	}
	packed = xmalloc(packed_size);
	/* the smallest window that holds the image, as libpng chooses */
	while (random_below(s, 8) && window > 9 && n <= (size_t)1 << (window - 1))
		window--;
	ck_assert_int_eq(
		deflateInit2(&z, levels[random_below(s, 5)], Z_DEFLATED, window, 8, strategies[random_below(s, 5)]),
		Z_OK);
	z.next_in = filtered;
	z.avail_in = (uInt)n;
	z.next_out = packed;
	z.avail_out = (uInt)packed_size;
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	packed_size = z.total_out;
	deflateEnd(&z);
	if (declared_window) {
		packed[0] = (uint8_t)(declared_window << 4 | 8);
		packed[1] = (uint8_t)(31 - (packed[0] << 8) % 31);
	}

	f->size = 0;
	file_add(f, "\x89PNG\r\n\x1a\n", 8);
	for (unsigned i = 0; i < 4; i++) {
		ihdr[i] = (uint8_t)(im->width >> (24 - 8 * i));
		ihdr[4 + i] = (uint8_t)(im->height >> (24 - 8 * i));
	}
	ihdr[8] = (uint8_t)im->depth;
	ihdr[9] = (uint8_t)im->colour;
	file_chunk(f, "IHDR", ihdr, sizeof(ihdr));
	if (random_below(s, 4) == 0)
		file_chunk(f, "tEXt", "Title\0mask", 10);
	if (im->colour == PNG_PALETTE) {
		size_t entries = (size_t)1 << im->depth;

		for (size_t i = 0; i < sizeof(palette); i++)
			palette[i] = (uint8_t)random_next(s);
		file_chunk(f, "PLTE", palette,
			   3 * (random_below(s, 2) ? entries : 1 + random_below(s, (uint32_t)entries)));
	}
	if (random_below(s, 3)) {
		file_chunk(f, "IDAT", packed, packed_size);
	} else {
		for (size_t at = 0; at < packed_size;) {
			size_t want = 1 + random_below(s, 300), step = MIN(want, packed_size - at);

			file_chunk(f, "IDAT", packed + at, step);
			at += step;
		}
	}
	file_chunk(f, "IEND", NULL, 0);
	free(packed);
	free(filtered);
}

/* Packs ids, cut to the depth, to samples. */
static uint8_t *pack_samples(const struct mask *m, unsigned depth, size_t *row_bytes)
{
	*row_bytes = ((size_t)m->width * depth + 7) / 8;
	uint8_t *out = xcalloc(*row_bytes, m->height);

	for (uint32_t y = 0; y < m->height; y++) {
		uint8_t *row = out + y * *row_bytes;

		for (uint32_t x = 0; x < m->width; x++) {
			unsigned id = m->ids[(size_t)y * m->width + x];

			if (depth == 16) {
				row[2 * x] = (uint8_t)(id >> 8);
				row[2 * x + 1] = (uint8_t)id;
			} else if (depth == 8) {
				row[x] = (uint8_t)id;
			} else {
				unsigned each = 8 / depth;

				row[x / each] |= (uint8_t)((id & ((1u << depth) - 1)) << (8 - depth * (x % each + 1)));
			}
		}
	}
	return out;
}

/* What masks look like: few regions with slanting borders, a thin feature here and there. Wider than one block. */
static struct mask mask_regions(uint64_t *s)
{
	struct mask m = { .width = 1 + random_below(s, 300), .height = 1 + random_below(s, 40), .ids_end = 256 };
	uint32_t ids[6], border[5];
	int32_t slope[5];

	for (unsigned i = 0; i < 6; i++)
		ids[i] = random_below(s, 4) ? random_below(s, 12) : random_below(s, 256);
	for (unsigned i = 0; i < 5; i++) {
		border[i] = random_below(s, m.width);
		slope[i] = (int32_t)random_below(s, 5) - 2;
	}
	m.ids = xmalloc((size_t)m.width * m.height * sizeof(*m.ids));
	for (uint32_t y = 0; y < m.height; y++) {
		for (uint32_t x = 0; x < m.width; x++) {
			unsigned region = 0;

			for (unsigned i = 0; i < 5; i++)
				region += (int32_t)x > (int32_t)border[i] + slope[i] * (int32_t)y / 2;
			m.ids[(size_t)y * m.width + x] = (uint16_t)ids[region];
		}
	}
	for (unsigned spots = random_below(s, 12); spots; spots--) {
		uint32_t x = random_below(s, m.width), y = random_below(s, m.height), id = random_below(s, 256);
		uint32_t wide = 1 + random_below(s, 3), high = 1 + random_below(s, 3);

		for (uint32_t j = y; j < MIN(y + high, m.height); j++)
			for (uint32_t i = x; i < MIN(x + wide, m.width); i++)
				m.ids[(size_t)j * m.width + i] = (uint16_t)id;
	}
	return m;
}

static void measure_reference(struct batch *batch, struct batch_item *item)
{
	struct view_map map;
	struct png_decoder *d = measure_png_open(&reference, item, &map);

	if (d)
		measure_png_rest(&reference, d, &map, item, batch);
}

static void fill_item(struct batch_item *item, const struct file *f)
{
	memset(item, 0, sizeof(*item));
	input_init(&item->input);
	input_from_memory(&item->input, f->bytes, f->size, &item->sample.fault);
	item->sample.format = FORMAT_PNG;
	item->sample.status = SAMPLE_READ;
}

/* Whether the fast path takes the file; if so, it must say what the reference says. */
static bool compare_one(const struct file *f, size_t which, const struct batch_item *expected,
			const struct batch *expected_ids, uint64_t seed)
{
	struct batch batch;
	struct batch_item item;

	batch_init(&batch);
	fill_item(&item, f);
	bool taken = measure_simd_take(fast[which], &item, &batch);

	if (taken) {
		ck_assert_msg(expected->sample.status == SAMPLE_READ, "seed %llu %s: taken, but: %s",
			      (unsigned long long)seed, codes[which]->name, expected->sample.fault.text);
		ck_assert_msg(expected->sample.remark.kind == FAULT_NONE, "seed %llu %s: taken, but: %s",
			      (unsigned long long)seed, codes[which]->name, expected->sample.remark.text);
		ck_assert_int_eq(memcmp(&item.sample.png, &expected->sample.png, sizeof(item.sample.png)), 0);
		const struct id_stats *a = batch.ids, *b = expected_ids->ids;

		ck_assert_uint_eq(batch.ids_count, expected_ids->ids_count);
		for (size_t i = 0; i < batch.ids_count; i++)
			ck_assert_msg(memcmp(&a[i], &b[i], sizeof(a[i])) == 0,
				      "seed %llu %s: id %lld: labels %llu %llu, thin %llu %llu, lone %llu,%llu "
				      "%llu,%llu, between "
				      "%llu,%llu %llu,%llu, first %llu %llu, x %u-%u %u-%u y %u-%u %u-%u",
				      (unsigned long long)seed, codes[which]->name, (long long)a[i].id,
				      (unsigned long long)a[i].labels, (unsigned long long)b[i].labels,
				      (unsigned long long)a[i].thin, (unsigned long long)b[i].thin,
				      (unsigned long long)a[i].lone[0], (unsigned long long)a[i].lone[1],
				      (unsigned long long)b[i].lone[0], (unsigned long long)b[i].lone[1],
				      (unsigned long long)a[i].between[0], (unsigned long long)a[i].between[1],
				      (unsigned long long)b[i].between[0], (unsigned long long)b[i].between[1],
				      (unsigned long long)a[i].first_index, (unsigned long long)b[i].first_index,
				      a[i].x0, a[i].x1, b[i].x0, b[i].x1, a[i].y0, a[i].y1, b[i].y0, b[i].y1);
		const struct label_stats *p = &item.stats, *q = &expected->stats;

		ck_assert_msg(memcmp(p, q, sizeof(*p)) == 0,
			      "seed %llu %s: edges %llu,%llu %llu,%llu wide %llu,%llu %llu,%llu long %llu,%llu "
			      "%llu,%llu bogus %llu "
			      "%llu worst %llx %llx",
			      (unsigned long long)seed, codes[which]->name, (unsigned long long)p->edges[0],
			      (unsigned long long)p->edges[1], (unsigned long long)q->edges[0],
			      (unsigned long long)q->edges[1], (unsigned long long)p->wide_edges[0],
			      (unsigned long long)p->wide_edges[1], (unsigned long long)q->wide_edges[0],
			      (unsigned long long)q->wide_edges[1], (unsigned long long)p->long_between[0],
			      (unsigned long long)p->long_between[1], (unsigned long long)q->long_between[0],
			      (unsigned long long)q->long_between[1], (unsigned long long)p->bogus_pixels,
			      (unsigned long long)q->bogus_pixels, (unsigned long long)p->worst.key,
			      (unsigned long long)q->worst.key);
	} else {
		ck_assert_uint_eq(batch.ids_count, 0);
	}
	batch_release(&batch);
	return taken;
}

/* How many of the sets of inner loops take the file. */
static size_t compare(const struct file *f, uint64_t seed)
{
	struct batch batch;
	struct batch_item item;
	size_t taken = 0;

	batch_init(&batch);
	fill_item(&item, f);
	measure_reference(&batch, &item);
	for (size_t i = 0; i < fast_count; i++)
		taken += compare_one(f, i, &item, &batch, seed);
	batch_release(&batch);
	return taken;
}

static void random_png(struct file *f, uint64_t seed, unsigned depth)
{
	uint64_t s = seed * 977 + depth;
	struct mask m = random_below(&s, 2) ? mask_regions(&s) : mask_random(seed, depth == 16 ? 65536 : 256, 200);
	struct image im = { .width = m.width, .height = m.height, .depth = depth };
	size_t row_bytes;
	uint8_t *samples = pack_samples(&m, depth, &row_bytes);

	im.colour = depth < 16 && random_below(&s, 2) ? PNG_PALETTE : PNG_GREY;
	file_png(f, &im, samples, row_bytes, random_below(&s, 6), &s);
	free(samples);
	free(m.ids);
}

static void compare_random(unsigned depth, uint64_t seeds)
{
	static const enum view views[] = { VIEW_PIL, VIEW_RAW, VIEW_CV2 };
	struct file f = { 0 };

	for (uint64_t seed = 0; seed < seeds; seed++) {
		random_png(&f, seed, depth);
		settings.view = views[seed % 3];
		/* every one of them is a good file, so every one of them must go the fast way */
		ck_assert_uint_eq(compare(&f, seed), fast_count);
	}
	free(f.bytes);
}

START_TEST(depth_8)
{
	compare_random(8, 3000);
}
END_TEST

START_TEST(depth_16)
{
	compare_random(16, 600);
}
END_TEST

START_TEST(depth_below_8)
{
	compare_random(1, 400);
	compare_random(2, 400);
	compare_random(4, 400);
}
END_TEST

/* Sizes around the edges of a block, each with each filter. */
START_TEST(block_edges)
{
	static const uint32_t widths[] = { 1,   2,   3,   62,  63,  64,   65,   66,   127, 128,
					   129, 191, 192, 193, 256, 4095, 4096, 4097, 4160 };
	struct file f = { 0 };
	uint64_t s = 7;

	for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
		for (unsigned filter = 0; filter <= 5; filter++) {
			struct image im = { .width = widths[w], .height = 1 + random_below(&s, 9), .depth = 8 };
			uint8_t *samples = xcalloc(im.width, im.height);

			/* rows that mostly repeat, so that blocks stay, and change at their edges */
			for (size_t i = 0, n = (size_t)im.width * im.height; i < n; i++) {
				uint32_t kind = random_below(&s, 40);

				samples[i] = kind == 0       ? (uint8_t)random_below(&s, 12)
					     : kind < 4 && i ? samples[i - 1]
					     : i >= im.width ? samples[i - im.width]
							     : (uint8_t)(i / 50);
			}
			file_png(&f, &im, samples, im.width, filter, &s);
			ck_assert_uint_eq(compare(&f, w * 6 + filter), fast_count);
			free(samples);
		}
	}
	free(f.bytes);
}
END_TEST

/* More than the stream's buffer holds, so that its window moves; in rows of many lengths. */
START_TEST(large)
{
	struct file f = { 0 };
	uint64_t s = 11;

	for (unsigned i = 0; i < 24; i++) {
		struct image im = { .depth = i % 4 == 3 ? 16 : 8 };
		size_t pixel = im.depth / 8, n;
		uint8_t *samples;

		im.width = i < 20 ? 500 + random_below(&s, 1500) : 200000 + random_below(&s, 300000);
		im.height = (uint32_t)((3 << 19) / im.width / pixel + 1);
		n = im.width * pixel * im.height;
		samples = xcalloc(n, 1);
		/* long matches and short ones, a few of them from far away */
		for (size_t at = 0; at < n;) {
			uint32_t kind = random_below(&s, 4), length = 1 + random_below(&s, kind ? 40 : 3000);
			uint8_t id = (uint8_t)random_below(&s, 20);

			for (; length && at < n; length--, at++)
				samples[at] = kind == 1 && at >= im.width * pixel ? samples[at - im.width * pixel]
					      : kind == 2 && at >= 32768          ? samples[at - 32768]
										  : id;
		}
		file_png(&f, &im, samples, im.width * pixel, i % 6, &s);
		ck_assert_uint_eq(compare(&f, i), fast_count);
		free(samples);
	}
	free(f.bytes);
}
END_TEST

/* More rows than weights are kept for, and than a queue tells apart (fast_strip.h). */
START_TEST(tall)
{
	struct file f = { 0 };
	uint64_t s = 13;
	struct image tower = { .width = 2, .height = STRIP_QUEUE_ROWS + 5000, .depth = 8 };
	uint8_t *still = xcalloc(tower.width, tower.height);

	for (uint32_t y = 0; y < tower.height; y++)
		still[2 * y] = (uint8_t)(1 + (y > 10) + (y > STRIP_QUEUE_ROWS - 1) + (y > STRIP_QUEUE_ROWS + 100));
	for (unsigned filter = 0; filter <= 5; filter++) {
		file_png(&f, &tower, still, tower.width, filter, &s);
		ck_assert_uint_eq(compare(&f, filter), fast_count);
	}
	free(still);

	for (unsigned filter = 0; filter <= 5; filter++) {
		struct image im = { .width = 1 + random_below(&s, 70), .height = STRIP_WEIGHTS + 100, .depth = 8 };
		uint8_t *samples = xcalloc(im.width, im.height);

		for (size_t i = 0, n = (size_t)im.width * im.height; i < n; i++)
			samples[i] = i && random_below(&s, 30) ? samples[i - 1] : (uint8_t)random_below(&s, 12);
		file_png(&f, &im, samples, im.width, filter, &s);
		ck_assert_uint_eq(compare(&f, filter), fast_count);
		free(samples);
	}
	free(f.bytes);
}
END_TEST

/* Adler-32 beyond 2^28 bytes, where its weights are reduced: rows of the largest bytes, as wide as they may be. */
START_TEST(long_adler)
{
	enum { WIDTH = STRIP_WIDTH_MAX, HEIGHT = 280 };
	uint8_t *row = xcalloc(WIDTH + STRIP_SLACK, 1);
	uint64_t s = 17;

	for (size_t i = 0; i < fast_count; i++) {
		struct strip *strip = strip_new(&settings.classes);
		uLong expected = adler32(0, NULL, 0);

		ck_assert(strip_begin(strip, WIDTH, HEIGHT, false));
		memset(row, 0xff, WIDTH);
		for (uint32_t y = 0; y < HEIGHT; y++) {
			uint8_t filter = y % 70 ? FILTER_NONE : (uint8_t)(y / 70 + 1);

			row[random_below(&s, WIDTH)] ^= 1;
			codes[i]->add_filtered(strip, (enum strip_filter)filter, row);
			expected = adler32(adler32(expected, &filter, 1), row, WIDTH);
		}
		codes[i]->end(strip);
		ck_assert_uint_eq(strip_adler32(strip), expected);
		strip_free(strip);
	}
	free(row);
}
END_TEST

/* Damaged files: whatever is taken must be what the reference reads, and it must read it without a word. */
START_TEST(damaged)
{
	struct file f = { 0 }, broken = { 0 };
	uint64_t s = 99;
	size_t taken = 0;

	for (uint64_t seed = 0; seed < 1500; seed++) {
		random_png(&f, seed, 1u << seed % 5);
		broken.size = 0;
		file_add(&broken, f.bytes, f.size);
		uint32_t kind = random_below(&s, 8);

		if (kind == 0)
			broken.size = random_below(&s, (uint32_t)f.size);
		else if (kind == 1)
			file_add(&broken, "tail", 4);
		else
			for (uint32_t flips = 1 + random_below(&s, 3); flips; flips--)
				broken.bytes[random_below(&s, (uint32_t)broken.size)] ^=
					(uint8_t)(1u << random_below(&s, 8));
		taken += compare(&broken, seed);
		/* and nothing of it is left behind */
		if (seed % 16 == 0)
			ck_assert_uint_eq(compare(&f, seed), fast_count);
	}
	ck_assert_uint_lt(taken, 1500 / 10 * fast_count);
	free(f.bytes);
	free(broken.bytes);
}
END_TEST

/* A window that is declared smaller than the stream needs: zlib refuses distances beyond it. */
START_TEST(small_windows)
{
	struct file f = { 0 };

	for (uint64_t seed = 0; seed < 300; seed++) {
		declared_window = 1 + (unsigned)(seed % 6);
		random_png(&f, seed, 8);
		compare(&f, seed);
	}
	declared_window = 0;
	free(f.bytes);
}
END_TEST

/* Damage behind the checksums: the zlib stream is broken and every CRC is right. */
START_TEST(damaged_streams)
{
	struct file f = { 0 };
	uint64_t s = 5;

	for (uint64_t seed = 0; seed < 1500; seed++) {
		random_png(&f, seed, 1u << seed % 5);
		for (size_t at = 8; at + 12 <= f.size;) {
			const uint8_t *p = f.bytes + at;
			size_t n = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
			uint32_t crc;

			if (memcmp(f.bytes + at + 4, "IDAT", 4) == 0 && random_below(&s, 2))
				f.bytes[at + 8 + random_below(&s, (uint32_t)n)] ^= (uint8_t)(1u << random_below(&s, 8));
			crc = (uint32_t)crc32(0, f.bytes + at + 4, (uInt)n + 4);
			for (unsigned i = 0; i < 4; i++)
				f.bytes[at + 8 + n + i] = (uint8_t)(crc >> (24 - 8 * i));
			at += n + 12;
		}
		compare(&f, seed);
	}
	free(f.bytes);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("engine");
	TCase *tests = tcase_create("engine");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, depth_8);
	tcase_add_test(tests, depth_16);
	tcase_add_test(tests, depth_below_8);
	tcase_add_test(tests, block_edges);
	tcase_add_test(tests, large);
	tcase_add_test(tests, tall);
	tcase_add_test(tests, long_adler);
	tcase_add_test(tests, damaged);
	tcase_add_test(tests, small_windows);
	tcase_add_test(tests, damaged_streams);
	suite_add_tcase(suite, tests);
	return suite;
}

CHECK_MAIN(suite)
