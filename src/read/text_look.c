#include "read/text_look.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/json_pull.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "read/text_lines.h"

enum {
	LINES_MAX = 40,
	FIELDS_MAX = 16, /* of a row that is compared with others */
	WIDE_BYTES = 1024,
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

bool text_is_dota_head(const char *s, size_t n)
{
	return (n >= 12 && !memcmp(s, "imagesource:", 12)) || (n >= 4 && !memcmp(s, "gsd:", 4));
}

/* Lines that begin with # may be comments: they count only if there are no others. DOTA's head is none. */
static size_t first_lines(const char *s, size_t n, bool whole, struct text_field lines[LINES_MAX])
{
	size_t count = fields_lines(s, n, whole, false, lines, LINES_MAX), kept = 0;

	if (!count)
		count = fields_lines(s, n, whole, true, lines, LINES_MAX);
	for (size_t i = 0; i < count; i++)
		if (!text_is_dota_head(lines[i].s, lines[i].n))
			lines[kept++] = lines[i];
	return kept;
}

static size_t split(const struct text_field *line, char separator, struct text_field out[FIELDS_MAX])
{
	return fields_split(line->s, line->s + line->n, separator, out, FIELDS_MAX);
}

static bool is_number(const struct text_field *f)
{
	struct decimal_value v;

	return f->n && scan_decimal(f->s, f->s + f->n, &v) == f->s + f->n;
}

size_t text_count_line(const char *s, size_t n, bool whole, uint64_t *rows)
{
	struct text_field lines[LINES_MAX], fields[FIELDS_MAX];
	size_t digits = 0, at = 0, alike = 0, first = 0;

	while (digits < n && ascii_isdigit(s[digits]))
		digits++;
	if (!digits || digits > 12 || digits >= n || !scan_whole_uint64(s, digits, rows) || !*rows)
		return 0;
	for (at = digits; at < n && (s[at] == '\r' || is_blank(s[at])); at++)
		;
	if (at == n || s[at++] != '\n')
		return 0;
	const size_t count = fields_lines(s + at, n - at, whole, true, lines, LINES_MAX);
	char separator = fields_guess_separator(lines + (count > 1), count - (count > 1));

	for (size_t i = 0; i < count; i++) {
		const size_t columns = split(&lines[i], separator, fields);

		if (i < 2 && columns < 2)
			return 0;
		/* a header may lack the word of the first column */
		first = i == 0 || (i == 1 && columns == first + 1) ? columns : first;
		alike += columns == first;
	}
	if (!count || 10 * (alike + 1) < 9 * count)
		return 0;
	bool header = true;

	for (size_t i = 0, n_first = split(&lines[0], separator, fields); i < MIN(n_first, (size_t)FIELDS_MAX); i++)
		header &= !is_number(&fields[i]);
	return header || count >= LINES_MAX || !whole || count == *rows ? at : 0;
}

/* ---- YOLO -------------------------------------------------------------------------------------------------------- */

/*
 * Returns whether a row is a class and at least three coordinates, one of them at least with a point: also miswritten
 * ones (0,5 or nan), since the audit judges them. Without a class that is an integer there must be four.
 */
static bool is_yolo_row(const struct text_field *line, char separator)
{
	struct text_field fields[FIELDS_MAX];
	const size_t count = split(line, separator, fields);
	bool point = false;
	int64_t v;

	if (count < 4 || (separator != FIELDS_BLANKS && count != 5))
		return false;
	for (size_t i = 1; i < MIN(count, (size_t)FIELDS_MAX); i++) {
		const struct text_field *f = &fields[i];
		const enum integer_kind kind = scan_integer(f->s, f->n, &v);

		point |= kind == INTEGER_FRACTION || kind == INTEGER_NAN || kind == INTEGER_DECIMAL;
		for (size_t k = 0; kind == INTEGER_NONE && k < f->n; k++) {
			if (!ascii_isdigit(f->s[k]) && !strchr("+-.,_xpeE", f->s[k]))
				return false;
			point |= f->s[k] == '.' || f->s[k] == ',' || f->s[k] == 'x';
		}
	}
	const enum integer_kind kind = scan_integer(fields[0].s, fields[0].n, &v);

	if (kind == INTEGER_FRACTION) /* rows of features are longer */
		return point && separator == FIELDS_BLANKS && (count == 5 || count == 6);
	/* the name of a class instead of its id, no file with scores after it */
	return point && (kind != INTEGER_NONE ||
			 (count == 5 && separator == FIELDS_BLANKS && !memchr(fields[0].s, '.', fields[0].n) &&
			  !memchr(fields[0].s, '/', fields[0].n)));
}

bool text_is_numbers_of_boxes(const char *s, size_t n, bool whole)
{
	struct text_field lines[LINES_MAX], fields[FIELDS_MAX];
	const size_t count = fields_lines(s, n, whole, false, lines, LINES_MAX);
	const char separator = !count                                ? ' '
			       : memchr(lines[0].s, ',', lines[0].n) ? ','
			       : memchr(lines[0].s, ';', lines[0].n) ? ';'
								     : FIELDS_BLANKS;
	size_t columns = 0;

	for (size_t i = 0; i < count; i++) {
		const size_t found = split(&lines[i], separator, fields);

		columns = columns ? columns : found;
		if (found != columns || (columns != 5 && (separator != ' ' || (columns != 6 && columns != 9))))
			return false;
		for (size_t k = 0; k < columns; k++)
			if (!is_number(&fields[k]))
				return false;
	}
	return count > 0;
}

/* ---- JSON Lines -------------------------------------------------------------------------------------------------- */

/* Returns whether s[0..n) is an object of JSON and nothing else, and notes what its keys are. */
static bool is_object(const char *s, size_t n, struct text_look *out)
{
	struct json_pull p;
	enum json_token token;

	json_open_memory(&p, s, n, JSON_NON_FINITE);
	if ((token = json_next(&p)) == JSON_OBJECT)
		while ((token = json_next(&p)) == JSON_KEY) {
			struct plain_word word;

			plain_word(p.text, p.text_len, &word);
			out->names_file |= json_text_is(&p, "file_name");
			token = json_next(&p);
			out->label_word |= word_is_label(&word) && token != JSON_OBJECT;
			if (token == JSON_FAULT || !json_skip(&p, token))
				break;
		}
	const bool whole = token == JSON_OBJECT_END && json_next(&p) == JSON_END;

	json_close(&p);
	return whole;
}

/* Returns whether the text begins with an object and, on the next line, another or nothing. */
static bool is_json_lines(const char *s, size_t n, bool whole, struct text_look *out)
{
	const char *const end = s + n, *line = memchr(s, '\n', n);

	if (!line) /* one object, or the beginning of a long one */
		return is_object(s, n, out) ? whole : !whole && n > 1 && s[1] == '"';
	if (!is_object(s, (size_t)(line - s), out))
		return false;
	for (s = line + 1; s < end && (is_blank(*s) || *s == '\r' || *s == '\n');)
		s++;
	return s == end ? whole : *s == '{';
}

/* ---- one column -------------------------------------------------------------------------------------------------- */

/* Returns whether no field of a column equals an earlier one. */
static bool are_distinct(const struct text_field *v, size_t count)
{
	for (size_t i = 1; i < count; i++)
		for (size_t k = 0; k < i; k++)
			if (v[i].n == v[k].n && !memcmp(v[i].s, v[k].s, v[i].n))
				return false;
	return true;
}

/*
 * One column of integers, also written as 3.0, is a list; unless they count up from 0 or 1, as indices do, or are
 * numbers of images, with zeros before them. Other words a line are the names of images, or of classes, or prose.
 */
static void look_at_column(const struct text_field *lines, size_t count, struct text_look *out)
{
	enum { COUNTED_ROWS = 6, NUMBERS_MIN = 4 };
	size_t integers = 0, paths = 0, padded = 0, serial = 0;
	int64_t before = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t v;
		const enum integer_kind kind = scan_integer(lines[i].s, lines[i].n, &v);
		const bool whole = kind == INTEGER_EXACT || kind == INTEGER_DECIMAL || kind == INTEGER_OVERFLOW;

		integers += whole;
		padded += whole && lines[i].n >= 4 && lines[i].s[0] == '0' && ascii_isdigit(lines[i].s[1]);
		paths += !whole && value_looks_like_path(lines[i].s, lines[i].n);
		serial += kind == INTEGER_EXACT && (serial ? v == before + 1 : i == 0 && (v == 0 || v == 1));
		before = v;
	}
	out->distinct = count >= NUMBERS_MIN && integers == count && are_distinct(lines, count);
	if (10 * (integers + (count > 1)) < 9 * count + (count == 1) || !integers)
		out->kind = 2 * paths > count && are_distinct(lines, count) ? TEXT_IS_NAMES : TEXT_IS_NONE;
	else if (2 * padded > count || (serial == count && count >= COUNTED_ROWS))
		out->kind = TEXT_IS_NAMES;
	else
		out->kind = TEXT_IS_LIST;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static bool is_image(const struct text_field *f)
{
	char name[256];

	if (f->n >= sizeof(name))
		return false;
	memcpy(name, f->s, f->n);
	name[f->n] = '\0';
	return is_image_name(name);
}

/* Returns whether most rows hold the names of two images or more: an image and its mask. */
static bool are_pairs(const struct text_field *lines, size_t count, char separator)
{
	size_t pairs = 0;

	for (size_t i = 0; i < count; i++) {
		struct text_field fields[FIELDS_MAX];
		const size_t n = split(&lines[i], separator, fields);
		size_t images = 0;

		for (size_t k = 0; k < MIN(n, (size_t)FIELDS_MAX); k++)
			images += is_image(&fields[k]);
		pairs += images > 1;
	}
	return 2 * pairs > count;
}

/* Returns whether a word of a header is for colours: r, g, b, class_color. */
static bool is_colour_word(const struct plain_word *w)
{
	static const char *const words[] = { "r", "g", "b", "red", "green", "blue", "rgb", "hex" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(w->s, words[i]))
			return true;
	return strstr(w->s, "color") || strstr(w->s, "colour");
}

/*
 * Returns whether a table is of the classes: a column of ids counts up from 0 or 1, or there are colours, and another
 * has a name, once each, that is no path.
 */
static bool are_classes(const struct columns *t, const struct text_field *rows, size_t count, char separator)
{
	enum { COLUMNS_MAX = 8, ROWS_MIN = 3 };
	bool ids = false, colours = false;

	if (t->count > COLUMNS_MAX || count < 2)
		return false;
	for (size_t i = 0; i < t->count; i++) {
		const struct column_facts *c = &t->v[i];

		if (t->header && word_is_path(&c->word) && strcmp(c->word.s, "id") != 0)
			return false;
		if (c->images)
			return false;
		colours |= t->header && is_colour_word(&c->word);
		ids |= c->serial && c->integers == count && (c->first == 0 || c->first == 1) && count >= ROWS_MIN;
	}
	for (size_t i = 0; (ids || colours) && i < t->count; i++) {
		struct text_field names[LINES_MAX], fields[FIELDS_MAX];

		if (!column_holds_text(&t->v[i]) || is_colour_word(&t->v[i].word))
			continue;
		for (size_t k = 0; k < count; k++)
			names[k] = split(&rows[k], separator, fields) > i ? fields[i] : (struct text_field){ "", 0 };
		if (t->v[i].values == count && are_distinct(names, count))
			return colours || t->count <= 3;
	}
	return false;
}

/* Returns whether a line may be a header: words alone. */
static bool is_words(const struct text_field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_number(&fields[i]))
			return false;
	return count > 1;
}

/* Returns whether a line is a header, by one of its words. */
static bool has_known_word(const struct text_field *line, char separator)
{
	struct text_field fields[FIELDS_MAX];
	const size_t count = MIN(split(line, separator, fields), (size_t)FIELDS_MAX);

	for (size_t i = 0; is_words(fields, count) && i < count; i++) {
		struct plain_word word;

		plain_word(fields[i].s, fields[i].n, &word);
		if (word_is_label(&word) || word_is_path(&word) || word_box_side(&word) != SIZE_MAX)
			return true;
	}
	return false;
}

static bool has_path(const struct text_field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fields[i].n && value_looks_like_path(fields[i].s, fields[i].n))
			return true;
	return false;
}

static bool ends_in_value(const struct text_field *line, char separator)
{
	return line->n && (separator == FIELDS_BLANKS || line->s[line->n - 1] != separator);
}

/* Looks at rows of two columns and more. */
static void look_at_table(const struct text_field *lines, size_t count, struct text_look *out)
{
	struct text_field *fields = xcalloc(out->columns + 1, sizeof(*fields));
	const size_t words = fields_split(lines[0].s, lines[0].s + lines[0].n, out->separator, fields, out->columns);
	const bool first_words = words > 1 && is_words(fields, MIN(words, out->columns));
	enum column_choice choice;
	size_t numbers = 0;
	struct columns t;

	columns_init(&t, out->columns);
	for (size_t i = first_words; i < count; i++) {
		const size_t n = fields_split(lines[i].s, lines[i].s + lines[i].n, out->separator, fields, t.count);

		t.rows++;
		t.ragged += n != t.count;
		for (size_t k = 0; k < MIN(n, t.count); k++) {
			columns_add(&t, k, fields[k].s, fields[k].n, NULL);
			numbers += is_number(&fields[k]);
		}
	}
	fields_split(lines[0].s, lines[0].s + lines[0].n, out->separator, fields, t.count);
	/* each row has one field more than the words: the first column has none */
	out->lacks_word = first_words && count > 1 && words + 1 == t.count && numbers &&
			  ends_in_value(&lines[1], out->separator) && !has_path(fields, words);
	if (first_words) {
		for (size_t k = 0; k < MIN(words, t.count - out->lacks_word); k++) {
			columns_name(&t, k + out->lacks_word, fields[k].s, fields[k].n);
		}
		out->label_word = columns_name_labels(&t);
		for (size_t k = 0; k < t.count; k++)
			out->path_word |= word_is_path(&t.v[k].word);
		out->header = columns_have_header(&t);
	}
	if (first_words && !out->header) { /* it is a row, too */
		t.header = out->label_word = out->path_word = out->lacks_word = false;
		t.rows++;
		for (size_t k = 0; k < MIN(words, t.count); k++) {
			t.v[k].serial = false;
			columns_add(&t, k, fields[k].s, fields[k].n, NULL);
		}
	}
	out->flags = out->header && columns_flags(&t);
	const bool skipped = out->header;

	if (are_classes(&t, lines + skipped, count - skipped, out->separator))
		out->kind = TEXT_IS_CLASSES;
	else if (columns_choose(&t, &choice) != NO_COLUMN && choice == COLUMN_WORD)
		out->kind = TEXT_IS_LIST;
	else if (are_pairs(lines + skipped, count - skipped, out->separator))
		out->kind = TEXT_IS_PAIRS;
	else
		out->kind = columns_choose(&t, &choice) != NO_COLUMN ? TEXT_IS_LIST : TEXT_IS_TABLE;
	columns_release(&t);
	free(fields);
}

/* Returns the number of fields that most lines have after the first one, which may be a header; 0: they differ. */
static size_t common_columns(const struct text_field *lines, size_t count, char separator)
{
	struct text_field fields[FIELDS_MAX];
	const size_t columns = split(&lines[count > 1], separator, fields);
	size_t alike = 0;

	for (size_t i = 0; i < count; i++)
		alike += split(&lines[i], separator, fields) == columns;
	return 10 * (alike + 1) >= 8 * count ? columns : 0;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* Converts ASCII text in UTF-16 to bytes: the reader refuses UTF-16, but a label file must be recognised first. */
static size_t narrow(const char *s, size_t n, char out[WIDE_BYTES])
{
	size_t count = 0, low = (uint8_t)s[0] == 0xff ? 0 : 1;

	for (size_t i = 2; i + 1 < n && count < WIDE_BYTES; i += 2)
		out[count++] = s[i + !low] == 0 ? s[i + low] : 'x';
	return count;
}

void text_look(const char *s, size_t n, bool whole, struct text_look *out)
{
	struct text_field lines[LINES_MAX];
	char narrowed[WIDE_BYTES];
	size_t count, yolo = 0;

	*out = (struct text_look){ .kind = TEXT_IS_NONE, .separator = ',', .columns = 1 };
	if (n >= 2 && (!memcmp(s, "\xff\xfe", 2) || !memcmp(s, "\xfe\xff", 2))) {
		whole = whole && n / 2 <= WIDE_BYTES;
		n = narrow(s, n, narrowed);
		s = narrowed;
	} else if (n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3)) {
		s += 3;
		n -= 3;
	}
	if (n && (*s == '{' || *s == '[' || *s == '<' || *s == '%')) {
		out->json = *s == '{' && is_json_lines(s, n, whole, out);
		out->header = out->json;
		out->kind = !out->json ? TEXT_IS_NONE : out->label_word ? TEXT_IS_LIST : TEXT_IS_TABLE;
		return;
	}
	const size_t skipped = text_count_line(s, n, whole, &out->rows);

	out->counted = skipped > 0;
	count = first_lines(s + skipped, n - skipped, whole, lines);
	if (!count)
		return;
	for (size_t i = 0; i < count; i++)
		yolo += is_yolo_row(&lines[i], FIELDS_BLANKS) || is_yolo_row(&lines[i], ',') ||
			is_yolo_row(&lines[i], ';');
	out->separator = fields_guess_separator(lines, count);
	out->columns = common_columns(lines, count, out->separator);
	/* most texts are YOLO's, which begin with a digit; forms have no header */
	if ((2 * yolo < count || !ascii_isdigit(lines[0].s[0])) && !has_known_word(&lines[0], out->separator))
		out->form = box_form_of(lines, count, out->counted);
	if (out->form) {
		out->kind = TEXT_IS_BOXES;
		out->separator = out->form->separator;
	} else if (2 * yolo >= count)
		out->kind = TEXT_IS_YOLO;
	else if (out->columns > 1 && (out->separator != FIELDS_BLANKS || count > 1))
		look_at_table(lines, count, out);
	else if (out->columns == 1)
		look_at_column(lines, count, out);
}
