#include "layout/class_folders.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "find/archive.h"
#include "find/member_folders.h"
#include "layout/folder_table.h"
#include "layout/words.h"

bool class_folder_is_hidden(const char *name)
{
	return name[0] == '.' || !strcmp(name, "__MACOSX") || !strcmp(name, "__pycache__");
}

/* ---- roots --------------------------------------------------------------------------------------------------------
 */

/* A folder as the parent of class folders. */
struct parent {
	uint64_t images, largest; /* of all class folders, and of that with most */
	uint64_t files;           /* in it and below */
	uint32_t classes, others; /* folders in it that may be classes, or hold files and may not */
	uint32_t kept;            /* of images, whose name is a word: it may be a class like the others: rock, paper, */
	uint64_t kept_images;     /* scissors; the letters x and y */
	bool is_parent, is_below; /* it has class folders; it is one of a parent's, or lies in one */
};

/* Returns whether a folder's own name has a meaning, or one above it is called as what is no class. */
static bool is_called(const char *path)
{
	const char *name = file_name_of(path);

	if (role_of_name(name, strlen(name)) != ROLE_NONE)
		return true;
	for (const char *slash; *path; path = slash + (*slash == '/')) {
		slash = path + strcspn(path, "/");
		if (role_of_name(path, (size_t)(slash - path)) >= ROLE_CLUTTER)
			return true;
	}
	return false;
}

/* Returns whether a folder's own name alone has a meaning that a class may have, too. */
static bool is_kept(const char *path)
{
	const char *name = file_name_of(path);
	const size_t n = (size_t)(name - path);

	return role_of_name(name, strlen(name)) > ROLE_SPLIT && role_of_path(path, n ? n - 1 : 0) < ROLE_CLUTTER;
}

uint64_t class_folders_find_roots(struct folder_table *t, uint32_t typed_path)
{
	FREED struct parent *v = xcalloc(t->folders_count + 1, sizeof(*v));
	uint64_t images = 0, largest = 0;
	size_t roots = 0;

	for (size_t i = t->folders_count; i-- > 0;) { /* folders come after those that they lie in */
		const struct table_folder *f = &t->folders[i];
		const bool leaf = f->images && 5 * f->images >= 4 * f->files;
		struct parent *p = &v[i], *above = f->parent == TABLE_NONE ? NULL : &v[f->parent];

		p->files += f->files;
		if (p->classes > 1 && p->classes >= 2 * p->kept &&
		    4 * p->kept_images * p->classes >= p->images * p->kept) {
			p->classes += p->kept;
			p->images += p->kept_images;
		} else {
			p->others += p->kept;
		}
		p->is_parent = p->classes > 1 && p->classes >= 4 * (uint64_t)p->others;
		if (!above || f->typed_path != typed_path || is_archive_name(f->path) || !p->files ||
		    class_folder_is_hidden(file_name_of(f->path)))
			continue;
		const bool class = (leaf || p->is_parent) && !is_called(f->path);

		above->files += p->files;
		if (leaf && is_kept(f->path)) {
			above->kept++;
			above->kept_images += f->images;
			continue;
		}
		above->classes += class;
		above->others += !class;
		if (!class)
			continue;
		above->images += leaf ? f->images : p->images;
		above->largest = MAX(above->largest, leaf ? f->images : p->images);
	}
	for (size_t i = 0; i < t->folders_count; i++) {
		const struct table_folder *f = &t->folders[i];

		v[i].is_below = f->parent != TABLE_NONE && !is_archive_name(f->path) && v[f->parent].is_below;
		v[i].is_parent &= !v[i].is_below;
		v[i].is_below |= v[i].is_parent;
		images += v[i].is_parent ? v[i].images : 0;
		largest = v[i].is_parent ? MAX(largest, v[i].largest) : largest;
		roots += v[i].is_parent;
	}
	/* a picture in a folder of its own is no second class */
	if (roots == 1 && largest >= STRAY_PHOTOS && images - largest < STRAY_FILES)
		images = 0;
	for (size_t i = 0; images && i < t->folders_count; i++)
		t->folders[i].is_class_root |= v[i].is_parent;
	return images;
}

/* A folder where an ImageFolder is declared. */
struct declared_root {
	uint64_t images;         /* in it and below, but for archives */
	uint32_t splits, others; /* folders in it: train, val, and any other */
	bool in_archive;
	bool holds_roots; /* some of these are roots in its place */
};

static bool is_split(const struct table_folder *f)
{
	const char *name = file_name_of(f->path);

	return role_of_name(name, strlen(name)) == ROLE_SPLIT;
}

/* Marks each PATH and each archive, or the splits in it; of an archive those of the only folder in it, which was
 * packed. */
static void declare_roots(struct folder_table *t)
{
	FREED struct declared_root *v = xcalloc(t->folders_count + 1, sizeof(*v));
	bool archives = false;

	for (size_t i = t->folders_count; i-- > 0;) {
		const struct table_folder *f = &t->folders[i];
		const bool packed = is_archive_name(*f->path ? f->path : t->find->paths[f->typed_path]);

		archives |= packed;
		v[i].images += f->images;
		if (f->parent == TABLE_NONE || packed)
			continue;
		v[f->parent].images += v[i].images;
		v[f->parent].splits += is_split(f);
		v[f->parent].others += !is_split(f);
	}
	for (size_t i = 0; i < t->folders_count; i++) {
		struct table_folder *f = &t->folders[i];
		const char *typed = t->find->paths[f->typed_path];
		const bool packed = is_archive_name(*f->path ? f->path : typed);
		struct declared_root *d = &v[i], *above = f->parent == TABLE_NONE || packed ? NULL : &v[f->parent];
		const bool is_root = above ? above->holds_roots && (!above->splits || is_split(f))
					   : strcmp(typed, "-") != 0 && (d->images || !archives);

		d->in_archive = packed || (above && above->in_archive);
		/* two splits, or nothing but one: one among others may be a class, COCO has trains */
		d->holds_roots = is_root && (d->splits > 1 || (d->splits && !d->others) ||
					     (d->in_archive && !d->splits && d->others == 1));
		f->is_class_root = is_root && !d->holds_roots;
	}
}

/* Returns a folder's path as the walk makes it, owned. */
static char *path_of(const struct folder_table *t, uint32_t folder)
{
	const struct table_folder *f = &t->folders[folder];
	const char *typed = t->find->paths[f->typed_path];
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%.*s%s%s/", (int)path_trimmed(typed), typed, *f->path ? "/" : "", f->path);
	return path.s;
}

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
	const bool in_archive = member_folders_has(packed, root->path, root->path_len - 1);
	const char *const end = packed->paths.s + (in_archive ? packed->paths.len : 0);
	DIR *dir = in_archive ? NULL : opendir(root->path);
	const struct dirent *e;
	int errnum = 0;

	*opened = dir || in_archive;
	for (const char *path = packed->paths.s; path < end && !f->too_many; path += strlen(path) + 1)
		if (!strncmp(path, root->path, root->path_len) && !strchr(path + root->path_len, '/'))
			add_name(f, root, path + root->path_len);
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

/* Adds a folder as the last root, if it is one and not known. */
static enum status add_root(struct class_folders *f, const struct folder_table *t, uint32_t folder, struct error *err)
{
	struct class_root *root = &f->roots[f->count];
	char *path = path_of(t, folder);
	enum status status = STATUS_OK;
	bool added = false;

	for (size_t i = 0; i < f->count; i++)
		added |= !strcmp(f->roots[i].path, path);
	f->too_many |= !added && f->count == CLASS_ROOTS_MAX;
	if (added || f->too_many) {
		free(path);
		return STATUS_OK;
	}
	*root = (struct class_root){ .path = path, .path_len = strlen(path) };
	status = list_root(f, &t->packed, root, &added, err);
	if (added)
		f->count++;
	else
		release_root(root);
	return status;
}

static int compare_roots(const void *a, const void *b)
{
	return strcmp(((const struct class_root *)a)->path, ((const struct class_root *)b)->path);
}

enum status class_folders_open(struct class_folders *f, const struct folder_table *t, uint32_t typed_path,
			       struct error *err)
{
	const size_t from = f->count;
	enum status status = STATUS_OK;

	for (uint32_t i = 0; status == STATUS_OK && !f->too_many && i < t->folders_count; i++)
		if (t->folders[i].is_class_root && t->folders[i].typed_path == typed_path)
			status = add_root(f, t, i, err);
	/* whatever the order of an archive is */
	qsort(f->roots + from, f->count - from, sizeof(*f->roots), compare_roots);
	if (status != STATUS_OK)
		class_folders_release(f);
	return status;
}

enum status class_folders_open_declared(struct class_folders *f, struct folder_table *t, struct error *err)
{
	enum status status = STATUS_OK;

	memset(f, 0, sizeof(*f));
	declare_roots(t);
	for (uint32_t i = 0; status == STATUS_OK && i < t->find->paths_count; i++)
		status = class_folders_open(f, t, i, err);
	if (status == STATUS_OK && (f->too_many || t->packed.too_many))
		status = error_set(
			err,
			"--kind imagefolder: more than %d class folders in a folder, %d in all, or %d PATHs and splits",
			CLASS_FOLDERS_MAX, CLASS_FOLDERS_ALL, CLASS_ROOTS_MAX);
	if (status == STATUS_OK && !f->count)
		status = error_set(err, "--kind imagefolder: no PATH is a folder that can be opened");
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
