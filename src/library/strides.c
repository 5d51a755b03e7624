#include "library/strides.h"

#include <stddef.h>

#include "base/mem.h"

bool strided_count(const struct labelaudit_array *array, uint64_t *elements)
{
	uint64_t n = 1;
	bool none = false;

	if (array->rank > LABELAUDIT_RANK_MAX || (array->rank && !array->shape))
		return false;
	for (unsigned i = 0; i < array->rank; i++) {
		if (array->shape[i] < 0)
			return false;
		none |= !array->shape[i];
		if (array->shape[i] && (!size_mul(n, (uint64_t)array->shape[i], &n) || n > INT64_MAX / 8))
			return false;
	}
	*elements = none ? 0 : n;
	return none || array->data;
}

/* Turns negative strides around, leaves out repeated elements, and sorts the axes, the longest strides first. */
static void follow_memory(struct strided *s)
{
	unsigned rank = 0;

	for (unsigned i = 0; i < s->rank; i++) {
		uint64_t n = s->shape[i];
		int64_t stride = s->strides[i];
		unsigned at = rank;

		if (!stride)
			continue;
		if (stride < 0) {
			s->at += stride * (int64_t)(n - 1);
			stride = -stride;
		}
		for (; at && s->strides[at - 1] < stride; at--) {
			s->shape[at] = s->shape[at - 1];
			s->strides[at] = s->strides[at - 1];
		}
		s->shape[at] = n;
		s->strides[at] = stride;
		rank++;
	}
	s->rank = rank;
}

/* Makes one axis of two that follow each other in memory. */
static void merge_axes(struct strided *s)
{
	unsigned rank = 0;

	for (unsigned i = 0; i < s->rank; i++) {
		uint64_t n = s->shape[i];
		int64_t stride = s->strides[i], whole;

		if (rank && !__builtin_mul_overflow(stride, (int64_t)n, &whole) && s->strides[rank - 1] == whole) {
			s->shape[rank - 1] *= n;
			s->strides[rank - 1] = stride;
			continue;
		}
		s->shape[rank] = n;
		s->strides[rank++] = stride;
	}
	s->rank = rank;
}

void strided_begin(struct strided *s, const struct labelaudit_array *array, unsigned size, bool in_order)
{
	int64_t packed = size;

	s->at = array->data;
	s->rank = 0;
	s->runs = 1;
	/* axes of one element have no stride that matters */
	for (unsigned i = array->rank; i--; packed *= array->shape[i])
		s->strides[i] = array->strides ? array->strides[i] : packed;
	for (unsigned i = 0; i < array->rank; i++) {
		if (array->shape[i] == 1)
			continue;
		s->shape[s->rank] = (uint64_t)array->shape[i];
		s->strides[s->rank] = s->strides[i];
		s->index[s->rank++] = 0;
	}
	if (!in_order)
		follow_memory(s);
	merge_axes(s);
	s->n = 1;
	s->step = size;
	if (s->rank) {
		s->rank--;
		s->n = s->shape[s->rank];
		s->step = s->strides[s->rank];
	}
	for (unsigned i = 0; i < s->rank; i++)
		s->runs *= s->shape[i];
}

const uint8_t *strided_next(struct strided *s)
{
	const uint8_t *run = s->at;

	if (!s->runs)
		return NULL;
	s->runs--;
	for (unsigned i = s->rank; s->runs && i--;) {
		s->at += s->strides[i];
		if (++s->index[i] < s->shape[i])
			break;
		s->at -= s->strides[i] * (int64_t)s->shape[i];
		s->index[i] = 0;
	}
	return run;
}
