/* Expands libpng's short messages to sentences that say where, what was expected and what was found. */
#include "png/decode_errors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_MAX = 160 };

/* For the variables `fault` and `warning`; the fault lies at byte `at`. */
#define CORRUPT(at, ...)   fault_set(fault, FAULT_CORRUPT, at, __VA_ARGS__)
#define MALFORMED(at, ...) fault_set(warning, FAULT_MALFORMED, at, __VA_ARGS__)

static bool is(const char *message, const char *text)
{
	return strcmp(message, text) == 0;
}

/* Returns the message after "NAME: ", which libpng puts before messages about a chunk. */
static const char *without_chunk_name(const char *message)
{
	const char *colon = strstr(message, ": ");

	return colon ? colon + 2 : message;
}

static void printable(const char *from, char out[MESSAGE_MAX])
{
	size_t i = 0;

	for (; from[i] && i + 1 < MESSAGE_MAX; i++)
		out[i] = from[i] >= ' ' && from[i] < 0x7f ? from[i] : '?';
	out[i] = '\0';
}

/* Writes "12 of 375 rows could be read"; rows of all passes if interlaced. */
static void word_rows(const struct decode_evidence *e, char out[MESSAGE_MAX])
{
	snprintf(out, MESSAGE_MAX, "%" PRIu64 " of %" PRIu64 " rows%s could be read", e->rows_read, e->rows_total,
		 e->interlaced ? " (of all seven passes)" : "");
}

static void word_truncated(const struct decode_evidence *e, struct fault *fault)
{
	const struct chunk_walk *w = &e->walk;
	char name[PNG_CHUNK_NAME_MAX], where[MESSAGE_MAX], rows[MESSAGE_MAX];

	chunk_type_name(w->now.type, name);
	switch (w->state) {
	case WALK_SIGNATURE:
		snprintf(where, sizeof(where), "within the 8 bytes of the PNG signature");
		break;
	case WALK_HEADER:
		if (w->got)
			snprintf(where, sizeof(where), "within the header of a chunk");
		else if (w->chunks)
			snprintf(where, sizeof(where), "after chunk %s, where the next one should begin", name);
		else
			snprintf(where, sizeof(where), "where the first chunk (IHDR) should begin");
		break;
	case WALK_CRC:
		snprintf(where, sizeof(where), "within the CRC of chunk %s at byte %" PRIu64, name, w->now.offset);
		break;
	default:
		snprintf(where, sizeof(where),
			 "within chunk %s at byte %" PRIu64 ", which holds %" PRIu32 " of its %" PRIu32 " bytes", name,
			 w->now.offset, w->got, w->now.length);
		break;
	}
	if (!w->idat_seen) {
		fault_set(fault, FAULT_TRUNCATED, w->at, "the file ends at byte %" PRIu64 ", %s", w->at, where);
		return;
	}
	word_rows(e, rows);
	fault_set(fault, FAULT_TRUNCATED, w->at, "the file ends at byte %" PRIu64 ", %s%s; %s", w->at, where,
		  w->iend_seen ? "" : ", without IEND", rows);
}

/* Finds the invalid field, since libpng only says "Invalid IHDR data". */
static void word_ihdr_fields(const struct decode_evidence *e, struct fault *fault)
{
	const uint8_t *h = e->walk.ihdr;
	uint64_t offset = e->walk.now.offset + 8;
	struct png_header png;

	switch (png_header_parse(h, &png)) {
	case PNG_HEADER_SIZE:
		CORRUPT(offset, "IHDR declares %" PRIu32 " x %" PRIu32 " pixels; each side must be 1 to 2147483647",
			png.width, png.height);
		break;
	case PNG_HEADER_BIT_DEPTH:
		CORRUPT(offset + 8, "IHDR declares bit depth %u; expected 1, 2, 4, 8 or 16", png.bit_depth);
		break;
	case PNG_HEADER_COLOUR_TYPE:
		CORRUPT(offset + 9, "IHDR declares colour type %u; expected 0, 2, 3, 4 or 6", png.colour_type);
		break;
	case PNG_HEADER_DEPTH_OF_COLOUR:
		CORRUPT(offset + 8, "IHDR declares bit depth %u, which colour type %u does not allow", png.bit_depth,
			png.colour_type);
		break;
	case PNG_HEADER_COMPRESSION:
		CORRUPT(offset + 10, "IHDR declares compression method %u; expected 0", h[10]);
		break;
	case PNG_HEADER_FILTER:
		CORRUPT(offset + 11, "IHDR declares filter method %u; expected 0", h[11]);
		break;
	case PNG_HEADER_INTERLACE:
		CORRUPT(offset + 12, "IHDR declares interlace method %u; expected 0 or 1", png.interlace);
		break;
	case PNG_HEADER_LEGAL:
		CORRUPT(offset,
			"IHDR is refused by libpng: %" PRIu32 " x %" PRIu32 " pixels, bit depth %u, colour type %u",
			png.width, png.height, png.bit_depth, png.colour_type);
		break;
	}
}

static void word_ihdr(const struct decode_evidence *e, const char *why, struct fault *fault)
{
	const struct chunk *now = &e->walk.now;

	if (now->length != PNG_IHDR_BYTES)
		CORRUPT(now->offset, "chunk IHDR at byte %" PRIu64 " declares %" PRIu32 " bytes; expected 13",
			now->offset, now->length);
	else if (is(why, "out of place"))
		CORRUPT(now->offset, "a second IHDR chunk at byte %" PRIu64, now->offset);
	else
		word_ihdr_fields(e, fault);
}

static void word_idat(const struct decode_evidence *e, const char *why, struct fault *fault)
{
	const struct chunk_walk *w = &e->walk;
	char rows[MESSAGE_MAX], name[PNG_CHUNK_NAME_MAX];

	word_rows(e, rows);
	if (is(why, "Not enough image data") || is(why, "Not enough compressed data")) {
		chunk_type_name(w->now.type, name);
		fault_set(fault, FAULT_TRUNCATED, w->at,
			  "the image data (%" PRIu64 " bytes of IDAT) end early, before chunk %s at byte %" PRIu64
			  "; %s",
			  w->idat_bytes, name, w->now.offset, rows);
	} else if (is(why, "incorrect data check")) {
		CORRUPT(w->now.offset, "the Adler-32 checksum of the image data does not match them; %s", rows);
	} else if (is(why, "bad adaptive filter value")) {
		CORRUPT(w->now.offset, "row %" PRIu64 " of %" PRIu64 "%s names a filter type above 4; expected 0 to 4",
			e->rows_read + 1, e->rows_total, e->interlaced ? " (of all seven passes)" : "");
	} else {
		CORRUPT(w->now.offset,
			"the compressed image data in chunk IDAT at byte %" PRIu64 " are damaged (%s); %s",
			w->now.offset, why, rows);
	}
}

void decode_error_word(const struct decode_evidence *e, const char *message, struct fault *fault)
{
	const struct chunk_walk *w = &e->walk;
	uint64_t at = w->now.offset;
	char name[PNG_CHUNK_NAME_MAX], words[MESSAGE_MAX];
	const char *why;

	if (e->at_end) {
		word_truncated(e, fault);
		return;
	}
	chunk_type_name(w->now.type, name);
	printable(without_chunk_name(message), words);
	why = words;
	if (strstr(why, "emory")) {
		fault_no_memory(fault, at, "not enough memory to read it (%s)", why);
		return;
	}
	if (w->now.length > PNG_LENGTH_MAX)
		CORRUPT(at,
			"the chunk at byte %" PRIu64 " declares %" PRIu32
			" bytes (type %s); at most 2147483647 are allowed",
			at, w->now.length, name);
	else if (!chunk_type_is_valid(w->now.type))
		CORRUPT(at, "expected a chunk at byte %" PRIu64 ", found the type %s, which is not four letters", at,
			name);
	else if (is(why, "CRC error") && chunk_walk_crc_wrong(w))
		CORRUPT(at,
			"the CRC of chunk %s at byte %" PRIu64 " is wrong: expected %08" PRIx32 " for its %" PRIu32
			" bytes, found %08" PRIx32,
			name, at, w->crc, w->now.length, w->crc_found);
	else if (is(why, "missing IHDR") || is(why, "Missing IHDR before IDAT"))
		CORRUPT(at, "chunk %s at byte %" PRIu64 " is before IHDR", name, at);
	else if (w->now.type == PNG_TYPE_IHDR)
		word_ihdr(e, why, fault);
	else if (is(why, "unhandled critical chunk"))
		CORRUPT(at, "chunk %s at byte %" PRIu64 " is critical (it must be understood) and not defined by PNG",
			name, at);
	else if (is(why, "chunk data is too large"))
		CORRUPT(at, "chunk %s at byte %" PRIu64 " declares %" PRIu32 " bytes, more than PNG readers accept",
			name, at, w->now.length);
	else if (is(why, "Missing PLTE before IDAT"))
		CORRUPT(at, "a palette image without PLTE before chunk IDAT at byte %" PRIu64, at);
	else if (w->now.type == PNG_TYPE_PLTE && is(why, "duplicate"))
		CORRUPT(at, "a second PLTE chunk at byte %" PRIu64, at);
	else if (w->now.type == PNG_TYPE_PLTE && (w->now.length % 3 || w->now.length > 768 || w->now.length == 0))
		CORRUPT(at,
			"chunk PLTE at byte %" PRIu64 " declares %" PRIu32
			" bytes; expected 3 for each of 1 to 256 entries",
			at, w->now.length);
	else if (w->now.type == PNG_TYPE_IEND && !w->idat_seen)
		CORRUPT(at, "chunk IEND at byte %" PRIu64 " is before any image data", at);
	else if (w->idat_seen && (w->now.type == PNG_TYPE_IDAT || e->rows_read < e->rows_total))
		word_idat(e, why, fault);
	else
		CORRUPT(at, "chunk %s at byte %" PRIu64 ": %s", name, at, why);
}

void decode_warning_word(const struct decode_evidence *e, const char *message, struct fault *warning)
{
	const struct chunk_walk *w = &e->walk;
	uint64_t at = w->now.offset;
	char name[PNG_CHUNK_NAME_MAX], words[MESSAGE_MAX];

	chunk_type_name(w->now.type, name);
	printable(without_chunk_name(message), words);
	if (chunk_walk_crc_wrong(w))
		MALFORMED(at,
			  "the CRC of ancillary chunk %s at byte %" PRIu64 " is wrong: expected %08" PRIx32
			  " for its %" PRIu32 " bytes, found %08" PRIx32,
			  name, at, w->crc, w->now.length, w->crc_found);
	else if (is(words, "Extra compressed data") || is(words, "Too much image data"))
		MALFORMED(at, "the image data go on after the last row (chunk IDAT at byte %" PRIu64 "): %s", at,
			  words);
	else if (strstr(words, "Too many IDATs"))
		MALFORMED(at, "chunk IDAT at byte %" PRIu64 " comes after the end of the image data", at);
	else if (w->now.type == PNG_TYPE_TRNS && is(words, "invalid"))
		MALFORMED(at, "chunk tRNS at byte %" PRIu64 " holds %" PRIu32 " bytes, which do not match the image%s",
			  at, w->now.length,
			  w->plte_seen && w->now.length > w->plte_length / 3 ? " (more than PLTE has entries)" : "");
	else if (is(words, "out of place"))
		MALFORMED(at, "chunk %s at byte %" PRIu64 " is in the wrong place", name, at);
	else if (w->now.type == PNG_TYPE_IEND && w->now.length)
		MALFORMED(at, "chunk IEND at byte %" PRIu64 " holds %" PRIu32 " bytes; expected none", at,
			  w->now.length);
	else
		MALFORMED(at, "chunk %s at byte %" PRIu64 ": %s", name, at, words);
}
