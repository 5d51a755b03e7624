/*
 * GIF images of one frame: giflib reads the container, if the program is built with it, and this file its pixels.
 *
 * giflib takes 10 ns for a pixel, and one byte of LZW can hold 1,400 of them. Here each code copies a string that was
 * written before, so the time is bounded by the bytes of the file and by a copy of the pixels.
 */
#include "read/raster.h"

#ifdef HAVE_GIFLIB

#include <gif_lib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	CODES = 4096, /* of at most CODE_BITS: GIF89a, appendix F */
	CODE_BITS = 12,
	LITERALS = 256,
};

/*
 * The strings of the codes are parts of `written`: what came out since the table was cleared, after all literals. The
 * string of a new code is the one before it and the next pixel, which follow each other there. Once the table is full,
 * nothing more is kept: so it has at most LITERALS + 1 + 2 + ... + CODES bytes, 8 MiB.
 */
struct lzw {
	uint8_t *written; /* owned */
	size_t len, cap;
	struct {
		uint32_t at, len;
	} strings[CODES];
	unsigned clear, next, bits, bits_first; /* clear + 1 ends the pixels */
	bool follows; /* a code came since the last clear; its string is the last of `written` */
	uint32_t before_at, before_len;
	uint32_t at, left; /* of the current string: what no row has yet */
	const uint8_t *block;
	unsigned block_left;
	uint32_t buffer, buffer_bits;
};

struct gif {
	struct input in; /* owned */
	GifFileType *file;
	struct fault fault; /* of the input */
	bool ended;         /* giflib wanted more than the file has: whatever it calls that */
	uint32_t width;
	int transparent;
	struct lzw lzw;
	bool began; /* to read pixels */
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

/* ---- pixels ------------------------------------------------------------------------------------------------------ */

static void clear_codes(struct lzw *l)
{
	l->next = l->clear + 2;
	l->bits = l->bits_first;
	l->len = LITERALS;
	l->follows = false;
}

/* Takes the next block of codes; none is left if the image ends. Returns false if *fault is set. */
static bool take_block(struct gif *g, struct fault *fault)
{
	struct lzw *l = &g->lzw;
	GifByteType *block;
	int bits;

	if (!g->began) {
		if (DGifGetCode(g->file, &bits, &block) == GIF_ERROR)
			return giflib_failed(g, g->file->Error, fault);
		g->began = true;
		l->clear = 1u << bits;
		l->bits_first = (unsigned)bits + 1;
		l->written = xmalloc(LITERALS);
		l->cap = LITERALS;
		for (unsigned i = 0; i < LITERALS; i++) {
			l->written[i] = (uint8_t)i;
			l->strings[i].at = i;
			l->strings[i].len = 1;
		}
		clear_codes(l);
	} else if (DGifGetCodeNext(g->file, &block) == GIF_ERROR) {
		return giflib_failed(g, g->file->Error, fault);
	}
	l->block = block ? block + 1 : NULL;
	l->block_left = block ? block[0] : 0;
	return true;
}

/* Reads a code. Returns false if *fault is set. */
static bool read_code(struct gif *g, unsigned *code, struct fault *fault)
{
	struct lzw *l = &g->lzw;

	if (!g->began && !take_block(g, fault))
		return false;
	while (l->buffer_bits < l->bits) {
		if (!l->block_left && !take_block(g, fault))
			return false;
		if (!l->block_left)
			return fault_set(fault, FAULT_CORRUPT, g->in.at,
					 "the pixels of the GIF end near byte %" PRIu64 ", before the last row",
					 g->in.at);
		l->buffer |= (uint32_t)*l->block++ << l->buffer_bits;
		l->buffer_bits += 8;
		l->block_left--;
	}
	*code = l->buffer & ((1u << l->bits) - 1);
	l->buffer >>= l->bits;
	l->buffer_bits -= l->bits;
	return true;
}

/* Appends the string of n bytes at `at`, or its first byte once more after the last of them. */
static bool append_string(struct lzw *l, uint32_t at, uint32_t n, bool again)
{
	size_t need = l->len + n + again;

	if (need > l->cap) {
		size_t cap = MAX(2 * l->cap, need);
		uint8_t *grown = realloc(l->written, cap);

		if (!grown)
			return false;
		l->written = grown;
		l->cap = cap;
	}
	memcpy(l->written + l->len, l->written + at, n);
	if (again)
		l->written[l->len + n] = l->written[at];
	l->at = (uint32_t)l->len;
	l->left = n + again;
	l->len = need;
	return true;
}

/* Makes the string of a code the current one. Returns false if *fault is set. */
static bool take_code(struct gif *g, unsigned code, struct fault *fault)
{
	struct lzw *l = &g->lzw;
	const bool is_new = code == l->next && l->follows && l->next < CODES;

	if ((code >= l->next && !is_new) || code == l->clear + 1)
		return fault_set(fault, FAULT_CORRUPT, g->in.at,
				 code == l->clear + 1
					 ? "the pixels of the GIF end near byte %" PRIu64 ", before the last row"
					 : "the GIF is damaged near byte %" PRIu64 ": a code that is not in the table",
				 g->in.at);
	if (l->next == CODES) {
		l->at = l->strings[code].at;
		l->left = l->strings[code].len;
		return true;
	}
	if (!(is_new ? append_string(l, l->before_at, l->before_len, true)
		     : append_string(l, l->strings[code].at, l->strings[code].len, false)))
		return fault_no_memory(fault, g->in.at, "not enough memory to read a GIF");
	if (l->follows) {
		l->strings[l->next].at = l->before_at;
		l->strings[l->next].len = l->before_len + 1;
		l->next++;
	}
	if (l->next == 1u << l->bits && l->bits < CODE_BITS)
		l->bits++;
	l->follows = true;
	l->before_at = l->at;
	l->before_len = l->left;
	return true;
}

static bool read_line(struct gif *g, uint8_t *out, struct fault *fault)
{
	struct lzw *l = &g->lzw;

	for (uint32_t x = 0, n; x < g->width; x += n) {
		unsigned code = 0;

		n = MIN(l->left, g->width - x);
		if (n) {
			memcpy(out + x, l->written + l->at, n);
			l->at += n;
			l->left -= n;
			continue;
		}
		if (!read_code(g, &code, fault))
			return false;
		if (code == l->clear)
			clear_codes(l);
		else if (!take_code(g, code, fault))
			return false;
	}
	return true;
}

/* ---- the image --------------------------------------------------------------------------------------------------- */

static bool gif_row(void *self, uint8_t *out, struct fault *fault)
{
	struct gif *g = self;

	return read_line(g, out, fault);
}

static bool gif_finish(void *self, struct fault *fault)
{
	struct gif *g = self;
	GifRecordType record;

	do { /* codes after the last pixel mean nothing */
		if (!take_block(g, fault))
			return false;
	} while (g->lzw.block);
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
	free(g->lzw.written);
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
	if (image->Interlace)
		return fault_set(fault, FAULT_UNREAD, g->in.at, "an interlaced GIF is not read: write it as PNG");
	g->width = (uint32_t)image->Width;
	*h = (struct png_header){ .width = g->width,
				  .height = (uint32_t)image->Height,
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

bool gif_is_built_in(void)
{
	return true;
}

const char *gif_library_version(void)
{
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
	return TEXT(GIFLIB_MAJOR) "." TEXT(GIFLIB_MINOR) "." TEXT(GIFLIB_RELEASE);
}

#else

bool gif_open(struct raster *out, struct input *in, struct fault *fault)
{
	(void)out;
	input_release(in);
	return fault_set(fault, FAULT_UNREAD, FAULT_NO_OFFSET, "GIFs are not read: built without giflib");
}

bool gif_is_built_in(void)
{
	return false;
}

const char *gif_library_version(void)
{
	return "";
}

#endif
