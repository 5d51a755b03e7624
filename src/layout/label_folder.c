#include "layout/label_folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "layout/words.h"

/* Names of a folder that are looked at. */
enum { NAMES_MAX = 10000 };

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Returns whether a name says labels: of letters alone, since others are those of experiments. */
static bool is_label_name(const char *name)
{
	const size_t n = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (!ascii_isalpha(name[i]) && name[i] != '_')
			return false;
	return role_of_name(name, n) == ROLE_LABELS;
}

bool label_folder_in(const char *folder, struct strbuf *out)
{
	const size_t from = out->len;
	RELEASED struct strbuf path = STRBUF_INIT;
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char *first = NULL;

	for (int i = 0; dir && i < NAMES_MAX && (entry = readdir(dir)); i++) {
		const char *name = entry->d_name;

		if (!is_label_name(name) || (first && strcmp(name, first) >= 0))
			continue;
		strbuf_clear(&path);
		strbuf_addf(&path, "%s/%s", folder, name);
		if (is_folder(path.s)) {
			free(first);
			first = xstrdup(name);
		}
	}
	if (dir)
		closedir(dir);
	if (first && strcmp(folder, ".") != 0)
		strbuf_addf(out, "%.*s/", (int)path_trimmed(folder), folder);
	if (first)
		strbuf_addf(out, "%s/", first);
	free(first);
	return out->len > from;
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
	FREED char *parent = parent_of(folder), *above = parent_of(parent);
	bool found = label_folder_in(parent, out);
	struct stat itself, other;

	if (!found && strcmp(parent, ".") != 0 && strcmp(parent, "/") != 0 && label_folder_in(above, out)) {
		const size_t len = out->len, n = path_trimmed(folder), name = strlen(parent) + 1;

		found = true;
		strbuf_addf(out, "%.*s/", (int)(n - name), folder + name); /* of the same split, if it has one */
		if (!is_folder(out->s))
			strbuf_cut(out, len);
	}
	return found && (stat(folder, &itself) < 0 || stat(out->s, &other) < 0 || itself.st_dev != other.st_dev ||
			 itself.st_ino != other.st_ino);
}
