/*
 * struct dir_handle: an open directory that the walk and any number of units point at.
 *
 * Counted references; the last one closes the descriptor. Any thread may take or drop one: workers drop theirs without
 * the source's lock. `fd` never changes while a reference is held.
 */
#ifndef FIND_DIR_HANDLE_H
#define FIND_DIR_HANDLE_H

#include <stdatomic.h>
#include <stddef.h>

struct dir_handle {
	int fd;
	atomic_size_t references;
};

/* Takes over fd; one reference, the caller's. */
struct dir_handle *dir_handle_new(int fd);
struct dir_handle *dir_handle_get(struct dir_handle *dir);
/* NULL is fine. */
void dir_handle_put(struct dir_handle *dir);

#endif
