#include "png/stream_tail.h"

#include <string.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/zlib_inflate.h"

enum { SCRATCH = 16 << 10 };

void stream_tail_go_on(struct stream_tail *t, z_stream *z, const uint8_t last[4], uint32_t adler)
{
	*t = (struct stream_tail){ .z = z, .adler = adler };
	memcpy(t->last, last, sizeof(t->last));
}

void stream_tail_begin(struct stream_tail *t, uint64_t row_bytes)
{
	*t = (struct stream_tail){ .bytes_left = row_bytes };
	zlib_inflate_begin(&t->whole, INFLATE_ZLIB);
	t->z = &t->whole;
}

/* Remembers the last bytes of those that were consumed. */
static void remember(struct stream_tail *t, const uint8_t *p, size_t n)
{
	size_t some = MIN(n, sizeof(t->last));

	memmove(t->last, t->last + some, sizeof(t->last) - some);
	memcpy(t->last + sizeof(t->last) - some, p + n - some, some);
}

void stream_tail_add(struct stream_tail *t, const uint8_t *p, size_t n)
{
	uint8_t scratch[SCRATCH];
	int result = Z_OK;

	if (!t->z || t->wrong || !n)
		return;
	t->wrong = t->ended;
	t->z->next_in = (uint8_t *)(uintptr_t)p; /* zlib does not write there */
	t->z->avail_in = (uInt)n;                /* a read is never longer */
	while (!t->wrong && result == Z_OK) {
		t->z->next_out = scratch;
		t->z->avail_out = SCRATCH;
		result = inflate(t->z, Z_NO_FLUSH);

		size_t made = SCRATCH - t->z->avail_out;

		t->has_more_rows = made > t->bytes_left;
		t->wrong = GUARD(rows_after_the_last, t->has_more_rows);
		t->bytes_left -= MIN((uint64_t)made, t->bytes_left);
	}
	remember(t, p, n - t->z->avail_in);
	if (result == Z_STREAM_END) {
		t->ended = true;
		t->wrong |= t->z->avail_in != 0 || t->bytes_left != 0;
		t->wrong |= t->z != &t->whole && GUARD(checksum_of_the_tail, be32(t->last) != t->adler);
	} else if (result != Z_BUF_ERROR) {
		t->wrong = true;
	}
}

bool stream_tail_is_clean(const struct stream_tail *t)
{
	return t->ended && !t->wrong;
}

void stream_tail_release(struct stream_tail *t)
{
	if (t->z == &t->whole)
		inflateEnd(&t->whole);
	*t = (struct stream_tail){ 0 };
}
