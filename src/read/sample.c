/* The names of formats, as reports print them. */
#include "read/sample.h"

#include <stdio.h>

static const char *colour_name(unsigned colour_type)
{
	switch (colour_type) {
	case PNG_GREY:
		return "grey";
	case PNG_RGB:
		return "rgb";
	case PNG_PALETTE:
		return "palette";
	case PNG_GREY_ALPHA:
		return "grey-alpha";
	case PNG_RGBA:
		return "rgba";
	default:
		return "unknown";
	}
}

void sample_format_name(const struct sample *s, char *out, size_t n)
{
	if (n == 0)
		return;
	out[0] = '\0';
	if (s->format == FORMAT_PNG)
		snprintf(out, n, "png %s %u%s", colour_name(s->png.colour_type), s->png.bit_depth,
			 s->png.interlace ? " interlaced" : "");
}
