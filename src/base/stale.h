/* Files and folders that a server replaced after the kernel had looked them up, or the folder above had been opened. */
#pragma once

#include <errno.h>
#include <fcntl.h>

/*
 * openat(2); once more, by `path`, if a server no longer knows the file or dirfd (ESTALE). path: from the current
 * folder; NULL: by dirfd and name again.
 */
static inline int open_or_again(int dirfd, const char *name, const char *path, int flags)
{
	int fd = openat(dirfd, name, flags);

	if (fd < 0 && errno == ESTALE)
		fd = openat(path ? AT_FDCWD : dirfd, path ? path : name, flags);
	return fd;
}
