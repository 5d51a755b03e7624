/* A check that a path does not lead out of a folder, for paths that a file from outside names. */
#pragma once

#include <stdbool.h>

/*
 * Returns whether path, from the folder dirfd on, stays beneath it: it is relative, and neither ".." nor a symbolic
 * link in it leads to the folder's parent or to an absolute path. A path that does not exist stays beneath if the part
 * that exists does. Any thread.
 */
bool path_is_beneath(int dirfd, const char *path);
