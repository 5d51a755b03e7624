/*
 * struct folder_role: the role of an entry by the names of its folders (layout/role_names.h).
 *
 * A walk gives the files of a folder one after the other, so the answers are kept until the folder changes. Owner: one
 * thread.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "find/source.h"
#include "layout/role_names.h"

enum { PNG_PATTERNS_MAX = 8, PNG_NUMBERS_BITS = 1 << 16 };

struct folder_role {
	enum role role;        /* of the folders of entry_inner_path() */
	enum role walked_role; /* the same with the folder that was walked, the last one of the PATH; not for members */
	const char *suffix;    /* of the last folder, as role_folder_suffix() finds it */
	size_t suffix_len;
	int content;       /* classify.c: enum folder_content; -1: not known yet */
	int labels_beside; /* classify.c: whether a folder of labels lies beside this one; -1: not known yet */
	/* classify.c: hashes of the names of its PNGs without their numbers, the smallest ones; -1: not known yet */
	int png_patterns;
	uint64_t png_pattern[PNG_PATTERNS_MAX];
	/* the same: a Bloom filter of the numbers in their names; 5,000 fill 7 % of it */
	uint64_t png_numbers[PNG_NUMBERS_BITS / 64];

	/* The folder of the last file, '/' included; len is 0 if none is kept. */
	size_t len, rel_offset;
	char path[PATH_MAX];
};

void folder_role_init(struct folder_role *f);
/*
 * Fills f for the entry. Returns false if the entry lies in the same folder as the one before, so that nothing changes.
 * Members are always looked up; f then points into the member's name until the next call.
 */
bool folder_role_enter(struct folder_role *f, const struct entry *entry);

/* Returns whether a BMP or a GIF lies where masks may, if nothing else is one: no folder is for images, but one above.
 */
bool is_flat_place(const struct entry *entry, const struct folder_role *folder);
/* Returns whether an image of any format lies where masks do, or is named as one. `flat`: all but those in images/ are.
 */
bool is_mask_place(const struct entry *entry, const struct folder_role *folder, bool flat);
/* Returns whether the names of folders, or the end of its own, call a file a mask: masks/1.png, 1_mask.png. */
bool has_label_name(const struct entry *entry, const struct folder_role *folder);
/* Hashes the path of the folder that holds the first folder of an entry's path that is called as masks' are; or 0. */
uint64_t hash_above_labels(const struct entry *entry);
/* Hashes the path of the folder that an entry is in, in the same way. */
uint64_t hash_folder_of(const struct entry *entry);
