/*
 * struct output_file: a report that is being written to a file. Readers see the old file or the new one, never a part.
 *
 * A regular or new file is written to a temporary in the same directory, fsynced, renamed over the target, and the
 * directory fsynced. A symbolic link is kept and its target replaced. A device or a FIFO is written directly, since a
 * rename would replace it; so is an open descriptor (/dev/stdout, /dev/fd/N), whatever it is connected to.
 *
 * Temporaries are kept in one table, so that a signal handler can remove them. Owner: the caller; open, commit and
 * abort from the main thread, write from one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Temporaries at one time: more than there are formats. */
enum { OUTPUT_FILES_MAX = 32 };

struct output_file {
	int fd;          /* -1: not open */
	char *path;      /* as given, for messages; owned */
	char *target;    /* what is replaced: path, or where its link leads; NULL if written directly; owned */
	char *temporary; /* the name of the temporary; NULL if written directly; owned */
	int slot;        /* in the table of temporaries */
	bool failed;     /* a write failed: commit must not replace the target */
};

/*
 * Returns the file that writing to path would replace: path, or where its link leads; it need not exist. Returns NULL
 * if it is an open descriptor, or its links cannot be followed. The caller frees it.
 */
char *output_file_target(const char *path);

void output_file_init(struct output_file *f);
/* On failure, f is in the state of output_file_init. */
enum status output_file_open(struct output_file *f, const char *path, struct error *err);
enum status output_file_write(struct output_file *f, const void *bytes, size_t n, struct error *err);
/* Replaces the target. On failure the target is untouched and the temporary removed. Closes f either way. */
enum status output_file_commit(struct output_file *f, struct error *err);
/* Closes and removes the temporary; has no effect after a commit. */
void output_file_abort(struct output_file *f);

/* Removes all temporaries. Async-signal-safe; the process must end afterwards. */
void output_file_remove_temporary(void);
