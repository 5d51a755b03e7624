/* Primitives for NEON, which every 64-bit ARM processor has. delta_template.h says what each does. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/guard.h"
#include "measure/engine/delta.h"
#include "measure/engine/isa.h"

#if ISA_HAS_NEON
#include <arm_neon.h>

#define TARGET_STATIC   static
#define TARGET_INLINE   static inline
#define TARGET_NOINLINE static __attribute__((noinline, unused))

/* ---- words: two events --------------------------------------------------------------------------------------- */

typedef uint64_t word_vec __attribute__((vector_size(16)));
enum { WORD_LANES = 2 };

TARGET_INLINE word_vec words_set1(uint64_t x)
{
	return (word_vec)vdupq_n_u64(x);
}

TARGET_INLINE word_vec words_load(const uint64_t *p)
{
	return (word_vec)vld1q_u64(p);
}

TARGET_INLINE void words_store(uint64_t *p, word_vec a)
{
	vst1q_u64(p, (uint64x2_t)a);
}

TARGET_INLINE word_vec words_previous(word_vec now, word_vec before)
{
	return (word_vec)vextq_u64((uint64x2_t)before, (uint64x2_t)now, PLANTED(neon_word_before, 1, 0));
}

TARGET_INLINE word_vec words_eq(word_vec a, word_vec b)
{
	return (word_vec)vceqq_u64((uint64x2_t)a, (uint64x2_t)b);
}

TARGET_INLINE word_vec words_popcount(word_vec a)
{
	return (word_vec)vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vcntq_u8((uint8x16_t)a))));
}

TARGET_INLINE word_vec words_top_bit(word_vec a)
{
	for (unsigned n = 1; n < 64; n *= 2)
		a |= a >> n;
	return a ^ a >> 1;
}

TARGET_INLINE word_vec words_mul32(word_vec a, word_vec b)
{
	return (word_vec)vmull_s32(vmovn_s64((int64x2_t)a), vmovn_s64((int64x2_t)b));
}

TARGET_INLINE uint64_t words_nonzero(word_vec a)
{
	return (uint64_t)(a[0] != 0) | (uint64_t)(a[1] != 0) << 1;
}

struct weighted_sums {
	word_vec sum, weighted;
};

/* ---- blocks of 64 pixels of 8 bits --------------------------------------------------------------------------- */

enum { PARTS_8 = 4, PARTS_16 = 8 };

struct vec_8 {
	uint8x16_t v[PARTS_8];
};

/* The bit of each byte, in either half. */
TARGET_INLINE uint8x16_t own_bits(void)
{
	return vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
}

/* Returns one bit a byte, of bytes that are 0 or 0xff: each keeps its own, and pairs are added. */
TARGET_INLINE uint64_t bits_8(const uint8x16_t m[PARTS_8])
{
	const uint8x16_t bits = own_bits();
	uint8x16_t low = vpaddq_u8(vandq_u8(m[0], bits), vandq_u8(m[1], bits));
	uint8x16_t high = vpaddq_u8(vandq_u8(m[2], bits), vandq_u8(m[3], bits));
	uint8x16_t all = vpaddq_u8(low, high);

	return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

TARGET_INLINE struct vec_8 load_8(const uint8_t *p)
{
	return (struct vec_8){ { vld1q_u8(p), vld1q_u8(p + 16), vld1q_u8(p + 32), vld1q_u8(p + 48) } };
}

TARGET_INLINE void store_8(uint8_t *p, struct vec_8 a)
{
	for (unsigned i = 0; i < PARTS_8; i++)
		vst1q_u8(p + 16 * i, a.v[i]);
}

TARGET_INLINE struct vec_8 set1_8(uint8_t x)
{
	uint8x16_t v = vdupq_n_u8(x);

	return (struct vec_8){ { v, v, v, v } };
}

TARGET_INLINE struct vec_8 zero_8(void)
{
	return set1_8(0);
}

TARGET_INLINE struct vec_8 ones_8(void)
{
	return set1_8(0xff);
}

TARGET_INLINE uint64_t ne_8(struct vec_8 a, struct vec_8 b)
{
	for (unsigned i = 0; i < PARTS_8; i++)
		a.v[i] = vceqq_u8(a.v[i], b.v[i]);
	return ~bits_8(a.v);
}

TARGET_INLINE uint64_t lt_8(struct vec_8 a, struct vec_8 b)
{
	for (unsigned i = 0; i < PARTS_8; i++)
		a.v[i] = vcltq_u8(a.v[i], b.v[i]);
	return bits_8(a.v);
}

TARGET_INLINE uint64_t wide_8(struct vec_8 a, struct vec_8 b)
{
	for (unsigned i = 0; i < PARTS_8; i++)
		a.v[i] = vcgtq_u8(vabdq_u8(a.v[i], b.v[i]), vdupq_n_u8(1));
	return bits_8(a.v);
}

TARGET_INLINE bool any_8(struct vec_8 a)
{
	return vmaxvq_u8(vorrq_u8(vorrq_u8(a.v[0], a.v[1]), vorrq_u8(a.v[2], a.v[3]))) != 0;
}

TARGET_INLINE bool differ_8(struct vec_8 a, struct vec_8 b)
{
	for (unsigned i = 0; i < PARTS_8; i++)
		a.v[i] = veorq_u8(a.v[i], b.v[i]);
	return any_8(a);
}

TARGET_INLINE bool differ_masked_8(struct vec_8 a, struct vec_8 b, uint64_t word, struct vec_8 valid)
{
	const uint8x16_t mask = vreinterpretq_u8_u64(vdupq_n_u64(word));

	for (unsigned i = 0; i < PARTS_8; i++)
		a.v[i] = vandq_u8(veorq_u8(a.v[i], vandq_u8(b.v[i], mask)), valid.v[i]);
	return any_8(a);
}

TARGET_INLINE struct vec_8 blend_8(uint64_t mask, struct vec_8 on, struct vec_8 off)
{
	for (unsigned i = 0; i < PARTS_8; i++) {
		uint8x16_t spread =
			vcombine_u8(vdup_n_u8((uint8_t)(mask >> 16 * i)), vdup_n_u8((uint8_t)(mask >> (16 * i + 8))));

		off.v[i] = vbslq_u8(vtstq_u8(spread, own_bits()), on.v[i], off.v[i]);
	}
	return off;
}

TARGET_INLINE struct vec_8 and_8(struct vec_8 a, struct vec_8 b)
{
	for (unsigned i = 0; i < PARTS_8; i++)
		a.v[i] = vandq_u8(a.v[i], b.v[i]);
	return a;
}

TARGET_INLINE struct vec_8 add_8(struct vec_8 a, struct vec_8 b)
{
	for (unsigned i = 0; i < PARTS_8; i++)
		a.v[i] = vaddq_u8(a.v[i], b.v[i]);
	return a;
}

TARGET_INLINE struct vec_8 shift1_8(struct vec_8 a, uint32_t two)
{
	uint8x16_t before = vreinterpretq_u8_u16(vdupq_n_u16((uint16_t)two));

	return (struct vec_8){ { vextq_u8(before, a.v[0], 15), vextq_u8(a.v[0], a.v[1], 15),
				 vextq_u8(a.v[1], a.v[2], 15), vextq_u8(a.v[2], a.v[3], 15) } };
}

TARGET_INLINE struct vec_8 shift2_8(struct vec_8 a, uint32_t two)
{
	uint8x16_t before = vreinterpretq_u8_u16(vdupq_n_u16((uint16_t)two));

	return (struct vec_8){ { vextq_u8(before, a.v[0], 14), vextq_u8(a.v[0], a.v[1], 14),
				 vextq_u8(a.v[1], a.v[2], 14), vextq_u8(a.v[2], a.v[3], 14) } };
}

TARGET_INLINE uint32_t last_two_8(struct vec_8 a)
{
	return vgetq_lane_u16(vreinterpretq_u16_u8(a.v[3]), 7);
}

TARGET_INLINE struct vec_8 prefix_sum_8(struct vec_8 a)
{
	const uint8x16_t zero = vdupq_n_u8(0);
	uint8x16_t total = zero;

	for (unsigned i = 0; i < PARTS_8; i++) {
		uint8x16_t v = a.v[i];

		v = vaddq_u8(v, vextq_u8(zero, v, 15));
		v = vaddq_u8(v, vextq_u8(zero, v, 14));
		v = vaddq_u8(v, vextq_u8(zero, v, 12));
		v = vaddq_u8(v, vextq_u8(zero, v, 8));
		a.v[i] = vaddq_u8(v, total);
		total = vdupq_laneq_u8(a.v[i], 15);
	}
	return a;
}

/* Returns the sums of the bytes, in lanes of 64 bits. */
TARGET_INLINE uint64x2_t sums_of_bytes(struct vec_8 a)
{
	uint16x8_t sum = vpaddlq_u8(a.v[0]);

	for (unsigned i = 1; i < PARTS_8; i++)
		sum = vpadalq_u8(sum, a.v[i]);
	return vpaddlq_u32(vpaddlq_u16(sum));
}

TARGET_INLINE uint32_t sum_8(struct vec_8 a)
{
	return (uint32_t)vaddvq_u64(sums_of_bytes(a));
}

TARGET_INLINE struct weighted_sums weighted_sums_8(struct vec_8 a)
{
	static const uint8_t first[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	uint8x16_t x = vld1q_u8(first);
	/* sums of four stay below 2^16: 255 * (15 + 31 + 47 + 63) */
	uint16x8_t low = vdupq_n_u16(0), high = low;

	for (unsigned i = 0; i < PARTS_8; i++) {
		low = vmlal_u8(low, vget_low_u8(a.v[i]), vget_low_u8(x));
		high = vmlal_high_u8(high, a.v[i], x);
		x = vaddq_u8(x, vdupq_n_u8(16));
	}
	return (struct weighted_sums){ (word_vec)sums_of_bytes(a),
				       (word_vec)vpaddlq_u32(vpadalq_u16(vpaddlq_u16(low), high)) };
}

/* ---- blocks of 64 pixels of 16 bits -------------------------------------------------------------------------- */

struct vec_16 {
	uint16x8_t v[PARTS_16];
};

/* Returns one bit a lane of 16 bits, which is 0 or 0xffff. */
TARGET_INLINE uint64_t bits_16(const uint16x8_t m[PARTS_16])
{
	uint8x16_t bytes[PARTS_8];

	for (unsigned i = 0; i < PARTS_8; i++)
		bytes[i] = vcombine_u8(vmovn_u16(m[2 * i]), vmovn_u16(m[2 * i + 1]));
	return bits_8(bytes);
}

TARGET_INLINE struct vec_16 load_16(const uint16_t *p)
{
	struct vec_16 a;

	for (unsigned i = 0; i < PARTS_16; i++)
		a.v[i] = vld1q_u16(p + 8 * i);
	return a;
}

TARGET_INLINE void store_16(uint16_t *p, struct vec_16 a)
{
	for (unsigned i = 0; i < PARTS_16; i++)
		vst1q_u16(p + 8 * i, a.v[i]);
}

TARGET_INLINE struct vec_16 ones_16(void)
{
	struct vec_16 a;

	for (unsigned i = 0; i < PARTS_16; i++)
		a.v[i] = vdupq_n_u16(0xffff);
	return a;
}

TARGET_INLINE uint64_t ne_16(struct vec_16 a, struct vec_16 b)
{
	for (unsigned i = 0; i < PARTS_16; i++)
		a.v[i] = vceqq_u16(a.v[i], b.v[i]);
	return ~bits_16(a.v);
}

TARGET_INLINE uint64_t lt_16(struct vec_16 a, struct vec_16 b)
{
	for (unsigned i = 0; i < PARTS_16; i++)
		a.v[i] = vcltq_u16(a.v[i], b.v[i]);
	return bits_16(a.v);
}

TARGET_INLINE uint64_t wide_16(struct vec_16 a, struct vec_16 b)
{
	for (unsigned i = 0; i < PARTS_16; i++)
		a.v[i] = vcgtq_u16(vabdq_u16(a.v[i], b.v[i]), vdupq_n_u16(1));
	return bits_16(a.v);
}

TARGET_INLINE bool differ_16(struct vec_16 a, struct vec_16 b)
{
	uint16x8_t all = veorq_u16(a.v[0], b.v[0]);

	for (unsigned i = 1; i < PARTS_16; i++)
		all = vorrq_u16(all, veorq_u16(a.v[i], b.v[i]));
	return vmaxvq_u16(all) != 0;
}

TARGET_INLINE struct vec_16 and_16(struct vec_16 a, struct vec_16 b)
{
	for (unsigned i = 0; i < PARTS_16; i++)
		a.v[i] = vandq_u16(a.v[i], b.v[i]);
	return a;
}

TARGET_INLINE struct vec_16 shift1_16(struct vec_16 a, uint32_t two)
{
	struct vec_16 out;
	uint16x8_t before = vreinterpretq_u16_u32(vdupq_n_u32(two));

	for (unsigned i = 0; i < PARTS_16; before = a.v[i++])
		out.v[i] = vextq_u16(before, a.v[i], 7);
	return out;
}

TARGET_INLINE struct vec_16 shift2_16(struct vec_16 a, uint32_t two)
{
	struct vec_16 out;
	uint16x8_t before = vreinterpretq_u16_u32(vdupq_n_u32(two));

	for (unsigned i = 0; i < PARTS_16; before = a.v[i++])
		out.v[i] = vextq_u16(before, a.v[i], 6);
	return out;
}

TARGET_INLINE uint32_t last_two_16(struct vec_16 a)
{
	return vgetq_lane_u32(vreinterpretq_u32_u16(a.v[PARTS_16 - 1]), 3);
}
#endif
