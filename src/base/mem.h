/*
 * Memory and checked size arithmetic. Any thread.
 *
 * For sizes that the program chooses: xmalloc and its relatives never return NULL; without memory they print one line
 * and end the process with status 2 (the only exit below main). For sizes that the input chooses, checked against a
 * limit: mem_try* may return NULL, and the caller makes that a fault of the file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIN(a, b)     ((a) < (b) ? (a) : (b))
#define MAX(a, b)     ((a) > (b) ? (a) : (b))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Sets a function to call before the process ends for lack of memory. Async-signal-safe: any lock may be held. */
void mem_on_fatal(void (*act)(void));

void *xmalloc(size_t n);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xmemdup0(const char *s, size_t n); /* copies n bytes and adds a NUL */

/* Before the type of local pointers: each is freed where its block ends, also by a return. */
#define FREED __attribute__((cleanup(mem_free_local)))
void mem_free_local(void *pointer); /* to it */

/* Grows an array of *cap elements to at least `want`, by doubling; returns the new array. */
void *mem_grow(void *array, size_t *cap, size_t want, size_t element);
static inline void *mem_room(void *array, size_t *cap, size_t want, size_t element)
{
	return want <= *cap ? array : mem_grow(array, cap, want, element);
}
#define GROW(array, cap, want) ((array) = mem_room((array), &(cap), (want), sizeof(*(array))))

/* Return NULL if there is no memory or count * size overflows. The second one clears the memory. */
void *mem_try(size_t count, size_t size);
void *mem_try_zero(size_t count, size_t size);
/* Replaces a buffer of *cap bytes by a cleared one of n if it is smaller; else returns it. NULL: no memory. */
void *mem_try_fit(void *p, size_t *cap, size_t n);

/* Returns false on overflow, and leaves *out alone. */
static inline bool size_mul(uint64_t a, uint64_t b, uint64_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

static inline uint64_t size_mul_saturating(uint64_t a, uint64_t b)
{
	uint64_t product;

	return size_mul(a, b, &product) ? product : UINT64_MAX;
}

static inline bool size_add(uint64_t a, uint64_t b, uint64_t *out)
{
	return !__builtin_add_overflow(a, b, out);
}

static inline uint64_t size_add_saturating(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return size_add(a, b, &sum) ? sum : UINT64_MAX;
}
