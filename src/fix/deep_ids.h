/*
 * The ids of a mask of 16 bits with equal channels. An audit counts colours without their low bytes, so that it does
 * not know them.
 */
#pragma once

#include <stddef.h>

#include "base/settings.h"
#include "fix/fix_id.h"
#include "read/input.h"

/*
 * Decodes a mask that was audited, and returns its ids in rising order, which the caller frees. input: of the audit,
 * which is not changed; path: of the file if its bytes are those of the mask, else NULL. Returns NULL if it cannot be
 * decoded.
 */
struct fix_id *deep_ids_count(const struct input *input, const char *path, const struct limits *limits, size_t *count);
