#include "layout/folder_role.h"

#include <stdio.h>
#include <string.h>

#include "base/file_name.h"
#include "base/hash.h"
#include "layout/probe.h"

void folder_role_init(struct folder_role *f)
{
	f->role = f->walked_role = ROLE_UNKNOWN;
	f->suffix = NULL;
	f->suffix_len = f->len = f->rel_offset = 0;
	f->content = f->labels_beside = f->png_patterns = -1;
}

/* Returns where the last folder of the PATH begins, which ends at rel_offset: masks in data/masks/1.png. */
static size_t walked_folder(const char *path, size_t rel_offset)
{
	while (rel_offset && path[rel_offset - 1] == '/')
		rel_offset--;
	while (rel_offset && path[rel_offset - 1] != '/')
		rel_offset--;
	return rel_offset;
}

/* Returns the length of the path of a file's folder, '/' included. */
static size_t folder_len(const struct entry *entry)
{
	const char *name = entry->name > entry->path ? entry->name : file_name_of(entry->path);

	return (size_t)(name - entry->path);
}

static void set_role(struct folder_role *f, const char *inner_path)
{
	f->role = role_of_folders(inner_path);
	f->suffix_len = role_folder_suffix(inner_path, &f->suffix);
}

bool folder_role_enter(struct folder_role *f, const struct entry *entry)
{
	if (entry->member) {
		folder_role_init(f);
		set_role(f, entry->member);
		return true;
	}
	size_t len = folder_len(entry);
	const char *path = entry->path;

	if (len && len == f->len && entry->rel_offset == f->rel_offset && !memcmp(path, f->path, len))
		return false;
	folder_role_init(f);
	f->len = len < sizeof(f->path) ? len : 0;
	f->rel_offset = entry->rel_offset;
	if (f->len) {
		memcpy(f->path, path, len);
		f->path[len] = '\0';
		path = f->path;
	}
	set_role(f, path + f->rel_offset);
	f->walked_role = role_of_folders(path + walked_folder(path, f->rel_offset));
	return true;
}

bool is_flat_place(const struct entry *entry, const struct folder_role *folder)
{
	return folder->role == ROLE_UNKNOWN ||
	       (folder->role == ROLE_IMAGES && role_of_folder(entry_inner_path(entry)) == ROLE_UNKNOWN);
}

bool is_mask_place(const struct entry *entry, const struct folder_role *folder, bool flat)
{
	if (flat && is_flat_place(entry, folder))
		return true;
	if (folder->role == ROLE_IMAGES || folder->role == ROLE_ASIDE)
		return false;
	return flat || has_label_name(entry, folder) || role_of_prefix(entry_inner_path(entry)) == ROLE_LABELS ||
	       (!entry->member && folder->role == ROLE_UNKNOWN && folder->walked_role == ROLE_LABELS);
}

bool has_label_name(const struct entry *entry, const struct folder_role *folder)
{
	size_t stem;

	return folder->role == ROLE_LABELS ||
	       (folder->role == ROLE_UNKNOWN && role_label_suffix(entry_inner_path(entry), &stem));
}

uint64_t hash_above_labels(const struct entry *entry)
{
	const char *path = entry->member ? entry->member : entry->path, *start = path, *slash;
	char folder[NAME_MAX + 2];

	for (; (slash = strchr(start, '/')); start = slash + 1) {
		int n = snprintf(folder, sizeof(folder), "%.*s", (int)(slash + 1 - start), start);

		if (n < (int)sizeof(folder) && role_of_folders(folder) == ROLE_LABELS)
			return hash_bytes(hash_seed(), path, (size_t)(start - path)) | 1;
	}
	return 0;
}

uint64_t hash_folder_of(const struct entry *entry)
{
	const char *path = entry->member ? entry->member : entry->path, *slash = strrchr(path, '/');

	return hash_bytes(hash_seed(), path, slash ? (size_t)(slash + 1 - path) : 0) | 1;
}
