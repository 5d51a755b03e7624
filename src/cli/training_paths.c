/*
 * Replaces a PATH that is a training's configuration (read/training_config.h) by the label files that it leads to, and
 * takes its classes unless others were given.
 *
 * It came with the data set, as a labelaudit.yaml that was found: its paths stay beneath its folder, and it narrows
 * nothing. Ultralytics looks for `path` in a folder of its own settings first; here it begins at the file's folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/relative_path.h"
#include "cli/options_table.h"
#include "read/training_config.h"

enum { LIST_BYTES_MAX = 256 << 20, LINE_MAX_BYTES = 4096 };

struct taking {
	struct options *o;
	struct error *err;
	const char *file; /* the configuration, as typed */
	char *folder;     /* its folder: "set/" or "." */
	int folder_fd;
	char *bases[2]; /* the folder's absolute path, as typed and without links; NULL: unknown; owned */
	const struct training_config *c;
	const struct training_path *entry; /* the current one */
	char **found;                      /* paths relative to the folder; owned */
	size_t found_count, found_cap;
	struct strbuf missing; /* optional entries that do not exist */
};

/* ---- paths beneath the folder ------------------------------------------------------------------------------------ */

/* Returns a path without a leading ./ and slashes at its end; "." for nothing. */
static char *plain(const char *path)
{
	while (path[0] == '.' && path[1] == '/')
		path += 1 + strspn(path + 1, "/");
	return *path ? xmemdup0(path, MAX(path_trimmed(path), (size_t)1)) : xstrdup(".");
}

static char *join(const char *folder, const char *path)
{
	struct strbuf out = STRBUF_INIT;

	if (folder && *folder && *path != '/') {
		strbuf_adds(&out, folder);
		if (folder[strlen(folder) - 1] != '/')
			strbuf_addch(&out, '/');
	}
	strbuf_adds(&out, path);
	char *copy = plain(out.s);

	strbuf_release(&out);
	return copy;
}

/*
 * Returns a path from the folder on, if its name leads back there: Ultralytics' files begin at the root, or at the
 * folder's parent. Otherwise the path as it is. Frees path; the caller frees the result.
 */
static char *from_folder(const struct taking *t, char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(t->bases) && (*path == '/' || strstr(path, "..")); i++) {
		struct strbuf inner = STRBUF_INIT;

		if (t->bases[i])
			relative_path(&inner, t->bases[i], t->bases[i], path);
		if (inner.len && strcmp(inner.s, "..") != 0 && strncmp(inner.s, "../", 3) != 0) {
			free(path);
			path = xmemdup0(inner.s, inner.len);
		}
		strbuf_release(&inner);
	}
	return path;
}

/* Returns a path with slashes: on Windows it may have been written with backslashes. The caller frees it. */
static char *with_slashes(const char *path)
{
	char *copy = xstrdup(path);

	for (char *p = copy; *p; p++)
		*p = *p == '\\' ? '/' : *p;
	return copy;
}

/* Joins two parts of a path that the file names. The caller frees the result. */
static char *join_named(const struct taking *t, const char *folder, const char *path)
{
	char *first = with_slashes(folder ? folder : ""), *second = with_slashes(path);
	char *joined = from_folder(t, join(first, second));

	free(first);
	free(second);
	return joined;
}

static bool exists(const struct taking *t, const char *path)
{
	struct stat st;

	return !GUARD(path_of_training_config, !path_is_beneath(t->folder_fd, path)) &&
	       fstatat(t->folder_fd, path, &st, 0) == 0;
}

static bool is_folder(const struct taking *t, const char *path)
{
	struct stat st;

	return exists(t, path) && fstatat(t->folder_fd, path, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

/* Returns whether there is such a path, but not beneath the folder. */
static bool leads_out(const struct taking *t, const char *path)
{
	struct stat st;

	return fstatat(t->folder_fd, path, &st, 0) == 0 && !path_is_beneath(t->folder_fd, path);
}

/*
 * Finds an entry: below `path`, then beside the file; and without a leading "../", which Roboflow writes and
 * Ultralytics leaves out in the same way. Returns NULL if it is nowhere, or if what the file means lies outside; the
 * caller frees it.
 */
static char *find_entry(const struct taking *t, const char *value, bool *outside)
{
	char *meant = join_named(t, t->c->root, value);

	const char *const roots[] = { t->c->root, "" };
	const char *inner = !strncmp(value, "../", 3) || !strncmp(value, "..\\", 3) ? value + 3 : NULL;

	*outside = leads_out(t, meant);
	free(meant);
	if (*outside)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		for (int cut = 0; cut < 2; cut++) {
			const char *tail = cut ? inner : value;
			char *path = roots[i] && tail ? join_named(t, roots[i], tail) : NULL;

			if (path && exists(t, path))
				return path;
			free(path);
		}
	return NULL;
}

/* Returns the place of the last component called `images`; SIZE_MAX if there is none. */
static size_t find_images(const char *path)
{
	size_t found = SIZE_MAX;

	for (const char *p = path; *p; p += strspn(p, "/")) {
		size_t n = strcspn(p, "/");

		if (n == 6 && !memcmp(p, "images", 6))
			found = (size_t)(p - path);
		p += n;
	}
	return found;
}

/* Returns the path with that component replaced; the caller frees it. */
static char *replace_images(const char *path, size_t at, const char *by)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_add(&out, path, at);
	strbuf_adds(&out, by);
	strbuf_adds(&out, path + at + 6);
	char *copy = xmemdup0(out.s, out.len);

	strbuf_release(&out);
	return copy;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static enum status refuse(const struct taking *t, const char *what)
{
	return error_set(t->err,
			 "%s: line %zu: %s: '%s' %s; audit the labels themselves: labelaudit --classes %s LABELS/",
			 t->file, t->entry->line, t->entry->key, t->entry->value, what, t->file);
}

static void push(struct taking *t, char *path)
{
	GROW(t->found, t->found_cap, t->found_count + 1);
	t->found[t->found_count++] = path;
}

/* Takes over path, unless it lies in a folder that is there already. */
static void add_found(struct taking *t, char *path)
{
	for (size_t i = 0; i < t->found_count; i++) {
		const char *other = t->found[i];

		if (!strcmp(other, ".") || path_lies_in(path, other)) {
			free(path);
			return;
		}
	}
	for (size_t i = 0; i < t->found_count;) {
		if (strcmp(path, ".") != 0 && !path_lies_in(t->found[i], path)) {
			i++;
			continue;
		}
		free(t->found[i]);
		memmove(t->found + i, t->found + i + 1, (--t->found_count - i) * sizeof(*t->found));
	}
	push(t, path);
}

/* Adds the labels of a folder of images. Owns folder. */
static enum status add_folder(struct taking *t, char *folder)
{
	size_t at = find_images(folder);
	const char *labels = t->c->masks_dir ? t->c->masks_dir : "labels";
	char *other;

	if (at == SIZE_MAX) { /* images and labels lie in it */
		add_found(t, folder);
		return STATUS_OK;
	}
	other = replace_images(folder, at, labels);
	bool there = is_folder(t, other), last = !folder[at + 6];

	if (there && last && !t->c->masks_dir) {
		/* images/ and labels/ side by side: from above, images without labels show, too */
		free(other);
		other = at ? xmemdup0(folder, at - 1) : xstrdup(".");
	}
	if (there) {
		free(folder);
		add_found(t, other);
		return STATUS_OK;
	}
	struct strbuf what = STRBUF_INIT;

	strbuf_addf(&what, "has no labels: there is no folder %s", other);
	refuse(t, what.s);
	strbuf_release(&what);
	free(other);
	free(folder);
	return STATUS_FAILED;
}

/* Returns the label file of an image, or NULL if it has none; the caller frees it. */
static char *label_of_image(const struct taking *t, const char *image)
{
	size_t at = find_images(image);
	char *label = at == SIZE_MAX ? xstrdup(image)
				     : replace_images(image, at, t->c->masks_dir ? t->c->masks_dir : "labels");
	const char *dot = file_name_extension(label);
	struct strbuf out = STRBUF_INIT;

	strbuf_add(&out, label, strlen(label) - strlen(dot));
	strbuf_adds(&out, t->c->masks_dir ? ".png" : ".txt");
	free(label);
	label = exists(t, out.s) ? xmemdup0(out.s, out.len) : NULL;
	strbuf_release(&out);
	return label;
}

/* Adds the labels of the images that a text lists, a path a line, relative to the text. */
static enum status add_list(struct taking *t, const char *list)
{
	int fd = openat(t->folder_fd, list, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	char *folder = path_folder(list), line[LINE_MAX_BYTES];
	size_t images = 0, labels = 0, bytes = 0;

	if (!f) {
		if (fd >= 0)
			close(fd);
		free(folder);
		return refuse(t, "cannot be read");
	}
	while (fgets(line, sizeof(line), f) && bytes < LIST_BYTES_MAX) {
		bytes += strlen(line);
		line[strcspn(line, "\r\n")] = '\0';
		if (!*line)
			continue;
		images++;
		char *image = join_named(t, strcmp(folder, ".") != 0 ? folder : "", line);
		char *label = label_of_image(t, image);

		free(image);
		if (!label) { /* from the file's folder, not the list's */
			image = join_named(t, "", line);
			label = label_of_image(t, image);
			free(image);
		}
		labels += label != NULL;
		if (label)
			push(t, label);
	}
	fclose(f);
	free(folder);
	if (images && !labels)
		return refuse(t, "lists images, none of which has a label file beneath this folder");
	return STATUS_OK;
}

static enum status add_entry(struct taking *t)
{
	bool outside;
	char *path = find_entry(t, t->entry->value, &outside);
	enum status status;

	if (outside)
		return refuse(t, "leads out of the folder of this file, which came with the data");
	if (!path && !strcmp(t->entry->key, "test")) { /* of many sets it is kept back */
		strbuf_addf(&t->missing, "; test (%s) is not there", t->entry->value);
		return STATUS_OK;
	}
	if (!path)
		return refuse(t, "does not exist beneath the folder of this file");
	if (is_folder(t, path))
		return add_folder(t, path);
	if (file_name_ends_in(path, ".txt"))
		status = add_list(t, path);
	else
		status = refuse(t, "is neither a folder nor a list of images");
	free(path);
	return status;
}

static enum status find_paths(struct taking *t)
{
	static const char *const of_nnunet[] = { "labelsTr", "labelsTs" };

	switch (t->c->kind) {
	case TRAINING_ULTRALYTICS:
		for (size_t i = 0; i < t->c->count; i++) {
			t->entry = &t->c->paths[i];
			if (add_entry(t) != STATUS_OK)
				return STATUS_FAILED;
		}
		break;
	case TRAINING_NNUNET:
		for (size_t i = 0; i < ARRAY_SIZE(of_nnunet); i++)
			if (is_folder(t, of_nnunet[i]))
				add_found(t, xstrdup(of_nnunet[i]));
		break;
	case TRAINING_HUGGING_FACE:
		add_found(t, xstrdup("."));
		break;
	case TRAINING_NONE:
		break;
	}
	if (!t->found_count)
		return error_set(
			t->err,
			"%s: its labels (%s) are not in its folder; audit them where they are: labelaudit --classes "
			"%s LABELS/",
			t->file, t->c->kind == TRAINING_NNUNET ? "labelsTr" : "train, val", t->file);
	return STATUS_OK;
}

/* ---- what was taken ---------------------------------------------------------------------------------------------- */

/* Describes it: "set/data.yaml: paths set/train, set/val; classes; ignored 255". */
static void describe(const struct taking *t, bool classes, bool ignore)
{
	enum { NAMED_MAX = 4 };
	struct strbuf out = STRBUF_INIT;

	strbuf_addf(&out, "%s: %zu %s (", t->file, t->found_count, t->found_count == 1 ? "path" : "paths");
	for (size_t i = 0; i < t->found_count && i < NAMED_MAX; i++)
		strbuf_addf(&out, "%s%s", i ? ", " : "", t->found[i]);
	strbuf_adds(&out, t->found_count > NAMED_MAX ? ", ...)" : ")");
	strbuf_adds(&out, classes ? ", the classes" : "");
	strbuf_adds(&out, ignore ? ", 255 to be ignored" : "");
	strbuf_adds(&out, t->missing.s);
	t->o->taken_from = xmemdup0(out.s, out.len);
	strbuf_release(&out);
}

/* Puts the paths in the place of PATH number `at`. */
static void replace_path(struct taking *t, size_t at)
{
	struct options *o = t->o;
	struct string_list old = o->paths;

	o->paths = (struct string_list){ 0 };
	for (size_t i = 0; i < old.count; i++) {
		if (i != at) {
			string_list_add(&o->paths, old.v[i]);
			continue;
		}
		for (size_t j = 0; j < t->found_count; j++) {
			char *path = !strcmp(t->found[j], ".")
					     ? plain(t->folder)
					     : join(strcmp(t->folder, ".") != 0 ? t->folder : "", t->found[j]);

			string_list_add(&o->paths, path);
			GROW(o->taken_paths, o->taken_paths_cap, o->taken_paths_count + 1);
			o->taken_paths[o->taken_paths_count++] = path;
		}
	}
	free(old.v);
}

static void find_bases(struct taking *t)
{
	char *current = getcwd(NULL, 0);
	struct strbuf typed = STRBUF_INIT;

	if (current && *t->folder != '/')
		path_add_components(&typed, current);
	path_add_components(&typed, t->folder);
	t->bases[0] = current && typed.len ? xmemdup0(typed.s, typed.len) : NULL;
	t->bases[1] = realpath(t->folder, NULL);
	strbuf_release(&typed);
	free(current);
}

static enum status take(struct options *o, const struct training_config *c, size_t at, struct error *err)
{
	struct taking t = { .o = o,
			    .err = err,
			    .file = o->paths.v[at],
			    .folder = path_folder(o->paths.v[at]),
			    .c = c,
			    .missing = STRBUF_INIT };
	bool classes = !o->classes && !o->preset && !o->list;
	bool ignore = c->masks_dir && option_given_of(o, "ignore")->origin == ORIGIN_DEFAULT;
	enum status status;

	t.folder_fd = open(t.folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	find_bases(&t);
	status = t.folder_fd >= 0 ? find_paths(&t) : error_set_errno(err, errno, "%s", t.folder);
	if (status == STATUS_OK) {
		if (classes)
			o->classes = t.file;
		if (ignore) /* Ultralytics' ignore label */
			id_ranges_add(&o->settings.classes.ignored, 255, 255);
		describe(&t, classes, ignore);
		replace_path(&t, at);
	}
	if (t.folder_fd >= 0)
		close(t.folder_fd);
	for (size_t i = 0; i < t.found_count; i++)
		free(t.found[i]);
	free(t.found);
	for (size_t i = 0; i < ARRAY_SIZE(t.bases); i++)
		free(t.bases[i]);
	free(t.folder);
	strbuf_release(&t.missing);
	return status;
}

enum status options_take_training_config(struct options *o, struct error *err)
{
	struct training_config found = { .kind = TRAINING_NONE };
	enum status status = STATUS_OK;
	size_t at = 0;

	for (size_t i = 0; i < o->paths.count && status == STATUS_OK; i++) {
		struct training_config c;

		training_config_read(&c, o->paths.v[i]);
		if (c.kind != TRAINING_NONE && found.kind != TRAINING_NONE) {
			status = error_set(err, "%s and %s are two training configurations; audit one after the other",
					   o->paths.v[at], o->paths.v[i]);
			training_config_release(&c);
		} else if (c.kind != TRAINING_NONE) {
			found = c;
			at = i;
		}
	}
	if (status == STATUS_OK && found.kind != TRAINING_NONE)
		status = take(o, &found, at, err);
	training_config_release(&found);
	return status;
}
