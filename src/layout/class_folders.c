#include "layout/class_folders.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/file_name.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/strbuf.h"
#include "find/archive.h"
#include "find/member_folders.h"
#include "find/source.h"
#include "find/split.h"
#include "layout/folder_table.h"
#include "layout/words.h"

enum { FEW_OF_A_NAME = 8 }; /* images of a folder whose names begin with the folder's: of a patient, not a class */

bool class_folder_is_hidden(const char *name)
{
	return name[0] == '.' || !strcmp(name, "__MACOSX") || !strcmp(name, "__pycache__");
}

/* ---- parents ------------------------------------------------------------------------------------------------------
 */

/* A folder as the parent of class folders. */
struct parent {
	uint64_t images, most;    /* of all class folders; of one of them */
	uint32_t classes, named;  /* class folders; those whose images have their name */
	bool is_parent, is_class; /* it has some; it may be one */
	bool is_below;            /* it is one of a parent's, or lies in one */
};

static enum role role_of_last(const struct table_folder *f)
{
	const char *name = file_name_of(f->path);

	return role_of_name(name, strlen(name));
}

/* Returns whether a folder, or one above it, is called as what is no class. */
static bool is_below_aside(const char *path)
{
	for (const char *slash; *path; path = slash + (*slash == '/')) {
		slash = path + strcspn(path, "/");
		if (role_of_name(path, (size_t)(slash - path)) >= ROLE_CLUTTER)
			return true;
	}
	return false;
}

/* Counts the class folders of each folder; those of classes come before. */
static void count_classes(const struct folder_table *t, const bool *taken, struct parent *v)
{
	for (size_t i = t->folders_count; i-- > 0;) {
		const struct table_folder *f = &t->folders[i];
		struct parent *p = &v[i];
		const bool leaf = f->images && 5 * f->images >= 4 * f->files;

		p->is_parent = p->classes > 1 && 5 * (uint64_t)p->classes >= 4 * (uint64_t)f->children &&
			       !(2 * p->named > p->classes && p->most < FEW_OF_A_NAME);
		if (f->parent == TABLE_NONE || !taken[f->typed_path] || !(leaf || p->is_parent) ||
		    is_archive_name(f->path) || role_of_last(f) != ROLE_NONE || is_below_aside(f->path))
			continue;
		struct parent *above = &v[f->parent];
		const uint64_t images = leaf ? f->images : p->images;

		p->is_class = true;
		above->classes++;
		above->images += images;
		above->most = MAX(above->most, images);
		above->named += leaf && f->named_alike == f->images;
	}
}

static uint64_t hash_class(uint32_t above, const char *path)
{
	const char *name = file_name_of(path);

	return hash_bytes(above, name, strlen(name));
}

/* Takes splits of one class, or with other folders, if those beside them have one of their classes. */
static void add_small_splits(const struct folder_table *t, struct parent *v)
{
	struct hash_set classes = { 0 };

	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < t->folders_count; i++) {
			const uint32_t above = t->folders[i].parent;
			const uint32_t top = v[i].is_class ? t->folders[above].parent : TABLE_NONE;

			if (top == TABLE_NONE || role_of_last(&t->folders[above]) != ROLE_SPLIT)
				continue;
			if (!pass && v[above].is_parent)
				hash_set_add(&classes, hash_class(top, t->folders[i].path));
			else if (pass && hash_set_has(&classes, hash_class(top, t->folders[i].path)))
				v[above].is_parent = true;
		}
	hash_set_release(&classes);
}

uint32_t *find_class_parents(const struct folder_table *t, const bool *taken, size_t *count, uint64_t *files)
{
	struct parent *v = xcalloc(t->folders_count + 1, sizeof(*v));
	uint32_t *out = xcalloc(t->folders_count + 1, sizeof(*out));

	*count = 0;
	*files = 0;
	count_classes(t, taken, v);
	add_small_splits(t, v);
	for (size_t i = 0; i < t->folders_count; i++) {
		const uint32_t above = t->folders[i].parent;

		v[i].is_below = above != TABLE_NONE && (v[above].is_below || (v[i].is_class && v[above].is_parent));
		if (!v[i].is_parent || v[i].is_below)
			continue;
		out[(*count)++] = (uint32_t)i;
		*files += v[i].images;
	}
	free(v);
	return out;
}

/* ---- roots --------------------------------------------------------------------------------------------------------
 */

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

/* Lists the folders of root->path, in an archive or on the disk. *opened becomes false if that is no folder, or cannot
 * be opened. */
static enum status list_root(struct class_folders *f, const struct member_folders *packed, struct class_root *root,
			     bool *opened, struct error *err)
{
	const uint32_t at = packed ? member_folders_find(packed, root->path, root->path_len - 1) : NO_FOLDER;
	DIR *dir = at == NO_FOLDER ? opendir(root->path) : NULL;
	const struct dirent *e;
	int errnum = 0;

	*opened = dir || at != NO_FOLDER;
	for (size_t i = (size_t)at + 1; at != NO_FOLDER && i < packed->count && !f->too_many; i++)
		if (packed->v[i].parent == at)
			add_name(f, root, packed->v[i].name);
	while (errno = 0, dir && !f->too_many && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && is_folder(dir, e))
			add_name(f, root, e->d_name);
	if (dir) {
		errnum = f->too_many ? 0 : errno;
		closedir(dir);
	}
	if (root->count)
		qsort(root->names, root->count, sizeof(*root->names), compare_names);
	return errnum ? error_set_errno(err, errnum, "cannot read the folder %s", root->path) : STATUS_OK;
}

static bool is_known(const struct class_folders *f, const char *path)
{
	for (size_t i = 0; i < f->count; i++)
		if (!strcmp(f->roots[i].path, path))
			return true;
	return false;
}

/* Adds a folder as the last root, if it is one and not known. */
static enum status add_root(struct class_folders *f, const struct member_folders *packed, const char *path,
			    struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	enum status status = STATUS_OK;
	bool added = false;

	strbuf_addf(&text, "%.*s/", (int)path_trimmed(path), path); /* as the walk does */
	if (f->count == CLASS_ROOTS_MAX) {
		f->too_many = true;
	} else if (!is_known(f, text.s)) {
		struct class_root *root = &f->roots[f->count];

		*root = (struct class_root){ .path = xstrdup(text.s), .path_len = text.len };
		status = list_root(f, packed, root, &added, err);
		if (added)
			f->count++;
		else
			release_root(root);
	}
	strbuf_release(&text);
	return status;
}

enum status class_folders_open(struct class_folders *f, const struct folder_table *t, const bool *taken,
			       struct error *err)
{
	size_t count;
	uint64_t files;
	uint32_t *parents = find_class_parents(t, taken, &count, &files);
	struct strbuf path = STRBUF_INIT;
	enum status status = STATUS_OK;

	memset(f, 0, sizeof(*f));
	for (size_t i = 0; status == STATUS_OK && !f->too_many && i < count; i++) {
		const struct table_folder *folder = &t->folders[parents[i]];
		const char *typed = t->find->paths[folder->typed_path];

		strbuf_clear(&path);
		strbuf_addf(&path, "%.*s", (int)path_trimmed(typed), typed);
		if (*folder->path)
			strbuf_addf(&path, "/%s", folder->path);
		status = add_root(f, &t->packed, path.s, err);
	}
	strbuf_release(&path);
	free(parents);
	if (status != STATUS_OK)
		class_folders_release(f);
	return status;
}

void class_folders_release(struct class_folders *f)
{
	for (size_t i = 0; i < f->count; i++)
		release_root(&f->roots[i]);
	memset(f, 0, sizeof(*f));
}

/* ---- looking up ---------------------------------------------------------------------------------------------------
 */

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

/* ---- --kind imagefolder -------------------------------------------------------------------------------------------
 */

static unsigned split_of(const char *name)
{
	char path[NAME_MAX + 3];

	if (strlen(name) > NAME_MAX)
		return SPLIT_NONE;
	snprintf(path, sizeof(path), "%s/x", name);
	return split_by_name(path, 0);
}

/* Returns whether the folders of a root are splits: two different ones, or nothing but one. One among others may be a
 * class: COCO has trains. */
static bool has_splits(const struct class_root *root)
{
	unsigned seen = 0;
	bool others = false;

	for (size_t i = 0; i < root->count; i++) {
		unsigned split = split_of(root->names[i]);

		seen |= split ? 1u << split : 0;
		others |= !split && !class_folder_is_hidden(root->names[i]);
	}
	return (seen & (seen - 1)) || (seen && !others);
}

/* Adds a folder, or if its folders are splits, these. search: or the only folder in it: most archives hold the folder
 * that was packed. */
static enum status add_declared(struct class_folders *f, const struct member_folders *packed, const char *path,
				bool search, struct error *err)
{
	const size_t before = f->count;
	enum status status = add_root(f, packed, path, err);

	if (status != STATUS_OK || f->count == before || f->too_many)
		return status;
	const bool splits = has_splits(&f->roots[before]), only = search && f->roots[before].count == 1;

	if (!splits && !only)
		return STATUS_OK;
	struct class_root above = f->roots[--f->count];
	struct strbuf name = STRBUF_INIT;

	for (size_t i = 0; status == STATUS_OK && !f->too_many && i < above.count; i++) {
		strbuf_clear(&name);
		strbuf_addf(&name, "%s%s", above.path, above.names[i]);
		if (!splits)
			status = add_declared(f, packed, name.s, search, err);
		else if (split_of(above.names[i]))
			status = add_root(f, packed, name.s, err);
	}
	strbuf_release(&name);
	release_root(&above);
	return status;
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

/* For a walk that only fills find_options' members.folders. */
static bool ignore_entry(void *self, const struct entry *entry)
{
	(void)self;
	(void)entry;
	return true;
}

enum status class_folders_open_declared(struct class_folders *out, const struct find_options *find, struct error *err)
{
	struct member_folders packed = { 0 };
	struct find_options names = *find;
	enum status status;

	memset(out, 0, sizeof(*out));
	if (find->files_from)
		return error_set(err, "--kind imagefolder: --files-from names no folder with class folders");
	names.shard = (struct shard){ 0, 0 };
	names.members.names_only = names.keep_standard_input = true;
	names.stop = stop_flag();
	names.members.folders = &packed;
	status = source_each(&names, ignore_entry, NULL, NULL, err);
	for (size_t i = 0; status == STATUS_OK && !out->too_many && i < find->paths_count; i++)
		if (strcmp(find->paths[i], "-") != 0)
			status = add_declared(out, NULL, find->paths[i], false, err);
	for (uint32_t i = 0; status == STATUS_OK && !out->too_many && i < packed.count; i++)
		if (packed.v[i].parent == NO_FOLDER && holds_packed_images(&packed, i))
			status = add_declared(out, &packed, packed.v[i].name, true, err);
	out->too_many |= packed.too_many;
	/* a folder of nothing but archives, which have roots of their own */
	for (size_t i = packed.count ? out->count : 0; i-- > 0;)
		if (!out->roots[i].count) {
			release_root(&out->roots[i]);
			memmove(&out->roots[i], &out->roots[i + 1], (--out->count - i) * sizeof(out->roots[i]));
		}
	member_folders_release(&packed);
	if (status == STATUS_OK && out->too_many)
		status = error_set(
			err,
			"--kind imagefolder: more than %d class folders in a folder, %d in all, or %d PATHs and splits",
			CLASS_FOLDERS_MAX, CLASS_FOLDERS_ALL, CLASS_ROOTS_MAX);
	if (status == STATUS_OK && !out->count)
		status = error_set(err, "--kind imagefolder: no PATH is a folder that can be opened");
	if (status != STATUS_OK)
		class_folders_release(out);
	return status;
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
