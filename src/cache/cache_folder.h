/* The folder that caches lie in: which one it is, and making it. What is in it: cache.h. */
#ifndef CACHE_CACHE_FOLDER_H
#define CACHE_CACHE_FOLDER_H

#include <stdbool.h>

/* Is the word behind --cache its folder, and not a PATH? Absent, empty, or a cache. */
bool cache_is_folder(const char *word);
/*
 * labelaudit below XDG_CACHE_HOME or ~/.cache; a variable that is no absolute path is ignored (XDG Base Directory
 * Specification). NULL: there is neither. The caller frees it.
 */
char *cache_usual_folder(void);
/* Makes it, and the folders above it. 0 or errno. */
int cache_make_folder(const char *folder);

#endif
