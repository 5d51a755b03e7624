#include "layout/image_folder.h"

#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/strbuf.h"
#include "layout/probe.h"
#include "layout/role_names.h"

enum {
	OUTSIDE_MAX = 256, /* photos that lie in no folder, after which no folders are looked for */
	STRAY = 10,        /* less than a tenth of the photos may lie elsewhere */
};

/* ---- detection --------------------------------------------------------------------------------------------------- */

void image_folder_detection_init(struct image_folder_detection *d, const struct find_options *find)
{
	*d = (struct image_folder_detection){ .find = find, .last_class = UINT32_MAX };
}

void image_folder_detection_release(struct image_folder_detection *d)
{
	class_folders_release(&d->folders);
	member_folders_release(&d->packed);
}

static void list_folders(struct image_folder_detection *d, const struct member_folders *packed)
{
	struct error ignored = ERROR_INIT;

	d->stray = class_folders_open(&d->folders, d->find->paths, d->find->paths_count, packed, true, &ignored) !=
		   STATUS_OK;
	d->unread += d->stray;
	d->stray |= d->folders.too_many || class_folders_have_role_names(&d->folders);
}

/* Finds the class folder of a photo, which may lie in a split without classes, or elsewhere. */
static void enter_folder(struct image_folder_detection *d, const char *path, size_t rel_offset)
{
	unsigned root;
	uint32_t id;

	d->last_bare = class_folders_is_bare(&d->folders, path);
	d->last_inside = !d->last_bare && class_folders_find(&d->folders, path, rel_offset, NULL, &root, &id);
	/* plots beside a folder of images prove no classes */
	if (!d->last_inside || class_folders_is_clutter(&d->folders, root, id))
		return;
	const char *inside = path + d->folders.roots[root].path_len + strlen(d->folders.roots[root].names[id]) + 1;

	d->direct |= !strchr(inside, '/');
	d->several |= d->last_class != UINT32_MAX && d->last_class != id;
	d->last_class = id;
}

/*
 * The folders are listed when the first photo in a folder is added: most data sets have none, and a folder of ten
 * million masks must not be read twice.
 */
void image_folder_detection_add(struct image_folder_detection *d, const struct entry *entry, bool new_folder)
{
	if (d->stray)
		return;
	if (!strchr(entry->member ? member_name_plain(entry->member) : entry_inner_path(entry), '/')) {
		d->stray = ++d->outside > OUTSIDE_MAX && !d->inside;
		return;
	}
	if (entry->member) { /* see image_folder_detection_end */
		d->inside++;
		return;
	}
	if (!d->listed) {
		d->listed = true;
		list_folders(d, NULL);
	}
	if (d->stray)
		return;
	if (new_folder)
		enter_folder(d, entry->path, entry->rel_offset);
	d->inside += d->last_inside;
	d->outside += !d->last_inside && !d->last_bare && !role_is_clutter(entry_inner_path(entry));
}

/* Returns the length of the path of the archive that a folder is in. */
static size_t archive_length(const struct member_folders *packed, uint32_t folder)
{
	while (packed->v[folder].parent != NO_FOLDER)
		folder = packed->v[folder].parent;
	return strlen(packed->v[folder].name);
}

void image_folder_detection_end(struct image_folder_detection *d)
{
	struct strbuf path = STRBUF_INIT;

	if (d->stray || !d->packed.count)
		return;
	class_folders_release(&d->folders);
	list_folders(d, &d->packed);
	for (uint32_t i = 0; i < d->packed.count && !d->stray; i++) {
		const struct member_folder *folder = &d->packed.v[i];

		/* those in no folder were counted */
		if ((!folder->images && !folder->images_deeper) || folder->parent == NO_FOLDER)
			continue;
		strbuf_clear(&path);
		member_folders_path(&d->packed, i, &path);
		strbuf_adds(&path, "/x");
		enter_folder(d, path.s, 0);
		d->stray = !d->last_inside && !d->last_bare &&
			   !role_is_clutter(path.s + archive_length(&d->packed, i) + 1);
	}
	strbuf_release(&path);
}

bool image_folder_detection_fits(const struct image_folder_detection *d, uint64_t classes, uint64_t others)
{
	uint64_t folders = 0;

	if (d->stray || !d->several || STRAY * (d->outside + others) > d->inside)
		return false;
	for (size_t i = 0; i < d->folders.count; i++)
		folders = MAX(folders, (uint64_t)d->folders.roots[i].count);
	return folders + 1 >= classes && folders <= classes + 1;
}

/* ---- --kind imagefolder ------------------------------------------------------------------------------------------ */

/* For a walk that only fills find_options' member_folders. */
static bool ignore_entry(void *self, const struct entry *entry)
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

/* Unless each PATH has class folders itself, those of archives are listed, too, which reads all their members. */
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
	enum status status = all_have ? STATUS_OK : source_each(&names, ignore_entry, NULL, err);

	if (status == STATUS_OK)
		status = class_folders_open(folders, find->paths, find->paths_count, &packed, false, err);
	member_folders_release(&packed);
	return status;
}

enum status image_folder_open(struct class_folders *out, const struct find_options *find, struct error *err)
{
	if (find->files_from)
		return error_set(err, "--kind imagefolder: --files-from names no folder with class folders");
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

/* Returns whether the folder of class id has this name below every root. */
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
