#include "base/mem.h"
#include "base/zlib_inflate.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/guard.h"

static void (*_Atomic last_act)(void);

static _Noreturn void out_of_memory(void)
{
	void (*act)(void) = atomic_load(&last_act);

	if (act)
		act();
	static const char text[] = "labelaudit: error: out of memory\n";
	/* a failure to write cannot be reported */
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	_exit(STATUS_FAILED);
}

void mem_on_fatal(void (*act)(void))
{
	atomic_store(&last_act, act);
}

void *xmalloc(size_t n)
{
	return xrealloc(NULL, n);
}

void *xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (GUARD(memory_not_asked, !p))
		out_of_memory();
	return p;
}

void *xrealloc(void *old, size_t n)
{
	void *p = realloc(old, n ? n : 1);

	if (GUARD(memory_not_asked, !p))
		out_of_memory();
	return p;
}

char *xstrdup(const char *s)
{
	return xmemdup0(s, strlen(s));
}

char *xmemdup0(const char *s, size_t n)
{
	char *p = xmalloc(n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

void mem_free_local(void *pointer)
{
	void *p;

	memcpy(&p, pointer, sizeof(p));
	free(p);
}

void *mem_grow(void *array, size_t *cap, size_t want, size_t element)
{
	size_t new_cap = MAX(want, *cap < SIZE_MAX / 2 ? *cap * 2 : want);
	uint64_t bytes;

	new_cap = MAX(new_cap, (size_t)16);
	if (!size_mul(new_cap, element, &bytes))
		out_of_memory();
	*cap = new_cap;
	return xrealloc(array, bytes);
}

void *mem_try(size_t count, size_t size)
{
	uint64_t bytes;

	return size_mul(count, size, &bytes) ? malloc(MAX(bytes, 1)) : NULL;
}

void *mem_try_zero(size_t count, size_t size)
{
	return calloc(count ? count : 1, size ? size : 1);
}

void *mem_try_fit(void *p, size_t *cap, size_t n)
{
	if (n <= *cap)
		return p;
	free(p);
	p = mem_try_zero(n, 1);
	*cap = p ? n : 0;
	return p;
}

void *zlib_alloc(void *unused, unsigned count, unsigned size)
{
	(void)unused;
	return xcalloc(count, size);
}

void zlib_free(void *unused, void *p)
{
	(void)unused;
	free(p);
}
