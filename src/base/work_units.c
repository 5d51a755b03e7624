#include "base/work_units.h"

#include <string.h>

#include "base/mem.h"
#include "base/settings.h"

enum {
	SIDES_AT = 16, /* of the width; PNG specification, sections 5.2 and 11.2.1 */
	DEPTH_AT = 24,
	COLOUR_AT = 25,
	COLOUR_END = 26,
};
#define SIDE_MAX 0x7fffffffu

struct declared {
	uint64_t width, height;
	unsigned pixel_bits; /* 0: it is no PNG */
};

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static struct declared declared_by(const uint8_t *head, size_t n)
{
	static const uint8_t signature[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
	static const uint8_t channels[] = { 1, 0, 3, 1, 2, 0, 4 }; /* by colour type */
	struct declared d = { 0 };

	if (n < COLOUR_END || memcmp(head, signature, sizeof(signature)) || head[COLOUR_AT] >= sizeof(channels) ||
	    head[DEPTH_AT] > 16)
		return d;
	d.width = be32(head + SIDES_AT);
	d.height = be32(head + SIDES_AT + 4);
	if (d.width <= SIDE_MAX && d.height <= SIDE_MAX)
		d.pixel_bits = channels[head[COLOUR_AT]] * head[DEPTH_AT];
	return d;
}

uint64_t png_work_units(const uint8_t *head, size_t n)
{
	struct declared d = declared_by(head, n);
	uint64_t pixels = limit_pixels((uint32_t)d.width, (uint32_t)d.height); /* below 2^62 */

	if (!d.pixel_bits)
		return 0;
	return size_mul_saturating(pixels, MAX(d.pixel_bits / 8, 1u));
}

uint64_t png_inflated_bytes(const uint8_t *head, size_t n)
{
	struct declared d = declared_by(head, n);

	if (!d.pixel_bits)
		return 0;
	uint64_t row = (d.width * d.pixel_bits + 7) / 8 + 1; /* below 2^35 */

	return size_mul_saturating(row, d.height);
}
