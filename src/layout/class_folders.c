#include "layout/class_folders.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/strbuf.h"
#include "find/archive.h"
#include "find/member_folders.h"
#include "find/source.h"
#include "find/split.h"
#include "layout/words.h"

/* ---- roots ------------------------------------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void release_root(struct class_root *root)
{
	for (size_t i = 0; i < root->count; i++)
		free(root->names[i]);
	free(root->names);
	free(root->path);
	memset(root, 0, sizeof(*root));
}

static bool is_folder(DIR *dir, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN && e->d_type != DT_LNK)
		return e->d_type == DT_DIR;
	return fstatat(dirfd(dir), e->d_name, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

static void add_name(struct class_folders *f, struct class_root *root, const char *name)
{
	f->bytes += strlen(name);
	f->names++;
	if (root->count == CLASS_FOLDERS_MAX || f->names > CLASS_FOLDERS_ALL || f->bytes > CLASS_FOLDERS_BYTES) {
		f->too_many = true;
		return;
	}
	GROW(root->names, root->cap, root->count + 1);
	root->names[root->count++] = xstrdup(name);
}

static void sort_names(struct class_root *root)
{
	if (root->count)
		qsort(root->names, root->count, sizeof(*root->names), compare_names);
}

/* Does what list_root does for a folder in an archive. Returns false if there is none of that path. */
static bool list_packed(struct class_folders *f, const struct member_folders *packed, struct class_root *root)
{
	uint32_t at = packed ? member_folders_find(packed, root->path, root->path_len - 1) : NO_FOLDER;

	if (at == NO_FOLDER)
		return false;
	root->images = packed->v[at].images;
	for (size_t i = at + 1; i < packed->count && !f->too_many; i++)
		if (packed->v[i].parent == at)
			add_name(f, root, packed->v[i].name);
	sort_names(root);
	return true;
}

/* Lists the folders of root->path. *opened becomes false if that is no folder, or cannot be opened. */
static enum status list_root(struct class_folders *f, const struct member_folders *packed, struct class_root *root,
			     bool *opened, struct error *err)
{
	DIR *dir;
	struct dirent *e;

	*opened = list_packed(f, packed, root);
	if (*opened)
		return STATUS_OK;
	dir = opendir(root->path);
	*opened = dir != NULL;
	if (!dir)
		return STATUS_OK;
	while (errno = 0, !f->too_many && (e = readdir(dir))) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && is_folder(dir, e))
			add_name(f, root, e->d_name);
		else
			root->images = root->images || has_torchvision_extension(e->d_name);
	}
	int errnum = f->too_many ? 0 : errno;

	closedir(dir);
	sort_names(root);
	return errnum ? error_set_errno(err, errnum, "cannot read the folder %s", root->path) : STATUS_OK;
}

static unsigned split_of(const char *name)
{
	char path[NAME_MAX + 3];

	if (strlen(name) > NAME_MAX)
		return SPLIT_NONE;
	snprintf(path, sizeof(path), "%s/x", name);
	return split_by_name(path, 0);
}

bool class_folder_is_hidden(const char *name)
{
	return name[0] == '.' || !strcmp(name, "__MACOSX") || !strcmp(name, "__pycache__");
}

/* Returns whether a folder is one in which projects keep plots or programs; or a class: paper. */
static bool is_clutter_folder(const char *name)
{
	return !strcmp(name, "src") || role_of_name(name, strlen(name)) == ROLE_CLUTTER;
}

/*
 * Returns whether the folders of a root are splits: two different ones, or nothing but one, with plots beside it. One
 * among others may be a class: COCO has trains.
 */
static bool has_splits(const struct class_root *root)
{
	unsigned seen = 0;
	bool others = false;

	for (size_t i = 0; i < root->count; i++) {
		unsigned split = split_of(root->names[i]);

		seen |= split ? 1u << split : 0;
		others |= !split && !class_folder_is_hidden(root->names[i]) && !is_clutter_folder(root->names[i]);
	}
	return (seen & (seen - 1)) || (seen && !others);
}

static bool is_known(const struct class_folders *f, const char *path)
{
	for (size_t i = 0; i < f->count; i++)
		if (!strcmp(f->roots[i].path, path))
			return true;
	return false;
}

/* Adds path[0..n), which lacks the '/' at its end, as the last root. *added becomes false if there is no such folder.
 */
static enum status add_root(struct class_folders *f, const struct member_folders *packed, const char *path, size_t n,
			    bool *added, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	enum status status = STATUS_OK;

	*added = false;
	strbuf_add(&text, path, n);
	strbuf_addch(&text, '/');
	if (f->count == CLASS_ROOTS_MAX) {
		f->too_many = true;
	} else if (!is_known(f, text.s)) {
		struct class_root *root = &f->roots[f->count];

		*root = (struct class_root){ .path = xstrdup(text.s), .path_len = text.len };
		status = list_root(f, packed, root, added, err);
		if (*added)
			f->count++;
		else
			release_root(root);
	}
	strbuf_release(&text);
	return status;
}

/* Replaces the last root by its splits. */
static enum status replace_by_splits(struct class_folders *f, const struct member_folders *packed, struct error *err)
{
	struct class_root above = f->roots[--f->count];
	struct strbuf path = STRBUF_INIT;
	enum status status = STATUS_OK;
	bool added;

	for (size_t i = 0; status == STATUS_OK && !f->too_many && i < above.count; i++) {
		if (!split_of(above.names[i]))
			continue;
		strbuf_clear(&path);
		strbuf_addf(&path, "%s%s", above.path, above.names[i]);
		status = add_root(f, packed, path.s, path.len, &added, err);
	}
	strbuf_release(&path);
	release_root(&above);
	return status;
}

/* A root of few folders is looked into: the first entries of each, and of some folders in it. */
enum { LOOKED_INTO_MAX = 16, LOOKED_ENTRIES = 64, LOOKED_DEPTH = 3, LOOKED_FOLDERS = 256 };

/*
 * Returns whether the first entries of a folder, and of those in it, are files, and none is an image. *looked counts
 * the folders that were opened; after LOOKED_FOLDERS, one may hold anything.
 */
static bool has_texts_alone(const char *path, unsigned depth, unsigned *looked)
{
	if (*looked == LOOKED_FOLDERS)
		return false;
	++*looked;
	DIR *dir = opendir(path);
	bool texts = true;
	unsigned count = 0;
	const struct dirent *e;

	while (dir && texts && count < LOOKED_ENTRIES && (e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		count++;
		texts = !has_torchvision_extension(e->d_name) && !is_archive_name(e->d_name);
		if (!texts || !is_folder(dir, e))
			continue;
		struct strbuf below = STRBUF_INIT;

		strbuf_addf(&below, "%s/%s", path, e->d_name);
		texts = depth < LOOKED_DEPTH && has_texts_alone(below.s, depth + 1, looked);
		strbuf_release(&below);
	}
	if (dir)
		closedir(dir);
	return texts && count;
}

/* Returns whether a folder in an archive, or one in it, holds images. */
static bool holds_packed_images(const struct member_folders *packed, uint32_t folder)
{
	for (uint32_t i = folder; i < packed->count; i++) {
		uint32_t above = i;

		while (above > folder && packed->v[above].parent != NO_FOLDER)
			above = packed->v[above].parent;
		if (above == folder && (packed->v[i].images || packed->v[i].images_deeper))
			return true;
	}
	return false;
}

/* Returns whether a folder of a root holds files, and no images: annotations beside the class folders. */
static bool holds_texts_alone(const struct class_root *root, const struct member_folders *packed, const char *name,
			      unsigned *looked)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s%s", root->path, name);
	const uint32_t at = packed ? member_folders_find(packed, path.s, path.len) : NO_FOLDER;
	const bool texts = at == NO_FOLDER ? has_texts_alone(path.s, 0, looked) : !holds_packed_images(packed, at);

	strbuf_release(&path);
	return texts;
}

/*
 * Returns the only folder of the last root that is not hidden; else NULL. *plots: others are skipped that hold plots,
 * or images lie beside it, which may be plots. *texts: others are skipped that hold texts alone.
 */
static const char *only_folder(struct class_folders *f, const struct member_folders *packed, bool *plots, bool *texts)
{
	const struct class_root *root = &f->roots[f->count - 1];
	const char *only = NULL;

	*plots = root->images;
	*texts = false;
	for (size_t i = 0; i < root->count; i++) {
		if (class_folder_is_hidden(root->names[i]))
			continue;
		if (is_clutter_folder(root->names[i])) {
			*plots = true;
			continue;
		}
		if (root->count > 1 && root->count <= LOOKED_INTO_MAX &&
		    holds_texts_alone(root, packed, root->names[i], &f->looked)) {
			*texts = true;
			continue;
		}
		if (only)
			return NULL;
		only = root->names[i];
	}
	return only;
}

/* Replaces the last root by its only folder, as often as possible. */
static enum status replace_by_only_folder(struct class_folders *f, const struct member_folders *packed,
					  struct error *err)
{
	enum { DEPTH_MAX = 4 };
	enum status status = STATUS_OK;

	for (unsigned depth = 0; depth < DEPTH_MAX && status == STATUS_OK && !f->too_many; depth++) {
		bool plots, texts;
		const char *only = only_folder(f, packed, &plots, &texts);
		struct class_root above;
		struct strbuf path = STRBUF_INIT;
		bool added;

		if (!only)
			break;
		above = f->roots[--f->count];
		strbuf_addf(&path, "%s%s", above.path, only);
		status = add_root(f, packed, path.s, path.len, &added, err);
		strbuf_release(&path);
		const struct class_root *below = &f->roots[f->count - 1];

		/* beside plots, another folder is a class if it holds none, or images; beside texts, too */
		if (status == STATUS_OK && added && !(texts && (below->count < 2 || below->images)) &&
		    (below->count > 1 || has_splits(below) ||
		     (plots ? below->count && !below->images : below->count || below->images))) {
			release_root(&above);
			continue;
		}
		if (status == STATUS_OK && added)
			release_root(&f->roots[--f->count]);
		f->roots[f->count++] = above;
		break;
	}
	return status;
}

/* Compares name[0..n) with a whole name, as strcmp does. */
static int compare_part(const char *name, size_t n, const char *whole)
{
	int order = strncmp(name, whole, n);

	return order || !whole[n] ? order : -1;
}

static bool find_name(const struct class_root *root, const char *name, size_t n, uint32_t *id)
{
	size_t lo = 0, hi = root->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = compare_part(name, n, root->names[mid]);

		if (!order) {
			*id = (uint32_t)mid;
			return true;
		}
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return false;
}

/* Returns whether a root has images alone, or one folder of them, which is a class of no other root. */
static bool is_bare(const struct class_folders *f, size_t at)
{
	const struct class_root *root = &f->roots[at];
	bool others = false;
	uint32_t ignored;

	for (size_t i = 0; i < f->count; i++) {
		if (i == at)
			continue;
		others = others || f->roots[i].count > 1;
		if (root->count && find_name(&f->roots[i], root->names[0], strlen(root->names[0]), &ignored))
			return false;
	}
	return others && (root->count == 1 || (!root->count && root->images));
}

static struct class_root remove_root(struct class_folders *f, size_t at)
{
	struct class_root root = f->roots[at];

	f->count--;
	memmove(&f->roots[at], &f->roots[at + 1], (f->count - at) * sizeof(root));
	return root;
}

/* Moves the roots without classes to the end. */
static void move_bare_to_end(struct class_folders *f)
{
	for (size_t i = f->count; i-- > 0;) {
		if (!is_bare(f, i))
			continue;
		struct class_root root = remove_root(f, i);

		f->roots[f->count] = root;
		f->bare++;
	}
}

/* Adds the roots of a PATH or an archive, if it is or holds a folder. */
static enum status add_path(struct class_folders *f, const struct member_folders *packed, const char *path, bool search,
			    struct error *err)
{
	bool added = false;
	enum status status = add_root(f, packed, path, path_trimmed(path), &added, err); /* as the walk does */

	if (added && status == STATUS_OK && search && !has_splits(&f->roots[f->count - 1]))
		status = replace_by_only_folder(f, packed, err);
	if (added && status == STATUS_OK && !f->too_many && has_splits(&f->roots[f->count - 1]))
		status = replace_by_splits(f, packed, err);
	return status;
}

/* Drops the roots of folders that hold nothing but archives, which have roots of their own. */
static void drop_empty(struct class_folders *f)
{
	for (size_t i = f->count; i-- > 0;) {
		if (f->roots[i].count || f->roots[i].images)
			continue;
		struct class_root root = remove_root(f, i);

		release_root(&root);
	}
}

/* Adds the archives that hold images; others may hold programs and notes. */
static enum status add_archives(struct class_folders *f, const struct member_folders *packed, struct error *err)
{
	enum status status = STATUS_OK;

	f->too_many |= packed->too_many;
	for (uint32_t i = 0; status == STATUS_OK && !f->too_many && i < packed->count; i++)
		if (packed->v[i].parent == NO_FOLDER && holds_packed_images(packed, i))
			status = add_path(f, packed, packed->v[i].name, true, err);
	if (packed->count)
		drop_empty(f);
	return status;
}

enum status class_folders_open(struct class_folders *f, const char *const *paths, size_t count,
			       const struct member_folders *packed, bool search, struct error *err)
{
	enum status status = STATUS_OK;

	memset(f, 0, sizeof(*f));
	for (size_t i = 0; status == STATUS_OK && !f->too_many && i < count; i++)
		if (strcmp(paths[i], "-") != 0)
			status = add_path(f, NULL, paths[i], search, err);
	if (packed && status == STATUS_OK && !f->too_many)
		status = add_archives(f, packed, err);
	if (status == STATUS_OK && search && !f->too_many)
		move_bare_to_end(f);
	if (status != STATUS_OK)
		class_folders_release(f);
	return status;
}

void class_folders_release(struct class_folders *f)
{
	for (size_t i = 0; i < f->count + f->bare; i++)
		release_root(&f->roots[i]);
	memset(f, 0, sizeof(*f));
}

/* ---- looking up ------------------------------------------------------------------------------------------------- */

/* Returns the part of a path, or of a member's name, below a root; NULL if it lies elsewhere. */
static const char *below_root(const struct class_root *r, const char *path, const char *member)
{
	size_t n = strlen(path);

	if (!member)
		return strncmp(path, r->path, r->path_len) != 0 ? NULL : path + r->path_len;
	if (r->path_len <= n || strncmp(path, r->path, n) != 0 || r->path[n] != '/')
		return NULL;
	member = member_name_plain(member);
	return strncmp(member, r->path + n + 1, r->path_len - n - 1) != 0 ? NULL : member + (r->path_len - n - 1);
}

bool class_folders_find(const struct class_folders *f, const char *path, size_t rel_offset, const char *member,
			unsigned *root, uint32_t *id)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct class_root *r = &f->roots[i];

		/* a root is the PATH that was walked, or a folder in it */
		if (r->path_len < rel_offset)
			continue;
		const char *name = below_root(r, path, member), *slash = name ? strchr(name, '/') : NULL;

		if (!slash || !find_name(r, name, (size_t)(slash - name), id))
			continue;
		*root = (unsigned)i;
		return true;
	}
	return false;
}

/* ---- --kind imagefolder ------------------------------------------------------------------------------------------ */

/* For a walk that only fills member_options' folders. */
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
	names.members.names_only = names.keep_standard_input = true;
	names.stop = stop_flag();
	names.members.folders = &packed;
	enum status status = all_have ? STATUS_OK : source_each(&names, ignore_entry, NULL, NULL, err);

	if (status == STATUS_OK)
		status = class_folders_open(folders, find->paths, find->paths_count, &packed, false, err);
	member_folders_release(&packed);
	return status;
}

enum status class_folders_open_declared(struct class_folders *out, const struct find_options *find, struct error *err)
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

void class_folders_name_classes(const struct class_folders *f, struct settings *settings)
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
