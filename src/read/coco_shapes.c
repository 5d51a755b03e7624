#include "read/coco_shapes.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { NUMBERS = 256 }; /* space for those read at a time, also where few are expected: then they are read by blocks */

bool coco_read_box(struct json_pull *json, struct coco_box *out)
{
	enum json_token token = json_next(json);
	double v[NUMBERS];
	size_t n;

	*out = (struct coco_box){ .given = token != JSON_NULL }; /* null: keypoints without a box */
	if (token != JSON_ARRAY)
		return json_skip(json, token);
	token = json_next_numbers(json, v, ARRAY_SIZE(v), &n);
	if (token != JSON_ARRAY_END)
		return json_skip(json, token) && json_skip(json, JSON_ARRAY); /* the rest */
	if (n != 4)
		return true;
	out->x = v[0];
	out->y = v[1];
	out->width = v[2];
	out->height = v[3];
	/* the negation makes NaN unreadable as well */
	out->readable = true;
	for (size_t i = 0; i < 4; i++)
		out->readable = out->readable && fabs(v[i]) < GEOMETRY_LIMIT;
	return true;
}

/* ---- run-length encoding ---- */

/* Adds a run of a mask whose columns have `height` pixels; 0: that is not known yet. Returns false on overflow. */
static bool add_run(struct coco_runs *r, uint64_t run, uint64_t height)
{
	const uint64_t begin = r->sum;
	uint64_t row;

	if (__builtin_add_overflow(r->sum, run, &r->sum))
		return false;
	if (!(r->count++ % 2) || !run)
		return true;
	r->first = r->pixels ? r->first : begin;
	r->end = r->sum;
	r->pixels += run;
	if (!height)
		return true;
	row = begin % height;
	r->top = MIN(r->top, run > height - row ? 0 : row);
	r->bottom = MAX(r->bottom, run > height - row ? height : row + run);
	return true;
}

bool coco_add_runs(const char *s, size_t n, uint64_t height, struct coco_runs *r)
{
	int64_t last[2] = { 0, 0 }; /* the one before the last, the last */
	size_t at = 0;

	while (at < n) {
		int64_t run = 0;
		unsigned shift = 0;
		bool more = true;

		while (more) {
			unsigned c;

			/* 7 groups are 35 bits: more than the 32 that cocoapi has */
			if (at == n || shift > 30 || s[at] < '0' || s[at] > '0' + 0x3f)
				return false;
			c = (unsigned)(s[at++] - '0');
			run |= (int64_t)(c & 0x1f) << shift;
			more = c & 0x20;
			shift += 5;
			if (!more && (c & 0x10))
				run -= (int64_t)1 << shift;
		}
		if (r->count > 2)
			run += last[0];
		if (run < 0 || run > UINT32_MAX || !add_run(r, (uint64_t)run, height))
			return false;
		last[0] = last[1];
		last[1] = run;
	}
	return true;
}

/* Reads a list of run lengths from after its bracket. */
static bool read_runs(struct json_pull *json, uint64_t height, bool *good, struct coco_runs *r)
{
	enum json_token token;

	while ((token = json_next(json)) != JSON_ARRAY_END) {
		uint64_t run;

		if (token != JSON_NUMBER || !json_number_uint64(&json->number, &run) || !add_run(r, run, height))
			*good = false;
		if (!json_skip(json, token))
			return false;
	}
	return true;
}

/* Reads [height, width]. */
static bool read_size(struct json_pull *json, struct coco_shape *out, bool *good)
{
	enum json_token token = json_next(json);
	uint64_t v[2] = { 0, 0 };
	unsigned n = 0;

	*good = false;
	if (token != JSON_ARRAY)
		return json_skip(json, token);
	while ((token = json_next(json)) != JSON_ARRAY_END) {
		if (token == JSON_NUMBER && n < 2)
			*good = json_number_uint64(&json->number, &v[n]) && (n == 0 || *good);
		else
			n = 2;
		if (!json_skip(json, token))
			return false;
		n++;
	}
	*good = *good && n == 2;
	out->run_height = v[0];
	out->run_width = v[1];
	return true;
}

/* Fills the place of a mask. Where the runs come before the size, its rows are not known: those of the image stand in.
 */
static void place_runs(const struct coco_runs *r, struct coco_shape *out)
{
	const uint64_t height = out->run_height;

	out->shape = (struct shape_facts){ .area = (double)r->pixels };
	out->no_rows = !r->bottom;
	if (!r->pixels)
		return;
	out->shape.left = (double)(r->first / height);
	out->shape.right = (double)((r->end - 1) / height + 1);
	out->shape.top = r->bottom ? (double)r->top : 0;
	out->shape.bottom = (double)(r->bottom ? r->bottom : height);
}

/* Reads run-length encoding from after its brace. */
static bool read_rle(struct json_pull *json, struct coco_shape *out)
{
	bool good_runs = false, good_size = false, cut = false;
	struct coco_runs runs = { .top = UINT64_MAX };
	uint64_t pixels;
	enum json_token token;

	while ((token = json_next(json)) != JSON_OBJECT_END) {
		if (token == JSON_FAULT)
			return false;
		if (json_text_is(json, "size")) {
			if (!read_size(json, out, &good_size))
				return false;
		} else if (json_text_is(json, "counts")) {
			token = json_next(json);
			good_runs = token == JSON_ARRAY || token == JSON_STRING;
			if (token == JSON_ARRAY) {
				if (!read_runs(json, out->run_height, &good_runs, &runs))
					return false;
			} else if (token == JSON_STRING) {
				cut = json->text_flags & JSON_TEXT_CUT;
				good_runs = cut || coco_add_runs(json->text, json->text_len, out->run_height, &runs);
			} else if (!json_skip(json, token)) {
				return false;
			}
		} else if (!json_skip_next(json)) {
			return false;
		}
	}
	/* only strings of more than JSON_TEXT_MAX bytes are not checked */
	out->given = true;
	out->bad_runs =
		!good_runs || !good_size ||
		(!cut && (__builtin_mul_overflow(out->run_height, out->run_width, &pixels) || runs.sum != pixels));
	out->measured = !out->bad_runs && !cut && runs.sum;
	if (out->measured)
		place_runs(&runs, out);
	return true;
}

/* ---- polygons ---- */

/* The sums of a polygon's points so far. */
struct ring {
	double first[2], last[2];
	double twice_area; /* with a sign; NaN if a coordinate is not finite */
	uint64_t numbers;
};

/* Adds points to a polygon and to the bounds of its shape. The last of an odd number is left out. */
static void add_points(struct ring *ring, struct shape_facts *bounds, const double *v, size_t numbers)
{
	double left = bounds->left, right = bounds->right, top = bounds->top, bottom = bounds->bottom, twice = 0;
	double x, y;

	if (!ring->numbers && numbers >= 2) {
		memcpy(ring->first, v, sizeof(ring->first));
		memcpy(ring->last, v, sizeof(ring->last));
	}
	x = ring->last[0];
	y = ring->last[1];
	ring->numbers += numbers;
	for (; numbers >= 2; numbers -= 2, v += 2) {
		left = MIN(left, v[0]);
		right = MAX(right, v[0]);
		top = MIN(top, v[1]);
		bottom = MAX(bottom, v[1]);
		twice +=
			(x - ring->first[0]) * (v[1] - ring->first[1]) - (v[0] - ring->first[0]) * (y - ring->first[1]);
		x = v[0];
		y = v[1];
	}
	ring->last[0] = x;
	ring->last[1] = y;
	ring->twice_area += twice;
	bounds->left = left;
	bounds->right = right;
	bounds->top = top;
	bounds->bottom = bottom;
}

/* Reads the coordinates of a polygon from after their bracket. */
static bool read_ring(struct json_pull *json, struct coco_shape *out)
{
	struct ring ring = { 0 };
	double v[NUMBERS];
	enum json_token token;
	size_t n;

	do {
		token = json_next_numbers(json, v, NUMBERS, &n);
		add_points(&ring, &out->shape, v, n);
		if (token != JSON_NUMBER && token != JSON_ARRAY_END) {
			out->bad_polygon = true;
			if (!json_skip(json, token))
				return false;
		}
	} while (token != JSON_ARRAY_END);
	if (n == ring.numbers && n <= (size_t)2 * CROSSING_POINTS && polygon_crosses(v, n / 2))
		out->crossing = true;
	out->bad_polygon = out->bad_polygon || ring.numbers % 2 || ring.numbers < 6 || isnan(ring.twice_area);
	out->shape.area += fabs(ring.twice_area) / 2;
	return true;
}

/* Reads polygons from after the bracket of their list. */
static bool read_polygons(struct json_pull *json, struct coco_shape *out)
{
	out->shape = (struct shape_facts){ .left = HUGE_VAL, .top = HUGE_VAL, .right = -HUGE_VAL, .bottom = -HUGE_VAL };
	for (;;) {
		uint64_t coordinates = 0;
		enum json_token token = json_skip_numbers(json, &coordinates);

		if (token == JSON_FAULT)
			return false;
		out->flat_polygon = out->flat_polygon || coordinates;
		out->given = out->given || token != JSON_ARRAY_END || coordinates;
		if (token == JSON_ARRAY_END)
			break;
		if (token != JSON_ARRAY)
			out->bad_polygon = true;
		if (!(token == JSON_ARRAY ? read_ring(json, out) : json_skip(json, token)))
			return false;
	}
	/* where edges cross, areas with and against the clock add up to nothing */
	out->measured =
		out->given && !out->flat_polygon && !out->bad_polygon && !out->crossing && isfinite(out->shape.area);
	return true;
}

bool coco_read_segmentation(struct json_pull *json, struct coco_shape *out)
{
	enum json_token token = json_next(json);

	memset(out, 0, sizeof(*out));
	switch (token) {
	case JSON_ARRAY:
		return read_polygons(json, out);
	case JSON_OBJECT:
		return read_rle(json, out);
	case JSON_NULL:
		return true;
	default:
		out->bad_polygon = true;
		return json_skip(json, token);
	}
}

/* Takes the values of one keypoint. */
static void add_keypoint(struct coco_keypoints *k, const double v[3])
{
	k->readable = k->readable && isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
	k->bad_visibility = k->bad_visibility || (v[2] != 0 && v[2] != 1 && v[2] != 2);
	keypoint_add(&k->facts, v);
}

bool coco_read_keypoints(struct json_pull *json, struct coco_keypoints *out)
{
	enum json_token token = json_next(json);
	double v[NUMBERS / 3 * 3];
	size_t n;

	*out = (struct coco_keypoints){ .given = token != JSON_NULL };
	if (token != JSON_ARRAY)
		return json_skip(json, token);
	out->readable = true;
	do {
		token = json_next_numbers(json, v, ARRAY_SIZE(v), &n);
		for (size_t i = 0; i + 3 <= n; i += 3)
			add_keypoint(out, v + i);
		out->readable = out->readable && n % 3 == 0;
		if (token != JSON_NUMBER && token != JSON_ARRAY_END) {
			out->readable = false;
			if (!json_skip(json, token))
				return false;
		}
	} while (token != JSON_ARRAY_END);
	return true;
}
