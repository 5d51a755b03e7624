/* Parses the texts in a PNG as Pillow does (PngImagePlugin.py: chunk_tEXt, chunk_zTXt, chunk_iTXt, chunk_iCCP). */
#include "png/loader_text.h"

#include <string.h>

#include "base/guard.h"
#include "base/mem.h"
#include "png/chunk.h"

/* ---- UTF-8 ------------------------------------------------------------------------------------------------------ */

static void utf8_begin_character(struct utf8_check *u, uint8_t byte)
{
	u->characters++;
	u->low = 0x80;
	u->high = 0xbf;
	if (byte < 0x80)
		return;
	if (byte < 0xc2 || byte > 0xf4)
		u->bad = true;
	u->left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
	/* no longer forms of shorter characters, no surrogates, nothing above U+10FFFF */
	if (byte == 0xe0)
		u->low = 0xa0;
	else if (byte == 0xed)
		u->high = 0x9f;
	else if (byte == 0xf0)
		u->low = 0x90;
	else if (byte == 0xf4)
		u->high = 0x8f;
}

static void utf8_add(struct utf8_check *u, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n && !u->bad; i++) {
		if (!u->left) {
			utf8_begin_character(u, bytes[i]);
			continue;
		}
		u->bad = bytes[i] < u->low || bytes[i] > u->high;
		u->low = 0x80;
		u->high = 0xbf;
		u->left--;
	}
}

/* Ends one of the fields of an iTXt; a bad one makes all bad. */
static void utf8_end_field(struct utf8_check *u)
{
	u->bad = u->bad || u->left;
	u->left = 0;
	u->characters = 0;
}

/* ---- zlib ------------------------------------------------------------------------------------------------------- */

/*
 * Inflates a piece as zlib.decompressobj().decompress(s, LOADER_TEXT_MAX) does. It is too large if input is left when
 * the output is full; zlib takes the end of a stream even then.
 */
static void inflate_piece(struct loader_text *t, const uint8_t *bytes, size_t n)
{
	struct loader_inflater *i = t->inflater;

	i->z.next_in = (z_const Bytef *)(uintptr_t)bytes;
	i->z.avail_in = (uInt)n;
	while (!t->stream_over && i->z.avail_in) {
		size_t space = (size_t)MIN(LOADER_TEXT_MAX - t->bytes, (uint64_t)LOADER_INFLATE_BYTES), made;

		i->z.next_out = i->out;
		i->z.avail_out = (uInt)space;
		int result = inflate(&i->z, Z_SYNC_FLUSH);

		made = space - i->z.avail_out;
		if (t->type == PNG_TYPE_ITXT)
			utf8_add(&t->utf8, i->out, made);
		t->bytes += made;
		t->broken = result != Z_OK && result != Z_BUF_ERROR && result != Z_STREAM_END;
		bool full = t->bytes == LOADER_TEXT_MAX && i->z.avail_in;

		t->too_large = GUARD(text_of_a_png, full && !t->broken && result != Z_STREAM_END);
		t->stream_over = t->broken || full || result == Z_STREAM_END;
	}
}

/* ---- a chunk ---------------------------------------------------------------------------------------------------- */

void loader_text_release(struct loader_text *t)
{
	loader_inflate_free(t->inflater);
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
	size_t field = nul ? (size_t)(nul - bytes) : n;

	if (t->phase == TEXT_LANGUAGE || t->phase == TEXT_TRANSLATED_KEY)
		utf8_add(&t->utf8, bytes, field);
	if (t->phase == TEXT_KEY && field)
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
		utf8_end_field(&t->utf8);
		t->phase = TEXT_TRANSLATED_KEY;
		break;
	default:
		utf8_end_field(&t->utf8);
		t->phase = t->compressed ? TEXT_DEFLATED : TEXT_PLAIN;
		break;
	}
	if (t->phase == TEXT_DEFLATED)
		loader_inflate_begin(&t->inflater);
	return nul ? field + 1 : 1;
}

void loader_text_add(struct loader_text *t, const uint8_t *bytes, size_t n)
{
	while (n && t->phase >= TEXT_KEY && t->phase < TEXT_PLAIN) {
		size_t used = take_field(t, bytes, n);

		bytes += used;
		n -= used;
	}
	if (t->phase == TEXT_DEFLATED) {
		inflate_piece(t, bytes, n);
	} else if (t->phase == TEXT_PLAIN) {
		t->bytes += n;
		if (t->type == PNG_TYPE_ITXT)
			utf8_add(&t->utf8, bytes, n);
	}
}

bool loader_text_end(const struct loader_text *t, uint64_t *characters)
{
	bool has_text = t->phase == TEXT_PLAIN || t->phase == TEXT_DEFLATED;

	*characters = t->broken ? 0 : t->bytes;
	if (t->type == PNG_TYPE_TEXT || t->type == PNG_TYPE_ZTXT)
		return t->has_key;
	if (t->type != PNG_TYPE_ITXT || !has_text || t->broken)
		return false;
	*characters = t->utf8.characters;
	return !t->utf8.bad && !t->utf8.left;
}
