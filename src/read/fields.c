#include "read/fields.h"

#include <string.h>

#include "base/mem.h"
#include "read/find_bytes.h"
#include "read/text_lines.h"

/* Returns the end of the field at s: the next separator, or end. A quoted field ends after its closing mark. */
static const char *field_end(const char *s, const char *end, char separator)
{
	const char other = separator == FIELDS_BLANKS ? '\t' : separator;

	for (const char *p = s + 1; s < end && *s == '"' && (p = memchr(p, '"', (size_t)(end - p))); p += 2)
		if (p + 1 == end || p[1] != '"') {
			s = p;
			break;
		}
	return find_bytes(s, end, separator, other, other, other);
}

size_t fields_split(const char *s, const char *end, char separator, struct text_field *out, size_t max)
{
	size_t count = 0;

	for (;; s++) {
		while (s < end && *s != separator && is_blank(*s))
			s++;
		const char *next = field_end(s, end, separator), *last = next;

		while (last > s && is_blank(last[-1]))
			last--;
		if (last > s || separator != FIELDS_BLANKS) {
			const bool quoted = last - s >= 2 && *s == '"' && last[-1] == '"';

			if (out && count < max)
				out[count] = (struct text_field){ s + quoted, (size_t)(last - s) - (quoted ? 2 : 0) };
			count++;
		}
		s = next;
		if (s == end)
			return count;
	}
}

char fields_guess_separator(const struct text_field *lines, size_t count)
{
	static const char separators[] = { '\t', ',', ';', '|', FIELDS_BLANKS }; /* names may hold blanks */
	char best = ',';
	size_t best_score = 0;

	for (size_t k = 0; k < ARRAY_SIZE(separators); k++) {
		size_t score = 0, first = 0;

		for (size_t i = 0; i < count; i++) {
			const size_t n = fields_split(lines[i].s, lines[i].s + lines[i].n, separators[k], NULL, 0);

			first = i ? first : n;
			score += n < 2 ? 0 : n == first ? 2 : 1;
		}
		if (score > best_score) {
			best = separators[k];
			best_score = score;
		}
	}
	return best;
}

size_t fields_lines(const char *s, size_t n, bool whole, bool comments, struct text_field *out, size_t max)
{
	const char *const end = s + n;
	size_t count = 0;

	while (s < end && count < max) {
		const char *next = find_bytes(s, end, '\n', '\r', '\r', '\r'), *last = next;

		if (next == end && !whole && count)
			break;
		const char *first = s;

		while (first < last && is_blank(*first))
			first++;
		while (last > first && is_blank(last[-1]))
			last--;
		if (last > first && (comments || *s != '#'))
			out[count++] = (struct text_field){ first, (size_t)(last - first) };
		s = next + (next < end);
	}
	return count;
}
