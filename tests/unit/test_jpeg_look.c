/* jpeg_look.h: JPEGs that are written here block by block, as masks and as photos have them. */
#include "check_main.h"

#include "base/mem.h"
#include "layout/jpeg_look.h"

enum { SIDE = 16 }; /* blocks in a row, and in a column */

struct writer {
	uint8_t bytes[1 << 18];
	size_t n, scan; /* where the scan's header begins */
	unsigned bits, bits_count;
};

static void put(struct writer *w, const void *p, size_t n)
{
	memcpy(w->bytes + w->n, p, n);
	w->n += n;
}

static void put_bits(struct writer *w, unsigned value, unsigned n)
{
	for (; n; n--) {
		w->bits = w->bits << 1 | (value >> (n - 1) & 1);
		if (++w->bits_count < 8)
			continue;
		uint8_t byte = (uint8_t)w->bits;

		put(w, &byte, 1);
		if (byte == 0xff)
			put(w, "", 1);
		w->bits = w->bits_count = 0;
	}
}

/* The tables: all twelve sizes of a DC difference are codes of four bits; AC: 00 is the end, 01 one coefficient of 1
 * bit, 10 a run of sixteen zeros; 110 and a bit, in a progressive one, the end of two or three blocks.
 */
static void put_head(struct writer *w, unsigned sof, unsigned components, unsigned sampling, unsigned restart)
{
	static const uint8_t dc[] = "\xff\xc4\0\x1f\0"
				    "\0\0\0\x0c\0\0\0\0\0\0\0\0\0\0\0\0"
				    "\0\1\2\3\4\5\6\7\x8\x9\xa\xb";
	static const uint8_t ac[] = "\xff\xc4\0\x17\x10"
				    "\0\3\1\0\0\0\0\0\0\0\0\0\0\0\0\0"
				    "\x00\x01\xf0\x10";
	const unsigned side = 8 * SIDE;
	uint8_t frame[] = { 0xff,          (uint8_t)sof,       0, (uint8_t)(8 + 3 * components), 8, 0, (uint8_t)side, 0,
			    (uint8_t)side, (uint8_t)components };
	uint8_t scan[] = { 0xff, 0xda, 0, (uint8_t)(6 + 2 * components), (uint8_t)components };
	uint8_t dri[] = { 0xff, 0xdd, 0, 4, 0, (uint8_t)restart };

	put(w, "\xff\xd8", 2);
	put(w, frame, sizeof(frame));
	for (unsigned i = 0; i < components; i++) {
		uint8_t one[] = { (uint8_t)(i + 1), (uint8_t)(i ? 0x11 : sampling), 0 };

		put(w, one, 3);
	}
	put(w, dc, sizeof(dc) - 1);
	put(w, ac, sizeof(ac) - 1);
	if (restart)
		put(w, dri, sizeof(dri));
	w->scan = w->n;
	put(w, scan, sizeof(scan));
	for (unsigned i = 0; i < components; i++) {
		uint8_t one[] = { (uint8_t)(i + 1), 0 };

		put(w, one, 2);
	}
	put(w, "\0\x3f\0", 3);
}

static void put_block(struct writer *w, int difference, bool textured)
{
	unsigned size = 0;

	while (abs(difference) >> size)
		size++;
	put_bits(w, size, 4);
	put_bits(w, (unsigned)(difference < 0 ? difference - 1 : difference), size);
	if (textured) {
		put_bits(w, 2, 2); /* sixteen zeros */
		put_bits(w, 1, 2);
		put_bits(w, 1, 1);
	}
	put_bits(w, 0, 2);
}

/* The level of a block, or TEXTURE. */
enum { TEXTURE = INT32_MAX };
typedef int drawn(int x, int y);

static int areas(int x, int y)
{
	int dx = x - 5, dy = y - 6, d = dx * dx + dy * dy;

	return d < 9 ? 200 : d < 20 ? TEXTURE : -300;
}

/* A round photo in a black frame, some blocks of which are flat. */
static int framed(int x, int y)
{
	int dx = x - 5, dy = y - 6;

	return dx * dx + dy * dy >= 17 ? -1000 : x % 3 == 0 ? TEXTURE : 10 * x + y;
}

static int sky(int x, int y)
{
	return 3 * y + x / 2;
}

static int texture(int x, int y)
{
	return (x + y) % 3 ? TEXTURE : 0;
}

static int one_level(int x, int y)
{
	return 7 * (x < 0 || y < 0);
}

static void end(struct writer *w)
{
	if (w->bits_count)
		put_bits(w, 0x7f, 8 - w->bits_count);
	put(w, "\xff\xd9", 2);
}

static void draw_grey(struct writer *w, drawn *level, unsigned restart)
{
	int last = 0;

	*w = (struct writer){ .n = 0 };
	put_head(w, 0xc0, 1, 0x11, restart);
	for (unsigned i = 0; i < SIDE * SIDE; i++) {
		int v = level((int)(i % SIDE), (int)(i / SIDE));

		if (restart && i && i % restart == 0) {
			uint8_t marker[] = { 0xff, (uint8_t)(0xd0 + (i / restart - 1) % 8) };

			put_bits(w, 0x7f, w->bits_count ? 8 - w->bits_count : 0);
			put(w, marker, 2);
			last = 0;
		}
		put_block(w, v == TEXTURE ? 0 : v - last, v == TEXTURE);
		last = v == TEXTURE ? last : v;
	}
	end(w);
}

static bool jpeg_is_flat(const uint8_t *bytes, size_t n)
{
	struct jpeg_sight sight;

	return jpeg_look(bytes, n, &sight) && sight.flat;
}

static bool jpeg_is_busy(const uint8_t *bytes, size_t n)
{
	struct jpeg_sight sight;

	return jpeg_look(bytes, n, &sight) && sight.busy;
}

static bool jpeg_is_busy_and_large(const uint8_t *bytes, size_t n)
{
	struct jpeg_sight sight;

	return jpeg_look(bytes, n, &sight) && sight.busy && sight.large;
}

static void put_scan(struct writer *w, unsigned first, unsigned last, unsigned bits)
{
	const uint8_t scan[] = { 0xff, 0xda, 0, 8, 1, 1, 0, (uint8_t)first, (uint8_t)last, (uint8_t)bits };

	if (w->bits_count)
		put_bits(w, 0x7f, 8 - w->bits_count);
	put(w, scan, sizeof(scan));
}

/* Progressive: the DCs without their lowest bit, the ACs, the bit. A grey one of side x side blocks. */
/* Ends up to three blocks. */
static void put_ends(struct writer *w, unsigned blocks)
{
	if (blocks == 1)
		put_bits(w, 0, 2);
	if (blocks > 1)
		put_bits(w, 6 << 1 | (blocks - 2), 4);
}

static void draw_progressive(struct writer *w, drawn *level, unsigned side, bool acs)
{
	unsigned ended = 0; /* blocks whose end is not written yet */
	int last = 0;

	*w = (struct writer){ .n = 0 };
	put_head(w, 0xc2, 1, 0x11, 0);
	w->n = w->scan;
	w->bytes[7] = w->bytes[9] = (uint8_t)(8 * side >> 8);
	w->bytes[8] = w->bytes[10] = (uint8_t)(8 * side);
	put_scan(w, 0, 0, 1);
	for (unsigned i = 0; i < side * side; i++) {
		int v = level((int)(i % side), (int)(i / side)), known = v == TEXTURE ? last : v >> 1;
		unsigned size = 0;

		while (abs(known - last) >> size)
			size++;
		put_bits(w, size, 4);
		put_bits(w, (unsigned)(known < last ? known - last - 1 : known - last), size);
		last = known;
	}
	if (acs)
		put_scan(w, 1, 63, 0);
	for (unsigned i = 0; acs && i < side * side; i++) {
		const bool textured = level((int)(i % side), (int)(i / side)) == TEXTURE;

		if (textured || ended == 3) {
			put_ends(w, ended);
			ended = 0;
		}
		if (textured) {
			put_bits(w, 2, 2);
			put_bits(w, 1, 2);
			put_bits(w, 1, 1);
		}
		ended++;
	}
	put_ends(w, ended);
	put_scan(w, 0, 0, 0x10);
	for (unsigned i = 0; i < side * side; i++) {
		int v = level((int)(i % side), (int)(i / side));

		put_bits(w, v == TEXTURE ? 0 : v & 1, 1);
	}
	end(w);
}

START_TEST(masks_are_flat)
{
	struct writer w;

	draw_grey(&w, areas, 0);
	ck_assert(jpeg_is_flat(w.bytes, w.n));
	draw_grey(&w, areas, 5);
	ck_assert(jpeg_is_flat(w.bytes, w.n));
}
END_TEST

START_TEST(photos_are_not)
{
	drawn *const photos[] = { framed, sky, texture, one_level };
	struct writer w;

	for (size_t i = 0; i < ARRAY_SIZE(photos); i++) {
		draw_grey(&w, photos[i], 0);
		ck_assert_msg(!jpeg_is_flat(w.bytes, w.n), "photo %zu", i);
	}
}
END_TEST

static int leaves(int x, int y)
{
	return x % 4 || y % 3 ? TEXTURE : 40 * x;
}

/* Masks are never busy, smooth photos need not be. */
START_TEST(textures_are_busy)
{
	drawn *const others[] = { areas, framed, sky, texture, one_level };
	struct writer w;

	draw_grey(&w, leaves, 0);
	ck_assert(jpeg_is_busy(w.bytes, w.n) && jpeg_is_busy_and_large(w.bytes, w.n));
	ck_assert(!jpeg_is_flat(w.bytes, w.n));
	ck_assert_msg(!jpeg_is_busy_and_large(w.bytes, w.n * 3 / 4), "few blocks");
	ck_assert(!jpeg_is_busy(w.bytes, w.n / 4));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		draw_grey(&w, others[i], 0);
		ck_assert_msg(!jpeg_is_busy(w.bytes, w.n), "%zu", i);
	}
}
END_TEST

/* In colours, with four luma blocks an MCU and one of each chroma. */
START_TEST(colours_are_decoded)
{
	struct writer w = { .n = 0 };
	int last = 0;

	put_head(&w, 0xc0, 3, 0x22, 0);
	for (int mcu = 0; mcu < SIDE * SIDE / 4; mcu++) {
		for (int k = 0; k < 4; k++) {
			int v = areas(2 * (mcu % (SIDE / 2)) + k % 2, 2 * (mcu / (SIDE / 2)) + k / 2);

			put_block(&w, v == TEXTURE ? 0 : v - last, v == TEXTURE);
			last = v == TEXTURE ? last : v;
		}
		put_block(&w, mcu % 2 ? 30 : -30, true);
		put_block(&w, 0, false);
	}
	end(&w);
	ck_assert(jpeg_is_flat(w.bytes, w.n));
}
END_TEST

/* A prefix, which members of archives have, is judged as far as it goes; nothing is read beyond it. */
START_TEST(damage_is_no_mask)
{
	struct writer w;

	draw_grey(&w, areas, 0);
	for (size_t n = 0; n <= w.n; n++) {
		uint8_t *part = xmalloc(n + !n);

		memcpy(part, w.bytes, n);
		ck_assert(!jpeg_is_flat(part, n) || n > w.scan);
		free(part);
	}
	for (size_t at = 2; at < w.scan + 12; at++) {
		uint8_t good = w.bytes[at];

		for (unsigned v = 0; v < 256; v++) {
			w.bytes[at] = (uint8_t)v;
			jpeg_is_flat(w.bytes, w.n);
		}
		w.bytes[at] = good;
	}
	w.bytes[0] = 0;
	ck_assert(!jpeg_is_flat(w.bytes, w.n));
}
END_TEST

START_TEST(progressive_ones)
{
	drawn *const photos[] = { framed, sky, texture, one_level, leaves };
	struct jpeg_sight sight;
	struct writer w;

	draw_progressive(&w, areas, SIDE, true);
	ck_assert(jpeg_is_flat(w.bytes, w.n));
	ck_assert(!jpeg_is_busy(w.bytes, w.n));
	for (size_t i = 0; i < ARRAY_SIZE(photos); i++) {
		draw_progressive(&w, photos[i], SIDE, true);
		ck_assert_msg(!jpeg_is_flat(w.bytes, w.n), "photo %zu", i);
		ck_assert(jpeg_is_busy_and_large(w.bytes, w.n) == (photos[i] == leaves));
	}
	draw_progressive(&w, areas, SIDE, false);
	ck_assert_msg(!jpeg_look(w.bytes, w.n, &sight), "no ACs");
	draw_progressive(&w, one_level, 512, true);
	ck_assert(jpeg_look(w.bytes, w.n, &sight) && sight.large);
	draw_progressive(&w, one_level, 513, true);
	ck_assert_msg(!jpeg_look(w.bytes, w.n, &sight), "more blocks than are kept");
}
END_TEST

START_TEST(damaged_progressive_ones)
{
	struct writer w;

	draw_progressive(&w, areas, SIDE, true);
	for (size_t n = 0; n <= w.n; n++) {
		uint8_t *part = xmalloc(n + !n);

		memcpy(part, w.bytes, n);
		jpeg_is_flat(part, n);
		free(part);
	}
	for (size_t at = 2; at < w.n; at += at < w.scan + 12 ? 1 : 3) {
		uint8_t good = w.bytes[at];

		for (unsigned v = 0; v < 256; v += at < w.scan + 12 ? 1 : 37) {
			w.bytes[at] = (uint8_t)v;
			jpeg_is_flat(w.bytes, w.n);
		}
		w.bytes[at] = good;
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("jpeg_look");
	TCase *t = tcase_create("blocks");

	tcase_add_test(t, masks_are_flat);
	tcase_add_test(t, photos_are_not);
	tcase_add_test(t, textures_are_busy);
	tcase_add_test(t, colours_are_decoded);
	tcase_add_test(t, damage_is_no_mask);
	tcase_add_test(t, progressive_ones);
	tcase_add_test(t, damaged_progressive_ones);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
