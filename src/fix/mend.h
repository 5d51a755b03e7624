/*
 * Mends the pixels of a mask that hold no true id: those that interpolation or a JPEG made between two classes, and
 * those out of range. This is a guess, for --lossy alone.
 *
 * A pixel is bogus if it lies in a ramp: in its row or its column, runs of at most RAMP_RUN pixels rise or fall from
 * one id to another. So is one out of range. Bogus pixels become the nearer of the two ids that bound the ramp; where
 * more do, the nearer of the two commonest around it that lie on either side of the value.
 *
 * That is a first guess. If the mask was resized, and it can be found out how, the ids are those of its source
 * (resized.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/settings.h"

enum {
	MEND_PIXELS_MAX = 1 << 26
}; /* larger masks are refused: 3 bytes a pixel are held, 20 where a resize is undone */

/*
 * ids: width x height, changed in place. interpolated: the audit found the file damaged; else only ids out of range
 * change. ignored: becomes what has no true id around it; -1: there is none. *changed: the pixels that got another id.
 * Returns false if *fault is set: no memory, or no id for a pixel. Any thread.
 */
bool mend_mask(const struct settings *settings, bool interpolated, int64_t ignored, uint16_t *ids, uint32_t width,
	       uint32_t height, uint64_t *changed, struct fault *fault);
