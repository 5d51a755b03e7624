/*
 * struct class_folders: the class folders of an ImageFolder, a data set whose labels are the names of its folders.
 *
 * As torchvision.datasets.ImageFolder reads it (find_classes, make_dataset): the folders directly below a root, hidden
 * ones and links to folders included, sorted by name, are the classes 0, 1, 2 ...; an image anywhere below one of them
 * is of that class. Python sorts by code point, which is the order of the bytes of UTF-8.
 *
 * A PATH is one root; one whose folders are splits (find/split.h: train, val ...) has a root for each of them. Where it
 * is not said that a PATH is an ImageFolder, it may lie deeper, and a split may have no classes: class_folders_open.
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
	bool images; /* some lie directly in it */
};

struct class_folders {
	struct class_root roots[CLASS_ROOTS_MAX];
	size_t count, bare;  /* behind the roots, as many that are splits without classes */
	size_t names, bytes; /* of all roots */
	bool too_many;       /* more than the constants allow: it is no ImageFolder */
};

/*
 * paths: as typed. Those that are no folders, or cannot be opened, have no root. STATUS_FAILED: one could not be read.
 * search: a folder that holds one folder and no images is passed through (set/data/train/cat), and of several roots
 * those that have no class of the others, but images or a folder of them (test/1.jpg, test/test/1.jpg), are bare.
 */
enum status class_folders_open(struct class_folders *f, const char *const *paths, size_t count, bool search,
			       struct error *err);
void class_folders_release(struct class_folders *f);

/* The class folder that a file lies in: its path, and where in it begins what is below the PATH. False: in none. */
bool class_folders_find(const struct class_folders *f, const char *path, size_t below, unsigned *root, uint32_t *id);

/* Whether a file lies in a split without classes. */
bool class_folders_is_bare(const struct class_folders *f, const char *path);

/* Whether ImageFolder takes a file for an image, by the end of its name. */
bool class_folders_is_image(const char *name);
/* Whether a folder of that name is there by accident: hidden, or made by a tool (macOS' archiver, Python). */
bool class_folder_is_hidden(const char *name);
/* Whether some folder is called as the parts of other data sets are: images, masks, labels, train_masks ... */
bool class_folders_look_like_parts(const struct class_folders *f);

#endif
