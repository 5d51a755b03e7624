/*
 * Splits a line into its fields: the one splitter of the program's texts. Pure, any thread.
 *
 * As in RFC 4180, a field may be quoted: then separators are part of it, and a doubled quotation mark is one. Beyond
 * the RFC: a mark inside a field that does not begin with one is an ordinary character; text between a closing mark and
 * the separator belongs to the field, as in Python's csv and pandas; blanks around fields are removed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A separator: any run of spaces and tabs. */
#define FIELDS_BLANKS ' '

struct text_field {
	const char *s; /* in the line, without the marks of a quoted field, but for those that are doubled */
	size_t n;
	uint32_t at;   /* where it begins in its line, its mark included */
	bool quoted;   /* it began with a mark */
	bool doubled;  /* some of its marks are doubled */
	bool followed; /* text follows its closing mark: s begins with the opening one */
};

/*
 * Fills out[0..max) with the fields of s..end. Returns the number of all, also beyond max; *open (or NULL): the last is
 * quoted, and its closing mark is not in the line.
 */
size_t fields_split(const char *s, const char *end, char separator, struct text_field *out, size_t max, bool *open);

/* Returns the closing mark of a quoted field from s on, which is after its opening one; NULL: it is not before end. */
const char *field_closing_mark(const char *s, const char *end);

/* Returns the separator that gives most of these lines as many fields as the first, two or more; ',' if none does. */
char fields_guess_separator(const struct text_field *lines, size_t count);

/*
 * Splits a text into its first lines, without blanks around them: at most max, blank ones left out. Lines end in LF, CR
 * or both, but for those within a quoted field. The last one must be complete, unless it is the only one; whole: the
 * text ends there. comments: also lines that begin with #. Returns their number.
 */
size_t fields_lines(const char *s, size_t n, bool whole, bool comments, struct text_field *out, size_t max);

/* Returns whether a byte is between the items of a list. */
static inline bool field_between_items(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == '[' || c == ']' || c == ';' || c == '|' || c == '\r' ||
	       c == '\n' || !c;
}

/* Takes the next item of a list as written: [3, 14, 7], 3 14 7, ["O", "B-PER"]. Nothing is left after the last one. */
struct text_field field_next_item(struct text_field *rest);
/* Returns how many items a list of JSON has; those of a list in it are one. */
size_t field_list_length(const struct text_field *list);
