/*
 * struct csv: records and fields of a text whose columns are separated by commas, semicolons, tabs or blanks.
 *
 * As RFC 4180 says, a field may stand between quotation marks; between them separators and line ends mean nothing, and
 * two marks are one. Beyond the RFC:
 *   - LF alone and CR alone are line ends, too;
 *   - blank lines, comments and the lines that DOTA's label files begin with (imagesource:, gsd:) are passed over;
 *   - a mark inside a field that does not begin with one is a character of it;
 *   - what stands between a closing mark and the separator belongs to the field (as in Python's csv and pandas);
 *   - blanks around fields without marks are taken off;
 *   - where blanks separate, any run of spaces and tabs is one separator.
 * A comment is a line that begins with # and has fewer columns than the first row or, where blanks separate, another
 * number of them. NumPy skips these lines, pandas does not.
 *
 * Bounded: a record of at most TEXT_LINE_MAX bytes and CSV_FIELDS_MAX fields. Owner: the reader of one file; one
 * thread.
 */
#ifndef READ_CSV_H
#define READ_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "read/text_lines.h"

enum {
	CSV_FIELDS_MAX = 8192, /* a row of pixels of 64 x 64 in 2 channels; a list of labels has tens of columns */
	/* From which the separator and the columns are inferred. */
	CSV_SAMPLE_BYTES = 64 << 10,
};

/* Separates by any run of spaces and tabs. */
#define CSV_BLANKS ' '

struct csv_field {
	const char *s; /* valid until the next record */
	size_t n;
	uint32_t column; /* where it begins in its line, from 1, in bytes */
	uint32_t line;   /* of the record's lines, from 0 */
	bool quoted;     /* it begins with a mark */
};

struct csv {
	struct text_lines text;
	char separator;                   /* ',', ';', '\t' or CSV_BLANKS */
	struct csv_field *fields;         /* owned; CSV_FIELDS_MAX of them */
	struct strbuf unquoted;           /* fields that had doubled marks in them */
	uint64_t lines;                   /* that were read */
	size_t columns;                   /* of the first record that does not begin with #; 0: none was read yet */
	uint64_t comments, first_comment; /* how many since the beginning, and the line of the first */

	/* the record */
	size_t count;      /* its fields; at least 1 */
	uint64_t line;     /* its first line, from 1 */
	const char *bytes; /* its first byte */
	size_t size;       /* how many, without the line end */
	bool stray_quote;  /* a mark inside a field that does not begin with one, or something behind a closing mark */
	bool lone_cr;      /* a CR alone ended it */
};

/* Opens a text, and guesses its separator from the first lines. False with the fault filled. */
bool csv_open(struct csv *c, struct input *in, struct fault *fault);
void csv_close(struct csv *c);
/* Back to the first record. */
bool csv_rewind(struct csv *c, struct fault *fault);
/* Reads the next record. False: there is none, or the fault is filled. */
bool csv_next(struct csv *c, struct fault *fault);

/* Whether a line is one of those that DOTA's label files begin with: "imagesource:GoogleEarth", "gsd:0.146343590398".
 */
bool csv_is_dota_head(const char *s, size_t n);

/* Guesses the separator of a text of which s[0..n) is the beginning; whole: it is all. */
char csv_guess_separator(const char *s, size_t n, bool whole);

#endif
