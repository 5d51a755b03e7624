/*
 * struct file_list: reads the paths of --files-from in bounded memory.
 *
 * There is one path per line, or they are separated by NULs. A CR before the LF is dropped; empty lines are skipped.
 * One thread at a time.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The longest path, in bytes. The kernel opens none over 4096 (PATH_MAX); of a longer one the beginning is reported. */
enum { FILE_LIST_PATH_MAX = 65536 };

struct file_list {
	const char *path; /* as typed, borrowed */
	int fd;           /* -1: no list */
	bool nul_separated;
	bool ended;
	bool skipping; /* the rest of a path that was too long comes next */
	uint64_t line; /* of the last path, 1-based */
	uint64_t size; /* of a regular file; else 0 */
	/* of the paths so far: their number, the sum of their keys (base/key_set.h), their bytes. Any thread may read.
	 */
	atomic_uint_fast64_t count, sum, bytes;
	char *buffer; /* owned */
	size_t at, len;
};

struct listed_path {
	char *path; /* NUL-terminated, in the list's buffer: valid until the next call; NULL at the end */
	size_t len;
	bool cut; /* it was longer than FILE_LIST_PATH_MAX: this is its beginning */
};

void file_list_init(struct file_list *list);
void file_list_release(struct file_list *list);
/* path: a file, a FIFO or "-" for standard input. */
enum status file_list_open(struct file_list *list, const char *path, bool nul_separated, struct error *err);
/* Reads the next path. Waits for a pipe; *stop ends that (base/stop.h), as if the list had ended. */
enum status file_list_next(struct file_list *list, const atomic_bool *stop, struct listed_path *out, struct error *err);
