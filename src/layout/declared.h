/*
 * struct declared: which files `labels` and `images` of the settings say are labels or images, by globs as those of
 * --include; a folder stands for all below it. The last glob that matches a file decides, and one that begins with `!`
 * takes back what those before it said.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "find/source.h"
#include "layout/words.h"

struct declared {
	struct declared_glob *v; /* owned */
	size_t count;
	const char *preset; /* where it has its masks, static; NULL: none is given, or it does not say */
	bool labels;        /* some glob declares labels, or the preset does: no other file is one */
	bool by_preset;     /* some picture lies where the preset has its masks */
};

/* Compiles the globs of `find`. preset: NULL is fine. Fails if a glob is wrong. */
enum status declared_open(struct declared *d, const struct find_options *find, const char *preset, struct error *err);
/* NULL is fine. */
void declared_close(struct declared *d);
/* Returns ROLE_LABELS, ROLE_IMAGES, or ROLE_NONE: nothing is said, or d is NULL. Any thread. */
enum role declared_role(const struct declared *d, const struct entry *entry);
