/*
 * struct csv: reads the records of a text whose columns are separated by commas, semicolons, tabs, bars or blanks.
 *
 * A record is a line, split as read/fields.h says; a quoted field may hold line ends. Further:
 *   - blank lines, comments and the lines that DOTA's label files begin with (imagesource:, gsd:) are skipped;
 *   - an object of JSON a line is a record, of 256 values at most, below one of the keys of the first object, a.b if
 *     it is of an object in this; and so is each element of an array of JSON that is the whole text;
 *   - a first line that is the number of the rows is no record.
 * A comment is a line that begins with # and has fewer columns than the first row or, if blanks separate, another
 * number of columns. NumPy skips comments, pandas does not.
 *
 * Bounded: a record of at most TEXT_LINE_MAX bytes, in JSON JSON_ROW_MAX, and CSV_FIELDS_MAX fields. Owner: the reader
 * of one file; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "read/fields.h"
#include "read/text_lines.h"

enum {
	CSV_FIELDS_MAX = 8192, /* pixels of 64 x 64 in 2 channels; lists of labels have tens of columns */
	/* The first bytes, from which the separator and the columns are inferred. */
	CSV_SAMPLE_BYTES = 64 << 10,
	JSON_ROW_MAX = 4 << 20, /* bytes; 128k tokens with masks and labels take 2 MB */
};

enum json_rows {
	JSON_ROWS_NONE,       /* no JSON */
	JSON_LINES,           /* an object a line */
	JSON_ROWS_OF_OBJECTS, /* in an array */
	JSON_ROWS_OF_VALUES,  /* the same, each row of one column: a number or a list */
};

/* The last place of csv_place() in a record of several lines. */
struct csv_place {
	uint32_t at, begin; /* begin: of its line */
	uint64_t lines;     /* before it, in the record */
};

struct csv {
	struct text_lines text;
	char separator; /* ',', ';', '\t', '|' or FIELDS_BLANKS */
	enum json_rows json;
	bool hashes_are_comments;  /* every line that begins with # is, if there are others */
	bool counted;              /* the first line is the number of the records */
	struct text_field *fields; /* owned; valid until the next record */
	size_t fields_cap;
	struct strbuf unquoted; /* the record, where fields have doubled marks; of JSON, strings with escapes */
	size_t columns;         /* of the first record that does not begin with #; 0: none read yet */
	uint64_t records;       /* read so far */
	struct strbuf keys;     /* of JSON, each with a NUL */
	size_t keys_count;
	struct strbuf path;               /* of the current member of JSON: a.b */
	uint64_t values;                  /* of JSON that were read */
	uint64_t line_at;                 /* JSON: offset of the current line */
	bool closed;                      /* JSON: the array's end was read */
	uint64_t comments, first_comment; /* their number, and the line of the first */

	/* the current record */
	size_t count;    /* of its fields; at least 1 */
	uint64_t line;   /* its first line, from 1 */
	uint32_t column; /* where it begins in that */
	bool folded;     /* it may reach to further lines */
	struct csv_place place;
	const char *bytes; /* its first byte */
	size_t size;       /* in bytes, without the line end */
	bool stray_quote;  /* a mark inside a field that does not begin with one, or text after a closing mark */
	bool lone_cr;      /* a CR alone ended it */
};

/* Opens a text, and reads CSV_SAMPLE_BYTES of it, or all. Returns false if *fault is set; close it all the same. */
bool csv_open(struct csv *c, struct input *in, struct fault *fault);
/* Begins to read records, once it is known what the text is. counted: after their number. */
bool csv_begin(struct csv *c, char separator, enum json_rows json, bool counted, struct fault *fault);
void csv_close(struct csv *c);
/* Rewinds to the first record. */
bool csv_rewind(struct csv *c, struct fault *fault);
/* Reads the next record. Returns false at the end, or if *fault is set. */
bool csv_next(struct csv *c, struct fault *fault);
/* The caller read `count` elements of an array of JSON, which end before byte `to` of the window. */
void csv_skip_values(struct csv *c, const char *to, size_t count);
/* Returns the column, from 1, of byte `at` of the current record in its line; *line: that of the text. */
uint32_t csv_place(struct csv *c, size_t at, uint64_t *line);

/* Returns whether a line is one that DOTA's label files begin with: "imagesource:GoogleEarth", "gsd:0.146". */
bool text_is_dota_head(const char *s, size_t n);
