#include "read/coco_shapes.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

bool coco_read_box(struct json_pull *json, struct coco_box *out)
{
	enum json_token token = json_next(json);
	double v[6];
	unsigned n = 0;
	bool numbers = true;

	*out = (struct coco_box){ .given = true };
	if (token == JSON_NULL) { /* keypoints without a box */
		out->given = false;
		return true;
	}
	if (token != JSON_ARRAY)
		return json_skip(json, token);
	while ((token = json_next_number(json, &v[n])) != JSON_ARRAY_END) {
		numbers = numbers && token == JSON_NUMBER;
		if (!json_skip(json, token))
			return false;
		n += n < 5; /* 5: too many */
	}
	if (n != 4 || !numbers)
		return true;
	out->x = v[0];
	out->y = v[1];
	out->width = v[2];
	out->height = v[3];
	out->readable = isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]) && isfinite(v[3]) && isfinite(v[0] + v[2]) &&
			isfinite(v[1] + v[3]);
	return true;
}

bool coco_sum_runs(const char *s, size_t n, uint64_t *sum)
{
	int64_t last[2] = { 0, 0 }; /* the one before the last, the last */
	uint64_t count = 0;
	size_t at = 0;

	*sum = 0;
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
		if (count++ > 2)
			run += last[0];
		if (run < 0 || run > UINT32_MAX)
			return false;
		last[0] = last[1];
		last[1] = run;
		*sum += (uint64_t)run; /* n * 2^32 at most */
	}
	return true;
}

/* Reads a list of run lengths from after its bracket. */
static bool read_runs(struct json_pull *json, bool *good, uint64_t *sum)
{
	enum json_token token;

	*sum = 0;
	while ((token = json_next(json)) != JSON_ARRAY_END) {
		uint64_t run;

		if (token != JSON_NUMBER || !json_number_uint64(&json->number, &run) ||
		    __builtin_add_overflow(*sum, run, sum))
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

/* Reads run-length encoding from after its brace. */
static bool read_rle(struct json_pull *json, struct coco_shape *out)
{
	bool good_runs = false, good_size = false, cut = false;
	uint64_t sum = 0, pixels;
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
				if (!read_runs(json, &good_runs, &sum))
					return false;
			} else if (token == JSON_STRING) {
				cut = json->text_flags & JSON_TEXT_CUT;
				good_runs = cut || coco_sum_runs(json->text, json->text_len, &sum);
			} else if (!json_skip(json, token)) {
				return false;
			}
		} else if (!json_skip_next(json)) {
			return false;
		}
	}
	/* only strings of more than JSON_TEXT_MAX bytes are not checked */
	out->given = true;
	out->bad_runs = !good_runs || !good_size ||
			(!cut && (__builtin_mul_overflow(out->run_height, out->run_width, &pixels) || sum != pixels));
	return true;
}

/* Reads polygons from after the bracket of their list. */
static bool read_polygons(struct json_pull *json, struct coco_shape *out)
{
	enum json_token token;

	for (;;) {
		uint64_t coordinates = 0;

		token = json_skip_numbers(json, &coordinates);
		if (token == JSON_FAULT)
			return false;
		out->flat_polygon = out->flat_polygon || coordinates;
		out->given = out->given || token != JSON_ARRAY_END || coordinates;
		if (token == JSON_ARRAY_END)
			return true;
		if (token != JSON_ARRAY) {
			out->bad_polygon = true;
			if (!json_skip(json, token))
				return false;
			continue;
		}
		coordinates = 0;
		while ((token = json_skip_numbers(json, &coordinates)) != JSON_ARRAY_END) {
			out->bad_polygon = true;
			if (!json_skip(json, token))
				return false;
		}
		out->bad_polygon = out->bad_polygon || coordinates % 2 || coordinates < 6;
	}
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
	k->count++;
	if (!(v[2] > 0))
		return;
	if (!k->labelled++) {
		k->left = k->right = v[0];
		k->top = k->bottom = v[1];
	}
	k->left = MIN(k->left, v[0]);
	k->right = MAX(k->right, v[0]);
	k->top = MIN(k->top, v[1]);
	k->bottom = MAX(k->bottom, v[1]);
}

bool coco_read_keypoints(struct json_pull *json, struct coco_keypoints *out)
{
	enum json_token token = json_next(json);
	double v[3];
	unsigned n = 0;

	*out = (struct coco_keypoints){ .given = token != JSON_NULL };
	if (token != JSON_ARRAY)
		return json_skip(json, token);
	out->readable = true;
	while ((token = json_next_number(json, &v[n])) != JSON_ARRAY_END) {
		if (token != JSON_NUMBER) {
			v[n] = (double)NAN;
			if (!json_skip(json, token))
				return false;
		}
		if (++n == 3) {
			add_keypoint(out, v);
			n = 0;
		}
	}
	out->readable = out->readable && !n;
	return true;
}
