#include "platform/platform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

const char platform_name[] = "posix";

/* Where to go on after a name: its own field on macOS, where telldir() counts for one stream alone. */
static long place_after(DIR *dir, const struct dirent *e)
{
#ifdef __APPLE__
	(void)dir;
	return (long)e->d_seekoff;
#else
	(void)e;
	return telldir(dir);
#endif
}

/* The stream reads ahead; so the offset that it shares with fd is set after the last name that was taken. */
int64_t platform_read_folder(int fd, void *records, size_t n)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *e;
	size_t used = 0;
	long place = -1;

	if (!dir) {
		int why = errno;

		if (copy >= 0)
			close(copy);
		errno = why;
		return -1;
	}
	while (used + FOLDER_RECORD_MAX <= n && (errno = 0, e = readdir(dir))) {
		struct folder_record *r = (void *)((char *)records + used);
		size_t len = strlen(e->d_name);

		r->inode = e->d_ino;
		r->offset = place = place_after(dir, e);
		r->length = (unsigned short)((offsetof(struct folder_record, name) + len + 1 + 7) / 8 * 8);
		r->type = e->d_type;
		memcpy(r->name, e->d_name, len + 1);
		used += r->length;
	}
	int why = errno;

	closedir(dir);
	if (place >= 0)
		lseek(fd, place, SEEK_SET);
	errno = why;
	return used || !why ? (int64_t)used : -1;
}

int platform_open_folder(int dirfd, const char *path, int flags)
{
	return openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
}

int platform_unnamed_file(int dirfd, const char *folder, int mode)
{
	(void)dirfd;
	(void)folder;
	(void)mode;
	errno = EOPNOTSUPP;
	return -1;
}

struct fd_path platform_fd_path(int fd)
{
	struct fd_path path;

	snprintf(path.s, sizeof(path.s), "/dev/fd/%d", fd);
	return path;
}

bool platform_sync(int fd)
{
	sync();
	return fsync(fd) == 0;
}

bool platform_share_blocks(int to, int from)
{
	(void)to;
	(void)from;
	errno = EOPNOTSUPP;
	return false;
}

/* statvfs() does not say whether the file system compresses: then what fits would be refused. */
bool platform_space(int folder, struct platform_space *out)
{
	(void)folder;
	*out = (struct platform_space){ 0 };
	return false;
}

bool platform_random(void *out, size_t n)
{
	return getentropy(out, n) == 0;
}

unsigned platform_processors(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	return processors > 0 ? (unsigned)processors : 0;
}

bool platform_program(struct stat *st)
{
	(void)st;
	return false;
}
