/*
 * Resolves the symbolic links that a walk finds. A link to a file below the PATHs is audited under its own name, unless
 * its target is audited anyway; one that leads out of the PATHs only with --follow. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "base/table.h"
#include "find/names.h"
#include "find/skip_reason.h"

/* The PATHs and what they are without links; and the files that links have led to. */
struct link_roots {
	const char *const *typed;
	size_t count;
	char **real;           /* of each; NULL if it does not exist; made for the first link; owned */
	struct hash_set files; /* inode_hash of each */
};

void link_roots_init(struct link_roots *r, const char *const *typed, size_t count);
void link_roots_release(struct link_roots *r);

enum link_kind {
	LINK_TO_FILE,
	LINK_TO_FOLDER,
	LINK_LEFT_OUT, /* `reason` says why */
	LINK_FAILED,   /* `errnum`; or, if that is 0, it leads to a device or the like */
};

struct link_end {
	enum link_kind kind;
	enum skip_reason reason;
	int errnum;
	bool below; /* the PATHs; then `target` is its path as a walk would give it, and root_len the PATH's length */
	struct strbuf target;
	size_t root_len;
};

/* Resolves the link `name` in the open folder dirfd, whose path is folder[0..folder_len), '/' included. */
void link_resolve(struct link_roots *r, int dirfd, const char *folder, size_t folder_len, const char *name,
		  struct link_end *out);
/* Returns whether a link of this walk has led to that file before, and remembers it. */
bool link_is_repeated(struct link_roots *r, int dirfd, const char *name);
