/* The folder of caches: its path and its creation. cache.h says what it holds. */
#ifndef CACHE_CACHE_FOLDER_H
#define CACHE_CACHE_FOLDER_H

#include <stdbool.h>

/* Returns whether the word after --cache is a folder for it and not a PATH: it is absent, empty, or a cache. */
bool cache_is_folder(const char *word);
/*
 * Returns labelaudit below XDG_CACHE_HOME or ~/.cache, which the caller frees; NULL if there is neither. A variable
 * that is no absolute path is ignored (XDG Base Directory Specification).
 */
char *cache_usual_folder(void);
/*
 * Opens the folder, after creating it and its parents if they are absent. Returns -1 and sets *why if that fails, or if
 * anybody but this user and root owns the folder or can write to it: SQLite would roll a journal that they leave there
 * into the database.
 */
int cache_open_folder(const char *folder, const char **why);

#endif
