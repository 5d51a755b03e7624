/*
 * struct path_state: what a PATH is, asked of the file system once, before all else. Thousands of PATHs (a glob of the
 * shell) on late storage are asked about side by side.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "find/find_options.h"
#include "find/names.h"

struct path_state {
	int errnum; /* 0: the rest is valid; ECANCELED: storage did not answer before the program was interrupted */
	mode_t mode;
	struct inode_id id;
};

/* Fills a state for each PATH. "-" is no file. pool: or NULL. */
void path_states_query(struct path_state *out, const char *const *paths, size_t count, struct pool *pool);
/* Returns the state of find->paths[index]: find->states', or else it is asked for now. */
struct path_state path_state_of(const struct find_options *find, size_t index);
/* Returns whether a PATH is a folder. */
bool path_is_folder(const struct find_options *find, size_t index);
