/*
 * struct inode_set: the directories that a walk that follows links has visited, by device and inode. One thread.
 */
#ifndef FIND_INODE_SET_H
#define FIND_INODE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

struct inode_id {
	uint64_t device, inode;
};

/* All zero: empty. */
struct inode_set {
	struct inode_id *v; /* owned */
	size_t count, cap;
	struct table table;
};

void inode_set_release(struct inode_set *set);
/* Returns whether the directory is new. */
bool inode_set_add(struct inode_set *set, struct inode_id id);

#endif
