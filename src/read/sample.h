/*
 * struct sample: what one label file (or archive member) is, in the terms of its own format.
 *
 * Filled by the reader of its format from the header, before any sample is decoded. Names are PNG's and
 * NumPy's. Plain data, no ownership but `path` and `member`, which belong to the unit that the walk drew
 * (find/source.h) and live until that unit is judged.
 */
#ifndef READ_SAMPLE_H
#define READ_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum sample_format {
	FORMAT_NONE = 0, /* could not be told, or not read so far */
	FORMAT_PNG,
};

enum sample_status {
	SAMPLE_READ,    /* every sample was decoded and every checksum is right */
	SAMPLE_FAILED,  /* could not be read whole: `fault` says why; nothing of it is counted */
	SAMPLE_SKIPPED, /* left out on purpose (not a label file) */
};

/* PNG colour types, PNG specification (third edition) section 11.2.1. */
enum png_colour_type {
	PNG_GREY = 0,
	PNG_RGB = 2,
	PNG_PALETTE = 3,
	PNG_GREY_ALPHA = 4,
	PNG_RGBA = 6,
};

struct png_header {
	uint32_t width, height;   /* 1..2^31-1 */
	uint8_t bit_depth;        /* 1, 2, 4, 8, 16 */
	uint8_t colour_type;      /* enum png_colour_type */
	uint8_t interlace;        /* 0 none, 1 Adam7 */
	uint8_t channels;         /* 1..4, from colour_type */
	bool animated;            /* acTL seen: only the default image is audited */
	uint16_t palette_entries; /* 0..256 */
	uint8_t palette[256][3];  /* RGB; entries past palette_entries are 0 */
};

struct sample {
	const char *path;   /* as the user would type it; bytes, not necessarily UTF-8 */
	const char *member; /* name inside an archive, or NULL */
	enum sample_format format;
	enum sample_status status;
	uint64_t file_bytes;
	struct png_header png; /* valid if format == FORMAT_PNG */
	struct fault fault;    /* kind != FAULT_NONE exactly if status == SAMPLE_FAILED */
	struct fault remark;   /* FAULT_MALFORMED: readable whole, but breaks its specification */
};

/* "png palette 8", "png grey 16", "png rgba 8 interlaced"; "" if unknown. Writes at most n bytes. */
void sample_format_name(const struct sample *s, char *out, size_t n);

#endif
