/*
 * struct key_set: which rows, objects or masks something is about, as hashes that are the same in every run: a baseline
 * keeps them. Bounded: beyond KEY_SET_MAX keys it has their number and their sum alone.
 *
 * The hashes have no secret seed, so keys that collide can be made. That costs no time, since no table is filled with
 * them; a row made to look like a known one is known.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

enum { KEY_SET_MAX = 256 };

struct key_set {
	uint64_t *v; /* the first ones; owned */
	size_t count, cap;
	uint64_t total, sum; /* of all; the sum wraps */
};

#define KEY_SET_INIT             \
	{                        \
		NULL, 0, 0, 0, 0 \
	}

void key_set_release(struct key_set *s);
/* max: of the keys that are kept, at most KEY_SET_MAX. */
void key_set_add(struct key_set *s, uint64_t key, size_t max);
/* Adds `from`, which keeps its keys. */
void key_set_merge(struct key_set *into, const struct key_set *from);

static inline uint64_t key_of_bytes(const void *bytes, size_t n)
{
	return hash_bytes(UINT64_C(0x6c6162656c73), bytes, n);
}

static inline uint64_t key_of_numbers(uint64_t a, uint64_t b)
{
	return hash_mix(hash_mix(a + UINT64_C(0x9e3779b97f4a7c15)) ^ b);
}
