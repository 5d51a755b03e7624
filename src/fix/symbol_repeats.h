/*
 * Tells whether the symbols of a stream repeat each other, as those of tiles, slanted stripes and letters do: then a
 * search finds matches at distances that mask_deflate.h does not look at.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Looks at some of these symbols, in the form of deflate_blocks.h. */
bool symbols_repeat(const uint32_t *symbols, size_t count);
