/*
 * Class files in CSV. With a header: Roboflow's `Pixel Value, Class`, `id,name`, `name,id`, and class_dict.csv's
 * `name,r,g,b`, whose ids are the numbers of its rows; a colour may also be one column: #804080, or "128,64,128".
 * Without one: `name,id`, as keras-retinanet has it, or `id,name`.
 * Semicolons, tabs and bars separate as well; without a header also a colon, and blanks after ids that count the lines:
 * `0 road`. A lone line of names is a class each: `road, car`.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/colour_table.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "read/class_text.h"

enum { COLUMNS_MAX = 8, NO_COLUMN = -1 };

struct text_field {
	const char *s;
	size_t n;
};

/* The meaning of the columns of a table. */
struct columns {
	int id; /* NO_COLUMN: ids are the numbers of the rows */
	int name;
	int rgb[3]; /* NO_COLUMN: none */
	int colour; /* all three in one column */
	int count;
	bool header;
	char separator;
};

/*
 * Splits a line at its separators, and takes off blanks and quotation marks. A blank separates once. Returns how many
 * fields there are; 0: more than COLUMNS_MAX, or a quotation mark that nothing closes.
 */
static int split(const struct class_line *line, char separator, struct text_field fields[COLUMNS_MAX])
{
	const char *p = line->s, *end = line->s + line->n;

	if (separator == ' ') {
		size_t n = strcspn(p, " \t");

		fields[0] = (struct text_field){ p, MIN(n, line->n) };
		fields[1] = (struct text_field){ p + fields[0].n, line->n - fields[0].n };
		class_trim(&fields[1].s, &fields[1].n);
		return fields[1].n ? 2 : 1;
	}

	for (int count = 0; count < COLUMNS_MAX; p++) {
		struct text_field *f = &fields[count++];

		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
		if (p < end && *p == '"') {
			const char *close = memchr(p + 1, '"', (size_t)(end - p - 1));

			if (!close)
				return 0;
			*f = (struct text_field){ p + 1, (size_t)(close - p - 1) };
			for (p = close + 1; p < end && *p != separator; p++)
				if (*p != ' ' && *p != '\t')
					return 0;
		} else {
			const char *comma = memchr(p, separator, (size_t)(end - p));

			*f = (struct text_field){ p, (size_t)((comma ? comma : end) - p) };
			p = comma ? comma : end;
			class_trim(&f->s, &f->n);
			if (memchr(f->s, '"', f->n))
				return 0;
		}
		if (p == end)
			return count;
	}
	return 0;
}

static bool is_word(const struct text_field *f, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == f->n && !strncasecmp(f->s, *words, f->n))
			return true;
	return false;
}

static bool is_number(const struct text_field *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (!ascii_isdigit(f->s[i]))
			return false;
	return f->n;
}

static const struct columns no_columns = { NO_COLUMN, NO_COLUMN, { NO_COLUMN, NO_COLUMN, NO_COLUMN }, NO_COLUMN, 0,
					   false,     ',' };

static bool is_header(const struct text_field *fields, int count, struct columns *c)
{
	static const char *const ids[] = { "pixel value", "id", "class_id", "label_id", "classid", NULL };
	static const char *const names[] = {
		"class", "name", "class_name", "class_names", "label", "label_name", NULL
	};
	static const char *const colours[3][3] = { { "r", "red", NULL },
						   { "g", "green", NULL },
						   { "b", "blue", NULL } };
	static const char *const whole[] = { "color", "colour", "rgb", "hex", NULL };
	bool coloured = true;

	*c = no_columns;
	c->count = count;
	c->header = true;
	for (int i = 0; i < count; i++) {
		if (c->id == NO_COLUMN && is_word(&fields[i], ids))
			c->id = i;
		else if (c->name == NO_COLUMN && is_word(&fields[i], names))
			c->name = i;
		else if (c->colour == NO_COLUMN && is_word(&fields[i], whole))
			c->colour = i;
		else
			for (int k = 0; k < 3; k++)
				if (c->rgb[k] == NO_COLUMN && is_word(&fields[i], colours[k]))
					c->rgb[k] = i;
	}
	for (int k = 0; k < 3; k++)
		coloured &= c->rgb[k] != NO_COLUMN;
	if (!coloured)
		c->rgb[0] = NO_COLUMN;
	return c->name != NO_COLUMN && (c->id != NO_COLUMN || coloured || c->colour != NO_COLUMN);
}

/* Returns whether rows without a header, with that separator, are an id and a name, or a name and an id. */
static bool find_pairs(const struct class_text *t, char separator, struct columns *c)
{
	struct class_line line = { 0 };
	struct text_field fields[COLUMNS_MAX];
	bool id_first = true, id_last = true, counts = true;
	int64_t first = 0, rows = 0, id;

	while (class_line_next(t, &line)) {
		if (!line.n)
			continue;
		if (split(&line, separator, fields) != 2)
			return false;
		id_first &= is_number(&fields[0]);
		id_last &= is_number(&fields[1]);
		counts &= scan_integer(fields[0].s, fields[0].n, &id) == INTEGER_EXACT;
		first = counts && !rows ? id : first;
		counts &= id == first + rows && first <= 1 && !ascii_isdigit(fields[1].s[0]);
		rows++;
	}
	*c = no_columns;
	c->separator = separator;
	c->id = id_last ? 1 : 0;
	c->name = id_last ? 0 : 1;
	c->count = 2;
	/* words are names, too: 10 to 20 */
	return rows && id_first != id_last && (separator != ' ' || (counts && rows > 1));
}

/* Finds out the separator and the columns by the first line, and without a header by all lines. */
static bool find_columns(const struct class_text *t, struct columns *c)
{
	static const char separators[] = ",;\t|: ", with_header[] = ",;\t|";
	struct class_line line = { 0 };
	struct text_field fields[COLUMNS_MAX];

	if (!class_line_next(t, &line))
		return false;
	for (const char *p = with_header; *p; p++)
		if (is_header(fields, split(&line, *p, fields), c)) {
			c->separator = *p;
			return true;
		}
	for (const char *p = separators; *p; p++)
		if (find_pairs(t, *p, c))
			return true;
	return false;
}

bool class_file_is_csv(const struct class_text *t)
{
	struct columns ignored;

	return find_columns(t, &ignored);
}

/* Finds the next name of a lone line, *at bytes into it. Returns false at its end. */
static bool next_name(const struct class_line *line, size_t *at, struct text_field *name)
{
	if (*at > line->n)
		return false;
	name->s = line->s + *at;
	const char *comma = memchr(name->s, ',', line->n - *at);

	name->n = comma ? (size_t)(comma - name->s) : line->n - *at;
	*at += name->n + 1;
	class_trim(&name->s, &name->n);
	return true;
}

bool class_file_is_row(const struct class_text *t)
{
	struct class_line first = { 0 }, line;
	struct text_field name;
	size_t at = 0, count = 0;

	if (!class_line_next(t, &first))
		return false;
	for (line = first; class_line_next(t, &line);)
		if (line.n)
			return false;
	for (; next_name(&first, &at, &name); count++)
		if (!name.n || is_number(&name) || name.s[0] == '"')
			return false;
	return count > 1;
}

enum status class_file_row(struct class_text *t)
{
	struct class_line line = { 0 };
	struct text_field name;
	size_t at = 0;
	int64_t id = 0;

	class_line_next(t, &line);
	while (next_name(&line, &at, &name))
		if (class_add(t, "line 1", id++, name.s, name.n) != STATUS_OK)
			return STATUS_FAILED;
	return STATUS_OK;
}

/* Reads #804080, or three samples between blanks, commas or brackets. */
static bool read_colour(const struct text_field *f, uint8_t rgb[3])
{
	static const char between[] = " ,;()[]";
	const char *p = f->s, *end = f->s + f->n;
	uint32_t colour;
	int k = 0;

	if (colour_parse(f->s, f->n, &colour)) {
		for (; k < 3; k++)
			rgb[k] = (uint8_t)(colour >> (16 - 8 * k));
		return true;
	}
	for (;;) {
		while (p < end && strchr(between, *p))
			p++;
		if (p == end)
			return k == 3;
		const char *sample = p;

		while (p < end && !strchr(between, *p))
			p++;
		if (k == 3 || !class_scan_sample(sample, (size_t)(p - sample), &rgb[k++]))
			return false;
	}
}

static enum status add_colour(struct class_text *t, const char *where, int64_t id, const struct text_field *fields,
			      const struct columns *c)
{
	uint8_t rgb[3];

	for (int k = 0; k < 3; k++) {
		const struct text_field *f = &fields[c->rgb[k]];

		if (!class_scan_sample(f->s, f->n, &rgb[k]))
			return class_fail(t, where, "'%.*s' is no part of a colour (0 to 255)",
					  (int)MIN(f->n, (size_t)80), f->s);
	}
	return class_add_colour(t, where, id, rgb);
}

enum status class_file_csv(struct class_text *t)
{
	struct class_line line = { 0 };
	struct text_field fields[COLUMNS_MAX];
	struct columns c;
	int64_t row = 0;

	if (!find_columns(t, &c))
		return class_fail(t, "line 1",
				  "this is CSV; expected a header such as 'Pixel Value, Class', 'name,id' or "
				  "'name,r,g,b', or rows of a name and an id");
	if (c.header)
		class_line_next(t, &line);
	while (class_line_next(t, &line)) {
		char where[40];
		int64_t id = row;

		if (!line.n)
			continue;
		snprintf(where, sizeof(where), "line %zu", line.number);
		if (split(&line, c.separator, fields) != c.count)
			return class_fail(t, where, "expected %d columns, as in the first line", c.count);
		if (c.id != NO_COLUMN && class_scan_id(t, where, fields[c.id].s, fields[c.id].n, &id) != STATUS_OK)
			return STATUS_FAILED;
		if (class_add(t, where, id, fields[c.name].s, fields[c.name].n) != STATUS_OK)
			return STATUS_FAILED;
		if (c.rgb[0] != NO_COLUMN && add_colour(t, where, id, fields, &c) != STATUS_OK)
			return STATUS_FAILED;
		uint8_t rgb[3];

		if (c.colour != NO_COLUMN && c.rgb[0] == NO_COLUMN && read_colour(&fields[c.colour], rgb) &&
		    class_add_colour(t, where, id, rgb) != STATUS_OK)
			return STATUS_FAILED;
		row++;
	}
	return STATUS_OK;
}
