#include "png/loader_text.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/zlib_inflate.h"
#include "png/chunk.h"

/* Allocated once, and used for many streams. */
struct text_inflater {
	z_stream z;
	uint8_t out[16 << 10];
};

static void begin_stream(struct loader_text *t)
{
	if (t->inflater) {
		inflateReset(&t->inflater->z);
		return;
	}
	t->inflater = xcalloc(1, sizeof(*t->inflater));
	zlib_inflate_begin(&t->inflater->z, INFLATE_ZLIB);
}

/*
 * Inflates a piece as zlib.decompressobj().decompress(s, LOADER_TEXT_MAX) does. It is too large if input is left when
 * the output is full; zlib takes the end of a stream even then.
 */
static void inflate_piece(struct loader_text *t, const uint8_t *bytes, size_t n)
{
	struct text_inflater *i = t->inflater;

	i->z.next_in = (z_const Bytef *)(uintptr_t)bytes;
	i->z.avail_in = (uInt)n;
	while (!t->stream_over && i->z.avail_in) {
		size_t space = (size_t)MIN(LOADER_TEXT_MAX - t->bytes, (uint64_t)sizeof(i->out));

		i->z.next_out = i->out;
		i->z.avail_out = (uInt)space;
		int result = inflate(&i->z, Z_SYNC_FLUSH);

		t->bytes += space - i->z.avail_out;
		t->broken = result != Z_OK && result != Z_BUF_ERROR && result != Z_STREAM_END;
		bool full = t->bytes == LOADER_TEXT_MAX && i->z.avail_in;

		t->too_large = GUARD(text_of_a_png, full && !t->broken && result != Z_STREAM_END);
		t->stream_over = t->broken || full || result == Z_STREAM_END;
	}
}

void loader_text_release(struct loader_text *t)
{
	if (t->inflater)
		inflateEnd(&t->inflater->z);
	free(t->inflater);
	memset(t, 0, sizeof(*t));
}

bool loader_text_is(uint32_t type)
{
	return type == PNG_TYPE_TEXT || type == PNG_TYPE_ZTXT || type == PNG_TYPE_ITXT || type == PNG_TYPE_ICCP;
}

void loader_text_begin(struct loader_text *t, uint32_t type)
{
	*t = (struct loader_text){ .type = type, .inflater = t->inflater };
	t->phase = loader_text_is(type) ? TEXT_KEY : TEXT_NONE;
}

static enum text_phase phase_after_key(uint32_t type)
{
	switch (type) {
	case PNG_TYPE_TEXT:
		return TEXT_PLAIN;
	case PNG_TYPE_ITXT:
		return TEXT_FLAGS;
	default:
		return TEXT_METHOD;
	}
}

/* Takes what begins a chunk, up to the text: a field up to its NUL, or a byte. Returns the bytes used, 1 to n. */
static size_t take_field(struct loader_text *t, const uint8_t *bytes, size_t n)
{
	bool ends_with_nul = t->phase == TEXT_KEY || t->phase == TEXT_LANGUAGE || t->phase == TEXT_TRANSLATED_KEY;
	const uint8_t *nul = ends_with_nul ? memchr(bytes, 0, n) : NULL;

	if (t->phase == TEXT_KEY && nul != bytes)
		t->has_key = true;
	if (ends_with_nul && !nul)
		return n;
	switch (t->phase) {
	case TEXT_KEY:
		t->phase = phase_after_key(t->type);
		break;
	case TEXT_METHOD:
		t->method = *bytes;
		t->phase = t->method ? TEXT_BAD_METHOD : TEXT_DEFLATED;
		break;
	case TEXT_FLAGS:
		t->compressed = *bytes;
		t->phase = TEXT_METHOD_OF_FLAGS;
		break;
	case TEXT_METHOD_OF_FLAGS:
		t->phase = t->compressed && *bytes ? TEXT_IGNORED : TEXT_LANGUAGE;
		break;
	case TEXT_LANGUAGE:
		t->phase = TEXT_TRANSLATED_KEY;
		break;
	default:
		t->phase = t->compressed ? TEXT_DEFLATED : TEXT_PLAIN;
		break;
	}
	if (t->phase == TEXT_DEFLATED)
		begin_stream(t);
	return nul ? (size_t)(nul - bytes) + 1 : 1;
}

void loader_text_add(struct loader_text *t, const uint8_t *bytes, size_t n)
{
	while (n && t->phase >= TEXT_KEY && t->phase < TEXT_PLAIN) {
		size_t used = take_field(t, bytes, n);

		bytes += used;
		n -= used;
	}
	if (t->phase == TEXT_DEFLATED)
		inflate_piece(t, bytes, n);
	else if (t->phase == TEXT_PLAIN)
		t->bytes += n;
}

uint64_t loader_text_kept(const struct loader_text *t)
{
	bool is_text = t->type == PNG_TYPE_TEXT || t->type == PNG_TYPE_ZTXT;

	return is_text && t->has_key && !t->broken ? t->bytes : 0;
}
