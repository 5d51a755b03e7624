/*
 * The only table of words: what the names of folders and files say about what they hold. A new public layout may add a
 * word here, and nothing else.
 *
 * A name is split into words at every byte that is not a letter, and before capitals: gtFine_labelIds has gt, fine,
 * label, ids. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* In the order of precedence within one name: the greatest wins. */
enum role {
	ROLE_NONE,
	ROLE_SPLIT, /* train, val: says nothing about what is in it */
	ROLE_IMAGES,
	ROLE_LABELS,
	ROLE_CLUTTER, /* what projects keep: docs, runs, plots */
	ROLE_ASIDE,   /* what accompanies masks: renderings, instance numbers, depth, predictions */
};

/* Says what a name claims to be; files of FILE_NONE are in no row of the table. */
enum file_kind {
	FILE_NONE,    /* sources, settings, logs, notes, checkpoints */
	FILE_PICTURE, /* PNG, BMP, GIF: masks or images */
	FILE_JPEG,
	FILE_PHOTO,     /* Netpbm, WebP: images that are not read */
	FILE_ARRAY,     /* .npy, .npz, .nii, .nrrd, .mha */
	FILE_DOC,       /* any other: its content decides */
	FILE_LABEL_DOC, /* the same, and its own name says labels: y_train.txt */
	FILE_KINDS,
};

static inline bool file_is_document(enum file_kind kind)
{
	return kind >= FILE_DOC;
}

/* The role that the name of a folder says, or a suffix. */
enum role role_of_name(const char *name, size_t n);
/* The same of the innermost folder of a path that has one, n bytes without the file's name; ROLE_NONE: none. */
enum role role_of_path(const char *path, size_t n);
/* Returns whether a name has a word for instance numbers. */
bool name_says_instances(const char *name, size_t n);
/* Returns "labels", "images" ... for people. Static. */
const char *role_name(enum role role);

/*
 * Returns where the suffix of a stem begins: its trailing words that begin with a letter and have at most two digits,
 * 3 for 12_gtFine_color. n: it has none. all: a stem may be nothing else, y_train.
 */
size_t suffix_at(const char *stem, size_t n, bool all);
/* Returns the length of a stem's first word if that has a role: 4 for mask_1; else 0. */
size_t role_prefix_length(const char *stem, size_t n);
/* Writes the stem without its words for labels, images or what is aside, and without signs between. Returns its length.
 */
size_t stem_without_roles(const char *stem, size_t n, char *out, size_t cap);

/* Returns what a file's name claims. */
enum file_kind file_kind_of(const char *name);
/* Returns the length of a name without its extension, and without those of a packing and of an image before it. */
size_t stem_length(const char *name);
/* Returns whether a file belongs to an operating system, an editor or a tool: Thumbs.db, ._1.png, ~$1.csv. */
bool is_clutter_name(const char *name);
