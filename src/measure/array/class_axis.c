#include "measure/array/class_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/array/array_elements.h"

/* Counts of planes are bytes that do not saturate, so a longer axis is not measured. */
enum { PLANES_MAX = 255 };

/*
 * An axis shorter than the number of classes must have at least this length: two planes of 0 and 1 are rather two masks
 * than two of three classes, and three channels may be colours (array_images.h).
 */
enum { PLANES_MIN = 3, CHANNELS_MIN = 4 };

/* Shares are rounded when they are written, most by float16: 0.001 is twice its step below 1. */
#define SUM_TOLERANCE 1e-3f

void axis_measurer_release(struct axis_measurer *m)
{
	free(m->on);
	free(m->sum);
	memset(m, 0, sizeof(*m));
}

unsigned class_axes_of(const struct array_header *array, uint64_t classes, unsigned axes[2])
{
	unsigned n = 0, last = array->rank - 1u, first = array->rank == 4 ? 1 : 0;

	if (array->rank < 2 || array->rank > 4 || !array->elements)
		return 0;
	for (unsigned axis = first; axis <= last; axis++) {
		uint64_t length = array->shape[axis];
		bool between = axis > first && axis < last; /* rows and columns */

		if (between || (array->rank == 2 && axis == 0) || length < 2)
			continue;
		/* one less: the background may have no plane of its own */
		if (length == classes || length == classes + 1 ||
		    (array->rank > 2 && length + 1 == classes && length >= (axis == last ? CHANNELS_MIN : PLANES_MIN)))
			axes[n++] = axis;
	}
	return n;
}

static void clear_plane(struct axis_measurer *m)
{
	memset(m->on, 0, (size_t)m->kept * sizeof(*m->on));
	if (m->is_float)
		memset(m->sum, 0, (size_t)m->kept * sizeof(*m->sum));
}

bool axis_measurer_begin(struct axis_measurer *m, const struct array_header *array, unsigned axis)
{
	unsigned bytes = dtype_bytes((enum array_dtype)array->dtype);

	memset(&m->facts, 0, sizeof(m->facts));
	m->is_float = array->dtype >= DTYPE_FLOAT16 || array->volume.scaled;
	m->bytes = array->volume.scaled ? 8 : m->is_float ? MAX(bytes, 4u) : bytes;
	m->inner = 1;
	for (unsigned i = 0; i < array->rank; i++)
		if (array->fortran ? i < axis : i > axis)
			m->inner *= array->shape[i];
	m->kept = MIN(m->inner, (uint64_t)AXIS_PLACES_MAX);
	m->at = m->along = 0;
	if ((m->inner > 1 && array->shape[axis] > PLANES_MAX) || array->shape[axis] > UINT32_MAX)
		return false;
	GROW(m->on, m->on_cap, (size_t)m->kept);
	if (m->is_float)
		GROW(m->sum, m->sum_cap, (size_t)m->kept);
	m->facts.axis = axis;
	m->facts.classes = (uint32_t)array->shape[axis];
	m->facts.examined = 1;
	clear_plane(m);
	return true;
}

/* Counts a complete place. */
static void tally(struct class_axis *f, unsigned on, bool sums_to_one)
{
	f->places++;
	f->one += on == 1;
	f->none += on == 0;
	f->sums += sums_to_one;
	f->most = MAX(f->most, on);
}

static bool is_one(float sum)
{
	return fabsf(sum - 1) <= SUM_TOLERANCE;
}

static void tally_plane(struct axis_measurer *m)
{
	for (size_t i = 0; i < m->kept; i++)
		tally(&m->facts, m->on[i], m->is_float && is_one(m->sum[i]));
	clear_plane(m);
}

static const uint8_t *element(const struct axis_measurer *m, const void *v, size_t i)
{
	return (const uint8_t *)v + i * m->bytes;
}

/* A slow axis: adds pieces that lie in one plane. */
static void add_planes(struct axis_measurer *m, const void *v, size_t n)
{
	for (size_t i = 0, piece; i < n; i += piece) {
		piece = (size_t)MIN((uint64_t)(n - i), m->inner - m->at);
		if (m->at < m->kept) {
			size_t seen = (size_t)MIN((uint64_t)piece, m->kept - m->at);

			elements_add_nonzero(m->on + m->at, element(m, v, i), m->bytes, m->is_float, seen);
			if (m->is_float)
				elements_add_floats(m->sum + m->at, element(m, v, i), m->bytes, seen);
		}
		m->at += piece;
		if (m->at < m->inner)
			continue;
		m->at = 0;
		if (++m->along == m->facts.classes) {
			m->along = 0;
			tally_plane(m);
		}
	}
}

/* Adds up two halves that do not wait for each other. */
#define DEFINE_SUM(name, type)                                  \
	static float name(const type *v, size_t n)              \
	{                                                       \
		type a = 0, b = 0;                              \
                                                                \
		for (size_t i = 0; i + 1 < n; i += 2) {         \
			a += v[i];                              \
			b += v[i + 1];                          \
		}                                               \
		return (float)(a + b + (n % 2 ? v[n - 1] : 0)); \
	}

DEFINE_SUM(sum_floats, float)
DEFINE_SUM(sum_doubles, double)

/* Adds n elements, from element i on, to the current place. */
static void add_to_place(struct axis_measurer *m, const void *v, size_t i, size_t n, const uint8_t *nonzero)
{
	unsigned on = m->on[0];

	for (size_t j = 0; j < n; j++)
		on += nonzero[j];
	m->on[0] = (uint8_t)MIN(on, (unsigned)PLANES_MAX);
	if (m->is_float)
		m->sum[0] +=
			m->bytes == 4 ? sum_floats((const float *)v + i, n) : sum_doubles((const double *)v + i, n);
	m->along += n;
	if (m->along < m->facts.classes)
		return;
	tally(&m->facts, m->on[0], m->is_float && is_one(m->sum[0]));
	m->along = 0;
	clear_plane(m);
}

/* The fastest axis: a place is as many neighbours as the axis is long. */
static void add_rows(struct axis_measurer *m, const void *v, size_t n)
{
	enum { PIECE = 1024 };
	uint8_t nonzero[PIECE];

	for (size_t i = 0, piece; i < n; i += piece) {
		piece = MIN(n - i, (size_t)PIECE);
		memset(nonzero, 0, piece);
		elements_add_nonzero(nonzero, element(m, v, i), m->bytes, m->is_float, piece);
		for (size_t j = 0, part; j < piece; j += part) {
			part = (size_t)MIN((uint64_t)(piece - j), m->facts.classes - m->along);
			add_to_place(m, v, i + j, part, nonzero + j);
		}
	}
}

void axis_measurer_add(struct axis_measurer *m, const void *v, size_t n)
{
	if (m->inner == 1)
		add_rows(m, v, n);
	else
		add_planes(m, v, n);
}

/* Returns whether part is at least 99.9 % of whole. */
static bool nearly_all(uint64_t part, uint64_t whole)
{
	return whole && whole - part <= whole / 1000;
}

/*
 * Returns what elements that are on or off mean: one-hot if nearly every place has exactly one; else multi-label,
 * unless the array may as well be a mask or a stack of masks with no ids but 0 and 1: a square, or an axis before the
 * last with two classes.
 */
static enum array_use use_of_binary(const struct array_header *a, const struct class_axis *f, uint64_t classes)
{
	bool square = a->rank == 2 && a->shape[0] == a->shape[1], stack = f->axis + 1u < a->rank && classes < 3;

	if (f->none == f->places)
		return ARRAY_IDS; /* all zeros */
	if (nearly_all(f->one, f->places))
		return ARRAY_ONE_HOT;
	return square || stack ? ARRAY_IDS : ARRAY_MULTI_LABEL;
}

enum array_use class_axes_use(struct axis_measurer *axes, unsigned n, const struct array_header *array, bool has_ids,
			      bool alive, uint64_t classes, struct class_axis *axis)
{
	enum array_use use = has_ids ? ARRAY_IDS : ARRAY_VALUES;

	for (unsigned i = 0; i < n; i++) {
		struct class_axis *f = &axes[i].facts;
		enum array_use found = has_ids                          ? use_of_binary(array, f, classes)
				       : nearly_all(f->sums, f->places) ? ARRAY_SOFT
									: ARRAY_VALUES;

		f->examined = alive;
		if (!alive || found == use)
			continue;
		/* report one axis; one-hot is more certain than multi-label */
		if (use == ARRAY_IDS || use == ARRAY_VALUES || found == ARRAY_ONE_HOT) {
			use = found;
			*axis = *f;
		}
	}
	return use;
}
