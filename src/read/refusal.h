/*
 * struct refusal: why a loader does not read a PNG that libpng does.
 *
 * png/loaders.c fills it, the cache keeps it, and the rule unreadable-by-loader words it. Plain data.
 */
#pragma once

#include <stdint.h>

enum refusal_reason {
	REFUSAL_NONE = 0,      /* it reads the file */
	REFUSAL_PIXELS_WARNED, /* it reads the file with a warning; value: pixels that an image may have without one */
	/* it does not read the file: */
	REFUSAL_CRC,        /* of an ancillary chunk */
	REFUSAL_SHORT,      /* value: bytes that the chunk needs */
	REFUSAL_LENGTH,     /* value: bytes that the chunk must have; 0: 1, 2 or 6 */
	REFUSAL_TOO_LONG,   /* value: bytes that the chunk may have */
	REFUSAL_METHOD,     /* value: the compression method */
	REFUSAL_NO_METHOD,  /* the chunk ends before its compression method */
	REFUSAL_INFLATES,   /* value: bytes to which the text may inflate */
	REFUSAL_ALL_TEXT,   /* value: characters that all texts may have */
	REFUSAL_STREAM_END, /* an error in what follows the last row */
	REFUSAL_PIXELS,     /* value: pixels that an image may have */
	REFUSAL_SIDE,       /* value: pixels that a side may have */
	REFUSAL_LAST = REFUSAL_SIDE,
};

struct refusal {
	uint8_t reason;  /* enum refusal_reason */
	uint32_t chunk;  /* its type, as PNG_TYPE() writes it; 0: none */
	uint32_t length; /* of its data */
	uint64_t offset; /* of the chunk in the file */
	uint64_t value;
};
