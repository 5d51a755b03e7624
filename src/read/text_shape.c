#include "read/text_shape.h"

#include <string.h>
#include <strings.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "read/count_line.h"
#include "read/csv.h"
#include "read/find_bytes.h"
#include "read/list_words.h"
#include "read/text_boxes.h"
#include "read/text_coordinates.h"

enum { LINES_MAX = 40, TOKENS_MAX = 16, WIDE_BYTES = 1024, COUNTED_LINES = 8 };

struct span {
	const char *s;
	size_t n;
};

/* The first TOKENS_MAX fields of a line. */
struct tokens {
	struct span v[TOKENS_MAX];
	size_t count; /* of all fields, also beyond TOKENS_MAX */
};

static void add_token(struct tokens *t, const char *s, const char *end)
{
	while (s < end && is_blank(*s))
		s++;
	while (s < end && is_blank(end[-1]))
		end--;
	if (end - s >= 2 && *s == '"' && end[-1] == '"') {
		s++;
		end--;
	}
	if (t->count < TOKENS_MAX)
		t->v[t->count] = (struct span){ s, (size_t)(end - s) };
	t->count++;
}

static void split(struct span line, char separator, struct tokens *t)
{
	const char other = separator == CSV_BLANKS ? '\t' : separator;
	const char *p = line.s, *end = line.s + line.n;

	t->count = 0;
	for (;; p++) {
		const char *start = p;

		p = find_bytes(p, end, separator, other, other, other);
		if (separator != CSV_BLANKS || p > start)
			add_token(t, start, p);
		if (p == end)
			return;
	}
}

/* Finds the first lines that are not blank; the last must be complete, unless it is the only one. */
static size_t split_some_lines(const char *s, size_t n, bool whole, bool comments, struct span lines[LINES_MAX])
{
	const char *end = s + n;
	size_t count = 0;

	while (s < end && count < LINES_MAX) {
		const char *line_end = find_bytes(s, end, '\n', '\r', '\r', '\r');
		const char *p = s;

		while (p < line_end && is_blank(*p))
			p++;
		if (p < line_end && (line_end < end || whole || !count) && (comments || *s != '#'))
			lines[count++] = (struct span){ s, (size_t)(line_end - s) };
		s = line_end + (line_end < end);
	}
	return count;
}

/* Lines that begin with # may be comments: they count only if there are no others. */
static size_t split_lines(const char *s, size_t n, bool whole, struct span lines[LINES_MAX])
{
	size_t count = split_some_lines(s, n, whole, false, lines);

	return count ? count : split_some_lines(s, n, whole, true, lines);
}

/* Skips a first line that counts the rows. */
static void skip_count_line(const char **s, size_t *n, bool whole)
{
	uint64_t ignored;
	const size_t bytes = count_line(*s, *n, whole, &ignored);

	*s += bytes;
	*n -= bytes;
}

/* Also one that is too large to be an id: what is wrong with it does not make it a word. */
static bool is_integer(struct span t)
{
	int64_t v;
	enum integer_kind kind = scan_integer(t.s, t.n, &v);

	return kind == INTEGER_EXACT || kind == INTEGER_OVERFLOW;
}

/* Returns whether it is an integer, also one written as 3.0 or 3.000e+00, as np.savetxt does. */
static bool is_whole(struct span t)
{
	int64_t v;
	enum integer_kind kind = scan_integer(t.s, t.n, &v);

	return kind == INTEGER_EXACT || kind == INTEGER_DECIMAL || kind == INTEGER_OVERFLOW;
}

static bool is_fraction(struct span t)
{
	int64_t v;

	return scan_integer(t.s, t.n, &v) == INTEGER_FRACTION;
}

/* 000042: the name of an image, not a class. */
static bool is_padded(struct span t)
{
	return t.n >= 4 && t.s[0] == '0';
}

/* ---- YOLO ------------------------------------------------------------------------------------------------------- */

enum { NO_COORDINATE, MAYBE_COORDINATE, COORDINATE };

/* Rates a field as a fraction of an image's size, even a miswritten one (0,5 or 0x1p-1 or nan); 0, 1, 2 may be one. */
static int coordinate_likeness(struct span t)
{
	static const char odd[] = "+-.,_xp";
	bool point = false;

	if (t.n == 1 && t.s[0] >= '0' && t.s[0] <= '2')
		return MAYBE_COORDINATE;
	if ((t.n == 3 && !strncasecmp(t.s, "nan", 3)) || (t.n >= 3 && !strncasecmp(t.s, "inf", 3)))
		return COORDINATE;
	for (size_t i = 0; i < t.n; i++) {
		if (t.s[i] == 'e' || t.s[i] == 'E' || t.s[i] == '.' || t.s[i] == ',' || t.s[i] == 'x')
			point = true;
		else if (!ascii_isdigit(t.s[i]) && !strchr(odd, t.s[i]))
			return NO_COORDINATE;
	}
	return point ? COORDINATE : NO_COORDINATE;
}

static bool is_like_box(struct span line)
{
	struct tokens t;
	bool any = false;
	int64_t v;

	split(line, CSV_BLANKS, &t);
	/* a fraction is no class: a row of features, or of a camera's pose */
	if (t.count < 4 || ((t.count > 6 || t.count == 4) && is_fraction(t.v[0])))
		return false;
	for (size_t i = 1; i < MIN(t.count, (size_t)TOKENS_MAX); i++) {
		int likeness = coordinate_likeness(t.v[i]);

		if (likeness == NO_COORDINATE)
			return false;
		any = any || likeness == COORDINATE;
	}
	if (!any || scan_integer(t.v[0].s, t.v[0].n, &v) != INTEGER_NONE)
		return any;
	/* a class name instead of an id; but not a file name with scores after it */
	return t.count == 5 && !memchr(t.v[0].s, '.', t.v[0].n) && !memchr(t.v[0].s, '/', t.v[0].n);
}

/* Returns whether a line begins with a digit, and has five fields or more: no name or corner of a box in pixels. */
static bool is_like_yolo_row(struct span line)
{
	struct tokens t;

	split(line, CSV_BLANKS, &t);
	return t.count > 4 && ascii_isdigit(t.v[0].s[0]);
}

/* ---- DOTA ------------------------------------------------------------------------------------------------------- */

static bool is_number(struct span t)
{
	struct decimal_value v;

	return t.n && scan_decimal(t.s, t.s + t.n, &v) == t.s + t.n;
}

/* Returns whether a line is x1 y1 x2 y2 x3 y3 x4 y4 class [difficulty]. */
static bool is_like_quad(struct span line)
{
	struct tokens t;

	split(line, CSV_BLANKS, &t);
	if (t.count != 9 && t.count != 10)
		return false;
	for (size_t i = 0; i < 8; i++)
		if (!is_number(t.v[i]))
			return false;
	return !is_number(t.v[8]) && (t.count == 9 || (t.v[9].n == 1 && t.v[9].s[0] >= '0' && t.v[9].s[0] <= '2'));
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */

static bool is_header(const struct tokens *t)
{
	bool known = false;

	for (size_t i = 0; i < MIN(t->count, (size_t)TOKENS_MAX); i++) {
		struct plain_word word;

		if (is_integer(t->v[i]))
			return false;
		plain_word(t->v[i].s, t->v[i].n, &word);
		known = known || word_label_rank(&word) >= 0 || !strcmp(word.s, "encodedpixels");
	}
	return known;
}

/* Returns whether a row has an integer at its end, or before one other field, that is not an image's padded number. */
static bool has_label(const struct tokens *t)
{
	if (t->count == 1)
		return is_whole(t->v[0]) && !(is_integer(t->v[0]) && is_padded(t->v[0]));
	if (t->count > TOKENS_MAX)
		return is_integer(t->v[0]);
	return is_integer(t->v[t->count - 1]) || (t->count == 2 && is_integer(t->v[0]) && !is_padded(t->v[0]));
}

/* Returns whether the first fields count 0, 1, 2 ... or 1, 2, 3 ...: the epochs of a log. */
static bool counts_lines(const struct span *lines, size_t count, char separator)
{
	int64_t before = -1, v;
	struct tokens t;

	for (size_t i = 0; i < count; i++) {
		split(lines[i], separator, &t);
		if (scan_integer(t.v[0].s, t.v[0].n, &v) != INTEGER_EXACT || v < 0 || (i ? v != before + 1 : v > 1))
			return false;
		before = v;
	}
	return count >= COUNTED_LINES;
}

/*
 * Returns whether a text is one line of 0 and 1, eight or more: a flag for each frame of a video. A list of one row has
 * one label, and nobody would read the others.
 */
static bool is_line_of_flags(const struct span *lines, size_t count)
{
	enum { FLAGS_MIN = 8 };
	size_t flags = 0;

	for (size_t i = 0; count == 1 && i < lines[0].n; i++) {
		const char c = lines[0].s[i];

		if (i % 2 ? c != ',' : c != '0' && c != '1')
			return false;
		flags += i % 2 == 0;
	}
	return flags >= FLAGS_MIN;
}

/* Returns whether rows are a number and a text, both quoted: "3","Wall St. ...", of AG News, Yelp, DBpedia. */
static bool begins_in_quoted_classes(const struct span *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *s = lines[i].s, *end = s + lines[i].n;
		const char *digits = s < end && *s == '"' ? s + 1 : end, *p = digits;

		while (p < end && ascii_isdigit(*p))
			p++;
		if (p == digits || end - p < 3 || memcmp(p, "\",\"", 3) != 0)
			return false;
	}
	return count > 1;
}

/* Returns whether rows are one number that counts up by one from 0 or 1, and nothing else: indices, seeds. */
static bool is_count(const struct span *lines, size_t count)
{
	enum { ROWS_MIN = 6 };

	for (size_t i = 0; i < count; i++) {
		int64_t v, first;

		if (scan_integer(lines[i].s, lines[i].n, &v) != INTEGER_EXACT ||
		    scan_integer(lines[0].s, lines[0].n, &first) != INTEGER_EXACT || first < 0 || first > 1 ||
		    v != first + (int64_t)i)
			return false;
	}
	return count >= ROWS_MIN;
}

/*
 * Returns whether the last two columns of rows without a header are -1 throughout: MOT's detections, and its truth
 * without classes.
 */
static bool ends_in_nothing(const struct span *lines, size_t count, char separator)
{
	enum { COLUMNS_MIN = 4 };

	for (size_t i = 0; i < count; i++) {
		struct tokens t;

		split(lines[i], separator, &t);
		if (t.count < COLUMNS_MIN || t.count > TOKENS_MAX)
			return false;
		for (size_t k = t.count - 2; k < t.count; k++)
			if (t.v[k].n != 2 || memcmp(t.v[k].s, "-1", 2) != 0)
				return false;
	}
	return separator == ',' && count > 1;
}

/* Returns whether rows are a number that counts them, and one that is no integer: a loss, a score. */
static bool is_log_of_one(const struct span *lines, size_t count, char separator)
{
	struct tokens t;

	for (size_t i = 0; i < count; i++) {
		split(lines[i], separator, &t);
		if (t.count != 2 || !is_number(t.v[1]))
			return false;
		if (is_integer(t.v[1]))
			return false;
	}
	return counts_lines(lines, count, separator);
}

/* Returns whether it is a word that may name a class: it begins with a letter, or is /a/airfield, no file. */
static bool is_class_word(struct span t, bool before_number)
{
	return t.n && (ascii_isalpha(t.s[0]) || (before_number && t.s[0] == '/')) &&
	       !(before_number && memchr(t.s, '.', t.n));
}

/*
 * Returns whether rows count up, each with a word that does not come again: 1 WALKING, or airfield 0, a list of the
 * classes. at: of the numbers, 0 or 1.
 */
static bool numbers_words(const struct span *lines, size_t count, char separator, size_t at)
{
	struct span words[LINES_MAX];
	int64_t before = -1, v;

	for (size_t i = 0; i < count; i++) {
		struct tokens t;

		split(lines[i], separator, &t);
		if (t.count != 2 || scan_integer(t.v[at].s, t.v[at].n, &v) != INTEGER_EXACT ||
		    (i ? v != before + 1 : v != 0 && v != 1) || !is_class_word(t.v[1 - at], at == 1))
			return false;
		before = v;
		words[i] = t.v[1 - at];
		for (size_t k = 0; k < i; k++)
			if (words[k].n == words[i].n && !memcmp(words[k].s, words[i].s, words[i].n))
				return false;
	}
	return count > 2;
}

/* Returns whether a field is the name of an image. */
static bool is_image(struct span t)
{
	char name[256];

	if (t.n >= sizeof(name))
		return false;
	memcpy(name, t.s, t.n);
	name[t.n] = '\0';
	return is_image_name(name);
}

/* Returns whether rows are the name of an image and a word, and some words come again: classes. */
static bool names_classes_of_images(const struct span *lines, size_t count, char separator)
{
	struct span words[LINES_MAX];
	bool again = false;

	for (size_t i = 0; i < count; i++) {
		struct tokens t;

		split(lines[i], separator, &t);
		if (t.count != 2 || !is_image(t.v[0]) || !t.v[1].n || !ascii_isalpha(t.v[1].s[0]) ||
		    memchr(t.v[1].s, '.', t.v[1].n) || memchr(t.v[1].s, '/', t.v[1].n))
			return false;
		words[i] = t.v[1];
		for (size_t k = 0; k < i && !again; k++)
			again = words[k].n == words[i].n && !memcmp(words[k].s, words[i].s, words[i].n);
	}
	return again;
}

/* Returns whether rows count up, each with the name of another image: CUB's images.txt, an index. */
static bool numbers_images(const struct span *lines, size_t count, char separator)
{
	struct tokens t;

	for (size_t i = 0; i < count; i++) {
		split(lines[i], separator, &t);
		if (t.count != 2 || !is_image(t.v[1]))
			return false;
	}
	return counts_lines(lines, count, separator);
}

/* Returns whether the only integers are those of a first column whose word says that it numbers the rows. */
static bool has_numbered_rows(const struct span *lines, size_t count, char separator)
{
	struct plain_word word;
	struct tokens t;

	split(lines[0], separator, &t);
	plain_word(t.v[0].s, t.v[0].n, &word);
	if (t.count != 2 || count < 2 || (word_path_rank(&word) < 0 && !word_is_other_number(&word)))
		return false;
	for (size_t i = 1; i < count; i++) {
		split(lines[i], separator, &t);
		if (t.count == 2 && is_whole(t.v[1]))
			return false;
	}
	return true;
}

/* Returns whether rows without a header end in words that come again, after two numbers at least: UCI's iris. */
static bool ends_in_classes(const struct span *lines, size_t count, char separator)
{
	enum { ROWS_MIN = 8, NUMBERS_MIN = 2 };
	struct span words[LINES_MAX];
	size_t different = 0;

	for (size_t i = 0; i < count; i++) {
		struct tokens t;
		size_t numbers = 0, k = 0;

		split(lines[i], separator, &t);
		if (t.count > TOKENS_MAX)
			return false;
		for (size_t j = 0; j + 1 < t.count; j++)
			numbers += is_number(t.v[j]);
		const struct span last = t.v[t.count - 1];

		if (numbers < NUMBERS_MIN || !last.n || is_number(last) || is_image(last) ||
		    memchr(last.s, ' ', last.n))
			return false;
		while (k < different && (words[k].n != last.n || memcmp(words[k].s, last.s, last.n) != 0))
			k++;
		words[k] = last;
		different += k == different;
	}
	return count >= ROWS_MIN && separator == ',' && 4 * different <= count;
}

/* Returns whether rows are MOT's: frame, object, box, 0 or 1, class, and the fraction that is visible. */
static bool is_mot(const struct span *lines, size_t count, char separator)
{
	enum { COUNTS = 6, CLASS = 7, VISIBLE = 8, COLUMNS = 9 };

	for (size_t i = 0; i < count; i++) {
		struct decimal_value v;
		struct tokens t;

		split(lines[i], separator, &t);
		if (t.count != COLUMNS)
			return false;
		for (size_t k = 0; k < VISIBLE; k++)
			if (!is_integer(t.v[k]))
				return false;
		if (t.v[COUNTS].n != 1 || t.v[COUNTS].s[0] > '1' || !t.v[VISIBLE].n ||
		    scan_decimal(t.v[VISIBLE].s, t.v[VISIBLE].s + t.v[VISIBLE].n, &v) !=
			    t.v[VISIBLE].s + t.v[VISIBLE].n ||
		    v.kind != NUMBER_FINITE || v.units < 0 || v.units > DECIMAL_ONE)
			return false;
	}
	return separator == ',' && count > 0;
}

/* Returns whether a field is 0 or 1, also as 1.0, or -1 for not certain. */
static bool is_flag(struct span t)
{
	int64_t v;
	const enum integer_kind kind = scan_integer(t.s, t.n, &v);

	return (kind == INTEGER_EXACT || kind == INTEGER_DECIMAL) && v >= -1 && v <= 1;
}

/* Returns whether half of the columns below a header of words hold 0 and 1, or nothing, and are three or more. */
static bool has_flags(const struct span *lines, size_t count, char separator)
{
	enum { COLUMNS_MIN = 3 };
	unsigned flags[TOKENS_MAX] = { 0 };
	size_t columns, found = 0;
	struct tokens t;

	split(lines[0], separator, &t);
	columns = MIN(t.count, (size_t)TOKENS_MAX);
	for (size_t k = 0; k < columns; k++)
		if (is_whole(t.v[k]) || is_fraction(t.v[k]))
			return false;
	for (size_t i = 1; i < count; i++) {
		split(lines[i], separator, &t);
		for (size_t k = 0; k < MIN(t.count, columns); k++)
			flags[k] |= is_flag(t.v[k]) ? 1 : t.v[k].n ? 2 : 0;
	}
	for (size_t k = 0; k < columns; k++)
		found += flags[k] == 1;
	return found >= COLUMNS_MIN && 2 * found >= columns;
}

/* Returns whether a word of a header is for colours: r, g, b, class_color. */
static bool is_colour_word(const char *word)
{
	static const char *const whole[] = { "r", "g", "b", "red", "green", "blue", "rgb", "hex" };

	for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
		if (!strcmp(word, whole[i]))
			return true;
	return strstr(word, "color") || strstr(word, "colour");
}

/* Returns whether a table is of the classes: each row names another one, and gives its colour and nothing but its id.
 */
static bool gives_colours(const struct span *lines, size_t count, char separator)
{
	static const char *const ids[] = { "id", "index", "value", "pixelvalue" };
	struct span names[LINES_MAX];
	size_t name = TOKENS_MAX, colours = 0;
	struct tokens t;

	split(lines[0], separator, &t);
	for (size_t i = 0; i < MIN(t.count, (size_t)TOKENS_MAX); i++) {
		struct plain_word word;
		bool known = false;

		plain_word(t.v[i].s, t.v[i].n, &word);
		for (size_t k = 0; k < ARRAY_SIZE(ids); k++)
			known |= !strcmp(word.s, ids[k]);
		if (is_colour_word(word.s))
			colours++;
		else if (!known && name == TOKENS_MAX && (!strcmp(word.s, "name") || word_label_rank(&word) >= 0))
			name = i;
		else if (!known)
			return false;
	}
	for (size_t i = 1; colours && name < TOKENS_MAX && i < count; i++) {
		split(lines[i], separator, &t);
		if (t.count <= name)
			return false;
		names[i] = t.v[name];
		for (size_t k = 1; k < i; k++)
			if (names[k].n == names[i].n && !memcmp(names[k].s, names[i].s, names[i].n))
				return false;
	}
	return colours && name < TOKENS_MAX && count > 1;
}

static enum text_shape list_shape(const char *s, size_t n, bool whole, const struct span *lines, size_t count)
{
	char separator = csv_guess_separator(s, n, whole);
	size_t labels = 0, columns = 0, alike = 0, after_header;
	struct tokens t;

	for (size_t i = 0; i < count; i++) {
		split(lines[i], separator, &t);
		if (i == 0)
			columns = t.count;
		alike += t.count == columns;
		labels += has_label(&t);
	}
	if (gives_colours(lines, count, separator))
		return TEXT_TABLE;
	split(lines[0], separator, &t);
	if (is_header(&t) || names_classes_of_images(lines, count, separator))
		return TEXT_LIST;
	if (is_log_of_one(lines, count, separator) || numbers_words(lines, count, separator, 0) ||
	    numbers_words(lines, count, separator, 1) || numbers_images(lines, count, separator) ||
	    has_numbered_rows(lines, count, separator) || is_count(lines, count) || is_line_of_flags(lines, count) ||
	    ends_in_nothing(lines, count, separator))
		return TEXT_TABLE;
	if (ends_in_classes(lines, count, separator) || has_flags(lines, count, separator) ||
	    is_mot(lines, count, separator) || begins_in_quoted_classes(lines, count))
		return TEXT_LIST;
	after_header = count - (count > 1 && !has_label(&t));
	/* one line in ten may be wrong */
	if (labels && 10 * labels >= 9 * after_header)
		return TEXT_LIST;
	/* words separated by blanks are prose, unless each line has two */
	if (separator == CSV_BLANKS && (columns != 2 || count < 2))
		return TEXT_OTHER;
	return columns > 1 && 10 * alike >= 8 * count ? TEXT_TABLE : TEXT_OTHER;
}

/*
 * Returns whether rows of numbers are a training's log: the first number counts the rows, and what would be a
 * coordinate is none, as a loss above 1. Boxes of which each has a class of its own count, too.
 */
static bool is_log(const struct span *lines, size_t count)
{
	bool outside = false;

	for (size_t i = 0; i < count && !outside; i++) {
		struct tokens t;

		split(lines[i], CSV_BLANKS, &t);
		for (size_t k = 1; k < MIN(t.count, (size_t)5); k++) {
			struct decimal_value v;

			if (scan_decimal(t.v[k].s, t.v[k].s + t.v[k].n, &v) > t.v[k].s)
				outside |=
					v.kind == NUMBER_FINITE && (v.units > DECIMAL_ONE || (k > 2 && v.units <= 0));
		}
	}
	return outside && counts_lines(lines, count, CSV_BLANKS);
}

/* ---- all shapes ------------------------------------------------------------------------------------------------- */

/* Converts ASCII text in UTF-16 to bytes: the reader refuses UTF-16, but a label file must be recognised first. */
static size_t narrow(const uint8_t *head, size_t n, char out[WIDE_BYTES])
{
	size_t count = 0, low = head[0] == 0xff ? 0 : 1;

	for (size_t i = 2; i + 1 < n && count < WIDE_BYTES; i += 2)
		out[count++] = head[i + !low] == 0 ? (char)head[i + low] : 'x';
	return count;
}

enum text_shape text_shape(const uint8_t *head, size_t n, bool whole)
{
	struct span lines[LINES_MAX];
	char narrowed[WIDE_BYTES];
	const char *s = (const char *)head;
	size_t count, boxes = 0, quads = 0, heads = 0;

	if (n >= 2 && (!memcmp(head, "\xff\xfe", 2) || !memcmp(head, "\xfe\xff", 2))) {
		whole = whole && n / 2 <= WIDE_BYTES;
		n = narrow(head, n, narrowed);
		s = narrowed;
	} else if (n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3)) {
		s += 3;
		n -= 3;
	}
	const bool coordinates = text_is_coordinates(s, n, whole);

	skip_count_line(&s, &n, whole);
	count = split_lines(s, n, whole, lines);
	if (!count || text_is_bbgt(s, n))
		return TEXT_OTHER;
	if (coordinates)
		return TEXT_TABLE;
	for (size_t i = 0; i < count; i++) {
		boxes += is_like_box(lines[i]);
		quads += is_like_quad(lines[i]);
		heads += csv_is_dota_head(lines[i].s, lines[i].n);
	}
	/* most texts are YOLO's, which begin with a digit and have five fields or more */
	enum text_boxes kind =
		2 * boxes >= count && is_like_yolo_row(lines[0]) ? BOXES_NONE : text_boxes_of(s, n, whole);

	if (kind != BOXES_NONE)
		return kind == BOXES_BARE ? TEXT_OTHER : TEXT_LIST;
	if (2 * boxes >= count)
		return is_log(lines, count) ? TEXT_TABLE : TEXT_YOLO;
	if (quads && 2 * (quads + heads) >= count)
		return TEXT_LIST;
	return list_shape(s, n, whole, lines, count);
}

/* Returns whether a column holds the names of images after its first row: tif_label_path. */
static bool column_is_of_images(const char *s, size_t n, bool whole, size_t column)
{
	struct span lines[LINES_MAX];
	size_t count = split_lines(s, n, whole, lines), images = 0;
	char separator = csv_guess_separator(s, n, whole);

	for (size_t i = 1; i < count; i++) {
		struct tokens t;

		split(lines[i], separator, &t);
		images += column < t.count && is_image(t.v[column]);
	}
	return count > 1 && 2 * images >= count - 1;
}

bool text_has_labels(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head;
	struct span lines[LINES_MAX];
	struct tokens t;

	if (text_shape(head, n, whole) == TEXT_LIST)
		return true;
	skip_count_line(&s, &n, whole);
	if (!split_lines(s, n, whole, lines))
		return false;
	const char separator = csv_guess_separator(s, n, whole);

	if (gives_colours(lines, split_lines(s, n, whole, lines), separator))
		return false;
	split(lines[0], separator, &t);
	for (size_t i = 0; t.count > 1 && i < MIN(t.count, (size_t)TOKENS_MAX); i++) {
		struct plain_word word;

		plain_word(t.v[i].s, t.v[i].n, &word);
		if (word_hints_at_label(&word) && !column_is_of_images(s, n, whole, i))
			return true;
	}
	return false;
}

bool text_is_boxes(const uint8_t *head, size_t n, bool whole)
{
	struct span lines[LINES_MAX];
	size_t count = split_lines((const char *)head, n, whole, lines);
	char separator = count && memchr(lines[0].s, ',', lines[0].n) ? ',' : CSV_BLANKS;
	size_t columns = 0;

	for (size_t i = 0; i < count; i++) {
		struct tokens t;

		split(lines[i], separator, &t);
		columns = columns ? columns : t.count;
		if (t.count != columns || (columns != 5 && (separator == ',' || (columns != 6 && columns != 9))))
			return false;
		for (size_t k = 0; k < columns; k++)
			if (!is_number(t.v[k]))
				return false;
	}
	return count > 0;
}

bool text_is_numbering(const uint8_t *head, size_t n, bool whole)
{
	struct span lines[LINES_MAX];
	size_t count = split_lines((const char *)head, n, whole, lines);
	int64_t v[LINES_MAX];

	for (size_t i = 0; i < count; i++) {
		if (scan_integer(lines[i].s, lines[i].n, &v[i]) != INTEGER_EXACT)
			return false;
		for (size_t k = 0; k < i; k++)
			if (v[k] == v[i])
				return false;
	}
	return count >= 4;
}

bool text_is_pairs(const uint8_t *head, size_t n)
{
	struct span lines[LINES_MAX];
	size_t count = split_lines((const char *)head, n, false, lines), pairs = 0;
	char separator = csv_guess_separator((const char *)head, n, false);

	for (size_t i = 0; i < count; i++) {
		struct tokens t;

		split(lines[i], separator, &t);
		pairs += t.count >= 2 && is_image(t.v[0]) && is_image(t.v[1]);
	}
	return 2 * pairs > count;
}

bool text_is_multi_label(const char *name, const uint8_t *head, size_t n)
{
	return !strcmp(name, "_classes.csv") && n > 9 && !memcmp(head, "filename,", 9);
}

bool is_name_of_notes(const char *name)
{
	static const char *const begins[] = { "readme",     "license",  "licence",    "copying",
					      "changelog",  "citation", "cmakelists", "requirements",
					      "robots.txt", "package",  "tsconfig" };
	static const char *const names[] = { "classes.txt",  "_classes.txt",     "classes.csv",
					     "_classes.csv", "class_names.txt",  "class_names.csv",
					     "labelmap.txt", "label_colors.txt", "obj.names",
					     "notes.txt",    "label_map.csv",    "predefined_classes.txt" };

	/* YOLO's, one line of sizes: yolo_anchors.txt; label_class_dict.csv; CUB's train_test_split.txt, CelebA's */
	static const char *const within[] = { "anchors",        "class_dict", "train_test_split",
					      "eval_partition", "submission", "fold_indices" };

	for (size_t i = 0; i < ARRAY_SIZE(within); i++)
		if (strcasestr(name, within[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncasecmp(name, begins[i], strlen(begins[i])))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcasecmp(name, names[i]))
			return true;
	return false;
}

bool is_name_of_source(const char *name)
{
	static const char *const extensions[] = {
		".c",     ".h",   ".cc",  ".cpp",  ".cxx",   ".hpp", ".cu",   ".cuh",   ".inc",   ".py",    ".pyi",
		".ipynb", ".m",   ".r",   ".jl",   ".lua",   ".js",  ".mjs",  ".ts",    ".tsx",   ".jsx",   ".java",
		".kt",    ".go",  ".rs",  ".rb",   ".pl",    ".php", ".cs",   ".swift", ".scala", ".sh",    ".bash",
		".bat",   ".ps1", ".sql", ".html", ".htm",   ".css", ".md",   ".rst",   ".tex",   ".yaml",  ".yml",
		".toml",  ".ini", ".cfg", ".conf", ".cmake", ".mk",  ".diff", ".patch", ".log",   ".pbtxt", NULL,
	};

	return file_name_ends_in_any(name, extensions);
}
