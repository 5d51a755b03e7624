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
		free(tree->v[i].place);
		free(tree->v[i].source);
		if (tree->v[i].kind == TREE_FOLDER)
			free(tree->v[i].folder);
	}
	for (size_t i = 0; i < tree->roots_count; i++)
		free(tree->roots[i]);
	free(tree->roots);
	free(tree->v);
	memset(tree, 0, sizeof(*tree));
}

static char *joined(const char *folder, const char *name)
{
	RELEASED struct strbuf path = STRBUF_INIT;

	strbuf_adds(&path, folder);
	if (path.len && path.s[path.len - 1] != '/')
		strbuf_addch(&path, '/');
	strbuf_adds(&path, name);
	return strbuf_detach(&path);
}

/* Cuts the extensions of packed files and of archives from a name, unless nothing would be left. */
static void cut_packed(char *place, bool archive)
{
	static const char *const archives[] = { ".tar", ".tgz", ".tbz2", ".txz", ".tzst", ".zip", ".npz" };
	const char *name = file_name_of(place);

	for (size_t n; (n = packing_length(name));)
		place[strlen(place) - n] = '\0';
	for (size_t i = 0; archive && i < ARRAY_SIZE(archives); i++)
		if (file_name_ends_in(name, archives[i]) && strlen(name) > strlen(archives[i]))
			place[strlen(place) - strlen(archives[i])] = '\0';
}

/* Fills what the plan makes of the entry. */
static void find_planned(struct tree_entry *e, const struct fix_plan *plan)
{
	e->file = fix_set_find(plan->set, e->source);
	e->changes = e->file && fix_plan_file(plan, e->file)->changes;
	if (fix_plan_changes_archive(plan, e->source)) {
		e->kind = TREE_ARCHIVE;
		cut_packed(e->place, true);
	} else if (e->changes && e->file->packed) {
		cut_packed(e->place, false);
	}
}

/* Returns whether a path leads to a file. */
static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Returns whether label files lie below a folder. */
static bool has_below(const struct fix_plan *plan, const char *folder)
{
	size_t n;

	fix_set_below(plan->set, folder, &n);
	return n;
}

/* Adds an entry, and takes over both names. regular: it is known to be a regular file. */
static enum status add_entry(struct tree *tree, const struct fix_plan *plan, char *source, char *place, bool follow,
			     bool regular, struct error *err)
{
	struct tree_entry e = { .source = source, .place = place, .kind = TREE_FILE };
	enum status status = STATUS_OK;
	struct stat st = { .st_mode = S_IFREG };

	if (plan)
		find_planned(&e, plan);
	/* a link to a folder of which files were audited, with --follow, becomes a folder with corrected copies */
	e.is_beyond = !follow && !regular && plan && has_below(plan, source) && lstat(source, &st) == 0 &&
		      S_ISLNK(st.st_mode);
	follow |= e.changes || e.kind == TREE_ARCHIVE || e.is_beyond ||
		  (!regular && plan && plan->set->follows && is_file(source));
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
	GROW(tree->v, tree->cap, tree->count + 1);
	tree->v[tree->count++] = e;
	return status;
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
		if (strcmp(child->d_name, ".") != 0 && strcmp(child->d_name, "..") != 0)
			status = add_entry(tree, plan, joined(tree->v[folder].source, child->d_name),
					   joined(tree->v[folder].place, child->d_name), false, child->d_type == DT_REG,
					   err);
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
			return error_set(err,
					 "%s: the result has a file of its own with this name; move it away, if it is "
					 "of an earlier fix",
					 e->source);
		if (i && GUARD(two_inputs_of_one_name, !strcmp(tree->v[i - 1].place, e->place)))
			return error_set(err, "%s and %s would both become %s in the result", tree->v[i - 1].source,
					 e->source, e->place);
	}
	return STATUS_OK;
}

/* ---- several paths ----------------------------------------------------------------------------------------------- */

/* Finds the next component from *at on, and moves *at after it. Returns its length; 0: there is none. */
static size_t next_component(const char **at, const char **component)
{
	size_t n;

	do {
		*component = *at + strspn(*at, "/");
		n = strcspn(*component, "/");
		*at = *component + n;
	} while (n == 1 && **component == '.');
	return n;
}

/* Returns how many components the path has. */
static size_t components_of(const char *path)
{
	const char *component;
	size_t n = 0;

	while (next_component(&path, &component))
		n++;
	return n;
}

/* Returns how many bytes of the path reach to the end of component n, the first being 0. */
static size_t path_component_end(const char *path, size_t n)
{
	const char *at = path, *component;

	for (size_t i = 0; i <= n; i++)
		next_component(&at, &component);
	return (size_t)(at - path);
}

/* Fills how many components of their folders all paths share. Fails if some begin at the root and others do not. */
static enum status count_shared(const struct string_list *list, size_t *shared, struct error *err)
{
	const char *first = list->count ? list->v[0] : "";
	size_t n = components_of(first);

	n -= n != 0; /* its name */
	for (size_t i = 1; i < list->count; i++) {
		const char *a = first, *b = list->v[i], *in_a, *in_b;
		size_t equal = 0, of_b = components_of(b);

		if ((*a == '/') != (*b == '/'))
			return error_set(err, "%s and %s share no folder: name all from the root, or none", a, b);
		for (size_t len; equal < n && equal + 1 < of_b; equal++) {
			len = next_component(&a, &in_a);
			if (next_component(&b, &in_b) != len || memcmp(in_a, in_b, len) != 0)
				break;
		}
		n = equal;
	}
	*shared = n;
	return STATUS_OK;
}

/*
 * Returns the place of a path, which the caller frees: its components after those that are shared. NULL if it has none
 * in the result: nothing is left, or a ".." might lead out of it; then *err is set.
 */
static char *place_of_path(const char *path, size_t shared, struct error *err)
{
	const char *at = path, *component;
	RELEASED struct strbuf place = STRBUF_INIT;
	bool leads_out = false;
	size_t len;

	for (size_t i = 0; (len = next_component(&at, &component)) != 0; i++) {
		if (i < shared)
			continue;
		leads_out |= len == 2 && !memcmp(component, "..", 2);
		strbuf_addf(&place, "%s%.*s", place.len ? "/" : "", (int)len, component);
	}
	if (!place.len)
		error_set(err, "%s: a PATH of several needs a name", path);
	else if (GUARD(listed_path_outside_the_result, leads_out))
		error_set(err, "%s: its place in the result would lie outside of it: name it without ..", path);
	else
		return strbuf_detach(&place);
	return NULL;
}

/* Adds the only path: a folder becomes the result, a file is in it. */
static enum status add_alone(struct tree *tree, const struct fix_plan *plan, const char *path, struct error *err)
{
	struct stat st;
	bool is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	enum status status =
		add_entry(tree, plan, xstrdup(path), xstrdup(is_folder ? "" : file_name_of(path)), true, false, err);

	tree->roots[tree->roots_count++] = xstrdup(tree->v[0].place);
	return status;
}

/* Adds paths that keep the folders which they do not share. */
static enum status add_paths(struct tree *tree, const struct fix_plan *plan, const struct string_list *paths,
			     size_t shared, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < paths->count && status == STATUS_OK; i++) {
		char *place = place_of_path(paths->v[i], shared, err);

		if (!place)
			return STATUS_FAILED;
		status = add_entry(tree, plan, xstrdup(paths->v[i]), place, true, false, err);
		tree->roots[tree->roots_count++] = xstrdup(tree->v[tree->count - 1].place);
	}
	return status;
}

/* Adds the folders that paths are in, with nothing else that lies there. */
static enum status add_folders_of_paths(struct tree *tree, const struct string_list *paths, size_t shared,
					struct error *err)
{
	const char *before = "";
	enum status status = STATUS_OK;

	for (size_t i = 0; i < paths->count && status == STATUS_OK; before = tree->roots[i++]) {
		const char *place = tree->roots[i], *slash = strchr(place, '/');

		for (size_t n = shared; slash && status == STATUS_OK; slash = strchr(slash + 1, '/'), n++) {
			size_t len = (size_t)(slash - place);

			if (!strncmp(before, place, len + 1))
				continue; /* the path before has it */
			status = add_entry(tree, NULL, xmemdup0(paths->v[i], path_component_end(paths->v[i], n)),
					   xmemdup0(place, len), true, false, err);
			tree->v[tree->count - 1].is_parent = true;
		}
	}
	return status;
}

/* Leaves one of each parent, or what else has its place. The entries are sorted. */
static void drop_parents(struct tree *tree)
{
	size_t n = 0;

	for (size_t i = 0; i < tree->count; i++) {
		const bool next = i + 1 < tree->count && !strcmp(tree->v[i].place, tree->v[i + 1].place);
		const bool before = n && !strcmp(tree->v[i].place, tree->v[n - 1].place);

		if (tree->v[i].is_parent && tree->v[i].kind == TREE_FOLDER && (next || before)) {
			free(tree->v[i].source);
			free(tree->v[i].place);
			free(tree->v[i].folder);
			continue;
		}
		tree->v[n++] = tree->v[i];
	}
	tree->count = n;
}

enum status tree_gather(struct tree *tree, const struct fix_plan *plan, const struct string_list *paths,
			struct error *err)
{
	const bool alone = paths->count == 1;
	enum status status;
	size_t shared = 0;

	*tree = (struct tree){ .roots = xcalloc(paths->count + 1, sizeof(*tree->roots)) };
	status = alone ? add_alone(tree, plan, paths->v[0], err) : count_shared(paths, &shared, err);
	if (status == STATUS_OK && !alone)
		status = add_paths(tree, plan, paths, shared, err);
	/* what is added has its own turn */
	for (size_t i = 0; i < tree->count && status == STATUS_OK; i++)
		if (tree->v[i].kind == TREE_FOLDER)
			status = add_children(tree, plan, i, err);
	if (status == STATUS_OK && !alone)
		status = add_folders_of_paths(tree, paths, shared, err);
	if (tree->count)
		qsort(tree->v, tree->count, sizeof(*tree->v), compare_places);
	drop_parents(tree);
	return status;
}
