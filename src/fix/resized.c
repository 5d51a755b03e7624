#include "fix/resized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fix/resize_kernels.h"
#include "fix/resize_sizes.h"

enum {
	SWEEPS = 8,
	REACH = 2, /* source pixels from one to those whose ids it may have */
	CANDIDATES = 12,
	PART = 128, /* pixels a side of the part by which a model is chosen */
	FLAT = 9,   /* pixels of an id with only its like around them, from which on it is no value of a ramp */
};

/*
 * Shares that later sweeps can add, at most, after the first one and after those that follow. Models that are right
 * gained up to .06 and .03; those that are wrong are given up by them after a sweep or two, and not after all.
 */
static const double share_of_sweeps[] = { .1, .05 };
/* A pixel differs from its prediction by rounding; Pillow rounds twice, which takes few pixels beyond this. */
static const float fits_within = .65F;
/* Pillow's other kernels, whose weights are larger together than their sum; then exactly those bytes are asked for. */
static const float fits_within_twice = 1;
/*
 * A resize must explain these shares of the pixels that are not between equal ones, of a part and of the mask; a model
 * that gives the last exactly ends the search. share_sure: the pixels must tell the ids of this share of those that
 * change. Below .92, up to 3 of 1,000 legal pixels of a mask were harmed; .94 leaves some room.
 */
static const double share_possible = .8, share_explained = .9, share_certain = .985, share_sure = .94;
/* The squared error grows by this at least if an id changes that the pixels tell; one rounded pixel's is up to .25. */
static const float price_of_certainty = .5F;
/* A model's prediction is exact within this, and the best one of a library leads all of the other by that share at
 * least: they take other pixels for the nearest ones. */
static const float exactly = .502F;
static const double lead_of_library = .02;
/* The same if it gives nearly all of them. */
static const double share_exact = .998, lead_of_exact = .003;
/* Cutting takes up to 1, half of it on average; less is expected, so that areas of one id are not taken for the next.
 */
static const float cut_expected = .45F;
/* Parts of the squared error that a border between two source pixels costs: the shorter of two borders is taken. */
static const float border_price = .04F;
/* The same for an id that no source pixel around has. */
static const float price_of_strangers = 4;

/* A part of a mask. */
struct part {
	uint32_t x, y, width, height, whole_width, whole_height;
};

struct undo {
	const uint16_t *seen;
	uint32_t width, height;
	struct axis x, y;
	float largest;        /* that a pixel can hold */
	float fits;           /* by which a pixel may differ from its prediction */
	float cut;            /* of each pixel before it was stored, as expected */
	uint16_t *source;     /* owned */
	float *predicted;     /* owned */
	uint64_t unexplained; /* pixels that would change, but are not as predicted */
	bool overshoots;      /* the kernel does */
	uint8_t *is_flat;     /* by id: it occurs with its like around it; owned */
};

static uint8_t round_fixed(int32_t sum)
{
	int32_t value = (sum + (1 << (FIXED_BITS - 1))) >> FIXED_BITS;

	return (uint8_t)MIN(MAX(value, 0), UINT8_MAX);
}

/* Fills u->predicted with the bytes that Pillow makes, which it rounds and cuts off between its two passes. */
static bool predict_bytes(struct undo *u)
{
	uint8_t *rows = mem_try((size_t)u->width * u->y.source, 1);

	if (!rows)
		return false;
	for (uint32_t j = 0; j < u->y.source; j++)
		for (uint32_t x = 0; x < u->width; x++) {
			const struct taps *t = &u->x.taps[x];
			const uint16_t *source = u->source + (size_t)j * u->x.source + t->first;
			int32_t sum = 0;

			for (uint32_t i = 0; i < t->count; i++)
				sum += t->fixed[i] * source[i];
			rows[(size_t)j * u->width + x] = round_fixed(sum);
		}
	for (uint32_t y = 0; y < u->height; y++)
		for (uint32_t x = 0; x < u->width; x++) {
			const struct taps *t = &u->y.taps[y];
			int32_t sum = 0;

			for (uint32_t i = 0; i < t->count; i++)
				sum += t->fixed[i] * rows[(size_t)(t->first + i) * u->width + x];
			u->predicted[(size_t)y * u->width + x] = round_fixed(sum);
		}
	free(rows);
	return true;
}

/* Fills u->predicted. rounds: the rows of the source are rounded between the two passes, as Pillow does. */
static bool predict(struct undo *u, bool rounds)
{
	if (rounds && u->largest <= UINT8_MAX)
		return predict_bytes(u);
	float *rows = mem_try((size_t)u->width * u->y.source, sizeof(*rows));

	if (!rows)
		return false;
	for (uint32_t j = 0; j < u->y.source; j++)
		for (uint32_t x = 0; x < u->width; x++) {
			const struct taps *t = &u->x.taps[x];
			const uint16_t *source = u->source + (size_t)j * u->x.source + t->first;
			float sum = 0;

			for (uint32_t i = 0; i < t->count; i++)
				sum += t->weight[i] * source[i];
			rows[(size_t)j * u->width + x] = rounds ? floorf(sum + .5F) : sum;
		}
	for (uint32_t y = 0; y < u->height; y++)
		for (uint32_t x = 0; x < u->width; x++) {
			const struct taps *t = &u->y.taps[y];
			float sum = 0;

			for (uint32_t i = 0; i < t->count; i++)
				sum += t->weight[i] * rows[(size_t)(t->first + i) * u->width + x];
			u->predicted[(size_t)y * u->width + x] = sum;
		}
	free(rows);
	return true;
}

static inline float error_of(const struct undo *u, size_t at, float more)
{
	/* what goes beyond the range of a byte was cut off */
	float value = u->predicted[at] + more, error;

	value = value < 0 ? 0 : value > u->largest ? u->largest : value;
	error = value - u->cut - (float)u->seen[at];
	return error;
}

/* Returns how much the squared error grows if a source pixel changes by `by`. */
static float growth(const struct undo *u, uint32_t i, uint32_t j, float by)
{
	float sum = 0;

	for (uint32_t y = u->y.from[j]; y < u->y.to[j]; y++) {
		float wy = by * axis_weight(&u->y, y, j);

		for (uint32_t x = u->x.from[i]; x < u->x.to[i]; x++) {
			size_t at = (size_t)y * u->width + x;
			float before = error_of(u, at, 0), after = error_of(u, at, wy * axis_weight(&u->x, x, i));

			sum += after * after - before * before;
		}
	}
	return sum;
}

static void change(struct undo *u, uint32_t i, uint32_t j, uint16_t to)
{
	uint16_t *id = u->source + (size_t)j * u->x.source + i;
	float by = (float)to - (float)*id;

	*id = to;
	for (uint32_t y = u->y.from[j]; y < u->y.to[j]; y++)
		for (uint32_t x = u->x.from[i]; x < u->x.to[i]; x++)
			u->predicted[(size_t)y * u->width + x] +=
				by * axis_weight(&u->y, y, j) * axis_weight(&u->x, x, i);
}

/* Returns whether the source may have an id: kernels that overshoot make values that lie between no two of them. */
static bool may_be(const struct undo *u, uint16_t id)
{
	return u->is_flat[id] || !u->overshoots;
}

/* Returns whether some pixel that a source pixel is in is not explained. */
static bool is_doubtful(const struct undo *u, uint32_t i, uint32_t j)
{
	if (!may_be(u, u->source[(size_t)j * u->x.source + i]))
		return true;
	for (uint32_t y = u->y.from[j]; y < u->y.to[j]; y++)
		for (uint32_t x = u->x.from[i]; x < u->x.to[i]; x++)
			if (fabsf(error_of(u, (size_t)y * u->width + x, 0)) > .51F)
				return true;
	return false;
}

static unsigned borders(const struct undo *u, uint32_t i, uint32_t j, uint16_t id)
{
	const uint16_t *p = u->source + (size_t)j * u->x.source + i;

	return (unsigned)(i && p[-1] != id) + (i + 1 < u->x.source && p[1] != id) +
	       (j && p[-(ptrdiff_t)u->x.source] != id) + (j + 1 < u->y.source && p[u->x.source] != id);
}

/* Returns the id that a source pixel had if those around it were right: the least squares of its pixels. */
static uint16_t fitting_id(const struct undo *u, uint32_t i, uint32_t j)
{
	float sum = 0, squares = 0;

	for (uint32_t y = u->y.from[j]; y < u->y.to[j]; y++)
		for (uint32_t x = u->x.from[i]; x < u->x.to[i]; x++) {
			float weight = axis_weight(&u->y, y, j) * axis_weight(&u->x, x, i);

			sum -= weight * error_of(u, (size_t)y * u->width + x, 0);
			squares += weight * weight;
		}
	float id = (float)u->source[(size_t)j * u->x.source + i] + (squares > 0 ? sum / squares : 0);

	return (uint16_t)fminf(fmaxf(roundf(id), 0), u->largest);
}

/* Gives a source pixel the id that explains the pixels best, among those around it and the one that fits. Returns
 * whether it changed. */
static bool improve(struct undo *u, uint32_t i, uint32_t j)
{
	uint16_t candidates[CANDIDATES], id = u->source[(size_t)j * u->x.source + i], best = id;
	unsigned count = 0;
	float least = may_be(u, id) ? border_price * (float)borders(u, i, j, id) : INFINITY;

	for (uint32_t b = j - MIN(j, (uint32_t)REACH); b <= MIN(j + REACH, u->y.source - 1); b++)
		for (uint32_t a = i - MIN(i, (uint32_t)REACH); a <= MIN(i + REACH, u->x.source - 1); a++) {
			uint16_t other = u->source[(size_t)b * u->x.source + a];
			unsigned k = 0;

			while (k < count && candidates[k] != other)
				k++;
			if (k == count && count < CANDIDATES && may_be(u, other))
				candidates[count++] = other;
		}
	uint16_t fitting = fitting_id(u, i, j);
	unsigned near = count;

	if (count < CANDIDATES && u->is_flat[fitting])
		candidates[count++] = fitting;
	for (unsigned k = 0; k < count; k++) {
		if (candidates[k] == id)
			continue;
		float price = growth(u, i, j, (float)candidates[k] - (float)id) +
			      border_price * (float)borders(u, i, j, candidates[k]) +
			      (k >= near ? price_of_strangers : 0);

		if (price < least - .001F) {
			least = price;
			best = candidates[k];
		}
	}
	if (best == id)
		return false;
	change(u, i, j, best);
	return true;
}

static bool improve_once(struct undo *u)
{
	bool changed = false;

	for (uint32_t j = 0; j < u->y.source; j++)
		for (uint32_t i = 0; i < u->x.source; i++)
			if (is_doubtful(u, i, j))
				changed |= improve(u, i, j);
	return changed;
}

/* Returns the share of the pixels that are not equal to all around them that differ at most so much from what was
 * predicted. */
static double share_within(const struct undo *u, float most)
{
	uint64_t all = 0, good = 0;

	for (uint32_t y = 1; y + 1 < u->height; y++)
		for (uint32_t x = 1; x + 1 < u->width; x++) {
			size_t at = (size_t)y * u->width + x;
			const uint16_t *p = u->seen + at;

			if (p[0] == p[-1] && p[0] == p[1] && p[0] == p[u->width] && p[0] == p[-(ptrdiff_t)u->width])
				continue;
			all++;
			good += fabsf(error_of(u, at, 0)) <= most;
		}
	return all ? (double)good / (double)all : 0;
}

/* Improves the source until nothing changes, or it will not come to explain the share. Returns that which it does. */
static double improve_all(struct undo *u, double wanted)
{
	double share = 0;
	bool changed = true;

	for (size_t sweep = 0; sweep < SWEEPS && changed; sweep++) {
		changed = improve_once(u);
		share = share_within(u, u->fits);
		if (share + share_of_sweeps[MIN(sweep, ARRAY_SIZE(share_of_sweeps) - 1)] < wanted)
			break;
	}
	return share;
}

/* Replaces the guess by the nearest source pixel, where the source explains what is there. */
static bool take_ids(struct undo *u, bool opencv, const uint16_t *guess, uint16_t *out)
{
	uint32_t *columns = mem_try(u->width, sizeof(*columns)), *rows = mem_try(u->height, sizeof(*rows));
	bool ok = columns && rows && predict(u, !opencv);

	if (ok) {
		axis_fill_nearest(&u->x, opencv, columns);
		axis_fill_nearest(&u->y, opencv, rows);
	}
	for (size_t at = 0; ok && at < (size_t)u->width * u->height; at++) {
		uint16_t id = u->source[(size_t)rows[at / u->width] * u->x.source + columns[at % u->width]];

		bool fits = fabsf(error_of(u, at, 0)) <= fits_within;

		out[at] = fits ? id : guess[at];
		u->unexplained += !fits && id != u->seen[at];
	}
	free(columns);
	free(rows);
	return ok;
}

/* Returns the pixel whose taps give a source pixel most weight. */
static uint32_t heaviest(const struct axis *a, uint32_t source)
{
	uint32_t best = a->from[source];

	for (uint32_t x = a->from[source]; x < a->to[source]; x++)
		if (axis_weight(a, x, source) > axis_weight(a, best, source))
			best = x;
	return MIN(best, a->n - 1);
}

static void fill_source(struct undo *u, const uint16_t *guess)
{
	for (uint32_t j = 0; j < u->y.source; j++) {
		const uint16_t *row = guess + (size_t)heaviest(&u->y, j) * u->width;

		for (uint32_t i = 0; i < u->x.source; i++)
			u->source[(size_t)j * u->x.source + i] = row[heaviest(&u->x, i)];
	}
}

/* Finds the ids that are no values of ramps. */
static void find_flat(struct undo *u)
{
	uint32_t *counts = mem_try_zero(UINT16_MAX + 1, sizeof(*counts));

	memset(u->is_flat, 0, UINT16_MAX + 1);
	for (uint32_t y = 1; counts && y + 1 < u->height; y++)
		for (uint32_t x = 1; x + 1 < u->width; x++) {
			const uint16_t *p = u->seen + (size_t)y * u->width + x;
			const uint16_t *above = p - u->width;

			counts[p[0]] += p[0] == p[-1] && p[0] == above[0] && p[0] == above[-1];
		}
	for (size_t id = 0; counts && id <= UINT16_MAX; id++)
		u->is_flat[id] = counts[id] >= FLAT;
	free(counts);
}

/* Returns whether the pixels tell a source pixel's id from those beside it. */
static bool is_certain(const struct undo *u, uint32_t i, uint32_t j)
{
	const uint16_t *p = u->source + (size_t)j * u->x.source + i;
	uint16_t others[4];
	unsigned count = 0;

	if (i && p[-1] != p[0])
		others[count++] = p[-1];
	if (i + 1 < u->x.source && p[1] != p[0])
		others[count++] = p[1];
	if (j && p[-(ptrdiff_t)u->x.source] != p[0])
		others[count++] = p[-(ptrdiff_t)u->x.source];
	if (j + 1 < u->y.source && p[u->x.source] != p[0])
		others[count++] = p[u->x.source];
	for (unsigned k = 0; k < count; k++)
		if (growth(u, i, j, (float)others[k] - (float)p[0]) < price_of_certainty)
			return false;
	return true;
}

/* Returns the share of the changed pixels whose id is certain. */
static double share_certain_ids(const struct undo *u, const uint16_t *out)
{
	uint64_t changed = u->unexplained, good = 0;

	for (size_t at = 0; at < (size_t)u->width * u->height; at++) {
		uint32_t x = (uint32_t)(at % u->width), y = (uint32_t)(at / u->width);

		if (out[at] == u->seen[at])
			continue;
		const struct taps *tx = &u->x.taps[x], *ty = &u->y.taps[y];
		uint32_t i = tx->first, j = ty->first;

		for (uint32_t n = 0; n < tx->count; n++)
			i = tx->weight[n] > tx->weight[i - tx->first] ? tx->first + n : i;
		for (uint32_t n = 0; n < ty->count; n++)
			j = ty->weight[n] > ty->weight[j - ty->first] ? ty->first + n : j;
		changed++;
		good += is_certain(u, i, j) && fabsf(error_of(u, at, 0)) <= fits_within;
	}
	return changed ? (double)good / (double)changed : 1;
}

/* A kernel and a size that may have made the mask. */
struct model {
	enum kernel kernel;
	struct size size;
	bool opencv; /* or PyTorch; else Pillow, which rounds between its two passes */
};

/*
 * Undoes what the model did to a part of the mask, whose pixels u->seen has. Returns the share that it explains, or a
 * smaller one than is wanted.
 */
static double solve(struct undo *u, const struct model *m, const struct part *part, const uint16_t *guess,
		    double wanted)
{
	u->width = part->width;
	u->height = part->height;
	u->overshoots = m->kernel > LINEAR_CUT;
	u->fits = kernel_is_pillow(m->kernel) ? fits_within_twice : fits_within;
	u->cut = m->kernel == LINEAR_CUT ? cut_expected : 0;
	if (!axis_init(&u->x, m->kernel, part->x, part->width, part->whole_width, m->size.width) ||
	    !axis_init(&u->y, m->kernel, part->y, part->height, part->whole_height, m->size.height))
		return 0;
	fill_source(u, guess);
	if (!predict(u, false))
		return 0;
	return improve_all(u, wanted);
}

static void release_axes(struct undo *u)
{
	axis_release(&u->x);
	axis_release(&u->y);
	u->x = u->y = (struct axis){ 0 };
}

/* Returns the part with most pixels that hold no true id. */
static struct part busiest_part(const uint8_t *marks, uint32_t width, uint32_t height)
{
	struct part best = { .whole_width = width, .whole_height = height };
	uint64_t most = 0;

	best.width = MIN(width, (uint32_t)PART);
	best.height = MIN(height, (uint32_t)PART);
	for (uint32_t y = 0; y + best.height <= height; y += PART / 2)
		for (uint32_t x = 0; x + best.width <= width; x += PART / 2) {
			uint64_t count = 0;

			for (uint32_t v = y; v < y + best.height; v++)
				for (uint32_t h = x; h < x + best.width; h++)
					count += marks[(size_t)v * width + h] != 0;
			if (count > most) {
				most = count;
				best.x = x;
				best.y = y;
			}
		}
	return best;
}

/* Copies a part of the pixels. */
static void cut_out(const uint16_t *pixels, const struct part *part, uint16_t *out)
{
	for (uint32_t y = 0; y < part->height; y++)
		memcpy(out + (size_t)y * part->width, pixels + (size_t)(part->y + y) * part->whole_width + part->x,
		       part->width * sizeof(*out));
}

/* The models that give most pixels exactly: of Pillow, and of OpenCV. */
struct choice {
	struct model v[2];
	double exact[2];
};

/* Adds what a model explains, if it is the best one of its library. */
static void compare_models(struct undo *u, struct model *m, struct choice *choice)
{
	for (int opencv = 0; opencv < 2; opencv++) {
		if (m->kernel != LINEAR && kernel_is_pillow(m->kernel) == opencv)
			continue;
		/* a value that was cut lies in half an integer around what is expected */
		double exact = predict(u, !opencv) ? share_within(u, u->cut > 0 ? 1 - u->cut : exactly) : 0;

		if (exact <= choice->exact[opencv])
			continue;
		choice->exact[opencv] = exact;
		choice->v[opencv] = *m;
		choice->v[opencv].opencv = opencv;
	}
}

/* Returns whether both libraries have the same nearest neighbours. */
static bool have_same_nearest(uint32_t n, uint32_t source)
{
	const struct axis axis = { .n = n, .source = source };
	uint32_t *nearest = mem_try(2 * (size_t)n, sizeof(*nearest));
	bool same = nearest;

	if (nearest) {
		axis_fill_nearest(&axis, false, nearest);
		axis_fill_nearest(&axis, true, nearest + n);
		same = !memcmp(nearest, nearest + n, n * sizeof(*nearest));
	}
	free(nearest);
	return same;
}

/* Takes the model that gives most pixels exactly. Returns false if one of the other library gives as many, and has
 * other nearest neighbours. */
static bool settle_model(const struct choice *choice, const struct part *part, struct model *out)
{
	bool opencv = choice->exact[1] > choice->exact[0];
	const struct size *size = &choice->v[opencv].size, *other = &choice->v[!opencv].size;

	*out = choice->v[opencv];
	const double exact = choice->exact[opencv];

	if (exact - choice->exact[!opencv] >= (exact < share_exact ? lead_of_library : lead_of_exact))
		return true;
	return size->width == other->width && size->height == other->height &&
	       have_same_nearest(part->whole_width, size->width) && have_same_nearest(part->whole_height, size->height);
}

/* Finds the model that explains a part best. Returns the share that one does; 0 if it may be of either library.
 */
static double choose_model(struct undo *u, const struct size *sizes, unsigned count, const struct part *part,
			   const uint16_t *guess, struct model *out)
{
	struct choice choice = { 0 };
	double best = 0;

	/* all kernels of a size: two explain nearly the same, and their libraries take other nearest neighbours */
	for (unsigned i = 0; i < count && MAX(choice.exact[0], choice.exact[1]) < share_certain; i++)
		for (int k = 0; k < KERNELS; k++) {
			if ((k == AREA) != sizes[i].area)
				continue;
			struct model m = { (enum kernel)k, sizes[i], false };
			double share = solve(u, &m, part, guess, MAX(share_possible, best));

			if (share > share_possible)
				compare_models(u, &m, &choice);
			best = MAX(best, share);
			release_axes(u);
		}
	return best > share_possible && settle_model(&choice, part, out) ? best : 0;
}

bool resized_undo(const uint16_t *seen, const uint8_t *marks, uint16_t *ids, uint32_t width, uint32_t height)
{
	struct undo u = { .seen = seen, .width = width, .height = height, .largest = UINT8_MAX };
	size_t pixels = (size_t)width * height;
	struct size sizes[RESIZE_SIZES] = { 0 };
	unsigned count = pixels <= RESIZED_PIXELS_MAX ? resize_find_sizes(seen, marks, width, height, sizes) : 0;
	struct model model;
	bool ok = false;

	if (!count)
		return false;
	struct part part = busiest_part(marks, width, height);
	const struct part whole = { 0, 0, width, height, width, height };
	size_t part_pixels = (size_t)part.width * part.height;
	uint16_t *out = mem_try(pixels, sizeof(*out)), *piece = mem_try(2 * part_pixels, sizeof(*piece));

	u.source = mem_try(pixels, sizeof(*u.source));
	u.predicted = mem_try(pixels, sizeof(*u.predicted));
	u.is_flat = mem_try(UINT16_MAX + 1, 1);
	if (out && piece && u.source && u.predicted && u.is_flat) {
		find_flat(&u);
		for (size_t i = 0; i < pixels; i++)
			u.largest = seen[i] > UINT8_MAX ? UINT16_MAX : u.largest;
		cut_out(seen, &part, piece);
		cut_out(ids, &part, piece + part_pixels);
		u.seen = piece;
		ok = choose_model(&u, sizes, count, &part, piece + part_pixels, &model) > share_possible;
		u.seen = seen;
		if (ok) {
			double share = solve(&u, &model, &whole, ids, share_explained);
			ok = share > share_explained && take_ids(&u, model.opencv, ids, out) &&
			     (model.opencv || share_within(&u, exactly) > share_explained);
			ok = ok && share_certain_ids(&u, out) >= share_sure;
			release_axes(&u);
		}
	}
	if (ok)
		memcpy(ids, out, pixels * sizeof(*ids));
	free(u.is_flat);
	free(u.predicted);
	free(u.source);
	free(piece);
	free(out);
	return ok;
}
