#include "read/count_line.h"

#include "base/ascii.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "read/line_at.h"

enum { DIGITS_MAX = 12 };

static bool separates(char c)
{
	return is_blank(c) || c == ',' || c == ';' || c == '|';
}

/* Counts the fields of a line, and whether one of them is a number. */
static size_t count_fields(const struct line_span *l, bool *number)
{
	size_t fields = 0;

	*number = false;
	for (const char *p = l->s, *first; p < l->end; p++) {
		struct decimal_value v;

		if (separates(*p))
			continue;
		for (first = p; p < l->end && !separates(*p);)
			p++;
		*number |= scan_decimal(first, p, &v) == p;
		fields++;
	}
	return fields;
}

size_t count_line(const char *s, size_t n, bool whole, uint64_t *rows)
{
	const char *end = s + n;
	const struct line_span first = line_at(s, end);
	const size_t digits = (size_t)(first.end - first.s);
	size_t lines = 0, alike = 0, fields = 0;
	bool header = false, number;

	if (!digits || digits > DIGITS_MAX || !ascii_isdigit(s[0]) || !scan_whole_uint64(s, digits, rows) || !*rows)
		return 0;
	for (struct line_span line = first; line.next < end;) {
		line = line_at(line.next, end);
		const size_t count = count_fields(&line, &number);

		if (line.next == end && end[-1] != '\n' && !whole)
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
	return header || (whole ? seen == *rows : seen <= *rows) ? (size_t)(first.next - s) : 0;
}
