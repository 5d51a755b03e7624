/*
 * struct json_line: reads the members of an object of JSON that is written on one line, as in JSON Lines. Values that
 * are objects or arrays are skipped whole. Pure, any thread.
 *
 *   struct json_line line;
 *   if (json_line_open(&line, s, n))
 *           while (json_line_next(&line, &member)) ...
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

struct json_line {
	const char *p, *end; /* what was not read yet */
	bool begun;          /* a member was read */
	bool ended;          /* so was the end of the object */
};

/* Points into the line. */
struct json_member {
	const char *key, *value; /* the key without quotation marks; the value as it is written */
	size_t key_n, value_n;
};

/* Returns whether s[0..n) begins with an object. */
bool json_line_open(struct json_line *line, const char *s, size_t n);
/* Reads the next member. Returns false at the end of the object, or where the text is none. */
bool json_line_next(struct json_line *line, struct json_member *out);
/* Returns whether the object has ended, and nothing follows it. */
bool json_line_is_whole(struct json_line *line);
/* Appends a string's characters, of which some are escaped. */
void json_line_unescape(struct strbuf *out, const char *s, size_t n);

/* Returns whether the object that s[0..n) begins with has a key. */
bool json_line_has_key(const char *s, size_t n, const char *key);
/* Returns whether the text s[0..n) begins with an object and, on the next line, another or nothing. whole: it is all.
 */
bool json_lines_begin(const char *s, size_t n, bool whole);
/* Returns whether it does, and one of the first object's keys, with a value that is no object, means labels. */
bool json_lines_have_labels(const char *s, size_t n, bool whole);
/* Returns whether it does, and describes images by their file_name, without such a key. */
bool json_lines_are_metadata(const char *s, size_t n, bool whole);
