/*
 * How a source fills a unit. Between the first unit_add_* and unit_end, the entries' pointers are not valid.
 *
 * A unit keeps open the folders of its files, so their number is bounded: UNIT_FOLDERS a unit, and for all units and
 * the walk together a half of RLIMIT_NOFILE (one a unit more where paths are too long for the kernel). Files of further
 * folders are opened by their whole path, or wait for the next unit if that is too long.
 */
#ifndef FIND_UNIT_FILL_H
#define FIND_UNIT_FILL_H

#include <stdbool.h>
#include <stddef.h>

#include "find/source.h"
#include "find/walk.h"

enum {
	UNIT_FOLDERS = 16,   /* more would be folders of one or two files, where the descriptor saves nothing */
	UNIT_TEXT = 4 << 20, /* bytes of paths: 12,000 of 350 bytes; longer ones make smaller units */
};

/* How many folders a walk may keep open, so that units have their share. */
size_t folders_of_a_walk(void);

/* An entry of this path, to be opened as it is. Valid until the next is added. */
struct entry *unit_add_path(struct unit *u, const char *path, size_t len);
/* NULL: the unit takes no more, and is not empty. */
struct entry *unit_add_item(struct unit *u, const struct walk_item *item);
void unit_end(struct unit *u);

#endif
