/*
 * struct names: the sorted names in the directories that the walk is in.
 *
 * One stack serves all levels of a walk, so that one limit bounds the memory of the whole walk: a directory's names are
 * pushed on top of its parent's, and popped after it was walked. A name takes 16 bytes, its own bytes and a NUL. One
 * thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
