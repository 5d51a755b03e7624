#include "png/head_raster.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "png/fast_inflate.h"
#include "png/unfilter.h"

enum {
	WINDOW_BYTES = 1 << 20,
	ROW_BYTES = 1 << 16,
	BUFFER_BYTES = INFLATE_WINDOW + 2 * ROW_BYTES, /* the window, and a row that has begun */
	CHUNK_FRAME = 12,
	CHUNKS_READ = 256,
	CHUNK_IDAT = 0x49444154,
	ZLIB_HEADER = 2,
};

struct head_raster {
	struct inflate inflate;
	uint8_t *data;      /* of the zlib stream, as far as it is at hand; owned */
	uint8_t *row, *out; /* the filter byte of the next row, and the end of what is inflated; of `buffer` */
	bool over;          /* nothing more can be inflated */
	size_t row_bytes;   /* 0: there is no further row */
	bool once;          /* of a long row: the next one cannot be unfiltered */
	struct unfilter unfilter;
	uint8_t buffer[BUFFER_BYTES + INFLATE_WRITE_AHEAD + ROW_BYTES +
		       UNFILTER_READ_IN]; /* a row is filled up with zeros */
};

/* Gathers the data of the IDATs, and begins to inflate them: a stream that goes on beyond these bytes stops early. */
static void begin_data(struct head_raster *r, const uint8_t *head, size_t n)
{
	size_t at = PNG_SIGNATURE_BYTES, len = 0;
	bool idat = false, whole = false;

	r->data = xmalloc(n + INFLATE_READ_AHEAD);
	while (at + 8 < n && !whole) {
		const uint64_t length = be32(head + at);
		const size_t part = (size_t)MIN(length, (uint64_t)(n - at - 8));

		whole = idat && be32(head + at + 4) != CHUNK_IDAT;
		idat |= be32(head + at + 4) == CHUNK_IDAT;
		if (idat && !whole) {
			memcpy(r->data + len, head + at + 8, part);
			len += part;
		}
		at += CHUNK_FRAME + part;
	}
	r->over = len <= ZLIB_HEADER;
	if (r->over)
		return;
	memset(r->data + len, 0, INFLATE_READ_AHEAD);
	len -= ZLIB_HEADER;
	inflate_begin(&r->inflate, r->data + ZLIB_HEADER, len, whole || len <= INFLATE_LEFT_MAX);
}

/* Makes the next row whole, if its bytes are at hand. Returns how many are: fewer at the end. */
static size_t fill_row(struct head_raster *r)
{
	const size_t line = r->row_bytes + 1;
	const uint8_t *end = r->buffer + BUFFER_BYTES;

	while ((size_t)(r->out - r->row) < line && !r->over) {
		if (r->out >= end) {
			const size_t rest = (size_t)(r->out - r->row), keep = MAX(rest, (size_t)INFLATE_WINDOW);

			memmove(r->buffer, r->out - keep, keep);
			r->out = r->buffer + keep;
			r->row = r->out - rest;
		}
		r->over = inflate_step(&r->inflate, r->buffer, &r->out, end) != INFLATE_MORE;
	}
	return MIN((size_t)(r->out - r->row), line);
}

static bool next_row(void *self, uint8_t *out, struct fault *fault)
{
	struct head_raster *r = self;
	const size_t line = r->row_bytes + 1, have = r->row_bytes ? fill_row(r) : 0;

	(void)fault;
	if (have < 2)
		return false;
	memset(r->row + have, 0, have < line ? line - have : 0);
	if (!unfilter_next(&r->unfilter, r->row, (uint32_t)MAX((size_t)(r->out - r->row) / line, (size_t)1)))
		return false;
	memcpy(out, r->unfilter.row, r->row_bytes);
	r->row += line;
	if (r->once || have < line)
		r->row_bytes = 0;
	return true;
}

static bool finish(void *self, struct fault *fault)
{
	(void)self;
	(void)fault;
	return true;
}

static void close_raster(void *self)
{
	FREED struct head_raster *r = self;

	unfilter_release(&r->unfilter);
	free(r->data);
}

bool head_raster_open(struct raster *out, const uint8_t *head, size_t n)
{
	struct png_header *png = &out->header;

	*out = (struct raster){ .transparent = -1, .row = next_row, .finish = finish, .close = close_raster };
	if (n < PNG_IHDR_END || png_header_parse(head + PNG_IHDR_AT, png) != PNG_HEADER_LEGAL)
		return false;
	if (png->interlace) {
		png->width = (png->width + 7) / 8;
		png->height = (png->height + 7) / 8;
	}
	const uint64_t bytes = ((uint64_t)png->width * png->channels * png->bit_depth + 7) / 8;
	const size_t pixel = MAX((size_t)1, (size_t)(png->channels * png->bit_depth / 8));
	struct head_raster *r = xcalloc(1, sizeof(*r));

	r->row = r->out = r->buffer;
	r->row_bytes = out->row_bytes = (size_t)MIN(bytes, (uint64_t)(ROW_BYTES - ROW_BYTES % pixel));
	r->once = bytes > ROW_BYTES;
	begin_data(r, head, n);
	out->self = r;
	if (unfilter_begin(&r->unfilter, r->row_bytes, pixel))
		return true;
	close_raster(r);
	return false;
}

void head_raster_read(int fd, const uint8_t *head, size_t n, struct strbuf *out)
{
	uint64_t at = PNG_IHDR_END;
	uint8_t frame[8];

	for (unsigned i = 0; i < CHUNKS_READ; i++, at += CHUNK_FRAME + be32(frame)) {
		if (at + sizeof(frame) <= n)
			memcpy(frame, head + at, sizeof(frame));
		else if (pread(fd, frame, sizeof(frame), (off_t)at) != (ssize_t)sizeof(frame))
			return;
		if (be32(frame + 4) == CHUNK_IDAT)
			break;
	}
	strbuf_add(out, (const char *)head, PNG_IHDR_END);
	FREED char *bytes = xmalloc(WINDOW_BYTES);
	ssize_t got = pread(fd, bytes, WINDOW_BYTES, (off_t)at);

	strbuf_add(out, bytes, got > 0 ? (size_t)got : 0);
}
