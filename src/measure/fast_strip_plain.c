/* The strip in plain C, for every processor: a vector is an array. See fast_strip_template.inc. */
#include <stdlib.h>
#include <string.h>

#include "measure/fast_strip.h"

#define ENTRY static
#define CODE  static inline
#define APART static __attribute__((noinline))

struct vec_8 {
	uint8_t v[STRIP_BLOCK];
};

/* Words of 8 bytes, for the tests that most blocks fail. */
CODE uint64_t word_8(const struct vec_8 *a, unsigned i)
{
	uint64_t w;

	memcpy(&w, a->v + 8 * i, sizeof(w));
	return w;
}

CODE struct vec_8 load_8(const uint8_t *p)
{
	struct vec_8 a;

	memcpy(a.v, p, sizeof(a.v));
	return a;
}

CODE void store_8(uint8_t *p, struct vec_8 a)
{
	memcpy(p, a.v, sizeof(a.v));
}

CODE struct vec_8 zero_8(void)
{
	return (struct vec_8){ { 0 } };
}

CODE struct vec_8 set_all_8(uint8_t x)
{
	struct vec_8 a;

	memset(a.v, x, sizeof(a.v));
	return a;
}

CODE bool any_8(struct vec_8 a)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < STRIP_BLOCK / 8; i++)
		all |= word_8(&a, i);
	return all != 0;
}

CODE bool differ_8(struct vec_8 a, struct vec_8 b)
{
	return memcmp(a.v, b.v, sizeof(a.v)) != 0;
}

CODE struct vec_8 add_8(struct vec_8 a, struct vec_8 b)
{
	for (unsigned i = 0; i < STRIP_BLOCK; i++)
		a.v[i] = (uint8_t)(a.v[i] + b.v[i]);
	return a;
}

CODE struct vec_8 prefix_8(struct vec_8 a)
{
	for (unsigned i = 1; i < STRIP_BLOCK; i++)
		a.v[i] = (uint8_t)(a.v[i] + a.v[i - 1]);
	return a;
}

CODE void sums_8(struct vec_8 a, uint32_t *sum, uint32_t *weighted)
{
	*sum = *weighted = 0;
	for (unsigned i = 0; i < STRIP_BLOCK; i++) {
		*sum += a.v[i];
		*weighted += a.v[i] * i;
	}
}

struct vec_16 {
	uint16_t v[STRIP_BLOCK];
};

CODE struct vec_16 load_16(const uint16_t *p)
{
	struct vec_16 a;

	memcpy(a.v, p, sizeof(a.v));
	return a;
}

CODE void store_16(uint16_t *p, struct vec_16 a)
{
	memcpy(p, a.v, sizeof(a.v));
}

/* What both pixel types share, pixel by pixel. */
#define OPERATIONS(T, NAME)                                                                          \
	CODE uint64_t NAME(ne)(struct NAME(vec) a, struct NAME(vec) b)                                \
	{                                                                                             \
		uint64_t m = 0;                                                                       \
                                                                                                      \
		for (unsigned i = 0; i < STRIP_BLOCK; i++)                                            \
			m |= (uint64_t)(a.v[i] != b.v[i]) << i;                                       \
		return m;                                                                             \
	}                                                                                             \
	CODE uint64_t NAME(lt)(struct NAME(vec) a, struct NAME(vec) b)                                \
	{                                                                                             \
		uint64_t m = 0;                                                                       \
                                                                                                      \
		for (unsigned i = 0; i < STRIP_BLOCK; i++)                                            \
			m |= (uint64_t)(a.v[i] < b.v[i]) << i;                                        \
		return m;                                                                             \
	}                                                                                             \
	CODE uint64_t NAME(wide)(struct NAME(vec) a, struct NAME(vec) b)                              \
	{                                                                                             \
		uint64_t m = 0;                                                                       \
                                                                                                      \
		for (unsigned i = 0; i < STRIP_BLOCK; i++)                                            \
			m |= (uint64_t)(abs(a.v[i] - b.v[i]) >= 2) << i;                              \
		return m;                                                                             \
	}                                                                                             \
	CODE struct NAME(vec) NAME(blend)(uint64_t mask, struct NAME(vec) on, struct NAME(vec) off)   \
	{                                                                                             \
		for (unsigned i = 0; i < STRIP_BLOCK; i++)                                            \
			off.v[i] = mask >> i & 1 ? on.v[i] : off.v[i];                                \
		return off;                                                                           \
	}                                                                                             \
	CODE struct NAME(vec) NAME(and)(struct NAME(vec) a, struct NAME(vec) b)                       \
	{                                                                                             \
		for (unsigned i = 0; i < STRIP_BLOCK; i++)                                            \
			a.v[i] &= b.v[i];                                                             \
		return a;                                                                             \
	}                                                                                             \
	CODE struct NAME(vec) NAME(shifted)(struct NAME(vec) a, const T *p)                           \
	{                                                                                             \
		memmove(a.v + 1, a.v, sizeof(a.v) - sizeof(a.v[0]));                                  \
		a.v[0] = p[-1];                                                                       \
		return a;                                                                             \
	}

#define NAME_8(x)  x##_8
#define NAME_16(x) x##_16
OPERATIONS(uint8_t, NAME_8)
OPERATIONS(uint16_t, NAME_16)

#define PIXEL	uint8_t
#define NAME(x) x##_8
#include "measure/fast_strip_template.inc"
#include "measure/fast_strip_filters.inc"
#undef VEC
#undef PIXEL
#undef NAME

#define PIXEL	uint16_t
#define NAME(x) x##_16
#include "measure/fast_strip_template.inc"

#include "measure/fast_strip_entry.inc"

static bool usable(void)
{
	return true;
}

const struct strip_code strip_plain = {
	.name = "plain",
	.usable = usable,
	.add_filtered = strip_add_filtered,
	.add_ids = strip_add_ids,
	.end = strip_end,
};
