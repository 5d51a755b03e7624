/*
 * Identifies a file by its first bytes, never by its name: photos, notes, pointers and damaged downloads lie among
 * masks and have the same extension.
 */
#ifndef READ_IDENTIFY_H
#define READ_IDENTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "find/unpacker.h"

enum content {
	CONTENT_PNG,         /* the signature is right; the decoder judges the rest */
	CONTENT_PNG_MANGLED, /* a PNG that went through a text conversion */
	CONTENT_PNG_CGBI,    /* Apple's variant, which no PNG reader accepts */
	CONTENT_EMPTY,
	CONTENT_LFS_POINTER,
	CONTENT_JPEG,
	CONTENT_WEBP_LOSSY,
	CONTENT_WEBP, /* lossless, or extended: either */
	CONTENT_HEIF, /* AVIF and HEIC */
	CONTENT_GIF,
	CONTENT_BMP,
	CONTENT_TIFF,
	CONTENT_NUMPY,
	CONTENT_IDX,
	CONTENT_ZIP,  /* also .npz */
	CONTENT_GZIP, /* the packings, in the order of enum packing */
	CONTENT_BZIP2,
	CONTENT_XZ,
	CONTENT_ZSTD,
	CONTENT_TAR, /* only if at least 262 bytes are given */
	CONTENT_HTML,
	CONTENT_XML,
	CONTENT_JSON, /* text that begins with a brace or a bracket */
	CONTENT_TEXT,
	CONTENT_UNKNOWN,
};

/* head: the first n bytes, at least PEEK_BYTES unless the file is shorter (n == 0: it is empty). */
enum content identify(const uint8_t *head, size_t n);
/*
 * Returns whether a JPEG has one component, as its frame header says (ITU-T T.81, B.2.2); false if that is not among
 * the first n bytes, as after a photo's EXIF data.
 */
bool jpeg_is_grey(const uint8_t *head, size_t n);
/* Returns the packing of packed data, else PACKING_NONE. */
static inline enum packing content_packing(enum content c)
{
	return c < CONTENT_GZIP || c > CONTENT_ZSTD ? PACKING_NONE : (enum packing)(PACKING_GZIP + c - CONTENT_GZIP);
}
/* Returns "a JPEG picture", with its article. */
const char *content_name(enum content c);
/* Sets *f: why a file is not what was expected ("a PNG", "a label file"). */
void identify_fault(enum content c, const uint8_t *head, size_t n, const char *expected, struct fault *f);

#endif
