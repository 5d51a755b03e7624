/* Two states of one open file: whether its content may have changed between them. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/guard.h"

static inline bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/*
 * Returns whether the content is the same. A writer can set the modification time back (cp -p, rsync --times), but not
 * st_ctim; chmod, chown and link change that one, too, and then it proves nothing.
 */
static inline bool file_state_same(const struct stat *before, const struct stat *now)
{
	bool other_inode = before->st_mode != now->st_mode || before->st_uid != now->st_uid ||
			   before->st_gid != now->st_gid || before->st_nlink != now->st_nlink;

	return before->st_size == now->st_size && same_time(before->st_mtim, now->st_mtim) &&
	       !GUARD(time_set_back, !other_inode && !same_time(before->st_ctim, now->st_ctim));
}
