/*
 * Linked into what `make coverage` builds, with _exit wrapped: what a process has counted is kept however it ends, but
 * for a signal that kills it.
 *
 * The counters are written by a destructor of priority 100, which is later than the one here.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void __gcov_dump(void);
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));

/* Defined by tests/torture_shim.c, where that is preloaded. */
void torture_over(void) __attribute__((weak));

/* Seconds that writing may take, from a signal handler as well: it can be that it waits for what it interrupted. */
#define PATIENCE 10

/* No call fails any more. The next process may add to the files; if they cannot be written, that is not reported. */
static void __attribute__((destructor)) end(void)
{
	if (torture_over)
		torture_over();
	umask(0);
	setenv("GCOV_ERROR_FILE", "/dev/null", 1);
}

void __wrap__exit(int status)
{
	end();
	alarm(PATIENCE);
	__gcov_dump();
	__real__exit(status);
}
