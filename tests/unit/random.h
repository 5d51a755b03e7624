/*
 * The random numbers of all tests: SplitMix64 (Steele, Lea, Flood, 2014). Any state is a seed, and the same one gives
 * the same numbers, so that what fails can be run again.
 */
#pragma once

#include <stdint.h>

static inline uint64_t random_next64(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline uint32_t random_next(uint64_t *state)
{
	return (uint32_t)(random_next64(state) >> 32);
}

static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((uint64_t)random_next(state) * n >> 32);
}
