/*
 * Class files in CSV with a header: `name,r,g,b` of class_dict.csv, whose ids are the numbers of its rows, or an id and
 * a name, `Pixel Value, Class` of Roboflow, with or without a colour. Without a header: `name,id` of keras-retinanet.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/scan_number.h"
#include "read/class_text.h"
#include "read/fields.h"

enum { COLUMNS_MAX = 8, ROLES = 5, NO_COLUMN = COLUMNS_MAX };
/* The content of a column; its words. */
enum role { ID, NAME, RED, GREEN, BLUE };

static const char *const words[ROLES][7] = {
	[ID] = { "id", "class_id", "label_id", "classid", "pixel value" },
	[NAME] = { "name", "class", "class_name", "class_names", "label", "label_name" },
	[RED] = { "r", "red" },
	[GREEN] = { "g", "green" },
	[BLUE] = { "b", "blue" },
};

struct table {
	size_t column[ROLES]; /* NO_COLUMN: there is none. Without ids, these are the numbers of the rows */
	size_t count;
	bool colours;
};

/* Returns how many fields a line has; 0: more than COLUMNS_MAX, or with quotation marks that are not simple. */
static size_t split(const struct class_line *line, struct text_field fields[COLUMNS_MAX])
{
	bool open;
	size_t count = fields_split(line->s, line->s + line->n, ',', fields, COLUMNS_MAX, &open);

	for (size_t i = 0; i < count && count <= COLUMNS_MAX; i++)
		open |= fields[i].doubled || fields[i].followed;
	return open || count > COLUMNS_MAX ? 0 : count;
}

static bool is_word(const struct text_field *field, const char *const *of)
{
	for (; *of; of++)
		if (strlen(*of) == field->n && !strncasecmp(field->s, *of, field->n))
			return true;
	return false;
}

/* Reads the header. Returns false if the first line is none. */
static bool read_header(const struct class_file *f, struct class_line *line, struct table *t)
{
	struct text_field fields[COLUMNS_MAX];

	t->count = class_line_next(f, line) ? split(line, fields) : 0;
	for (size_t role = 0; role < ROLES; role++) {
		t->column[role] = NO_COLUMN;
		for (size_t i = t->count; i--;)
			if (is_word(&fields[i], words[role]))
				t->column[role] = i;
	}
	t->colours = t->column[RED] != NO_COLUMN && t->column[GREEN] != NO_COLUMN && t->column[BLUE] != NO_COLUMN;
	return t->column[NAME] != NO_COLUMN && (t->column[ID] != NO_COLUMN || t->colours);
}

/* Returns whether the first line is a name and an id; then these are the columns. */
static bool is_name_and_id(const struct class_line *line, struct table *t)
{
	struct text_field fields[COLUMNS_MAX];
	uint64_t id;

	if (split(line, fields) != 2 || !scan_whole_uint64(fields[1].s, fields[1].n, &id) ||
	    scan_whole_uint64(fields[0].s, fields[0].n, &id))
		return false;
	*t = (struct table){ .column = { [ID] = 1, [NAME] = 0 }, .count = 2 };
	return true;
}

bool class_file_is_csv(const struct class_file *f)
{
	struct class_line line = { 0 };
	struct table ignored;

	return read_header(f, &line, &ignored);
}

static enum status add_colour(struct class_file *f, const char *where, int64_t id, const struct text_field *fields,
			      const struct table *t)
{
	uint8_t rgb[3];

	for (size_t k = 0; k < 3; k++) {
		const struct text_field *field = &fields[t->column[RED + k]];

		if (!class_scan_sample(field->s, field->n, &rgb[k]))
			return class_fail(f, where, "'%.*s' is no part of a colour (0 to 255)",
					  (int)MIN(field->n, (size_t)80), field->s);
	}
	return class_add_colour(f, where, id, rgb);
}

enum status class_file_csv(struct class_file *f)
{
	struct class_line line = { 0 };
	struct text_field fields[COLUMNS_MAX];
	struct table t;

	const bool header = read_header(f, &line, &t);

	if (!header && is_name_and_id(&line, &t))
		line = (struct class_line){ 0 };
	else if (!header)
		return class_fail(f, "line 1",
				  "this is CSV; expected the header id,name or name,r,g,b, or names alone, as in the "
				  "labels: of the first column, cut -d, -f1 CLASSES.csv >names.txt");
	for (int64_t row = 0; class_line_next(f, &line);) {
		const struct text_field *id_field = &fields[t.column[ID]], *name = &fields[t.column[NAME]];
		char where[40];
		int64_t id = row;

		if (!line.n)
			continue;
		snprintf(where, sizeof(where), "line %zu", line.number);
		if (split(&line, fields) != t.count)
			return class_fail(f, where, "expected %zu columns, as in the first line", t.count);
		if (t.column[ID] != NO_COLUMN && class_scan_id(f, where, id_field->s, id_field->n, &id) != STATUS_OK)
			return STATUS_FAILED;
		if (class_add(f, where, id, name->s, name->n) != STATUS_OK ||
		    (t.colours && add_colour(f, where, id, fields, &t) != STATUS_OK))
			return STATUS_FAILED;
		row++;
	}
	return STATUS_OK;
}
