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
 *   - a first line that is the number of the rows (read/count_line.h) is no record;
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
#include "read/text_boxes.h"
#include "read/text_lines.h"

enum {
	CSV_FIELDS_MAX = 8192, /* pixels of 64 x 64 in 2 channels; lists of labels have tens of columns */
	/* The first bytes, from which the separator and the columns are inferred. */
	CSV_SAMPLE_BYTES = 64 << 10,
};

/* A separator: any run of spaces and tabs. */
#define CSV_BLANKS ' '

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
	char separator;           /* ',', ';', '\t', '|' or CSV_BLANKS */
	struct csv_field *fields; /* owned; CSV_FIELDS_MAX of them */
	struct strbuf unquoted;   /* the fields that had doubled marks */
	uint64_t lines;           /* read so far */
	enum text_boxes boxes;    /* what its rows are, by the first lines */
	size_t columns;           /* of the first record that does not begin with #; 0: none read yet */
	bool counted, lacks_word; /* it has a line that counts its rows; its header lacks the first word */
	uint64_t announced;       /* by that line */
	uint64_t records;         /* read so far */
	bool json;                /* JSON Lines (read/json_lines.h), and its keys, each with a NUL */
	struct strbuf keys;
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

/* Opens a text and guesses its separator from the first lines. Returns false if *fault is set. */
bool csv_open(struct csv *c, struct input *in, struct fault *fault);
void csv_close(struct csv *c);
/* Rewinds to the first record. */
bool csv_rewind(struct csv *c, struct fault *fault);
/* Reads the next record. Returns false at the end, or if *fault is set. */
bool csv_next(struct csv *c, struct fault *fault);

/* Returns whether a line is one that DOTA's label files begin with: "imagesource:GoogleEarth", "gsd:0.146". */
bool csv_is_dota_head(const char *s, size_t n);

/* Returns whether a line, s[0..n), is two words or more, none of them a number or a path. */
bool csv_is_words(const char *s, size_t n, char separator);
/* Guesses the separator of a text from its beginning, s[0..n); whole: that is all of it. */
char csv_guess_separator(const char *s, size_t n, bool whole);
