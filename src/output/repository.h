/* The repository that the audit runs in: code hosts know a file by its path from the root of that. */
#pragma once

#include <limits.h>

#include "report/report.h"

/* Where a report's paths begin, for as long as the report is written. */
struct repository {
	char *root; /* owned; NULL: none */
	char current[PATH_MAX];
};

/* Finds the repository of the current folder, and lets the report borrow it. */
void repository_find(struct repository *repository, struct report *r);
void repository_release(struct repository *repository);
