/*
 * struct listings: what the folders hold that one walk has read, sorted, for the next walk over the same tree: the
 * census and the audit read the same folders a moment apart, and reading and sorting a name costs as much as looking at
 * it.
 *
 * A listing is kept if its folder was read whole, at once and without an error, and it is given once, to a walk that
 * finds the folder as it was: the same (device, inode), and the same time of change, which nobody can set. Both walks
 * must have the same filter. Bounded by LISTINGS_MAX and LISTINGS_BYTES; the folders that come first count. One thread
 * at a time.
 */
#ifndef FIND_LISTINGS_H
#define FIND_LISTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "find/inode_set.h"
#include "find/names.h"

enum {
	LISTINGS_MAX = 1024, /* folders */
	/* Of names: 50,000 of 20 bytes. Few, so that memory stays flat: what large sets take does not grow with them.
	 */
	LISTINGS_BYTES = 2 << 20,
	/* Both walks come to the folders in the same order; so many that have changed in a row end the search. */
	LISTINGS_PASSED_BY = 16,
};

/* A folder as fstat sees it, before it is read. */
struct folder_state {
	struct inode_id id;
	struct timespec changed; /* st_ctim */
};

struct listing {
	struct folder_state folder;
	struct names names; /* owned; empty once it was taken */
};

struct listings {
	struct listing *v; /* owned */
	size_t count, cap;
	size_t bytes; /* of names left */
	size_t next;  /* those before it are taken, or passed by */
};

void listings_init(struct listings *l);
void listings_release(struct listings *l);
/* Keeps a copy of names->v[first..], sorted, whose bytes begin at bytes[at], if there is room for it. */
void listings_leave(struct listings *l, const struct folder_state *folder, const struct names *names, size_t first,
		    size_t at);
/* The listing of a folder, if there is one; valid until listings_taken or the next listings_leave. */
struct listing *listings_find(struct listings *l, const struct folder_state *folder);
/* Frees the names of a listing that was found. */
void listings_taken(struct listings *l, struct listing *listing);

#endif
