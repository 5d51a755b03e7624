/*
 * struct memory: all memory that a handle of the library owns, so that a call that runs out of it can end at once,
 * wherever it is, and give all of it back.
 *
 * The rooms that the library is made of end the program when xmalloc() has no memory (base/mem.h). In the library that
 * jumps back to memory_begin() instead. So that nothing is lost on the way, the linker sends malloc() and its relatives
 * here (--wrap in library.mk), and what they return during a call is noted in the call's struct memory.
 *
 * One thread at a time. The only state outside the handles is a pointer of each thread, set during a call.
 */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

struct memory {
	void **blocks;     /* a hash table with open addressing; NULL: a free slot */
	size_t count, cap; /* cap: 0 or a power of two */
	jmp_buf end;       /* where a call goes that has no memory */
};

/*
 * Begins a call that may allocate. The next statement must be `if (setjmp(m->end))`: it is true, a second time, when
 * the call ran out of memory; then all blocks have been freed, and the call is over.
 */
void memory_begin(struct memory *m);
/* Ends the call that has begun. Its memory stays the handle's. */
void memory_end(void);
/* Frees all blocks. */
void memory_free_all(struct memory *m);
