#include "png/passes.h"

#include "base/mem.h"

const struct adam7_pass adam7[ADAM7_PASSES] = {
	{ 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 }, { 0, 2, 2, 4 }, { 1, 0, 2, 2 }, { 0, 1, 1, 2 },
};

uint64_t filtered_bytes(const struct png_header *h, uint64_t *rows)
{
	uint64_t sum = 0;

	if (!h->interlace) {
		*rows = h->height;
		return size_mul_saturating(filtered_row_bytes(h, h->width), h->height);
	}
	*rows = 0;
	for (size_t i = 0; i < ADAM7_PASSES; i++) {
		uint32_t width = pass_width(h, &adam7[i]), height = pass_height(h, &adam7[i]);

		if (!width || !height)
			continue;
		*rows += height;
		if (!size_add(sum, size_mul_saturating(filtered_row_bytes(h, width), height), &sum))
			return UINT64_MAX;
	}
	return sum;
}

uint64_t idat_bytes_max(const struct png_header *h)
{
	uint64_t row = (uint64_t)h->width * h->channels * (h->bit_depth > 8 ? 2 : 1) + 1 + (h->interlace ? 6 : 0);
	uint64_t limit = h->height > UINT32_MAX / row ? PNG_LENGTH_MAX : h->height * row;

	limit += 6 + 5 * (limit / MIN(row, (uint64_t)32566) + 1);
	return MAX(MIN(limit, (uint64_t)PNG_LENGTH_MAX), (uint64_t)CHUNK_BYTES_MAX);
}
