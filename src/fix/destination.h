/*
 * struct destination: the folder that receives the result. Opening it makes every check that can be made before the
 * first byte is written, and leaves an unfinished receipt with the plan's digest: only the same plan goes on with it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/options.h"
#include "fix/tree.h"

struct destination {
	const char *path; /* borrowed */
	int fd;           /* the folder */
	bool is_new;      /* this run made it */
	bool goes_on;     /* an earlier run of the same plan left it unfinished */
	bool is_finished; /* it holds the finished result of the same plan: there is nothing to do */
};

/*
 * Fails if it is a symbolic link or no folder, holds anything else than a result of this plan, lies in a PATH or a PATH
 * in it, cannot be written or has no room (fix/space.h), or if its file system takes two names of the tree for one.
 * digest: of the plan.
 */
enum status destination_open(struct destination *d, const char *path, const struct tree *tree,
			     const struct options *options, const struct path_list *listed, const uint64_t digest[2],
			     struct error *err);
/*
 * Fails if a file or folder that an option of that name is to write lies in a PATH or a listed path, or one of these in
 * it.
 */
enum status destination_check_apart(const char *option, const char *path, const struct options *options,
				    const struct path_list *listed, struct error *err);
/* Closes it; removes it if nothing was written. */
void destination_close(struct destination *d);
