#include "read/peek.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int peek_file(int dirfd, const char *name, uint8_t head[PEEK_BYTES], struct fault *fault)
{
	struct stat st;
	ssize_t n;
	int fd = openat(dirfd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0) {
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot open: %s", strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) < 0) {
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot stat: %s", strerror(errno));
		goto fail;
	}
	if (!S_ISREG(st.st_mode)) {
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "not a regular file");
		goto fail;
	}
	do
		n = read(fd, head, PEEK_BYTES);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		fault_set(fault, FAULT_UNREADABLE, 0, "cannot read: %s", strerror(errno));
		goto fail;
	}
	close(fd);
	return (int)n;
fail:
	close(fd);
	return -1;
}
