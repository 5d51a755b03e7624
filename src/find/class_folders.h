/*
 * struct class_folders: the class folders of an ImageFolder, a data set whose labels are the names of its folders.
 *
 * As torchvision.datasets.ImageFolder reads it (find_classes, make_dataset): the folders directly below a root, hidden
 * ones and links to folders included, sorted by name, are the classes 0, 1, 2 ...; an image anywhere below one of them
 * is of that class. Python sorts by code point, which is the order of the bytes of UTF-8.
 *
 * A PATH is one root; one whose folders are splits (find/split.h: train, val ...) has a root for each of them.
 * Listed before the walk; read-only afterwards, any thread. Bounded by the constants below.
 */
#ifndef FIND_CLASS_FOLDERS_H
#define FIND_CLASS_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	CLASS_ROOTS_MAX = 32,      /* they are bits of a uint32_t; a data set has three */
	CLASS_FOLDERS_MAX = 65536, /* of a root: as many as class files may declare */
	/* Of all roots: each worker may hold every name once, in 32 MiB with all that belongs to it. */
	CLASS_FOLDERS_ALL = 4 * CLASS_FOLDERS_MAX,
	CLASS_FOLDERS_BYTES = 8 << 20,
};

struct class_root {
	char *path; /* as entries' paths begin: ends in '/'; owned */
	size_t path_len;
	char **names; /* sorted; owned */
	size_t count, cap;
};

struct class_folders {
	struct class_root roots[CLASS_ROOTS_MAX];
	size_t count;
	size_t names, bytes; /* of all roots */
	bool too_many;       /* more than the constants allow: it is no ImageFolder */
};

/* paths: as typed. Those that are no folders, or cannot be opened, have no root. STATUS_FAILED: one could not be read.
 */
enum status class_folders_open(struct class_folders *f, const char *const *paths, size_t count, struct error *err);
void class_folders_release(struct class_folders *f);

/* The class folder that a file lies in: its path, and where in it begins what is below the PATH. False: in none. */
bool class_folders_find(const struct class_folders *f, const char *path, size_t below, unsigned *root, uint32_t *id);

/* Whether ImageFolder takes a file for an image, by the end of its name. */
bool class_folders_is_image(const char *name);
/* Whether a folder of that name is there by accident: hidden, or made by a tool (macOS' archiver, Python). */
bool class_folder_is_hidden(const char *name);
/* Whether some folder is called as the parts of other data sets are: images, masks, labels, train_masks ... */
bool class_folders_look_like_parts(const struct class_folders *f);

#endif
