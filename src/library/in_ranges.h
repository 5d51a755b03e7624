/*
 * Tests whether all integers in memory lie in a few ranges of ids, with vectors: range and ignored ids in one pass.
 * Pure, any thread. library.mk compiles it with -O3.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/class_set.h"

/* Sets of ids with more ranges are looked up element by element. */
enum { RANGES_MAX = 4 };

/* The ranges as one type of elements can hold them. Those that are not used repeat the first. */
struct typed_ranges {
	unsigned count;              /* 0: no element can be right; RANGES_MAX + 1: too many */
	uint64_t low[RANGES_MAX];    /* the bits of an integer */
	uint64_t length[RANGES_MAX]; /* last - first */
};

/* The types of elements, once they are in native byte order: of 1 << n bytes, and float and double. */
enum element_kind { ELEMENT_UNSIGNED, ELEMENT_SIGNED = 4, ELEMENT_FLOAT = 8, ELEMENT_DOUBLE, ELEMENT_KINDS };

/* Makes the ranges of all kinds. */
void typed_ranges_make(struct typed_ranges all[ELEMENT_KINDS], const struct id_ranges *ids);

/* Returns whether all n elements are in the ranges. v is aligned. ranges->count is not above RANGES_MAX. */
bool all_in_ranges(const struct typed_ranges *ranges, enum element_kind kind, const void *v, size_t n);
