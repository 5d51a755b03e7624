/* The repository that the audit runs in: code hosts know a file by its path from the root of that. */
#pragma once

#include <limits.h>

#include "report/report.h"

/*
 * Returns its root, absolute: the nearest folder with a .git, from an absolute folder upwards; else CI_PROJECT_DIR or
 * GITHUB_WORKSPACE. NULL: there is none. Like git, it does not go up into a folder of GIT_CEILING_DIRECTORIES. The
 * caller frees it.
 */
char *repository_root(const char *folder);

/* Where a report's paths begin, for as long as the report is written. */
struct repository {
	char *root; /* owned; NULL: none */
	char current[PATH_MAX];
};

/* Finds the repository of the current folder, and lets the report borrow it. */
void repository_find(struct repository *repository, struct report *r);
void repository_release(struct repository *repository);
