/*
 * A read-only view of a folder whose answers are late, and wrong if that is wanted, as those of a network file system
 * are. For bench/storage and tests/property/storage.sh; needs libfuse 3.
 *
 * usage: slowfs FOLDER MOUNTPOINT      it stays in the foreground; fusermount3 -u MOUNTPOINT ends it
 *
 *   SLOWFS_US      microseconds that each lookup, open, read and listing of a folder waits (1000)
 *   SLOWFS_HANG    part of a path: to open such a file, or to list such a folder, never ends, until the process is
 *                  killed, as on a hard NFS mount
 *   SLOWFS_HANG_LOOKUP    the same: to ask what it is, and so to open it
 *   SLOWFS_HANG_AGAIN     the same: to open it a second time
 *   SLOWFS_EIO     the same: to read such a file beyond its first 4 KiB fails with EIO
 *   SLOWFS_STALE   the same: ESTALE the first two times that such a file is opened; the kernel itself tries twice
 *   SLOWFS_SHORT   the same: a read gives at most 1000 bytes
 *   SLOWFS_GROW    the same: the file has a byte more with each read of such files
 *   SLOWFS_SHRINK  the same: it has one less
 *
 * Any number of requests wait side by side, lookups in one folder included, as on network file systems, and nothing is
 * kept in caches. It prints to standard error each path that hangs, once somebody waits for it; and at its end how many
 * requests there were, and the most that waited at a time.
 */
#define FUSE_USE_VERSION 312
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { SHORT_READ = 1000, GOOD_BYTES = 4096 };

static char root[PATH_MAX];
static long delay_us = 1000;
static atomic_long lookups, opens, reads, listings, waiting, most_waiting, changes;
static atomic_int stale[1 << 16], opened[1 << 16]; /* times, by the hash of a path */

/*
 * libfuse calls it, and until version 3.16.2 does not pass on to the kernel that lookups in one folder may run side by
 * side: the kernel would let one after the other through.
 */
ssize_t writev(int fd, const struct iovec *parts, int n)
{
	if (n == 2 && parts[1].iov_len == sizeof(struct fuse_init_out)) {
		struct fuse_init_out *answer = parts[1].iov_base;

		if (answer->major == FUSE_KERNEL_VERSION && answer->max_write)
			answer->flags |= FUSE_PARALLEL_DIROPS;
	}
	return syscall(SYS_writev, fd, parts, n);
}

/* Returns whether the variable is set, and part of the path. */
static bool concerns(const char *variable, const char *path)
{
	const char *part = getenv(variable);

	return part && strstr(path, part);
}

static unsigned hash_path(const char *path)
{
	unsigned hash = 2166136261U;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 16777619U;
	return (hash ^ hash >> 16) % (1 << 16);
}

static void be_late(atomic_long *requests)
{
	const struct timespec t = { delay_us / 1000000, delay_us % 1000000 * 1000 };
	long now = atomic_fetch_add(&waiting, 1) + 1, most = atomic_load(&most_waiting);

	atomic_fetch_add(requests, 1);
	while (now > most && !atomic_compare_exchange_weak(&most_waiting, &most, now))
		;
	if (delay_us)
		nanosleep(&t, NULL);
	atomic_fetch_sub(&waiting, 1);
}

static const char *below_root(const char *path, char out[2 * PATH_MAX])
{
	snprintf(out, (size_t)2 * PATH_MAX, "%s%s", root, path);
	return out;
}

/* A file may have another size each time that some of it was read. */
static void change_size(const char *path, struct stat *st)
{
	if (concerns("SLOWFS_GROW", path))
		st->st_size += changes;
	if (concerns("SLOWFS_SHRINK", path))
		st->st_size -= changes;
}

/* Returns whether the thread that waits for the answer is to die. One with a signal handler is not. */
static bool is_killed(pid_t thread)
{
	unsigned long long pending = 0;
	char line[256];

	snprintf(line, sizeof(line), "/proc/%d/status", (int)thread);
	FILE *status = fopen(line, "re");

	if (!status)
		return true;
	while (fgets(line, sizeof(line), status) && sscanf(line, "SigPnd: %llx", &pending) != 1)
		;
	fclose(status);
	return pending >> (SIGKILL - 1) & 1;
}

/* Waits for ever, if that is wanted. Returns false once the process is killed: it does not end before the answer. */
static bool answers(const char *hang, const char *path)
{
	const struct timespec moment = { 0, 50000000 };

	if (concerns(hang, path))
		fprintf(stderr, "slowfs: %s hangs\n", path);
	while (concerns(hang, path)) {
		if (fuse_interrupted() && is_killed(fuse_get_context()->pid))
			return false;
		nanosleep(&moment, NULL);
	}
	return true;
}

static int get_attributes(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	char name[2 * PATH_MAX];

	(void)fi;
	be_late(&lookups);
	if (!answers("SLOWFS_HANG_LOOKUP", path))
		return -EINTR;
	if (lstat(below_root(path, name), st) < 0)
		return -errno;
	change_size(path, st);
	return 0;
}

static int read_link(const char *path, char *out, size_t n)
{
	char name[2 * PATH_MAX];
	ssize_t got = readlink(below_root(path, name), out, n - 1);

	if (got < 0)
		return -errno;
	out[got] = '\0';
	return 0;
}

static int open_file(const char *path, struct fuse_file_info *fi)
{
	char name[2 * PATH_MAX];

	be_late(&opens);
	if (!answers("SLOWFS_HANG", path) ||
	    (atomic_fetch_add(&opened[hash_path(path)], 1) && !answers("SLOWFS_HANG_AGAIN", path)))
		return -EINTR;
	if (concerns("SLOWFS_STALE", path) && atomic_fetch_add(&stale[hash_path(path)], 1) < 2)
		return -ESTALE;
	int fd = open(below_root(path, name), O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	fi->fh = (uint64_t)fd;
	/* without its cache the kernel passes on short reads as they are, and sizes that are wrong */
	fi->direct_io =
		concerns("SLOWFS_SHORT", path) || concerns("SLOWFS_GROW", path) || concerns("SLOWFS_SHRINK", path);
	return 0;
}

static int read_file(const char *path, char *out, size_t n, off_t at, struct fuse_file_info *fi)
{
	be_late(&reads);
	if (concerns("SLOWFS_GROW", path) || concerns("SLOWFS_SHRINK", path))
		changes++;
	if (concerns("SLOWFS_EIO", path) && at + (off_t)n > GOOD_BYTES)
		return -EIO;
	if (concerns("SLOWFS_SHORT", path) && n > SHORT_READ)
		n = SHORT_READ;
	ssize_t got = pread((int)fi->fh, out, n, at);

	return got < 0 ? -errno : (int)got;
}

static int close_file(const char *path, struct fuse_file_info *fi)
{
	(void)path;
	return close((int)fi->fh) < 0 ? -errno : 0;
}

static int list_folder(const char *path, void *out, fuse_fill_dir_t fill, off_t at, struct fuse_file_info *fi,
		       enum fuse_readdir_flags flags)
{
	char name[2 * PATH_MAX];
	struct dirent *entry;

	(void)at, (void)fi, (void)flags;
	be_late(&listings);
	if (!answers("SLOWFS_HANG", path))
		return -EINTR;
	DIR *dir = opendir(below_root(path, name));

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		struct stat st = { .st_ino = entry->d_ino, .st_mode = (mode_t)entry->d_type << 12 };

		if (fill(out, entry->d_name, &st, 0, 0))
			break;
	}
	closedir(dir);
	return 0;
}

static void *begin(struct fuse_conn_info *connection, struct fuse_config *config)
{
	connection->max_background = 4096;
	connection->congestion_threshold = 4096;
	config->attr_timeout = config->entry_timeout = config->negative_timeout = 0;
	config->kernel_cache = config->auto_cache = 0;
	config->intr = 1; /* for fuse_interrupted() */
	config->intr_signal = SIGUSR1;
	return NULL;
}

static void end(void *unused)
{
	(void)unused;
	fprintf(stderr, "slowfs: %ld lookups, %ld opens, %ld reads, %ld listings; at most %ld at a time\n", lookups,
		opens, reads, listings, most_waiting);
}

static void interrupted(int number)
{
	(void)number; /* ends a sleep */
}

int main(int argc, char **argv)
{
	static const struct fuse_operations operations = {
		.getattr = get_attributes,
		.readlink = read_link,
		.open = open_file,
		.read = read_file,
		.release = close_file,
		.readdir = list_folder,
		.init = begin,
		.destroy = end,
	};
	const char *us = getenv("SLOWFS_US");
	char settings[] = "max_threads=1024,max_idle_threads=1024,ro", foreground[] = "-f", option[] = "-o";

	if (argc != 3 || !realpath(argv[1], root)) {
		fprintf(stderr, "usage: slowfs FOLDER MOUNTPOINT\n");
		return 2;
	}
	if (us)
		delay_us = atol(us);
	signal(SIGUSR1, interrupted);
	char *arguments[] = { argv[0], foreground, option, settings, argv[2], NULL };

	return fuse_main(5, arguments, &operations, NULL);
}
