/*
 * struct loader_text: parses the data of one tEXt, zTXt, iTXt or iCCP chunk as Pillow does (PngImagePlugin.py), and
 * inflates it up to Pillow's limit.
 *
 * Takes the data in pieces of any size, and keeps none. One thread each; the memory is reused for the next chunk.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PngImagePlugin.MAX_TEXT_CHUNK: one more byte is an error. */
#define LOADER_TEXT_MAX ((uint64_t)1 << 20)

enum text_phase {
	TEXT_NONE, /* the chunk holds no text */
	TEXT_KEY,
	TEXT_METHOD, /* a byte: the compression method */
	TEXT_FLAGS,  /* iTXt: whether it is compressed, and the method */
	TEXT_METHOD_OF_FLAGS,
	TEXT_LANGUAGE,
	TEXT_TRANSLATED_KEY,
	TEXT_PLAIN,
	TEXT_DEFLATED,
	TEXT_BAD_METHOD,
	TEXT_IGNORED, /* Pillow takes no notice of the rest */
};

struct loader_text {
	uint32_t type;
	enum text_phase phase;
	bool has_key; /* of at least one byte */
	bool compressed;
	uint8_t method;                 /* the byte of TEXT_METHOD */
	bool stream_over;               /* nothing after this is inflated */
	bool broken;                    /* the zlib stream is, for which Pillow takes an empty text */
	bool too_large;                 /* inflates to more than LOADER_TEXT_MAX bytes */
	uint64_t bytes;                 /* of the text, inflated */
	struct text_inflater *inflater; /* owned; NULL until something is inflated */
};

void loader_text_release(struct loader_text *t);
/* Returns whether a chunk of this type holds text. */
bool loader_text_is(uint32_t type);
void loader_text_begin(struct loader_text *t, uint32_t type);
void loader_text_add(struct loader_text *t, const uint8_t *bytes, size_t n);
/*
 * At the chunk's end: returns how many characters Pillow keeps of it; 0 of an iTXt, of which it counts those that UTF-8
 * makes. Not for a chunk that it refuses (method, too_large).
 */
uint64_t loader_text_kept(const struct loader_text *t);
