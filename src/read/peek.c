#include "read/peek.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "read/input.h"

static int read_head(int fd, uint8_t head[PEEK_BYTES], struct fault *fault)
{
	ssize_t n;

	do
		n = read(fd, head, PEEK_BYTES);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		fault_set(fault, FAULT_UNREADABLE, 0, "cannot read: %s", strerror(errno));
	return (int)n;
}

bool peek_open(struct file_peek *peek, int dirfd, const char *name, struct fault *fault)
{
	peek->fd = input_open_regular(dirfd, name, &peek->st, fault);
	if (peek->fd < 0)
		return false;
	int n = read_head(peek->fd, peek->head, fault);

	peek->n = n < 0 ? 0 : (size_t)n;
	if (n < 0)
		peek_close(peek);
	return n >= 0;
}

void peek_close(struct file_peek *peek)
{
	if (peek->fd >= 0)
		close(peek->fd);
	peek->fd = -1;
}

int peek_file(int dirfd, const char *name, uint8_t head[PEEK_BYTES], struct fault *fault)
{
	struct stat st;
	int fd = input_open_regular(dirfd, name, &st, fault), n;

	if (fd < 0)
		return -1;
	n = read_head(fd, head, fault);
	close(fd);
	return n;
}
