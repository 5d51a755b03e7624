/*
 * struct member_folders: the folders in archives, as the names of their members tell, for class_folders.h: what readdir
 * tells of folders on disk.
 *
 * A folder is known by its members or by an entry of its own. Names of hidden ones count, as an ImageFolder takes them
 * for classes; "./" at the beginning of a name does not. Folders deeper than a class folder can lie are counted to the
 * one that is as deep. Filled by one thread; read-only afterwards. Bounded by the constants below.
 */
#ifndef FIND_MEMBER_FOLDERS_H
#define FIND_MEMBER_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/table.h"

/* Bounds on class folders, on disk and in archives. */
enum {
	CLASS_ROOTS_MAX = 32,      /* a set of roots is a uint32_t; data sets have three */
	CLASS_FOLDERS_MAX = 65536, /* of one root: as many as class files may declare */
	/* Of all roots, and the bytes of their names: each worker may hold every name once, within its 32 MiB. */
	CLASS_FOLDERS_ALL = 4 * CLASS_FOLDERS_MAX,
	CLASS_FOLDERS_BYTES = 8 << 20,
};

#define NO_FOLDER UINT32_MAX

struct member_folder {
	char *name;         /* of an archive its path; owned */
	uint32_t parent;    /* NO_FOLDER: it is an archive */
	bool images;        /* some lie directly in it */
	bool images_deeper; /* or in folders that were too deep to be noted */
};

struct member_folders {
	struct member_folder *v; /* parents before their children; owned */
	size_t count, cap;
	struct table table; /* of v, by parent and name */
	size_t bytes, archives;
	bool too_many; /* more than the constants allow; what was noted is no use */
};

void member_folders_release(struct member_folders *m);
/* A member of an archive: its folders, and whether it is an image that a walk would see. */
void member_folders_add(struct member_folders *m, const char *archive, const char *name, bool image);
/* The folder of that path, "set.zip/train"; NO_FOLDER: there is none. */
uint32_t member_folders_find(const struct member_folders *m, const char *path, size_t n);
/* Adds the path of a folder, without a '/' at its end. */
void member_folders_path(const struct member_folders *m, uint32_t folder, struct strbuf *out);

/* A member's name without "./" before it. */
const char *member_name_plain(const char *name);

#endif
