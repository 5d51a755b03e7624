#include "base/write_all.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/guard.h"

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

enum status write_stdout(const struct strbuf *text, int *signal_number, struct error *err)
{
	if (write_all(STDOUT_FILENO, text->s, text->len))
		return STATUS_OK;
	if (errno != EPIPE)
		return error_set_errno(err, errno, "cannot write to standard output");
	*signal_number = SIGPIPE;
	return STATUS_FAILED;
}
