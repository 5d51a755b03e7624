#include "read/peek.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "read/input.h"

int peek_file(int dirfd, const char *name, uint8_t head[PEEK_BYTES], struct fault *fault)
{
	struct stat st;
	int fd = input_open_regular(dirfd, name, &st, fault);
	ssize_t n;

	if (fd < 0)
		return -1;
	do
		n = read(fd, head, PEEK_BYTES);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		fault_set(fault, FAULT_UNREADABLE, 0, "cannot read: %s", strerror(errno));
	close(fd);
	return (int)n;
}
