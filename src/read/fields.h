/*
 * Splits a line into its fields: the one splitter of the program's texts, but for the records of a whole list, which
 * may span lines (read/csv.h). Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A separator: any run of spaces and tabs. */
#define FIELDS_BLANKS ' '

struct text_field {
	const char *s; /* in the line */
	size_t n;
};

/*
 * Fills out[0..max) with the fields of s..end, without blanks around them and without the marks of a quoted one, which
 * may hold separators; a doubled mark in it stays. Returns the number of all fields, also beyond max.
 */
size_t fields_split(const char *s, const char *end, char separator, struct text_field *out, size_t max);

/* Returns the separator that gives most of these lines as many fields as the first, two or more; ',' if none does. */
char fields_guess_separator(const struct text_field *lines, size_t count);

/*
 * Splits a text into its first lines, without blanks around them: at most max, blank ones left out. Lines end in LF, CR
 * or both. The last one must be complete, unless it is the only one; whole: the text ends there. comments: also lines
 * that begin with #. Returns their number.
 */
size_t fields_lines(const char *s, size_t n, bool whole, bool comments, struct text_field *out, size_t max);
