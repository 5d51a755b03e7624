/*
 * The first bytes of a file, to decide what it is before the rest is read. A file that turns out to be wanted need not
 * be opened again: input_open_peeked() (read/input.h) takes over its descriptor.
 */
#ifndef READ_PEEK_H
#define READ_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/fault.h"

/*
 * Enough for every signature (that of tar is at 257), for some lines of a text, and for the first keys of a JSON file;
 * no more time than fewer, since the kernel reads whole pages.
 */
enum { PEEK_BYTES = 4096 };

/* An open file and its first bytes. Owner: one thread. */
struct file_peek {
	int fd; /* owned, at byte n; -1: none is open, and the rest is not valid */
	struct stat st;
	size_t n;
	uint8_t head[PEEK_BYTES];
};

/*
 * Opens name below dirfd and reads up to PEEK_BYTES; a FIFO or a device is opened without blocking and not read.
 * Returns false if that fails; then *fault is set (FAULT_UNREADABLE), and nothing is open.
 */
bool peek_open(struct file_peek *peek, int dirfd, const char *name, struct fault *fault);
void peek_close(struct file_peek *peek);

/* Does both, for the bytes alone. Returns how many there are, or -1 with *fault set. */
int peek_file(int dirfd, const char *name, uint8_t head[PEEK_BYTES], struct fault *fault);

#endif
