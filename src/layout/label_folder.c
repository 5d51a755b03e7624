#include "layout/label_folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file_name.h"
#include "base/mem.h"

/* Names of a folder that are looked at. */
enum { NAMES_MAX = 10000 };

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Returns whether a folder's whole name says so; words.h takes any name with such a word in it. */
static bool is_label_name(const char *name)
{
	static const char *const names[] = {
		"masks",
		"mask",
		"labels",
		"label",
		"labelids",
		"annotations",
		"annotation",
		"annots",
		"ann_dir",
		"gt",
		"gtFine",
		"groundtruth",
		"ground_truth",
		"ground-truth",
		"segmentation",
		"segmentations",
		"SegmentationClass",
		"SegmentationClassAug",
		"labelsTr",
		"trainannot",
		"targets",
		"train_masks",
		"train_labels",
		"png_masks",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcasecmp(name, names[i]))
			return true;
	return false;
}

bool label_folder_in(const char *folder, struct strbuf *out)
{
	DIR *dir = opendir(folder);
	size_t n = path_trimmed(folder);
	struct dirent *entry;
	char *first = NULL;

	for (int i = 0; dir && i < NAMES_MAX && (entry = readdir(dir)); i++) {
		struct strbuf path = STRBUF_INIT;

		if (!is_label_name(entry->d_name) || (first && strcmp(entry->d_name, first) > 0))
			continue;
		strbuf_addf(&path, "%s/%s", folder, entry->d_name);
		if (is_folder(path.s)) {
			free(first);
			first = xstrdup(entry->d_name);
		}
		strbuf_release(&path);
	}
	if (dir)
		closedir(dir);
	if (first && strcmp(folder, ".") != 0)
		strbuf_addf(out, "%.*s/", (int)n, folder);
	if (first)
		strbuf_addf(out, "%s/", first);
	bool found = first != NULL;

	free(first);
	return found;
}

/* Returns the folder that a path lies in, owned; "." for a bare name. */
static char *parent_of(const char *path)
{
	size_t n = path_trimmed(path);

	while (n && path[n - 1] != '/')
		n--;
	return n ? xmemdup0(path, n > 1 ? n - 1 : 1) : xstrdup(".");
}

bool label_folder_beside(const char *folder, struct strbuf *out)
{
	size_t n = path_trimmed(folder), name = n;
	char *parent = parent_of(folder), *above;
	struct stat itself, other;
	bool found;

	while (name && folder[name - 1] != '/')
		name--;
	found = label_folder_in(parent, out);
	if (!found && strcmp(parent, ".") != 0 && strcmp(parent, "/") != 0) {
		above = parent_of(parent);
		found = label_folder_in(above, out);
		if (found) { /* of the same split, if it has one */
			size_t len = out->len;

			strbuf_addf(out, "%.*s/", (int)(n - name), folder + name);
			if (!is_folder(out->s))
				strbuf_cut(out, len);
		}
		free(above);
	}
	free(parent);
	return found && (stat(folder, &itself) < 0 || stat(out->s, &other) < 0 || itself.st_dev != other.st_dev ||
			 itself.st_ino != other.st_ino);
}
