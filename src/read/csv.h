/*
 * struct csv: reads the records of a text whose columns are separated by commas, semicolons, tabs, bars or blanks.
 *
 * As in RFC 4180, a field may be quoted: then separators and line ends are part of it, and a doubled quotation mark is
 * one. Beyond the RFC:
 *   - LF alone and CR alone also end a line;
 *   - blank lines, comments and the lines that DOTA's label files begin with (imagesource:, gsd:) are skipped;
 *   - a mark inside a field that does not begin with one is an ordinary character;
 *   - text between a closing mark and the separator belongs to the field (as in Python's csv and pandas);
 *   - blanks around unquoted fields are removed;
 *   - if blanks separate, any run of spaces and tabs is one separator;
 *   - an object of JSON a line is a record, of 256 values at most, below one of the keys of the first object;
 *   - a first line that is the number of the rows is no record;
 *   - a header of one word fewer than the rows have fields is that of all fields but the first, as R writes it and
 *     pandas reads it: an empty field is put before it.
 * A comment is a line that begins with # and has fewer columns than the first row or, if blanks separate, another
 * number of columns. NumPy skips comments, pandas does not.
 *
 * Bounded: a record of at most TEXT_LINE_MAX bytes and CSV_FIELDS_MAX fields. Owner: the reader of one file; one
 * thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "read/text_lines.h"
#include "read/text_look.h"

enum {
	CSV_FIELDS_MAX = 8192, /* pixels of 64 x 64 in 2 channels; lists of labels have tens of columns */
	/* The first bytes, from which the separator and the columns are inferred. */
	CSV_SAMPLE_BYTES = 64 << 10,
};

struct csv_field {
	const char *s; /* valid until the next record */
	size_t n;
	uint32_t column; /* where it begins in its line, from 1, in bytes */
	uint32_t line;   /* of the record's lines, from 0 */
	bool quoted;
	size_t offset; /* of JSON: in csv.unquoted, while a record is read */
};

struct csv {
	struct text_lines text;
	struct text_look look;    /* what its first bytes are */
	char separator;           /* ',', ';', '\t', '|' or FIELDS_BLANKS */
	struct csv_field *fields; /* owned; CSV_FIELDS_MAX of them */
	struct strbuf unquoted;   /* the fields that had doubled marks */
	uint64_t lines;           /* read so far */
	size_t columns;           /* of the first record that does not begin with #; 0: none read yet */
	size_t skipped;           /* bytes of the line that counts the rows */
	uint64_t records;         /* read so far */
	struct strbuf keys;       /* of JSON Lines, each with a NUL */
	size_t keys_count;
	uint64_t comments, first_comment; /* their number, and the line of the first */

	/* the current record */
	size_t count;      /* of its fields; at least 1 */
	uint64_t line;     /* its first line, from 1 */
	const char *bytes; /* its first byte */
	size_t size;       /* in bytes, without the line end */
	bool stray_quote;  /* a mark inside a field that does not begin with one, or text after a closing mark */
	bool lone_cr;      /* a CR alone ended it */
};

/* Opens a text. form: of its rows, if the user declares it; else NULL. Returns false if *fault is set. */
bool csv_open(struct csv *c, struct input *in, const struct box_form *form, struct fault *fault);
void csv_close(struct csv *c);
/* Rewinds to the first record. */
bool csv_rewind(struct csv *c, struct fault *fault);
/* Reads the next record. Returns false at the end, or if *fault is set. */
bool csv_next(struct csv *c, struct fault *fault);
