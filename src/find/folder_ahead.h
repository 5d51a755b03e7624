/*
 * struct folder_ahead: a folder that a thread of struct io opens and lists before the walk enters it.
 *
 * The walk owns it from folder_ahead_begin() until folder_ahead_end() or folder_ahead_drop(); what a thread still does
 * for a dropped one ends without it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "find/dir_handle.h"
#include "find/io.h"

enum {
	FOLDERS_AHEAD = 256,       /* of one level; more would hold memory and descriptors that files need */
	FOLDER_RECORDS = 32 << 10, /* bytes of names that are read ahead: some 1,000 */
	FOLDER_LATE_NS = 50000,    /* a folder that takes longer may come from storage: memory takes 10 us */
	FOLDERS_LATE = 2,          /* more late folders than others: then they are listed ahead */
};

/* The result. The receiver owns fd and records. */
struct opened_folder {
	int fd;      /* -1: it could not be opened, or not be queried */
	int errnum;  /* why */
	bool opened; /* it could be opened */
	struct stat st;
	char *records; /* of getdents64, the first ones */
	size_t len;
	bool ended;     /* these are all */
	int read_errno; /* reading ended with this; or 0 */
	bool late;      /* storage was */
};

/* Returns NULL if no thread can do it. name: below parent; flags: of openat, besides the usual ones. */
struct folder_ahead *folder_ahead_begin(struct io *io, struct dir_handle *parent, const char *name, size_t len,
					int flags);
/* Waits for the folder. Returns false if *stop became true first; f is dropped then. */
bool folder_ahead_end(struct folder_ahead *f, const atomic_bool *stop, struct opened_folder *out);
void folder_ahead_drop(struct folder_ahead *f);
