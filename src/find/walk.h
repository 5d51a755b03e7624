/*
 * struct walk: gives the files below one folder in the byte order of their paths.
 *
 * The walk is depth first. It reads the names in a folder, all of them or a chunk at a time, and sorts them; a folder's
 * name is compared as if it ended in '/', so that files come in the order of their whole paths. Everything is opened
 * relative to an open directory, so a path may have any length.
 *
 * FIND_CHUNK and FIND_MEMORY bound the memory, and WALK_DEPTH_MAX the descriptors: one for each level. One thread at a
 * time.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "find/dir_handle.h"
#include "find/folder.h"
#include "find/link.h"
#include "find/names.h"
#include "find/skip_reason.h"
#include "find/walk_filter.h"

enum {
	WALK_DEPTH_MAX = 64, /* levels of folders: no data set has more, and a loop of links might */
	/* Names. A larger folder is read and sorted in chunks of about this size: 36 MiB if names have 20 bytes. */
	FIND_CHUNK = 1 << 20,
	/*
	 * Bytes. Once the names in all open folders take this much, a chunk is one small read. A third of the 256 MiB
	 * that the program may take, since names take twice as much while they grow and are sorted.
	 */
	FIND_MEMORY = 80 << 20,
};

/* The folder that the walk is in, or one above it. */
struct walk_level {
	struct dir_handle *dir;
	struct inode_id folder;
	size_t path_len;    /* of the folder's path in walk.path, '/' included */
	size_t first, next; /* its names: names.v[first..], next is the next to give */
	size_t bytes_first; /* where their bytes begin */
	bool more;          /* its end was not read yet */
	int read_errno;     /* reading failed with this, not reported yet */
	/* Its folders that were begun: those in names.v[next..ahead_next), the next one first; dropped with the level.
	 */
	struct folder_task *ahead, *ahead_last;
	unsigned ahead_count;
	size_t ahead_next;
	struct opened_folder listed; /* of the level itself, if `records` is not NULL; then they come first */
};

struct walk {
	struct walk_filter *filter;
	size_t chunk_names, chunk_memory; /* FIND_CHUNK, FIND_MEMORY; smaller in tests */
	struct walk_level *levels;
	size_t depth, levels_cap; /* 0: nothing to walk */
	struct names names;
	struct strbuf path;       /* of the deepest level, ends in '/' */
	struct link_roots *roots; /* the PATHs; the source's */
	struct link_end link_end; /* of the last link */
	struct hash_set visited;  /* with follow: inode_hash of folders */
	char *buffer;             /* for getdents64; owned */
	struct pool *pool;        /* lists folders ahead; or NULL */
	size_t folders_ahead;     /* in all levels */
	/* Ends the walk (base/stop.h), even among folders without files; or NULL. */
	const atomic_bool *stop;
};

/* A file, or something that could not be read. Its path is folder and name together. Valid until the next call. */
struct walk_item {
	const char *folder;
	size_t folder_len;
	const char *name; /* not NUL-terminated if it failed */
	size_t name_len;
	struct dir_handle *dir; /* NULL if it failed */
	bool failed;
	/* Left out: it may be a folder, too. */
	enum skip_reason skip_reason;
	bool looks_like_labels;
	const struct link_end *link_target; /* what the walk gives under its own path as well; or NULL */
	struct fault fault;                 /* only if failed; the last member */
};

void walk_init(struct walk *w, struct walk_filter *filter, struct link_roots *roots);
void walk_release(struct walk *w);
/* Starts at a folder, as typed, after the last walk ended. Returns 0, or errno (ENOTDIR: it is no folder). */
int walk_start(struct walk *w, const char *root);
/* Returns false at the end. */
bool walk_next(struct walk *w, struct walk_item *out);
