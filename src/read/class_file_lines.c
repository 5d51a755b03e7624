/* Class files with one class per line: names.txt, CVAT's labelmap.txt and Roboflow's _classes.csv. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "read/class_text.h"

/* ---- names.txt -------------------------------------------------------------------------------------------------- */

enum status class_file_names(struct class_text *t)
{
	struct class_line line = { 0 };
	size_t blank_line = 0;
	int64_t id = 0;

	while (class_line_next(t, &line)) {
		char where[40];

		if (!line.n) {
			blank_line = blank_line ? blank_line : line.number;
			continue;
		}
		if (blank_line) /* harmless at the end; in the middle, the ids below it are ambiguous */
			return class_fail(t, NULL, "line %zu is empty, with names below it; every line is a class",
					  blank_line);
		if (line.number == 1 && line.n == 10 && !memcmp(line.s, "__ignore__", 10)) {
			/* labelme's ids begin at -1, which it writes as 255 into 8 bits */
			id_ranges_add(&t->set->ignored, -1, -1);
			id_ranges_add(&t->set->ignored, 255, 255);
			continue;
		}
		snprintf(where, sizeof(where), "line %zu", line.number);
		if (class_add(t, where, id++, line.s, line.n) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* Returns the offset of the first `separator` in s[0..n), or n. */
static size_t field_end(const char *s, size_t n, char separator)
{
	const char *p = memchr(s, separator, n);

	return p ? (size_t)(p - s) : n;
}

/* ---- labelmap.txt ----------------------------------------------------------------------------------------------- */

/* Returns whether a field is a colour, three numbers with commas, or "" for none. */
static bool is_colour(const char *s, size_t n)
{
	int commas = 0, digits = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == ',') {
			if (!digits)
				return false;
			commas++;
			digits = 0;
		} else if (ascii_isdigit(s[i]) && digits < 3) {
			digits++;
		} else {
			return false;
		}
	}
	return !n || (commas == 2 && digits);
}

/* Returns whether a line is name:r,g,b:parts:actions. *name_n: the length of the name, which may contain colons. */
static bool is_label(const struct class_line *line, size_t *name_n)
{
	size_t colons[3], count = 0;

	for (size_t i = line->n; i-- && count < 3;)
		if (line->s[i] == ':')
			colons[count++] = i; /* from the right */
	if (count < 3 || !is_colour(line->s + colons[2] + 1, colons[1] - colons[2] - 1))
		return false;
	*name_n = colons[2];
	return true;
}

bool class_file_is_cvat(const struct class_text *t)
{
	struct class_line line = { 0 };
	size_t name_n;

	while (class_line_next(t, &line)) {
		if (line.n >= 8 && !strncmp(line.s, "# label:", 8))
			return true;
		if (line.n && line.s[0] != '#')
			return is_label(&line, &name_n);
	}
	return false;
}

enum status class_file_cvat(struct class_text *t)
{
	struct class_line line = { 0 };
	int64_t id = 0;

	while (class_line_next(t, &line)) {
		char where[40];
		size_t name_n;

		if (!line.n || line.s[0] == '#')
			continue;
		snprintf(where, sizeof(where), "line %zu", line.number);
		if (!is_label(&line, &name_n))
			return class_fail(t, where, "expected name:r,g,b:parts:actions, as CVAT writes it");
		if (class_add(t, where, id++, line.s, name_n) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* ---- _classes.csv ----------------------------------------------------------------------------------------------- */

static bool is_word(const char *s, size_t n, const char *const *words, size_t count)
{
	class_trim(&s, &n);
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i]) == n && !strncasecmp(s, words[i], n))
			return true;
	return false;
}

/* Returns whether a line is a header of an id and a name: Roboflow's, or a plain one. */
static bool is_header(const struct class_line *line)
{
	static const char *const ids[] = { "pixel value", "id", "class_id", "label_id" };
	static const char *const names[] = { "class", "name", "class_name", "label" };
	size_t comma = field_end(line->s, line->n, ',');

	return comma < line->n && is_word(line->s, comma, ids, ARRAY_SIZE(ids)) &&
	       is_word(line->s + comma + 1, line->n - comma - 1, names, ARRAY_SIZE(names));
}

bool class_file_is_csv(const struct class_text *t)
{
	struct class_line line = { 0 };

	return class_line_next(t, &line) && is_header(&line);
}

enum status class_file_csv(struct class_text *t)
{
	struct class_line line = { 0 };

	if (!class_line_next(t, &line) || !is_header(&line))
		return class_fail(t, NULL, "line 1: this is CSV; expected the header 'Pixel Value, Class'");
	while (class_line_next(t, &line)) {
		size_t comma = field_end(line.s, line.n, ','), id_n = comma, name_n;
		const char *id_text = line.s, *name = line.s + comma + 1;
		char where[40];
		int64_t id = 0;

		if (!line.n)
			continue;
		snprintf(where, sizeof(where), "line %zu", line.number);
		if (comma == line.n)
			return class_fail(t, where, "expected an id, a comma and a name");
		class_trim(&id_text, &id_n);
		name_n = line.n - comma - 1;
		class_trim(&name, &name_n);
		if (name_n >= 2 && name[0] == '"' && name[name_n - 1] == '"') {
			name++;
			name_n -= 2;
		} else if (memchr(name, ',', name_n)) {
			return class_fail(t, where, "more than two columns");
		}
		if (memchr(name, '"', name_n))
			return class_fail(t, where, "a quotation mark in a name");
		if (class_scan_id(t, where, id_text, id_n, &id) != STATUS_OK ||
		    class_add(t, where, id, name, name_n) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}
