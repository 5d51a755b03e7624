/*
 * A fast 64-bit hash of bytes, for tables in memory: never stored, never shown, not for adversaries. Pure, any thread.
 *
 * Multiply and fold, 8 bytes at a time, as wyhash and FxHash do.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Digits of pi and e: odd, and half of their bits set. */
#define HASH_SEED UINT64_C(0x243f6a8885a308d3)
#define HASH_STEP UINT64_C(0xb7e151628aed2a6b)

static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* One more word; start with HASH_SEED. */
static inline uint64_t hash_word(uint64_t h, uint64_t word)
{
	return hash_fold(h ^ word, HASH_STEP);
}

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
