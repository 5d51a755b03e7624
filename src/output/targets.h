/*
 * struct targets: the files that -o names, so that no report replaces an input of the audit or another report.
 *
 * A target is known by its resolved path, since it may not exist yet, and by device and inode if it does. Devices and
 * open descriptors (/dev/stdout, /dev/fd/N) are no targets: several reports may go there. Resolved once by the main
 * thread, read-only afterwards, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cli/options.h"
#include "find/path_state.h"

struct target {
	const char *path; /* as typed; the options' */
	char *real;       /* absolute, without links; NULL if its folder does not exist; owned */
	bool exists;
	struct stat st; /* if it exists */
};

struct targets {
	struct target *v; /* owned */
	size_t count;
};

/* Fails if two -o name one file; release the targets then, too. */
enum status targets_resolve(struct targets *t, const struct options *options, struct error *err);
void targets_release(struct targets *t);

/* Returns the target that is that open file, or NULL. */
const struct target *targets_find(const struct targets *t, const struct stat *st);

/*
 * Fails if a target is a PATH, a file that another option reads (--files-from, --classes, --config, --baseline), or the
 * one that --write-baseline writes. states: of the PATHs.
 */
enum status targets_check_inputs(const struct targets *t, const struct options *options,
				 const struct path_state *states, struct error *err);
