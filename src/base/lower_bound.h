/*
 * Sorted arrays. Binary search: returns the index of the first of `count` sorted entries, of `size` bytes each, that
 * does not sort before the key, or count. All entries before index `from` do. Inline, so that the compiler specialises
 * the loop for `before` and `size`. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/* Opens a gap for one entry at index `at` of a sorted array that grows. */
#define OPEN_ENTRY(v, cap, count, at)                                                 \
	do {                                                                          \
		GROW(v, cap, (count) + 1);                                            \
		memmove((v) + (at) + 1, (v) + (at), ((count) - (at)) * sizeof(*(v))); \
		(count)++;                                                            \
	} while (0)

static inline size_t lower_bound(const void *key, const void *entries, size_t from, size_t count, size_t size,
				 bool (*before)(const void *entry, const void *key))
{
	const char *base = entries;

	while (from < count) {
		size_t mid = from + (count - from) / 2;

		if (before(base + mid * size, key))
			from = mid + 1;
		else
			count = mid;
	}
	return from;
}

/* The same for keys in ascending order: tries the next few entries first. */
static inline size_t lower_bound_near(const void *key, const void *entries, size_t from, size_t count, size_t size,
				      bool (*before)(const void *entry, const void *key))
{
	enum { NEAR = 16 };
	const char *base = entries;
	size_t near = MIN(from + NEAR, count);

	while (from < near && before(base + from * size, key))
		from++;
	return from < near ? from : lower_bound(key, entries, from, count, size, before);
}

/* For qsort and bsearch: compare rows that are a number, or begin with one. */
static inline int compare_int64(const void *row, const void *other)
{
	const int64_t a = *(const int64_t *)row, b = *(const int64_t *)other;

	return (a > b) - (a < b);
}

static inline int compare_uint64(const void *row, const void *other)
{
	const uint64_t a = *(const uint64_t *)row, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}
