/*
 * Parts of file names, as pointers into the argument, and lists of the extensions of images and label files;
 * file_name.c has the source of each list. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"

/* Returns the last component of a path. */
static inline const char *file_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the folder of a path with its last slash, or "."; the caller frees it. */
char *path_folder(const char *path);

/*
 * Returns the absolute path without links of a file or a folder, which need not exist in a folder that does; NULL: its
 * folder does not. The caller frees it.
 */
char *path_resolve(const char *path);

/* Returns the length of a path without the slashes at its end: 0 for "/". */
static inline size_t path_trimmed(const char *path)
{
	size_t n = strlen(path);

	while (n && path[n - 1] == '/')
		n--;
	return n;
}

/* Returns whether a path is a folder or lies below it. Both as realpath(3) gives them. */
static inline bool path_lies_in(const char *path, const char *folder)
{
	size_t n = path_trimmed(folder);

	return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

/* Returns whether a name is that of a volume. */
bool is_volume_name(const char *name);
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

/* The same for any of a NULL-terminated list. */
static inline bool file_name_ends_in_any(const char *name, const char *const *ends)
{
	for (; *ends; ends++)
		if (file_name_ends_in(name, *ends))
			return true;
	return false;
}

/* Returns the length of the extension that a packed file's name ends in, .gz, .bz2, .xz or .zst; 0: it is none. */
size_t packing_length(const char *name);

/* Returns the last part of a path with the name of this folder, which a slash follows, or NULL. */
const char *path_find_folder(const char *path, const char *folder);

/* Returns whether a name is that of an image in a common format: one of image_extensions after at least a character. */
bool is_image_name(const char *name);
/* Returns whether torchvision's ImageFolder takes a file for an image, by its IMG_EXTENSIONS. */
bool has_torchvision_extension(const char *name);
/* Returns whether a name claims a format that the readers of label files and photos recognise, and no archive. */
bool is_never_archive_name(const char *name);

/*
 * For trying which files exist, in this order: NULL-terminated, each extension with its dot, in both cases where file
 * systems distinguish them.
 */
extern const char *const image_extensions[];           /* common formats, which file managers show as pictures */
extern const char *const volume_extensions[];          /* whole files */
extern const char *const ultralytics_extensions[];     /* images of YOLO data sets */
extern const char *const annotated_photo_extensions[]; /* photos with a JSON file beside them */
extern const char *const listed_image_extensions[];    /* images that tables list without an extension */
