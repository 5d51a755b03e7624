/*
 * struct near_names: the names in one folder, to find which one is meant by an image that is missing: the same but for
 * case, the extension, or the Unicode form of its letters (macOS writes an accent as a character of its own). Bounded.
 * One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "base/table.h"

/* All zero: of no folder. */
struct near_names {
	char *folder;        /* owned; NULL: none was asked about */
	struct strbuf names; /* NUL-terminated each */
	size_t *at;          /* of each name in them; owned */
	size_t count, cap;
	struct table table; /* of these */
};

void near_names_release(struct near_names *n);
/*
 * Returns the name in a folder that is like `name`, whose stem has n bytes, the first one in byte order; NULL: there is
 * none, or the folder cannot be read. Valid until the next call. Lists the folder if it is another than that of the
 * last call.
 */
const char *near_names_find(struct near_names *names, const char *folder, const char *name, size_t n);
