/* The reference PNG reader: the words for each fault, limits before memory, streaming. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"
#include "png/decode.h"
#include "png_bytes.h"

static const struct limits no_limits;

static struct bytes made;
static struct sample sample;
static uint8_t pixels[1 << 12];
static size_t pixels_size;

/* Decodes the input into pixels (as far as there is room); true if it could be read whole. */
static bool decode_input(struct input *in, const struct limits *limits)
{
	struct png_decoder *d;
	bool ok = true;

	memset(&sample, 0, sizeof(sample));
	pixels_size = 0;
	if (!png_decoder_open(&d, in, limits, &sample))
		return false;

	size_t row_bytes = (size_t)sample.png.width * sample.png.channels * (sample.png.bit_depth == 16 ? 2 : 1);

	for (uint32_t y = 0; ok && y < sample.png.height; y++) {
		const void *row = png_decoder_row(d);

		ok = row != NULL;
		if (row && pixels_size + row_bytes <= sizeof(pixels)) {
			memcpy(pixels + pixels_size, row, row_bytes);
			pixels_size += row_bytes;
		}
	}
	ok = ok && png_decoder_finish(d);
	png_decoder_close(d);
	return ok;
}

/* The bytes are copied to the end of a block, so that a sanitizer sees a read after them. */
static bool decode_bytes(const void *bytes, size_t n, const struct limits *limits)
{
	struct input in;
	void *copy = xmalloc(n);

	memcpy(copy, bytes, n);
	input_init(&in);
	input_from_memory(&in, copy, n);

	bool ok = decode_input(&in, limits);

	input_release(&in);
	free(copy);
	ck_assert_int_eq(ok, sample.fault.kind == FAULT_NONE);
	return ok;
}

static bool decode_made(void)
{
	return decode_bytes(made.p, made.n, &no_limits);
}

static void begin(uint32_t width, uint32_t height, unsigned depth, unsigned colour, unsigned interlace)
{
	made.n = 0;
	png_begin(&made, width, height, depth, colour, interlace);
}

/* filtered: rows with their filter bytes. */
static void add_idat(const void *filtered, size_t n)
{
	uint8_t packed[128];
	uLongf size = sizeof(packed);

	ck_assert_int_eq(compress(packed, &size, filtered, (uLong)n), Z_OK);
	bytes_chunk(&made, "IDAT", packed, size);
}

/* A 4 x 3 grey image of depth 8, without IEND. */
static void make_grey(void)
{
	begin(4, 3, 8, 0, 0);
	add_idat("\0\1\2\3\4\0\5\6\7\10\0\11\12\13\14", 15);
}

static void finish_made(void)
{
	bytes_chunk(&made, "IEND", NULL, 0);
}

#define ck_fault(wanted, words)                                                                                    \
	do {                                                                                                       \
		ck_assert_msg(sample.fault.kind == (wanted), "kind %d: %s", sample.fault.kind, sample.fault.text); \
		ck_assert_msg(strstr(sample.fault.text, words), "\"%s\" not in \"%s\"", words, sample.fault.text); \
	} while (0)
#define ck_warning(words)                                                                                              \
	do {                                                                                                           \
		ck_assert_int_eq(sample.warning.kind, FAULT_MALFORMED);                                                \
		ck_assert_msg(strstr(sample.warning.text, words), "\"%s\" not in \"%s\"", words, sample.warning.text); \
	} while (0)

TEST(reads_grey)
{
	make_grey();
	finish_made();
	ck_assert(decode_made());
	ck_assert_uint_eq(sample.png.width, 4);
	ck_assert_uint_eq(sample.png.height, 3);
	ck_assert_uint_eq(sample.png.channels, 1);
	ck_assert_mem_eq(pixels, "\1\2\3\4\5\6\7\10\11\12\13\14", 12);
	ck_assert_int_eq(sample.warning.kind, FAULT_NONE);
}

TEST(reads_sixteen_bits_in_machine_order)
{
	uint16_t v[2];

	begin(2, 1, 16, 0, 0);
	add_idat("\0\1\2\3\4", 5);
	finish_made();
	ck_assert(decode_made());
	memcpy(v, pixels, sizeof(v));
	ck_assert_uint_eq(v[0], 0x0102);
	ck_assert_uint_eq(v[1], 0x0304);
}

TEST(reads_palette_and_unpacks)
{
	begin(5, 1, 2, 3, 0);
	bytes_chunk(&made, "acTL", "\0\0\0\1\0\0\0\0", 8);
	bytes_chunk(&made, "PLTE", "\1\2\3\4\5\6", 6);
	add_idat("\0\x1b\x40", 3);
	finish_made();
	ck_assert(decode_made());
	ck_assert_mem_eq(pixels, "\0\1\2\3\1", 5);
	ck_assert_uint_eq(sample.png.palette_entries, 2);
	ck_assert_uint_eq(sample.png.palette[1][2], 6);
	ck_assert_uint_eq(sample.png.palette[2][0], 0);
	ck_assert(sample.png.animated);
}

/* 3 x 2 has pixels in passes 1, 4, 6 and 7; (x, y) holds 10 * y + x. */
TEST(reads_adam7)
{
	begin(3, 2, 8, 0, 1);
	add_idat("\0\0"
		 "\0\2"
		 "\0\1"
		 "\0\12\13\14",
		 10);
	finish_made();
	ck_assert(decode_made());
	ck_assert_mem_eq(pixels, "\0\1\2\12\13\14", 6);
}

TEST(every_truncation_says_where)
{
	make_grey();
	finish_made();
	for (size_t n = 2; n < made.n; n++) {
		char where[64];

		ck_assert(!decode_bytes(made.p, n, &no_limits));
		snprintf(where, sizeof(where), "ends at byte %zu", n);
		ck_fault(FAULT_TRUNCATED, where);
		ck_assert_uint_eq(sample.fault.offset, n);
	}
	ck_fault(FAULT_TRUNCATED, "3 of 3 rows could be read");
}

TEST(every_wrong_crc_says_both)
{
	static const size_t crc_at[] = { 29, 0, 0 };
	size_t at[3];

	make_grey();
	finish_made();
	memcpy(at, crc_at, sizeof(at));
	at[1] = made.n - 16;
	at[2] = made.n - 4;
	for (size_t i = 0; i < 3; i++) {
		char both[80];
		uint32_t right = (uint32_t)made.p[at[i]] << 24 | (uint32_t)made.p[at[i] + 1] << 16 |
				 (uint32_t)made.p[at[i] + 2] << 8 | made.p[at[i] + 3];

		made.p[at[i]] ^= 0x80;
		ck_assert(!decode_made());
		ck_fault(FAULT_CORRUPT, "CRC of chunk");
		snprintf(both, sizeof(both), "expected %08x", right);
		ck_fault(FAULT_CORRUPT, both);
		snprintf(both, sizeof(both), "found %08x", right ^ 0x80000000);
		ck_fault(FAULT_CORRUPT, both);
		made.p[at[i]] ^= 0x80;
	}
	ck_assert(decode_made());
}

TEST(ancillary_chunks_are_never_inflated)
{
	/* a zTXt that is no zlib stream, an iCCP that is none: CRCs right, so nothing to say */
	begin(1, 1, 8, 0, 0);
	bytes_chunk(&made, "zTXt", "k\0\0nonsense", 11);
	bytes_chunk(&made, "iCCP", "k\0\0nonsense", 11);
	add_idat("\0\7", 2);
	finish_made();
	ck_assert(decode_made());
	ck_assert_int_eq(sample.warning.kind, FAULT_NONE);
	made.p[33 + 8 + 11] ^= 1; /* the CRC of zTXt */
	ck_assert(decode_made());
	ck_warning("ancillary chunk zTXt at byte 33");
	ck_assert_uint_eq(sample.warning.offset, 33);
}

TEST(warnings)
{
	make_grey();
	finish_made();
	bytes_add(&made, "hello", 5);
	ck_assert(decode_made());
	ck_warning("5 bytes of other data after IEND");

	make_grey();
	bytes_chunk(&made, "IDAT", "much too much", 13);
	finish_made();
	ck_assert(decode_made());
	ck_warning("13 bytes of IDAT come after the end of the image data");

	begin(1, 1, 8, 0, 0);
	add_idat("\0\7\0\7\0\7", 6);
	finish_made();
	ck_assert(decode_made());
	ck_warning("go on after the last row");

	begin(1, 1, 8, 3, 0);
	bytes_chunk(&made, "PLTE", "\1\2\3", 3);
	bytes_chunk(&made, "tRNS", "\1\2", 2);
	add_idat("\0\0", 2);
	finish_made();
	ck_assert(decode_made());
	ck_warning("more than PLTE has entries");
}

/* Bytes that come from elsewhere, up to `end`. */
struct source {
	const uint8_t *bytes;
	size_t at, end;
	bool breaks; /* there, instead of ending */
};

static int64_t read_source(void *self, void *out, size_t n, struct fault *fault)
{
	struct source *source = self;
	size_t got = source->end - source->at < n ? source->end - source->at : n;

	if (got < n && source->breaks) {
		fault_set(fault, FAULT_UNREADABLE, source->at, "broken");
		return -1;
	}
	memcpy(out, source->bytes + source->at, got);
	source->at += got;
	return (int64_t)got;
}

static bool decode_source(struct source source)
{
	const struct input_stream stream = { .self = &source, .read = read_source };
	struct input in;
	struct fault fault = { 0 };

	input_init(&in);
	ck_assert(input_from_stream(&in, &stream, &fault));
	ck_assert_uint_eq(in.size, INPUT_SIZE_UNKNOWN);

	bool ok = decode_input(&in, &no_limits);

	input_release(&in);
	return ok;
}

/* Nobody knows how long a file is that is unpacked as it is read, until its end was met. */
TEST(behind_a_stream)
{
	enum { CHUNK = 12 + 60000, CHUNKS = 1 + INPUT_WHOLE_MAX / CHUNK, HEAD = 8 + 12 + 13 };
	static const uint8_t zeros[CHUNK - 12];
	uint8_t *file = xmalloc((size_t)CHUNKS * CHUNK + 60000);
	size_t n = HEAD;

	make_grey();
	memcpy(file, made.p, HEAD);
	made.n = 0;
	bytes_chunk(&made, "teSt", zeros, sizeof(zeros));
	for (unsigned i = 0; i < CHUNKS; i++, n += CHUNK)
		memcpy(file + n, made.p, CHUNK);
	make_grey();
	finish_made();
	memcpy(file + n, made.p + HEAD, made.n - HEAD);
	n += made.n - HEAD;
	memset(file + n, 0, 2);

	ck_assert(decode_source((struct source){ .bytes = file, .end = n }));
	ck_assert_int_eq(sample.warning.kind, FAULT_NONE);
	ck_assert(decode_source((struct source){ .bytes = file, .end = n + 2 }));
	ck_warning("other data after IEND, from byte");
	ck_assert_uint_eq(sample.warning.offset, n);
	ck_assert(!decode_source((struct source){ .bytes = file, .end = n, .breaks = true }));
	ck_fault(FAULT_UNREADABLE, "broken");
	free(file);
}

TEST(broken_chunks)
{
	make_grey();
	bytes_chunk(&made, "LaBl", "x", 1);
	finish_made();
	ck_assert(!decode_made());
	ck_fault(FAULT_CORRUPT, "chunk LaBl at byte");

	begin(0, 0, 0, 0, 0), made.n = 8; /* the signature alone */
	bytes_chunk(&made, "gAMA", "\0\0\0\1", 4);
	ck_assert(!decode_made());
	ck_fault(FAULT_CORRUPT, "chunk gAMA at byte 8 is before IHDR");

	begin(1, 1, 8, 3, 0);
	add_idat("\0\0", 2);
	finish_made();
	ck_assert(!decode_made());
	ck_fault(FAULT_CORRUPT, "without PLTE");

	begin(1, 1, 8, 0, 0);
	bytes_add(&made, "\xff\xff\xff\xffIDAT", 8);
	ck_assert(!decode_made());
	ck_fault(FAULT_CORRUPT, "declares 4294967295 bytes");

	begin(1, 1, 8, 0, 0);
	bytes_chunk(&made, "\1\2ab", "x", 1);
	ck_assert(!decode_made());
	ck_fault(FAULT_CORRUPT, "\\x01\\x02ab, which is not four letters");
}

TEST(broken_headers)
{
	static const struct {
		uint32_t width, height;
		unsigned depth, colour, interlace;
		const char *words;
	} t[] = {
		{ 0, 1, 8, 0, 0, "0 x 1 pixels" },       { 1, 0x80000000, 8, 0, 0, "1 x 2147483648 pixels" },
		{ 1, 1, 3, 0, 0, "bit depth 3" },        { 1, 1, 8, 5, 0, "colour type 5" },
		{ 1, 1, 16, 3, 0, "bit depth 16" },      { 1, 1, 4, 2, 0, "bit depth 4" },
		{ 1, 1, 8, 0, 2, "interlace method 2" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		begin(t[i].width, t[i].height, t[i].depth, t[i].colour, t[i].interlace);
		add_idat("\0\0", 2);
		finish_made();
		ck_assert(!decode_made());
		ck_fault(FAULT_CORRUPT, t[i].words);
		ck_assert_int_eq(sample.warning.kind, FAULT_NONE);
	}
}

TEST(broken_image_data)
{
	begin(4, 3, 8, 0, 0);
	add_idat("\0\1\2\3\4\7\5\6\7\10\0\11\12\13\14", 15);
	finish_made();
	ck_assert(!decode_made());
	ck_fault(FAULT_CORRUPT, "row 2 of 3 names a filter type above 4");

	begin(4, 3, 8, 0, 0);
	add_idat("\0\1\2\3\4", 5);
	finish_made();
	ck_assert(!decode_made());
	ck_fault(FAULT_TRUNCATED, "end early, before chunk IEND");
	ck_fault(FAULT_TRUNCATED, "1 of 3 rows");

	/* a wrong Adler-32 under a right CRC */
	make_grey();
	size_t length = (size_t)made.p[35] << 8 | made.p[36];

	made.p[33 + 8 + length - 1] ^= 1;
	uint32_t crc = (uint32_t)crc32(0, made.p + 37, (uInt)length + 4);

	made.n -= 4;
	bytes_be32(&made, crc);
	finish_made();
	ck_assert(!decode_made());
	ck_fault(FAULT_CORRUPT, "Adler-32");
}

TEST(impossible_sizes_are_refused)
{
	static const uint32_t side[][2] = {
		{ 0x7fffffff, 0x7fffffff }, { 0x7fffffff, 1 }, { 65536, 65536 }, { 1, 0x7fffffff }
	};

	for (size_t i = 0; i < ARRAY_SIZE(side) * 2; i++) {
		begin(side[i / 2][0], side[i / 2][1], 16, 6, i & 1);
		add_idat("\0\0", 2);
		ck_assert(!decode_made());
		ck_fault(FAULT_TRUNCATED, "can hold at most");
		finish_made();
		ck_assert(!decode_made());
		ck_fault(FAULT_CORRUPT, "can hold at most");
	}
}

TEST(limits_name_their_option)
{
	struct limits limits = { .max_pixels = 192, .max_inflated = 15 };

	make_grey();
	finish_made();
	ck_assert(decode_bytes(made.p, made.n, &limits)); /* both exactly at the limit */
	limits.max_pixels = 191;
	ck_assert(!decode_bytes(made.p, made.n, &limits));
	ck_fault(FAULT_LIMIT, "declares 4 x 3 pixels, which count as 192 (each row as 64); the limit is 191");
	limits.max_pixels = 192;
	limits.max_inflated = 14;
	ck_assert(!decode_bytes(made.p, made.n, &limits));
	ck_fault(FAULT_LIMIT, "--max-inflated");
}

/* A row of zeros, width samples of depth 8, as one chunk. */
static void make_zeros(uint32_t width, uint32_t height, unsigned interlace)
{
	size_t n = (size_t)(width + 1) * height;
	uLongf size = compressBound((uLong)n);
	uint8_t *zeros = xcalloc(n, 1), *packed = xmalloc(size);

	begin(width, height, 8, 0, interlace);
	ck_assert_int_eq(compress2(packed, &size, zeros, (uLong)n, 9), Z_OK);
	bytes_chunk(&made, "IDAT", packed, size);
	finish_made();
	free(zeros);
	free(packed);
}

TEST(rows_and_rasters_are_bounded)
{
	make_zeros(1 << 20, 1, 0);
	ck_assert(decode_made()); /* wider than the million that libpng takes by default */
	make_zeros((1 << 20) + 1, 1, 0);
	ck_assert(!decode_made());
	ck_fault(FAULT_LIMIT, "at most 1048576 are read");

	/* interlaced: 128 MiB and a row; the data need not be there to be refused */
	begin(1 << 20, 129, 8, 0, 1);
	while (made.n < 60000)
		bytes_chunk(&made, "teSt", pixels, 4096);
	uint8_t *big = xcalloc(1, 200 << 10);

	memcpy(big, made.p, made.n);
	static const uint8_t idat[8] = { 0, 0, 0, 1, 'I', 'D', 'A', 'T' };

	memcpy(big + made.n, idat, sizeof(idat));
	ck_assert(!decode_bytes(big, 200 << 10, &no_limits));
	ck_fault(FAULT_LIMIT, "interlaced");
	free(big);
}

TEST(what_is_no_png_says_what_it_is)
{
	ck_assert(!decode_bytes("\xff\xd8\xff\xe0\0\0", 6, &no_limits));
	ck_fault(FAULT_LOSSY, "JPEG");
	ck_assert(!decode_bytes("", 0, &no_limits));
	ck_fault(FAULT_EMPTY, "0 bytes");
}

/*
 * Five rows in a stored block that ends where libpng reads on, and a wrong Adler-32: libpng only warns, and Pillow
 * refuses the file. After one more row than the image has, Pillow does not inflate so far. Rows and lines tell the
 * same.
 */
TEST_EACH(error_after_the_last_row, 2)
{
	enum { WIDTH = 1636, ROWS = 5, STREAM_MAX = 2 + 5 + (ROWS + 1) * (WIDTH + 1) + 4 };
	const size_t data = (size_t)(ROWS + _i) * (WIDTH + 1);
	const enum refusal_reason expected = _i ? REFUSAL_NONE : REFUSAL_STREAM_END;
	uint8_t stream[STREAM_MAX] = {
		0x78, 1, 1, data & 255, (uint8_t)(data >> 8), (uint8_t)(~data & 255), (uint8_t)(~data >> 8)
	};

	begin(WIDTH, ROWS, 8, 0, 0);
	bytes_chunk(&made, "IDAT", stream, 2 + 5 + data + 4);
	finish_made();
	ck_assert(decode_made());
	ck_warning("incorrect data check");
	ck_assert_int_eq(sample.refusals.pil.reason, expected);
	ck_assert_int_eq(sample.refusals.cv2.reason, REFUSAL_NONE);
	struct png_decoder *d;
	struct input in;

	memset(&sample, 0, sizeof(sample));
	input_init(&in);
	input_from_memory(&in, made.p, made.n);
	ck_assert(png_decoder_open(&d, &in, &no_limits, &sample));
	ck_assert(png_decoder_verdict(d));
	png_decoder_close(d);
	input_release(&in);
	ck_assert_int_eq(sample.refusals.pil.reason, expected);
}

TIMEOUT(60)
