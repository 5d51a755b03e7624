/*
 * struct entry_folder: what the folders of an entry are called, and so what they say of it (layout/role_names.h). A
 * walk hands out the files of a folder one after the other, and what is the same for all of them is asked once. Owner:
 * one thread.
 */
#ifndef LAYOUT_FOLDER_ROLE_H
#define LAYOUT_FOLDER_ROLE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "find/source.h"
#include "layout/role_names.h"

struct entry_folder {
	enum part part;        /* what the folders of entry_found_as() say */
	enum part walked_part; /* the same with the folder that was walked, which a PATH ends in; not of members */
	const char *suffix;    /* of the last folder of entry_found_as(), as part_folder_suffix gives it */
	size_t suffix_len;
	int labels_beside; /* for classify.c: whether a folder of labels lies beside it; -1: not asked yet */

	/* The folder of the last file, '/' included, so that the next is known to lie in it; len 0: none is kept. */
	size_t len, rel_offset;
	char path[PATH_MAX];
};

void entry_folder_init(struct entry_folder *f);
/*
 * Fills f for the entry. False: the entry lies in the folder of the one before, and all is as it was. Of members all is
 * asked each time; f points into their names then, until it is entered again.
 */
bool entry_folder_enter(struct entry_folder *f, const struct entry *entry);

#endif
