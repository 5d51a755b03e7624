/*
 * Identifies a file by its first bytes, never by its name: photos, git-lfs pointers and damaged downloads are found
 * among masks, with the same extension.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "find/unpacker.h"

enum content {
	CONTENT_PNG,         /* the signature is right; the decoder judges the rest */
	CONTENT_PNG_MANGLED, /* a PNG damaged by a text conversion */
	CONTENT_PNG_CGBI,    /* Apple's variant, which no PNG reader accepts */
	CONTENT_EMPTY,
	CONTENT_LFS_POINTER,
	CONTENT_JPEG,
	CONTENT_WEBP_LOSSY,
	CONTENT_WEBP, /* lossless; or extended, which may be lossy */
	CONTENT_HEIF, /* AVIF and HEIC */
	CONTENT_GIF,
	CONTENT_BMP,
	CONTENT_NETPBM, /* PBM, PGM, PPM */
	CONTENT_TIFF,
	CONTENT_NUMPY,
	CONTENT_IDX,
	CONTENT_VOLUME,
	CONTENT_TOKENS,      /* llm.c's, by their header */
	CONTENT_TOKEN_INDEX, /* Megatron's, of the file beside it */
	CONTENT_ZIP,         /* also .npz */
	CONTENT_GZIP,        /* the packings, in the order of enum packing */
	CONTENT_BZIP2,
	CONTENT_XZ,
	CONTENT_ZSTD,
	CONTENT_TAR, /* needs at least 262 bytes */
	CONTENT_HTML,
	CONTENT_XML,
	CONTENT_JSON, /* text that begins with a brace or a bracket */
	CONTENT_TEXT,
	CONTENT_OWN_REPORT, /* what this program wrote (own_report.h) */
	CONTENT_UNKNOWN,
};

/* Identifies the content by the first n bytes. A prefix shorter than PEEK_BYTES may hide a format (CONTENT_TAR). */
enum content identify(const uint8_t *head, size_t n);
/* Returns the packing of the content, or PACKING_NONE. */
static inline enum packing content_packing(enum content c)
{
	return c < CONTENT_GZIP || c > CONTENT_ZSTD ? PACKING_NONE : (enum packing)(PACKING_GZIP + (c - CONTENT_GZIP));
}
/* Returns the name with its article: "a JPEG picture". */
const char *content_name(enum content c);
/* Sets *f: why a file is not what was expected, unless unread_kind_fault() does. expected: "a PNG", "a label file".
 * Returns false. */
bool identify_fault(enum content c, const uint8_t *head, size_t n, const char *expected, struct fault *f);
