#include "base/write_all.h"

#include <errno.h>
#include <unistd.h>

bool write_all(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			errno = done ? errno : EIO; /* 0 of something: no file that takes reports does that */
			return false;
		}
		p += done;
		n -= (size_t)done;
	}
	return true;
}
