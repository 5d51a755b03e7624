/*
 * Colours that nobody chose: a mask painted as colours that was then resized, warped, blurred or drawn anti-aliased has
 * rare colours between two frequent ones, and a JPEG has rare ones close to a frequent one. Pure; any thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "measure/label_stats.h"

enum { MIXED_COLOURS_MAX = 256 };

/*
 * Returns how many of n colours are mixtures, or 0 if these are few: below 8, or below half of the colours. n: at most
 * MIXED_COLOURS_MAX.
 */
size_t mixed_colours(const struct id_stats *colours, size_t n);
