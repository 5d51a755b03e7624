/* Parts of the names of files. No copies: what is returned points into what was given. Pure, any thread. */
#ifndef BASE_FILE_NAME_H
#define BASE_FILE_NAME_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* What stands behind the last slash. */
static inline const char *file_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* From the last dot of the name on; "" if it has none, or none but the one that hides it. */
static inline const char *file_name_extension(const char *path)
{
	const char *name = file_name_of(path), *dot = strrchr(name, '.');

	return dot && dot != name ? dot : "";
}

/*
 * Of ASCII letters either case will do. A name that is nothing but the end, which is not empty, is not one that ends in
 * it. Every file is asked for two dozen ends: nearly all differ in the last character already, of which case is one
 * bit.
 */
static inline bool file_name_ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && ((name[n - 1] ^ end[m - 1]) & ~0x20) == 0 && !strcasecmp(name + n - m, end);
}

static inline bool file_name_ends_in_any(const char *name, const char *const *ends, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (file_name_ends_in(name, ends[i]))
			return true;
	return false;
}

#endif
