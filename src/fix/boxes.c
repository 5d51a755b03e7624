#include "fix/boxes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { NUMBERS = 4, NUMBER_MAX = 40, DECIMALS_MIN = 6, DECIMALS_MAX = 15 };

/* Returns how many decimals a number is written with. */
static int decimals_of(const struct text_field *f)
{
	char number[NUMBER_MAX + 1];
	const size_t n = MIN(f->n, (size_t)NUMBER_MAX);

	memcpy(number, f->s, n);
	number[n] = '\0';
	const char *point = strchr(number, '.'), *exponent = strpbrk(number, "eE");
	const long decimals =
		(point ? (long)strcspn(point + 1, "eE") : 0) - (exponent ? strtol(exponent + 1, NULL, 10) : 0);

	return (int)MAX(MIN(decimals, (long)DECIMALS_MAX), 0L);
}

/* Cuts one axis of a box. v: its numbers of that axis. Returns whether they change. */
static bool clip_axis(double v[2], enum box_numbers numbers, double image, int decimals)
{
	const bool centre = numbers == BOX_CENTRE_SIZE;
	const double size = numbers == BOX_CORNERS ? v[1] - v[0] : v[1], low = v[0] - (centre ? size / 2 : 0);
	double from = fmax(low, 0), to = fmin(low + size, image);

	if (low >= -GEOMETRY_ROUNDING * image && low + size <= image * (1 + GEOMETRY_ROUNDING))
		return false;
	if (centre) { /* whole units, so that what is written is not beyond the edge again */
		const double unit = 2 * pow(10, -decimals);

		from = ceil(from / unit - GEOMETRY_ROUNDING) * unit;
		to = floor(to / unit + GEOMETRY_ROUNDING) * unit;
	}
	v[0] = centre ? (from + to) / 2 : from;
	v[1] = numbers == BOX_CORNERS ? to : to - from;
	return true;
}

void box_clip(const struct box_facts *box, const struct text_field numbers[NUMBERS], uint64_t at, struct edits *edits)
{
	const bool fractions = box->unit == BOX_FRACTIONS;
	int decimals = box->numbers == BOX_CENTRE_SIZE ? DECIMALS_MIN : 0;

	for (size_t i = 0; i < NUMBERS; i++)
		decimals = MAX(decimals, decimals_of(&numbers[i]));
	for (size_t axis = 0; axis < 2; axis++) {
		double v[2] = { box->v[axis], box->v[2 + axis] };

		if (!clip_axis(v, box->numbers, fractions ? 1 : axis ? box->height : box->width, decimals))
			continue;
		for (size_t i = 0; i < 2; i++) {
			const struct text_field *f = &numbers[axis + 2 * i];
			char text[2 * NUMBER_MAX];

			if (fabs(v[i] - box->v[axis + 2 * i]) < pow(10, -decimals) / 2)
				continue;
			snprintf(text, sizeof(text), "%.*f", decimals, v[i]);
			edits_add_text(edits, at + (uint64_t)(f->s - numbers[0].s), f->n, text);
		}
	}
}

void list_edit_element(struct list_edit *l, uint64_t at, uint64_t n, bool drop, struct edits *edits)
{
	if (drop && l->kept) {
		edits_add_text(edits, l->end, at + n - l->end, "");
	} else {
		if (l->dropped && !l->kept) /* those before it were the first ones */
			edits_add_text(edits, l->end, at - l->end, "");
		if (drop)
			edits_add_text(edits, at, n, "");
	}
	l->kept |= !drop;
	l->dropped |= drop;
	l->end = at + n;
}
