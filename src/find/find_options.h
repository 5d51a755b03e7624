/* struct find_options: which files a source finds, and what it does with archives. It owns nothing. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/settings.h"
#include "find/shard.h"
#include "find/skip_reason.h"

struct entry;
struct member_folders;
struct path_state;
struct pool;

/* Which bytes of the members of archives are read (find/archive.h). */
struct member_options {
	/*
	 * Returns why a member is left out, by its name and its first 4 KiB (or all of it), which are in `member` as in
	 * an entry; may set member->is_wanted, format, looks_like_labels and unread_kind. NULL: all are read.
	 */
	enum skip_reason (*classify)(const void *chooser, struct entry *member);
	const void *chooser;
	/* No more than the first 4 KiB of each; if there is no classify(), no byte of those that can be read again
	 * (entry.in_zip), and all of those in a packed tar. */
	bool heads_only;
	bool names_only; /* no byte of those that classify() wants by their names */
	/* none of those that it does not want by their names, and of what is not packed the place (entry.in_zip) */
	bool in_place;
	struct member_folders *folders; /* receives the folders in archives; or NULL */
};

struct find_options {
	const char *const *paths; /* as typed */
	size_t paths_count;
	const struct path_state *states; /* of each PATH (find/path_state.h); or NULL: they are asked for when needed */
	const char *files_from;          /* NULL, a file or "-" */
	bool nul_separated;              /* -0 */
	const char *const *include;      /* globs; a file must match one of them, if any */
	size_t include_count;
	const char *const *exclude; /* globs; matching files and folders are left out */
	size_t exclude_count;
	const char *const *labels, *const *images; /* globs of what is declared (layout/declared.h) */
	size_t labels_count, images_count;
	bool hidden;          /* visit names that begin with a dot */
	bool follow;          /* follow symbolic links found in folders */
	struct shard shard;   /* only the entries of this part, an archive as a whole; { 0, 0 }: all */
	struct limits limits; /* for archives */
	struct member_options members;
	bool no_archives;          /* do not open archives: they are files like any others */
	bool keep_standard_input;  /* do not read from it, so that another source can: "-" is a plain entry */
	struct progress *progress; /* source_each counts the entries with it, in the main thread; or NULL */
	/* source_each calls it with its `self` before it gives out the entries of a unit; or NULL. */
	void (*drawn)(void *self, const struct entry *entries, size_t count);
	struct pool *pool;       /* lists folders ahead where storage is late; or NULL. Outlives the source */
	const atomic_bool *stop; /* draws end when it becomes true, and source_stop does nothing; NULL: source_stop */
};
