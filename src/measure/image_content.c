#include "measure/image_content.h"

#include <string.h>

#include "base/content_hash.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "base/work_units.h"
#include "png/decode.h"
#include "read/input.h"

enum { CHUNK = 1 << 16 };

/* Hashes the colour type, the size, the palette and all samples. Returns false if the PNG is damaged. */
static bool hash_pixels(struct input *in, const struct limits *limits, struct content_hash *h)
{
	struct sample sample = { 0 };
	struct png_decoder *d;
	bool good = true;

	fault_clear(&sample.fault);
	fault_clear(&sample.warning);
	if (!png_decoder_open(&d, in, limits, &sample))
		return false;
	const struct png_header *png = &sample.png;
	const uint32_t head[] = { png->width, png->height, png->colour_type, png->bit_depth };
	size_t row_bytes = (size_t)png->width * png->channels * (png->bit_depth == 16 ? 2 : 1);

	content_hash_add(h, head, sizeof(head));
	if (png->colour_type == PNG_PALETTE)
		content_hash_add(h, png->palette, png->palette_entries * sizeof(png->palette[0]));
	for (uint32_t y = 0; good && y < png->height; y++) {
		const void *row = png_decoder_row(d);

		good = row != NULL;
		if (good)
			content_hash_add(h, row, row_bytes);
	}
	png_decoder_close(d);
	return good;
}

static bool hash_bytes_of(struct input *in, struct fault *fault, struct content_hash *h)
{
	uint8_t chunk[CHUNK];
	int64_t n;

	while ((n = input_read(in, chunk, sizeof(chunk), fault)) > 0)
		content_hash_add(h, chunk, (size_t)n);
	return n == 0;
}

/* Returns whether the head is a PNG's whose pixels are not worth their work: more than a file of its size may charge.
 */
static bool is_bomb(const uint8_t *head, size_t n, uint64_t file_bytes)
{
	uint64_t credit =
		size_mul_saturating(file_bytes > WORK_FILE_BYTES ? file_bytes : WORK_FILE_BYTES, WORK_UNITS_A_BYTE);

	return GUARD(image_of_many_pixels, png_work_units(head, n) > credit);
}

bool image_content_read(int dirfd, const char *name, const struct limits *limits, uint64_t out[2])
{
	struct fault fault;
	struct input in;
	uint8_t head[PNG_IHDR_END];
	bool good = false;

	fault_clear(&fault);
	input_init(&in);
	if (!input_open(&in, dirfd, name, &fault))
		return false;
	int64_t n = input_read(&in, head, sizeof(head), &fault);

	if (n > 0 && input_rewind(&in, &fault)) {
		struct content_hash *h = content_hash_new();
		bool png = n == sizeof(head) && !memcmp(head, PNG_SIGNATURE, PNG_SIGNATURE_BYTES);

		good = !png ? hash_bytes_of(&in, &fault, h)
			    : !is_bomb(head, (size_t)n, in.size) && hash_pixels(&in, limits, h);
		content_hash_finish(h, out);
	}
	input_release(&in);
	return good;
}
