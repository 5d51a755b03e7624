/*
 * struct tree: all that lies below the PATHs, label files and others, and where each has its place in the result. One
 * folder becomes the result itself; of several PATHs each is in the result under its own name. Listed paths keep the
 * folders that they do not share.
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
#include "fix/path_list.h"
#include "fix/plan.h"

enum tree_kind { TREE_FOLDER, TREE_FILE, TREE_LINK };

/* The mode and times that a folder or a file keeps. */
struct tree_stat {
	mode_t mode;
	struct timespec times[2]; /* of its last access and change */
};

/* There may be millions, so that it takes 32 bytes. */
struct tree_entry {
	const char *source; /* as the audit reports it; that of the label file or the archive, else owned */
	const char *place;  /* below the result; "" for a folder that is the result; the end of source, or owned */
	union {
		const struct fix_file *file;       /* if it is a label file; else NULL; of a file in no archive */
		const struct fix_archive *archive; /* if is_archive: it has label files */
		struct tree_stat *folder;          /* of a TREE_FOLDER; owned */
	};
	uint8_t kind; /* enum tree_kind */
	bool is_archive, changes, owns_source, owns_place;
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
	char **roots; /* where each PATH is in the result, and then each listed path, as place; owned */
	size_t roots_count;
};

/*
 * Lists these files and folders. plan: NULL if nothing is known of them. listed: NULL or empty if there are no others.
 * Fails if something cannot be read, or a listed path has no place in the result.
 */
enum status tree_gather(struct tree *tree, const struct fix_plan *plan, const char *const *paths, size_t count,
			const struct path_list *listed, struct error *err);
/* Fails if two entries would have one place, or the place that is reserved. */
enum status tree_check_places(const struct tree *tree, const char *reserved, struct error *err);
void tree_release(struct tree *tree);
