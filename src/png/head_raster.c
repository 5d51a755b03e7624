#include "png/head_raster.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/zlib_inflate.h"
#include "png/unfilter.h"

enum {
	WINDOW_BYTES = 1 << 20,
	ROW_BYTES = 1 << 16,
	CHUNK_FRAME = 12,
	CHUNKS_READ = 256,
	CHUNK_IDAT = 0x49444154,
};

struct head_raster {
	z_stream z;
	const uint8_t *head;
	size_t n, at; /* of the head; of the next chunk */
	int status;
	size_t row_bytes;
	bool once; /* of a long row: the next one cannot be unfiltered */
	struct unfilter unfilter;
	uint8_t line[ROW_BYTES + 1 + UNFILTER_READ_IN];
};

/* Inflates the next bytes of rows. Returns how many: fewer at the end. */
static size_t read_rows(struct head_raster *r, uint8_t *out, size_t cap)
{
	r->z.next_out = out;
	r->z.avail_out = (uInt)cap;
	/* Z_BUF_ERROR: a chunk that is empty, or ends */
	while ((r->status == Z_OK || r->status == Z_BUF_ERROR) && r->z.avail_out) {
		if (!r->z.avail_in) {
			if (r->at + 8 >= r->n) {
				inflate(&r->z, Z_SYNC_FLUSH); /* what is left of a match */
				break;
			}
			uint64_t length = be32(r->head + r->at);
			size_t data = r->at + 8, end = (size_t)MIN((uint64_t)r->n, data + length);

			if (be32(r->head + r->at + 4) == CHUNK_IDAT) {
				r->z.next_in = (Bytef *)(uintptr_t)(r->head + data);
				r->z.avail_in = (uInt)(end - data);
			}
			r->at = data + (size_t)MIN(length, (uint64_t)r->n) + 4;
			if (!r->z.avail_in)
				continue;
		}
		r->status = inflate(&r->z, Z_SYNC_FLUSH);
	}
	return cap - r->z.avail_out;
}

static bool next_row(void *self, uint8_t *out, struct fault *fault)
{
	struct head_raster *r = self;
	const size_t have = r->row_bytes ? read_rows(r, r->line, r->row_bytes + 1) : 0;

	(void)fault;
	if (have < 2)
		return false;
	memset(r->line + have, 0, r->row_bytes + 1 - have);
	if (!unfilter_next(&r->unfilter, r->line, 1))
		return false;
	memcpy(out, r->unfilter.row, r->row_bytes);
	if (r->once || have <= r->row_bytes)
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
	struct head_raster *r = self;

	inflateEnd(&r->z);
	unfilter_release(&r->unfilter);
	free(r);
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

	*r = (struct head_raster){ .head = head, .n = n, .at = PNG_SIGNATURE_BYTES, .status = Z_OK };
	r->row_bytes = out->row_bytes = (size_t)MIN(bytes, (uint64_t)(ROW_BYTES - ROW_BYTES % pixel));
	r->once = bytes > ROW_BYTES;
	zlib_inflate_begin(&r->z, INFLATE_ZLIB);
	inflateValidate(&r->z, 0); /* the Adler-32 takes longer than the rest */
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
	char *bytes = xmalloc(WINDOW_BYTES);
	ssize_t got = pread(fd, bytes, WINDOW_BYTES, (off_t)at);

	strbuf_add(out, bytes, got > 0 ? (size_t)got : 0);
	free(bytes);
}
