/*
 * struct class_folders: the class folders of an ImageFolder, a data set whose labels are the names of its folders.
 *
 * As in torchvision.datasets.ImageFolder (find_classes, make_dataset): the folders directly below a root, hidden ones
 * and links to folders included, sorted by name, are the classes 0, 1, 2 ...; an image anywhere below one of them is of
 * that class. Python sorts by code point, which is the byte order of UTF-8.
 *
 * A PATH is one root; if its folders are splits (find/split.h: train, val ...), each of them is a root. Unless the user
 * declared an ImageFolder, the roots may lie deeper than the PATH, and a split may have no classes (see
 * class_folders_open). An archive is treated like a PATH: the root of cat/1.jpg in set.zip is "set.zip/". The folders
 * are listed before the walk; read-only afterwards, any thread. Memory is bounded by the constants of
 * find/member_folders.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/settings.h"
#include "find/find_options.h"
#include "find/member_folders.h"

struct class_root {
	char *path; /* the beginning of its entries' paths (of members: archive/name); ends in '/'; owned */
	size_t path_len;
	char **names; /* sorted; owned */
	size_t count, cap;
	bool images; /* some lie directly in it */
};

struct class_folders {
	struct class_root roots[CLASS_ROOTS_MAX];
	size_t count;        /* roots with classes, which come first */
	size_t bare;         /* splits without classes, which follow them */
	size_t names, bytes; /* of all roots: class folders, and bytes of their names */
	unsigned looked;     /* folders that were opened to see whether they hold texts alone */
	bool too_many;       /* more than the constants allow: not an ImageFolder */
};

/*
 * Lists the roots of paths, as typed; one that is not a folder, or cannot be opened, has none. packed: the folders of
 * the archives among and below the paths, or NULL. Returns STATUS_FAILED if a folder could not be read to its end.
 *
 * search: find the roots. A folder that holds nothing but one folder is replaced by that (set/data/train/cat). A root
 * that shares no class with the other roots, but has images or one folder of them (test/1.jpg, test/test/1.jpg), is
 * bare. In an archive the first is done without `search`, too: most archives hold the folder that was packed.
 */
enum status class_folders_open(struct class_folders *f, const char *const *paths, size_t count,
			       const struct member_folders *packed, bool search, struct error *err);
void class_folders_release(struct class_folders *f);

/*
 * Finds the root and the class folder of a file. rel_offset: where the part of `path` below the PATH begins. member:
 * the file's name in the archive `path`, or NULL. Returns false if it lies in no class folder.
 */
bool class_folders_find(const struct class_folders *f, const char *path, size_t rel_offset, const char *member,
			unsigned *root, uint32_t *id);

/* Returns whether a folder of that name is no class: hidden, or a tool's (macOS' archiver, Python). */
bool class_folder_is_hidden(const char *name);

/*
 * Lists the class folders of all PATHs, for --kind imagefolder. Returns STATUS_FAILED if there are none or too many, or
 * if a folder could not be read; then there is nothing to release.
 */
enum status class_folders_open_declared(struct class_folders *out, const struct find_options *find, struct error *err);
/*
 * Names the classes after their folders if the user gave only a number of classes; but not a class that has different
 * folders below different roots.
 */
void class_folders_name_classes(const struct class_folders *f, struct settings *settings);
