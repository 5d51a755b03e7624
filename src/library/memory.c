#include "library/memory.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/hash.h"
#include "base/mem.h"

enum { BLOCKS_FIRST = 256 };

void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t n);
int __real_posix_memalign(void **out, size_t alignment, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t n);
int __wrap_posix_memalign(void **out, size_t alignment, size_t n);
void __wrap_free(void *p);
void __wrap_cJSON_InitHooks(cJSON_Hooks *hooks);

/* The call that this thread is in. It is never allocated (library.mk), so it cannot fail. */
static _Thread_local struct memory *current;

/* ---- the blocks of a call --------------------------------------------------------------------------------------- */

static size_t home_of(const struct memory *m, const void *p)
{
	return (size_t)hash_mix((uint64_t)(uintptr_t)p) & (m->cap - 1);
}

static void put(struct memory *m, void *p)
{
	size_t at = home_of(m, p);

	while (m->blocks[at])
		at = (at + 1) & (m->cap - 1);
	m->blocks[at] = p;
	m->count++;
}

/* Makes room for one more block; at most half of the slots are used. */
static bool make_room(struct memory *m)
{
	struct memory larger = { .cap = m->cap ? 2 * m->cap : BLOCKS_FIRST };

	if (2 * (m->count + 1) <= m->cap)
		return true;
	larger.blocks = __real_calloc(larger.cap, sizeof(*larger.blocks));
	if (!larger.blocks)
		return false;
	for (size_t i = 0; i < m->cap; i++)
		if (m->blocks[i])
			put(&larger, m->blocks[i]);
	__real_free(m->blocks);
	m->blocks = larger.blocks;
	m->cap = larger.cap;
	return true;
}

/* Forgets a block, and moves those after it that it kept from their places (Knuth, 6.4, algorithm R). */
static void forget(struct memory *m, const void *p)
{
	size_t mask = m->cap - 1, hole;

	if (!m->cap)
		return;
	for (hole = home_of(m, p); m->blocks[hole] != p; hole = (hole + 1) & mask)
		if (!m->blocks[hole])
			return;
	for (size_t at = (hole + 1) & mask; m->blocks[at]; at = (at + 1) & mask) {
		size_t home = home_of(m, m->blocks[at]);

		if (((at - home) & mask) >= ((at - hole) & mask)) {
			m->blocks[hole] = m->blocks[at];
			hole = at;
		}
	}
	m->blocks[hole] = NULL;
	m->count--;
}

/* ---- malloc and its relatives ----------------------------------------------------------------------------------- */

/* Returns p, or NULL if it cannot be noted. */
static void *keep(void *p)
{
	if (!p || !current)
		return p;
	if (!make_room(current)) {
		__real_free(p);
		return NULL;
	}
	put(current, p);
	return p;
}

void *__wrap_malloc(size_t n)
{
	return keep(__real_malloc(n));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return keep(__real_calloc(count, size));
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t n)
{
	int error = __real_posix_memalign(out, alignment, n);

	return error || keep(*out) ? error : ENOMEM;
}

void *__wrap_realloc(void *old, size_t n)
{
	if (!old || !current)
		return keep(__real_realloc(old, n));
	/* first, so that what was moved can be noted */
	if (!make_room(current))
		return NULL;
	forget(current, old);

	void *p = __real_realloc(old, n);

	put(current, p ? p : old);
	return p;
}

void __wrap_free(void *p)
{
	if (p && current)
		forget(current, p);
	__real_free(p);
}

/* Its hooks are the process's, which may use cJSON itself. */
void __wrap_cJSON_InitHooks(cJSON_Hooks *hooks)
{
	(void)hooks;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* Is called by mem.c where the program would end. */
static void give_up(void)
{
	struct memory *m = current;

	memory_free_all(m);
	current = NULL;
	longjmp(m->end, 1);
}

void memory_begin(struct memory *m)
{
	mem_on_fatal(give_up);
	current = m;
}

void memory_end(void)
{
	current = NULL;
}

void memory_free_all(struct memory *m)
{
	for (size_t i = 0; i < m->cap; i++)
		__real_free(m->blocks[i]);
	__real_free(m->blocks);
	m->blocks = NULL;
	m->count = m->cap = 0;
}
