#include "report/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/strbuf.h"
#include "base/write_all.h"
#include "platform/platform.h"

/* The kernel follows as many (path_resolution(7)). */
enum { LINKS_MAX = 40 };

enum { TEMPORARY_NAME_SIZE = sizeof(".labelaudit-0123456789abcdef.tmp") };
enum { FIFO_WAIT_MS = 2000, FIFO_PAUSE_MS = 10 };

/* Names of the temporaries that exist; a signal handler reads it. */
static _Atomic(char *) temporaries[OUTPUT_FILES_MAX];

void output_file_init(struct output_file *f)
{
	memset(f, 0, sizeof(*f));
	f->fd = -1;
	f->slot = -1;
}

static void release(struct output_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	/* out of the table first: a signal handler must not see freed memory */
	if (f->slot >= 0)
		atomic_store(&temporaries[f->slot], NULL);
	free(f->path);
	free(f->target);
	free(f->temporary);
	output_file_init(f);
}

/* Returns N of /dev/fd/N and its other names, else -1. */
static int descriptor_number(const char *path)
{
	static const char *const prefixes[] = { "/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/" };

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t length = strlen(prefixes[i]);
		int number = 0;

		if (strncmp(path, prefixes[i], length) != 0 || !path[length])
			continue;
		for (const char *p = path + length; *p; p++) {
			if (!ascii_isdigit(*p) || number > 100000)
				return -1;
			number = 10 * number + (*p - '0');
		}
		return number;
	}
	return -1;
}

/* Returns what path names after its links, which need not exist; the caller frees it. NULL on failure; err is filled.
 */
static char *follow_links(const char *path, struct error *err)
{
	char *target = xstrdup(path);
	struct stat st;

	for (int i = 0; i < LINKS_MAX; i++) {
		char link[4096]; /* PATH_MAX */

		if (descriptor_number(target) >= 0 || lstat(target, &st) != 0 || !S_ISLNK(st.st_mode))
			return target;
		ssize_t n = readlink(target, link, sizeof(link) - 1);

		if (n < 0) {
			error_set_errno(err, errno, "cannot read the link %s", target);
			free(target);
			return NULL;
		}
		struct strbuf next = STRBUF_INIT;

		link[n] = '\0';
		if (link[0] != '/')
			strbuf_add(&next, target, (size_t)(file_name_of(target) - target));
		strbuf_adds(&next, link);
		free(target);
		target = strbuf_detach(&next);
	}
	free(target);
	error_set_errno(err, ELOOP, "cannot write %s", path);
	return NULL;
}

char *output_file_target(const char *path)
{
	struct error ignored = ERROR_INIT;
	char *target = follow_links(path, &ignored);

	if (target && descriptor_number(target) >= 0) {
		free(target);
		return NULL;
	}
	return target;
}

static int free_slot(void)
{
	for (int i = 0; i < OUTPUT_FILES_MAX; i++)
		if (!atomic_load(&temporaries[i]))
			return i;
	return -1;
}

/* Names are not to be guessed by others who may write to the folder. */
static uint64_t random_number(void)
{
	struct timespec now;
	uint64_t number;

	if (platform_random(&number, sizeof(number)))
		return number;
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)getpid() << 32 ^ (uint64_t)now.tv_nsec;
}

/*
 * Creates the temporary, with the mode of the old file, or the one that open() gives a new file. Its name,
 * <directory>/.labelaudit-<number>.tmp, is hidden, so that no walk audits it, and short, so that it fits even if the
 * target's name is as long as names may be. A name that exists, be it a link, is never taken.
 */
static enum status create_temporary(struct output_file *f, const struct stat *old, struct error *err)
{
	size_t directory = (size_t)(file_name_of(f->target) - f->target);
	char *name = xmalloc(directory + TEMPORARY_NAME_SIZE);
	uint64_t number = random_number();
	sigset_t all, before;
	int errnum = EEXIST;

	f->slot = free_slot();
	if (f->slot < 0) {
		free(name);
		return error_set(err, "cannot write %s: more than %d output files", f->path, OUTPUT_FILES_MAX);
	}
	/* no signal between creating the file and entering it in the table: it would never be removed */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (int attempt = 0; attempt < 100 && f->fd < 0 && errnum == EEXIST; attempt++, number++) {
		snprintf(name, directory + TEMPORARY_NAME_SIZE, "%.*s.labelaudit-%llx.tmp", (int)directory, f->target,
			 (unsigned long long)number);
		f->fd = open(name, O_WRONLY | O_CREAT | PLANTED(name_of_a_temporary, O_EXCL, 0) | O_CLOEXEC | O_NOCTTY,
			     0666);
		errnum = errno;
	}
	if (f->fd >= 0) {
		f->temporary = name;
		atomic_store(&temporaries[f->slot], f->temporary);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (f->fd < 0) {
		free(name);
		return error_set_errno(err, errnum, "cannot write %s", f->path);
	}
	/* a file system without modes refuses, and has none to keep */
	if (old && fchmod(f->fd, old->st_mode & 0777) != 0 && errno != EPERM && errno != ENOTSUP)
		return error_set_errno(err, errno, "cannot write %s", f->path);
	return STATUS_OK;
}

/*
 * Opens a device or a FIFO. A FIFO that nobody reads would block: its reader has FIFO_WAIT_MS to come, since a shell
 * starts both at once. Returns -1 with errno.
 */
static int open_in_place(const char *path, bool fifo)
{
	static const struct timespec pause = { .tv_nsec = FIFO_PAUSE_MS * 1000000L };
	const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
	int fd;

	if (!GUARD(fifo_without_a_reader, fifo))
		return open(path, flags);
	for (int waited = 0; (fd = open(path, flags | O_NONBLOCK)) < 0 && errno == ENXIO; waited += FIFO_PAUSE_MS) {
		if (waited >= FIFO_WAIT_MS || stop_signal())
			return -1;
		nanosleep(&pause, NULL);
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, flags & ~O_CLOEXEC); /* writes shall block */
	return fd;
}

enum status output_file_open(struct output_file *f, const char *path, struct error *err)
{
	enum status status = STATUS_OK;
	struct stat st;
	int number;

	output_file_init(f);
	f->path = xstrdup(path);
	f->target = follow_links(path, err);
	if (!f->target) {
		status = STATUS_FAILED;
		goto out;
	}
	number = descriptor_number(f->target);
	bool exists = number < 0 && stat(f->target, &st) == 0;

	if (number < 0 && (!exists || GUARD(written_in_place, S_ISREG(st.st_mode)))) {
		size_t length = strlen(f->target);

		if (!length || f->target[length - 1] == '/')
			status = error_set_errno(err, length ? EISDIR : ENOENT, "cannot write %s", path);
		else
			status = create_temporary(f, exists ? &st : NULL, err);
		goto out;
	}
	if (number >= 0)
		/* not opened again: a regular file would be written from its beginning */
		f->fd = fcntl(number, F_DUPFD_CLOEXEC, 3);
	else
		f->fd = open_in_place(f->target, S_ISFIFO(st.st_mode));
	free(f->target);
	f->target = NULL;
	if (f->fd < 0)
		status = exists && S_ISFIFO(st.st_mode) && errno == ENXIO
				 ? error_set(err, "cannot write %s: it is a FIFO without a reader", path)
				 : error_set_errno(err, errno, "cannot write %s", path);
out:
	if (status != STATUS_OK)
		output_file_abort(f);
	return status;
}

enum status output_file_write(struct output_file *f, const void *bytes, size_t n, struct error *err)
{
	if (!GUARD(write_error_not_told, !write_all(f->fd, bytes, n)))
		return STATUS_OK;
	f->failed = true;
	return error_set_errno(err, errno, "cannot write %s", f->path);
}

/* Makes the rename survive a power cut. A directory that may be written but not read cannot be synced. */
static enum status sync_directory(const struct output_file *f, struct error *err)
{
	FREED char *directory = path_folder(f->target);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum status status = STATUS_OK;

	if (fd >= 0) {
		/* EINVAL: the file system does not support it */
		if (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP)
			status = error_set_errno(err, errno, "cannot sync the directory of %s", f->path);
		close(fd);
	} else if (errno != EACCES) {
		status = error_set_errno(err, errno, "cannot sync the directory of %s", f->path);
	}
	return status;
}

enum status output_file_commit(struct output_file *f, struct error *err)
{
	enum status status = STATUS_OK;

	if (f->failed) {
		status = error_set(err, "cannot write %s: an earlier write failed", f->path);
		goto out;
	}
	if (GUARD(fsync_not_asked, f->target && fsync(f->fd) != 0 && errno != EINVAL)) {
		status = error_set_errno(err, errno, "cannot write %s", f->path);
		goto out;
	}
	/* NFS and quotas may report errors only now. After EINTR the descriptor is closed all the same (Linux). */
	int closed = close(f->fd);

	f->fd = -1;
	if (GUARD(close_not_asked, closed != 0 && errno != EINTR)) {
		status = error_set_errno(err, errno, "cannot write %s", f->path);
		goto out;
	}
	if (!f->temporary)
		goto out;
	if (GUARD(rename_not_asked, rename(f->temporary, f->target) != 0)) {
		status = error_set_errno(err, errno, "cannot replace %s", f->path);
		goto out;
	}
	atomic_store(&temporaries[f->slot], NULL);
	f->slot = -1;
	free(f->temporary);
	f->temporary = NULL;
	status = sync_directory(f, err);
out:
	output_file_abort(f);
	return status;
}

void output_file_abort(struct output_file *f)
{
	if (GUARD(temporary_left_behind, f->temporary))
		unlink(f->temporary);
	release(f);
}

void output_file_remove_temporary(void)
{
	for (int i = 0; i < OUTPUT_FILES_MAX; i++) {
		const char *name = atomic_load(&temporaries[i]);

		if (name)
			unlink(name);
	}
}
