/*
 * fix/mask_deflate.c and fix/deflate_blocks.c: zlib inflates the streams to the same bytes, whatever the rows hold and
 * however wide they are; a plain loop chooses the same symbols; codes are no longer than DEFLATE allows; streams of
 * masks are small. png/sample_rows.c: the rows and the verdict are the decoder's, for PNGs of every kind, whole and
 * damaged. png/changed_rows.c, fix/byte_map.c: rows are undone and mapped as they are as a whole, and their sums are
 * right; with wide registers and without.
 */
#include <libdeflate.h>
#include <string.h>
#include <zlib.h>

#include "check_main.h"

#include "base/mem.h"
#include "base/settings.h"
#include "effort.h"
#include "fix/byte_map.h"
#include "fix/deflate_blocks.h"
#include "fix/mask_deflate.h"
#include "fix/png_file.h"
#include "input_maker.h"
#include "mask_pngs.h"
#include "png/changed_rows.h"
#include "png/decode.h"
#include "png/sample_rows.h"
#include "registers.h"

enum { ROWS_MAX = 1 << 20 };

static void inflates_to(const char *stream, size_t n, int window_bits, const uint8_t *bytes, size_t count)
{
	uint8_t *out = xmalloc(count + 1);
	z_stream z = { .next_in = (Bytef *)(uintptr_t)stream,
		       .avail_in = (uInt)n,
		       .next_out = out,
		       .avail_out = (uInt)count + 1 };

	ck_assert_int_eq(inflateInit2(&z, window_bits), Z_OK);
	ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
	ck_assert_uint_eq(z.total_out, count);
	ck_assert_uint_eq(z.avail_in, 0);
	ck_assert_mem_eq(out, bytes, count);
	inflateEnd(&z);
	free(out);
}

/* Fills rows: runs of ids, each row like the one above but for some changes; or noise. */
static void fill_rows(uint8_t *rows, size_t line, size_t height, uint64_t *state)
{
	uint32_t ids = 1 + random_below(state, random_below(state, 2) ? 256 : 6), kind = random_below(state, 4);

	for (size_t y = 0; y < height; y++) {
		uint8_t *row = rows + y * line;

		if (y && kind && random_below(state, 30)) {
			memcpy(row, row - line, line);
			for (uint32_t changes = random_below(state, 4); changes && line > 1; changes--) {
				size_t at = 1 + random_below(state, (uint32_t)line - 1);
				size_t n = MIN((size_t)random_below(state, 9), line - at);

				memset(row + at, (int)random_below(state, ids), n);
			}
			continue;
		}
		for (size_t x = 1; x < line;) {
			size_t n = kind ? MIN((size_t)1 + random_below(state, 700), line - x) : 1;

			memset(row + x, (int)random_below(state, ids), n);
			x += n;
		}
		row[0] = 0;
	}
}

/* Returns how many bytes from `at` on equal those `distance` before them, of at most `most`. */
static size_t equal_bytes(const uint8_t *v, size_t at, size_t end, size_t distance, size_t most)
{
	size_t n = 0;

	while (distance <= at && n < most && at + n < end && v[at + n] == v[at + n - distance])
		n++;
	return n;
}

/* Appends the stream of rows as mask_deflate.h says that it is made, byte by byte. */
static void deflate_plainly(struct deflate_blocks *d, const uint8_t *v, size_t pixel, size_t line, size_t bytes,
			    struct strbuf *out)
{
	enum { MOST = DEFLATE_MATCH_MAX };

	deflate_begin(d, out);
	for (size_t at = 0, step; at < bytes; at += step) {
		size_t left = equal_bytes(v, at, bytes, pixel, MOST);
		size_t next = left ? left : 1 + equal_bytes(v, at + 1, bytes, pixel, MOST);
		size_t above = line <= DEFLATE_WINDOW ? equal_bytes(v, at, bytes, line, MOST) : 0;

		if (left < MOST && above > next && above >= DEFLATE_MATCH_MIN) {
			step = above;
			deflate_add(d, deflate_length((unsigned)step) | deflate_distance((unsigned)line));
		} else if (left >= DEFLATE_MATCH_MIN) {
			step = left;
			deflate_add(d, deflate_length((unsigned)step) | deflate_distance((unsigned)pixel));
		} else {
			step = 1;
			deflate_add(d, deflate_literal(v[at]));
		}
	}
	deflate_end(d);
}

static void deflate_rows(struct mask_deflate *m, const uint8_t *v, size_t pixel, size_t line, size_t bytes,
			 struct strbuf *out, struct mask_symbols *symbols)
{
	const struct mask_rows rows = { v, pixel, line, bytes, (uint32_t)adler32(1, v, (uInt)bytes) };

	mask_deflate(m, &rows, out, symbols);
}

START_TEST(streams_inflate_to_the_rows)
{
	struct mask_deflate *m = mask_deflate_new();
	uint8_t *memory = xcalloc(1, MASK_DEFLATE_BEFORE + ROWS_MAX + MASK_DEFLATE_AFTER);
	uint8_t *rows = memory + MASK_DEFLATE_BEFORE;
	struct strbuf out = STRBUF_INIT, narrow = STRBUF_INIT, plain = STRBUF_INIT;
	struct deflate_blocks *blocks = xcalloc(1, sizeof(*blocks));
	struct mask_symbols symbols;
	uint64_t state = 11;

	for (uint32_t i = 0; i < effort(150, 4000); i++) {
		static const uint32_t widths[] = { 3, 40, 600, 40000, 300000 };
		size_t line = 2 + random_below(&state, widths[random_below(&state, ARRAY_SIZE(widths))]);
		size_t height = 1 + random_below(&state, (uint32_t)MIN(ROWS_MAX / line, (size_t)700));
		size_t pixel = 1 + random_below(&state, 2);

		fill_rows(rows, line, height, &state);
		strbuf_clear(&out);
		choose_registers(false);
		deflate_rows(m, rows, pixel, line, line * height, &out, &symbols);
		inflates_to(out.s, out.len, 15, rows, line * height);
		strbuf_clear(&plain);
		deflate_plainly(blocks, rows, pixel, line, line * height, &plain);
		ck_assert_uint_eq(out.len, 2 + plain.len + 4);
		ck_assert_mem_eq(out.s + 2, plain.s, plain.len);
		choose_registers(true);
		strbuf_clear(&narrow);
		deflate_rows(m, rows, pixel, line, line * height, &narrow, &symbols);
		ck_assert_uint_eq(out.len, narrow.len);
		ck_assert_mem_eq(out.s, narrow.s, out.len);
		ck_assert_uint_le(symbols.count, line * height);
	}
	strbuf_release(&plain);
	strbuf_release(&narrow);
	strbuf_release(&out);
	free(blocks);
	free(memory);
	mask_deflate_free(m);
}
END_TEST

START_TEST(codes_are_as_long_as_deflate_allows)
{
	struct deflate_blocks *d = xcalloc(1, sizeof(*d));
	uint8_t *bytes = xmalloc(DEFLATE_BLOCK * 2);
	struct strbuf out = STRBUF_INIT;
	size_t n = 0;

	/* uses like Fibonacci numbers make the deepest tree: 20 deep without a limit */
	deflate_begin(d, &out);
	for (uint32_t id = 0, uses = 1, before = 1; id < 20; id++) {
		for (uint32_t i = 0; i < uses && n < DEFLATE_BLOCK; i++)
			deflate_add(d, deflate_literal(bytes[n++] = (uint8_t)(id * 11)));
		uses += before;
		before = uses - before;
	}
	deflate_end(d);
	inflates_to(out.s, out.len, -15, bytes, n);

	/* each length, and the ends of each distance symbol */
	memset(bytes, 7, DEFLATE_BLOCK * 2);
	strbuf_clear(&out);
	deflate_begin(d, &out);
	deflate_add(d, deflate_literal(7));
	n = 1;
	for (unsigned length = DEFLATE_MATCH_MIN; n < 8 * 1024; length = length % DEFLATE_MATCH_MAX + 1) {
		length = MAX(length, (unsigned)DEFLATE_MATCH_MIN);
		deflate_add(d, deflate_length(length) | deflate_distance(MIN((unsigned)n, 1 + length * length / 7)));
		n += length;
	}
	for (unsigned distance = 1; distance <= n; distance *= 2)
		for (unsigned i = 0; i < 2; i++, n += 3)
			deflate_add(d, deflate_length(3) | deflate_distance(MIN(distance + i, (unsigned)n)));
	deflate_end(d);
	inflates_to(out.s, out.len, -15, bytes, n);
	strbuf_release(&out);
	free(bytes);
	free(d);
}
END_TEST

/* A mask of 500 x 400 with three regions that have slanted and round borders: 900 runs change. */
START_TEST(masks_are_small)
{
	enum { WIDTH = 500, HEIGHT = 400, LINE = WIDTH + 1 };
	struct mask_deflate *m = mask_deflate_new();
	uint8_t *memory = xcalloc(1, MASK_DEFLATE_BEFORE + LINE * HEIGHT + MASK_DEFLATE_AFTER);
	uint8_t *rows = memory + MASK_DEFLATE_BEFORE;
	struct strbuf out = STRBUF_INIT;
	struct mask_symbols symbols;

	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			rows[y * LINE + 1 + x] = (x - 200) * (x - 200) + (y - 180) * (y - 180) < 22500 ? 3
						 : x * 2 > y + 600                                     ? 9
												       : 0;
	deflate_rows(m, rows, 1, LINE, LINE * HEIGHT, &out, &symbols);
	uLongf zlib_bytes = compressBound(LINE * HEIGHT);
	uint8_t *zlib_out = xmalloc(zlib_bytes);

	ck_assert_int_eq(compress2(zlib_out, &zlib_bytes, rows, LINE * HEIGHT, 9), Z_OK);
	ck_assert_uint_le(out.len * 10, zlib_bytes * 11);
	ck_assert(!symbols.repeat); /* a search would find nothing, and take ten times as long */
	free(zlib_out);
	strbuf_release(&out);
	free(memory);
	mask_deflate_free(m);
}
END_TEST

/* Returns the bytes of a PNG of these rows, whose lines begin with a 0. */
static size_t png_bytes(struct png_file *png, const uint8_t *rows, uint32_t width, uint32_t height)
{
	const struct png_header header = { .width = width, .height = height, .bit_depth = 8, .colour_type = PNG_GREY };
	struct strbuf out = STRBUF_INIT;
	struct fault fault = FAULT_INIT;

	ck_assert(png_file_begin(png, &header, &out, &fault));
	for (uint32_t y = 0; y < height; y++) {
		memcpy(png_file_next_row(png), rows + (size_t)y * (width + 1) + 1, width);
		ck_assert(png_file_row(png, NULL, &fault));
	}
	ck_assert(png_file_end(png, &fault));
	size_t n = out.len;

	strbuf_release(&out);
	return n;
}

/*
 * Masks that repeat themselves at other distances than a pixel and a row: slanted stripes and tiles, narrow and wide,
 * and noise.
 */
START_TEST(patterns_are_searched)
{
	enum { WIDTH = 640, HEIGHT = 480, LINE = WIDTH + 1, AROUND = 8 + 25 + 12 + 12 };
	uint8_t *rows = xcalloc(HEIGHT, LINE);
	struct libdeflate_compressor *search = libdeflate_alloc_compressor(9);
	size_t most = libdeflate_zlib_compress_bound(search, (size_t)LINE * HEIGHT);
	uint8_t *packed = xmalloc(most);
	struct png_file *png = png_file_new();
	uint64_t state = 5;

	for (uint32_t kind = 0; kind < 6; kind++) {
		for (uint32_t y = 0; y < HEIGHT; y++)
			for (uint32_t x = 0; x < WIDTH; x++)
				rows[y * LINE + 1 + x] = (uint8_t)(kind == 0   ? (x + y) / 12 % 2
								   : kind == 1 ? (x + 2 * y) / 20 % 3
								   : kind == 2 ? (x % 16 + y % 16) / 8
								   : kind == 3 ? (x / 31 * 7 + y / 31 * 3) % 10
								   : kind == 4 ? (2 * x + 3 * y) / 80 % 10
									       : random_below(&state, 20));
		size_t n = libdeflate_zlib_compress(search, rows, (size_t)LINE * HEIGHT, packed, most);

		ck_assert_uint_le(png_bytes(png, rows, WIDTH, HEIGHT), n + AROUND);
	}
	png_file_free(png);
	libdeflate_free_compressor(search);
	free(packed);
	free(rows);
}
END_TEST

/* Reads a PNG; appends its rows. Returns whether it is sound. */
static bool read_decoder(struct input *in, const struct limits *limits, struct strbuf *out, struct sample *sample)
{
	struct png_decoder *d;
	const void *row = out;

	memset(sample, 0, sizeof(*sample));
	if (!png_decoder_open(&d, in, limits, sample))
		return false;
	size_t n = (size_t)sample->png.width * sample->png.channels * (sample->png.bit_depth == 16 ? 2 : 1);

	for (uint32_t y = 0; row && y < sample->png.height; y++)
		if ((row = png_decoder_row(d)))
			strbuf_add(out, row, n);
	bool sound = row && png_decoder_finish(d);

	png_decoder_close(d);
	return sound;
}

static bool read_rows(void *context, struct sample_rows *r)
{
	const struct png_header *png = &r->sample.png;
	struct strbuf *out = context;
	size_t n = (size_t)png->width * png->channels * (png->bit_depth == 16 ? 2 : 1);
	const void *row = out;

	strbuf_clear(out);
	for (uint32_t y = 0; row && y < png->height; y++)
		if ((row = sample_rows_next(r)))
			strbuf_add(out, row, n);
	return row && sample_rows_end(r);
}

START_TEST(rows_are_the_decoders)
{
	const struct limits limits = { .max_pixels = 0 };
	struct strbuf want = STRBUF_INIT, have = STRBUF_INIT;
	struct sample_rows r = { 0 };
	uint32_t unsound = 0, judged = 0, n = effort(600, 20000);

	for (uint32_t i = 0; i < n; i++) {
		struct bytes png = mask_png_random(i, 60);
		struct sample sample;
		struct input in;

		strbuf_clear(&want);
		make_input(&in, (const char *)png.p, png.n, i % 5 == 4);
		bool sound = read_decoder(&in, &limits, &want, &sample);

		input_release(&in);
		make_input(&in, (const char *)png.p, png.n, i % 5 == 4);
		bool same = sample_rows_read(&r, &in, &limits, read_rows, &have);

		judged += r.judged;
		unsound += !sound;
		ck_assert_msg(same == sound, "file %u: %s, not %s", i, same ? "sound" : r.sample.fault.text,
			      sound ? "sound" : sample.fault.text);
		if (sound) {
			ck_assert_uint_eq(have.len, want.len);
			ck_assert_mem_eq(have.s, want.s, want.len);
		} else {
			ck_assert_str_eq(r.sample.fault.text, sample.fault.text);
		}
		input_release(&in);
		free(png.p);
	}
	ck_assert_uint_gt(unsound, n / 20);
	ck_assert_uint_lt(judged, n / 2);
	sample_rows_release(&r);
	strbuf_release(&want);
	strbuf_release(&have);
}
END_TEST

/* Compares the rows, and the blocks in which they change, with those of struct unfilter. */
static void check_changes(const struct filtered_mask *f, struct changed_rows *r, struct unfilter *u)
{
	const size_t width = f->width, line = width + 1;
	uint8_t *above = xcalloc(1, width), *marked = xmalloc(width);
	struct bytes lines = { .p = xcalloc(1, f->rows.n + CHANGED_READ_IN), .n = f->rows.n };

	memcpy(lines.p, f->rows.p, lines.n);
	ck_assert(changed_rows_begin(r, f->width));
	ck_assert(unfilter_begin(u, width, 1));
	for (uint32_t y = 0; y < f->height; y++) {
		ck_assert(changed_rows_next(r, lines.p + y * line));
		ck_assert(unfilter_next(u, lines.p + y * line, 1));
		ck_assert_mem_eq(r->row, u->row, width);
		memcpy(marked, above, width);
		for (size_t i = 0; i < r->count; i++) {
			const struct changed_block *b = &r->blocks[i];

			ck_assert(b->differs);
			ck_assert(!i || b[-1].x < b->x);
			for (uint32_t k = 0; k < CHANGED_BLOCK; k++) {
				if (!(b->differs >> k & 1))
					continue;
				ck_assert_uint_lt(b->x + k, f->width);
				ck_assert_uint_eq(b->before[k], above[b->x + k]);
				ck_assert_uint_ne(r->row[b->x + k], above[b->x + k]);
				marked[b->x + k] = r->row[b->x + k];
			}
		}
		ck_assert_mem_eq(marked, u->row, width);
		memcpy(above, u->row, width);
	}
	ck_assert_uint_eq(line_adler_end(&r->adler), adler32(1, lines.p, (uInt)lines.n));
	free(lines.p);
	free(marked);
	free(above);
}

START_TEST(rows_change_where_they_say)
{
	choose_registers(_i);
	struct changed_rows r = { 0 };
	struct unfilter u = { 0 };

	for (uint32_t i = 0; i < effort(150, 20000); i++) {
		struct mask mask = mask_random(i, 256, i % 64 ? 150 : 5000);
		struct filtered_mask f = filtered_mask_make(i, &mask, 8, 1);

		check_changes(&f, &r, &u);
		free(f.rows.p);
		free(mask.ids);
	}
	ck_assert(!changed_rows_next(&r, (const uint8_t[]){ 5, 0 }));
	changed_rows_release(&r);
	unfilter_release(&u);
}
END_TEST

/* Maps the rows of a mask, and compares each with one that is mapped pixel by pixel. Returns whether all are known. */
static bool check_mapped(const struct filtered_mask *f, const struct byte_map *map, struct changed_rows *r)
{
	const size_t width = f->width, line = width + 1;
	struct bytes lines = { .p = xcalloc(1, f->rows.n + CHANGED_READ_IN), .n = f->rows.n };
	struct mapped_row row = { .ids = xmalloc(width) };
	uint8_t *want = xcalloc(1, line);
	bool known = true;

	memcpy(lines.p, f->rows.p, lines.n);
	memset(row.ids, map->to[0], width); /* the row above the first one is 0 */
	row.changes = map->flags[0] & BYTE_CHANGES ? width : 0;
	for (size_t x = 0; x < width; x++)
		line_sums_add(&row.sums, row.ids[x], width - x);
	ck_assert(changed_rows_begin(r, f->width));
	for (uint32_t y = 0; known && y < f->height; y++) {
		struct line_adler have = { 1, 0 };
		uint64_t changes = 0;

		ck_assert(changed_rows_next(r, lines.p + y * line));
		bool taken = byte_map_changes(map, r, &row);

		for (size_t i = 0; i < r->count; i++)
			for (uint64_t d = r->blocks[i].differs; d; d &= d - 1)
				known &= !(map->flags[r->row[r->blocks[i].x + (unsigned)__builtin_ctzll(d)]] &
					   BYTE_UNKNOWN);
		ck_assert_int_eq(taken, known);
		for (size_t x = 0; known && x < width; x++) {
			want[1 + x] = map->to[r->row[x]];
			changes += map->flags[r->row[x]] & BYTE_CHANGES;
		}
		if (!known)
			break;
		ck_assert_mem_eq(row.ids, want + 1, width);
		ck_assert_uint_eq(row.changes, changes);
		line_adler_add(&have, &row.sums, line);
		ck_assert_uint_eq(line_adler_end(&have), adler32(1, want, (uInt)line));
	}
	free(want);
	free(row.ids);
	free(lines.p);
	return known;
}

START_TEST(bytes_are_mapped_where_they_change)
{
	struct changed_rows r = { 0 };
	uint64_t state = 3;
	uint32_t unknown = 0, n = effort(150, 20000);

	choose_registers(_i);
	for (uint32_t i = 0; i < n; i++) {
		struct mask mask = mask_random(i, 256, i % 64 ? 150 : 5000);
		struct filtered_mask f = filtered_mask_make(i, &mask, 8, 1);
		struct byte_map map;

		for (uint32_t id = 0; id < 256; id++) {
			map.to[id] = (uint8_t)random_below(&state, 256);
			map.flags[id] = random_below(&state, 2) ? BYTE_CHANGES : 0;
			if (i % 4 == 3 && !random_below(&state, 100))
				map.flags[id] = BYTE_UNKNOWN;
		}
		unknown += !check_mapped(&f, &map, &r);
		free(f.rows.p);
		free(mask.ids);
	}
	ck_assert_uint_gt(unknown, n / 100);
	ck_assert_uint_lt(unknown, n / 4);
	changed_rows_release(&r);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("mask_deflate");
	TCase *t = tcase_create("written and read");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, streams_inflate_to_the_rows);
	tcase_add_test(t, codes_are_as_long_as_deflate_allows);
	tcase_add_test(t, masks_are_small);
	tcase_add_test(t, patterns_are_searched);
	tcase_add_test(t, rows_are_the_decoders);
	tcase_add_loop_test(t, rows_change_where_they_say, 0, 2);
	tcase_add_loop_test(t, bytes_are_mapped_where_they_change, 0, 2);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
