#include "fix/tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"

void tree_release(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_entry *e = &tree->v[i];

		if (e->owns_place)
			free((char *)(uintptr_t)e->place);
		if (e->owns_source)
			free((char *)(uintptr_t)e->source);
		if (e->kind == TREE_FOLDER)
			free(e->folder);
	}
	for (size_t i = 0; i < tree->roots_count; i++)
		free(tree->roots[i]);
	free(tree->roots);
	free(tree->v);
	memset(tree, 0, sizeof(*tree));
}

static char *joined(const char *folder, const char *name)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_adds(&path, folder);
	if (path.len && path.s[path.len - 1] != '/')
		strbuf_addch(&path, '/');
	strbuf_adds(&path, name);
	char *copy = xstrdup(path.s);

	strbuf_release(&path);
	return copy;
}

/* Shares the names with those that are kept anyway, and takes over the others. kept: a path like source; or NULL. */
static void share_names(struct tree_entry *e, const char *kept, char *source, char *place)
{
	size_t n = strlen(source), end = strlen(place);

	e->source = kept ? kept : source;
	e->owns_source = !kept;
	if (kept)
		free(source);
	e->owns_place = end > n || memcmp(e->source + n - end, place, end) != 0;
	e->place = e->owns_place ? place : e->source + n - end;
	if (!e->owns_place)
		free(place);
}

/* Fills how the plan has the entry. Returns its path there; or NULL. */
static const char *find_planned(struct tree_entry *e, const struct fix_plan *plan, const char *source)
{
	const struct fix_archive *archive = fix_set_archive(plan->set, source);

	if (archive) {
		e->is_archive = true;
		e->archive = archive;
		e->changes = fix_plan_changing(plan, archive);
		return archive->path;
	}
	e->file = fix_set_find(plan->set, source);
	e->changes = e->file && plan->files[e->file - plan->set->files].changes;
	return e->file ? e->file->path : NULL;
}

/* Returns whether a path leads to a file. */
static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Adds an entry, and takes over both names. regular: it is known to be a regular file. */
static enum status add_entry(struct tree *tree, const struct fix_plan *plan, char *source, char *place, bool follow,
			     bool regular, struct error *err)
{
	struct tree_entry e = { .kind = TREE_FILE };
	enum status status = STATUS_OK;
	struct stat st = { .st_mode = S_IFREG };
	const char *kept = plan ? find_planned(&e, plan, source) : NULL;

	/* a link to a folder of which files were audited, with --follow, becomes a folder with corrected copies */
	e.is_beyond = !follow && !regular && plan && fix_set_has_below(plan->set, source) && lstat(source, &st) == 0 &&
		      S_ISLNK(st.st_mode);
	follow |= e.changes || e.is_beyond || (!regular && plan && plan->set->follows && is_file(source));
	if (!regular && (follow ? stat : lstat)(source, &st) != 0) {
		status = error_set_errno(err, errno, "cannot read %s", source);
	} else if (S_ISDIR(st.st_mode)) {
		e.kind = TREE_FOLDER;
		e.folder = xmalloc(sizeof(*e.folder));
		*e.folder = tree_stat_of(&st);
	} else if (S_ISLNK(st.st_mode)) {
		e.kind = TREE_LINK;
	} else if (!S_ISREG(st.st_mode)) {
		status = error_set(err, "cannot copy %s: neither a file, a folder nor a link", source);
	}
	share_names(&e, kept, source, place);
	GROW(tree->v, tree->cap, tree->count + 1);
	tree->v[tree->count++] = e;
	return status;
}

static bool is_itself_or_parent(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Adds what is directly in a folder of the tree. */
static enum status add_children(struct tree *tree, const struct fix_plan *plan, size_t folder, struct error *err)
{
	DIR *d = opendir(tree->v[folder].source);
	enum status status = STATUS_OK;
	const struct dirent *child;

	if (!d)
		return error_set_errno(err, errno, "cannot read the folder %s", tree->v[folder].source);
	errno = 0;
	while (status == STATUS_OK && (child = readdir(d))) {
		if (is_itself_or_parent(child->d_name))
			continue;
		status = add_entry(tree, plan, joined(tree->v[folder].source, child->d_name),
				   joined(tree->v[folder].place, child->d_name), false, child->d_type == DT_REG, err);
		errno = 0;
	}
	if (status == STATUS_OK && errno)
		status = error_set_errno(err, errno, "cannot read the folder %s", tree->v[folder].source);
	closedir(d);
	return status;
}

static int compare_places(const void *pa, const void *pb)
{
	const struct tree_entry *a = pa, *b = pb;

	return strcmp(a->place, b->place);
}

enum status tree_check_places(const struct tree *tree, const char *reserved, struct error *err)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_entry *e = &tree->v[i];

		if (GUARD(receipt_among_the_inputs, !strcmp(e->place, reserved)))
			return error_set(err, "%s: the result has a file of its own with this name", e->source);
		if (i && GUARD(two_inputs_of_one_name, !strcmp(tree->v[i - 1].place, e->place)))
			return error_set(err, "%s and %s would both become %s in the result", tree->v[i - 1].source,
					 e->source, e->place);
	}
	return STATUS_OK;
}

/* The name of a PATH in a result of several: its last part, "masks" of "data/masks/". */
static char *name_of_path(const char *path)
{
	char *trimmed = xmemdup0(path, MAX(path_trimmed(path), (size_t)1));
	char *name = xstrdup(file_name_of(trimmed));

	free(trimmed);
	return name;
}

static enum status add_path(struct tree *tree, const struct fix_plan *plan, const char *path, bool alone,
			    struct error *err)
{
	struct stat st;
	bool is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	char *place = alone && is_folder ? xstrdup("") : name_of_path(path);

	tree->roots[tree->roots_count++] = xstrdup(place);
	if (!alone && (!*place || is_itself_or_parent(place))) {
		free(place);
		return error_set(err, "%s: a PATH of several needs a name", path);
	}
	return add_entry(tree, plan, xstrdup(path), place, true, false, err);
}

/* Adds the listed paths. */
static enum status add_listed(struct tree *tree, const struct fix_plan *plan, const struct path_list *listed,
			      size_t shared, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < listed->count && status == STATUS_OK; i++) {
		char *place = path_list_place(listed->v[i], shared, err);

		if (!place)
			return STATUS_FAILED;
		tree->roots[tree->roots_count++] = xstrdup(place);
		status = add_entry(tree, plan, xstrdup(listed->v[i]), place, true, false, err);
	}
	return status;
}

/* Adds the folders that listed paths are in, with nothing else that lies there. places: theirs, by the list's index. */
static enum status add_folders_of_listed(struct tree *tree, const struct path_list *listed, size_t shared,
					 char *const *places, struct error *err)
{
	const char *before = "";
	enum status status = STATUS_OK;

	for (size_t i = 0; i < listed->count && status == STATUS_OK; before = places[i++]) {
		const char *slash = strchr(places[i], '/');

		for (size_t n = shared; slash && status == STATUS_OK; slash = strchr(slash + 1, '/'), n++) {
			size_t len = (size_t)(slash - places[i]);

			if (!strncmp(before, places[i], len + 1))
				continue; /* the path before has it */
			status = add_entry(tree, NULL, xmemdup0(listed->v[i], path_component_end(listed->v[i], n)),
					   xmemdup0(places[i], len), true, false, err);
		}
	}
	return status;
}

enum status tree_gather(struct tree *tree, const struct fix_plan *plan, const char *const *paths, size_t count,
			const struct path_list *listed, struct error *err)
{
	size_t others = listed ? listed->count : 0, shared = 0;
	enum status status = STATUS_OK;

	*tree = (struct tree){ .roots = xcalloc(count + others + 1, sizeof(*tree->roots)) };
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = add_path(tree, plan, paths[i], count == 1 && !others, err);
	if (status == STATUS_OK && others)
		status = path_list_shared(listed, &shared, err);
	if (status == STATUS_OK && others)
		status = add_listed(tree, plan, listed, shared, err);
	/* what is added has its own turn */
	for (size_t i = 0; i < tree->count && status == STATUS_OK; i++)
		if (tree->v[i].kind == TREE_FOLDER)
			status = add_children(tree, plan, i, err);
	if (status == STATUS_OK && others)
		status = add_folders_of_listed(tree, listed, shared, tree->roots + count, err);
	if (tree->count)
		qsort(tree->v, tree->count, sizeof(*tree->v), compare_places);
	return status;
}
