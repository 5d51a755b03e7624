/* Recognising a file by its first bytes, and the words for it. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"
#include "read/identify.h"
#include "read/input.h"
#include "read/sample.h"

/* A literal without its NUL. */
#define HEAD(s) (s), sizeof(s) - 1

static const struct {
	const char *bytes;
	size_t n;
	enum content content;
	enum fault_kind kind;
	const char *words;
} heads[] = {
	{ HEAD("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), CONTENT_PNG, FAULT_NONE, "" },
	{ HEAD("\x89PNG"), CONTENT_PNG, FAULT_NONE, "" },
	{ HEAD("\x89PNG\r\n\x1a\n\0\0\0\4CgBI"), CONTENT_PNG_CGBI, FAULT_CORRUPT, "CgBI" },
	{ HEAD("\x89PNG\n\x1a\n\0\0\0\rIHDR"), CONTENT_PNG_MANGLED, FAULT_CORRUPT, "text mode" },
	{ HEAD("\x89PNG\r\r\n\x1a\r\n\0\0\0\rIHDR"), CONTENT_PNG_MANGLED, FAULT_CORRUPT, "text mode" },
	{ HEAD("\xef\xbf\xbdPNG\r\n\x1a\n"), CONTENT_PNG_MANGLED, FAULT_CORRUPT, "text mode" },
	{ HEAD("\xc2\x89PNG\r\n\x1a\n"), CONTENT_PNG_MANGLED, FAULT_CORRUPT, "text mode" },
	{ HEAD("\x09PNG\r\n\x1a\n"), CONTENT_PNG_MANGLED, FAULT_CORRUPT, "text mode" },
	{ HEAD("\x89PNG\r\n\0\n"), CONTENT_PNG_MANGLED, FAULT_CORRUPT, "text mode" },
	{ HEAD("\0PNG\r\n\x1a\n"), CONTENT_PNG_MANGLED, FAULT_CORRUPT, "text mode" },
	{ HEAD(""), CONTENT_EMPTY, FAULT_EMPTY, "0 bytes" },
	{ HEAD("version https://git-lfs.github.com/spec/v1\noid"), CONTENT_LFS_POINTER, FAULT_LFS_POINTER,
	  "git-lfs pointer" },
	{ HEAD("version https://git-lfs.github.c"), CONTENT_LFS_POINTER, FAULT_LFS_POINTER, "git-lfs pointer" },
	{ HEAD("\xff\xd8\xff\xe0\0\x10JFIF"), CONTENT_JPEG, FAULT_LOSSY, "a mask saved as JPEG" },
	{ HEAD("RIFF\1\2\3\4WEBPVP8 "), CONTENT_WEBP_LOSSY, FAULT_LOSSY, "lossy WebP" },
	{ HEAD("RIFF\1\2\3\4WEBPVP8L"), CONTENT_WEBP, FAULT_NOT_A_LABEL, "a WebP image" },
	{ HEAD("\0\0\0\x1c"
	       "ftypavif"),
	  CONTENT_HEIF, FAULT_LOSSY, "AVIF or HEIC" },
	{ HEAD("GIF89a"), CONTENT_GIF, FAULT_NOT_A_LABEL, "a GIF image" },
	{ HEAD("BM\1\2\3\4\0\0\0\0\66\0\0\0\50\0\0\0"), CONTENT_BMP, FAULT_NOT_A_LABEL, "a BMP image" },
	{ HEAD("BMW drivers and others"), CONTENT_TEXT, FAULT_NOT_A_LABEL, "a text file" },
	{ HEAD("P5\n50 40\n255\n\0\1"), CONTENT_NETPBM, FAULT_NOT_A_LABEL, "a PBM, PGM or PPM image" },
	{ HEAD("P5 # made by hand\n# 7\n50\t40 # wide\n255\n"), CONTENT_NETPBM, FAULT_NOT_A_LABEL, "PGM" },
	{ HEAD("P2\n2 1\n1\n0 1\n"), CONTENT_NETPBM, FAULT_NOT_A_LABEL, "PGM" },
	{ HEAD("P5,50,40\n"), CONTENT_TEXT, FAULT_NOT_A_LABEL, "a text file" },
	{ HEAD("P7\n50 40\n"), CONTENT_TEXT, FAULT_NOT_A_LABEL, "a text file" },
	{ HEAD("II*\0\x08\0\0\0"), CONTENT_TIFF, FAULT_NOT_A_LABEL, "a TIFF image" },
	{ HEAD("MM\0*\0\0\0\x08"), CONTENT_TIFF, FAULT_NOT_A_LABEL, "a TIFF image" },
	{ HEAD("\x93NUMPY\1\0"), CONTENT_NUMPY, FAULT_NOT_A_LABEL, "a NumPy array" },
	{ HEAD("\0\0\x08\3\0\0\xea\x60"), CONTENT_IDX, FAULT_NOT_A_LABEL, "an IDX array" },
	{ HEAD("PK\3\4\x14\0"), CONTENT_ZIP, FAULT_NOT_A_LABEL, "a zip archive" },
	{ HEAD("\x1f\x8b\x08\0"), CONTENT_GZIP, FAULT_NOT_A_LABEL, "a gzip file" },
	{ HEAD("BZh91AY&SY\x80"), CONTENT_BZIP2, FAULT_NOT_A_LABEL, "a bzip2 file" },
	{ HEAD("BZh1\x17rE8P\x90"), CONTENT_BZIP2, FAULT_NOT_A_LABEL, "a bzip2 file" },
	{ HEAD("BZh91AY&"), CONTENT_BZIP2, FAULT_NOT_A_LABEL, "a bzip2 file" },
	{ HEAD("BZh0"), CONTENT_TEXT, FAULT_NOT_A_LABEL, "a text file" },
	{ HEAD("BZh9,label"), CONTENT_TEXT, FAULT_NOT_A_LABEL, "a text file" },
	{ HEAD("\xfd\x37zXZ\0\0"), CONTENT_XZ, FAULT_NOT_A_LABEL, "an xz file" },
	{ HEAD("\x28\xb5\x2f\xfd"), CONTENT_ZSTD, FAULT_NOT_A_LABEL, "a zstd file" },
	{ HEAD("\n  <!DOCTYPE HTML>"), CONTENT_HTML, FAULT_NOT_A_LABEL, "an HTML page" },
	{ HEAD("\xef\xbb\xbf<html>"), CONTENT_HTML, FAULT_NOT_A_LABEL, "an HTML page" },
	{ HEAD("<?xml version='1.0'"), CONTENT_XML, FAULT_NOT_A_LABEL, "XML" },
	{ HEAD(" {\"a\": 1}"), CONTENT_JSON, FAULT_NOT_A_LABEL, "a JSON text" },
	{ HEAD("[1, 2]"), CONTENT_JSON, FAULT_NOT_A_LABEL, "a JSON text" },
	{ HEAD("0 0.5 0.5 0.1 0.1\n"), CONTENT_TEXT, FAULT_NOT_A_LABEL, "a text file" },
	{ HEAD("caf\xc3\xa9 cut here \xe2\x82"), CONTENT_TEXT, FAULT_NOT_A_LABEL, "a text file" },
	{ HEAD("\xff\xfe"
	       "a\0b\0"),
	  CONTENT_TEXT, FAULT_NOT_A_LABEL, "a text file" },
	{ HEAD("\x89"), CONTENT_UNKNOWN, FAULT_NOT_A_LABEL, "found 89" },
	{ HEAD("\1\2\3\4\5\6\7\x08\x09"), CONTENT_UNKNOWN, FAULT_NOT_A_LABEL, "found 01 02 03 04 05 06 07 08" },
	{ HEAD("broken \xc3("), CONTENT_UNKNOWN, FAULT_NOT_A_LABEL, "found 62" },
};

TEST(heads_are_told_apart)
{
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		struct fault f = { 0 };
		/* a block of its own size, so that a sanitizer sees a read after it */
		uint8_t *head = xmalloc(heads[i].n);

		memcpy(head, heads[i].bytes, heads[i].n);

		enum content c = identify(head, heads[i].n);

		ck_assert_msg(c == heads[i].content, "head %zu is %s", i, content_name(c));
		if (c != CONTENT_PNG) {
			identify_fault(c, head, heads[i].n, "a PNG", &f);
			ck_assert_msg(f.kind == heads[i].kind, "head %zu: kind %d", i, f.kind);
			ck_assert_msg(strstr(f.text, heads[i].words), "head %zu: %s", i, f.text);
		}
		free(head);
	}
}

TEST(every_prefix_is_safe)
{
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		for (size_t n = 0; n <= heads[i].n; n++) {
			uint8_t *head = xmalloc(n);
			struct fault f = { 0 };

			memcpy(head, heads[i].bytes, n);

			enum content c = identify(head, n);

			if (c != CONTENT_PNG) {
				identify_fault(c, head, n, "a PNG", &f);
				ck_assert_int_ne(f.kind, FAULT_NONE);
				ck_assert_uint_gt(strlen(f.text), 0);
			}
			free(head);
		}
}

TEST(lfs_pointer_says_the_command)
{
	struct fault f = { 0 };

	identify_fault(CONTENT_LFS_POINTER, (const uint8_t *)"", 0, "a PNG", &f);
	ck_assert_str_eq(f.advice, "git lfs pull");
}

TEST(tar_needs_its_magic)
{
	uint8_t block[512] = "name";

	memcpy(block + 257, "ustar", 5);
	ck_assert_int_eq(identify(block, sizeof(block)), CONTENT_TAR);
	ck_assert_int_eq(identify(block, 261), CONTENT_UNKNOWN);
}

TEST(peek_is_enough)
{
	/* PEEK_BYTES suffice for all that is decided by a file's beginning alone */
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		if (heads[i].n >= PEEK_BYTES)
			ck_assert_int_eq(identify((const uint8_t *)heads[i].bytes, PEEK_BYTES), heads[i].content);
}

TEST(formats_are_named)
{
	struct sample s = { 0 };
	char name[64];

	sample_format_name(&s, name, sizeof(name));
	ck_assert_str_eq(name, "");
	s.format = FORMAT_PNG;
	s.png.colour_type = PNG_PALETTE;
	s.png.bit_depth = 8;
	sample_format_name(&s, name, sizeof(name));
	ck_assert_str_eq(name, "png palette 8");
	s.png.colour_type = PNG_GREY;
	s.png.bit_depth = 16;
	sample_format_name(&s, name, sizeof(name));
	ck_assert_str_eq(name, "png grey 16");
	s.png.colour_type = PNG_RGBA;
	s.png.bit_depth = 8;
	s.png.interlace = 1;
	sample_format_name(&s, name, sizeof(name));
	ck_assert_str_eq(name, "png rgba 8 interlaced");
	sample_format_name(&s, name, 4);
	ck_assert_str_eq(name, "png");
}
