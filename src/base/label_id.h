/*
 * An int64_t holds the id of a label. Any integer of a file can be one, and a mask that is read by
 * its colours (base/colour_table.h) has colours besides that no table knows: these must be counted, named and ignored
 * like ids. The two share the type, and no value: colours have the range COLOUR_ID(0) to COLOUR_ID(0xffffff), and no
 * reader lets an integer of this range through. It lies at the end of int64_t, since readers must report for some
 * integers anyway that they are too large; INT64_MAX, which is what tools write for "none", remains a label.
 *
 * Who reads an integer that will be an id asks id_is_label(); base/scan_number.h does for texts. A false answer is an
 * integer above all ids: out of range, whatever is declared. The counters assert it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* 2^63 - 2^25: in hexadecimal the last six digits of a colour's id are the colour. */
#define COLOUR_ID_FIRST (INT64_MAX - 0x1ffffff)
#define COLOUR_ID(rgb)  (COLOUR_ID_FIRST + (int64_t)(rgb))

static inline bool id_is_colour(int64_t id)
{
	return id >= COLOUR_ID_FIRST && id <= COLOUR_ID(0xffffff);
}

static inline bool id_is_label(int64_t v)
{
	return v < COLOUR_ID_FIRST || v == INT64_MAX;
}

static inline uint32_t colour_of_id(int64_t id)
{
	return (uint32_t)(id - COLOUR_ID_FIRST);
}

/* Appends "7", or "#800000" for a colour that is in no table. */
void id_format(int64_t id, struct strbuf *out);
/* Reads "#800000" from s[0..n). */
bool colour_parse(const char *s, size_t n, uint32_t *colour);
