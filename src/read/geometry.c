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

/* x and y together: boxes differ, so that a branch for each side would be foreseen half the time. */
typedef double axes __attribute__((vector_size(16)));
typedef int64_t on_axes __attribute__((vector_size(16))); /* -1 or 0 */

static bool on_both(on_axes which)
{
	return which[0] & which[1];
}

/* Returns whether edges are within an image. */
static bool is_within(axes from, axes to, axes size, double tolerance)
{
	return on_both((from >= -tolerance) & (to <= size + tolerance));
}

/* Returns whether `fix --clip` cuts a box; from, to: its edges; size: of the image. */
static bool is_clipped(axes from, axes to, axes size)
{
	double beyond = 0, rest = 1;

	for (size_t i = 0; i < 2; i++) {
		beyond = MAX(beyond, MAX(-from[i], to[i] - size[i]) / size[i]);
		rest = MIN(rest, (MIN(to[i], size[i]) - MAX(from[i], 0)) / size[i]);
	}
	return beyond > GEOMETRY_ROUNDING && beyond <= CLIPPED_MAX && rest >= CLIPPED_REST;
}

/* Counts what a box has in common with others. size: of its image, in the unit of the box; 0: unknown. */
static void add_numbers(const struct box_facts *b, axes from, axes to, axes size, double tolerance, struct box_tally *t)
{
	const axes first = { b->v[0], b->v[1] }, second = { b->v[2], b->v[3] }, extent = to - from, one = { 1, 1 };
	const bool corner_size = b->numbers == BOX_CORNER_SIZE, pixels = b->unit == BOX_PIXELS;
	const axes image = b->unit == BOX_FRACTIONS ? (axes){ b->width, b->height } : pixels ? one : one - 1;

	const uint64_t boxes = t->boxes++; /* before this one; a meaning that one of them does not have is none */

	t->tiny += image[0] > 0 && !on_both(extent * image > TINY);
	t->in_a_pixel += pixels && t->in_a_pixel == boxes && is_within(first, first, one, 0) && on_both(second <= 1);
	t->as_corners += b->numbers != BOX_CORNERS && t->as_corners == boxes && on_both(second > first);
	if (!(size[0] > 0))
		return;
	const uint64_t placed = t->placed++;
	uint64_t *const centres = corner_size ? &t->as_centres : &t->as_made_centres;

	t->whole += on_both(extent >= WHOLE * size);
	t->as_made_corners += !corner_size && t->as_made_corners == boxes && on_both(extent > from) &&
			      is_within(from, extent, size, tolerance);
	*centres += *centres == placed && is_within(from - extent / 2, from + extent / 2, size, tolerance);
	t->as_swapped += b->unit != BOX_FRACTIONS && t->as_swapped == placed &&
			 is_within((axes){ from[1], from[0] }, (axes){ to[1], to[0] }, size, tolerance);
}

unsigned geometry_judge(const struct box_facts *b, struct box_tally *t)
{
	const bool fractions = b->unit == BOX_FRACTIONS;
	const double tolerance = fractions ? GEOMETRY_FRACTION : GEOMETRY_PIXEL;
	const axes size = fractions ? (axes){ 1, 1 } : (axes){ b->width, b->height };
	const axes first = { b->v[0], b->v[1] }, second = { b->v[2], b->v[3] };
	const axes extent = b->numbers == BOX_CORNERS ? second - first : second;
	const axes from = b->numbers == BOX_CENTRE_SIZE ? first - extent / 2 : first, to = from + extent;
	const bool placed = size[0] > 0;
	double beyond = 0;

	t->as_sizes += placed && b->numbers != BOX_CORNER_SIZE && on_both(second > 0) &&
		       is_within(first, first + second, size, tolerance);
	if (extent[0] < 0 || extent[1] < 0) {
		t->inverted++;
		return 1u << GEOMETRY_INVERTED;
	}
	if (extent[0] == 0 || extent[1] == 0)
		return 1u << GEOMETRY_NO_AREA;
	add_numbers(b, from, to, size, tolerance, t);
	/* an image of unknown size begins at 0 */
	for (size_t i = 0; i < 2; i++)
		beyond = MAX(beyond, MAX(-from[i], size[i] > 0 ? to[i] - size[i] : -from[i]));
	if (!(beyond > 0))
		return 0;
	const bool clipped = placed && !b->unwritten && is_clipped(from, to, size);

	t->clipped += clipped;
	if (!(beyond > tolerance))
		return 0;
	t->unclipped += !clipped;
	t->outside += placed;
	t->overshoot = MAX(t->overshoot, beyond);
	return to[0] <= 0 || to[1] <= 0 || (placed && from[0] >= size[0]) || (size[1] > 0 && from[1] >= size[1])
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

/* ---- points ---------------------------------------------------------------------------------------------------- */

static double turn(const double *a, const double *b, const double *c)
{
	return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Returns whether two edges cross at a point inside both. */
static bool edges_cross(const double *a, const double *b, const double *c, const double *d)
{
	return turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;
}

bool polygon_crosses(const double *v, size_t n)
{
	for (size_t i = 0; i + 2 < n; i++)
		for (size_t k = i + 2; k < n - (i == 0); k++)
			if (edges_cross(v + 2 * i, v + 2 * i + 2, v + 2 * k, v + 2 * ((k + 1) % n)))
				return true;
	return false;
}

void keypoint_add(struct keypoint_facts *k, const double v[3])
{
	k->count++;
	if (!(v[2] > 0))
		return;
	k->at_origin |= v[0] == 0 && v[1] == 0;
	if (!k->labelled++) {
		k->left = k->right = v[0];
		k->top = k->bottom = v[1];
	}
	k->left = MIN(k->left, v[0]);
	k->right = MAX(k->right, v[0]);
	k->top = MIN(k->top, v[1]);
	k->bottom = MAX(k->bottom, v[1]);
}

bool keypoints_are_away(const struct keypoint_facts *k, const double box[4], double least)
{
	const double x = MAX((box[2] - box[0]) / 10, least), y = MAX((box[3] - box[1]) / 10, least);

	return k->labelled && box[2] > box[0] && box[3] > box[1] &&
	       (k->right < box[0] - x || k->left > box[2] + x || k->bottom < box[1] - y || k->top > box[3] + y);
}
