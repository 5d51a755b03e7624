#include "read/geometry.h"

#include "base/mem.h"

enum {
	BOXES_MIN = 3, /* fewer may be so by chance */
	OUTSIDE_MIN =
		5, /* of that many boxes, one is outside: the others lie at the upper left, where a mistake fits */
};

/* Counts what tells whether the numbers are others than their form says. */
static void add_numbers(const struct box_facts *b, double width, double height, double tolerance, struct box_tally *t)
{
	const double *v = b->v;

	t->boxes++;
	t->placed += width > 0;
	t->in_a_pixel +=
		b->unit == BOX_PIXELS && v[0] >= 0 && v[1] >= 0 && v[0] <= 1 && v[1] <= 1 && v[2] <= 1 && v[3] <= 1;
	t->as_corners += b->numbers != BOX_CORNERS && v[2] > v[0] && v[3] > v[1];
	t->as_centres += b->numbers == BOX_CORNER_SIZE && width > 0 && v[0] - v[2] / 2 >= -tolerance &&
			 v[1] - v[3] / 2 >= -tolerance && v[0] + v[2] / 2 <= width + tolerance &&
			 v[1] + v[3] / 2 <= height + tolerance;
}

unsigned geometry_judge(const struct box_facts *b, struct box_tally *t)
{
	const bool fractions = b->unit == BOX_FRACTIONS;
	const double tolerance = fractions ? GEOMETRY_FRACTION : GEOMETRY_PIXEL;
	const double width = fractions ? 1 : b->width, height = fractions ? 1 : b->height;
	const bool sizes = b->numbers != BOX_CORNERS, centre = b->numbers == BOX_CENTRE_SIZE;
	const double w = b->v[2] - (sizes ? 0 : b->v[0]), h = b->v[3] - (sizes ? 0 : b->v[1]);
	const double left = b->v[0] - (centre ? w / 2 : 0), top = b->v[1] - (centre ? h / 2 : 0);
	const double right = left + w, bottom = top + h;
	/* an image of unknown size begins at 0 */
	const double beyond_x = width > 0 ? right - width : -left, beyond_y = height > 0 ? bottom - height : -top;
	const double beyond = MAX(MAX(-left, -top), MAX(beyond_x, beyond_y));

	if (w < 0 || h < 0)
		return 1u << GEOMETRY_INVERTED;
	if (w == 0 || h == 0)
		return 1u << GEOMETRY_NO_AREA;
	add_numbers(b, width, height, tolerance, t);
	if (!(beyond > tolerance))
		return 0;
	t->outside += width > 0;
	t->overshoot = MAX(t->overshoot, beyond);
	return right <= 0 || bottom <= 0 || (width > 0 && left >= width) || (height > 0 && top >= height)
		       ? 1u << GEOMETRY_AWAY
		       : 1u << GEOMETRY_OUTSIDE;
}

enum box_mistake geometry_mistake(const struct box_tally *t)
{
	if (t->boxes < BOXES_MIN)
		return MISTAKE_NONE;
	if (t->in_a_pixel == t->boxes)
		return MISTAKE_FRACTIONS;
	if (t->outside * OUTSIDE_MIN < t->placed || t->placed < BOXES_MIN)
		return MISTAKE_NONE;
	if (t->as_corners == t->boxes)
		return MISTAKE_CORNERS;
	return t->as_centres == t->placed ? MISTAKE_CENTRES : MISTAKE_NONE;
}
