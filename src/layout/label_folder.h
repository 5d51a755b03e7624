/* Finds a folder whose name says that it holds labels, to suggest it to who named none, or named the images. */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"

/* Appends the first one by name in a folder, with a slash at its end. Returns false if there is none. */
bool label_folder_in(const char *folder, struct strbuf *out);
/* The same beside a folder, or beside the one that this lies in: masks/train/ for images/train; never itself. out is
 * empty before. */
bool label_folder_beside(const char *folder, struct strbuf *out);
