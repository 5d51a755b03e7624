/* Class files with one class per line: names.txt, CVAT's labelmap.txt. CSV: class_csv.c. */
#include <stdio.h>
#include <string.h>

#include "read/class_text.h"

/* ---- names.txt -------------------------------------------------------------------------------------------------- */

enum status class_file_names(struct class_file *f)
{
	struct class_line line = { 0 };
	size_t blank_line = 0;
	int64_t id = 0;

	while (class_line_next(f, &line)) {
		char where[40];

		if (!line.n) {
			blank_line = blank_line ? blank_line : line.number;
			continue;
		}
		if (blank_line) /* harmless at the end; in the middle, the ids below it are ambiguous */
			return class_fail(f, NULL, "line %zu is empty, but names follow; every line is a class",
					  blank_line);
		if (line.number == 1 && line.n == 10 && !memcmp(line.s, "__ignore__", 10)) {
			/* labelme's ids begin at -1, which it writes as 255 into 8 bits */
			id_ranges_add(&f->set->ignored, -1, -1);
			id_ranges_add(&f->set->ignored, 255, 255);
			continue;
		}
		snprintf(where, sizeof(where), "line %zu", line.number);
		if (!id && line.n > 1 && line.s[0] == '#' && line.s[1] == ' ')
			return class_fail(f, where, "a comment, which trainers read as class 0: remove it");
		if (class_add(f, where, id++, line.s, line.n) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* ---- labelmap.txt ----------------------------------------------------------------------------------------------- */

/* The parts of name:r,g,b:parts:actions. */
struct label {
	size_t name_n;
	bool has_colour;
	uint8_t rgb[3];
};

/* Reads a field that is a colour, three numbers with commas, or "" for none. */
static bool read_colour(const char *s, size_t n, struct label *label)
{
	label->has_colour = n;
	for (unsigned i = 0; n && i < 3; i++) {
		const char *comma = memchr(s, ',', n);
		size_t digits = comma ? (size_t)(comma - s) : n;

		if (!comma != (i == 2) || !class_scan_sample(s, digits, &label->rgb[i]))
			return false;
		s += digits + !!comma;
		n -= digits + !!comma;
	}
	return !n;
}

/* Reads a line name:r,g,b:parts:actions, whose name may contain colons. */
static bool read_label(const struct class_line *line, struct label *label)
{
	size_t colons[3], count = 0;

	for (size_t i = line->n; i-- && count < 3;)
		if (line->s[i] == ':')
			colons[count++] = i; /* from the right */
	if (count < 3 || !read_colour(line->s + colons[2] + 1, colons[1] - colons[2] - 1, label))
		return false;
	label->name_n = colons[2];
	return true;
}

bool class_file_is_cvat(const struct class_file *f)
{
	struct class_line line = { 0 };
	struct label label;

	while (class_line_next(f, &line)) {
		if (line.n >= 8 && !strncmp(line.s, "# label:", 8))
			return true;
		if (line.n && line.s[0] != '#')
			return read_label(&line, &label);
	}
	return false;
}

enum status class_file_cvat(struct class_file *f)
{
	struct class_line line = { 0 };
	struct label label;

	for (int64_t id = 0; class_line_next(f, &line);) {
		char where[40];

		if (!line.n || line.s[0] == '#')
			continue;
		snprintf(where, sizeof(where), "line %zu", line.number);
		if (!read_label(&line, &label))
			return class_fail(f, where, "expected name:r,g,b:parts:actions, as CVAT writes it");
		if (class_add(f, where, id, line.s, label.name_n) != STATUS_OK ||
		    (label.has_colour && class_add_colour(f, where, id, label.rgb) != STATUS_OK))
			return STATUS_FAILED;
		id++;
	}
	return STATUS_OK;
}
