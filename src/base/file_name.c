#include "base/file_name.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/strbuf.h"

/*
 * The raster formats that every file manager shows as pictures; the most common first, then in upper case those that
 * are often written so.
 */
const char *const image_extensions[] = { ".jpg", ".png", ".jpeg", ".tif",  ".tiff", ".webp", ".bmp",
					 ".gif", ".JPG", ".PNG",  ".JPEG", ".TIF",  ".BMP",  NULL };

const char *const volume_extensions[] = { ".nii.gz", ".nii", ".nrrd", ".mha", NULL };

/* Members of Ultralytics' IMG_FORMATS (ultralytics/data/utils.py), the most common first; it has some rarer ones. */
const char *const ultralytics_extensions[] = { ".jpg",  ".png",  ".jpeg", ".JPG",  ".PNG", ".JPEG", ".bmp", ".tif",
					       ".tiff", ".webp", ".dng",  ".heic", ".mpo", ".avif", NULL };

/* Photos that labelme and tools like it annotate; each one's JSON file has its stem. */
const char *const annotated_photo_extensions[] = { ".jpg", ".jpeg", ".png", ".JPG", NULL };

/* Images that tables list by their stems, as image_id columns do. */
const char *const listed_image_extensions[] = {
	".jpg", ".png", ".jpeg", ".JPG", ".JPEG", ".tif", ".bmp", ".webp", NULL
};

char *path_folder(const char *path)
{
	size_t n = (size_t)(file_name_of(path) - path);

	return n ? xmemdup0(path, n) : xstrdup(".");
}

char *path_resolve(const char *path)
{
	FREED char *trimmed = xmemdup0(path, MAX(path_trimmed(path), (size_t)1));
	char *real = realpath(trimmed, NULL);
	struct strbuf whole = STRBUF_INIT;

	if (real)
		return real;
	FREED char *folder = path_folder(trimmed), *above = realpath(folder, NULL);

	if (!above)
		return NULL;
	strbuf_addf(&whole, "%s/%s", strcmp(above, "/") != 0 ? above : "", file_name_of(trimmed));
	return strbuf_detach(&whole);
}

const char *path_find_folder(const char *path, const char *folder)
{
	const char *found = NULL;

	for (const char *p = path; (p = strstr(p, folder)); p++)
		if ((p == path || p[-1] == '/') && p[strlen(folder)] == '/')
			found = p;
	return found;
}

/*
 * Returns whether a name ends in one of these characters, in lower case: enough for most of the names that are found,
 * each of which is asked about often.
 */
static bool ends_in_character(const char *name, const char *characters)
{
	const size_t n = strlen(name);

	for (char last = n ? ascii_tolower(name[n - 1]) : '\0'; last && *characters; characters++)
		if (*characters == last)
			return true;
	return false;
}

size_t packing_length(const char *name)
{
	static const char *const packings[] = { ".gz", ".bz2", ".xz", ".zst", NULL };

	return ends_in_character(name, "z2t") && file_name_ends_in_any(name, packings)
		       ? strlen(file_name_extension(name))
		       : 0;
}

bool is_volume_name(const char *name)
{
	return file_name_ends_in_any(name, volume_extensions);
}

bool is_image_name(const char *name)
{
	return ends_in_character(name, "gfp") && file_name_ends_in_any(name, image_extensions);
}

bool has_torchvision_extension(const char *name)
{
	/* IMG_EXTENSIONS of torchvision/datasets/folder.py, which compares with str.endswith: ".png" is an image */
	static const char *const list[] = { ".jpg", ".jpeg", ".png",  ".ppm",  ".bmp",
					    ".pgm", ".tif",  ".tiff", ".webp", NULL };

	if (file_name_ends_in_any(name, list))
		return true;
	for (size_t i = 0; list[i]; i++)
		if (!strcasecmp(name, list[i]))
			return true;
	return false;
}

bool is_never_archive_name(const char *name)
{
	/* the formats that most files of data sets have; readers of label files recognise them */
	static const char *const list[] = { ".png", ".npy",  ".txt",  ".csv", ".tsv", ".json",
					    ".jpg", ".jpeg", ".yaml", ".xml", NULL };

	return file_name_ends_in_any(name, list);
}
