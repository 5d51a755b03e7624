/*
 * struct member_folders: the folders in archives, from the names of members; for class_folders.h, which lists folders
 * on disk with readdir.
 *
 * A folder is known by its members or by an entry of its own. Hidden folders count, since they are classes of an
 * ImageFolder; "./" at the beginning of a name does not. A folder deeper than class folders can be counts as the one
 * above it that is not. Filled by one thread; read-only afterwards. Bounded by the constants below.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/table.h"

/* Bounds on class folders, on disk and in archives. */
enum {
	CLASS_ROOTS_MAX = 32,      /* a set of roots is a uint32_t; data sets have three */
	CLASS_FOLDERS_MAX = 65536, /* of one root: as many as class files may declare */
	/* All roots together, and the bytes of their names: a worker may hold every name once, within its 32 MiB. */
	CLASS_FOLDERS_ALL = 4 * CLASS_FOLDERS_MAX,
	CLASS_FOLDERS_BYTES = 8 << 20,
	MEMBER_FOLDERS_BYTES = 4 * CLASS_FOLDERS_BYTES, /* of paths */
};

struct member_folders {
	struct strbuf paths; /* "set.zip/train", NUL-terminated each; set.zip is one */
	struct hash_set seen;
	struct strbuf path; /* scratch */
	size_t archives;
	bool too_many; /* more than the constants allow: the rest is not valid */
};

void member_folders_init(struct member_folders *m);
void member_folders_release(struct member_folders *m);
/* Adds the folders of a member. */
void member_folders_add(struct member_folders *m, const char *archive, const char *name);
/* Returns whether a path of n bytes, "set.zip/train", is that of an archive or of a folder in one. */
bool member_folders_has(const struct member_folders *m, const char *path, size_t n);

/* Returns a member's name without "./" before it. */
const char *member_name_plain(const char *name);
