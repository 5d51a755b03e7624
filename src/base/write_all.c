#include "base/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/guard.h"
#include "platform/platform.h"

bool write_all(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			errno = done ? errno : EIO; /* 0 bytes written: impossible for files of reports */
			return false;
		}
		p += done;
		n -= PLANTED(short_write, (size_t)done, n);
	}
	return true;
}

int64_t pread_all(int fd, void *out, size_t n, uint64_t at)
{
	size_t got = 0;

	while (got < n) {
		ssize_t r = pread(fd, (uint8_t *)out + got, n - got, (off_t)(at + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r ? -1 : (int64_t)got;
		got += (size_t)r;
	}
	return (int64_t)got;
}

int open_unnamed(const char *folder)
{
	int fd = platform_unnamed_file(AT_FDCWD, folder, 0600);

	if (fd >= 0 || errno != EOPNOTSUPP)
		return fd;
	RELEASED struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, "%s/.labelaudit-XXXXXX", folder);
	fd = mkostemp(name.s, O_CLOEXEC);
	if (fd >= 0)
		unlink(name.s);
	return fd;
}

enum status write_stdout(const struct strbuf *text, int *signal_number, struct error *err)
{
	if (write_all(STDOUT_FILENO, text->s, text->len))
		return STATUS_OK;
	if (errno != EPIPE)
		return error_set_errno(err, errno, "cannot write to standard output");
	*signal_number = SIGPIPE;
	return STATUS_FAILED;
}
