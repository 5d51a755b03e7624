/*
 * Replaces a PATH that is a training's configuration (read/training_config.h) by the label files that it leads to, and
 * takes its classes unless others were given.
 *
 * It came with the data set, as a labelaudit.yaml that was found: a path that leads out of its folder is a question to
 * the user, which --follow answers, and it narrows nothing: what it names is audited, or it is an error. Ultralytics
 * looks for `path` in a folder of its own settings first; here it begins at the file's folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/relative_path.h"
#include "base/table.h"
#include "cli/options_table.h"
#include "platform/platform.h"
#include "read/training_config.h"

/* For a text that lists images: ten million paths. */
enum { LIST_BYTES_MAX = 1 << 30 };

struct taking {
	struct options *o;
	struct error *err;
	const char *file; /* the configuration, as typed */
	char *folder;     /* its folder: "set/" or "." */
	int folder_fd;
	char *bases[2]; /* the folder's absolute path, as typed and without links; NULL: unknown; owned */
	const struct training_config *c;
	const struct training_path *entry; /* the current one */
	bool follow;                       /* typed: paths may lead out of the folder */
	struct paths {
		char **v; /* from the folder on; owned */
		size_t count, cap;
	} folders, files;       /* of labels; files: those of the images that texts list */
	struct hash_set known;  /* the hashes of the files: two lists may name one */
	uint64_t without_label; /* images that are listed and have no label file: they hold no object */
	struct strbuf missing;  /* optional entries that do not exist */
};

/* ---- paths beneath the folder ------------------------------------------------------------------------------------ */

/* Returns a path without "." and doubled slashes, so that one file has one name; "." for nothing. */
static char *plain(const char *path)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_adds(&out, *path == '/' ? "/" : "");
	for (size_t n; *path; path += n) {
		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (!n || (n == 1 && *path == '.'))
			continue;
		if (out.len && out.s[out.len - 1] != '/')
			strbuf_addch(&out, '/');
		strbuf_add(&out, path, n);
	}
	char *copy = out.len ? xmemdup0(out.s, out.len) : xstrdup(".");

	strbuf_release(&out);
	return copy;
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

enum place { PLACE_ABSENT, PLACE_OUTSIDE, PLACE_FILE, PLACE_FOLDER };

/* Returns what a path from the folder leads to; PLACE_OUTSIDE: something that is not beneath it, and nobody said so. */
static enum place place_of(const struct taking *t, const char *path)
{
	struct stat st;

	if (fstatat(t->folder_fd, path, &st, 0) < 0)
		return PLACE_ABSENT;
	if (!t->follow && GUARD(path_of_training_config, !path_is_beneath(t->folder_fd, path)))
		return PLACE_OUTSIDE;
	return S_ISDIR(st.st_mode) ? PLACE_FOLDER : PLACE_FILE;
}

/* Returns what the folder of a path is. */
static enum place place_of_folder(const struct taking *t, const char *path)
{
	char *folder = path_folder(path);
	const enum place place = place_of(t, folder);

	free(folder);
	return place;
}

/*
 * Finds an entry: below `path`, then beside the file; and without a leading "../", which Roboflow writes and
 * Ultralytics leaves out in the same way. Returns NULL if it is nowhere, or if what the file means lies outside; the
 * caller frees it.
 */
static char *find_entry(const struct taking *t, const char *value, enum place *place)
{
	const char *const roots[] = { t->c->root, "" };
	const char *inner = !strncmp(value, "../", 3) || !strncmp(value, "..\\", 3) ? value + 3 : NULL;
	char *meant = join_named(t, t->c->root, value);

	*place = place_of(t, meant);
	if (*place == PLACE_FILE || *place == PLACE_FOLDER)
		return meant;
	free(meant);
	for (size_t i = 0; i < ARRAY_SIZE(roots) && *place == PLACE_ABSENT; i++)
		for (int cut = 0; cut < 2; cut++) {
			const char *tail = cut ? inner : value;
			char *path = roots[i] && tail ? join_named(t, roots[i], tail) : NULL;
			const enum place there = path ? place_of(t, path) : PLACE_ABSENT;

			if (there == PLACE_FILE || there == PLACE_FOLDER) {
				*place = there;
				return path;
			}
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

#define LEADS_OUT "leads out of the folder of this file, which came with the data: pass --follow if that is meant"

static void push(struct paths *paths, char *path)
{
	GROW(paths->v, paths->cap, paths->count + 1);
	paths->v[paths->count++] = path;
}

/* Returns whether a path is one of the folders, or lies in one. */
static bool is_covered(const struct taking *t, const char *path)
{
	for (size_t i = 0; i < t->folders.count; i++)
		if (!strcmp(t->folders.v[i], ".") || path_lies_in(path, t->folders.v[i]))
			return true;
	return false;
}

/* Takes over path, unless it lies in a folder that is there already. */
static void add_found(struct taking *t, char *path)
{
	struct paths *folders = &t->folders;

	if (is_covered(t, path)) {
		free(path);
		return;
	}
	for (size_t i = 0; i < folders->count;) {
		if (strcmp(path, ".") != 0 && !path_lies_in(folders->v[i], path)) {
			i++;
			continue;
		}
		free(folders->v[i]);
		memmove(folders->v + i, folders->v + i + 1, (--folders->count - i) * sizeof(*folders->v));
	}
	push(folders, path);
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
	const enum place place = place_of(t, other);

	if (place == PLACE_FOLDER && !folder[at + 6] && !t->c->masks_dir) {
		/* images/ and labels/ side by side: from above, images without labels show, too */
		free(other);
		other = at ? xmemdup0(folder, at - 1) : xstrdup(".");
	}
	free(folder);
	if (place == PLACE_FOLDER) {
		add_found(t, other);
		return STATUS_OK;
	}
	struct strbuf what = STRBUF_INIT;

	if (place == PLACE_OUTSIDE)
		strbuf_addf(&what, "has its labels in %s, which " LEADS_OUT, other);
	else
		strbuf_addf(&what, "has no labels: there is no folder %s", other);
	refuse(t, what.s);
	strbuf_release(&what);
	free(other);
	return STATUS_FAILED;
}

/* Returns the path of an image's label file; the caller frees it. */
static char *label_path(const struct taking *t, const char *image)
{
	size_t at = find_images(image);
	char *label = at == SIZE_MAX ? xstrdup(image)
				     : replace_images(image, at, t->c->masks_dir ? t->c->masks_dir : "labels");
	const char *dot = file_name_extension(label);
	struct strbuf out = STRBUF_INIT;

	strbuf_add(&out, label, strlen(label) - strlen(dot));
	strbuf_adds(&out, t->c->masks_dir ? ".png" : ".txt");
	free(label);
	label = xmemdup0(out.s, out.len);
	strbuf_release(&out);
	return label;
}

/* A text that lists images, and what was found out about them. */
struct image_list {
	char *folder; /* relative paths begin there, or at the folder of the configuration; owned */
	uint64_t images, labels, without_label, outside, absent;
	size_t line, first_line; /* the current one, and the one of the first image that is outside or absent */
};

/* Adds the label file of an image, if it is where `folder` says. Returns whether something is there. */
static enum place add_label(struct taking *t, struct image_list *l, const char *folder, const char *line)
{
	char *image = join_named(t, folder, line), *label = label_path(t, image);
	enum place place = place_of(t, label);

	if (place == PLACE_FILE) {
		l->labels++;
		if (hash_set_add(&t->known, hash_bytes(hash_seed(), label, strlen(label)))) {
			push(&t->files, label);
			label = NULL;
		}
	} else if (place != PLACE_OUTSIDE) {
		place = place_of(t, image);
		/* an image without objects; or the images are not here at all, and their labels are */
		if (place == PLACE_FILE || (place == PLACE_ABSENT && place_of_folder(t, label) == PLACE_FOLDER &&
					    place_of_folder(t, image) == PLACE_ABSENT)) {
			place = PLACE_FILE;
			l->without_label += hash_set_add(&t->known, hash_bytes(hash_seed(), label, strlen(label)));
		}
	}
	free(image);
	free(label);
	return place;
}

static void add_line(struct taking *t, struct image_list *l, const char *line)
{
	enum place place;

	l->images++;
	place = add_label(t, l, strcmp(l->folder, ".") != 0 ? l->folder : "", line);
	if (place == PLACE_ABSENT || place == PLACE_FOLDER) /* from the file's folder, not the list's */
		place = add_label(t, l, "", line);
	if (place == PLACE_FILE)
		return;
	l->first_line = l->first_line ? l->first_line : l->line;
	*(place == PLACE_OUTSIDE ? &l->outside : &l->absent) += 1;
}

/*
 * Reads the next line that is not empty. Lines end in CR, LF or both, as Python's splitlines() has them. Returns
 * false at the end, or if a line is longer than a path can be; then *too_long.
 */
static bool next_line(FILE *f, struct image_list *l, char line[PATH_MAX], bool *too_long)
{
	size_t n = 0;
	bool cr = false;

	for (int c = getc_unlocked(f);; c = getc_unlocked(f)) {
		const bool end = c == '\n' || c == '\r' || c == EOF;

		if (!end) {
			*too_long = n + 1 == PATH_MAX;
			if (*too_long)
				return false;
			line[n++] = (char)c;
			continue;
		}
		if (c == EOF && !n)
			return false;
		l->line += !(cr && c == '\n' && !n);
		cr = c == '\r';
		if (n) {
			if (cr && (c = getc_unlocked(f)) != '\n' && c != EOF)
				ungetc(c, f);
			line[n] = '\0';
			return true;
		}
	}
}

/* Refuses a list of which some images are not there, or lead out of the folder. */
static enum status refuse_list(const struct taking *t, const struct image_list *l)
{
	const uint64_t count = l->outside ? l->outside : l->absent;
	struct strbuf what = STRBUF_INIT;

	strbuf_addf(&what, "lists %" PRIu64 " %s, of which %" PRIu64 " %s (first: line %zu); %s", l->images,
		    l->images == 1 ? "image" : "images", count,
		    l->outside   ? count == 1 ? "leads out of the folder of this file"
					      : "lead out of the folder of this file"
		    : count == 1 ? "is not there, nor its label file"
				 : "are not there, nor their label files",
		    l->first_line,
		    l->outside ? "it came with the data: pass --follow if that is meant"
			       : "correct the list, or fetch them");
	refuse(t, what.s);
	strbuf_release(&what);
	return STATUS_FAILED;
}

/* Notes a file that was read: no output may replace it. */
static void note_read(struct options *o, char *path)
{
	GROW(o->input.taken.read.v, o->input.taken.read.cap, o->input.taken.read.count + 1);
	o->input.taken.read.v[o->input.taken.read.count++] = path;
}

/* Adds the labels of the images that a text lists, a path a line. */
static enum status add_list(struct taking *t, const char *path)
{
	int fd = openat(t->folder_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	struct image_list l = { 0 };
	struct stat st;
	char line[PATH_MAX];
	bool too_long = false;

	if (!f || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > LIST_BYTES_MAX) {
		if (f)
			fclose(f);
		else if (fd >= 0)
			close(fd);
		return refuse(t, f ? "is no file of at most 1 GiB" : "cannot be read");
	}
	l.folder = path_folder(path);
	while (next_line(f, &l, line, &too_long))
		add_line(t, &l, line);
	const bool failed = ferror(f);

	fclose(f);
	free(l.folder);
	t->without_label += l.without_label;
	if (failed)
		return refuse(t, "cannot be read");
	if (too_long)
		return refuse(t, "has a line that is longer than a path can be");
	if (l.outside || l.absent)
		return refuse_list(t, &l);
	if (!l.labels)
		return refuse(t, l.images ? "lists images, none of which has a label file" : "lists no image");
	return STATUS_OK;
}

static enum status add_entry(struct taking *t)
{
	enum place place;
	char *path = find_entry(t, t->entry->value, &place);
	enum status status;

	if (place == PLACE_OUTSIDE)
		return refuse(t, LEADS_OUT);
	if (!path && !strcmp(t->entry->key, "test")) { /* of many sets it is kept back */
		strbuf_addf(&t->missing, "; test (%s) is not there", t->entry->value);
		return STATUS_OK;
	}
	if (!path)
		return refuse(t, "does not exist beneath the folder of this file");
	if (place == PLACE_FOLDER)
		return add_folder(t, path);
	if (file_name_ends_in(path, ".txt")) {
		note_read(t->o, join(t->folder, path));
		status = add_list(t, path);
	} else {
		status = refuse(t, "is neither a folder nor a list of images");
	}
	free(path);
	return status;
}

/* Adds the folders of nnU-Net: labelsTr is what is trained on; labelsTs is usually kept back. */
static enum status add_nnunet(struct taking *t)
{
	static const char *const names[] = { "labelsTr", "labelsTs" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const enum place place = place_of(t, names[i]);

		if (place == PLACE_FOLDER)
			add_found(t, xstrdup(names[i]));
		else if (place == PLACE_OUTSIDE)
			return error_set(t->err, "%s: %s " LEADS_OUT, t->file, names[i]);
		else if (i == 0)
			return error_set(t->err,
					 "%s: there is no folder %s beside it; audit the labels where they are: "
					 "labelaudit --classes %s LABELS/",
					 t->file, names[i], t->file);
	}
	return STATUS_OK;
}

static enum status find_paths(struct taking *t)
{
	switch (t->c->kind) {
	case TRAINING_ULTRALYTICS:
		for (size_t i = 0; i < t->c->count; i++) {
			t->entry = &t->c->paths[i];
			if (add_entry(t) != STATUS_OK)
				return STATUS_FAILED;
		}
		break;
	case TRAINING_NNUNET:
		return add_nnunet(t);
	case TRAINING_HUGGING_FACE:
		add_found(t, xstrdup("."));
		break;
	case TRAINING_NONE:
		break;
	}
	/* the files that lists name and no folder holds */
	for (size_t i = 0; i < t->files.count; i++) {
		if (is_covered(t, t->files.v[i]))
			free(t->files.v[i]);
		else
			push(&t->folders, t->files.v[i]);
	}
	t->files.count = 0;
	if (!t->folders.count)
		return error_set(t->err,
				 "%s: its labels (train, val) are not in its folder; audit them where they are: "
				 "labelaudit --classes %s LABELS/",
				 t->file, t->file);
	return STATUS_OK;
}

/* ---- what was taken ---------------------------------------------------------------------------------------------- */

/* Describes it: "set/data.yaml: paths set/train, set/val; classes; ignored 255". */
static void describe(const struct taking *t, bool classes, bool ignore)
{
	enum { NAMED_MAX = 4 };
	struct strbuf out = STRBUF_INIT;

	strbuf_addf(&out, "%s: %zu %s (", t->file, t->folders.count, t->folders.count == 1 ? "path" : "paths");
	for (size_t i = 0; i < t->folders.count && i < NAMED_MAX; i++)
		strbuf_addf(&out, "%s%s", i ? ", " : "", t->folders.v[i]);
	strbuf_adds(&out, t->folders.count > NAMED_MAX ? ", ...)" : ")");
	strbuf_adds(&out, classes ? ", the classes" : "");
	strbuf_adds(&out, ignore ? ", 255 to be ignored" : "");
	if (t->without_label)
		strbuf_addf(&out, "; %" PRIu64 " listed %s", t->without_label,
			    t->without_label == 1 ? "image has no label file" : "images have no label file");
	strbuf_adds(&out, t->missing.s);
	t->o->input.taken.from = xmemdup0(out.s, out.len);
	strbuf_release(&out);
}

/* Puts the paths in the place of PATH number `at`. */
static void replace_path(struct taking *t, size_t at)
{
	struct options *o = t->o;
	struct string_list old = o->input.paths;

	o->input.paths = (struct string_list){ 0 };
	for (size_t i = 0; i < old.count; i++) {
		if (i != at) {
			string_list_add(&o->input.paths, old.v[i]);
			continue;
		}
		for (size_t j = 0; j < t->folders.count; j++) {
			char *path = !strcmp(t->folders.v[j], ".")
					     ? plain(t->folder)
					     : join(strcmp(t->folder, ".") != 0 ? t->folder : "", t->folders.v[j]);

			string_list_add(&o->input.paths, path);
			GROW(o->input.taken.paths.v, o->input.taken.paths.cap, o->input.taken.paths.count + 1);
			o->input.taken.paths.v[o->input.taken.paths.count++] = path;
		}
	}
	if (o->input.taken.typed_paths.count)
		free(old.v);
	else
		o->input.taken.typed_paths = old;
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

static void free_paths(struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->v[i]);
	free(paths->v);
}

static enum status take(struct options *o, const struct training_config *c, size_t at, struct error *err)
{
	struct taking t = { .o = o,
			    .err = err,
			    .file = o->input.paths.v[at],
			    .folder = path_folder(o->input.paths.v[at]),
			    .c = c,
			    .follow =
				    o->input.find.follow && option_given_of(o, "follow")->origin == ORIGIN_COMMAND_LINE,
			    .missing = STRBUF_INIT };
	bool classes = !o->classes.classes && !o->classes.preset && !o->input.list && !o->input.explain;
	bool ignore = c->masks_dir && option_given_of(o, "ignore")->origin == ORIGIN_DEFAULT;
	enum status status;

	note_read(o, xstrdup(t.file));
	t.folder_fd = platform_open_folder(AT_FDCWD, t.folder, 0);
	find_bases(&t);
	status = t.folder_fd >= 0 ? find_paths(&t) : error_set_errno(err, errno, "%s", t.folder);
	if (status == STATUS_OK) {
		if (classes)
			o->classes.classes = t.file;
		if (ignore) /* Ultralytics' ignore label */
			id_ranges_add(&o->settings.classes.ignored, 255, 255);
		describe(&t, classes, ignore);
		replace_path(&t, at);
	}
	if (t.folder_fd >= 0)
		close(t.folder_fd);
	free_paths(&t.folders);
	free_paths(&t.files);
	hash_set_release(&t.known);
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

	for (size_t i = 0; i < o->input.paths.count && status == STATUS_OK; i++) {
		struct training_config c;

		training_config_read(&c, o->input.paths.v[i]);
		if (c.kind != TRAINING_NONE && found.kind != TRAINING_NONE) {
			status = error_set(err, "%s and %s are two training configurations; audit one after the other",
					   o->input.paths.v[at], o->input.paths.v[i]);
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
