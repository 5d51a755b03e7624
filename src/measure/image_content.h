/*
 * --check-images: the content of an image, to find images that are in two splits. The key of a PNG is that of its
 * pixels, however it was compressed; that of any other image (JPEG, WebP, TIFF ...) is that of the file's bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/settings.h"

/*
 * Reads the image called `name` below dirfd. Returns false if it has no key: it cannot be read, is a broken PNG, or
 * declares far more pixels than its bytes usually hold. Any thread.
 */
bool image_content_read(int dirfd, const char *name, const struct limits *limits, uint64_t out[2]);
