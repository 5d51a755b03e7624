/*
 * struct class_folders: the class folders of an ImageFolder, a data set whose labels are the names of its folders.
 *
 * As in torchvision.datasets.ImageFolder (find_classes, make_dataset): the folders directly below a root, hidden ones
 * and links to folders included, sorted by name, are the classes 0, 1, 2 ...; an image anywhere below one of them is of
 * that class. Python sorts by code point, which is the byte order of UTF-8.
 *
 * The folder table says which folders are roots. Where the user declared an ImageFolder, each PATH and each archive is
 * one or, if its folders are splits (train, val ...), each of these. The root of cat/1.jpg in set.zip is
 * "set.zip/". The folders of a root are listed before the walk, since an empty one is a class, too; read-only
 * afterwards, any thread. Memory is bounded by the constants of find/member_folders.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/settings.h"
#include "find/member_folders.h"

struct class_root {
	char *path; /* the beginning of its entries' paths (of members: archive/name); ends in '/'; owned */
	size_t path_len;
	char **names; /* sorted; owned */
	size_t count, cap;
};

struct class_folders {
	struct class_root roots[CLASS_ROOTS_MAX];
	size_t count;
	size_t names, bytes; /* of all roots: class folders, and bytes of their names */
	bool too_many;       /* more than the constants allow: not an ImageFolder */
};

struct folder_table;

/*
 * Marks the folders of a PATH whose folders are classes: these have two folders or more of four fifths images, and no
 * other folders but a fifth. Returns the images in them.
 */
uint64_t class_folders_find_roots(struct folder_table *t, uint32_t typed_path);
/* Adds these to the roots. Returns STATUS_FAILED if one could not be read to its end; then there is nothing to release.
 */
enum status class_folders_open(struct class_folders *f, const struct folder_table *t, uint32_t typed_path,
			       struct error *err);
/*
 * Lists the class folders of all PATHs, for --kind imagefolder. Returns STATUS_FAILED if there are none or too many, or
 * if a folder could not be read; then there is nothing to release.
 */
enum status class_folders_open_declared(struct class_folders *f, struct folder_table *t, struct error *err);
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
 * Names the classes after their folders if the user gave only a number of classes; but not a class that has different
 * folders below different roots.
 */
void class_folders_name_classes(const struct class_folders *f, struct settings *settings);
