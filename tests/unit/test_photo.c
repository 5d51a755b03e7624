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
		ck_assert_msg(read_bytes(headers[i].bytes, headers[i].n, &size, &fault), "%s: %s", headers[i].name,
			      fault.text);
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
			if (read_bytes(headers[i].bytes, n, &size, &fault)) {
				ck_assert_msg(n + 9 > headers[i].n, "%s: %zu bytes are enough", headers[i].name, n);
				continue;
			}
			ck_assert_int_eq(fault.kind, FAULT_NOT_A_LABEL);
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
		BROKEN("it is not a PNG, JPEG", "<html><body>not found</body></html>"),
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
		ck_assert_msg(read_bytes(bytes, n + 9, &size, &fault), "case %zu: %s", i, fault.text);
		ck_assert_uint_eq(size.width, 500);
		ck_assert_uint_eq(size.orientation, 1);
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
