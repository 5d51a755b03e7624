/* Classes that were spread evenly over the grey levels 0..255 so that people see them: 0, 64, 128, 191, 255 for five.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns the class of a level, or -1: levels are 255 i / (classes - 1), rounded half up, or cut. */
int64_t grey_level_class(int64_t level, int64_t classes, bool cut);
/* Returns whether it is no chance that n ids between 0 and 255 are on `classes` levels. */
bool grey_levels_are_certain(int64_t classes, unsigned n);
