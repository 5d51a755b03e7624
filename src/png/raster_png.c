#include "png/raster_png.h"

#include <inttypes.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/strbuf.h"

enum {
	STORED_MAX = 65535, /* bytes of a stored block: RFC 1951, 3.2.4 */
	ADLER_INITIAL = 1,
	ROW_BYTES_MAX = 1 << 20, /* the decoder reads no longer ones either (decode.c) */
};

struct raster_png {
	struct raster raster; /* owned */
	struct strbuf piece;  /* what is to be read next */
	size_t at;
	uint8_t *line;  /* filter byte and row; owned */
	uint32_t y;     /* the next row */
	uint32_t adler; /* of all rows before */
	bool ended;
};

static void add_be32(struct strbuf *out, uint32_t v)
{
	const char bytes[] = { (char)(v >> 24), (char)(v >> 16), (char)(v >> 8), (char)v };

	strbuf_add(out, bytes, sizeof(bytes));
}

/* Begins a chunk; returns where it begins, for end_chunk(). */
static size_t begin_chunk(struct strbuf *out, const char type[5])
{
	size_t start = out->len;

	strbuf_add(out, "\0\0\0", 4);
	strbuf_add(out, type, 4);
	return start;
}

/* Fills the chunk's length, and appends its CRC. */
static void end_chunk(struct strbuf *out, size_t start)
{
	uint8_t *length = (uint8_t *)out->s + start;
	uint32_t n = (uint32_t)(out->len - start - 8);

	for (int i = 0; i < 4; i++)
		length[i] = (uint8_t)(n >> (24 - 8 * i));
	add_be32(out, libdeflate_crc32(0, out->s + start + 4, n + 4));
}

/* NEP 1: magic, version 1.0, the length of the literal. The reader wants no alignment. */
static void add_npy_head(struct raster_png *p)
{
	const size_t n = strlen(p->raster.array);
	const char length[] = { (char)n, (char)(n >> 8) };

	strbuf_add(&p->piece, "\x93NUMPY\x01\x00", 8);
	strbuf_add(&p->piece, length, sizeof(length));
	strbuf_add(&p->piece, p->raster.array, n);
}

static void add_head(struct raster_png *p)
{
	const struct png_header *h = &p->raster.header;
	const char rest[] = { (char)h->bit_depth, (char)h->colour_type, 0, 0, 0 };

	strbuf_add(&p->piece, "\x89PNG\r\n\x1a\n", PNG_SIGNATURE_BYTES);
	size_t chunk = begin_chunk(&p->piece, "IHDR");

	add_be32(&p->piece, h->width);
	add_be32(&p->piece, h->height);
	strbuf_add(&p->piece, rest, sizeof(rest));
	end_chunk(&p->piece, chunk);
	if (h->colour_type != PNG_PALETTE)
		return;
	chunk = begin_chunk(&p->piece, "PLTE");
	strbuf_add(&p->piece, (const char *)h->palette, 3 * (size_t)h->palette_entries);
	end_chunk(&p->piece, chunk);
	if (p->raster.transparent < 0)
		return;
	chunk = begin_chunk(&p->piece, "tRNS");
	for (int i = 0; i < p->raster.transparent; i++)
		strbuf_addch(&p->piece, '\xff');
	strbuf_addch(&p->piece, '\0');
	end_chunk(&p->piece, chunk);
}

/* Appends one row as a chunk of stored blocks. The first has the zlib header, the last its end. */
static void add_line(struct raster_png *p)
{
	if (p->raster.array[0]) {
		strbuf_add(&p->piece, (const char *)p->line + 1, p->raster.row_bytes);
		return;
	}
	size_t n = 1 + p->raster.row_bytes, chunk = begin_chunk(&p->piece, "IDAT");
	bool last = p->y + 1 == p->raster.header.height;

	if (!p->y)
		strbuf_add(&p->piece, "\x78\x01", 2);
	p->adler = libdeflate_adler32(p->adler, p->line, n);
	for (size_t at = 0; at < n; at += STORED_MAX) {
		size_t length = MIN(n - at, (size_t)STORED_MAX);
		bool final = last && at + length == n;
		const char head[] = { final, (char)length, (char)(length >> 8), (char)~length, (char)(~length >> 8) };

		strbuf_add(&p->piece, head, sizeof(head));
		strbuf_add(&p->piece, (const char *)p->line + at, length);
	}
	if (last)
		add_be32(&p->piece, p->adler);
	end_chunk(&p->piece, chunk);
}

/* Makes the next piece. Returns false if *fault is set. */
static bool next_piece(struct raster_png *p, struct fault *fault)
{
	strbuf_clear(&p->piece);
	p->at = 0;
	if (p->y < p->raster.header.height) {
		if (!p->raster.row(p->raster.self, p->line + 1, fault))
			return false;
		add_line(p);
		p->y++;
	} else {
		if (!p->raster.finish(p->raster.self, fault))
			return false;
		if (!p->raster.array[0])
			end_chunk(&p->piece, begin_chunk(&p->piece, "IEND"));
		p->ended = true;
	}
	return true;
}

static int64_t raster_png_read(void *self, void *out, size_t n, struct fault *fault)
{
	struct raster_png *p = self;
	size_t done = 0;

	while (done < n) {
		if (p->at == p->piece.len && (p->ended || !next_piece(p, fault)))
			return p->ended ? (int64_t)done : -1;
		size_t part = MIN(n - done, p->piece.len - p->at);

		memcpy((uint8_t *)out + done, p->piece.s + p->at, part);
		p->at += part;
		done += part;
	}
	return (int64_t)done;
}

static void begin_file(struct raster_png *p)
{
	strbuf_clear(&p->piece);
	p->at = 0;
	p->y = 0;
	p->adler = ADLER_INITIAL;
	p->ended = false;
	if (p->raster.array[0])
		add_npy_head(p);
	else
		add_head(p);
}

static void raster_png_rewind(void *self)
{
	struct raster_png *p = self;

	p->raster.rewind(p->raster.self);
	begin_file(p);
}

static void raster_png_close(void *self)
{
	struct raster_png *p = self;

	p->raster.close(p->raster.self);
	strbuf_release(&p->piece);
	free(p->line);
	free(p);
}

bool raster_as_png(struct input *in, const struct raster *raster, const struct limits *limits, struct fault *fault)
{
	const struct png_header *h = &raster->header;
	uint64_t pixels = limit_pixels(h->width, h->height);
	struct raster_png *p = xcalloc(1, sizeof(*p));
	const struct input_stream stream = { .self = p,
					     .read = raster_png_read,
					     .close = raster_png_close,
					     .rewind = raster->rewind && !raster->array[0] ? raster_png_rewind : NULL };

	p->raster = *raster;
	strbuf_init(&p->piece);
	/* the PNG's decoder checks this, too, but the first rows are read before */
	if (GUARD(raster_over_the_limit, limits->max_pixels && pixels > limits->max_pixels)) {
		fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET,
			  "declares %" PRIu32 " x %" PRIu32 " pixels; the limit is %" PRIu64 " (--max-pixels)",
			  h->width, h->height, limits->max_pixels);
		raster_png_close(p);
		return false;
	}
	if (GUARD(raster_of_long_rows, raster->row_bytes > ROW_BYTES_MAX)) {
		fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET,
			  "declares rows of %" PRIu32 " pixels, %zu bytes; at most %d are read", h->width,
			  raster->row_bytes, ROW_BYTES_MAX);
		raster_png_close(p);
		return false;
	}
	p->line = mem_try_zero(1 + raster->row_bytes, 1);
	if (!p->line) {
		fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory for rows of %zu bytes", raster->row_bytes);
		raster_png_close(p);
		return false;
	}
	begin_file(p);
	return input_from_stream(in, &stream, fault);
}
