#include "read/yolo_layout.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "read/member_images.h"

/* The longest path to which an extension can be appended. */
enum { STEM_MAX = PATH_MAX - 8 };

/*
 * Replaces the last folder `from` of a path by `to`, and removes the extension. Returns false if there is no such
 * folder, or the result is too long.
 */
static bool partner_of(const char *path, const char *from, const char *to, char out[PATH_MAX])
{
	size_t n = strlen(from), length = strlen(path);
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.'), *folder = path_find_folder(path, from);

	if (!folder || !slash)
		return false;
	if (dot > slash + 1)
		length = (size_t)(dot - path);
	if (length - n + strlen(to) > STEM_MAX)
		return false;
	const char *end = path + length;

	snprintf(out, PATH_MAX, "%.*s%s%.*s", (int)(folder - path), path, to, (int)(end - folder - (ptrdiff_t)n),
		 folder + n);
	return true;
}

/* The folder that this thread missed last: all label files of a set without images ask for the same one. */
static _Thread_local char missing_folder[PATH_MAX];

static bool is_known_to_miss(const char *path)
{
	size_t n = (size_t)(strrchr(path, '/') - path);

	return n && !strncmp(missing_folder, path, n) && !missing_folder[n];
}

static bool folder_exists(const struct member_images *members, char *path)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	bool found = path_exists(members, path);

	if (!found)
		memcpy(missing_folder, path, strlen(path) + 1);
	*slash = '/';
	return found;
}

/* Returns whether the image at path, whose name is n bytes, is there in capitals or in small letters. */
static bool has_other_case(const struct member_images *members, char path[PATH_MAX], size_t n)
{
	char *const name = strrchr(path, '/') + 1;

	for (int capitals = 0; capitals < 2; capitals++) {
		bool other = false;

		for (char *c = name; c < path + n; c++) {
			const char was = *c;

			*c = ascii_isalpha(*c) ? (char)(capitals ? *c & ~0x20 : *c | 0x20) : *c;
			other |= *c != was;
		}
		for (const char *const *extension = ultralytics_extensions; other && *extension; extension++) {
			memcpy(path + n, *extension, strlen(*extension) + 1);
			if (path_exists(members, path))
				return true;
		}
	}
	return false;
}

enum yolo_partner yolo_find_image(const struct member_images *members, const char *label_path, struct strbuf *image)
{
	char path[PATH_MAX];

	if (!partner_of(label_path, "labels", "images", path))
		return PARTNER_UNKNOWN;
	size_t n = strlen(path);

	if (is_known_to_miss(path))
		return PARTNER_UNKNOWN;

	for (const char *const *extension = ultralytics_extensions; *extension; extension++) {
		if (extension == ultralytics_extensions + 1 && !folder_exists(members, path))
			return PARTNER_UNKNOWN;
		memcpy(path + n, *extension, strlen(*extension) + 1);
		if (!path_exists(members, path))
			continue;
		if (image)
			strbuf_set(image, path, strlen(path));
		return PARTNER_THERE;
	}
	return has_other_case(members, path, n) ? PARTNER_OTHER_CASE : PARTNER_MISSING;
}

enum yolo_partner yolo_find_label(const struct member_images *members, const char *image_path)
{
	char path[PATH_MAX];

	if (!partner_of(image_path, "images", "labels", path))
		return PARTNER_UNKNOWN;
	memcpy(path + strlen(path), ".txt", 5);
	if (is_known_to_miss(path))
		return PARTNER_UNKNOWN;
	if (path_exists(members, path))
		return PARTNER_THERE;
	return folder_exists(members, path) ? PARTNER_MISSING : PARTNER_UNKNOWN;
}
