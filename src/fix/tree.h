/*
 * struct tree: all that lies below the PATHs, label files and others, and where each has its place in the result. One
 * folder becomes the result itself; of several PATHs each keeps the folders that they do not share. An archive of which
 * members change becomes a folder, a packed file that changes a plain one.
 *
 * Symbolic links stay links, except one whose target is a label file that changes. Sorted by place; owner: the command.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cli/options.h"
#include "fix/plan.h"

enum tree_kind { TREE_FOLDER, TREE_FILE, TREE_LINK, TREE_ARCHIVE };

/* The mode and times that a folder or a file keeps. */
struct tree_stat {
	mode_t mode;
	struct timespec times[2]; /* of its last access and change */
};

struct tree_entry {
	char *source; /* as the audit reports it; owned */
	char *place;  /* below the result; "" for a folder that is the result; owned */
	union {
		const struct fix_file *file; /* of a TREE_FILE that is a label file; else NULL */
		struct tree_stat *folder;    /* of a TREE_FOLDER; owned */
	};
	uint8_t kind;   /* enum tree_kind */
	bool changes;   /* a TREE_FILE that is written anew */
	bool is_parent; /* a TREE_FOLDER that a path is in */
	bool is_beyond; /* a TREE_FOLDER that a link leads to, with --follow */
};

/* Returns those of a status. */
static inline struct tree_stat tree_stat_of(const struct stat *st)
{
	return (struct tree_stat){ st->st_mode, { st->st_atim, st->st_mtim } };
}

struct tree {
	struct tree_entry *v; /* owned */
	size_t count, cap;
	char **roots; /* where each path is in the result, as place; owned */
	size_t roots_count;
};

/*
 * Lists these files and folders. plan: NULL if nothing is known of them. Fails if something cannot be read, or a path
 * has no place in the result.
 */
enum status tree_gather(struct tree *tree, const struct fix_plan *plan, const struct string_list *paths,
			struct error *err);
/* Fails if two entries would have one place, or the place that is reserved. */
enum status tree_check_places(const struct tree *tree, const char *reserved, struct error *err);
void tree_release(struct tree *tree);
