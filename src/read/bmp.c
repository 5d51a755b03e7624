/* BMP images of 1, 4, 8, 24 and 32 bits a pixel without compression. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"
#include "read/raster.h"

enum {
	FILE_HEADER = 14,
	INFO_HEADER = 40, /* Windows', with which all later ones begin; OS/2's is shorter */
	ENTRY_BYTES = 4,  /* of the palette: blue, green, red, nothing */
	PALETTE_MAX = 256,
	BLOCK = 64 << 10, /* bytes of rows that are read at a time, unless a row has more */
};

struct bmp {
	struct input in;    /* owned */
	uint64_t pixels_at; /* the first row that is stored */
	uint64_t stride;    /* bytes of a stored row: a multiple of 4 */
	uint32_t height, y;
	size_t row_bytes;
	bool bottom_up;
	/* bytes of a pixel that is stored as blue, green, red; of 4, the last means nothing: Pillow's BGRX; 0: indices
	 */
	unsigned colour_bytes;
	/* as many rows as a block holds, from the `first` one in the file on; NULL before the first; owned */
	uint8_t *stored;
	uint64_t first, rows;
	bool for_pillow; /* it is to be read as Pillow does, or not at all */
};

/* Reads n bytes at an offset. Returns false if *fault is set; part: what ends early. */
static bool read_at(struct bmp *b, uint64_t at, void *out, size_t n, const char *part, struct fault *fault)
{
	int64_t got = input_seek(&b->in, at, fault) ? input_read(&b->in, out, n, fault) : -1;

	if (got >= 0 && (size_t)got < n)
		fault_set(fault, FAULT_TRUNCATED, b->in.at, "the file ends at byte %" PRIu64 ", within %s", b->in.at,
			  part);
	return got == (int64_t)n;
}

/* Reads the block of rows that row y of the file is in: with those that come after it on the way. */
static bool read_block(struct bmp *b, uint64_t y, struct fault *fault)
{
	const uint64_t most = MIN(MAX(BLOCK / b->stride, (uint64_t)1), (uint64_t)b->height);

	if (!b->stored)
		b->stored = mem_try((size_t)b->stride, (size_t)most);
	if (!b->stored)
		return fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory for rows of %" PRIu64 " bytes",
				       b->stride);
	b->first = !b->bottom_up ? y : y + 1 - MIN(y + 1, most);
	b->rows = MIN(most, b->height - b->first);
	return read_at(b, b->pixels_at + b->first * b->stride, b->stored, (size_t)(b->rows * b->stride), "the pixels",
		       fault);
}

static bool bmp_row(void *self, uint8_t *out, struct fault *fault)
{
	struct bmp *b = self;
	uint64_t y = b->bottom_up ? b->height - 1 - b->y : b->y;

	if ((y < b->first || y - b->first >= b->rows) && !read_block(b, y, fault))
		return false;
	const uint8_t *in = b->stored + (y - b->first) * b->stride;

	b->y++;
	if (!b->colour_bytes)
		memcpy(out, in, b->row_bytes);
	for (size_t i = 0; b->colour_bytes && i < b->row_bytes; i += 3, in += b->colour_bytes) {
		out[i] = in[2];
		out[i + 1] = in[1];
		out[i + 2] = in[0];
	}
	return true;
}

static void bmp_rewind(void *self)
{
	struct bmp *b = self;

	b->y = 0;
}

static bool bmp_finish(void *self, struct fault *fault)
{
	struct bmp *b = self;

	return input_unchanged(&b->in, fault);
}

static void bmp_close(void *self)
{
	struct bmp *b = self;

	input_release(&b->in);
	free(b->stored);
	free(b);
}

static bool unread(struct fault *fault, const char *what)
{
	return fault_set(fault, FAULT_UNREAD, FILE_HEADER, "a BMP %s is not read", what);
}

/*
 * Pillow (BmpImagePlugin) drops a palette of greys: one of two entries, black and white, for mode 1, any other in the
 * order of its indices for mode L; and it reads the rows as that mode stores them, whatever their bits are.
 */
static bool is_misread_by_pillow(const struct bmp *b, const struct png_header *h, struct fault *fault)
{
	const unsigned entries = h->palette_entries;
	const bool black_and_white = entries == 2 && palette_is_grey(h, 255);

	if (!b->for_pillow || (black_and_white ? h->bit_depth == 1 : entries == 2 || h->bit_depth == 8) ||
	    !(black_and_white || palette_is_grey(h, 1)))
		return false;
	fault_set(fault, FAULT_UNREAD, FILE_HEADER,
		  "a BMP of %u bits a pixel whose palette is %s is not read: Pillow drops that palette and takes the "
		  "rows for %s, which gives noise or an error",
		  h->bit_depth, black_and_white ? "black and white" : "grey", black_and_white ? "bits" : "bytes");
	fault_advise(fault, "if the indices are the ids, write them as PNG; --view raw audits them as they are");
	return true;
}

/* Reads the palette, which follows the header, and decides whether it is one of greys. */
static bool read_palette(struct bmp *b, struct png_header *h, uint64_t at, uint32_t used, struct fault *fault)
{
	uint8_t bytes[PALETTE_MAX * ENTRY_BYTES];
	const unsigned indices = 1u << h->bit_depth, entries = used && used < indices ? used : indices;
	/* entries that no pixel can name decide whether Pillow keeps the palette */
	unsigned declared = used ? MIN(used, (uint32_t)PALETTE_MAX) : indices;

	if (b->in.size != INPUT_SIZE_UNKNOWN && b->in.size < at + (uint64_t)declared * ENTRY_BYTES)
		declared = entries;
	if (!read_at(b, at, bytes, (size_t)declared * ENTRY_BYTES, "the palette", fault))
		return false;
	for (unsigned i = 0; i < declared; i++)
		for (unsigned c = 0; c < 3; c++)
			h->palette[i][c] = bytes[i * ENTRY_BYTES + 2 - c];
	h->palette_entries = (uint16_t)declared;
	h->colour_type = PNG_PALETTE;
	if (is_misread_by_pillow(b, h, fault))
		return false;
	h->palette_entries = (uint16_t)entries;
	memset(h->palette + entries, 0, (PALETTE_MAX - entries) * sizeof(h->palette[0]));
	if ((h->bit_depth == 8 && palette_is_grey(h, 1)) ||
	    (h->bit_depth == 1 && entries == 2 && palette_is_grey(h, 255))) {
		h->colour_type = PNG_GREY;
		h->palette_entries = 0;
		memset(h->palette, 0, sizeof(h->palette));
	}
	return true;
}

static bool read_header(struct bmp *b, struct raster *out, struct fault *fault)
{
	uint8_t file[FILE_HEADER + 4], info[INFO_HEADER];
	struct png_header *h = &out->header;

	if (!read_at(b, 0, file, sizeof(file), "the header", fault))
		return false;
	uint32_t size = le32(file + FILE_HEADER);

	if (size < INFO_HEADER)
		return unread(fault, "with a header of OS/2");
	if (!read_at(b, FILE_HEADER, info, sizeof(info), "the header", fault))
		return false;
	uint32_t width = le32(info + 4), height = le32(info + 8), compression = le32(info + 16), used = le32(info + 32);
	unsigned bits = le16(info + 14);

	/* a negative height means that the first row is the top one */
	b->bottom_up = !(height & 0x80000000u);
	if (!b->bottom_up)
		height = 0u - height;
	if (!width || width > PNG_LENGTH_MAX || !height || height > PNG_LENGTH_MAX)
		return fault_set(fault, FAULT_CORRUPT, FILE_HEADER + 4, "declares %" PRIu32 " x %" PRIu32 " pixels",
				 width, height);
	if (compression == 1 || compression == 2)
		return unread(fault, "with run-length encoding");
	if (compression || (bits != 1 && bits != 4 && bits != 8 && bits != 24 && bits != 32)) {
		char what[64];

		snprintf(what, sizeof(what), "of %u bits a pixel and compression %" PRIu32, bits, compression);
		return unread(fault, what);
	}
	b->colour_bytes = bits < 24 ? 0 : bits / 8;
	*h = (struct png_header){ .width = width,
				  .height = height,
				  .bit_depth = b->colour_bytes ? 8 : (uint8_t)bits,
				  .colour_type = PNG_RGB,
				  .channels = b->colour_bytes ? 3 : 1 };
	b->height = height;
	b->pixels_at = le32(file + 10);
	b->row_bytes = b->colour_bytes ? (size_t)width * 3 : (size_t)(((uint64_t)width * bits + 7) / 8);
	b->stride = ((uint64_t)width * bits + 31) / 32 * 4;
	/* sides are below 2^31 and a pixel has at most 4 bytes, so this fits; it must hold before memory is taken */
	if (GUARD(bmp_longer_than_its_file,
		  b->in.size != INPUT_SIZE_UNKNOWN && b->in.size < b->pixels_at + b->stride * height))
		return fault_set(fault, FAULT_TRUNCATED, b->in.size,
				 "declares %" PRIu32 " x %" PRIu32 " pixels, %" PRIu64 " bytes; the file has %" PRIu64,
				 width, height, b->pixels_at + b->stride * height, b->in.size);
	return b->colour_bytes || read_palette(b, h, FILE_HEADER + (uint64_t)size, used, fault);
}

bool bmp_open(struct raster *out, struct input *in, enum view view, struct fault *fault)
{
	struct bmp *b = xcalloc(1, sizeof(*b));

	b->for_pillow = view == VIEW_PIL;
	b->in = *in;
	input_init(in);
	*out = (struct raster){ .transparent = -1,
				.self = b,
				.row = bmp_row,
				.rewind = bmp_rewind,
				.finish = bmp_finish,
				.close = bmp_close };
	if (!read_header(b, out, fault)) {
		bmp_close(b);
		return false;
	}
	out->row_bytes = b->row_bytes;
	return true;
}
