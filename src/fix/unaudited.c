#include "fix/unaudited.h"

#include <string.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "measure/array/array_elements.h"
#include "read/npy.h"

enum {
	ELEMENTS = 4096, /* of an array, which are looked at */
	HEAD = 54,       /* of an image: BITMAPINFOHEADER ends there */
};

bool unaudited_is_suspect(const char *name, enum skip_reason reason)
{
	static const char *const images[] = { ".png", ".bmp", ".gif", NULL };
	static const char *const unread[] = { ".tif", ".tiff", NULL };

	switch (reason) {
	case SKIP_IMAGE:
		return file_name_ends_in_any(name, images);
	case SKIP_NO_LABELS:
		return file_name_ends_in(name, ".npy");
	case SKIP_UNREAD_FORMAT:
		return file_name_ends_in_any(name, unread);
	default:
		return false;
	}
}

static bool array_may_hold_ids(struct input *in)
{
	struct float_facts facts = { 0 };
	uint64_t elements[ELEMENTS];
	float halves[ELEMENTS];
	struct fault fault = FAULT_INIT;
	struct array_header h;

	if (!npy_read_header(in, &h, &fault) || h.rank < 2)
		return false;
	if (h.dtype < DTYPE_FLOAT16)
		return true;
	const unsigned bytes = dtype_bytes((enum array_dtype)h.dtype);
	int64_t got = input_read(in, elements, (size_t)bytes * ELEMENTS, &fault);
	const size_t n = got > 0 ? (size_t)got / bytes : 0;
	const bool half = h.dtype == DTYPE_FLOAT16;

	if (h.big_endian)
		elements_swap(elements, bytes, n);
	if (half)
		elements_widen_halves(halves, (const uint16_t *)elements, n);
	elements_float_facts(&facts, half ? (const void *)halves : elements, half ? 4 : bytes, half, n);
	return n && !facts.nan && !facts.infinite && !facts.fractions;
}

static bool image_may_hold_ids(struct input *in)
{
	uint8_t head[HEAD] = { 0 };
	struct fault fault = FAULT_INIT;
	struct png_header png;

	if (input_read(in, head, sizeof(head), &fault) < PNG_IHDR_END)
		return false;
	if (!memcmp(head, PNG_SIGNATURE, PNG_SIGNATURE_BYTES)) {
		png_header_parse(head + PNG_IHDR_AT, &png);
		return png.channels == 1;
	}
	if (!memcmp(head, "BM", 2)) /* OS/2's header has 12 bytes, and the bits of a pixel earlier */
		return head[head[14] == 12 ? 24 : 28] <= 8;
	return !memcmp(head, "GIF8", 4) || !memcmp(head, "II*", 4) || !memcmp(head, "MM\0*", 4);
}

bool unaudited_may_hold_ids(const char *name, struct input *in)
{
	return file_name_ends_in(name, ".npy") ? array_may_hold_ids(in) : image_may_hold_ids(in);
}
