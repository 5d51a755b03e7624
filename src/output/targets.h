/*
 * struct targets: the files that a run writes: those of -o, --write-baseline and --plan, and the step summary. No such
 * file replaces an input of the run, or another one.
 *
 * A target is known by its resolved path, since it may not exist yet, and by device and inode if it does. Devices and
 * open descriptors (/dev/stdout, /dev/fd/N) are no targets: several reports may go there. Resolved once by the main
 * thread, read-only afterwards, any thread.
 *
 * A file that a run reads because an option or a PATH names it is never replaced. For the files that lie below a PATH
 * or
 * --images, or that a list or a link leads to, only reports of our own are (read/own_report.h), whether the audit reads
 * the others or leaves them out: they are somebody's data.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cli/options.h"
#include "find/path_state.h"

struct target {
	const char *option; /* --output */
	const char *path;   /* as typed; the options' */
	char *real;         /* absolute, without links; NULL if its folder does not exist; owned */
	bool exists;
	bool is_foreign; /* it exists, holds something, and is no report of our own */
	struct stat st;  /* if it exists */
};

struct targets {
	struct target *v; /* owned */
	size_t count;
	bool foreign; /* of some target */
};

/* Fails if two of them are one file; release the targets then, too. */
enum status targets_resolve(struct targets *t, const struct options *options, struct error *err);
void targets_release(struct targets *t);

/*
 * Fails if a target is a PATH, a word of the command (merge, render, diff) or a file that an option reads, or is
 * foreign and lies below a PATH that is a folder, or below --images. states: of the PATHs; NULL: there are none.
 */
enum status targets_check_inputs(const struct targets *t, const struct options *options,
				 const struct path_state *states, struct error *err);
/* Does all of this for a command that audits nothing. */
enum status targets_check(const struct options *options, struct error *err);
/* Fails if a foreign target is the file of that name and of that path. Asked of all that a walk meets. Any thread. */
enum status targets_check_met(const struct targets *t, int dirfd, const char *name, const char *path,
			      struct error *err);
