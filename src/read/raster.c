#include "read/raster.h"

bool format_is_raster(enum sample_format format)
{
	return format == FORMAT_BMP || format == FORMAT_GIF || format == FORMAT_TIFF;
}

bool raster_open(struct raster *out, enum content content, struct input *in, enum view view, struct fault *fault)
{
	if (content == CONTENT_BMP)
		return bmp_open(out, in, view, fault);
#ifdef HAVE_GIFLIB
	if (content == CONTENT_GIF)
		return gif_open(out, in, fault);
#endif
#ifdef HAVE_LIBTIFF
	if (content == CONTENT_TIFF)
		return tiff_open(out, in, view, fault);
#endif
	input_release(in);
	return fault_set(fault, FAULT_UNREAD, FAULT_NO_OFFSET, "not read: built without %s",
			 content == CONTENT_GIF ? "giflib" : "libtiff");
}

#ifndef HAVE_GIFLIB
const char *gif_library_version(void)
{
	return "not built in: GIF masks are not read";
}
#endif

#ifndef HAVE_LIBTIFF
const char *tiff_library_version(void)
{
	return "not built in: TIFF masks are not read";
}
#endif

bool palette_is_grey(const struct png_header *header, unsigned step)
{
	for (unsigned i = 0; i < header->palette_entries; i++)
		for (unsigned c = 0; c < 3; c++)
			if (header->palette[i][c] != i * step)
				return false;
	return header->palette_entries > 0;
}
