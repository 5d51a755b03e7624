/* How often a random test repeats: as often as finds what it is there for in `make check`, and longer in `make
 * check-all`. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns `all` if LABELAUDIT_TEST=all is in the environment, else `check`. */
static inline uint32_t effort(uint32_t check, uint32_t all)
{
	const char *level = getenv("LABELAUDIT_TEST");

	return level && !strcmp(level, "all") ? all : check;
}
