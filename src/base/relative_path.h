/* Paths as they are from a folder, by their names alone: links are not followed, and nothing needs to exist. */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"

/* Appends the components of path to an absolute path, without ".", ".." and doubled slashes. */
void path_add_components(struct strbuf *out, const char *path);

/*
 * Appends the path of a file as it is from `folder`: without ".", doubled slashes and needless "..", "." for the folder
 * itself. folder and current, which a relative path begins from, are absolute.
 */
void relative_path(struct strbuf *out, const char *folder, const char *current, const char *path);
/* Returns whether such a path leads out of the folder. */
bool relative_path_leads_out(const char *path);
/* Returns whether a path that data name stays in its folder: it is relative, not empty, and no component is "..". */
bool relative_path_is_inside(const char *path);
