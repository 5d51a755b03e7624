#include "read/raster.h"

bool format_is_raster(enum sample_format format)
{
	return format == FORMAT_BMP || format == FORMAT_GIF || format == FORMAT_TIFF;
}

bool raster_open(struct raster *out, enum content content, struct input *in, enum view view, struct fault *fault)
{
	return content == CONTENT_BMP   ? bmp_open(out, in, view, fault)
	       : content == CONTENT_GIF ? gif_open(out, in, fault)
					: tiff_open(out, in, view, fault);
}

bool palette_is_grey(const struct png_header *header, unsigned step)
{
	for (unsigned i = 0; i < header->palette_entries; i++)
		for (unsigned c = 0; c < 3; c++)
			if (header->palette[i][c] != i * step)
				return false;
	return header->palette_entries > 0;
}
