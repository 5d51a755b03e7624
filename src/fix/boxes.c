#include "fix/boxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "read/yolo.h"

enum { NUMBERS = 4, NUMBER_MAX = 40, DECIMALS_MIN = 6, DECIMALS_MAX = 15 };

#define OVERSHOOT_MAX 0.01
#define ROUNDING      1e-9 /* what binary fractions make of decimals */

/* A row: centre and size. */
struct row {
	double v[NUMBERS];
	int decimals; /* the most that a number has */
};

size_t text_line_length(const char *s, size_t n)
{
	size_t len = 0;

	while (len < n && s[len] != '\n' && s[len] != '\r')
		len++;
	return len;
}

/* Returns whether the bytes are four numbers. */
static bool parse(const char *s, size_t n, struct row *row)
{
	size_t at = 0;

	row->decimals = DECIMALS_MIN;
	for (size_t i = 0; i < NUMBERS; i++) {
		char number[NUMBER_MAX + 1];
		size_t len = 0;
		char *end;

		while (at < n && is_blank(s[at]))
			at++;
		while (at < n && !is_blank(s[at]) && len < NUMBER_MAX)
			number[len++] = s[at++];
		number[len] = '\0';
		row->v[i] = strtod(number, &end);
		if (!len || *end || !isfinite(row->v[i]))
			return false;
		const char *point = strchr(number, '.');

		if (point)
			row->decimals = MAX(row->decimals, (int)strcspn(point + 1, "eE"));
	}
	while (at < n && is_blank(s[at]))
		at++;
	row->decimals = MIN(row->decimals, (int)DECIMALS_MAX);
	return at == n;
}

/* Cuts one axis. Returns whether the box leaves the image there, by no more than is clipped, and something is left. */
static bool clip_axis(double *centre, double *size, int decimals)
{
	const double low = *centre - *size / 2, high = *centre + *size / 2, unit = pow(10, -decimals);
	double from = fmax(low, 0), to = fmin(high, 1);

	if (to - from < 2 * unit)
		return false;
	/* whole units, so that what is written is not beyond the edge again */
	from = ceil(from / (2 * unit) - ROUNDING) * 2 * unit;
	to = floor(to / (2 * unit) + ROUNDING) * 2 * unit;
	*centre = (from + to) / 2;
	*size = to - from;
	return true;
}

enum box_edit boxes_edit(struct box_edits *e, const char *s, size_t n, struct strbuf *out)
{
	struct row row;

	if (!parse(s, n, &row))
		return BOX_STAYS;
	if (row.v[2] <= 0 || row.v[3] <= 0) {
		e->dropped += e->drop;
		return e->drop ? BOX_DROPPED : BOX_STAYS;
	}
	double beyond = 0;

	for (int axis = 0; axis < 2; axis++)
		beyond = fmax(beyond, fmax(row.v[2 + axis] / 2 - row.v[axis], row.v[axis] + row.v[2 + axis] / 2 - 1));
	if (!e->clip || beyond < ROUNDING || beyond > OVERSHOOT_MAX + ROUNDING)
		return BOX_STAYS;
	for (int axis = 0; axis < 2; axis++)
		if (!clip_axis(&row.v[axis], &row.v[2 + axis], row.decimals))
			return BOX_STAYS;
	for (size_t i = 0; i < NUMBERS; i++)
		strbuf_addf(out, " %.*f", row.decimals, row.v[i]);
	e->clipped++;
	return BOX_CLIPPED;
}

const char *boxes_count(struct box_edits *e, const struct input *input)
{
	enum { ROWS = 256 };
	struct entry_table table = { 0 };
	struct fault fault = FAULT_INIT;
	struct strbuf ignored = STRBUF_INIT;
	struct box_row rows[ROWS];
	struct input in;
	struct yolo yolo;
	size_t n;

	if (!input->bytes)
		return "is too large for its boxes to be clipped or dropped";
	input_init(&in);
	input_from_memory(&in, input->bytes, (size_t)input->size);
	bool ok = yolo_open(&yolo, &in, NULL, &table, &fault);

	while (ok && (n = yolo_read(&yolo, rows, ROWS, &fault)))
		for (size_t i = 0; i < n; i++) {
			const size_t at = (size_t)rows[i].id_at + rows[i].id_size;
			const char *text = (const char *)input->bytes + at;

			if (!rows[i].has_id)
				continue;
			strbuf_clear(&ignored);
			boxes_edit(e, text, text_line_length(text, (size_t)input->size - at), &ignored);
		}
	yolo_close(&yolo);
	entry_table_release(&table);
	strbuf_release(&ignored);
	input_release(&in);
	return ok && fault.kind == FAULT_NONE ? NULL : "has boxes that could not be read again";
}
