#include "read/box_form.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "read/list_words.h"

const struct box_form box_forms[] = {
	{ "kitti", ' ', .columns = "N###ltrb#######|#" },
	{ "dota", ' ', .columns = "qqqqqqqqN|2" },
	{ "visdrone", ',', .columns = "ltWH0I02" },
	{ "visdrone-video", ',', .columns = "F#ltWH0I02", .frames = "../sequences/*/", .digits = 7 },
	{ "mot", ',', .leaves_frame = true, .columns = "F#ltWH0If", .frames = "../img1/", .digits = 6 },
	{ "uavdt", ',', .columns = "F#ltWH##I" },
	{ "keras-yolo3", ' ', .grouped = true, .columns = "pltrbA" },
	{ "keras-retinanet", ',', .columns = "pltrbA|XY" }, /* as SKU-110K has it */
	{ "gtsdb", ';', .columns = "pltrbI" },
	{ "automl", ',', .fractions = true, .columns = "wpNltEErbEE" },
	{ "ava", ',', .fractions = true, .many_labels = true, .columns = "wFltrbI|#" },
	{ "tiny-imagenet", ' ', .columns = "pNltrb" },
	{ "class-box", ' ', .columns = "Altrb" },
	{ "box-class", ' ', .columns = "ltrbN" },
};
static const size_t box_form_count = ARRAY_SIZE(box_forms);

const struct box_form *box_form_find(const char *name)
{
	for (size_t i = 0; i < box_form_count; i++)
		if (!strcmp(box_forms[i].name, name))
			return &box_forms[i];
	return NULL;
}

size_t box_form_column(const struct box_form *form, char letter)
{
	const char *at = strchr(form->columns, letter), *bar = strchr(form->columns, '|');

	return at ? (size_t)(at - form->columns) - (bar && bar < at) : SIZE_MAX;
}

size_t box_form_width(const struct box_form *form, size_t *all)
{
	const size_t n = strlen(form->columns), least = strcspn(form->columns, "|");

	*all = least < n ? n - 1 : n;
	return least;
}

size_t box_form_class(const struct box_form *form)
{
	return strcspn(form->columns, "NIA");
}

size_t box_group_class(const char *s, size_t n)
{
	struct text_field fields[5];

	if (fields_split(s, s + n, ',', fields, ARRAY_SIZE(fields), NULL) != ARRAY_SIZE(fields))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		struct decimal_value v;
		const char *end = fields[i].s + fields[i].n;

		if (i == 4 && fields[i].n && !strchr("+-.0123456789", *fields[i].s)) /* the name of a class */
			break;
		if (!fields[i].n || scan_decimal(fields[i].s, end, &v) != end || v.kind != NUMBER_FINITE)
			return 0;
	}
	return (size_t)(fields[4].s - s);
}

/* ---- recognition ------------------------------------------------------------------------------------------------- */

static bool is_number(const struct text_field *f, struct decimal_value *v)
{
	return f->n && scan_decimal(f->s, f->s + f->n, v) == f->s + f->n;
}

static bool is_path(const struct text_field *f)
{
	struct decimal_value v;

	return f->n && !is_number(f, &v) && value_looks_like_path(f->s, f->n);
}

/* Returns whether a field may be what a letter stands for. NaN is a number: the audit judges it. */
static bool field_fits(const struct text_field *f, char letter)
{
	struct decimal_value v = { 0 };
	const bool number = is_number(f, &v);

	switch (letter) {
	case 'N':
		return f->n && !number && !is_path(f) && !memchr(f->s, '=', f->n) && f->s[f->n - 1] != ':';
	case 'w':
		return f->n && !number;
	case 'E':
		return !f->n;
	case 'p':
		return is_path(f);
	case 'A':
		return f->n && !is_path(f);
	case '0':
	case '2':
		return number && v.units >= 0 && v.units <= (letter - '0' + (letter == '0')) * DECIMAL_ONE &&
		       v.units % DECIMAL_ONE == 0;
	case 'f':
		return number && v.units >= 0 && v.units <= DECIMAL_ONE;
	default:
		return number;
	}
}

/* Returns whether a row of keras-yolo3 is a path, which may contain blanks, and boxes to its end. */
static bool fits_groups(const struct text_field *fields, size_t count)
{
	size_t path = 0;
	bool found = false;

	while (path < count && !box_group_class(fields[path].s, fields[path].n))
		found |= is_path(&fields[path++]);
	return found && path < count && box_group_class(fields[count - 1].s, fields[count - 1].n);
}

/* Returns whether a row has the columns of a form. An image without a box has empty fields after its path. */
static bool row_fits(const struct box_form *form, const struct text_field *line)
{
	struct text_field fields[BOX_FORM_COLUMNS];
	const size_t count =
		fields_split(line->s, line->s + line->n, form->separator, fields, ARRAY_SIZE(fields), NULL);
	size_t all, least = box_form_width(form, &all), empty = 0;

	if (form->grouped)
		return count > 1 && fits_groups(fields, MIN(count, ARRAY_SIZE(fields)));
	if (count != least && count != all)
		return false;
	for (size_t i = 1; i < count; i++)
		empty += !fields[i].n;
	if (form->columns[0] == 'p' && empty + 1 == count)
		return is_path(&fields[0]);
	for (size_t i = 0; i < count; i++)
		if (!field_fits(&fields[i], form->columns[i + (i >= least)]))
			return false;
	return true;
}

/* Returns whether some number of the rows but their class is above 2: flags and fractions may be anything. */
static bool are_pixels(const struct box_form *form, const struct text_field *lines, size_t count, size_t *words)
{
	const size_t class = box_form_class(form);
	bool large = false;

	for (size_t i = 0; i < count; i++) {
		struct text_field fields[BOX_FORM_COLUMNS];
		const size_t n = fields_split(lines[i].s, lines[i].s + lines[i].n, form->separator, fields,
					      ARRAY_SIZE(fields), NULL);
		struct decimal_value v;

		for (size_t k = 0; k < MIN(n, ARRAY_SIZE(fields)); k++) {
			if (k == class)
				*words += !is_number(&fields[k], &v);
			else
				large |= is_number(&fields[k], &v) && v.units > 2 * DECIMAL_ONE;
		}
	}
	return large;
}

const struct box_form *box_form_of(const struct text_field *lines, size_t count, bool counted)
{
	enum { SHORT = 5 };

	for (size_t k = 0; k < box_form_count; k++) {
		const struct box_form *form = &box_forms[k];
		const bool worded = strpbrk(form->columns, "NpwA"), short_form = strlen(form->columns) == SHORT;
		size_t fit = 0, paths = 0, words = 0;

		for (size_t i = 0; i < count; i++) {
			fit += row_fits(form, &lines[i]);
			/* in keras-yolo3's lists, an image without objects is a path alone */
			paths += form->grouped && is_path(&lines[i]);
		}
		if (!fit || (worded ? 2 * (fit + paths) < count : 10 * fit < 9 * count))
			continue;
		if ((worded && !short_form) ||
		    (are_pixels(form, lines, count, &words) && (!short_form || 2 * words >= count || counted)))
			return form;
	}
	return NULL;
}
