#include "base/png_writer.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/zlib_inflate.h"

enum {
	WHOLE_MAX =
		16 << 20, /* bytes of rows that libdeflate compresses at once; zlib takes larger images by the row */
	PIECE = 1 << 20,  /* of zlib's output; an IDAT */
	LEVEL = 6,        /* of both */
};

struct png_writer {
	struct libdeflate_compressor *whole; /* NULL until it is needed */
	struct strbuf *out;
	size_t line;   /* bytes of a row with its filter byte */
	uint8_t *rows; /* all of them, or one; owned */
	size_t rows_cap;
	size_t at;       /* in rows, of the next one */
	uint8_t *packed; /* what they become; owned */
	size_t packed_cap;
	bool streamed, z_is_open;
	z_stream z; /* if streamed */
	uint8_t *piece;
};

struct png_writer *png_writer_new(void)
{
	return xcalloc(1, sizeof(struct png_writer));
}

static void close_stream(struct png_writer *p)
{
	if (p->z_is_open)
		deflateEnd(&p->z);
	p->z_is_open = false;
}

void png_writer_free(struct png_writer *p)
{
	if (!p)
		return;
	close_stream(p);
	libdeflate_free_compressor(p->whole);
	free(p->rows);
	free(p->packed);
	free(p->piece);
	free(p);
}

static void put_be32(char *at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		at[i] = (char)(v >> (24 - 8 * i));
}

static void add_chunk(struct strbuf *out, const char type[5], const void *data, size_t n)
{
	char number[4];
	size_t start = out->len + sizeof(number);

	put_be32(number, (uint32_t)n);
	strbuf_add(out, number, sizeof(number));
	strbuf_add(out, type, 4);
	strbuf_add(out, data, n);
	put_be32(number, libdeflate_crc32(0, out->s + start, out->len - start));
	strbuf_add(out, number, sizeof(number));
}

static void add_head(const struct png_header *h, struct strbuf *out)
{
	char ihdr[PNG_IHDR_BYTES] = { 0 };

	put_be32(ihdr, h->width);
	put_be32(ihdr + 4, h->height);
	ihdr[8] = (char)h->bit_depth;
	ihdr[9] = (char)h->colour_type;
	strbuf_add(out, PNG_SIGNATURE, PNG_SIGNATURE_BYTES);
	add_chunk(out, "IHDR", ihdr, sizeof(ihdr));
	if (h->colour_type == PNG_PALETTE)
		add_chunk(out, "PLTE", h->palette, 3 * (size_t)h->palette_entries);
}

/* Begins the stream of a large image. Returns false: not enough memory. */
static bool open_stream(struct png_writer *p)
{
	close_stream(p);
	if (!p->piece)
		p->piece = mem_try(PIECE, 1);
	p->z = (z_stream){ .zalloc = zlib_alloc, .zfree = zlib_free, .next_out = p->piece, .avail_out = PIECE };
	p->z_is_open = p->piece && deflateInit(&p->z, LEVEL) == Z_OK;
	return p->z_is_open;
}

static bool open_whole(struct png_writer *p)
{
	if (!p->whole)
		p->whole = libdeflate_alloc_compressor(LEVEL);
	return p->whole;
}

static bool no_memory(struct fault *fault)
{
	return fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to write the mask");
}

bool png_writer_begin(struct png_writer *p, const struct png_header *header, struct strbuf *out, struct fault *fault)
{
	p->out = out;
	p->line = 1 + (size_t)header->width * (header->bit_depth / 8);
	p->at = 0;
	p->streamed = p->line > WHOLE_MAX / header->height;
	p->rows = mem_try_fit(p->rows, &p->rows_cap, p->line * (p->streamed ? 1 : header->height));
	if (!p->rows || !(p->streamed ? open_stream(p) : open_whole(p)))
		return no_memory(fault);
	add_head(header, out);
	return true;
}

uint8_t *png_writer_next_row(struct png_writer *p)
{
	p->rows[p->at] = 0; /* None */
	return p->rows + p->at + 1;
}

/* Gives zlib what is in `rows`, and writes each full piece. */
static bool compress_row(struct png_writer *p, int flush, struct fault *fault)
{
	int result = Z_OK;

	while (result == Z_OK && (p->z.avail_in || flush == Z_FINISH)) {
		result = deflate(&p->z, flush);
		if (!p->z.avail_out || result == Z_STREAM_END) {
			add_chunk(p->out, "IDAT", p->piece, PIECE - p->z.avail_out);
			p->z.next_out = p->piece;
			p->z.avail_out = PIECE;
		}
	}
	if (result == Z_OK || result == Z_STREAM_END)
		return true;
	return fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "zlib cannot compress the mask");
}

bool png_writer_row(struct png_writer *p, struct fault *fault)
{
	if (!p->streamed) {
		p->at += p->line;
		return true;
	}
	p->z.next_in = p->rows;
	p->z.avail_in = (uInt)p->line;
	return compress_row(p, Z_NO_FLUSH, fault);
}

/* Compresses all rows into one IDAT. */
static bool compress_rows(struct png_writer *p, struct fault *fault)
{
	size_t most = libdeflate_zlib_compress_bound(p->whole, p->at);

	p->packed = mem_try_fit(p->packed, &p->packed_cap, most);
	if (!p->packed)
		return no_memory(fault);
	add_chunk(p->out, "IDAT", p->packed, libdeflate_zlib_compress(p->whole, p->rows, p->at, p->packed, most));
	return true;
}

bool png_writer_end(struct png_writer *p, struct fault *fault)
{
	bool ok = p->streamed ? compress_row(p, Z_FINISH, fault) : compress_rows(p, fault);

	add_chunk(p->out, "IEND", "", 0);
	return ok;
}
