/*
 * struct inode_set: the directories that a walk that follows links has been in, by (device, inode): a hash table of 16
 * bytes an entry, at most half full. One thread.
 */
#ifndef FIND_INODE_SET_H
#define FIND_INODE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inode_id {
	uint64_t device, inode;
};

struct inode_set {
	struct inode_id *slots; /* owned; {0, 0} is a free one */
	size_t count, cap;      /* cap is 0 or a power of two */
	bool has_zero;          /* whether {0, 0} itself is in */
};

void inode_set_init(struct inode_set *set);
void inode_set_release(struct inode_set *set);
/* False if it was there already. */
bool inode_set_add(struct inode_set *set, struct inode_id id);

#endif
