/*
 * struct csv: records and fields of a text whose columns are separated by commas, semicolons, tabs or blanks.
 *
 * RFC 4180: a field may stand between quotation marks, where separators and line ends mean nothing and two marks are
 * one. Beyond it: LF and CR as line ends, blank lines and comments (lines that begin with # and have fewer columns than
 * the first row, or other ones between blanks: NumPy skips them, pandas does not) are passed over, a mark inside a bare
 * field is a character of it, and so is what stands between a closing mark and the separator (Python's csv and pandas
 * do the same). Blanks around bare fields are taken off. Separated by blanks, any run of spaces and tabs is one
 * separator.
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
	bool stray_quote;  /* a mark inside a bare field, or something behind a closing one */
	bool lone_cr;      /* a CR alone ended it */
};

/* Tells the separator by the first lines. False with the fault filled. */
bool csv_open(struct csv *c, struct input *in, struct fault *fault);
void csv_close(struct csv *c);
/* Back to the first record. */
bool csv_rewind(struct csv *c, struct fault *fault);
/* Whether there was a record; if not: the end, or a fault. */
bool csv_next(struct csv *c, struct fault *fault);

/* The separator of a text that begins with s[0..n); whole: it also ends there. For those who only look. */
char csv_guess_separator(const char *s, size_t n, bool whole);

#endif
