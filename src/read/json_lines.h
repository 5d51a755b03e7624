/*
 * Recognises JSON Lines, an object of JSON a line, by the beginning of a text; csv.h reads them. Pure, any thread.
 *
 * In all: whole: s[0..n) is all of the text, and not its beginning.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the object that s[0..n) begins with has a key. */
bool json_line_has_key(const char *s, size_t n, const char *key);
/* Returns whether the text s[0..n) begins with an object and, on the next line, another or nothing. */
bool json_lines_begin(const char *s, size_t n, bool whole);
/* Returns whether it does, and one of the first object's keys, with a value that is no object, means labels. */
bool json_lines_have_labels(const char *s, size_t n, bool whole);
/* Returns whether it does, and describes images by their file_name, without such a key. */
bool json_lines_are_metadata(const char *s, size_t n, bool whole);
