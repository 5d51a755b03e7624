/*
 * Fast 64-bit hashes for tables in memory (base/table.h). They begin with hash_seed(), which differs from run to run,
 * because untrusted files could hold keys that collide. So hashes are never stored and never shown. Any thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/guard.h"

/* Returns a random number that is the same for the whole run. */
uint64_t hash_seed(void);

/* XXH3 of n bytes; h: hash_seed(), or the hash of what comes before. */
uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n);

/* Mixes an integer: hash_mix(id ^ hash_seed()). The finaliser of SplitMix64: each bit changes half of the output. */
static inline uint64_t hash_mix(uint64_t v)
{
	v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
	return PLANTED(time_quadratic_in_the_number_of_images, v ^ v >> 31, v >> 60);
}

/*
 * The hash of an integer after those that gave h, which begin with hash_seed(). Both halves of a product, as wyhash has
 * them: a third of the time of hash_mix(), and each word waits for the one before.
 */
static inline uint64_t hash_word(uint64_t h, uint64_t word)
{
	__extension__ typedef unsigned __int128 wide;
	const wide product = (wide)(h ^ UINT64_C(0xa0761d6478bd642f)) * (h ^ word);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}
