#include "fix/tiff_writer.h"

#ifdef HAVE_LIBTIFF

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "base/mem.h"

enum { TAG_GDAL_NODATA = 42113 };

/* ---- libtiff's view of the output -------------------------------------------------------------------------------- */

static tmsize_t read_back(thandle_t self, void *out, tmsize_t n)
{
	struct tiff_writer *w = self;
	const size_t all = w->out->len - w->start, have = MIN((size_t)n, all - MIN(all, w->at));

	memcpy(out, w->out->s + w->start + w->at, have);
	w->at += have;
	return (tmsize_t)have;
}

static tmsize_t write_memory(thandle_t self, void *bytes, tmsize_t n)
{
	struct tiff_writer *w = self;
	const size_t all = w->out->len - w->start, over = MIN((size_t)n, all - MIN(all, w->at));

	for (size_t gap = all; gap < w->at; gap++)
		strbuf_addch(w->out, '\0');
	memcpy(w->out->s + w->start + w->at, bytes, over);
	strbuf_add(w->out, (const char *)bytes + over, (size_t)n - over);
	w->at += (size_t)n;
	return n;
}

static toff_t seek_memory(thandle_t self, toff_t to, int whence)
{
	struct tiff_writer *w = self;

	w->at = (size_t)(whence == SEEK_SET ? to : (whence == SEEK_CUR ? w->at : w->out->len - w->start) + to);
	return w->at;
}

static toff_t size_of_memory(thandle_t self)
{
	struct tiff_writer *w = self;

	return w->out->len - w->start;
}

static int close_nothing(thandle_t self)
{
	(void)self;
	return 0;
}

static bool libtiff_failed(const struct tiff_writer *w, struct fault *fault)
{
	return fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "libtiff cannot write it%s%s",
			 w->message[0] ? ": " : "", w->message);
}

/* ---- tags -------------------------------------------------------------------------------------------------------- */

/* GeoTIFF 1.1, and GDAL's: the library does not know them. */
static const TIFFFieldInfo places[] = {
	{ 33550, -3, -3, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "ModelPixelScale" },
	{ 33922, -3, -3, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "ModelTiepoint" },
	{ 34264, -3, -3, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "ModelTransformation" },
	{ 34735, -3, -3, TIFF_SHORT, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "GeoKeyDirectory" },
	{ 34736, -3, -3, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "GeoDoubleParams" },
	{ 34737, -3, -3, TIFF_ASCII, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "GeoAsciiParams" },
	{ 42112, -3, -3, TIFF_ASCII, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "GDALMetadata" },
	{ TAG_GDAL_NODATA, -3, -3, TIFF_ASCII, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "GDALNoDataValue" },
};

static void copy_tags(TIFF *from, TIFF *to, struct no_data no_data)
{
	static const uint32_t texts[] = { TIFFTAG_IMAGEDESCRIPTION, TIFFTAG_SOFTWARE, TIFFTAG_DATETIME, TIFFTAG_ARTIST,
					  TIFFTAG_COPYRIGHT };
	static const uint32_t reals[] = { TIFFTAG_XRESOLUTION, TIFFTAG_YRESOLUTION };
	char text[32];
	uint16_t unit;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char *value;

		if (TIFFGetField(from, texts[i], &value))
			TIFFSetField(to, texts[i], value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(reals); i++) {
		float value;

		if (TIFFGetField(from, reals[i], &value))
			TIFFSetField(to, reals[i], (double)value);
	}
	if (TIFFGetField(from, TIFFTAG_RESOLUTIONUNIT, &unit))
		TIFFSetField(to, TIFFTAG_RESOLUTIONUNIT, unit);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const TIFFField *field = TIFFFindField(from, places[i].field_tag, TIFF_ANY);
		uint32_t count;
		void *values;

		/* a type that is not GeoTIFF's would be taken for another number of bytes */
		if (places[i].field_tag != TAG_GDAL_NODATA && field && TIFFFieldPassCount(field) &&
		    TIFFFieldDataType(field) == places[i].field_type &&
		    TIFFGetField(from, places[i].field_tag, &count, &values))
			TIFFSetField(to, places[i].field_tag, count, values);
	}
	snprintf(text, sizeof(text), "%" PRId64, no_data.id);
	if (no_data.is_declared)
		TIFFSetField(to, TAG_GDAL_NODATA, (uint32_t)strlen(text) + 1, text);
}

/* The method of the source, if it packs bytes: those for bits of black and white do not. */
static uint16_t method_of(TIFF *from)
{
	uint16_t method = COMPRESSION_NONE;

	TIFFGetFieldDefaulted(from, TIFFTAG_COMPRESSION, &method);
	switch (method) {
	case COMPRESSION_NONE:
	case COMPRESSION_LZW:
	case COMPRESSION_PACKBITS:
	case COMPRESSION_ZSTD:
	case COMPRESSION_LZMA:
		return method;
	default:
		return COMPRESSION_ADOBE_DEFLATE;
	}
}

static void set_palette(TIFF *file, const struct png_header *h)
{
	uint16_t colours[3][256] = { { 0 } };

	for (unsigned i = 0; i < h->palette_entries; i++)
		for (unsigned c = 0; c < 3; c++)
			colours[c][i] = (uint16_t)(h->palette[i][c] * 257);
	TIFFSetField(file, TIFFTAG_COLORMAP, colours[0], colours[1], colours[2]);
}

/* ---- the image --------------------------------------------------------------------------------------------------- */

bool tiff_writer_open(struct tiff_writer *w, const struct raster *source, struct no_data no_data, struct strbuf *out,
		      struct fault *fault)
{
	*w = (struct tiff_writer){ .out = out, .start = out->len };
	w->file = TIFFClientOpen("", "wm", w, read_back, write_memory, seek_memory, close_nothing, size_of_memory, NULL,
				 NULL);
	if (!w->file || TIFFMergeFieldInfo(w->file, places, ARRAY_SIZE(places)) < 0)
		return libtiff_failed(w, fault);
	TIFFSetField(w->file, TIFFTAG_COMPRESSION, method_of(tiff_file(source)));
	copy_tags(tiff_file(source), w->file, no_data);
	return true;
}

bool tiff_writer_begin(struct tiff_writer *w, const struct png_header *header, struct fault *fault)
{
	const bool has_palette = header->colour_type == PNG_PALETTE;

	if (w->row)
		return fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "it changed while it was read");
	w->width = header->width;
	w->deep = header->bit_depth == 16;
	w->row = mem_try(header->width, w->deep ? 2 : 1);
	if (!w->row)
		return fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory for a row of the mask");
	TIFFSetField(w->file, TIFFTAG_IMAGEWIDTH, header->width);
	TIFFSetField(w->file, TIFFTAG_IMAGELENGTH, header->height);
	TIFFSetField(w->file, TIFFTAG_BITSPERSAMPLE, header->bit_depth);
	TIFFSetField(w->file, TIFFTAG_SAMPLESPERPIXEL, 1);
	TIFFSetField(w->file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
	TIFFSetField(w->file, TIFFTAG_PHOTOMETRIC, has_palette ? PHOTOMETRIC_PALETTE : PHOTOMETRIC_MINISBLACK);
	TIFFSetField(w->file, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(w->file, 0));
	if (has_palette)
		set_palette(w->file, header);
	return true;
}

bool tiff_writer_row(struct tiff_writer *w, struct fault *fault)
{
	for (uint32_t x = 0; w->deep && x < w->width; x++) {
		const uint16_t v = (uint16_t)(w->row[2 * (size_t)x] << 8 | w->row[2 * (size_t)x + 1]);

		memcpy(w->row + 2 * (size_t)x, &v, sizeof(v));
	}
	return TIFFWriteScanline(w->file, w->row, w->y++, 0) >= 0 || libtiff_failed(w, fault);
}

bool tiff_writer_end(struct tiff_writer *w, bool ok, struct fault *fault)
{
	if (ok && !TIFFWriteDirectory(w->file))
		ok = libtiff_failed(w, fault);
	if (w->file)
		TIFFCleanup(w->file);
	free(w->row);
	w->file = NULL;
	w->row = NULL;
	return ok;
}

#else

/* No TIFF is read without libtiff, so none is written. */

bool tiff_writer_open(struct tiff_writer *w, const struct raster *source, struct no_data no_data, struct strbuf *out,
		      struct fault *fault)
{
	(void)source;
	(void)no_data;
	*w = (struct tiff_writer){ .out = out };
	return fault_set(fault, FAULT_UNREAD, FAULT_NO_OFFSET, "TIFFs are not written: built without libtiff");
}

bool tiff_writer_begin(struct tiff_writer *w, const struct png_header *header, struct fault *fault)
{
	(void)w;
	(void)header;
	(void)fault;
	return false;
}

bool tiff_writer_row(struct tiff_writer *w, struct fault *fault)
{
	(void)w;
	(void)fault;
	return false;
}

bool tiff_writer_end(struct tiff_writer *w, bool ok, struct fault *fault)
{
	(void)w;
	(void)ok;
	(void)fault;
	return false;
}

#endif
