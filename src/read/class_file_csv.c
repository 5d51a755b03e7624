/*
 * Class files in CSV. With a header: Roboflow's `Pixel Value, Class`, `id,name`, `name,id`, and class_dict.csv's
 * `name,r,g,b`, whose ids are the numbers of its rows. Without one: `name,id`, as keras-retinanet has it, or `id,name`.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "read/class_text.h"

enum { COLUMNS_MAX = 8, NO_COLUMN = -1 };

struct field {
	const char *s;
	size_t n;
};

/* The meaning of the columns of a table. */
struct columns {
	int id; /* NO_COLUMN: ids are the numbers of the rows */
	int name;
	int rgb[3]; /* NO_COLUMN: none */
	int count;
	bool header;
};

/*
 * Splits a line at its commas, and takes off blanks and quotation marks. Returns how many fields there are; 0: more
 * than COLUMNS_MAX, or a quotation mark that nothing closes.
 */
static int split(const struct class_line *line, struct field fields[COLUMNS_MAX])
{
	const char *p = line->s, *end = line->s + line->n;

	for (int count = 0; count < COLUMNS_MAX; p++) {
		struct field *f = &fields[count++];

		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
		if (p < end && *p == '"') {
			const char *close = memchr(p + 1, '"', (size_t)(end - p - 1));

			if (!close)
				return 0;
			*f = (struct field){ p + 1, (size_t)(close - p - 1) };
			for (p = close + 1; p < end && *p != ','; p++)
				if (*p != ' ' && *p != '\t')
					return 0;
		} else {
			const char *comma = memchr(p, ',', (size_t)(end - p));

			*f = (struct field){ p, (size_t)((comma ? comma : end) - p) };
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

static bool is_word(const struct field *f, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == f->n && !strncasecmp(f->s, *words, f->n))
			return true;
	return false;
}

static bool is_number(const struct field *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (!ascii_isdigit(f->s[i]))
			return false;
	return f->n;
}

static const struct columns no_columns = { NO_COLUMN, NO_COLUMN, { NO_COLUMN, NO_COLUMN, NO_COLUMN }, 0, false };

static bool is_header(const struct field *fields, int count, struct columns *c)
{
	static const char *const ids[] = { "pixel value", "id", "class_id", "label_id", "classid", NULL };
	static const char *const names[] = {
		"class", "name", "class_name", "class_names", "label", "label_name", NULL
	};
	static const char *const colours[3][3] = { { "r", "red", NULL },
						   { "g", "green", NULL },
						   { "b", "blue", NULL } };
	bool coloured = true;

	*c = no_columns;
	c->count = count;
	c->header = true;
	for (int i = 0; i < count; i++) {
		if (c->id == NO_COLUMN && is_word(&fields[i], ids))
			c->id = i;
		else if (c->name == NO_COLUMN && is_word(&fields[i], names))
			c->name = i;
		else
			for (int k = 0; k < 3; k++)
				if (c->rgb[k] == NO_COLUMN && is_word(&fields[i], colours[k]))
					c->rgb[k] = i;
	}
	for (int k = 0; k < 3; k++)
		coloured &= c->rgb[k] != NO_COLUMN;
	if (!coloured)
		c->rgb[0] = NO_COLUMN;
	return c->name != NO_COLUMN && (c->id != NO_COLUMN || coloured);
}

/* Finds out the columns by the first line, and without a header by all lines. */
static bool find_columns(const struct class_text *t, struct columns *c)
{
	struct class_line line = { 0 };
	struct field fields[COLUMNS_MAX];
	bool id_first = true, id_last = true;

	if (!class_line_next(t, &line))
		return false;
	if (is_header(fields, split(&line, fields), c))
		return true;
	do {
		if (!line.n)
			continue;
		if (split(&line, fields) != 2)
			return false;
		id_first &= is_number(&fields[0]);
		id_last &= is_number(&fields[1]);
	} while (class_line_next(t, &line));
	*c = no_columns;
	c->id = id_last ? 1 : 0;
	c->name = id_last ? 0 : 1;
	c->count = 2;
	return id_first != id_last;
}

bool class_file_is_csv(const struct class_text *t)
{
	struct columns ignored;

	return find_columns(t, &ignored);
}

static enum status add_colour(struct class_text *t, const char *where, int64_t id, const struct field *fields,
			      const struct columns *c)
{
	uint8_t rgb[3];

	for (int k = 0; k < 3; k++) {
		const struct field *f = &fields[c->rgb[k]];

		if (!class_scan_sample(f->s, f->n, &rgb[k]))
			return class_fail(t, where, "'%.*s' is no part of a colour (0 to 255)",
					  (int)MIN(f->n, (size_t)80), f->s);
	}
	return class_add_colour(t, where, id, rgb);
}

enum status class_file_csv(struct class_text *t)
{
	struct class_line line = { 0 };
	struct field fields[COLUMNS_MAX];
	struct columns c;
	int64_t row = 0;

	if (!find_columns(t, &c))
		return class_fail(t, "line 1",
				  "this is CSV; expected a header such as 'Pixel Value, Class', 'name,id' or "
				  "'name,r,g,b', or rows "
				  "of a name and an id");
	if (c.header)
		class_line_next(t, &line);
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
