#include "read/fields.h"

#include <string.h>

#include "base/mem.h"
#include "read/find_bytes.h"
#include "read/text_lines.h"

const char *field_closing_mark(const char *s, const char *end)
{
	while (s < end && (s = memchr(s, '"', (size_t)(end - s)))) {
		if (s + 1 == end || s[1] != '"')
			return s;
		s += 2;
	}
	return NULL;
}

size_t fields_split(const char *s, const char *end, char separator, struct text_field *out, size_t max, bool *open)
{
	const char other = separator == FIELDS_BLANKS ? '\t' : separator, *const line = s;
	size_t count = 0;

	if (open)
		*open = false;
	for (;; s++) {
		struct text_field f = { 0 };
		const char *close = NULL;

		while (s < end && is_blank(*s) && (*s != separator || separator == FIELDS_BLANKS))
			s++;
		f.at = (uint32_t)(s - line);
		f.quoted = s < end && *s == '"';
		if (f.quoted && !(close = field_closing_mark(s + 1, end)) && open)
			*open = true;
		const char *next = find_bytes(close ? close : s, end, separator, other, other, other), *last = next;

		while (last > s && is_blank(last[-1]))
			last--;
		f.followed = close && last > close + 1;
		f.doubled = close && memchr(s + 1, '"', (size_t)(close - s - 1));
		f.s = close && !f.followed ? s + 1 : s;
		f.n = (size_t)(close && !f.followed ? close - s - 1 : last - s);
		if (last > s || separator != FIELDS_BLANKS) {
			if (out && count < max)
				out[count] = f;
			count++;
		}
		s = next;
		if (s == end || (open && *open))
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
			const size_t n =
				fields_split(lines[i].s, lines[i].s + lines[i].n, separators[k], NULL, 0, NULL);

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

/*
 * Returns the opening mark of a quoted field of the record s..end, after any separator, from a byte on, that is not
 * closed before end; NULL: none.
 */
static const char *field_left_open(const char *s, const char *from, const char *end)
{
	for (const char *mark = from; (mark = memchr(mark, '"', (size_t)(end - mark))); mark++) {
		const char *before = mark;

		while (before > s && before[-1] == ' ')
			before--;
		if (before > s && !strchr(",;|\t", before[-1]))
			continue;
		const char *close = field_closing_mark(mark + 1, end);

		if (!close)
			return mark;
		mark = close;
	}
	return NULL;
}

/* Returns the end of the record that begins at s: of a line, or of the one where its last quoted field is closed. */
static const char *record_end(const char *s, const char *end)
{
	const char *next = find_bytes(s, end, '\n', '\r', '\r', '\r'), *mark, *close = s;

	while (next < end && close && (mark = field_left_open(s, close, next))) {
		close = field_closing_mark(mark + 1, end);
		next = close ? find_bytes(++close, end, '\n', '\r', '\r', '\r') : end;
	}
	return next;
}

size_t fields_lines(const char *s, size_t n, bool whole, bool comments, struct text_field *out, size_t max)
{
	const char *const end = s + n;
	size_t count = 0;

	while (s < end && count < max) {
		const char *next = record_end(s, end), *last = next;

		if (next == end && !whole && count)
			break;
		const char *first = s;

		while (first < last && is_blank(*first))
			first++;
		while (last > first && is_blank(last[-1]))
			last--;
		if (last > first && (comments || *s != '#'))
			out[count++] = (struct text_field){ .s = first, .n = (size_t)(last - first) };
		s = next + (next < end);
	}
	return count;
}

struct text_field field_next_item(struct text_field *rest)
{
	struct text_field item = *rest;
	size_t from = 0, end, n;

	while (from < rest->n && field_between_items(rest->s[from]))
		from++;
	const char *quote = from < rest->n && strchr("\"'", rest->s[from]) ? rest->s + from : NULL;
	const char *closing = quote ? memchr(quote + 1, *quote, rest->n - from - 1) : NULL;

	from += closing != NULL;
	for (end = from; closing ? rest->s + end < closing : end < rest->n && !field_between_items(rest->s[end]); end++)
		;
	item.s += from;
	item.at += (uint32_t)from;
	item.n = end - from;
	for (n = end + (closing != NULL); n < rest->n && field_between_items(rest->s[n]); n++)
		;
	rest->s += n;
	rest->at += (uint32_t)n;
	rest->n -= n;
	return item;
}

size_t field_list_length(const struct text_field *list)
{
	const char *s = list->s, *const end = s + list->n;
	size_t commas = 0, depth = 0, others = 0;

	for (; s < end; s++) {
		others += !field_between_items(*s);
		if (*s == '"')
			for (s++; s < end && *s != '"'; s++)
				s += *s == '\\';
		else if (*s == ',')
			commas += depth == 1;
		else if (*s == '[')
			depth++;
		else if (*s == ']' && depth)
			depth--;
	}
	return others ? commas + 1 : 0;
}
