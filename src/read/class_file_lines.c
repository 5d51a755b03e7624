/* Class files with one class per line: names.txt and CVAT's labelmap.txt. Tables are class_file_csv.c's. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
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
			return class_fail(t, NULL, "line %zu is empty, but names follow; every line is a class",
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
