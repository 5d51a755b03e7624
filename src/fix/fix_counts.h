#pragma once

#include <stdint.h>

/* The labels of a file that got another id than the audit counted, and those of them that were guessed. */
struct fix_counts {
	uint64_t labels, mended;
};
