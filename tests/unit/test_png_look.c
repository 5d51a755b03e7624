/* png_look.h: what a PNG seems to show, from its first bytes. */
#include "check_main.h"

#include "base/png_header.h"
#include "layout/listed_names.h"
#include "layout/png_look.h"
#include "photo_pngs.h"

enum { SIDE = 64 };

/* Compressed as encoders do it: picture_png() takes any of zlib's strategies. */
static enum png_look look_of(struct picture *p, int level, struct png_sight *sight)
{
	uint8_t ihdr[13] = { [3] = SIDE, [7] = SIDE, [8] = 8, [9] = (uint8_t)p->colour };
	size_t row = (size_t)SIDE * p->channels + 1;
	uint8_t *rows = xcalloc(SIDE, row), packed[1 << 16];
	struct bytes png = { 0 };
	uLongf packed_len = sizeof(packed);

	for (size_t y = 0; y < SIDE; y++)
		for (size_t x = 1; x < row; x++)
			rows[y * row + x] = (uint8_t)p->samples[y * (row - 1) + x - 1];
	ck_assert_int_eq(compress2(packed, &packed_len, rows, SIDE * row, level), Z_OK);
	bytes_add(&png, "\x89PNG\r\n\x1a\n", 8);
	bytes_chunk(&png, "IHDR", ihdr, sizeof(ihdr));
	bytes_chunk(&png, "IDAT", packed, packed_len);
	bytes_chunk(&png, "IEND", NULL, 0);
	png_look(png.p, MIN(png.n, (size_t)4096), png.n, -1, false, sight);
	free(png.p);
	free(rows);
	free(p->samples);
	return sight->look;
}

/* A picture of SIDE x SIDE whose samples are value(x, y). */
static struct picture drawn(unsigned colour, unsigned (*value)(unsigned x, unsigned y, uint64_t *s), uint64_t *s)
{
	struct picture p = {
		.width = SIDE, .height = SIDE, .depth = 8, .colour = colour, .channels = channels_of[colour]
	};

	p.samples = xmalloc((size_t)SIDE * SIDE * p.channels * sizeof(*p.samples));
	for (unsigned y = 0; y < SIDE; y++)
		for (unsigned x = 0; x < SIDE * p.channels; x++)
			p.samples[(size_t)y * SIDE * p.channels + x] = (uint16_t)value(x / p.channels, y, s);
	return p;
}

static unsigned scene(unsigned x, unsigned y, uint64_t *s)
{
	return 40 + x + 2 * y + (unsigned)random_below(s, 20);
}

static unsigned blobs(unsigned x, unsigned y, uint64_t *s)
{
	(void)s;
	return x / 20 + y / 30;
}

static unsigned noise(unsigned x, unsigned y, uint64_t *s)
{
	(void)x;
	(void)y;
	return (unsigned)random_below(s, 256);
}

static unsigned noisy_ids(unsigned x, unsigned y, uint64_t *s)
{
	(void)x;
	(void)y;
	return (unsigned)random_below(s, 9);
}

START_TEST(looks)
{
	static const struct {
		unsigned (*value)(unsigned x, unsigned y, uint64_t *s);
		unsigned colour;
		int level;
		enum png_look want;
		bool noise;
	} cases[] = {
		{ scene, PNG_GREY, 6, PNG_LOOK_PHOTO, false },    { scene, PNG_RGB, 6, PNG_LOOK_PHOTO, false },
		{ scene, PNG_GREY, 0, PNG_LOOK_PHOTO, false },    { blobs, PNG_GREY, 6, PNG_LOOK_MASK, false },
		{ blobs, PNG_PALETTE, 6, PNG_LOOK_MASK, false },  { blobs, PNG_GREY, 0, PNG_LOOK_MASK, false },
		{ blobs, PNG_RGB, 6, PNG_LOOK_COLOUR, false },    { blobs, PNG_RGBA, 6, PNG_LOOK_COLOUR, false },
		{ noise, PNG_GREY, 6, PNG_LOOK_MASK, true },      { noise, PNG_RGB, 6, PNG_LOOK_PHOTO, true },
		{ noisy_ids, PNG_GREY, 6, PNG_LOOK_MASK, false },
	};
	uint64_t s = 1;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct picture p = drawn(cases[i].colour, cases[i].value, &s);
		struct png_sight sight;

		ck_assert_msg(look_of(&p, cases[i].level, &sight) == cases[i].want, "case %zu: %d", i, sight.look);
		ck_assert_msg(sight.noise == cases[i].noise, "case %zu", i);
		ck_assert(sight.alpha == (cases[i].colour == PNG_RGBA));
	}
}
END_TEST

/* Black above and below, as around a retina. */
static unsigned framed(unsigned x, unsigned y, uint64_t *s)
{
	return y < 44 || y > 60 ? 0 : scene(x, y, s);
}

/* Half a mask is plain, and the rest has noisy edges: as many bits as a photo has, but few ids. */
static unsigned noisy_below(unsigned x, unsigned y, uint64_t *s)
{
	return y < 32 ? 0 : noisy_ids(x, y, s);
}

/* A photo that begins with a plain frame is known by what comes below it. */
START_TEST(frames)
{
	uint64_t s = 1;
	struct png_sight sight;
	struct picture p = drawn(PNG_GREY, framed, &s);

	ck_assert_int_eq(look_of(&p, 6, &sight), PNG_LOOK_PHOTO);
	ck_assert(sight.varied);
	p = drawn(PNG_RGB, framed, &s);
	ck_assert_int_eq(look_of(&p, 6, &sight), PNG_LOOK_PHOTO);
	ck_assert(sight.varied);
	p = drawn(PNG_GREY, noisy_below, &s);
	ck_assert_int_eq(look_of(&p, 6, &sight), PNG_LOOK_MASK);
}
END_TEST

/* Writes a file with `text` bytes before the pixels and `after` behind the end, and looks at it. */
static enum png_look look_of_file(unsigned depth, size_t text, size_t idat, size_t after)
{
	uint8_t ihdr[13] = { [3] = SIDE, [7] = SIDE, [8] = (uint8_t)depth }, packed[1 << 15];
	const size_t row = SIDE * depth / 8 + 1;
	uint8_t *rows = xcalloc(SIDE, row), *junk = xcalloc(text + after + 1, 1);
	uLongf n = sizeof(packed);
	struct bytes png = { 0 };
	struct png_sight sight;
	FILE *file = tmpfile();

	for (unsigned y = 0; y < SIDE; y++)
		for (unsigned x = 0; x < SIDE; x++)
			rows[y * row + (x + 1) * depth / 8] = (uint8_t)blobs(x, y, NULL);
	ck_assert_int_eq(compress2(packed, &n, rows, SIDE * row, idat == 1 ? 0 : 6), Z_OK);
	bytes_add(&png, "\x89PNG\r\n\x1a\n", 8);
	bytes_chunk(&png, "IHDR", ihdr, sizeof(ihdr));
	if (text)
		bytes_chunk(&png, "iTXt", junk, text);
	for (size_t at = 0; at < n; at += idat)
		bytes_chunk(&png, "IDAT", packed + at, MIN(idat, n - at));
	bytes_chunk(&png, "IEND", NULL, 0);
	bytes_add(&png, junk, after);
	ck_assert(file && fwrite(png.p, 1, png.n, file) == png.n && !fflush(file));
	png_look(png.p, MIN(png.n, (size_t)4096), png.n, fileno(file), false, &sight);
	fclose(file);
	free(png.p);
	free(junk);
	free(rows);
	return sight.look;
}

/* Bytes that are no pixels do not make a photo of a mask: profiles, frames of many IDATs, what follows the end. */
START_TEST(other_bytes)
{
	ck_assert_int_eq(look_of_file(8, 9500, 1000, 0), PNG_LOOK_MASK);
	ck_assert_int_eq(look_of_file(8, 100000, 1000, 100000), PNG_LOOK_MASK);
	ck_assert_int_eq(look_of_file(8, 0, 1, 0), PNG_LOOK_MASK);
	ck_assert_int_eq(look_of_file(16, 0, 1000, 9500), PNG_LOOK_MASK);
	ck_assert_int_eq(look_of_file(16, 600, 1000, 0), PNG_LOOK_MASK);
}
END_TEST

/* The ids are those of the pixels, whatever the depth, the filters and the compression. */
START_TEST(ids)
{
	static const unsigned depths[] = { 1, 2, 4, 8, 16 };

	for (uint64_t seed = 1; seed < 400; seed++) {
		uint64_t s = seed;
		unsigned depth = depths[random_below(&s, 5)];
		unsigned colour = depth < 16 && random_below(&s, 2) ? PNG_PALETTE : PNG_GREY;
		struct picture p = picture_new(1 + (uint32_t)random_below(&s, 50), 1 + (uint32_t)random_below(&s, 40),
					       depth, colour, 3, &s);
		struct bytes png = picture_png(&p, -1, (enum split)random_below(&s, SPLITS), &s);
		struct png_sight sight;
		uint64_t want[4] = { 0 };
		bool wide = false;

		for (size_t i = 0; i < (size_t)p.width * p.height; i++) {
			wide |= p.samples[i] > 255;
			if (depth < 16)
				want[p.samples[i] / 64] |= UINT64_C(1) << p.samples[i] % 64;
		}
		png_look(png.p, png.n, png.n, -1, true, &sight);
		ck_assert_mem_eq(sight.ids, want, sizeof(want));
		ck_assert(sight.wide_ids == wide && sight.has_ids == (depth < 16));
		for (size_t n = 0; n < png.n; n += 1 + random_below(&s, 30)) { /* some of them, whatever is damaged */
			uint8_t *part = malloc(n ? n : 1);

			memcpy(part, png.p, n);
			if (n > PNG_IHDR_END)
				part[PNG_IHDR_END + random_below(&s, (uint32_t)(n - PNG_IHDR_END))] ^=
					(uint8_t)random_below(&s, 256);
			png_look(part, n, png.n, -1, true, &sight);
			free(part);
		}
		free(png.p);
		free(p.samples);
	}
}
END_TEST

START_TEST(names)
{
	static const char json[] =
		"{\"images\": [{\"file_name\" : \"a/b/1.png\"}, {\"file_name\":\"2.jpg\", \"file_name\": 3}";
	static const char table[] = "file,label\nimages/3.png,1\n\"4.jpg\";2\n5,3\n";
	struct listed_names l = { 0 };
	struct name_filter present = { 0 };

	ck_assert(!name_filter_has(&present, "x", 1) && !listed_names_are_in(&l, &present));
	ck_assert_uint_eq(listed_names_add_coco(&l, json, sizeof(json) - 1), 2);
	ck_assert_uint_eq(listed_names_add_table(&l, table, sizeof(table) - 1), 4);
	ck_assert_uint_eq(l.count, 4);
	ck_assert(name_filter_has_file(&l.names, "x/1.png") && name_filter_has_file(&l.names, "4.jpg"));
	ck_assert(!name_filter_has_file(&l.names, "1.jpg") && !name_filter_has_file(&l.names, "5.png"));
	name_filter_add_file(&present, "c/1.png");
	ck_assert(!listed_names_are_in(&l, &present));
	name_filter_add_file(&present, "3.png");
	ck_assert(listed_names_are_in(&l, &present));
	name_filter_release(&present);
	listed_names_release(&l);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("png_look");
	TCase *t = tcase_create("looks");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, looks);
	tcase_add_test(t, frames);
	tcase_add_test(t, other_bytes);
	tcase_add_test(t, ids);
	tcase_add_test(t, names);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
