#include "layout/folder_role.h"

#include <string.h>

#include "base/file_name.h"
#include "layout/probe.h"

void entry_folder_init(struct entry_folder *f)
{
	f->part = f->walked_part = PART_UNKNOWN;
	f->suffix = NULL;
	f->suffix_len = f->len = f->rel_offset = 0;
	f->labels_beside = -1;
}

/* Where what was found below a folder has the name of that folder in front: masks/1.png. */
static size_t walked_folder(const char *path, size_t below)
{
	while (below && path[below - 1] == '/')
		below--;
	while (below && path[below - 1] != '/')
		below--;
	return below;
}

/* Of a file the bytes of its folder's path, '/' included. */
static size_t folder_len(const struct entry *entry)
{
	const char *name = entry->name > entry->path ? entry->name : file_name_of(entry->path);

	return (size_t)(name - entry->path);
}

static void ask(struct entry_folder *f, const char *found_as)
{
	f->part = part_of_folders(found_as);
	f->suffix_len = part_folder_suffix(found_as, &f->suffix);
}

bool entry_folder_enter(struct entry_folder *f, const struct entry *entry)
{
	if (entry->member) {
		entry_folder_init(f);
		ask(f, entry->member);
		return true;
	}
	size_t len = folder_len(entry);
	const char *path = entry->path;

	if (len && len == f->len && entry->rel_offset == f->rel_offset && !memcmp(path, f->path, len))
		return false;
	entry_folder_init(f);
	f->len = len < sizeof(f->path) ? len : 0;
	f->rel_offset = entry->rel_offset;
	if (f->len) {
		memcpy(f->path, path, len);
		f->path[len] = '\0';
		path = f->path;
	}
	ask(f, path + f->rel_offset);
	f->walked_part = part_of_folders(path + walked_folder(path, f->rel_offset));
	return true;
}
