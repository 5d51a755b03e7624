/*
 * struct file_window: answers small reads of a file that lie near each other from one larger read, as those of a zip's
 * members do. It reads more at once, and asks the kernel ahead, while the reads follow each other and use most of what
 * was read.
 *
 * The caller knows where the next reads will be that lie far from each other: readers of the pool read there ahead,
 * FILE_WINDOW_LEAST bytes each.
 *
 * All zero but for the pool, it has no memory yet; it takes FILE_WINDOW_MOST, and 1 MiB for reads ahead. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "find/pool.h"

enum {
	FILE_WINDOW_LEAST = 16 << 10, /* for a read far from the last one: a header and the mask after it */
	FILE_WINDOW_MOST = 256 << 10,
	FILE_WINDOW_READS = 64, /* ahead */
};

struct read_ahead;

struct file_window {
	struct pool *pool; /* borrowed; or NULL */
	uint8_t *bytes;    /* owned */
	uint64_t at;       /* in the file */
	size_t len;
	size_t step;              /* bytes that were asked for, as many as len or more */
	size_t used;              /* of them */
	struct read_ahead *ahead; /* a ring of FILE_WINDOW_READS, in the order in which they were expected; owned */
	unsigned first, count;
};

void file_window_release(struct file_window *w);
/* Reads n bytes from byte `at` on, as pread_all() does. */
int64_t file_window_read(struct file_window *w, int fd, void *out, size_t n, uint64_t at);
/* Returns whether readers are at work, and another read may be expected. */
bool file_window_expects(const struct file_window *w);
/* Reads from byte `at` on ahead. Reads come in the order in which they are expected, but for some that do not. */
void file_window_expect(struct file_window *w, int fd, uint64_t at);
