/* Finds the existing path that a path which does not exist probably means: masks/ for mask, Masks or mask/. */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"

/* Appends it, a folder with a slash at its end. Returns false if there is none. Only the last name may differ. */
bool near_path(const char *path, struct strbuf *out);
