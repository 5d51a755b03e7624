/* Refusals of Pillow and OpenCV: chunk by chunk, at each threshold, however the data are cut. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "check_main.h"
#include "png/loaders.h"

static struct loaders whole, cut; /* fed with whole chunks, and byte by byte */

static void feed(struct loaders *l, const char *type, const void *data, size_t n, size_t piece, bool crc_right)
{
	const uint8_t *bytes = data;

	loaders_begin_chunk(
		l, &(struct chunk){ .length = (uint32_t)n, .type = PNG_TYPE(type[0], type[1], type[2], type[3]) });
	for (size_t at = 0; at < n; at += piece)
		loaders_add(l, bytes + at, MIN(piece, n - at));
	loaders_end_chunk(l, crc_right);
}

static void add_with_crc(const char *type, const void *data, size_t n, bool crc_right)
{
	feed(&whole, type, data, n, MAX(n, (size_t)1), crc_right);
	feed(&cut, type, data, n, 1, crc_right);
}

static void add(const char *type, const void *data, size_t n)
{
	add_with_crc(type, data, n, true);
}

/* An image of 8 x 4 pixels of 8 bits. */
static void begin(char colour_type)
{
	const uint8_t ihdr[PNG_IHDR_BYTES] = { 0, 0, 0, 8, 0, 0, 0, 4, 8, (uint8_t)colour_type };

	loaders_begin(&whole);
	loaders_begin(&cut);
	add("IHDR", ihdr, sizeof(ihdr));
}

static void end(void)
{
	add("IEND", NULL, 0);
	ck_assert_int_eq(whole.pil.reason, cut.pil.reason);
	ck_assert_int_eq(whole.cv2.reason, cut.cv2.reason);
	ck_assert_uint_eq(whole.characters, cut.characters);
}

/* Four rows of filter 0, deflated. */
static void add_image(void)
{
	uint8_t rows[4 * 9] = { 0 }, stream[128];
	uLongf n = sizeof(stream);

	ck_assert_int_eq(compress(stream, &n, rows, sizeof(rows)), Z_OK);
	add("IDAT", stream, n);
}

/* Returns Pillow's reason if one chunk precedes the image, which is the same if it follows. */
static enum refusal_reason pil_reason(char colour_type, const char *type, const void *data, size_t n)
{
	begin(colour_type);
	add_image();
	add(type, data, n);
	end();
	enum refusal_reason after = (enum refusal_reason)whole.pil.reason;

	begin(colour_type);
	add(type, data, n);
	add_image();
	end();
	ck_assert_int_eq(whole.pil.reason, after);
	return (enum refusal_reason)whole.pil.reason;
}

static enum refusal_reason cv2_reason(const char *type, const void *data, size_t n)
{
	begin(PNG_GREY);
	add_image();
	add(type, data, n);
	end();
	ck_assert_int_eq(whole.cv2.reason, REFUSAL_NONE);
	begin(PNG_GREY);
	add(type, data, n);
	add_image();
	end();
	return (enum refusal_reason)whole.cv2.reason;
}

static const struct {
	const char *type;
	char colour_type;
	uint32_t least;
} lengths[] = {
	{ "gAMA", PNG_GREY, 4 }, { "cHRM", PNG_GREY, 32 },      { "sRGB", PNG_GREY, 1 }, { "pHYs", PNG_GREY, 9 },
	{ "tRNS", PNG_GREY, 2 }, { "tRNS", PNG_RGB, 6 },        { "acTL", PNG_GREY, 8 }, { "tRNS", PNG_PALETTE, 0 },
	{ "tRNS", PNG_RGBA, 0 }, { "tRNS", PNG_GREY_ALPHA, 0 }, { "bKGD", PNG_GREY, 0 }, { "tIME", PNG_GREY, 0 },
	{ "eXIf", PNG_GREY, 0 }, { "abCd", PNG_GREY, 0 },
};

TEST_EACH(short_chunks, ARRAY_SIZE(lengths))
{
	static const uint8_t zeros[40];
	const char *type = lengths[_i].type;

	for (uint32_t n = 0; n <= sizeof(zeros); n++) {
		enum refusal_reason reason = pil_reason(lengths[_i].colour_type, type, zeros, n);

		ck_assert_int_eq(reason, n < lengths[_i].least ? REFUSAL_SHORT : REFUSAL_NONE);
		if (reason != REFUSAL_NONE) {
			ck_assert_uint_eq(whole.pil.value, lengths[_i].least);
			ck_assert_uint_eq(whole.pil.length, n);
		}
	}
}

TEST(crc_counts_before_the_image)
{
	begin(PNG_GREY);
	add_image();
	add_with_crc("abCd", "x", 1, false);
	end();
	ck_assert(loaders_read(&whole));
	begin(PNG_GREY);
	add_with_crc("abCd", "x", 1, false);
	add_image();
	end();
	ck_assert_int_eq(whole.pil.reason, REFUSAL_CRC);
	ck_assert_int_eq(whole.cv2.reason, REFUSAL_NONE);
}

/* Returns a chunk of prefix and n deflated zeros; *length: its bytes. */
static uint8_t *deflated(const char *prefix, size_t prefix_bytes, size_t n, size_t *length)
{
	uint8_t *zeros = xcalloc(1, n + 1), *out = xmalloc(prefix_bytes + compressBound(n));
	uLongf packed = compressBound(n);

	memcpy(out, prefix, prefix_bytes);
	ck_assert_int_eq(compress(out + prefix_bytes, &packed, zeros, n), Z_OK);
	free(zeros);
	*length = prefix_bytes + packed;
	return out;
}

static const struct {
	const char *type, *prefix;
	size_t prefix_bytes;
} packed_texts[] = {
	{ "zTXt", "key\0", 5 },
	{ "iCCP", "key\0", 5 },
	{ "iTXt", "key\0\1\0en\0key", 13 },
};

TEST_EACH(texts_inflate_to_a_limit, ARRAY_SIZE(packed_texts))
{
	for (size_t n = LOADER_TEXT_MAX - 1; n <= LOADER_TEXT_MAX + 1; n++) {
		size_t length;
		uint8_t *chunk = deflated(packed_texts[_i].prefix, packed_texts[_i].prefix_bytes, n, &length);
		enum refusal_reason reason = pil_reason(PNG_GREY, packed_texts[_i].type, chunk, length);

		ck_assert_int_eq(reason, n > LOADER_TEXT_MAX ? REFUSAL_INFLATES : REFUSAL_NONE);
		/* without the last bytes of Adler-32 it is a text all the same; broken, it is an empty one */
		ck_assert_int_eq(pil_reason(PNG_GREY, packed_texts[_i].type, chunk, length - 2), reason);
		chunk[packed_texts[_i].prefix_bytes] ^= 0xff;
		ck_assert_int_eq(pil_reason(PNG_GREY, packed_texts[_i].type, chunk, length), REFUSAL_NONE);
		free(chunk);
	}
}

TEST(all_texts_together)
{
	size_t length;
	uint8_t *chunk = deflated("key\0", 5, LOADER_TEXT_MAX, &length);

	begin(PNG_GREY);
	for (unsigned i = 0; i < 64; i++)
		loaders_whole_chunk(&whole, PNG_TYPE_ZTXT, chunk, (uint32_t)length);
	ck_assert(loaders_read(&whole));
	ck_assert_uint_eq(whole.characters, UINT64_C(64) << 20);
	loaders_whole_chunk(&whole, PNG_TYPE_TEXT, (const uint8_t *)"\0no key", 7);
	ck_assert(loaders_read(&whole));
	loaders_whole_chunk(&whole, PNG_TYPE_TEXT, (const uint8_t *)"k\0x", 3);
	ck_assert_int_eq(whole.pil.reason, REFUSAL_ALL_TEXT);
	free(chunk);
}

static const struct {
	const char *type, *data;
	size_t n;
	enum refusal_reason reason;
	uint64_t characters;
} texts[] = {
	{ "tEXt", "key\0four", 8, REFUSAL_NONE, 4 },
	{ "tEXt", "no NUL", 6, REFUSAL_NONE, 0 },
	{ "tEXt", "", 0, REFUSAL_NONE, 0 },
	{ "zTXt", "key\0\1", 5, REFUSAL_METHOD, 0 },
	{ "zTXt", "key\0", 4, REFUSAL_NONE, 0 },
	{ "zTXt", "key", 3, REFUSAL_NONE, 0 },
	{ "iCCP", "key\0\1abc", 8, REFUSAL_METHOD, 0 },
	{ "iCCP", "key\0\0abc", 8, REFUSAL_NONE, 0 },
	{ "iCCP", "key\0\0", 5, REFUSAL_NONE, 0 },
	{ "iCCP", "key\0", 4, REFUSAL_NO_METHOD, 0 },
	{ "iCCP", "key", 3, REFUSAL_NO_METHOD, 0 },
	{ "iCCP", "", 0, REFUSAL_NO_METHOD, 0 },
	{ "iTXt", "key\0\0\7en\0key\0a", 14, REFUSAL_NONE, 0 },
};

TEST_EACH(words_of_texts, ARRAY_SIZE(texts))
{
	begin(PNG_GREY);
	add(texts[_i].type, texts[_i].data, texts[_i].n);
	add_image();
	end();
	ck_assert_int_eq(whole.pil.reason, texts[_i].reason);
	ck_assert_uint_eq(whole.characters, texts[_i].characters);
}

TEST(opencv)
{
	static const uint8_t zeros[16], one[8] = { 0, 0, 0, 1 };

	for (size_t n = 0; n < 9; n++) {
		ck_assert_int_eq(cv2_reason("bKGD", zeros, n),
				 n == 1 || n == 2 || n == 6 ? REFUSAL_NONE : REFUSAL_LENGTH);
		ck_assert_int_eq(cv2_reason("acTL", one, n), n == 8 ? REFUSAL_NONE : REFUSAL_LENGTH);
	}
	ck_assert_int_eq(cv2_reason("acTL", zeros, 8), REFUSAL_NONE);
	ck_assert_int_eq(cv2_reason("fcTL", zeros, 16), REFUSAL_LENGTH);
	ck_assert_int_eq(cv2_reason("gAMA", zeros, 0), REFUSAL_NONE);
	/* the data of a chunk that is too long need not come */
	begin(PNG_GREY);
	loaders_begin_chunk(&whole, &(struct chunk){ .length = 8000000 - 12, .type = PNG_TYPE_ZTXT });
	ck_assert_int_eq(whole.cv2.reason, REFUSAL_NONE);
	loaders_begin_chunk(&whole, &(struct chunk){ .length = 8000000 - 11, .type = PNG_TYPE_TEXT });
	ck_assert_int_eq(whole.cv2.reason, REFUSAL_NONE);
	loaders_begin_chunk(&whole, &(struct chunk){ .length = 8000000 - 11, .type = PNG_TYPE_ZTXT });
	ck_assert_int_eq(whole.cv2.reason, REFUSAL_TOO_LONG);
}

/* Pillow reads an animation up to the second frame; data of a frame before the image are the image. */
TEST(frames)
{
	static const uint8_t frame[26];

	begin(PNG_GREY);
	add("fcTL", frame, sizeof(frame));
	add_image();
	add("fcTL", frame, sizeof(frame));
	add("gAMA", "x", 1);
	end();
	ck_assert(loaders_read(&whole));
	begin(PNG_GREY);
	add("fdAT", "\0\0\0\0data", 8);
	add_with_crc("abCd", "x", 1, false);
	add_image();
	end();
	ck_assert(loaders_read(&whole));
}

/* Pillow reads 64 KiB of an IDAT at a time, and sees an error in them even after the last row. */
TEST(errors_after_the_last_row)
{
	begin(PNG_GREY);
	add_image();
	loaders_stream_end(&whole, 0);
	ck_assert(loaders_read(&whole));
	loaders_stream_end(&whole, 1 << 16);
	ck_assert(loaders_read(&whole));
	loaders_stream_end(&whole, 8192);
	ck_assert_int_eq(whole.pil.reason, REFUSAL_STREAM_END);
	ck_assert_int_eq(whole.cv2.reason, REFUSAL_NONE);
}

static const struct {
	uint32_t width, height;
	enum refusal_reason pil, cv2;
} sizes[] = {
	{ 89478485, 2, REFUSAL_PIXELS_WARNED, REFUSAL_SIDE },
	{ 178956971, 1, REFUSAL_PIXELS, REFUSAL_SIDE },
	{ 1000000, 89, REFUSAL_NONE, REFUSAL_NONE },
	{ 178, 1000001, REFUSAL_PIXELS_WARNED, REFUSAL_SIDE },
	{ 1 << 15, 1 << 15, REFUSAL_PIXELS, REFUSAL_NONE },
	{ 1 << 15, (1 << 15) + 1, REFUSAL_PIXELS, REFUSAL_PIXELS },
};

TEST_EACH(sizes_of_images, ARRAY_SIZE(sizes))
{
	struct sample sample = { .format = FORMAT_PNG, .status = SAMPLE_READ };

	sample.png.width = sizes[_i].width;
	sample.png.height = sizes[_i].height;
	ck_assert_int_eq(loader_refusal(&sample, VIEW_PIL).reason, sizes[_i].pil);
	ck_assert_int_eq(loader_refusal(&sample, VIEW_CV2).reason, sizes[_i].cv2);
	ck_assert_int_eq(loader_refusal(&sample, VIEW_RAW).reason, REFUSAL_NONE);
	sample.status = SAMPLE_FAILED;
	ck_assert_int_eq(loader_refusal(&sample, VIEW_PIL).reason, REFUSAL_NONE);
}

static void release(void)
{
	loaders_release(&whole);
	loaders_release(&cut);
}

FIXTURE(NULL, release)
