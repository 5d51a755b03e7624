#include "read/text_boxes.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "read/count_line.h"
#include "read/text_lines.h"

/* Fields of a row that are looked at: KITTI's have 16. */
enum {
	LINES_MAX = 40,
	FIRST_LINES = 2,
	FIELDS_MAX = 17,
	KITTI_FIELDS = 15,
	KITTI_BOX_AT = 4,
	IMAGES_MIN = 3,
	CLASSES_MAX = 256
};

struct field {
	const char *s;
	size_t n;
	bool number;
	int64_t units; /* of a number: as struct decimal_value */
};

/* Splits a line at blanks or commas. Returns the number of fields, at most FIELDS_MAX. */
static size_t split(const char *s, const char *end, bool commas, struct field out[FIELDS_MAX])
{
	size_t count = 0;

	while (s < end && count < FIELDS_MAX) {
		const char *start = s;

		while (s < end && !is_blank(*s) && !(commas && *s == ','))
			s++;
		if (s > start) {
			struct decimal_value v;

			out[count] = (struct field){ start, (size_t)(s - start), false, 0 };
			out[count].number = scan_decimal(start, s, &v) == s && v.kind == NUMBER_FINITE;
			out[count++].units = v.units;
		}
		s += s < end;
	}
	return count;
}

size_t box_class(const char *s, size_t n)
{
	const char *p = s, *end = s + n;
	struct decimal_value v;

	for (int i = 0; i < 4; i++) {
		const char *number = p;

		p = scan_decimal(number, end, &v);
		if (p == number || v.kind != NUMBER_FINITE || p == end || *p++ != ',')
			return 0;
	}
	const char *id = p;

	p = scan_decimal(id, end, &v);
	return p > id && p == end ? (size_t)(id - s) : 0;
}

static bool has_dot(const struct field *f)
{
	return !f->number && memchr(f->s, '.', f->n);
}

/* Returns whether a line is a path, which may contain blanks, and boxes of keras-yolo3 to its end. */
static bool is_grouped(const struct field *f, size_t n)
{
	size_t path = 0;
	bool dot = false;

	while (path < n && !box_class(f[path].s, f[path].n))
		dot |= has_dot(&f[path++]);
	return dot && path < n && !f[0].number && box_class(f[n - 1].s, f[n - 1].n);
}

/* Returns whether four fields are the corners of a box. */
static bool are_corners(const struct field *f)
{
	return f[0].number && f[1].number && f[2].number && f[3].number && f[2].units > f[0].units &&
	       f[3].units > f[1].units;
}

/* Returns whether fields are in pixels, not in fractions of an image. */
static bool are_pixels(const struct field *f)
{
	return MAX(f[2].units, f[3].units) > 2 * DECIMAL_ONE;
}

static bool is_name(const struct field *f)
{
	return !f->number && !memchr(f->s, '.', f->n) && !memchr(f->s, '/', f->n) && !memchr(f->s, ':', f->n) &&
	       !memchr(f->s, '=', f->n);
}

static bool is_image(const struct field *f)
{
	char name[256];

	snprintf(name, sizeof(name), "%.*s", (int)MIN(f->n, sizeof(name) - 1), f->s);
	return is_image_name(name);
}

/* Returns whether a field is a number that begins with a zero, as those of images do. */
static bool is_padded(const struct field *f)
{
	enum { PADDED = 4 };

	return f->number && f->n >= PADDED && f->s[0] == '0' && ascii_isdigit(f->s[1]);
}

static enum text_boxes boxes_of_line(const char *s, const char *end)
{
	struct field f[FIELDS_MAX];
	size_t n = split(s, end, false, f);

	if (is_grouped(f, n))
		return BOXES_GROUPED;
	if (n == 5 && is_name(f) && are_corners(f + 1) && are_pixels(f + 1))
		return BOXES_NAMED;
	if ((n == KITTI_FIELDS || n == KITTI_FIELDS + 1) && is_name(f) && are_corners(f + KITTI_BOX_AT)) {
		for (size_t i = 1; i < n; i++)
			if (!f[i].number)
				return BOXES_NONE;
		return BOXES_KITTI;
	}
	if (n == 5 && are_corners(f) && are_pixels(f) && is_name(f + 4))
		return BOXES_AFTER;
	if (n == 5 && is_padded(f) && are_corners(f + 1) && are_pixels(f + 1))
		return BOXES_BARE; /* the number of an image */
	if (n == 5 && f[0].number && f[0].units >= 0 && f[0].units < CLASSES_MAX * DECIMAL_ONE && are_corners(f + 1) &&
	    are_pixels(f + 1))
		return BOXES_NUMBERED;
	/* a detection: its score comes after its name */
	if (n == 6 && is_name(f) && f[1].number && f[1].units <= DECIMAL_ONE && are_corners(f + 2) && are_pixels(f + 2))
		return BOXES_NAMED;
	n = split(s, end, true, f);
	if ((n == 6 || (n == 8 && f[6].number && f[7].number)) && has_dot(f) && are_corners(f + 1) && is_name(f + 5))
		return BOXES_CORNERS;
	const struct field *box = n == 5 && is_image(f) ? f + 1 : f;

	return (n == 4 || box > f) && are_corners(box) && are_pixels(box) ? BOXES_BARE : BOXES_NONE;
}

enum text_boxes text_boxes_of(const char *s, size_t n, bool whole)
{
	uint64_t rows;
	const char *end = s + n;
	const size_t counted = count_line(s, n, whole, &rows);
	unsigned lines = 0, paths = 0, images = 0, counts[BOXES_BARE + 1] = { 0 };

	s += counted;
	while (s < end && lines < LINES_MAX) {
		const char *next = memchr(s, '\n', (size_t)(end - s)), *line_end = next ? next : end;

		if (!next && !whole && lines)
			break; /* incomplete */
		if (lines == FIRST_LINES && counts[BOXES_NONE] == lines && !paths)
			return BOXES_NONE; /* most texts: YOLO's, tables */
		while (line_end > s && (is_blank(line_end[-1]) || line_end[-1] == '\r'))
			line_end--;
		if (line_end > s) {
			struct field f[FIELDS_MAX];

			const enum text_boxes kind = boxes_of_line(s, line_end);

			counts[(kind == BOXES_NUMBERED && !counted) || (kind == BOXES_BARE && counted) ? BOXES_NONE
												       : kind]++;
			lines++;
			images += kind == BOXES_BARE && split(s, line_end, true, f) == 5;
			paths += split(s, line_end, false, f) == 1 && has_dot(f);
		}
		s = next ? next + 1 : end;
	}
	for (int i = BOXES_NONE + 1; i <= BOXES_BARE; i++)
		/*
		 * In keras-yolo3's lists, an image without objects is a path alone. A table of four numbers may rise in
		 * most rows by chance, those after an image in all of few.
		 */
		if (counts[i] && (i == BOXES_BARE ? counts[i] == lines && (!images || lines >= IMAGES_MIN)
						  : 10 * counts[i] >= 9 * (lines - (i == BOXES_GROUPED ? paths : 0))))
			return (enum text_boxes)i;
	return BOXES_NONE;
}

bool text_is_bbgt(const char *s, size_t n)
{
	static const char start[] = "% bbGt version=";

	return n >= sizeof(start) - 1 && !memcmp(s, start, sizeof(start) - 1);
}
