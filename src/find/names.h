/*
 * struct names: the sorted names in the directories that the walk is in.
 *
 * One stack serves all levels of a walk, so that one limit bounds the memory of the whole walk: a directory's names are
 * pushed on top of its parent's, and popped after it was walked. A name takes 16 bytes, its own bytes and a NUL.
 *
 * struct listings: caches the sorted names of folders from one walk for the next walk of the same tree. The layout
 * detection and the audit read the same folders, and reading and sorting a name costs as much as probing it.
 *
 * A listing is kept if its folder was read whole, at once and without an error. It is used once, if the folder is
 * unchanged: the same device, inode and st_ctim, which no user can set. Both walks must have the same filter. Bounded
 * by LISTINGS_MAX and LISTINGS_BYTES; the first folders are kept. One thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/hash.h"

enum name_type {
	NAME_UNKNOWN, /* of a type that is not among these */
	NAME_FILE,
	NAME_FOLDER, /* its bytes end in '/': the order of paths is then the order of names */
	NAME_FIFO,
	NAME_SOCKET,
	NAME_CHARACTER_DEVICE,
	NAME_BLOCK_DEVICE,
	NAME_STAT_FAILED,     /* unknown; `extra` is errno */
	NAME_LINK,            /* a symbolic link, before it is followed */
	NAME_LEFT_OUT,        /* `extra` is its enum skip_reason */
	NAME_FOLDER_LEFT_OUT, /* the same of a folder; without a '/' at its end */
};

struct name {
	uint64_t key;  /* while sorting: its first eight bytes */
	uint32_t at;   /* offset in bytes */
	uint16_t len;  /* without the NUL */
	uint8_t type;  /* enum name_type */
	uint8_t extra; /* errno of NAME_STAT_FAILED: on Linux all are below 256 */
};

struct names {
	char *bytes; /* owned */
	size_t len, cap;
	struct name *v; /* owned */
	size_t count, names_cap;
};

void names_release(struct names *n);
/* Adds a name. len < 65535; bytes[len] is NUL. A folder's name gets a '/' at its end. */
void names_add(struct names *n, const char *bytes, size_t len, enum name_type type, int extra);
/* Adds the sorted names from->v[first..count), whose bytes begin at from->bytes[at]. */
void names_append(struct names *n, const struct names *from, size_t first, size_t at);
/* Sorts v[first..count) by bytes, as memcmp does. */
void names_sort(struct names *n, size_t first);
/* Removes v[count..], whose bytes begin at bytes[len]. */
void names_cut(struct names *n, size_t count, size_t len);

static inline const char *names_text(const struct names *n, const struct name *name)
{
	return n->bytes + name->at;
}

/* Returns the bytes of memory that count against the limit. */
static inline size_t names_memory(const struct names *n)
{
	return n->len + n->count * sizeof(*n->v);
}

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

void listings_release(struct listings *l);
/* Keeps a copy of the sorted names->v[first..], whose bytes begin at bytes[at], if it fits. */
void listings_leave(struct listings *l, const struct folder_state *folder, const struct names *names, size_t first,
		    size_t at);
/* Returns the listing of a folder, valid until listings_taken or the next listings_leave, or NULL. */
struct listing *listings_find(struct listings *l, const struct folder_state *folder);
/* Frees the names of a listing that was found. */
void listings_taken(struct listings *l, struct listing *listing);
