/* Parts of file names. Nothing is copied: what is returned points into the argument. Pure, any thread. */
#ifndef BASE_FILE_NAME_H
#define BASE_FILE_NAME_H

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"

/* The last component of a path. */
static inline const char *file_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The extension with its dot; "" if there is none. The dot that begins a hidden file's name begins no extension. */
static inline const char *file_name_extension(const char *path)
{
	const char *name = file_name_of(path), *dot = strrchr(name, '.');

	return dot && dot != name ? dot : "";
}

/*
 * Whether a name ends in `end` (not empty) and has something before it; upper and lower case of ASCII letters are the
 * same. Every file is asked for two dozen ends, and nearly all differ in the last character already, which is therefore
 * compared first.
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
