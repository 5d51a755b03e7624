/*
 * struct dir_handle: an open directory that a walk, work units and folders listed ahead share, or an archive of which
 * threads read ahead. References are counted, and the last one closes the descriptor. Any thread may take or drop one.
 * `fd` does not change while a reference is held.
 */
#pragma once

#include <stdatomic.h>

struct dir_handle {
	int fd;
	atomic_size_t references;
};

/* Takes over fd. The caller owns the one reference. */
struct dir_handle *dir_handle_new(int fd);
struct dir_handle *dir_handle_get(struct dir_handle *dir);
void dir_handle_put(struct dir_handle *dir); /* NULL is fine */
