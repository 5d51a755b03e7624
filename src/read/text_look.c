#include "read/text_look.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/json_pull.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "platform/platform.h"

enum {
	LINES_MAX = 40,
	FIELDS_MAX = 16, /* of a row that is compared with others */
	WIDE_BYTES = 1024,
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

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
	return fields_split(line->s, line->s + line->n, separator, out, out ? FIELDS_MAX : 0, NULL);
}

static bool is_number(const struct text_field *f)
{
	struct decimal_value v;

	return f->n && scan_decimal(f->s, f->s + f->n, &v) == f->s + f->n;
}

/* Returns whether the first line is the number of rows that follow, which have two columns or more. */
static bool counts_rows(const struct text_field *lines, size_t count, uint64_t *rows)
{
	enum { DIGITS_MAX = 12 };

	if (count < 2 || lines[0].n > DIGITS_MAX || !scan_whole_uint64(lines[0].s, lines[0].n, rows) || !*rows)
		return false;
	const char separator = fields_guess_separator(lines + 1, count - 1);
	const size_t first = split(&lines[1], separator, NULL);
	const size_t second = count > 2 ? split(&lines[2], separator, NULL) : first;

	/* CelebA's header has a word fewer: its rows are ragged */
	return first > 1 && (second == first || second == first + 1);
}

/* Returns the number of fields that most lines have after the first one, which may be a header; 0: they differ. */
static size_t common_columns(const struct text_field *lines, size_t count, char separator)
{
	const size_t columns = split(&lines[count > 1], separator, NULL);
	size_t alike = 0;

	for (size_t i = 0; i < count; i++)
		alike += split(&lines[i], separator, NULL) == columns;
	return 10 * (alike + 1) >= 8 * count ? columns : 0;
}

/* Returns whether a line is a header, by one of its words. */
static bool has_known_word(const struct text_field *line, char separator)
{
	struct text_field fields[FIELDS_MAX];
	const size_t count = MIN(split(line, separator, fields), (size_t)FIELDS_MAX);
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		struct plain_word word;

		if (is_number(&fields[i]))
			return false;
		plain_word(fields[i].s, fields[i].n, &word);
		known |= word_is_label(&word) || word_is_path(&word) || word_box_side(&word) != SIZE_MAX;
	}
	return known && count > 1;
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

/*
 * Returns whether every row has five numbers; or with blanks between them every row six or nine, or with commas a class
 * and three points or more.
 */
static bool are_numbers(const struct text_field *lines, size_t count, char separator)
{
	const size_t first = split(&lines[0], separator, NULL);

	if (separator == FIELDS_BLANKS && first != 5 && first != 6 && first != 9)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct text_field fields[FIELDS_MAX];
		const size_t columns = split(&lines[i], separator, fields);

		if (separator == FIELDS_BLANKS || first == 5 ? columns != first : columns < 7 || columns % 2 == 0)
			return false;
		for (size_t k = 0; k < MIN(columns, (size_t)FIELDS_MAX); k++)
			if (!is_number(&fields[k]))
				return false;
	}
	return true;
}

/* ---- JSON Lines -------------------------------------------------------------------------------------------------- */

/* Returns whether s[0..n) is an object of JSON and nothing else. */
static bool is_object(const char *s, size_t n)
{
	struct json_pull p;

	json_open_memory(&p, s, n, JSON_NON_FINITE);
	const bool whole = json_next(&p) == JSON_OBJECT && json_skip(&p, JSON_OBJECT) && json_next(&p) == JSON_END;

	json_close(&p);
	return whole;
}

/* Returns whether the text begins with an object and, on the next line, another or nothing. */
static bool is_json_lines(const char *s, size_t n, bool whole)
{
	const char *const end = s + n, *line = memchr(s, '\n', n);

	if (*s != '{')
		return false;
	if (!line) /* one object, or the beginning of a long one */
		return is_object(s, n) ? whole : !whole && n > 1 && s[1] == '"';
	if (!is_object(s, (size_t)(line - s)))
		return false;
	for (s = line + 1; s < end && (is_blank(*s) || *s == '\r' || *s == '\n');)
		s++;
	return s == end ? whole : *s == '{';
}

/*
 * Returns what the elements of an array are, if it begins with an object, a number or a list of numbers.
 */
static enum json_rows rows_of_array(const char *s, size_t n)
{
	struct json_pull p;

	json_open_memory(&p, s, n, JSON_NON_FINITE);
	enum json_token token = json_next(&p);

	if (token == JSON_ARRAY)
		token = json_next(&p);
	const bool objects = token == JSON_OBJECT;

	while (token == JSON_ARRAY)
		token = json_next(&p);
	json_close(&p);
	return objects ? JSON_ROWS_OF_OBJECTS : token == JSON_NUMBER ? JSON_ROWS_OF_VALUES : JSON_ROWS_NONE;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

void text_look_at_lines(const char *s, size_t n, bool whole, struct text_look *out)
{
	struct text_field found[LINES_MAX], *lines = found;
	size_t yolo = 0, blanks = 0;

	*out = (struct text_look){ .kind = TEXT_IS_NONE, .separator = ',', .columns = 1 };
	if (n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3)) {
		s += 3;
		n -= 3;
	}
	if (n && strchr("{[<%", *s)) {
		out->json = *s == '[' ? rows_of_array(s, n) : is_json_lines(s, n, whole) ? JSON_LINES : JSON_ROWS_NONE;
		out->kind = out->json ? TEXT_IS_TABLE : TEXT_IS_NONE;
		return;
	}
	size_t count = first_lines(s, n, whole, found);

	if (!count)
		return;
	out->counted = lines[0].s == s && counts_rows(lines, count, &out->rows);
	lines += out->counted;
	count -= out->counted;
	for (size_t i = 0; i < count; i++) {
		const bool row = is_yolo_row(&lines[i], FIELDS_BLANKS);

		blanks += row;
		yolo += row || is_yolo_row(&lines[i], ',') || is_yolo_row(&lines[i], ';');
	}
	out->separator = blanks == count ? FIELDS_BLANKS : fields_guess_separator(lines, count);
	out->columns = common_columns(lines, count, out->separator);
	/* most texts are YOLO's, which begin with a digit; forms have no header */
	if ((2 * yolo < count || !ascii_isdigit(lines[0].s[0])) && !has_known_word(&lines[0], out->separator))
		out->form = box_form_of(lines, count, out->counted);
	out->numbers = 2 * yolo < count && (!out->form || out->separator == FIELDS_BLANKS) &&
		       are_numbers(lines, count, out->separator);
	if (out->form) {
		out->kind = TEXT_IS_BOXES;
		out->separator = out->form->separator;
	} else if (2 * yolo >= count)
		out->kind = TEXT_IS_YOLO;
	else if (out->columns == 1 || (out->columns && (out->separator != FIELDS_BLANKS || count > 1)))
		out->kind = TEXT_IS_TABLE;
}

void text_declare_form(struct text_look *look, const struct box_form *form)
{
	size_t all, least = box_form_width(form, &all);

	if (look->kind == TEXT_IS_NONE || look->separator != form->separator || look->columns < least ||
	    look->columns > all)
		return;
	look->kind = TEXT_IS_BOXES;
	look->form = form;
}

/* Converts ASCII text in UTF-16 to bytes: the reader refuses UTF-16, but a label file must be recognised first. */
static size_t narrow(const char *s, size_t n, char out[WIDE_BYTES])
{
	size_t count = 0, low = (uint8_t)s[0] == 0xff ? 0 : 1;

	for (size_t i = 2; i + 1 < n && count < WIDE_BYTES; i += 2)
		out[count++] = s[i + !low] == 0 ? s[i + low] : 'x';
	return count;
}

bool text_open_head(struct csv *c, struct input *in, const char *s, size_t n, bool whole, const struct text_look *look)
{
	struct fault ignored = FAULT_INIT;

	const char *last = whole || look->json > JSON_LINES ? NULL : memrchr(s, '\n', n);

	if (last) /* the line after it, which is cut, tells nothing */
		n = (size_t)(last + 1 - s);
	input_init(in);
	input_from_memory(in, s, n);
	return csv_open(c, in, &ignored) && csv_begin(c, look->separator, look->json, look->counted, &ignored);
}

void text_look(const char *s, size_t n, bool whole, struct text_look *out)
{
	char narrowed[WIDE_BYTES];
	struct fault ignored = FAULT_INIT;
	struct input in;
	struct csv c;
	struct columns t = { 0 };
	struct list_layout boxes = { .boxes_column = NO_COLUMN };
	uint32_t labels;

	if (n >= 2 && (!memcmp(s, "\xff\xfe", 2) || !memcmp(s, "\xfe\xff", 2))) {
		whole = whole && n / 2 <= WIDE_BYTES;
		n = narrow(s, n, narrowed);
		s = narrowed;
	}
	text_look_at_lines(s, n, whole, out);
	if (out->kind != TEXT_IS_TABLE)
		return;
	out->kind = TEXT_IS_NONE;
	if (text_open_head(&c, &in, s, n, whole, out)) {
		c.hashes_are_comments = true;
		columns_read(&t, &c, NULL, &ignored);
	}
	if (t.count) {
		out->kind = columns_kind(&t, &labels);
		out->header = t.header;
		out->label_word = t.header && columns_name_labels(&t);
		out->boxes = !out->json && !out->label_word && columns_find_boxes(&t, false, &boxes);
		for (size_t i = 0; t.header && i < t.count; i++) {
			out->path_word |= word_is_path(&t.v[i].word);
			out->names_file |= !strcmp(t.v[i].word.s, "filename") && !strchr(t.v[i].name, '.');
		}
		for (size_t i = 0; i < t.count; i++) {
			out->lists |= t.v[i].values && 2 * t.v[i].lists > t.v[i].values;
			out->images |= !t.header && i && 2 * t.v[0].images > t.rows && column_holds_text(&t.v[i]);
		}
		out->flags = t.header && columns_flags(&t);
		out->distinct = columns_are_distinct_integers(&t);
		if (out->json)
			out->kind = out->label_word ? TEXT_IS_LIST : TEXT_IS_TABLE;
	}
	columns_release(&t);
	csv_close(&c);
	input_release(&in);
}
