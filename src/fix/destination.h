/*
 * struct destination: the folder that receives the result, new or empty. Opening it makes every check that can be made
 * before the first byte is written. A run that was killed leaves no receipt in it, and the next one needs another
 * folder: nothing that is there is trusted, or removed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "fix/tree.h"

struct destination {
	const char *path; /* borrowed */
	int fd;           /* the folder */
	bool is_new;      /* this run made it */
};

/*
 * Fails if it is a symbolic link or no folder, is not empty, lies in a path or a path in it, cannot be written or has
 * no room (fix/space.h).
 */
enum status destination_open(struct destination *d, const char *path, const struct tree *tree,
			     const struct string_list *paths, struct error *err);
/* Closes it; removes it if nothing was written. */
void destination_close(struct destination *d);
