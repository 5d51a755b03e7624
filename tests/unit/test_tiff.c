/* TIFF masks: rows of every element, compression, tiling and byte order that libtiff writes; and damaged files. */
#include "read/raster.h"

#include "check_main.h"

#ifdef HAVE_LIBTIFF

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

#include "base/mem.h"
#include "random.h"

enum { WIDTH = 50, HEIGHT = 37, ROW_MAX = WIDTH * 8 * 3, PAGES = 3 };

struct shape {
	const char *mode; /* of TIFFOpen(): byte order, BigTIFF */
	uint16_t compression, bits, format, photometric, samples, planar;
	bool tiled, predictor;
	unsigned pages;
	const char *array; /* what its .npy declares, or NULL */
};

static uint8_t rows[PAGES][3][HEIGHT][ROW_MAX]; /* as they are stored, in the machine's byte order */

static size_t row_bytes(const struct shape *s)
{
	return ((size_t)WIDTH * s->bits * (s->planar == PLANARCONFIG_SEPARATE ? 1u : s->samples) + 7) / 8;
}

static void write_tiles(TIFF *file, const struct shape *s, unsigned page, uint16_t plane)
{
	const size_t bytes = row_bytes(s), line = (size_t)TIFFTileRowSize(file);
	uint8_t *tile = xcalloc(1, (size_t)TIFFTileSize(file));

	for (uint32_t y = 0; y < HEIGHT; y += 16)
		for (uint32_t x = 0; x < WIDTH; x += 32) {
			const size_t at = x / 32 * line;

			for (uint32_t i = 0; i < MIN(16u, HEIGHT - y); i++)
				memcpy(tile + i * line, rows[page][plane][y + i] + at, MIN(line, bytes - at));
			ck_assert(TIFFWriteTile(file, tile, x, y, 0, plane) > 0);
		}
	free(tile);
}

static void write_page(TIFF *file, const struct shape *s, unsigned page)
{
	uint16_t colours[256] = { 0 };

	TIFFSetField(file, TIFFTAG_IMAGEWIDTH, WIDTH);
	TIFFSetField(file, TIFFTAG_IMAGELENGTH, HEIGHT);
	TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, s->bits);
	TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, s->samples);
	TIFFSetField(file, TIFFTAG_SAMPLEFORMAT, s->format);
	TIFFSetField(file, TIFFTAG_PHOTOMETRIC, s->photometric);
	TIFFSetField(file, TIFFTAG_PLANARCONFIG, s->planar);
	TIFFSetField(file, TIFFTAG_COMPRESSION, s->compression);
	if (s->photometric == PHOTOMETRIC_PALETTE)
		TIFFSetField(file, TIFFTAG_COLORMAP, colours, colours, colours);
	if (s->predictor)
		TIFFSetField(file, TIFFTAG_PREDICTOR,
			     s->format == SAMPLEFORMAT_IEEEFP ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL);
	if (s->tiled) {
		TIFFSetField(file, TIFFTAG_TILEWIDTH, 32);
		TIFFSetField(file, TIFFTAG_TILELENGTH, 16);
	} else {
		TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, 7);
	}
	for (uint16_t plane = 0; plane < (s->planar == PLANARCONFIG_SEPARATE ? s->samples : 1); plane++) {
		uint8_t row[ROW_MAX];

		if (s->tiled)
			write_tiles(file, s, page, plane);
		for (uint32_t y = 0; y < HEIGHT && !s->tiled; y++) {
			memcpy(row, rows[page][plane][y], sizeof(row)); /* libtiff swaps it in place */
			ck_assert_int_eq(TIFFWriteScanline(file, row, y, plane), 1);
		}
	}
	ck_assert(TIFFWriteDirectory(file));
}

/* Returns the bytes of a file of random rows; *n: how many; owned by the caller. */
static uint8_t *make_tiff(const struct shape *s, size_t *n)
{
	char path[] = "/tmp/test_tiff-XXXXXX";
	uint64_t random = s->bits * 7u + s->compression;
	int fd = mkstemp(path);

	for (size_t i = 0; i < sizeof(rows); i++)
		((uint8_t *)rows)[i] = (uint8_t)(i / 40 % 3 ? 0 : random_next(&random));
	ck_assert(fd >= 0);
	TIFF *file = TIFFFdOpen(dup(fd), path, s->mode);

	ck_assert_ptr_nonnull(file);
	for (unsigned page = 0; page < MAX(s->pages, 1u); page++)
		write_page(file, s, page);
	TIFFClose(file);
	*n = (size_t)lseek(fd, 0, SEEK_END);
	uint8_t *bytes = xmalloc(*n);

	ck_assert(pread(fd, bytes, *n, 0) == (ssize_t)*n);
	close(fd);
	unlink(path);
	return bytes;
}

static bool open_bytes(struct raster *raster, const uint8_t *bytes, size_t n, enum view view, struct fault *fault)
{
	struct input in;

	fault_clear(fault);
	input_init(&in);
	input_from_memory(&in, bytes, n);
	bool opened = tiff_open(raster, &in, view, fault);

	input_release(&in);
	ck_assert(opened == (fault->kind == FAULT_NONE));
	return opened;
}

#define NONE               COMPRESSION_NONE
#define LZW                COMPRESSION_LZW
#define FLATE              COMPRESSION_ADOBE_DEFLATE
#define UINT               SAMPLEFORMAT_UINT
#define INT                SAMPLEFORMAT_INT
#define FLOAT              SAMPLEFORMAT_IEEEFP
#define BLACK              PHOTOMETRIC_MINISBLACK
#define COLOUR             PHOTOMETRIC_RGB
#define ARRAY(type, shape) "{'descr': '<" type "', 'fortran_order': False, 'shape': (" shape "), }\n"

static const struct shape shapes[] = {
	{ "wl", NONE, 1, UINT, BLACK, 1, 1, false, false, 0, NULL },
	{ "wb", COMPRESSION_CCITTFAX4, 1, UINT, BLACK, 1, 1, false, false, 0, NULL },
	{ "wl", COMPRESSION_PACKBITS, 2, UINT, BLACK, 1, 1, true, false, 0, NULL },
	{ "wl", LZW, 4, UINT, PHOTOMETRIC_PALETTE, 1, 1, true, false, 0, NULL },
	{ "wl8", LZW, 8, UINT, PHOTOMETRIC_PALETTE, 1, 1, false, true, 0, NULL },
	{ "wb", FLATE, 8, UINT, BLACK, 1, 1, true, true, 0, NULL },
	{ "wb", NONE, 16, UINT, BLACK, 1, 1, false, false, 0, NULL },
	{ "wb8", LZW, 16, UINT, BLACK, 1, 1, true, true, 0, NULL },
	{ "wl", COMPRESSION_ZSTD, 8, UINT, COLOUR, 3, 1, true, true, 0, NULL },
	{ "wb", FLATE, 16, UINT, COLOUR, 3, 1, false, true, 0, NULL },
	{ "wl", NONE, 8, UINT, COLOUR, 3, 2, false, false, 0, ARRAY("u1", "3, 37, 50") },
	{ "wb", LZW, 16, UINT, BLACK, 3, 2, true, true, 0, ARRAY("u2", "3, 37, 50") },
	{ "wl", LZW, 16, UINT, BLACK, 3, 1, true, true, 0, ARRAY("u2", "37, 50, 3") },
	{ "wb", FLATE, 8, INT, BLACK, 1, 1, false, false, 0, ARRAY("i1", "37, 50") },
	{ "wb", NONE, 16, INT, BLACK, 1, 1, true, false, 0, ARRAY("i2", "37, 50") },
	{ "wl", LZW, 32, INT, BLACK, 1, 1, false, true, 0, ARRAY("i4", "37, 50") },
	{ "wb", LZW, 32, UINT, BLACK, 1, 1, true, true, 0, ARRAY("u4", "37, 50") },
	{ "wl8", FLATE, 32, FLOAT, BLACK, 1, 1, true, true, 0, ARRAY("f4", "37, 50") },
	{ "wl", NONE, 64, FLOAT, BLACK, 1, 1, false, false, 0, ARRAY("f8", "37, 50") },
	{ "wb", NONE, 64, INT, BLACK, 1, 1, false, false, 0, ARRAY("i8", "37, 50") },
	{ "wb", LZW, 8, UINT, BLACK, 1, 1, false, false, PAGES, ARRAY("u1", "3, 37, 50") },
	{ "wl", FLATE, 16, UINT, BLACK, 3, 2, true, true, PAGES, ARRAY("u2", "3, 3, 37, 50") },
};

TEST_EACH(rows_are_read, ARRAY_SIZE(shapes))
{
	const struct shape *s = &shapes[_i];
	const bool separate = s->planar == PLANARCONFIG_SEPARATE;
	const size_t bytes = row_bytes(s);
	struct raster raster;
	struct fault fault;
	uint8_t row[ROW_MAX];
	size_t n;
	uint8_t *file = make_tiff(s, &n);

	ck_assert_msg(open_bytes(&raster, file, n, VIEW_PIL, &fault), "%s", fault.text);
	ck_assert_str_eq(raster.array, s->array ? s->array : "");
	ck_assert_uint_eq(raster.row_bytes, bytes);
	ck_assert_uint_eq(raster.header.width, WIDTH);
	for (unsigned page = 0; page < MAX(s->pages, 1u); page++)
		for (uint16_t plane = 0; plane < (separate ? s->samples : 1); plane++)
			for (uint32_t y = 0; y < HEIGHT; y++) {
				uint8_t *want = rows[page][plane][y];

				ck_assert_msg(raster.row(raster.self, row, &fault), "%s", fault.text);
				for (size_t i = 0; s->bits == 16 && !s->array && i < bytes; i += 2) {
					uint8_t low = want[i];

					want[i] = want[i + 1];
					want[i + 1] = low;
				}
				ck_assert_int_eq(memcmp(row, want, (size_t)WIDTH * s->bits / 8), 0);
			}
	ck_assert(raster.finish(raster.self, &fault));
	raster.close(raster.self);
	free(file);
}

/* Pillow inverts them up to 8 bits, and not beyond. */
TEST(white_is_zero_as_pillow_reads_it)
{
	struct shape s = { "wl", NONE, 8, UINT, PHOTOMETRIC_MINISWHITE, 1, 1, false, false, 0, NULL };

	for (unsigned i = 0; i < 4; i++) {
		struct raster raster;
		struct fault fault;
		uint8_t row[ROW_MAX];
		size_t n;

		s.bits = i < 2 ? 8 : 16;
		uint8_t *file = make_tiff(&s, &n);

		ck_assert(open_bytes(&raster, file, n, i % 2 ? VIEW_RAW : VIEW_PIL, &fault));
		ck_assert(raster.row(raster.self, row, &fault));
		ck_assert_uint_eq(row[0], s.bits == 16 ? rows[0][0][0][1]
					  : i          ? rows[0][0][0][0]
						       : 255 - rows[0][0][0][0]);
		raster.close(raster.self);
		free(file);
	}
}

/* Nothing is read outside the file, no fault is of another kind, and what is cut is said to be. */
TEST_EACH(damaged_files_are_faults, ARRAY_SIZE(shapes))
{
	uint64_t random = (uint64_t)_i;
	size_t n;
	uint8_t *file = make_tiff(&shapes[_i], &n), row[ROW_MAX];

	for (unsigned round = 0; round < 400; round++) {
		const bool cut = round % 2;
		const size_t part = cut ? random_next(&random) % n : n;
		uint8_t *copy = xmalloc(MAX(part, (size_t)1));
		struct raster raster;
		struct fault fault;

		memcpy(copy, file, part);
		for (unsigned i = 0; i < 3 && part && !cut; i++)
			copy[random_next(&random) % (i ? MIN(part, (size_t)200) : part)] =
				(uint8_t)random_next(&random);
		if (open_bytes(&raster, copy, part, VIEW_PIL, &fault)) {
			const uint64_t most = MIN(raster.header.height, 2000u);
			bool read = raster.row_bytes <= sizeof(row);

			for (uint32_t y = 0; y < most && read; y++)
				read = raster.row(raster.self, row, &fault);
			raster.close(raster.self);
		}
		ck_assert_msg(!cut || fault.kind == FAULT_TRUNCATED || fault.kind == FAULT_CORRUPT ||
				      fault.kind == FAULT_NONE,
			      "%d: %s", fault.kind, fault.text);
		free(copy);
	}
	free(file);
}

struct tag {
	uint16_t tag;
	uint32_t count, value;
};

/* Returns a little-endian TIFF of n bytes: its tags, all of type LONG, and after them the words of `rest`, at once. */
static uint8_t *make_bare(const struct tag *tags, uint16_t count, const uint32_t *rest, size_t words, size_t n)
{
	uint8_t *file = xcalloc(1, n), *p = file + 10;
	const uint32_t eight = 8;
	const uint16_t longs = TIFF_LONG;

	memcpy(file, "II*", 3);
	memcpy(file + 4, &eight, 4);
	memcpy(file + 8, &count, 2);
	for (uint16_t i = 0; i < count; i++, p += 12) {
		memcpy(p, &tags[i].tag, 2);
		memcpy(p + 2, &longs, 2);
		memcpy(p + 4, &tags[i].count, 4);
		memcpy(p + 8, &tags[i].value, 4);
	}
	if (words)
		memcpy(p + 4, rest, words * sizeof(*rest));
	return file;
}

static void expect_limit(uint8_t *file, size_t n, const char *text)
{
	static uint8_t row[1 << 16];
	struct raster raster;
	struct fault fault;

	if (open_bytes(&raster, file, n, VIEW_PIL, &fault)) {
		for (uint32_t y = 0; y < raster.header.height && raster.row(raster.self, row, &fault);)
			y++;
		raster.close(raster.self);
	}
	ck_assert_int_eq(fault.kind, FAULT_LIMIT);
	ck_assert_msg(strstr(fault.text, text) != NULL, "%s", fault.text);
	free(file);
}

TEST(tiles_and_strips_are_bounded)
{
	static const struct tag tiled[] = { { 256, 1, 100 }, { 257, 1, 100 }, { 258, 1, 8 },     { 259, 1, 1 },
					    { 262, 1, 1 },   { 277, 1, 1 },   { 322, 1, 16384 }, { 323, 1, 16384 },
					    { 324, 1, 16 },  { 325, 1, 100 } };
	static const struct tag strips[] = { { 256, 1, 100 }, { 257, 1, 2 }, { 258, 1, 8 },
					     { 259, 1, 5 },   { 262, 1, 1 }, { 273, 2, 122 },
					     { 277, 1, 1 },   { 278, 1, 1 }, { 279, 2, 130 } };
	static const uint32_t places[] = { 200, 200, 100 << 20, 100 << 20 };

	expect_limit(make_bare(tiled, 10, NULL, 0, 4096), 4096, "more than 25165824 bytes at a time");
	expect_limit(make_bare(strips, 9, places, 4, 4096), 4096, "more than 25165824 bytes at a time");
}

/* 400 strips lie on each other: 24 MB of a file of 65 KB. */
TEST(bytes_are_not_read_again_and_again)
{
	enum { STRIPS = 400, ROW = 60000, AT = 122, PIXELS = AT + 8 * STRIPS };
	static const struct tag tags[] = { { 256, 1, ROW }, { 257, 1, STRIPS }, { 258, 1, 8 },
					   { 259, 1, 1 },   { 262, 1, 1 },      { 273, STRIPS, AT },
					   { 277, 1, 1 },   { 278, 1, 1 },      { 279, STRIPS, AT + 4 * STRIPS } };
	static uint32_t rest[2 * STRIPS];

	for (size_t i = 0; i < STRIPS; i++) {
		rest[i] = PIXELS;
		rest[STRIPS + i] = ROW;
	}
	expect_limit(make_bare(tags, 9, rest, 2 * STRIPS, PIXELS + ROW), PIXELS + ROW, "reads more than 16 times");
}

#else

TEST(tiffs_are_refused_without_libtiff)
{
	ck_assert(!TIFF_IS_BUILT_IN);
}

#endif
