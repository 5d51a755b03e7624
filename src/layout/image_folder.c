#include "layout/image_folder.h"

#include <string.h>

#include "base/escape.h"
#include "base/stop.h"
#include "find/member_folders.h"

/* For a walk to the end, of what it notes itself. */
static bool pass_by(void *self, const struct entry *entry)
{
	(void)self;
	(void)entry;
	return true;
}

static bool has_classes(const struct class_folders *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->roots[i].count)
			return true;
	return false;
}

/* Where no PATH has class folders itself, those of archives are listed, which means to read past all members. */
static enum status list_all_folders(const struct find_options *find, struct class_folders *folders, struct error *err)
{
	struct member_folders packed = { 0 };
	struct find_options names = *find;
	bool all_have = true;

	for (size_t i = 0; i < find->paths_count; i++) {
		if (class_folders_open(folders, find->paths + i, 1, NULL, false, err) != STATUS_OK)
			return STATUS_FAILED;
		all_have = all_have && (has_classes(folders) || folders->too_many);
		class_folders_release(folders);
	}
	names.shard = (struct shard){ 0, 0 };
	names.names_only = names.keep_standard_input = true;
	names.stop = stop_flag();
	names.member_folders = &packed;
	enum status status = all_have ? STATUS_OK : source_each(&names, pass_by, NULL, err);

	if (status == STATUS_OK)
		status = class_folders_open(folders, find->paths, find->paths_count, &packed, false, err);
	member_folders_release(&packed);
	return status;
}

enum status image_folder_open(struct class_folders *out, const struct find_options *find, struct error *err)
{
	if (find->files_from)
		return error_set(err, "--kind imagefolder: --files-from names no folder whose folders are the classes");
	if (list_all_folders(find, out, err) != STATUS_OK)
		return STATUS_FAILED;
	if (out->too_many || !out->count) {
		bool too_many = out->too_many;

		class_folders_release(out);
		if (!too_many)
			return error_set(err, "--kind imagefolder: no PATH is a folder that can be opened");
		return error_set(
			err,
			"--kind imagefolder: more than %d class folders in a folder, %d in all, or %d PATHs and splits",
			CLASS_FOLDERS_MAX, CLASS_FOLDERS_ALL, CLASS_ROOTS_MAX);
	}
	return STATUS_OK;
}

static bool is_named_alike(const struct class_folders *f, size_t id, const char *name)
{
	for (size_t i = 0; i < f->count; i++)
		if (id < f->roots[i].count && strcmp(f->roots[i].names[id], name) != 0)
			return false;
	return true;
}

void image_folder_name_classes(const struct class_folders *f, struct settings *settings)
{
	struct class_set *classes = &settings->classes;

	if (classes->names_count || settings->reduce_zero_label || classes->classes.count != 1 ||
	    classes->classes.v[0].first)
		return;
	for (size_t i = 0; i < f->count; i++)
		for (size_t id = 0; id < f->roots[i].count; id++) {
			const char *name = f->roots[i].names[id];

			if (!class_set_get_name(classes, (int64_t)id) && utf8_valid(name, strlen(name)) &&
			    is_named_alike(f, id, name))
				class_set_name(classes, id, name);
		}
}
