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
/* Creates the folder and its parents. Returns 0 or errno. */
int cache_make_folder(const char *folder);

#endif
