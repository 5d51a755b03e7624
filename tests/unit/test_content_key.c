/*
 * The content key (measure/content_key.h): what changes it, what does not, and that nothing of a small world collides.
 * That all backends compute the same one is in their own tests, which compare whole struct label_stats.
 */
#include "check_main.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "measure/engine/engine.h"
#include "measure/reference.h"
#include "measure/reference_rows.h"
#include "random_masks.h"

static struct settings settings;
static struct reference_rows *rows;
static struct batch batch;

static void set_up(void)
{
	struct error err = ERROR_INIT;

	ck_assert_int_eq(cpu_init(&err), STATUS_OK);
	memset(&settings, 0, sizeof(settings));
	settings.view = VIEW_RAW;
	class_set_init(&settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&settings.classes, "256", &err), STATUS_OK);
	class_set_finish(&settings.classes);
	rows = reference_rows_new(&settings.classes);
	batch_init(&batch);
}

static void tear_down(void)
{
	reference_rows_free(rows);
	batch_release(&batch);
	class_set_release(&settings.classes);
}

struct key {
	uint64_t v[2];
};

static struct key key_of(const uint8_t *ids, uint32_t width, uint32_t height)
{
	struct label_stats s = { 0 };
	struct key key;

	batch_clear(&batch);
	ck_assert(reference_rows_begin(rows, width, height, false));
	for (uint32_t y = 0; y < height; y++)
		reference_rows_add(rows, ids + (size_t)y * width);
	reference_rows_end(rows, &s, &batch);
	memcpy(key.v, s.content, sizeof(key.v));
	return key;
}

/* Neither sum may be equal: each is to tell masks apart by itself. */
static void ck_differ(const uint8_t *a, const uint8_t *b, uint32_t width, uint32_t height, const char *what)
{
	if (memcmp(a, b, (size_t)width * height) == 0)
		return;
	struct key p = key_of(a, width, height), q = key_of(b, width, height);

	ck_assert_msg(p.v[0] != q.v[0] && p.v[1] != q.v[1], "%s: equal keys", what);
}

enum { SIDE = 40 };

TEST(rearranged_masks_differ)
{
	uint8_t ids[SIDE * SIDE], other[SIDE * SIDE];
	uint64_t s = 3;

	for (unsigned round = 0; round < 300; round++) {
		uint32_t kinds = 2 + random_below(&s, 5), a = random_below(&s, SIDE), b = random_below(&s, SIDE);

		/* regions: a pixel is mostly what its left or upper neighbour is */
		for (unsigned i = 0; i < SIDE * SIDE; i++) {
			uint32_t kind = random_below(&s, 20);

			ids[i] = kind < 2 || i < SIDE ? (uint8_t)random_below(&s, kinds)
						      : ids[kind < 10 ? i - 1 : i - SIDE];
		}
#define REARRANGED(what, from)                           \
	for (unsigned y = 0; y < SIDE; y++)              \
		for (unsigned x = 0; x < SIDE; x++)      \
			other[y * SIDE + x] = ids[from]; \
	ck_differ(ids, other, SIDE, SIDE, what)
		REARRANGED("flipped", y * SIDE + SIDE - 1 - x);
		REARRANGED("upside down", (SIDE - 1 - y) * SIDE + x);
		REARRANGED("turned", (SIDE - 1 - y) * SIDE + SIDE - 1 - x);
		REARRANGED("transposed", x * SIDE + y);
		REARRANGED("shifted right", y * SIDE + (x + 1) % SIDE);
		REARRANGED("shifted down", (y + 1) % SIDE * SIDE + x);
		REARRANGED("rows changed places", (y == a ? b : y == b ? a : y) * SIDE + x);
		REARRANGED("columns changed places", y * SIDE + (x == a ? b : x == b ? a : x));
#undef REARRANGED
		/* the same ids, as often, elsewhere */
		for (unsigned i = 0; i < SIDE * SIDE; i++)
			other[i] = ids[i] == 0 ? 1 : ids[i] == 1 ? 0 : ids[i];
		ck_differ(ids, other, SIDE, SIDE, "ids changed places");
		for (unsigned i = 0; i < SIDE * SIDE; i++)
			other[i] = (uint8_t)(ids[i] + 1);
		ck_differ(ids, other, SIDE, SIDE, "one more");
		/* one border moves right, another one left */
		memcpy(other, ids, sizeof(ids));
		other[a * SIDE + b] = (uint8_t)(ids[a * SIDE + b] + 1);
		other[b * SIDE + a] = (uint8_t)(ids[b * SIDE + a] - 1);
		ck_differ(ids, other, SIDE, SIDE, "one more here and one less there");
		for (unsigned bit = 0; bit < 8; bit++) {
			memcpy(other, ids, sizeof(ids));
			other[a * SIDE + b] ^= (uint8_t)(1 << bit);
			ck_differ(ids, other, SIDE, SIDE, "a flipped bit");
		}
	}
}

static int compare_words(const void *a, const void *b)
{
	uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;

	return (p > q) - (p < q);
}

/* All 2^16 masks of 4 x 4 zeros and ones: with sums of plain numbers, thousands of them collide. */
TEST(all_small_masks_differ)
{
	enum { MASKS = 1 << 16 };
	uint64_t *sums[2];

	for (unsigned i = 0; i < 2; i++)
		sums[i] = xmalloc(MASKS * sizeof(*sums[i]));
	for (unsigned mask = 0; mask < MASKS; mask++) {
		uint8_t ids[16];

		for (unsigned i = 0; i < 16; i++)
			ids[i] = mask >> i & 1;
		struct key key = key_of(ids, 4, 4);

		sums[0][mask] = key.v[0];
		sums[1][mask] = key.v[1];
	}
	for (unsigned i = 0; i < 2; i++) {
		qsort(sums[i], MASKS, sizeof(*sums[i]), compare_words);
		for (unsigned mask = 1; mask < MASKS; mask++)
			ck_assert_uint_ne(sums[i][mask - 1], sums[i][mask]);
		free(sums[i]);
	}
}

struct written {
	uint8_t bytes[1 << 16];
	size_t size;
};

static void write_bytes(png_structp png, png_bytep bytes, size_t n)
{
	struct written *f = png_get_io_ptr(png);

	ck_assert_uint_le(n, sizeof(f->bytes) - f->size);
	memcpy(f->bytes + f->size, bytes, n);
	f->size += n;
}

static void flush(png_structp png)
{
	(void)png;
}

/* By libpng: with those filters (PNG_FILTER_*), palette or grey, interlaced or not. */
static void write_mask(struct written *f, const uint8_t *ids, uint32_t width, uint32_t height, int depth, int colour,
		       int filters, int interlace)
{
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(png);
	png_color palette[256] = { { 0 } };
	png_bytep lines[SIDE];
	uint8_t samples[2 * SIDE * SIDE];

	ck_assert(png && info);
	f->size = 0;
	for (uint32_t i = 0; i < width * height; i++) {
		samples[depth == 16 ? 2 * i + 1 : i] = ids[i];
		if (depth == 16)
			samples[2 * i] = 0;
	}
	for (uint32_t y = 0; y < height; y++)
		lines[y] = samples + (size_t)y * width * (depth == 16 ? 2 : 1);
	png_set_write_fn(png, f, write_bytes, flush);
	png_set_IHDR(png, info, width, height, depth, colour, interlace, PNG_COMPRESSION_TYPE_BASE,
		     PNG_FILTER_TYPE_BASE);
	if (colour == PNG_COLOR_TYPE_PALETTE)
		png_set_PLTE(png, info, palette, 1 << depth);
	png_set_filter(png, PNG_FILTER_TYPE_BASE, filters);
	png_write_info(png, info);
	if (depth < 8)
		png_set_packing(png);
	png_write_image(png, lines);
	png_write_end(png, NULL);
	png_destroy_write_struct(&png, &info);
}

/* The key by the fast path if it takes the file, and by the reference, which must agree. */
static struct key key_of_file(struct engine *fast, struct reference *reference, const struct written *f)
{
	struct batch_item item;
	struct view_map map;
	struct key keys[2] = { { { 0 } } };

	for (unsigned slow = 0; slow < 2; slow++) {
		memset(&item, 0, sizeof(item));
		batch_clear(&batch);
		input_init(&item.input);
		input_from_memory(&item.input, f->bytes, f->size);
		item.sample.format = FORMAT_PNG;
		item.sample.status = SAMPLE_READ;
		if (slow || !engine_measure_fast(fast, &item, &batch)) {
			struct png_decoder *d = reference_open(reference, &item, &map);

			ck_assert(d);
			reference_measure(reference, d, &map, &item, &batch);
		}
		memcpy(keys[slow].v, item.stats.content, sizeof(keys[slow].v));
	}
	ck_assert_mem_eq(&keys[0], &keys[1], sizeof(keys[0]));
	return keys[0];
}

/* Filters, interlacing and, where it holds the ids, depth and colour type are no content. */
TEST(encodings_agree)
{
	static const int filters[] = { PNG_FILTER_NONE, PNG_FILTER_SUB,   PNG_FILTER_UP,
				       PNG_FILTER_AVG,  PNG_FILTER_PAETH, PNG_ALL_FILTERS };
	static struct written f;
	struct engine *fast = engine_new(&settings, NULL);
	struct reference reference;
	uint64_t s = 8;

	reference_init(&reference, &settings);
	for (int bits = 1; bits <= 8; bits *= 2) {
		uint8_t ids[SIDE * SIDE];
		uint32_t width = 1 + random_below(&s, SIDE), height = 1 + random_below(&s, SIDE);

		for (unsigned i = 0; i < width * height; i++)
			ids[i] = i && random_below(&s, 3) ? ids[i - 1] : (uint8_t)random_below(&s, 1u << bits);
		struct key expected = key_of(ids, width, height);

		for (int depth = bits; depth <= 16; depth *= 2) {
			for (unsigned i = 0; i < 4 * ARRAY_SIZE(filters); i++) {
				int colour = i & 1 ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_GRAY;

				if (depth == 16 && colour == PNG_COLOR_TYPE_PALETTE)
					continue;
				write_mask(&f, ids, width, height, depth, colour, filters[i / 4],
					   i & 2 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE);
				struct key key = key_of_file(fast, &reference, &f);

				ck_assert_mem_eq(&key, &expected, sizeof(key));
			}
		}
	}
	reference_release(&reference);
	engine_free(fast);
}

FIXTURE(set_up, tear_down)
