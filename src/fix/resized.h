/*
 * Undoes the resize of a mask: finds the size that it had before, and the ids that it had, whose resize gives the
 * pixels that are there. Each pixel of a ramp between two ids tells by its value where between the centres of two
 * source pixels it lies; the sizes that agree with most of them are tried with the kernels that Pillow, OpenCV and
 * PyTorch use. This is a guess, for --lossy alone; it is only taken if it explains the mask, and if the pixels tell
 * nearly all ids that change. Masks that were made smaller do not: several sources explain each of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { RESIZED_PIXELS_MAX = 1 << 23 }; /* larger masks are not tried: some 20 bytes a pixel are held */

/*
 * seen: the pixels of the resized mask; marks: not 0 where no true id is, as far as their neighbours tell; ids: a guess
 * of each pixel's true id, replaced by that of the nearest pixel of the source. Returns false, and leaves ids alone, if
 * no resize explains the mask, or without memory. Any thread.
 */
bool resized_undo(const uint16_t *seen, const uint8_t *marks, uint16_t *ids, uint32_t width, uint32_t height);
