/* Looks at files that the audit left out: may they hold ids, which they would keep beside masks that change? */
#pragma once

#include <stdbool.h>

#include "find/skip_reason.h"
#include "read/input.h"

/* Returns whether files of that name, left out for that reason, are looked at. */
bool unaudited_is_suspect(const char *name, enum skip_reason reason);
/*
 * Returns whether the open file is an image of one channel (PNG, BMP, GIF, TIFF), or an array of two axes or more whose
 * first elements may be ids.
 */
bool unaudited_may_hold_ids(const char *name, struct input *in);
