/* Parts of file names, as pointers into the argument. Pure, any thread. */
#ifndef BASE_FILE_NAME_H
#define BASE_FILE_NAME_H

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"

/* Returns the last component of a path. */
static inline const char *file_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the extension with its dot, or "". The dot of a hidden file begins no extension. */
static inline const char *file_name_extension(const char *path)
{
	const char *name = file_name_of(path), *dot = strrchr(name, '.');

	return dot && dot != name ? dot : "";
}

/*
 * Returns whether a name ends in `end` (not empty) and has more before it, whatever the case of ASCII letters. Compares
 * from the last character on, because two dozen ends are tried on every file and nearly all differ there.
 */
static inline bool file_name_ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	if (n <= m)
		return false;
	while (m && ascii_tolower(name[n - 1]) == ascii_tolower(end[m - 1])) {
		n--;
		m--;
	}
	return !m;
}

static inline bool file_name_ends_in_any(const char *name, const char *const *ends, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (file_name_ends_in(name, ends[i]))
			return true;
	return false;
}

#endif
