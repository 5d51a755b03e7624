/*
 * Fast 64-bit hashes for tables in memory. Any thread. They start from hash_seed(), which differs from run to run, and
 * so are never stored and never shown: what goes into the tables comes from strangers' files, and if these could be
 * made to collide, filling a table would take time quadratic in the number of entries.
 *
 * Integers are mixed as in SplitMix64; bytes are multiplied and folded, 8 at a time, as in wyhash and FxHash.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/guard.h"

/* A random number, the same for the whole run, so that no file can have been made for it. */
uint64_t hash_seed(void);

/*
 * The finaliser of SplitMix64: every bit of the input changes about half of the bits of the output. For integers:
 * hash_mix(id ^ hash_seed()).
 */
static inline uint64_t hash_mix(uint64_t v)
{
	v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
	return PLANTED(time_quadratic_in_the_number_of_images, v ^ v >> 31, v >> 60);
}

/* Digits of e: odd, and half of the bits set. */
#define HASH_STEP UINT64_C(0xb7e151628aed2a6b)

static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The hash of everything before, h, and one more word. Start with h = hash_seed(). */
static inline uint64_t hash_word(uint64_t h, uint64_t word)
{
	return hash_fold(h ^ word, HASH_STEP);
}

/* The same for n bytes and their number. */
static inline uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
	const char *p = bytes;
	uint64_t word, length = n;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&word, p, 8);
		h = hash_word(h, word);
	}
	word = 0;
	memcpy(&word, p, n);
	return hash_word(hash_word(h, word), length);
}

#endif
