#include "platform/platform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

const char platform_name[] = "linux";

/* The C library does not document that its struct dirent64 is the same. */
int64_t platform_read_folder(int fd, void *records, size_t n)
{
	return syscall(SYS_getdents64, fd, records, n);
}

int platform_open_folder(int dirfd, const char *path, int flags)
{
	return openat(dirfd, path, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);
}

struct fd_path platform_fd_path(int fd)
{
	struct fd_path path;

	snprintf(path.s, sizeof(path.s), "/proc/self/fd/%d", fd);
	return path;
}

int platform_unnamed_file(int dirfd, const char *folder, int mode)
{
	int fd = openat(dirfd, folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, mode);

	if (fd < 0 && (errno == EISDIR || errno == ENOENT)) /* an old kernel */
		errno = EOPNOTSUPP;
	return fd;
}

bool platform_sync(int fd)
{
	return syncfs(fd) == 0;
}

bool platform_share_blocks(int to, int from)
{
	return ioctl(to, FICLONE, from) == 0;
}

/* Those that compress, or share blocks by themselves, are not listed. */
bool platform_space(int folder, struct platform_space *out)
{
	static const uint64_t plain[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, TMPFS_MAGIC, MSDOS_SUPER_MAGIC,
					  EXFAT_SUPER_MAGIC };
	struct statfs fs;

	if (fstatfs(folder, &fs) != 0)
		return false;
	*out = (struct platform_space){ (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize, fs.f_ffree, fs.f_files != 0 };
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if ((uint64_t)fs.f_type == plain[i])
			return true;
	return false;
}

bool platform_random(void *out, size_t n)
{
	return getrandom(out, n, GRND_NONBLOCK) == (ssize_t)n;
}

/* More processors than fit into cpu_set_t (1,024) make the call fail with EINVAL until the set is large enough. */
unsigned platform_processors(void)
{
	for (size_t processors = CPU_SETSIZE; processors <= CPU_SETSIZE * 64; processors *= 2) {
		cpu_set_t *set = CPU_ALLOC(processors);
		size_t bytes = CPU_ALLOC_SIZE(processors);

		if (!set)
			return 0;
		int rc = sched_getaffinity(0, bytes, set);
		unsigned cores = rc == 0 ? (unsigned)CPU_COUNT_S(bytes, set) : 0;
		bool too_small = rc != 0 && errno == EINVAL;

		CPU_FREE(set);
		if (!too_small)
			return cores;
	}
	return 0;
}

bool platform_program(struct stat *st)
{
	return stat("/proc/self/exe", st) == 0;
}
