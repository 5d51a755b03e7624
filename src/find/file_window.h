/*
 * struct file_window: answers small reads of a file that lie near each other from one larger read, as those of a zip's
 * members do. It reads more at once, and asks the kernel ahead, while the reads follow each other and use most of what
 * was read.
 *
 * All zero, it has no memory yet; it takes FILE_WINDOW_MOST. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FILE_WINDOW_LEAST = 16 << 10, /* for a read far from the last one: a header and the mask after it */
	FILE_WINDOW_MOST = 256 << 10,
};

struct file_window {
	uint8_t *bytes; /* owned */
	uint64_t at;    /* in the file */
	size_t len;
	size_t step; /* bytes that were asked for, as many as len or more */
	size_t used; /* of them */
};

void file_window_release(struct file_window *w);
/* Reads n bytes from byte `at` on, as pread_all() does. */
int64_t file_window_read(struct file_window *w, int fd, void *out, size_t n, uint64_t at);
