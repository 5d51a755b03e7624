/*
 * GIF images of one frame, if the program is built with giflib, which reads the container and unpacks the pixels. It
 * reads no more of the file than the rows that are asked for need.
 */
#include "read/raster.h"

#ifdef HAVE_GIFLIB

#include <gif_lib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"

/* Bytes of the pixels of an interlaced image, which are kept until their row's turn comes. */
enum { INTERLACED_MAX = 24 << 20 };

struct gif {
	struct input in; /* owned */
	GifFileType *file;
	struct fault fault; /* of the input */
	bool ended;         /* giflib wanted more than the file has: whatever it calls that */
	uint32_t width, height;
	int transparent;
	uint8_t *rows; /* of an interlaced image; NULL before the first; owned */
	uint32_t y;
};

static int read_for_giflib(GifFileType *file, GifByteType *out, int n)
{
	struct gif *g = file->UserData;
	int64_t got = input_read(&g->in, out, (size_t)n, &g->fault);

	g->ended |= got >= 0 && got < n;
	return got < 0 ? 0 : (int)got;
}

/* Sets *fault by the error of the input or of giflib. Returns false. */
static bool giflib_failed(struct gif *g, int error, struct fault *fault)
{
	if (g->fault.kind != FAULT_NONE) {
		*fault = g->fault;
		return false;
	}
	const char *text = GifErrorString(error);

	if (error == D_GIF_ERR_NOT_ENOUGH_MEM)
		return fault_no_memory(fault, g->in.at, "not enough memory to read a GIF");
	if (g->ended)
		return fault_set(fault, FAULT_TRUNCATED, g->in.at, "the file ends at byte %" PRIu64 ", within the GIF",
				 g->in.at);
	return fault_set(fault, FAULT_CORRUPT, g->in.at, "the GIF is damaged near byte %" PRIu64 ": %s", g->in.at,
			 text ? text : "unknown error");
}

static bool skip_extension(struct gif *g, struct fault *fault)
{
	GifByteType *block;
	GraphicsControlBlock control;
	int code;

	if (DGifGetExtension(g->file, &code, &block) == GIF_ERROR)
		return giflib_failed(g, g->file->Error, fault);
	while (block) {
		if (code == GRAPHICS_EXT_FUNC_CODE && DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
			g->transparent = control.TransparentColor;
		if (DGifGetExtensionNext(g->file, &block) == GIF_ERROR)
			return giflib_failed(g, g->file->Error, fault);
	}
	return true;
}

/* Reads to the next image, or to the end. */
static bool next_record(struct gif *g, GifRecordType *record, struct fault *fault)
{
	for (;;) {
		if (DGifGetRecordType(g->file, record) == GIF_ERROR)
			return giflib_failed(g, g->file->Error, fault);
		if (*record == TERMINATE_RECORD_TYPE || *record == IMAGE_DESC_RECORD_TYPE)
			return true;
		if (*record == EXTENSION_RECORD_TYPE && !skip_extension(g, fault))
			return false;
	}
}

static bool read_line(struct gif *g, uint8_t *out, struct fault *fault)
{
	return DGifGetLine(g->file, out, (int)g->width) == GIF_OK || giflib_failed(g, g->file->Error, fault);
}

/* GIF89a, appendix E: every eighth row, those between them, and so on. */
static bool read_interlaced(struct gif *g, struct fault *fault)
{
	static const uint8_t first[] = { 0, 4, 2, 1 }, step[] = { 8, 8, 4, 2 };

	g->rows = mem_try(g->width, g->height);
	if (!g->rows)
		return fault_no_memory(fault, g->in.at, "not enough memory to read an interlaced GIF");
	for (unsigned pass = 0; pass < ARRAY_SIZE(first); pass++)
		for (uint32_t y = first[pass]; y < g->height; y += step[pass])
			if (!read_line(g, g->rows + (size_t)y * g->width, fault))
				return false;
	return true;
}

static bool gif_row(void *self, uint8_t *out, struct fault *fault)
{
	struct gif *g = self;

	if (!g->file->Image.Interlace)
		return read_line(g, out, fault);
	if (!g->rows && !read_interlaced(g, fault))
		return false;
	memcpy(out, g->rows + (size_t)g->y++ * g->width, g->width);
	return true;
}

static bool gif_finish(void *self, struct fault *fault)
{
	struct gif *g = self;
	GifRecordType record;

	if (!next_record(g, &record, fault))
		return false;
	if (record == IMAGE_DESC_RECORD_TYPE)
		return fault_set(fault, FAULT_UNREAD, g->in.at,
				 "a GIF of several frames is not read: loaders differ in which they show");
	return input_unchanged(&g->in, fault);
}

static void gif_close(void *self)
{
	struct gif *g = self;
	int ignored;

	if (g->file)
		DGifCloseFile(g->file, &ignored);
	input_release(&g->in);
	free(g->rows);
	free(g);
}

static bool take_header(struct gif *g, struct png_header *h, struct fault *fault)
{
	const GifImageDesc *image = &g->file->Image;
	const ColorMapObject *colours = image->ColorMap ? image->ColorMap : g->file->SColorMap;

	if (image->Width <= 0 || image->Height <= 0)
		return fault_set(fault, FAULT_CORRUPT, g->in.at, "declares %d x %d pixels", image->Width,
				 image->Height);
	if (image->Left || image->Top || image->Width != g->file->SWidth || image->Height != g->file->SHeight)
		return fault_set(fault, FAULT_UNREAD, g->in.at,
				 "a GIF whose frame of %d x %d pixels does not cover its %d x %d is not read: loaders "
				 "differ in what they show around it",
				 image->Width, image->Height, g->file->SWidth, g->file->SHeight);
	if (!colours)
		return fault_set(fault, FAULT_CORRUPT, g->in.at, "the GIF has no palette");
	g->width = (uint32_t)image->Width;
	g->height = (uint32_t)image->Height;
	if (GUARD(interlaced_gif, image->Interlace && (uint64_t)g->width * g->height > INTERLACED_MAX)) {
		fault_set(fault, FAULT_LIMIT, g->in.at, "an interlaced GIF of more than %d pixels", INTERLACED_MAX);
		return fault_advise(fault, "write it as PNG, or as a GIF that is not interlaced");
	}
	*h = (struct png_header){ .width = g->width,
				  .height = g->height,
				  .bit_depth = 8,
				  .colour_type = PNG_PALETTE,
				  .channels = 1,
				  .palette_entries = (uint16_t)MIN(colours->ColorCount, 256) };
	for (unsigned i = 0; i < h->palette_entries; i++) {
		h->palette[i][0] = colours->Colors[i].Red;
		h->palette[i][1] = colours->Colors[i].Green;
		h->palette[i][2] = colours->Colors[i].Blue;
	}
	if (palette_is_grey(h, 1)) {
		h->colour_type = PNG_GREY;
		h->palette_entries = 0;
		memset(h->palette, 0, sizeof(h->palette));
	}
	return true;
}

bool gif_open(struct raster *out, struct input *in, struct fault *fault)
{
	struct gif *g = xcalloc(1, sizeof(*g));
	GifRecordType record;
	int error = 0;

	g->in = *in;
	input_init(in);
	fault_clear(&g->fault);
	g->transparent = NO_TRANSPARENT_COLOR;
	*out = (struct raster){ .self = g, .row = gif_row, .finish = gif_finish, .close = gif_close };
	g->file = DGifOpen(g, read_for_giflib, &error);
	if (!g->file) {
		giflib_failed(g, error, fault);
		goto fail;
	}
	if (!next_record(g, &record, fault))
		goto fail;
	if (record == TERMINATE_RECORD_TYPE) {
		fault_set(fault, FAULT_CORRUPT, g->in.at, "the GIF has no frame");
		goto fail;
	}
	if (DGifGetImageDesc(g->file) == GIF_ERROR) {
		giflib_failed(g, g->file->Error, fault);
		goto fail;
	}
	if (!take_header(g, &out->header, fault))
		goto fail;
	out->transparent = out->header.colour_type == PNG_PALETTE && g->transparent < out->header.palette_entries
				   ? g->transparent
				   : -1;
	out->row_bytes = g->width;
	return true;
fail:
	gif_close(g);
	return false;
}

const char *gif_library_version(void)
{
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
	return TEXT(GIFLIB_MAJOR) "." TEXT(GIFLIB_MINOR) "." TEXT(GIFLIB_RELEASE);
}

#endif
