/*
 * Recognises a first line that is the number of the rows after it, as CelebA's tables and WIDER Pedestrian's boxes
 * have. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the bytes of that line with its end, and in *rows its number; 0 if the text that begins with s[0..n) has
 * none. The lines after it must have the same number of fields, two or more; below a header they may have one more. If
 * they begin without a header, they must be as many as the line says. whole: s[0..n) is all of the text.
 */
size_t count_line(const char *s, size_t n, bool whole, uint64_t *rows);
