#include "read/identify.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "read/own_report.h"

static const uint8_t png_signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };

static bool starts(const uint8_t *head, size_t n, const void *with, size_t length)
{
	return n >= length && memcmp(head, with, length) == 0;
}
#define STARTS(head, n, literal) starts(head, n, literal, sizeof(literal) - 1)

static bool at(const uint8_t *head, size_t n, size_t offset, const char *with)
{
	return n >= offset && starts(head + offset, n - offset, with, strlen(with));
}

/* Returns whether it starts with one of the words, in lower case and ending in NULL, in any case. */
static bool starts_any(const uint8_t *head, size_t n, const char *const *words)
{
	for (; *words; words++)
		if (n >= strlen(*words) && !strncasecmp((const char *)head, *words, strlen(*words)))
			return true;
	return false;
}

/*
 * Returns whether this is a PNG whose signature was damaged, as it was designed to show: 0x89 loses its high bit on
 * 7-bit channels or becomes two or three bytes of UTF-8, and conversions of line ends change the CR LF, 0x1a, LF.
 */
static bool is_mangled(const uint8_t *head, size_t n)
{
	if (STARTS(head, n, "\xef\xbf\xbdPNG") || STARTS(head, n, "\xc2\x89PNG"))
		return true;
	if (n >= sizeof(png_signature) && !memcmp(head + 1, png_signature + 1, sizeof(png_signature) - 1))
		return head[0] != png_signature[0];
	return STARTS(head, n, "\x89PNG") && !starts(head, n, png_signature, MIN(n, sizeof(png_signature)));
}

/* Returns whether it is UTF-8 without control characters. The last character may be cut, since head is a prefix. */
static bool is_text(const uint8_t *head, size_t n)
{
	size_t i = 0;

	while (i < n) {
		uint8_t c = head[i++];
		unsigned more = c < 0x80                ? 0
				: c >= 0xc2 && c < 0xe0 ? 1
				: (c & 0xf0) == 0xe0    ? 2
				: c >= 0xf0 && c < 0xf5 ? 3
							: 9;

		if (more == 9 || c == 0x7f || (c < 0x20 && !(c >= '\t' && c <= '\r') && c != 0x1b))
			return false;
		for (; more && i < n; more--)
			if ((head[i++] & 0xc0) != 0x80)
				return false;
	}
	return true;
}

static bool is_bmp(const uint8_t *head, size_t n)
{
	/* "BM" alone also begins texts: check the size of the second header */
	return STARTS(head, n, "BM") && n >= 18 && head[15] == 0 && head[16] == 0 && head[17] == 0 &&
	       (head[14] == 12 || head[14] == 16 || head[14] == 40 || head[14] == 52 || head[14] == 56 ||
		head[14] == 64 || head[14] == 108 || head[14] == 124);
}

/* P and a digit begin texts, too: check that white space and a number or a comment follow. */
static bool is_netpbm(const uint8_t *head, size_t n)
{
	return n >= 4 && head[0] == 'P' && head[1] >= '1' && head[1] <= '6' && strchr(" \t\r\n", head[2]) &&
	       (head[3] == '#' || (head[3] >= '0' && head[3] <= '9'));
}

/* Checks the block size and the magic of a block or of the end, as far as head goes: "BZh" alone also begins texts. */
static bool is_bzip2(const uint8_t *head, size_t n)
{
	return n >= 4 && head[3] >= '1' && head[3] <= '9' &&
	       (!memcmp(head + 4, "1AY&SY", MIN(n - 4, (size_t)6)) ||
		!memcmp(head + 4, "\x17rE8P\x90", MIN(n - 4, (size_t)6)));
}

static enum content identify_packed(const uint8_t *head, size_t n)
{
	enum packing packing = packing_of(head, n);

	if (packing == PACKING_UNKNOWN || (packing == PACKING_BZIP2 && !is_bzip2(head, n)))
		return CONTENT_UNKNOWN;
	return (enum content)(CONTENT_GZIP + packing - PACKING_GZIP);
}

static bool is_idx(const uint8_t *head, size_t n)
{
	/* two zeros, the element type, the number of dimensions */
	return n >= 4 && head[0] == 0 && head[1] == 0 &&
	       (head[2] == 8 || head[2] == 9 || (head[2] >= 11 && head[2] <= 14)) && head[3] >= 1 && head[3] <= 8;
}

static bool has(const uint8_t *head, size_t n, const char *text)
{
	return memmem(head, n, text, strlen(text)) != NULL;
}

/* Volumes with their voxels in the same file, as far as head tells; see read/nifti.h and read/text_volume.h. */
static bool is_volume(const uint8_t *head, size_t n)
{
	if (STARTS(head, n, "NRRD000"))
		return !has(head, n, "\ndata file:") && !has(head, n, "\ndatafile:");
	if (STARTS(head, n, "ObjectType = Image") || STARTS(head, n, "NDims = "))
		return has(head, n, "NDims = ") &&
		       (!has(head, n, "\nElementDataFile = ") || has(head, n, "\nElementDataFile = LOCAL") ||
			has(head, n, "\nElementDataFile = Local"));
	return (n > 347 && !memcmp(head + 344, "n+1", 4)) || (n > 11 && !memcmp(head + 4, "n+2\0\r\n\x1a\n", 8));
}

/* llm.c begins with 256 words: a magic number, for ids of 16 or of 32 bits, and the version. */
static bool is_llmc(const uint8_t *head, size_t n)
{
	enum { VERSIONS = 16 };

	return n >= 12 && (le32(head) == 20240520 || le32(head) == 20240801) && le32(head + 4) <= VERSIONS;
}

static const char *const html_starts[] = { "<!doctype html", "<html", "<head", "<body", NULL };
/* Pascal VOC's texts begin with <annotation> at once. */
static const char *const xml_starts[] = { "<?xml", "<svg", "<annotation", NULL };

static enum content identify_text(const uint8_t *head, size_t n)
{
	if (STARTS(head, n, "\xff\xfe") || STARTS(head, n, "\xfe\xff"))
		return CONTENT_TEXT; /* UTF-16 with its mark */
	if (!is_text(head, n))
		return CONTENT_UNKNOWN;
	if (own_report_begins(head, n))
		return CONTENT_OWN_REPORT;

	size_t i = STARTS(head, n, "\xef\xbb\xbf") ? 3 : 0;

	while (i < n && (head[i] == ' ' || (head[i] >= '\t' && head[i] <= '\r')))
		i++;
	if (starts_any(head + i, n - i, html_starts))
		return CONTENT_HTML;
	if (starts_any(head + i, n - i, xml_starts))
		return CONTENT_XML;
	if (i < n && (head[i] == '{' || head[i] == '['))
		return CONTENT_JSON;
	return CONTENT_TEXT;
}

enum content identify(const uint8_t *head, size_t n)
{
	if (n == 0)
		return CONTENT_EMPTY;
	/* a file that ends within the signature is a truncated PNG, which the decoder reports; one byte is too few */
	if (n >= 2 && starts(head, n, png_signature, MIN(n, sizeof(png_signature))))
		return at(head, n, 12, "CgBI") ? CONTENT_PNG_CGBI : CONTENT_PNG;
	if (is_mangled(head, n))
		return CONTENT_PNG_MANGLED;
	/* not the whole line: callers may have read only a few bytes */
	if (STARTS(head, n, "version https://git-lfs."))
		return CONTENT_LFS_POINTER;
	if (STARTS(head, n, "\xff\xd8\xff"))
		return CONTENT_JPEG;
	if (STARTS(head, n, "RIFF") && at(head, n, 8, "WEBP"))
		return at(head, n, 12, "VP8 ") ? CONTENT_WEBP_LOSSY : CONTENT_WEBP;
	if (at(head, n, 4, "ftypavi") || at(head, n, 4, "ftyphei") || at(head, n, 4, "ftypmif1"))
		return CONTENT_HEIF;
	if (STARTS(head, n, "GIF87a") || STARTS(head, n, "GIF89a"))
		return CONTENT_GIF;
	if (is_bmp(head, n))
		return CONTENT_BMP;
	if (is_netpbm(head, n))
		return CONTENT_NETPBM;
	if (STARTS(head, n, "II*\0") || STARTS(head, n, "MM\0*") || STARTS(head, n, "II+\0") ||
	    STARTS(head, n, "MM\0+"))
		return CONTENT_TIFF;
	if (STARTS(head, n, "\x93NUMPY"))
		return CONTENT_NUMPY;
	if (STARTS(head, n, "PK\3\4") || STARTS(head, n, "PK\5\6"))
		return CONTENT_ZIP;
	if (is_volume(head, n))
		return CONTENT_VOLUME;
	enum content packed = identify_packed(head, n);

	if (packed != CONTENT_UNKNOWN)
		return packed;
	if (at(head, n, 257, "ustar"))
		return CONTENT_TAR;
	if (is_idx(head, n))
		return CONTENT_IDX;
	if (is_llmc(head, n))
		return CONTENT_TOKENS;
	if (STARTS(head, n, "MMIDIDX\0\0"))
		return CONTENT_TOKEN_INDEX;
	return identify_text(head, n);
}

const char *content_name(enum content c)
{
	static const char *const names[] = {
		[CONTENT_PNG] = "a PNG",
		[CONTENT_PNG_MANGLED] = "a mangled PNG",
		[CONTENT_PNG_CGBI] = "an Apple CgBI file",
		[CONTENT_EMPTY] = "an empty file",
		[CONTENT_LFS_POINTER] = "a git-lfs pointer",
		[CONTENT_JPEG] = "a JPEG image",
		[CONTENT_WEBP_LOSSY] = "a lossy WebP image",
		[CONTENT_WEBP] = "a WebP image",
		[CONTENT_HEIF] = "an AVIF or HEIC image",
		[CONTENT_GIF] = "a GIF image",
		[CONTENT_BMP] = "a BMP image",
		[CONTENT_NETPBM] = "a PBM, PGM or PPM image",
		[CONTENT_TIFF] = "a TIFF image",
		[CONTENT_NUMPY] = "a NumPy array",
		[CONTENT_IDX] = "an IDX array",
		[CONTENT_VOLUME] = "a volume of NIfTI, NRRD or MetaImage",
		[CONTENT_TOKENS] = "a stream of tokens",
		[CONTENT_TOKEN_INDEX] = "the index of the tokens in the .bin beside it, which is what to pass",
		[CONTENT_ZIP] = "a zip archive",
		[CONTENT_GZIP] = "a gzip file",
		[CONTENT_BZIP2] = "a bzip2 file",
		[CONTENT_XZ] = "an xz file",
		[CONTENT_ZSTD] = "a zstd file",
		[CONTENT_TAR] = "a tar archive",
		[CONTENT_HTML] = "an HTML page",
		[CONTENT_XML] = "an XML or SVG text",
		[CONTENT_JSON] = "a JSON text",
		[CONTENT_TEXT] = "a text file",
		[CONTENT_OWN_REPORT] = "a report of labelaudit",
		[CONTENT_UNKNOWN] = "of no known type",
	};

	return names[c];
}

bool identify_fault(enum content c, const uint8_t *head, size_t n, const char *expected, struct fault *f)
{
	switch (c) {
	case CONTENT_EMPTY:
		fault_set(f, FAULT_EMPTY, FAULT_NO_OFFSET, "the file is empty (0 bytes)");
		return fault_advise(f, "an interrupted download or a full disk leaves such files: make it again");
	case CONTENT_LFS_POINTER:
		fault_set(f, FAULT_LFS_POINTER, 0, "the file is a git-lfs pointer; its data were not fetched");
		return fault_advise(f, "git lfs pull");
	case CONTENT_JPEG:
	case CONTENT_WEBP_LOSSY:
	case CONTENT_HEIF:
		fault_set(
			f, FAULT_LOSSY, 0,
			"a mask saved as %s: lossy compression invents ids along every edge, so they cannot be trusted",
			c == CONTENT_JPEG   ? "JPEG"
			: c == CONTENT_HEIF ? "AVIF or HEIC"
					    : "lossy WebP");
		return fault_advise(f, c == CONTENT_JPEG
					       ? "write it as PNG from its source; two levels are saved by "
						 "(np.array(Image.open(f).convert('L')) > 127).astype(np.uint8)"
					       : "export the mask again as PNG from its source; converting this file "
						 "does not repair it");
	case CONTENT_PNG_MANGLED:
		fault_set(f, FAULT_CORRUPT, 0,
			  "the PNG signature is damaged, as by a transfer in text mode: bytes were converted");
		return fault_advise(
			f, "fetch the original again as binary; with git, mark *.png as binary in .gitattributes");
	case CONTENT_PNG_CGBI:
		fault_set(f, FAULT_CORRUPT, 8,
			  "an Apple CgBI file: Xcode changed the PNG for iOS, and no PNG reader accepts it");
		return fault_advise(f,
				    "use the original PNG, or revert it with `pngcrush -revert-iphone-optimizations`");
	case CONTENT_HTML:
		fault_set(f, FAULT_NOT_A_LABEL, 0, "not %s but an HTML page, such as a server's error or login page",
			  expected);
		return fault_advise(f, "fetch the file again");
	case CONTENT_UNKNOWN: {
		char bytes[8 * 3 + 1] = "";

		for (size_t i = 0; i < MIN(n, (size_t)8); i++)
			snprintf(bytes + 3 * i, 4, " %02x", head[i]);
		if (!strcmp(expected, "a PNG"))
			return fault_set(f, FAULT_NOT_A_LABEL, 0,
					 "not a PNG: expected the signature 89 50 4e 47 0d 0a 1a 0a, found%s", bytes);
		return fault_set(f, FAULT_NOT_A_LABEL, 0, "not %s: no known type begins with%s", expected, bytes);
	}
	default:
		return fault_set(f, FAULT_NOT_A_LABEL, 0, "not %s but %s", expected, content_name(c));
	}
}
