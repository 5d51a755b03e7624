/*
 * struct folder_task: opens a folder for the walk, and lists its first names if a reader does it ahead (find/pool.h).
 * Owner: the walk.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "find/dir_handle.h"
#include "find/pool.h"

enum {
	FOLDERS_AHEAD = 256,       /* of one level, and twice as many in all; more would hold memory and descriptors */
	FOLDER_RECORDS = 32 << 10, /* bytes of names that are read ahead: some 1,000 */
};

/* The result. The receiver owns fd and records. */
struct opened_folder {
	int fd;      /* -1: it could not be opened, or not be queried */
	int errnum;  /* why */
	bool opened; /* it could be opened */
	struct stat st;
	char *records; /* of getdents64, the first ones; NULL: none were read */
	size_t len;
	bool ended;     /* these are all */
	int read_errno; /* reading ended with this; or 0 */
};

struct folder_task {
	struct task task;
	struct folder_task *next;  /* of the level */
	struct dir_handle *parent; /* one reference */
	char *name;                /* below it; owned */
	int flags;                 /* of openat, besides the usual ones */
	struct opened_folder found;
};

struct folder_task *folder_begin(struct pool *pool, struct dir_handle *parent, const char *name, size_t len, int flags);
/* Gives the folder out, and frees the task. */
struct opened_folder folder_finish(struct pool *pool, struct folder_task *f);
/* Frees the task and what it has. */
void folder_drop(struct pool *pool, struct folder_task *f);
