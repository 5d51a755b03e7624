#include "fix/png_file.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

enum {
	LEVEL = 7,            /* libdeflate's; 9 saves an eighth of the bytes and takes three times as long */
	WHOLE_MAX = 16 << 20, /* bytes of rows that are compressed at once; zlib takes larger masks, a row at a time */
	PIECE = 1 << 20,      /* of zlib's output; an IDAT */
};

struct png_file {
	struct strbuf *out;
	size_t line;   /* bytes of a row with its filter byte, which is 0 (None) */
	uint8_t *rows; /* all of them, or one; owned */
	size_t at;     /* in rows, of the next one */
	bool streamed;
	z_stream z; /* if streamed */
	uint8_t *piece;
};

static void add_be32(struct strbuf *out, uint32_t v)
{
	const char bytes[] = { (char)(v >> 24), (char)(v >> 16), (char)(v >> 8), (char)v };

	strbuf_add(out, bytes, sizeof(bytes));
}

static void add_chunk(struct strbuf *out, const char type[5], const void *data, size_t n)
{
	add_be32(out, (uint32_t)n);
	size_t start = out->len;

	strbuf_add(out, type, 4);
	strbuf_add(out, data, n);
	add_be32(out, libdeflate_crc32(0, out->s + start, n + 4));
}

static void add_head(const struct png_header *h, struct strbuf *out)
{
	uint8_t ihdr[PNG_IHDR_BYTES] = { 0 };

	for (int i = 0; i < 4; i++) {
		ihdr[i] = (uint8_t)(h->width >> (24 - 8 * i));
		ihdr[4 + i] = (uint8_t)(h->height >> (24 - 8 * i));
	}
	ihdr[8] = h->bit_depth;
	ihdr[9] = h->colour_type;
	strbuf_add(out, PNG_SIGNATURE, PNG_SIGNATURE_BYTES);
	add_chunk(out, "IHDR", ihdr, sizeof(ihdr));
	if (h->colour_type == PNG_PALETTE)
		add_chunk(out, "PLTE", h->palette, 3 * (size_t)h->palette_entries);
}

struct png_file *png_file_begin(const struct png_header *header, struct strbuf *out, struct fault *fault)
{
	struct png_file *p = xcalloc(1, sizeof(*p));

	p->out = out;
	p->line = 1 + (size_t)header->width * (header->bit_depth / 8);
	p->streamed = p->line * header->height > WHOLE_MAX;
	p->rows = mem_try_zero(p->line, p->streamed ? 1 : header->height);
	p->piece = p->streamed ? mem_try(PIECE, 1) : NULL;
	if (!p->rows || (p->streamed && (!p->piece || deflateInit(&p->z, Z_BEST_COMPRESSION) != Z_OK))) {
		fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to write the mask");
		free(p->rows);
		free(p->piece);
		free(p);
		return NULL;
	}
	p->z.next_out = p->piece;
	p->z.avail_out = PIECE;
	add_head(header, out);
	return p;
}

uint8_t *png_file_next_row(struct png_file *p)
{
	return p->rows + p->at + 1;
}

/* Gives zlib what is in `rows`, and writes each full piece. */
static bool compress_row(struct png_file *p, int flush, struct fault *fault)
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

bool png_file_row(struct png_file *p, struct fault *fault)
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
static bool compress_rows(struct png_file *p, struct fault *fault)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
	size_t bound = c ? libdeflate_zlib_compress_bound(c, p->at) : 0;
	uint8_t *packed = c ? mem_try(bound, 1) : NULL;

	if (packed) {
		size_t n = libdeflate_zlib_compress(c, p->rows, p->at, packed, bound);

		add_chunk(p->out, "IDAT", packed, n);
	} else {
		fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to write the mask");
	}
	free(packed);
	libdeflate_free_compressor(c);
	return packed != NULL;
}

bool png_file_end(struct png_file *p, struct fault *fault)
{
	bool ok = p->streamed ? compress_row(p, Z_FINISH, fault) : compress_rows(p, fault);

	add_chunk(p->out, "IEND", "", 0);
	return ok;
}

void png_file_free(struct png_file *p)
{
	if (!p)
		return;
	if (p->streamed)
		deflateEnd(&p->z);
	free(p->rows);
	free(p->piece);
	free(p);
}
