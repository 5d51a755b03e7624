#include "read/count_line.h"

#include <string.h>

#include "base/ascii.h"
#include "base/find_bytes.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "read/text_lines.h"

enum { DIGITS_MAX = 12 };

static bool separates(char c)
{
	return is_blank(c) || c == ',' || c == ';' || c == '|';
}

/* Counts the fields of s[0..n), and whether one of them is a number. */
static size_t count_fields(const char *s, size_t n, bool *number)
{
	size_t fields = 0;

	*number = false;
	for (size_t i = 0, first; i < n; i++) {
		struct decimal_value v;

		if (separates(s[i]))
			continue;
		for (first = i; i < n && !separates(s[i]);)
			i++;
		*number |= scan_decimal(s + first, s + i, &v) == s + i;
		fields++;
	}
	return fields;
}

/* Returns the line at s, without blanks and the CR at its end, and in *next what follows. */
static size_t line_at(const char *s, const char *end, const char **next)
{
	const char *stop = find_bytes(s, end, '\n', '\n', '\n', '\n');

	*next = stop + (stop < end);
	while (stop > s && (is_blank(stop[-1]) || stop[-1] == '\r'))
		stop--;
	return (size_t)(stop - s);
}

size_t count_line(const char *s, size_t n, bool whole, uint64_t *rows)
{
	const char *end = s + n, *after, *next;
	size_t digits = line_at(s, end, &after), lines = 0, alike = 0, fields = 0;
	bool header = false, number;

	if (!digits || digits > DIGITS_MAX || !ascii_isdigit(s[0]) || !scan_whole_uint64(s, digits, rows) || !*rows)
		return 0;
	for (const char *line = after; line < end; line = next) {
		const size_t length = line_at(line, end, &next);
		const size_t count = count_fields(line, length, &number);

		if (next == end && end[-1] != '\n' && !whole)
			break; /* incomplete */
		if (!count)
			continue;
		if (!lines++) {
			if (count < 2)
				return 0; /* most texts: a column of ids */
			fields = count;
			header = !number;
			alike++;
		} else {
			/* the first column of rows may have no word */
			fields += lines == 2 && header && count == fields + 1;
			alike += count == fields;
		}
	}
	const uint64_t seen = lines - header;

	if (!lines || 10 * alike < 9 * lines || (header && !seen))
		return 0;
	return header || (whole ? seen == *rows : seen <= *rows) ? (size_t)(after - s) : 0;
}
