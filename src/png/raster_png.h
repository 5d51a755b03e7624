/*
 * Makes a PNG of the rows of another format, so that every way of measuring a PNG measures that format, too: the fast
 * engine, the reference and the GPU. The PNG is made as it is read, a row at a time, and stored without compression:
 * checksums are all that it costs. An array, which no PNG can hold, becomes a .npy in the same way.
 */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "base/settings.h"
#include "read/input.h"
#include "read/raster.h"

/*
 * Replaces the input by the PNG or the .npy that equals the raster, and takes over the raster. An error of a row is one
 * of the input. Returns false if *fault is set.
 */
bool raster_as_png(struct input *in, const struct raster *raster, const struct limits *limits, struct fault *fault);
