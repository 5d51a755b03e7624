#include "read/list_runs.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "read/list_words.h"

bool runs_are_none(const char *s, size_t n)
{
	while (n && is_blank(*s)) {
		s++;
		n--;
	}
	return word_is_missing(s, n) || (n == 2 && !memcmp(s, "-1", 2));
}

/* Reads the next integer of *p, at most 15 digits, and the blanks before it. */
static bool next_integer(const char **p, const char *end, int64_t *v)
{
	unsigned digits = 0;

	while (*p < end && is_blank(**p))
		++*p;
	for (*v = 0; *p < end && ascii_isdigit(**p) && digits < 16; ++*p, digits++)
		*v = *v * 10 + (**p - '0');
	return digits && digits < 16 && (*p == end || is_blank(**p));
}

/* Reads all pairs. sound: runs, too. */
static bool are_pairs(const char *s, size_t n, bool sound)
{
	const char *end = s + n;
	int64_t start, length, before = 0;

	while (n && is_blank(end[-1]) && end > s)
		end--;
	if (s == end)
		return false;
	for (const char *p = s; p < end; before = start + length)
		if (!next_integer(&p, end, &start) || !next_integer(&p, end, &length) ||
		    (sound && (length < 1 || start < before)))
			return false;
	return true;
}

bool runs_are_pairs(const char *s, size_t n)
{
	return are_pairs(s, n, false);
}

bool runs_are_sound(const char *s, size_t n)
{
	return are_pairs(s, n, true);
}

struct csv_field field_suffix(const struct csv_field *field)
{
	struct csv_field suffix = *field;
	const char *at = memrchr(field->s, '_', field->n);
	size_t skipped = at ? (size_t)(at - field->s) + 1 : field->n;

	suffix.s += skipped;
	suffix.n -= skipped;
	suffix.column += (uint32_t)skipped;
	return suffix;
}
