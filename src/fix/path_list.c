#include "fix/path_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/strbuf.h"
#include "base/write_all.h"
#include "find/file_list.h"
#include "platform/platform.h"

/* ---- the list ---------------------------------------------------------------------------------------------------- */

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

static void path_list_add(struct path_list *list, const char *path)
{
	struct strbuf plain = STRBUF_INIT;
	const char *component;
	size_t n;

	strbuf_adds(&plain, *path == '/' ? "/" : "");
	for (const char *at = path; (n = next_component(&at, &component)) != 0;) {
		strbuf_adds(&plain, plain.len && plain.s[plain.len - 1] != '/' ? "/" : "");
		strbuf_add(&plain, component, n);
	}
	GROW(list->v, list->cap, list->count + 1);
	list->v[list->count++] = xstrdup(plain.len ? plain.s : ".");
	strbuf_release(&plain);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void path_list_sort(struct path_list *list)
{
	if (list->count)
		qsort(list->v, list->count, sizeof(*list->v), compare_paths);
}

enum status path_list_read(struct path_list *list, const char *path, bool nul_separated, struct error *err)
{
	struct listed_path listed = { 0 };
	struct file_list file;
	struct stat st;
	enum status status = file_list_open(&file, path, nul_separated, err);

	if (status != STATUS_OK)
		return status;
	while ((status = file_list_next(&file, stop_flag(), &listed, err)) == STATUS_OK && listed.path) {
		if (listed.cut) {
			status = error_set(err, "the list %s has a path of more than %d bytes", file.path,
					   FILE_LIST_PATH_MAX);
			break;
		}
		if (stat(listed.path, &st) == 0 && S_ISDIR(st.st_mode)) {
			status = error_set(err, "the list %s has a folder, which is to be a PATH of its own: %s",
					   file.path, listed.path);
			break;
		}
		path_list_add(list, listed.path);
	}
	file_list_release(&file);
	path_list_sort(list);
	return status;
}

void path_list_release(struct path_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->v[i]);
	free(list->v);
	*list = (struct path_list){ 0 };
}

/* ---- as a file --------------------------------------------------------------------------------------------------- */

enum status list_file_open(struct list_file *f, const char *const *paths, size_t count, struct error *err)
{
	struct strbuf text = STRBUF_INIT;

	const char *folder = getenv("TMPDIR");

	f->fd = platform_memory_file();
	if (f->fd < 0 && errno == EOPNOTSUPP)
		f->fd = open_unnamed(folder && *folder ? folder : "/tmp");
	bool ok = f->fd >= 0;

	for (size_t i = 0; i < count && ok; i++) {
		strbuf_add(&text, paths[i], strlen(paths[i]) + 1);
		if (text.len < 1 << 16 && i + 1 < count)
			continue;
		ok = write_all(f->fd, text.s, text.len);
		strbuf_clear(&text);
	}
	if (ok)
		f->path = platform_fd_path(f->fd);
	else
		error_set_errno(err, errno, "cannot keep the paths of --files-from");
	strbuf_release(&text);
	if (!ok)
		list_file_close(f);
	return ok ? STATUS_OK : STATUS_FAILED;
}

void list_file_close(struct list_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Returns how many components the path has. */
static size_t components_of(const char *path)
{
	const char *component;
	size_t n = 0;

	while (next_component(&path, &component))
		n++;
	return n;
}

size_t path_component_end(const char *path, size_t n)
{
	const char *at = path, *component;

	for (size_t i = 0; i <= n; i++)
		next_component(&at, &component);
	return (size_t)(at - path);
}

enum status path_list_shared(const struct path_list *list, size_t *shared, struct error *err)
{
	const char *first = list->count ? list->v[0] : "";
	size_t n = components_of(first);

	n -= n != 0; /* its name */
	for (size_t i = 1; i < list->count; i++) {
		const char *a = first, *b = list->v[i], *in_a, *in_b;
		size_t equal = 0, of_b = components_of(b);

		if ((*a == '/') != (*b == '/'))
			return error_set(err, "%s and %s share no folder: list all from the root, or none", a, b);
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

char *path_list_place(const char *path, size_t shared, struct error *err)
{
	const char *at = path, *component;
	struct strbuf place = STRBUF_INIT;
	bool leads_out = false;
	size_t len;

	for (size_t i = 0; (len = next_component(&at, &component)) != 0; i++) {
		if (i < shared)
			continue;
		leads_out |= len == 2 && !memcmp(component, "..", 2);
		strbuf_addf(&place, "%s%.*s", place.len ? "/" : "", (int)len, component);
	}
	char *copy = NULL;

	if (!place.len)
		error_set(err, "%s: a listed path needs a name", path);
	else if (GUARD(listed_path_outside_the_result, leads_out))
		error_set(err, "%s: its place in the result would lie outside of it: list it without ..", path);
	else
		copy = xstrdup(place.s);
	strbuf_release(&place);
	return copy;
}
