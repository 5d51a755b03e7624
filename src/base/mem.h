/*
 * Memory and checked size arithmetic.
 *
 * Sizes that we choose: xmalloc and friends, which never return NULL; when memory is out they print
 * one line without allocating and end the process with status 2 (the only exit below main).
 * Sizes that the input chooses: check them against a limit, then mem_try*, which may return NULL; the
 * caller turns that into a fault of the one file.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIN(a, b)     ((a) < (b) ? (a) : (b))
#define MAX(a, b)     ((a) > (b) ? (a) : (b))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * A function to call before the process ends for want of memory. It must be async-signal-safe, since the code that
 * asked for memory may hold any lock.
 */
void mem_on_fatal(void (*act)(void));

void *xmalloc(size_t n);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xmemdup0(const char *s, size_t n); /* copies n bytes and adds a NUL */

/* Makes room for at least `want` elements in *array of *cap elements; doubles. Amortised O(1). */
void *mem_grow(void *array, size_t *cap, size_t want, size_t element);
static inline void *mem_room(void *array, size_t *cap, size_t want, size_t element)
{
	return want <= *cap ? array : mem_grow(array, cap, want, element);
}
#define GROW(array, cap, want) ((array) = mem_room((array), &(cap), (want), sizeof(*(array))))

/*
 * xcalloc and free, as zlib wants its zalloc and zfree: for streams whose outcome decides what a file is taken for,
 * which must not depend on whether there was memory.
 */
void *zlib_alloc(void *unused, unsigned count, unsigned size);
void zlib_free(void *unused, void *p);

/* NULL when memory is out or count * size overflows. The memory of the first is not initialised, the second's is 0. */
void *mem_try(size_t count, size_t size);
void *mem_try_zero(size_t count, size_t size);

/* False on overflow, *out untouched. */
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

#endif
