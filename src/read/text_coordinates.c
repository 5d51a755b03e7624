#include "read/text_coordinates.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "read/count_line.h"
#include "read/line_at.h"
#include "read/list_words.h"

enum { WORDS_MAX = 16, BOX_MIN = 4, PIXELS_MIN = 12 };

static bool separates(char c)
{
	return is_blank(c) || c == ',' || c == ';' || c == '"';
}

/* Counts a line's fields. Returns 0 if one of them is no number; else *first and *most are the first and largest. */
static size_t count_numbers(struct line_span l, int64_t *first, int64_t *most)
{
	size_t count = 0;

	*most = INT64_MIN;
	for (const char *p = l.s, *field; p < l.end; p++) {
		struct decimal_value v;

		if (separates(*p))
			continue;
		for (field = p; p < l.end && !separates(*p);)
			p++;
		if (scan_decimal(field, p, &v) != p || v.kind != NUMBER_FINITE)
			return 0;
		*first = count++ ? *first : v.units;
		*most = MAX(*most, v.units);
	}
	return count;
}

static bool is_pts(const char *s, size_t n)
{
	return n > 8 && !memcmp(s, "version:", 8) && memmem(s, MIN(n, (size_t)64), "n_points:", 9);
}

/* Returns whether a first line counts points or boxes, of two to four numbers, of which the first are no numbering. */
static bool is_counted_points(const char *s, size_t n, bool whole)
{
	uint64_t rows;
	int64_t before = 0, first = 0, most, largest = 0;
	bool serial = true;
	const size_t skipped = count_line(s, n, whole, &rows);
	const char *const end = s + n;
	unsigned lines = 0;

	for (const char *p = s + skipped; skipped && p < end; lines++) {
		const struct line_span l = line_at(p, end);
		const size_t count = count_numbers(l, &first, &most);

		p = l.next;
		if (p == end && !whole && lines)
			break; /* incomplete */
		if (count < 2 || count > BOX_MIN)
			return false;
		serial &= !lines || first == before + DECIMAL_ONE;
		before = first;
		largest = MAX(largest, most);
	}
	return lines > 1 && !serial && largest >= PIXELS_MIN * DECIMAL_ONE;
}

/* Returns whether each image is followed by the number of its boxes, and these. */
static bool is_blocks_of_boxes(const char *s, size_t n, bool whole)
{
	const char *const end = s + n;
	unsigned blocks = 0;

	for (struct line_span l = line_at(s, end); l.s < end; blocks++) {
		uint64_t boxes;
		int64_t first, most;

		if (!value_looks_like_path(l.s, (size_t)(l.end - l.s)) || l.next == end)
			return false;
		l = line_at(l.next, end);
		if (!scan_whole_uint64(l.s, (size_t)(l.end - l.s), &boxes))
			return l.next == end && !whole && blocks;
		l = line_at(l.next, end);
		/* an image without boxes may have one of zeros */
		for (uint64_t i = 0; i < boxes || (i == 0 && count_numbers(l, &first, &most) >= BOX_MIN); i++) {
			if (l.next == end && !whole)
				return blocks || i;
			if (count_numbers(l, &first, &most) < BOX_MIN)
				return false;
			l = line_at(l.next, end);
		}
	}
	return blocks;
}

/* Returns whether the first field of the text at s is a number. */
static bool begins_with_number(const char *s, const char *end)
{
	struct decimal_value v;

	while (s < end && separates(*s))
		s++;
	return s < end && scan_decimal(s, end, &v) > s;
}

/* Returns whether lines are four corners and a text that is written there, with commas: ICDAR's. */
static bool is_texts_in_quads(const char *s, size_t n, bool whole)
{
	enum { CORNERS = 8, LINES_MAX = 40 };
	const char *const end = s + n, *texts[LINES_MAX];
	size_t lengths[LINES_MAX], lines = 0, again = 0, words = 0;

	for (const char *p = s; p < end && lines < LINES_MAX;) {
		const struct line_span l = line_at(p, end);
		const char *field = l.s;

		p = l.next;
		if (p == end && !whole && lines)
			break; /* incomplete */
		if (l.s == l.end)
			continue;
		for (int i = 0; i < CORNERS; i++) {
			struct decimal_value v;
			const char *next = scan_decimal(field, l.end, &v);

			if (next == field || next == l.end || *next != ',')
				return false;
			field = next + 1;
		}
		words += scan_decimal(field, l.end, &(struct decimal_value){ 0 }) == field;
		texts[lines] = field;
		lengths[lines] = (size_t)(l.end - field);
		/* what nobody can read is written alike */
		for (size_t k = 0; k < lines && ascii_isalnum(*field); k++)
			if (lengths[k] == lengths[lines] && !memcmp(texts[k], field, lengths[k])) {
				again++;
				break;
			}
		lines++;
	}
	/* words that come again are classes */
	return words && 4 * again <= lines;
}

/* Returns whether the first line is a header of coordinates, sizes and paths alone. */
static bool has_header_of_points(const char *s, size_t n, bool whole)
{
	struct plain_word words[WORDS_MAX];
	uint64_t rows;
	size_t count = 0, numbers = 0;
	const size_t skipped = count_line(s, n, whole, &rows);
	const struct line_span l = line_at(s + skipped, s + n);

	for (const char *p = l.s, *word; p < l.end && count < WORDS_MAX; p++) {
		if (separates(*p))
			continue;
		for (word = p; p < l.end && !separates(*p);)
			p++;
		plain_word(word, (size_t)(p - word), &words[count++]);
	}
	for (size_t i = 0; i < count; i++) {
		const bool point = word_is_coordinate(&words[i]) || word_is_of_point(words, count, i);
		const bool name = word_path_rank(&words[i]) >= 0 ||
				  (!i && !word_hints_at_label(&words[i]) && !begins_with_number(l.next, s + n));

		if (!point && !word_is_other_number(&words[i]) && !name)
			return false;
		numbers += point;
	}
	return numbers > 1;
}

bool text_is_coordinates(const char *s, size_t n, bool whole)
{
	if (n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3)) {
		s += 3;
		n -= 3;
	}
	if (!n || is_blank(s[0]))
		return false;
	return is_texts_in_quads(s, n, whole) || is_pts(s, n) || is_counted_points(s, n, whole) ||
	       has_header_of_points(s, n, whole) || is_blocks_of_boxes(s, n, whole);
}
