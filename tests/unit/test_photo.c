/* Sizes of pictures from headers written by hand, as their specifications have them; and from every piece of them. */
#include "check_main.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "read/photo.h"

static char folder[] = "/tmp/labelaudit-picture-XXXXXX";
static int dirfd_of_folder;

static void set_up(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	dirfd_of_folder = open(folder, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dirfd_of_folder, 0);
}

static void tear_down(void)
{
	unlinkat(dirfd_of_folder, "picture", 0);
	close(dirfd_of_folder);
	rmdir(folder);
}

static bool read_bytes(const void *bytes, size_t n, struct photo_size *size, struct fault *fault)
{
	int fd = openat(dirfd_of_folder, "picture", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
	close(fd);
	fault_clear(fault);
	memset(size, 0, sizeof(*size));
	return photo_read_size(dirfd_of_folder, "picture", NULL, size, fault);
}

#define HEADER(name, w, h, o, literal)                                       \
	{                                                                    \
		name, w, h, o, (const uint8_t *)literal, sizeof(literal) - 1 \
	}

static const struct {
	const char *name;
	uint32_t width, height;
	unsigned orientation;
	const uint8_t *bytes;
	size_t n;
} headers[] = {
	HEADER("png", 500, 375, 1, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\xf4\0\0\x01\x77"),
	HEADER("jpeg", 500, 375, 1,
	       "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xc4\0\5abc\xff\xff\xff\xc2\0\x11\x08\x01\x77\x01"
	       "\xf4"),
	HEADER("jpeg, big-endian exif", 500, 375, 6,
	       "\xff\xd8\xff\xe1\0\x22"
	       "Exif\0\0MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"
	       "\xff\xc0\0\x11\x08\x01\x77\x01\xf4"),
	HEADER("jpeg, little-endian exif", 500, 375, 8,
	       "\xff\xd8\xff\xe1\0\x22"
	       "Exif\0\0II*\0\x08\0\0\0\1\0\x12\x01\3\0\1\0\0\0\x08\0\0\0\0\0\0\0"
	       "\xff\xc0\0\x11\x08\x01\x77\x01\xf4"),
	HEADER("webp, lossy", 500, 375, 1, "RIFF\x40\0\0\0WEBPVP8 \x30\0\0\0\x10\x02\0\x9d\x01\x2a\xf4\x01\x77\x01"),
	HEADER("webp, lossless", 500, 375, 1, "RIFF\x40\0\0\0WEBPVP8L\x30\0\0\0\x2f\xf3\x81\x5d\0\0\0\0\0\0"),
	HEADER("webp, extended", 500, 375, 1, "RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xf3\x01\0\x76\x01\0"),
	HEADER("bmp", 500, 375, 1, "BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\xf4\x01\0\0\x77\x01\0\0"),
	HEADER("bmp, rows from the top", 500, 375, 1,
	       "BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\xf4\x01\0\0\x89\xfe\xff\xff"),
	HEADER("bmp of OS/2", 500, 375, 1, "BM\0\0\0\0\0\0\0\0\x1a\0\0\0\x0c\0\0\0\xf4\x01\x77\x01\1\0\x08\0"),
	HEADER("gif", 500, 375, 1, "GIF89a\xf4\x01\x77\x01"),
	HEADER("tiff", 500, 375, 3,
	       "II*\0\x08\0\0\0\3\0\0\x01\3\0\1\0\0\0\xf4\x01\0\0\x01\x01\4\0\1\0\0\0\x77\x01\0\0"
	       "\x12\x01\3\0\1\0\0\0\3\0\0\0"),
	HEADER("bigtiff", 500, 375, 1,
	       "MM\0+\0\x08\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\2\x01\0\0\x10\0\0\0\0\0\0\0\1\0\0\0\0\0\0\x01\xf4"
	       "\x01\x01\0\3\0\0\0\0\0\0\0\1\x01\x77\0\0\0\0\0\0"),
};

TEST(sizes)
{
	struct photo_size size;
	struct fault fault;

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		/* of most there is nothing but the header */
		ck_assert_msg(read_bytes(headers[i].bytes, headers[i].n, &size, &fault) ||
				      fault.kind == FAULT_TRUNCATED,
			      "%s: %s", headers[i].name, fault.text);
		ck_assert_msg(size.width == headers[i].width && size.height == headers[i].height &&
				      size.orientation == headers[i].orientation,
			      "%s: %u x %u, orientation %u", headers[i].name, size.width, size.height,
			      size.orientation);
	}
}

/* No piece of a header is taken for one, and every byte of it is asked for within the file. */
TEST(pieces)
{
	struct photo_size size;
	struct fault fault;

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		for (size_t n = 0; n < headers[i].n; n++) {
			if (read_bytes(headers[i].bytes, n, &size, &fault) || fault.kind == FAULT_TRUNCATED) {
				ck_assert_msg(n + 9 > headers[i].n, "%s: %zu bytes are enough", headers[i].name, n);
				continue;
			}
			ck_assert_int_eq(fault.kind, n ? FAULT_NOT_A_LABEL : FAULT_EMPTY);
			ck_assert_str_ne(fault.text, "");
		}
	}
}

/* Files that begin like a photo and are none. */
TEST(broken_headers)
{
	static const struct {
		const char *words;
		const uint8_t *bytes;
		size_t n;
	} cases[] = {
#define BROKEN(words, literal) { words, (const uint8_t *)literal, sizeof(literal) - 1 }
		BROKEN("its PNG header is damaged", "\x89PNG\r\n\x1a\n\0\0\0\rIHDX\0\0\x01\xf4\0\0\x01\x77"),
		BROKEN("its PNG header is damaged", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\x01\x77"),
		BROKEN("its PNG header is damaged", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\0\0"),
		/* a scan, the end, a segment without room for its own length, or no marker, before a frame; tables are
		   none */
		BROKEN("its JPEG header is damaged", "\xff\xd8\xff\xda\0\x08"
						     "abcdefgh"),
		BROKEN("its JPEG header is damaged", "\xff\xd8\xff\xd9\0\x08"
						     "abcdefgh"),
		BROKEN("its JPEG header is damaged", "\xff\xd8\xff\xe0\0\1"
						     "abcdefgh"),
		BROKEN("its JPEG header is damaged", "\xff\xd8\xff\xe0\0\2"
						     "abcdefgh"),
		BROKEN("its JPEG header is damaged", "\xff\xd8\xff\xc8\0\x0b"
						     "abcdefghi"),
		BROKEN("its JPEG header is damaged", "\xff\xd8\xff\xcc\0\x0b"
						     "abcdefghi"),
		BROKEN("its JPEG header is damaged", "\xff\xd8\xff\xc2\0\x0b"
						     "ab"),
		BROKEN("its WebP header is damaged",
		       "RIFF\x40\0\0\0WEBPVP8?\x30\0\0\0\x10\x02\0\x9d\x01\x2a\xf4\x01\x77\x01"),
		BROKEN("its WebP header is damaged",
		       "RIFF\x40\0\0\0WEBPVP8 \x30\0\0\0\x10\x02\0\x9d\x01\x2b\xf4\x01\x77\x01"),
		BROKEN("its WebP header is damaged", "RIFF\x40\0\0\0WEBPVP8L\x30\0\0\0\x2e\xf3\x81\x5d\0\0\0\0\0\0"),
		/* without a width; with one of another type, or too large; a directory beyond all files */
		BROKEN("its TIFF header is damaged", "II*\0\x08\0\0\0\1\0\1\x01\4\0\1\0\0\0\x77\x01\0\0"),
		BROKEN("its TIFF header is damaged", "II*\0\x08\0\0\0\1\0\0\x01\2\0\1\0\0\0\x77\x01\0\0"),
		BROKEN("its TIFF header is damaged", "II*\0\x08\0\0\0\1\0\0\x01\x10\0\1\0\0\0\x77\x01\0\0"),
		BROKEN("its TIFF header is damaged",
		       "II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\1\x10\0\1\0\0\0\0\0\0\0\1\1\1\1\1\1\1\1"),
		BROKEN("its TIFF header is damaged", "MM\0+\0\x08\0\0\x7f\xff\xff\xff\xff\xff\xff\xff"),
		BROKEN("its TIFF header is damaged", "MM\0+\0\x08\0\0\xff\xff\xff\xff\xff\xff\xff\xf0"),
		BROKEN("its TIFF header is damaged", "MM\0+\0\x09\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\1"),
		BROKEN("not an image but an HTML page", "<html><body>not found</body></html>"),
		BROKEN("not a PNG, JPEG, WebP, BMP, TIFF or GIF image but a text file", "not found"),
		BROKEN("not an image but what macOS keeps beside one", "\0\5\x16\7\0\2\0\0Mac OS X        "),
#undef BROKEN
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct photo_size size;
		struct fault fault;

		ck_assert_msg(!read_bytes(cases[i].bytes, cases[i].n, &size, &fault), "case %zu is taken", i);
		ck_assert_int_eq(fault.kind, FAULT_NOT_A_LABEL);
		ck_assert_msg(strstr(fault.text, cases[i].words) != NULL, "case %zu: %s", i, fault.text);
	}
}

/* An orientation that there is not, and EXIF that is none, leave the picture as it is. */
TEST(odd_exif)
{
	static const char odd[][60] = {
		"\xff\xd8\xff\xe1\0\x22"
		"Exif\0\0II*\0\x08\0\0\0\1\0\x12\x01\3\0\1\0\0\0\x09\0\0\0\0\0\0\0",
		"\xff\xd8\xff\xe1\0\x22"
		"Exif\0\0II*\0\x08\0\0\0\1\0\x12\x01\3\0\1\0\0\0\x00\0\0\0\0\0\0\0",
		"\xff\xd8\xff\xe1\0\x22"
		"Exif\0\0XI*\0\x08\0\0\0\1\0\x12\x01\3\0\1\0\0\0\x03\0\0\0\0\0\0\0",
		"\xff\xd8\xff\xe1\0\x22"
		"http:\0II*\0\x08\0\0\0\1\0\x12\x01\3\0\1\0\0\0\x03\0\0\0\0\0\0\0",
		"\xff\xd8\xff\xff\xff\x01\xff\xe1\0\x1e"
		"Exif\0\0II*\0\x08\0\0\0\1\0\x12\x01\2\0\1\0\0\0\x03\0\0\0",
	};

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		uint8_t bytes[80];
		size_t n = 2 + 2 + 0x22;
		struct photo_size size;
		struct fault fault;

		memcpy(bytes, odd[i], n);
		memcpy(bytes + n, "\xff\xc0\0\x11\x08\x01\x77\x01\xf4", 9);
		memcpy(bytes + n + 9, "\xff\xd9", 2);
		ck_assert_msg(read_bytes(bytes, n + 11, &size, &fault), "case %zu: %s", i, fault.text);
		ck_assert_uint_eq(size.width, 500);
		ck_assert_uint_eq(size.orientation, 1);
	}
}

#define JPEG        "\xff\xd8\xff\xc0\0\x0b\x08\0\x10\0\x10\1\x22\0\0\xff\xda\0\2"
#define THUMBNAIL   "\xff\xd8\xff\xe1\0\6\xff\xd8\xff\xd9" /* in a segment before the frame */
#define PNG         "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\2\0\0\0crc!"
#define IDAT        "\0\0\0\4IDATdatacrc!"
#define IEND        "\0\0\0\0IEND\xae\x42\x60\x82"
#define GIF         "GIF89a\x10\0\x10\0\0\0\0"
#define GIF_IMAGE   "!\xf9\4\0\0\0\0\0,\0\0\0\0\x10\0\x10\0\0\x08"
#define BMP(offset) "BM\0\0\0\0\0\0\0\0" offset "\0\0\0\x28\0\0\0\2\0\0\0\2\0\0\0\1\0\x18\0\0\0\0\0"
#define TIFF(length)                                                                \
	"II*\0\x08\0\0\0\4\0\0\x01\3\0\1\0\0\0\4\0\0\0\x01\x01\3\0\1\0\0\0\4\0\0\0" \
	"\x11\x01\4\0\1\0\0\0\x3e\0\0\0\x17\x01\4\0\1\0\0\0" length "\0\0\0\0\0\0\0"

/* Where files end: those of pieces that loaders read whole, and those that they do not. */
TEST(ends)
{
	static uint8_t bytes[3 * 4096];
	static const struct {
		enum fault_kind kind;
		const uint8_t *head; /* then zeros up to, but for the tail, `size` bytes */
		size_t n, size;
		const char *tail;
		size_t tail_n;
	} cases[] = {
#define END(kind, head, size, tail) \
	{ FAULT_##kind, (const uint8_t *)head, sizeof(head) - 1, size, tail, sizeof(tail) - 1 }
		END(NONE, JPEG, 100, "\xff\xd9"),
		END(TRUNCATED, JPEG, 100, "\xff"),
		END(TRUNCATED, THUMBNAIL "\xff\xc0\0\x0b\x08\0\x10\0\x10\1\x22\0\0\xff\xda\0\2", 100, ""),
		/* what cameras add; the marker on both sides of a block; none in several of them */
		END(NONE, JPEG "\xff\xd9", sizeof(bytes), "added"),
		END(NONE, JPEG, sizeof(bytes),
		    "\xff\xd9"
		    "added"),
		END(TRUNCATED, JPEG, sizeof(bytes), "\xd9"),
		END(NONE, PNG IDAT, 61, IEND),
		END(NONE, PNG IDAT IEND, 5000, "added"),
		END(TRUNCATED, PNG IDAT, 49, ""),
		END(TRUNCATED, PNG "\0\0\x10\0IDAT", 50, ""),
		END(CORRUPT, PNG IDAT, 5000, ""),
		END(CORRUPT, PNG "\x80\0\0\0IDAT", 5000, ""),
		END(NONE, "RIFF\x5c\0\0\0WEBPVP8L\x30\0\0\0\x2f\xf3\x81\x5d\0\0\0\0\0\0", 100, ""),
		END(TRUNCATED, "RIFF\x5d\0\0\0WEBPVP8L\x30\0\0\0\x2f\xf3\x81\x5d\0\0\0\0\0\0", 100, ""),
		END(TRUNCATED, "RIFF\xff\xff\xff\xffWEBPVP8L\x30\0\0\0\x2f\xf3\x81\x5d\0\0\0\0\0\0", 100, ""),
		END(NONE, BMP("\x36"), 0x36 + 16, ""),
		END(TRUNCATED, BMP("\x36"), 0x36 + 15, ""),
		END(NONE, TIFF("\x26"), 100, ""),
		/* a trailer; the first image whole without one; its data, a piece of them or all of it cut off */
		END(NONE, GIF, 100, ";"),
		END(NONE, GIF GIF_IMAGE "\2ab", 100, ""),
		END(TRUNCATED, GIF GIF_IMAGE "\2ab", 13 + 8 + 11 + 3, ""),
		END(TRUNCATED, GIF GIF_IMAGE "\xff", 100, ""),
		END(TRUNCATED, GIF, 13, ""),
		END(TRUNCATED, TIFF("\x27"), 100, ""),
#undef END
	};
	struct photo_size size;
	struct fault fault;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, cases[i].head, cases[i].n);
		memcpy(bytes + cases[i].size - cases[i].tail_n, cases[i].tail, cases[i].tail_n);
		read_bytes(bytes, cases[i].size, &size, &fault);
		ck_assert_msg(fault.kind == cases[i].kind, "case %zu: %u, not %u: %s", i, fault.kind, cases[i].kind,
			      fault.text);
	}
	for (size_t at = 4000; at < 4200; at++) { /* the end at each place near that of a block */
		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, JPEG, sizeof(JPEG) - 1);
		memcpy(bytes + at, "\xff\xd9", 2);
		ck_assert_msg(read_bytes(bytes, 2 * 4096 + 19, &size, &fault), "%zu: %s", at, fault.text);
	}
}

TEST(traits)
{
	static const struct {
		unsigned traits;
		const uint8_t *bytes;
		size_t n;
	} cases[] = {
#define KIND(traits, literal) { traits, (const uint8_t *)literal, sizeof(literal) - 1 }
		KIND(1 << PHOTO_GREY, JPEG "\xff\xd9"),
		KIND(1 << PHOTO_CMYK, "\xff\xd8\xff\xc0\0\x14\x08\0\x10\0\x10\4\0\0\0\0\0\0\0\0\0\0\0\0\xff\xd9"),
		KIND(0, "\xff\xd8\xff\xc0\0\x11\x08\0\x10\0\x10\3\0\0\0\0\0\0\0\0\0\xff\xd9"),
		KIND(1 << PHOTO_DEEP | 1 << PHOTO_ALPHA,
		     "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x10\6\0\0\0crc!" IEND),
#undef KIND
	};
	struct photo_size size;
	struct fault fault;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_msg(read_bytes(cases[i].bytes, cases[i].n, &size, &fault), "case %zu: %s", i, fault.text);
		ck_assert_uint_eq(size.traits, cases[i].traits | 1 << PHOTO_RENAMED); /* the file has no extension */
	}
}

TEST(not_files)
{
	struct photo_size size;
	struct fault fault;

	fault_clear(&fault);
	ck_assert(!photo_read_size(dirfd_of_folder, "missing", NULL, &size, &fault));
	ck_assert_str_eq(fault.text, "cannot open: No such file or directory");
	fault_clear(&fault);
	ck_assert(!photo_read_size(dirfd_of_folder, ".", NULL, &size, &fault));
	ck_assert_str_eq(fault.text, "not a regular file but a folder, which is to be a PATH of its own");
}

TEST(endless_headers)
{
	static uint8_t jpeg[100000] = { 0xff, 0xd8 };
	struct photo_size size;
	struct fault fault;

	for (size_t i = 2; i + 4 <= sizeof(jpeg); i += 4) /* empty segments, for ever */
		memcpy(jpeg + i, "\xff\xfe\0\2", 4);
	ck_assert(!read_bytes(jpeg, sizeof(jpeg), &size, &fault));
	memset(jpeg + 2, 0xff, sizeof(jpeg) - 2);
	ck_assert(!read_bytes(jpeg, sizeof(jpeg), &size, &fault));
	ck_assert(!photo_read_size(dirfd_of_folder, "nothing", NULL, &size, &fault));
}

FIXTURE(set_up, tear_down)
