/*
 * struct file_window: answers small reads of a file that lie near each other from one larger read, as those of a zip's
 * members do. It reads more at once, and asks the kernel ahead, while the reads follow each other and use most of what
 * was read.
 *
 * The caller knows where the next reads will be that lie far from each other. Where storage is late, threads of
 * struct io read there side by side, FILE_WINDOW_LEAST bytes each.
 *
 * All zero but for io and stop, it has no memory yet; it takes FILE_WINDOW_MOST, and at most 1 MiB for reads ahead. One
 * thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "find/io.h"

enum {
	FILE_WINDOW_LEAST = 16 << 10, /* for a read far from the last one: a header and the mask after it */
	FILE_WINDOW_MOST = 256 << 10,
	FILE_WINDOW_READS = 64, /* ahead */
};

struct dir_handle;
struct read_task;

struct file_window {
	struct io *io;           /* NULL: nothing is read ahead; borrowed */
	const atomic_bool *stop; /* ends waits for threads; or NULL */
	uint8_t *bytes;          /* owned */
	uint64_t at;             /* in the file */
	size_t len;
	size_t step;                                /* bytes that were asked for, as many as len or more */
	size_t used;                                /* of them */
	unsigned late;                              /* reads that waited for storage, more than others */
	struct dir_handle *file;                    /* the tasks' descriptor; one reference; NULL: there was no task */
	struct read_task *ahead[FILE_WINDOW_READS]; /* a ring, in the order in which they were expected; owned */
	unsigned first, count;
};

void file_window_release(struct file_window *w);
/* Reads n bytes from byte `at` on, as pread_all() does. */
int64_t file_window_read(struct file_window *w, int fd, void *out, size_t n, uint64_t at);
/* Returns whether storage is late, and another read may be expected. */
bool file_window_expects(const struct file_window *w);
/* Reads from byte `at` on in a thread. Reads come in the order in which they are expected, but for some that do not. */
void file_window_expect(struct file_window *w, int fd, uint64_t at);
