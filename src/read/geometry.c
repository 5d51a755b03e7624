#include "read/geometry.h"

#include "base/mem.h"

enum {
	BOXES_MIN = 3, /* fewer may be so by chance */
	OUTSIDE_MIN =
		5, /* of that many boxes, one is outside: the others lie at the upper left, where a mistake fits */
	BOXES_MANY = 20, /* if all of 20 could be corners, sizes that are above the place each time are no chance */
	OUTSIDE_OF_MANY = 20, /* fewer must be outside then */
	MADE_OUTSIDE_MIN = 3, /* large objects could be corners, too, but do not leave the image */
};

/* A box is as large as its image if it has so much of its width and height. */
#define WHOLE 0.98
/* Pixels, and what six decimals of a fraction add. */
#define TINY 1.01

/* Boxes that are cut leave the image by at most a hundredth of it, and more than rounding is left of them. */
#define CLIPPED_MAX  (0.01 + GEOMETRY_ROUNDING)
#define CLIPPED_REST 1e-5

/* Returns whether `fix --clip` cuts a box; from, to: its edges along an axis; size: of the image. */
static bool is_clipped(const double from[2], const double to[2], const double size[2])
{
	double beyond = 0, rest = 1;

	for (size_t i = 0; i < 2; i++) {
		beyond = MAX(beyond, MAX(-from[i], to[i] - size[i]) / size[i]);
		rest = MIN(rest, (MIN(to[i], size[i]) - MAX(from[i], 0)) / size[i]);
	}
	return beyond > GEOMETRY_ROUNDING && beyond <= CLIPPED_MAX && rest >= CLIPPED_REST;
}

/* Returns whether edges are within an image. */
static bool is_within(double left, double top, double right, double bottom, double width, double height,
		      double tolerance)
{
	return left >= -tolerance && top >= -tolerance && right <= width + tolerance && bottom <= height + tolerance;
}

/* Counts what a box, at left and top, of w by h has in common with others. width, height: of its image, all in one
 * unit. */
static void add_numbers(const struct box_facts *b, const double edges[4], double width, double height, double tolerance,
			struct box_tally *t)
{
	const double *v = b->v, left = edges[0], top = edges[1], w = edges[2] - left, h = edges[3] - top;
	const bool fractions = b->unit == BOX_FRACTIONS;
	const double pixel = fractions ? b->width : b->unit == BOX_PIXELS, line = fractions ? b->height : pixel;

	t->boxes++;
	t->tiny += pixel > 0 && (w * pixel <= TINY || h * line <= TINY);
	t->in_a_pixel +=
		b->unit == BOX_PIXELS && v[0] >= 0 && v[1] >= 0 && v[0] <= 1 && v[1] <= 1 && v[2] <= 1 && v[3] <= 1;
	t->as_corners += b->numbers != BOX_CORNERS && v[2] > v[0] && v[3] > v[1];
	if (!(width > 0))
		return;
	t->placed++;
	t->whole += w >= WHOLE * width && h >= WHOLE * height;
	t->as_made_corners += b->numbers != BOX_CORNER_SIZE && w > left && h > top &&
			      is_within(left, top, w, h, width, height, tolerance);
	if (is_within(left - w / 2, top - h / 2, left + w / 2, top + h / 2, width, height, tolerance))
		++*(b->numbers == BOX_CORNER_SIZE ? &t->as_centres : &t->as_made_centres);
	t->as_swapped += !fractions && is_within(top, left, edges[3], edges[2], width, height, tolerance);
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

	t->as_sizes += width > 0 && b->numbers != BOX_CORNER_SIZE && b->v[2] > 0 && b->v[3] > 0 &&
		       is_within(b->v[0], b->v[1], b->v[0] + b->v[2], b->v[1] + b->v[3], width, height, tolerance);
	if (w < 0 || h < 0) {
		t->inverted++;
		return 1u << GEOMETRY_INVERTED;
	}
	if (w == 0 || h == 0)
		return 1u << GEOMETRY_NO_AREA;
	add_numbers(b, (const double[4]){ left, top, right, bottom }, width, height, tolerance, t);
	if (!(beyond > 0))
		return 0;
	const bool clipped = width > 0 && !b->unwritten &&
			     is_clipped((const double[2]){ left, top }, (const double[2]){ right, bottom },
					(const double[2]){ width, height });

	t->clipped += clipped;
	if (!(beyond > tolerance))
		return 0;
	t->unclipped += !clipped;
	t->outside += width > 0;
	t->overshoot = MAX(t->overshoot, beyond);
	return right <= 0 || bottom <= 0 || (width > 0 && left >= width) || (height > 0 && top >= height)
		       ? 1u << GEOMETRY_AWAY
		       : 1u << GEOMETRY_OUTSIDE;
}

enum box_mistake geometry_mistake(const struct box_tally *t)
{
	const uint64_t all = t->boxes + t->inverted;

	/* sizes far from the origin are less than their place */
	if (all >= BOXES_MANY && 2 * t->inverted >= all && t->as_sizes >= all)
		return MISTAKE_SIZES;
	if (t->boxes < BOXES_MIN)
		return MISTAKE_NONE;
	if (t->in_a_pixel == t->boxes)
		return MISTAKE_FRACTIONS;
	const bool outside = t->outside * OUTSIDE_MIN >= t->placed && t->placed >= BOXES_MIN;
	const bool many = t->boxes >= BOXES_MANY && t->outside && t->outside * OUTSIDE_OF_MANY >= t->placed;

	if (t->as_corners == t->boxes && (many || outside))
		return MISTAKE_CORNERS;
	if (t->as_centres == t->placed && outside)
		return MISTAKE_CENTRES;
	if (!many || t->outside < OUTSIDE_MIN)
		return MISTAKE_NONE;
	if (t->as_made_corners == t->boxes && t->outside * MADE_OUTSIDE_MIN >= t->placed)
		return MISTAKE_MADE_CORNERS;
	return t->as_made_centres == t->placed ? MISTAKE_MADE_CENTRES
	       : t->as_sizes == t->placed      ? MISTAKE_SIZES
	       : t->as_swapped == t->placed    ? MISTAKE_SWAPPED
					       : MISTAKE_NONE;
}

/* ---- box against shape --------------------------------------------------------------------------------------------
 */

/* Boxes are written around pixels or points, rounded or not. */
#define SLACK 2.0
/* They have less in common: some sets draw the box around hidden parts, too, but hardly twice as large. */
#define OFF_BOX 0.5
#define MATCHES 0.8
/* Areas are counted in pixels or taken from points; of parts that overlap, once or twice. */
#define AREA_MOST  1.5
#define AREA_LEAST 0.5
/* Without a shape in the file: a thin object across its box may be that small. */
#define AREA_LEAST_OF_BOX 0.02
#define AREA_SLACK        50.0

double geometry_overlap(const double a[4], const double b[4])
{
	const double w = MIN(a[2], b[2]) - MAX(a[0], b[0]), h = MIN(a[3], b[3]) - MAX(a[1], b[1]);
	const double both = w > 0 && h > 0 ? w * h : 0;

	return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both);
}

static bool is_off(const double box[4], const double shape[4])
{
	double distance = 0;

	for (size_t i = 0; i < 4; i++)
		distance = MAX(distance, MAX(box[i] - shape[i], shape[i] - box[i]));
	return distance > SLACK && geometry_overlap(box, shape) < OFF_BOX;
}

/* Adds what the numbers of a box could mean instead. */
static void add_meanings(const double v[4], const double shape[4], struct shape_tally *t)
{
	const double centre[4] = { v[0] - v[2] / 2, v[1] - v[3] / 2, v[0] + v[2] / 2, v[1] + v[3] / 2 };

	t->off_box++;
	t->as_corners += v[2] > v[0] && v[3] > v[1] && geometry_overlap(v, shape) > MATCHES;
	t->as_centres += geometry_overlap(centre, shape) > MATCHES;
}

unsigned geometry_compare(const struct box_facts *b, const struct shape_facts *shape, double area,
			  struct shape_tally *t)
{
	const double box[4] = { b->v[0], b->v[1], b->v[0] + b->v[2], b->v[1] + b->v[3] };
	const double box_area = b->v[2] * b->v[3], shape_area = shape ? shape->area : 0;
	unsigned found = 0;

	if (shape && !(shape_area > 1e-9 * box_area)) {
		found |= 1u << SHAPE_NOTHING;
	} else if (shape) {
		const double bounds[4] = { shape->left, shape->top, shape->right, shape->bottom };

		if (is_off(box, bounds)) {
			found |= 1u << SHAPE_OFF_BOX;
			add_meanings(b->v, bounds, t);
		}
	}
	if (area < 0 || found)
		return found;
	if (area > AREA_MOST * MAX(box_area, shape_area) + AREA_SLACK || area < AREA_LEAST_OF_BOX * box_area - 1 ||
	    area < AREA_LEAST * MIN(box_area, shape_area) - AREA_SLACK || (area == 0 && box_area >= 1))
		found |= 1u << SHAPE_AREA;
	return found;
}
