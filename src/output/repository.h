/* The repository that the audit runs in: code hosts know a file by its path from the root of that. */
#pragma once

/*
 * Returns its root, absolute: the nearest folder with a .git, from an absolute folder upwards; else CI_PROJECT_DIR or
 * GITHUB_WORKSPACE. NULL: there is none. Like git, it does not go up into a folder of GIT_CEILING_DIRECTORIES. The
 * caller frees it.
 */
char *repository_root(const char *folder);
