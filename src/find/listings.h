/*
 * struct listings: caches the sorted names of folders from one walk for the next walk of the same tree. The layout
 * detection and the audit read the same folders, and reading and sorting a name costs as much as probing it.
 *
 * A listing is kept if its folder was read whole, at once and without an error. It is used once, if the folder is
 * unchanged: the same device, inode and st_ctim, which no user can set. Both walks must have the same filter. Bounded
 * by LISTINGS_MAX and LISTINGS_BYTES; the first folders are kept. One thread at a time.
 */
#ifndef FIND_LISTINGS_H
#define FIND_LISTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/hash.h"
#include "find/names.h"

enum {
	LISTINGS_MAX = 1024, /* folders */
	/* All names: 50,000 of 20 bytes. Few, so that memory does not grow with the data set. */
	LISTINGS_BYTES = 2 << 20,
	/* Both walks visit the folders in the same order: after this many changed ones in a row, the search ends. */
	LISTINGS_SEARCHED = 16,
};

struct inode_id {
	uint64_t device, inode;
};

static inline bool inode_is(struct inode_id a, struct inode_id b)
{
	return a.inode == b.inode && a.device == b.device;
}

/* For a hash_set. Inodes of one device never have the same hash. */
static inline uint64_t inode_hash(struct inode_id id)
{
	return hash_mix(id.inode ^ hash_mix(id.device ^ hash_seed()));
}

/* A folder as fstat sees it, before it is read. */
struct folder_state {
	struct inode_id id;
	struct timespec changed; /* st_ctim */
};

struct listing {
	struct folder_state folder;
	struct names names; /* owned; empty after listings_taken */
};

struct listings {
	struct listing *v; /* owned */
	size_t count, cap;
	size_t bytes; /* of the names in v */
	size_t next;  /* where the search starts: earlier ones are taken or skipped */
};

void listings_init(struct listings *l);
void listings_release(struct listings *l);
/* Keeps a copy of the sorted names->v[first..], whose bytes begin at bytes[at], if it fits. */
void listings_leave(struct listings *l, const struct folder_state *folder, const struct names *names, size_t first,
		    size_t at);
/* Returns the listing of a folder, valid until listings_taken or the next listings_leave, or NULL. */
struct listing *listings_find(struct listings *l, const struct folder_state *folder);
/* Frees the names of a listing that was found. */
void listings_taken(struct listings *l, struct listing *listing);

#endif
