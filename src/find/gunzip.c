#include "find/gunzip.h"

#include <libdeflate.h>
#include <string.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"

enum {
	/* RFC 1952, section 2.3 */
	HEADER_BYTES = 10,
	TRAILER_BYTES = 8,
	METHOD_AT = 2,
	FLAGS_AT = 3,
	DEFLATED = 8,
	FLAG_TEXT = 1, /* which does not matter */
	FLAG_EXTRA = 4,
	FLAG_NAME = 8,
	FLAG_COMMENT = 16,
	FLAGS_READ = FLAG_TEXT | FLAG_EXTRA | FLAG_NAME | FLAG_COMMENT,
};

void gunzip_begin(struct gunzip *g, struct packed_source source)
{
	memset(g, 0, offsetof(struct gunzip, bytes));
	g->source = source;
	g->at = g->end = g->bytes;
}

static size_t unread(const struct gunzip *g)
{
	return (size_t)(g->end - g->at);
}

/* Moves the unread input to the front, and reads a piece after it. Returns false if that fails: zlib will say why. */
static bool read_piece(struct gunzip *g)
{
	struct fault ignored = FAULT_INIT;
	size_t left = unread(g);
	int64_t got = 0;

	memmove(g->bytes, g->at, left);
	if (!g->input_ended)
		got = g->source.read(g->source.self, g->bytes + left, PACKED_BUFFER, &ignored);
	if (got < 0)
		return false;
	g->drawn += (uint64_t)got;
	g->input_ended = got < PACKED_BUFFER;
	g->at = g->bytes;
	g->end = g->bytes + left + (size_t)got;
	memset(g->bytes + left + (size_t)got, 0, INFLATE_READ_AHEAD);
	return true;
}

/* Reads until n bytes are unread, at most GUNZIP_LEFT_MAX + 1, or the file ends. Returns false if that fails. */
static bool read_until(struct gunzip *g, size_t n)
{
	while (unread(g) < n && !g->input_ended)
		if (!read_piece(g))
			return false;
	return true;
}

/* Returns the length of the string with its NUL; n if that is not within n bytes. */
static size_t string_bytes(const uint8_t *p, size_t n)
{
	const uint8_t *end = memchr(p, '\0', n);

	return end ? (size_t)(end - p) + 1 : n;
}

/* Returns the bytes of the header at p, where there are n bytes; 0 if zlib has to read it. */
static size_t header_bytes(const uint8_t *p, size_t n)
{
	size_t at = HEADER_BYTES;

	n = MIN(n, (size_t)GUNZIP_HEADER_MAX);
	if (n < HEADER_BYTES || p[0] != 0x1f || p[1] != 0x8b || p[METHOD_AT] != DEFLATED || (p[FLAGS_AT] & ~FLAGS_READ))
		return 0;
	if (p[FLAGS_AT] & FLAG_EXTRA)
		at += n - at < 2 ? n : 2 + (size_t)le16(p + at);
	for (int flag = FLAG_NAME; flag <= FLAG_COMMENT; flag *= 2)
		if ((p[FLAGS_AT] & flag) && at < n)
			at += string_bytes(p + at, n - at);
	return at < n ? at : 0;
}

/* Returns false if it refuses. */
static bool begin_stream(struct gunzip *g)
{
	if (!read_until(g, GUNZIP_LEFT_MAX + 1))
		return false;
	size_t header = header_bytes(g->at, unread(g));

	g->at += header;
	g->stream_bytes = 0;
	g->crc = 0;
	g->inflating = true;
	if (header)
		inflate_begin(&g->inflate, g->at, unread(g), g->input_ended);
	return header;
}

/* Gives the next piece of input to the inflater. Returns false if it refuses. */
static bool go_on(struct gunzip *g)
{
	if (inflate_left(&g->inflate, &g->at) > INFLATE_LEFT_MAX || !read_piece(g))
		return false;
	inflate_go_on(&g->inflate, g->bytes, unread(g), g->input_ended);
	return true;
}

/* Checks the end of a stream, and skips zeros, as tapes have them. Returns false if it refuses. */
static bool end_stream(struct gunzip *g)
{
	g->inflating = false;
	if (inflate_left(&g->inflate, &g->at) == SIZE_MAX || !read_until(g, TRAILER_BYTES) || unread(g) < TRAILER_BYTES)
		return false;
	if (GUARD(checksum_of_gunzip, le32(g->at) != g->crc || le32(g->at + 4) != (uint32_t)g->stream_bytes))
		return false;
	g->at += TRAILER_BYTES;
	while (read_until(g, 1) && unread(g) && !*g->at)
		g->at++;
	g->ended = !unread(g) && g->input_ended;
	return g->ended || unread(g);
}

/* Inflates until *out reaches or passes `limit`, or the stream ends. Returns false if it refuses. */
static bool inflate_some(struct gunzip *g, uint8_t **out, const uint8_t *limit)
{
	uint8_t *from = *out;
	const uint8_t *first = from - MIN(g->stream_bytes, (uint64_t)INFLATE_WINDOW);
	enum inflate_result result = inflate_step(&g->inflate, first, out, limit);

	g->stream_bytes += (uint64_t)(*out - from);
	g->crc = libdeflate_crc32(g->crc, from, (size_t)(*out - from));
	switch (result) {
	case INFLATE_MORE:
		return true;
	case INFLATE_WAITS:
		return go_on(g);
	case INFLATE_END:
		return end_stream(g);
	default:
		return false;
	}
}

bool gunzip_read(struct gunzip *g, uint8_t *out, size_t n, size_t *got)
{
	uint8_t *to = out;
	bool good = true;

	while (good && to < out + n && !g->ended)
		good = g->inflating ? inflate_some(g, &to, out + n) : begin_stream(g);
	*got = (size_t)(to - out);
	return good;
}

uint64_t gunzip_used(const struct gunzip *g)
{
	const uint8_t *rest;

	return g->drawn - (g->inflating ? inflate_left(&g->inflate, &rest) : unread(g));
}
