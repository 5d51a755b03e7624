/*
 * Class files in CSV with a header: `name,r,g,b` of class_dict.csv, whose ids are the numbers of its rows, or an id and
 * a name, `Pixel Value, Class` of Roboflow, with or without a colour.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
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
	int rgb[3]; /* of rgb[0] NO_COLUMN: no colours */
	int count;
};

/*
 * Splits a line at its commas, and takes off blanks and quotation marks. Returns how many fields there are; 0: more
 * than COLUMNS_MAX, or a quotation mark that nothing closes.
 */
static int split(const struct class_line *line, struct text_field fields[COLUMNS_MAX])
{
	const char *p = line->s, *end = line->s + line->n;

	for (int count = 0; count < COLUMNS_MAX; p++) {
		struct text_field *f = &fields[count++];

		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
		if (p < end && *p == '"') {
			const char *close = memchr(p + 1, '"', (size_t)(end - p - 1));

			if (!close)
				return 0;
			*f = (struct text_field){ p + 1, (size_t)(close - p - 1) };
			for (p = close + 1; p < end && *p != ','; p++)
				if (*p != ' ' && *p != '\t')
					return 0;
		} else {
			const char *comma = memchr(p, ',', (size_t)(end - p));

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

/* Reads the header. Returns false if the first line is none. */
static bool read_header(const struct class_text *t, struct class_line *line, struct columns *c)
{
	static const char *const ids[] = { "pixel value", "id", "class_id", "label_id", "classid", NULL };
	static const char *const names[] = {
		"class", "name", "class_name", "class_names", "label", "label_name", NULL
	};
	static const char *const colours[3][3] = { { "r", "red", NULL },
						   { "g", "green", NULL },
						   { "b", "blue", NULL } };
	struct text_field fields[COLUMNS_MAX];

	*c = (struct columns){ NO_COLUMN, NO_COLUMN, { NO_COLUMN, NO_COLUMN, NO_COLUMN }, 0 };
	c->count = class_line_next(t, line) ? split(line, fields) : 0;
	for (int i = 0; i < c->count; i++) {
		if (c->id == NO_COLUMN && is_word(&fields[i], ids))
			c->id = i;
		else if (c->name == NO_COLUMN && is_word(&fields[i], names))
			c->name = i;
		else
			for (int k = 0; k < 3; k++)
				if (c->rgb[k] == NO_COLUMN && is_word(&fields[i], colours[k]))
					c->rgb[k] = i;
	}
	if (c->rgb[1] == NO_COLUMN || c->rgb[2] == NO_COLUMN)
		c->rgb[0] = NO_COLUMN;
	return c->name != NO_COLUMN && (c->id != NO_COLUMN || c->rgb[0] != NO_COLUMN);
}

bool class_file_is_csv(const struct class_text *t)
{
	struct class_line line = { 0 };
	struct columns ignored;

	return read_header(t, &line, &ignored);
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

	if (!read_header(t, &line, &c))
		return class_fail(t, "line 1", "this is CSV; expected the header id,name or name,r,g,b");
	while (class_line_next(t, &line)) {
		char where[40];
		int64_t id = row;

		if (!line.n)
			continue;
		snprintf(where, sizeof(where), "line %zu", line.number);
		if (split(&line, fields) != c.count)
			return class_fail(t, where, "expected %d columns, as in the first line", c.count);
		if (c.id != NO_COLUMN && class_scan_id(t, where, fields[c.id].s, fields[c.id].n, &id) != STATUS_OK)
			return STATUS_FAILED;
		if (class_add(t, where, id, fields[c.name].s, fields[c.name].n) != STATUS_OK)
			return STATUS_FAILED;
		if (c.rgb[0] != NO_COLUMN && add_colour(t, where, id, fields, &c) != STATUS_OK)
			return STATUS_FAILED;
		row++;
	}
	return STATUS_OK;
}
