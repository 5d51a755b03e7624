/*
 * The fast path of pictures with several channels against the reference, bit for bit: every colour type, depth, filter,
 * view and odd sizes, few colours and about as many as are counted, and damaged files.
 */
#include "check_main.h"

#include <string.h>

#include "base/cpu.h"
#include "mask_pngs.h"
#include "measure/fast_colour.h"
#include "measure/measure_png.h"
#include "measure/measure_simd.h"

static struct settings settings;
static struct measure_simd *fast[8];
static size_t fast_count;
static struct measure_png reference;

static void set_up(void)
{
	struct error err = ERROR_INIT;

	ck_assert_int_eq(cpu_init(&err), STATUS_OK);
	memset(&settings, 0, sizeof(settings));
	class_set_init(&settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&settings.classes, "0-9,40-90", &err), STATUS_OK);
	class_set_finish(&settings.classes);
	measure_png_init(&reference, &settings);
	fast_count = 0;
	/* ids of the view cv2 are measured by them */
	for (size_t i = 0; i < strip_codes_count; i++)
		if (strip_codes[i]->usable())
			fast[fast_count++] = measure_simd_new(&settings, strip_codes[i]);
}

static void tear_down(void)
{
	for (size_t i = 0; i < fast_count; i++)
		measure_simd_free(fast[i]);
	measure_png_release(&reference);
	class_set_release(&settings.classes);
}

struct picture {
	uint32_t width, height;
	unsigned channels; /* 2..4 */
	bool deep;
	size_t pixel_bytes, row_bytes;
	uint8_t *samples; /* owned; as PNG has them, without filter bytes */
};

static struct picture picture_new(uint32_t width, uint32_t height, unsigned channels, bool deep)
{
	struct picture p = { .width = width, .height = height, .channels = channels, .deep = deep };

	p.pixel_bytes = channels * (deep ? 2u : 1u);
	p.row_bytes = width * p.pixel_bytes;
	p.samples = xcalloc(height, p.row_bytes);
	return p;
}

/* All kinds of blocks; the window is the largest, since a smaller one is libpng's to judge. */
static struct bytes zlib_stream(const struct bytes *data, uint64_t *s)
{
	static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED };
	struct bytes out = { xmalloc(2 * data->n + 1000), 2 * data->n + 1000 };
	z_stream z = { .next_in = data->p, .avail_in = (uInt)data->n, .next_out = out.p, .avail_out = (uInt)out.n };

	ck_assert_int_eq(deflateInit2(&z, (int)random_below(s, 10), Z_DEFLATED, 15, 8, strategies[random_below(s, 5)]),
			 Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	out.n = z.total_out;
	deflateEnd(&z);
	return out;
}

/* filter: 0..4, or 5: another one each row. transparency: with a tRNS, of RGB. */
static struct bytes picture_png(const struct picture *p, unsigned filter, bool transparency, uint64_t *s)
{
	static const uint8_t types[] = { 0, 0, 4, 2, 6 };
	struct bytes filtered = { xmalloc((p->row_bytes + 1) * p->height), (p->row_bytes + 1) * p->height },
		     png = { 0 };
	uint8_t *out = filtered.p, ihdr[13] = { 0 };

	for (uint32_t y = 0; y < p->height; y++) {
		const uint8_t *row = p->samples + y * p->row_bytes, *above = y ? row - p->row_bytes : NULL;
		unsigned type = filter < 5 ? filter : random_below(s, 5);

		*out++ = (uint8_t)type;
		for (size_t i = 0; i < p->row_bytes; i++)
			*out++ = (uint8_t)(row[i] - filter_predicts(type, row, above, i, p->pixel_bytes));
	}
	struct bytes stream = zlib_stream(&filtered, s);

	bytes_add(&png, "\x89PNG\r\n\x1a\n", 8);
	for (unsigned i = 0; i < 4; i++) {
		ihdr[i] = (uint8_t)(p->width >> (24 - 8 * i));
		ihdr[4 + i] = (uint8_t)(p->height >> (24 - 8 * i));
	}
	ihdr[8] = p->deep ? 16 : 8;
	ihdr[9] = types[p->channels];
	bytes_chunk(&png, "IHDR", ihdr, sizeof(ihdr));
	if (transparency)
		bytes_chunk(&png, "tRNS", "\0\1\0\2\0\3", 6);
	if (random_below(s, 3)) {
		bytes_chunk(&png, "IDAT", stream.p, stream.n);
	} else {
		for (size_t at = 0; at < stream.n;) {
			size_t want = 1 + random_below(s, 500), step = MIN(want, stream.n - at);

			bytes_chunk(&png, "IDAT", stream.p + at, step);
			at += step;
		}
	}
	bytes_chunk(&png, "IEND", NULL, 0);
	free(stream.p);
	free(filtered.p);
	return png;
}

static void fill_item(struct batch_item *item, const struct bytes *png)
{
	memset(item, 0, sizeof(*item));
	input_init(&item->input);
	input_from_memory(&item->input, png->p, png->n, &item->sample.fault);
	item->sample.format = FORMAT_PNG;
	item->sample.status = SAMPLE_READ;
}

/* How many of the sets of inner loops take the file; those that do must say what the reference says. */
static size_t compare(const struct bytes *png, uint64_t seed)
{
	struct batch expected_ids, ids;
	struct batch_item expected, item;
	struct view_map map;
	size_t taken = 0;

	batch_init(&expected_ids);
	batch_init(&ids);
	fill_item(&expected, png);
	struct png_decoder *d = measure_png_open(&reference, &expected, &map);

	if (d)
		measure_png_rest(&reference, d, &map, &expected, &expected_ids);
	for (size_t i = 0; i < fast_count; i++) {
		batch_clear(&ids);
		fill_item(&item, png);
		if (!measure_simd_take(fast[i], &item, &ids)) {
			ck_assert_uint_eq(ids.ids_count, 0);
			continue;
		}
		taken++;
		ck_assert_msg(expected.sample.status == SAMPLE_READ && expected.sample.remark.kind == FAULT_NONE,
			      "seed %llu: taken, but: %s%s", (unsigned long long)seed, expected.sample.fault.text,
			      expected.sample.remark.text);
		ck_assert_int_eq(memcmp(&item.sample.png, &expected.sample.png, sizeof(item.sample.png)), 0);
		const struct channel_stats *p = &item.stats.channels, *q = &expected.stats.channels;

		ck_assert_msg(memcmp(&item.stats, &expected.stats, sizeof(item.stats)) == 0,
			      "seed %llu code %zu: %llu %llu colours; pixels %llu %llu unequal %llu %llu one-hot %llu "
			      "%llu blank %llu %llu mixed %llu %llu peak %u %u alpha %u-%u %u-%u cut %u %u",
			      (unsigned long long)seed, i, (unsigned long long)item.stats.ids_count,
			      (unsigned long long)expected.stats.ids_count, (unsigned long long)p->pixels,
			      (unsigned long long)q->pixels, (unsigned long long)p->unequal_pixels,
			      (unsigned long long)q->unequal_pixels, (unsigned long long)p->one_hot_pixels,
			      (unsigned long long)q->one_hot_pixels, (unsigned long long)p->blank_pixels,
			      (unsigned long long)q->blank_pixels, (unsigned long long)p->mixed_pixels,
			      (unsigned long long)q->mixed_pixels, p->peak, q->peak, p->alpha_min, p->alpha_max,
			      q->alpha_min, q->alpha_max, p->colours_cut, q->colours_cut);
		ck_assert_uint_eq(ids.ids_count, expected_ids.ids_count);
		ck_assert_msg(!ids.ids_count || !memcmp(ids.ids, expected_ids.ids, ids.ids_count * sizeof(*ids.ids)),
			      "seed %llu code %zu: rows differ", (unsigned long long)seed, i);
	}
	batch_release(&expected_ids);
	batch_release(&ids);
	return taken;
}

/* What a mask's id looks like. */
enum palette_style { ANY_COLOURS, ONE_HOT, REPLICATED, HIGH_BYTES_ALIKE, PALETTE_STYLES };

static void colour_of(uint32_t id, enum palette_style style, uint32_t peak, unsigned channels, uint16_t out[4])
{
	uint64_t s = id * UINT64_C(7919) + 1;

	for (unsigned c = 0; c < 4; c++)
		out[c] = (uint16_t)(random_next(&s) % (peak + 1));
	if (style == ONE_HOT)
		for (unsigned c = 0; c < 3; c++)
			out[c] = c == id % 4 ? (uint16_t)peak : 0; /* one in four is blank */
	else if (style == REPLICATED)
		out[1] = out[2] = out[0];
	else if (style == HIGH_BYTES_ALIKE)
		for (unsigned c = 0; c < 3; c++)
			out[c] = (uint16_t)((id % 3) << 8 | out[c] % 256);
	/* alpha is behind the colours */
	if (id % 5)
		out[channels - 1] = channels % 2 ? out[channels - 1] : (uint16_t)peak;
}

static struct picture random_picture(uint64_t seed, uint64_t *s)
{
	bool deep = random_below(s, 3) == 0;
	struct mask m = mask_random(seed, random_below(s, 2) ? 256 : 65536, 200);
	struct picture p = picture_new(m.width, m.height, 2 + random_below(s, 3), deep);
	enum palette_style style = (enum palette_style)random_below(s, PALETTE_STYLES);
	uint32_t most = deep ? 65535 : 255, peak = random_below(s, 3) ? most : 1 + random_below(s, most);

	for (size_t i = 0; i < (size_t)m.width * m.height; i++) {
		uint16_t v[4];

		colour_of(m.ids[i], style, peak, p.channels, v);
		for (unsigned c = 0; c < p.channels; c++) {
			if (deep)
				p.samples[i * p.pixel_bytes + 2 * c] = (uint8_t)(v[c] >> 8);
			p.samples[i * p.pixel_bytes + c * (deep ? 2 : 1) + deep] = (uint8_t)v[c];
		}
	}
	mask_release(&m);
	return p;
}

static struct bytes random_png(uint64_t seed)
{
	uint64_t s = seed * 977 + 3;
	struct picture p = random_picture(seed, &s);
	struct bytes png = picture_png(&p, random_below(&s, 6), p.channels == 3 && random_below(&s, 3) == 0, &s);

	free(p.samples);
	return png;
}

static const enum view views[] = { VIEW_PIL, VIEW_RAW, VIEW_CV2 };

START_TEST(random_pictures)
{
	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct bytes png = random_png(seed);

		settings.view = views[seed % 3];
		/* every one of them is a good file, so every one of them must go the fast way */
		ck_assert_uint_eq(compare(&png, seed), fast_count);
		free(png.p);
	}
}
END_TEST

/* About as many colours as are counted, the last of them anywhere, with facts that stand or fall with it. */
START_TEST(many_colours)
{
	uint64_t s = 31;

	settings.view = VIEW_PIL;
	for (uint64_t seed = 0; seed < 240; seed++) {
		bool deep = seed & 1;
		unsigned channels = 2 + (unsigned)(seed / 2 % 3);
		struct picture p = picture_new(70 + random_below(&s, 60), 100, channels, deep);
		uint32_t colours = COLOURS_MAX - 1 + random_below(&s, 3), rate = 1 + random_below(&s, 3);
		/* of 16 bits: distinct in the low bytes only, in the high ones only, or in both */
		unsigned low = random_below(&s, 3), peak = random_below(&s, 2) ? 200 : 63;
		size_t pixels = (size_t)p.width * p.height, bright = random_below(&s, (uint32_t)pixels);

		for (size_t i = 0; i < pixels; i++) {
			uint32_t n = (uint32_t)MIN(i / rate, (size_t)colours - 1);
			uint8_t *at = p.samples + i * p.pixel_bytes;

			/* rows that repeat for a while, once there are enough */
			if (i / rate > colours && random_below(&s, 3)) {
				memcpy(at, at - p.row_bytes, p.pixel_bytes);
				continue;
			}
			for (unsigned c = 0; c < channels; c++, n >>= 6) {
				uint8_t v = (uint8_t)(n & 63 ? (n & 63) : peak);

				if (!deep)
					*at++ = v;
				else
					memcpy(at, (uint8_t[]){ low == 0 ? 7 : v, low == 1 ? 7 : v }, 2), at += 2;
			}
		}
		memset(p.samples + bright * p.pixel_bytes, 255, p.pixel_bytes);
		struct bytes png = picture_png(&p, (unsigned)(seed % 6), false, &s);

		ck_assert_uint_eq(compare(&png, seed), fast_count);
		free(png.p);
		free(p.samples);
	}
}
END_TEST

/* Rows of many lengths, and more than the stream's buffer holds, with long matches and short ones. */
START_TEST(large)
{
	uint64_t s = 41;

	for (uint64_t seed = 0; seed < 30; seed++) {
		unsigned channels = 2 + (unsigned)(seed % 3);
		bool deep = seed % 4 == 3;
		uint32_t width = seed < 26 ? 300 + random_below(&s, 900) : 60000 + random_below(&s, 20000);
		struct picture p = picture_new(width, 1 + 800000 / (width * channels), channels, deep);
		size_t n = p.row_bytes * p.height;

		for (size_t at = 0; at < n;) {
			uint32_t kind = random_below(&s, 4), length = 1 + random_below(&s, kind ? 60 : 4000);
			uint8_t value = (uint8_t)random_below(&s, 20);

			for (; length && at < n; length--, at++)
				p.samples[at] = kind < 2 && at >= p.row_bytes      ? p.samples[at - p.row_bytes]
						: kind == 2 && at >= p.pixel_bytes ? p.samples[at - p.pixel_bytes]
										   : value;
		}
		struct bytes png = picture_png(&p, (unsigned)(seed % 6), false, &s);

		settings.view = views[seed / 2 % 3];
		ck_assert_uint_eq(compare(&png, seed), fast_count);
		free(png.p);
		free(p.samples);
	}
}
END_TEST

/* Flipped bits, cut ends, tails; and damage behind right checksums. */
START_TEST(damaged)
{
	uint64_t s = 99;
	size_t taken = 0;

	for (uint64_t seed = 0; seed < 1500; seed++) {
		struct bytes whole = random_png(seed), png = { xmalloc(whole.n + 4), whole.n };
		uint32_t kind = random_below(&s, 4);

		memcpy(png.p, whole.p, whole.n);
		settings.view = views[seed % 3];
		if (kind == 0) {
			png.n = random_below(&s, (uint32_t)whole.n);
		} else if (kind == 1) {
			memcpy(png.p + png.n, "tail", 4);
			png.n += 4;
		} else {
			for (uint32_t flips = 1 + random_below(&s, 3); flips; flips--)
				png.p[random_below(&s, (uint32_t)png.n)] ^= (uint8_t)(1u << random_below(&s, 8));
		}
		for (size_t at = 8; kind == 3 && at + 12 <= png.n;) {
			size_t n = (size_t)png.p[at] << 24 | (size_t)png.p[at + 1] << 16 | (size_t)png.p[at + 2] << 8 |
				   png.p[at + 3];

			if (n > png.n - at - 12)
				break;
			uint32_t crc = (uint32_t)crc32(0, png.p + at + 4, (uInt)n + 4);

			for (unsigned i = 0; i < 4; i++)
				png.p[at + 8 + n + i] = (uint8_t)(crc >> (24 - 8 * i));
			at += n + 12;
		}
		taken += compare(&png, seed);
		/* and nothing of it is left behind */
		if (seed % 16 == 0)
			ck_assert_uint_eq(compare(&whole, seed), fast_count);
		free(png.p);
		free(whole.p);
	}
	ck_assert_uint_lt(taken, 1500 / 10 * fast_count);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("engine colour");
	TCase *tests = tcase_create("engine colour");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, random_pictures);
	tcase_add_test(tests, many_colours);
	tcase_add_test(tests, large);
	tcase_add_test(tests, damaged);
	suite_add_tcase(suite, tests);
	return suite;
}

CHECK_MAIN(suite)
