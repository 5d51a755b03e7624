/*
 * struct class_folders: the class folders of an ImageFolder, a data set whose labels are the names of its folders.
 *
 * As torchvision.datasets.ImageFolder reads it (find_classes, make_dataset): the folders directly below a root, hidden
 * ones and links to folders included, sorted by name, are the classes 0, 1, 2 ...; an image anywhere below one of them
 * is of that class. Python sorts by code point, which is the order of the bytes of UTF-8.
 *
 * A PATH is one root; if its folders are splits (find/split.h: train, val ...), each of them is a root. Where the user
 * has not said that the data set is an ImageFolder, the roots may lie deeper than the PATH, and a split may have no
 * classes (see class_folders_open). An archive, typed or found, is treated like a PATH: the root of cat/1.jpg in
 * set.zip is "set.zip/". The folders are listed before the walk; read-only afterwards, any thread. Memory is bounded by
 * the constants of find/member_folders.h.
 */
#ifndef LAYOUT_CLASS_FOLDERS_H
#define LAYOUT_CLASS_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "find/member_folders.h"

struct class_root {
	char *path; /* as the paths of its entries begin (of members: archive/name); ends in '/'; owned */
	size_t path_len;
	char **names; /* sorted; owned */
	size_t count, cap;
	bool images; /* some images lie directly in it */
};

struct class_folders {
	struct class_root roots[CLASS_ROOTS_MAX];
	size_t count;        /* roots with classes, which come first */
	size_t bare;         /* and behind them, splits without classes */
	size_t names, bytes; /* of all roots: class folders, and bytes of their names */
	bool too_many;       /* more than the constants allow: this is no ImageFolder */
};

/*
 * paths: as typed. Those that are no folders, or cannot be opened, have no root. STATUS_FAILED: a folder could not be
 * read to its end.
 * packed: the folders of the archives among the paths, and of those found in them; NULL: there are none.
 * search: look for the roots. A folder that holds nothing but one folder is passed through (set/data/train/cat); and a
 * root that has none of the other roots' classes, but images, or one folder of them (test/1.jpg, test/test/1.jpg), is
 * bare. In an archive such a folder is passed through without search, too: most archives hold the folder that was
 * packed.
 */
enum status class_folders_open(struct class_folders *f, const char *const *paths, size_t count,
			       const struct member_folders *packed, bool search, struct error *err);
void class_folders_release(struct class_folders *f);

/*
 * Finds the class folder that a file lies in: which root, and which class of it. below: where in `path` the part begins
 * that is below the PATH typed. member: NULL; or the file's name in the archive `path`. False: it lies in none.
 */
bool class_folders_find(const struct class_folders *f, const char *path, size_t below, const char *member,
			unsigned *root, uint32_t *id);

/* Whether a file lies in a split without classes; of a member, the path is its archive's and its name's. */
bool class_folders_is_bare(const struct class_folders *f, const char *path);

/* Whether a folder of that name is no class: hidden, or left behind by a tool (macOS' archiver, Python). */
bool class_folder_is_hidden(const char *name);
/* Whether the name of some class folder is that of a part of other data sets: images, masks, labels, train_masks ... */
bool class_folders_look_like_parts(const struct class_folders *f);

#endif
