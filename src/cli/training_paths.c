/*
 * Replaces a PATH that is a training's configuration (read/class_file.h) by the label files that it leads to, and takes
 * its classes unless others were given.
 *
 * It came with the data set, as a labelaudit.yaml that was found: a path that leads out of its folder is a question to
 * the user, which --follow answers, and it narrows nothing: what it names is audited, or it is an error. Ultralytics
 * looks for `path` in a folder of its own settings first; here it begins at the file's folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
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
#include "read/class_file.h"
#include "read/text_lines.h"

/* For a text that lists images: ten million paths. */
enum { LIST_BYTES_MAX = 1 << 30 };

struct taking {
	struct options *o;
	struct error *err;
	const char *file; /* the configuration, as typed */
	char *folder;     /* its folder: "set/" or "." */
	int folder_fd;
	char *bases[2]; /* the folder's absolute path, as typed and without links; owned */
	const struct training_config *c;
	const struct training_path *entry; /* the current one */
	bool follow;                       /* typed: paths may lead out of the folder */
	struct owned_list folders, files;  /* of labels, from the folder on; files: of images that texts list */
	struct hash_set known;             /* the hashes of the files: two lists may name one */
	uint64_t without_label;            /* images that are listed and have no label file: they hold no object */
	struct strbuf missing;             /* optional entries that do not exist */
};

/* ---- paths beneath the folder ------------------------------------------------------------------------------------ */

/* Returns the bytes of a buffer as a string of its own, and releases the buffer. */
static char *detach(struct strbuf *b)
{
	char *copy = xmemdup0(b->s, b->len);

	strbuf_release(b);
	return copy;
}

/* Appends a path with slashes: on Windows it may have been written with backslashes. */
static void add_slashed(struct strbuf *out, const char *path)
{
	const size_t from = out->len;

	strbuf_adds(out, path);
	for (size_t i = from; i < out->len; i++)
		out->s[i] = out->s[i] == '\\' ? '/' : out->s[i];
}

/*
 * Joins two parts of a path that the file names, into one from its folder on: by their names alone, so that one file
 * has one name. A path that begins at the root stays as it is unless it leads into the folder. The caller frees the
 * result.
 */
static char *join_named(const struct taking *t, const char *folder, const char *path)
{
	struct strbuf joined = STRBUF_INIT, inner = STRBUF_INIT;

	if (folder && *folder && *path != '/' && *path != '\\') {
		add_slashed(&joined, folder);
		strbuf_addch(&joined, '/');
	}
	add_slashed(&joined, path);
	for (size_t i = 0; i < ARRAY_SIZE(t->bases); i++) {
		strbuf_clear(&inner);
		relative_path(&inner, t->bases[i], t->bases[i], joined.s);
		if (!relative_path_leads_out(inner.s))
			break;
	}
	const bool outside = joined.s[0] == '/' && relative_path_leads_out(inner.s);

	strbuf_release(outside ? &inner : &joined);
	return detach(outside ? &joined : &inner);
}

/* Returns a path from the folder on as the user would type it. */
static char *as_typed(const struct taking *t, const char *path)
{
	struct strbuf out = STRBUF_INIT;

	if (!strcmp(path, "."))
		return xmemdup0(t->folder, MAX(path_trimmed(t->folder), (size_t)1));
	if (*path != '/' && strcmp(t->folder, ".") != 0)
		strbuf_adds(&out, t->folder);
	strbuf_adds(&out, path);
	return detach(&out);
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

/*
 * Returns the path of a file, or of a folder with a slash at its end, with its last folder called images replaced; NULL
 * if there is none. The caller frees it.
 */
static char *replace_images(const struct taking *t, const char *path)
{
	const char *images = path_find_folder(path, "images");
	struct strbuf out = STRBUF_INIT;

	if (!images)
		return NULL;
	strbuf_add(&out, path, (size_t)(images - path));
	strbuf_adds(&out, t->c->masks_dir ? t->c->masks_dir : "labels");
	strbuf_adds(&out, strchr(images, '/'));
	return detach(&out);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static enum status refuse(const struct taking *t, const char *what)
{
	return error_set(t->err,
			 "%s: line %zu: %s: '%s' %s; audit the labels themselves: labelaudit --classes %s LABELS/",
			 t->file, t->entry->line, t->entry->key, t->entry->value, what, t->file);
}

#define LEADS_OUT "leads out of the folder of this file, which came with the data: pass --follow if that is meant"

/* Owns path. */
static void push(struct owned_list *list, char *path)
{
	GROW(list->v, list->cap, list->count + 1);
	list->v[list->count++] = path;
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
	struct owned_list *folders = &t->folders;

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
	struct strbuf slashed = STRBUF_INIT;

	strbuf_addf(&slashed, "%s/", folder);
	char *other = replace_images(t, slashed.s);
	const char *images = path_find_folder(slashed.s, "images");
	const bool last = images && !strcmp(images, "images/");
	const size_t above = (size_t)(images ? images - slashed.s : 0);

	strbuf_release(&slashed);
	if (!other) { /* images and labels lie in it */
		add_found(t, folder);
		return STATUS_OK;
	}
	other[strlen(other) - 1] = '\0'; /* the slash */
	const enum place place = place_of(t, other);

	if (place == PLACE_FOLDER && last && !t->c->masks_dir) {
		/* images/ and labels/ side by side: from above, images without labels show, too */
		free(other);
		other = above ? xmemdup0(folder, above - 1) : xstrdup(".");
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
	char *label = replace_images(t, image);
	struct strbuf out = STRBUF_INIT;

	label = label ? label : xstrdup(image);
	strbuf_add(&out, label, strlen(label) - strlen(file_name_extension(label)));
	strbuf_adds(&out, t->c->masks_dir ? ".png" : ".txt");
	free(label);
	return detach(&out);
}

/* A text that lists images, and what was found out about them. */
struct image_list {
	char *folder; /* relative paths begin there, or at the folder of the configuration; owned */
	uint64_t images, labels, without_label, outside, absent;
	uint64_t first_line; /* of the first image that is outside or absent */
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

static void add_line(struct taking *t, struct image_list *l, const struct text_line *line)
{
	char *image = xmemdup0(line->s, line->n);
	enum place place = add_label(t, l, strcmp(l->folder, ".") != 0 ? l->folder : "", image);

	l->images++;
	if (place == PLACE_ABSENT || place == PLACE_FOLDER) /* from the file's folder, not the list's */
		place = add_label(t, l, "", image);
	free(image);
	if (place == PLACE_FILE)
		return;
	l->first_line = l->first_line ? l->first_line : line->number;
	*(place == PLACE_OUTSIDE ? &l->outside : &l->absent) += 1;
}

/* Refuses a list of which some images are not there, or lead out of the folder. */
static enum status refuse_list(const struct taking *t, const struct image_list *l)
{
	const uint64_t count = l->outside ? l->outside : l->absent;
	struct strbuf what = STRBUF_INIT;

	strbuf_addf(&what, "lists %" PRIu64 " %s, of which %" PRIu64 " %s (first: line %" PRIu64 "); %s", l->images,
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

/* Reads the lines of an open list. Returns what is wrong with it, or NULL. */
static const char *read_lines(struct taking *t, struct image_list *l, struct input *in)
{
	struct fault fault = FAULT_INIT;
	struct text_lines text;
	struct text_line line;
	bool too_long = false, good = text_lines_open(&text, in, &fault);

	while (good && !too_long && text_lines_next(&text, &line, &fault)) {
		too_long = line.n >= PATH_MAX;
		if (line.n && !too_long)
			add_line(t, l, &line);
	}
	text_lines_close(&text);
	if (too_long)
		return "has a line that is longer than a path can be";
	return fault.kind != FAULT_NONE ? "cannot be read" : NULL;
}

/* Adds the labels of the images that a text lists, a path a line. */
static enum status add_list(struct taking *t, const char *path)
{
	struct image_list l = { 0 };
	struct fault fault = FAULT_INIT;
	struct input in;
	const char *wrong = "cannot be read";

	push(&t->o->input.taken.read, as_typed(t, path)); /* no output may replace it */
	l.folder = path_folder(path);
	input_init(&in);
	if (input_open(&in, t->folder_fd, path, &fault))
		wrong = in.size > LIST_BYTES_MAX ? "is no file of at most 1 GiB" : read_lines(t, &l, &in);
	input_release(&in);
	free(l.folder);
	t->without_label += l.without_label;
	if (wrong)
		return refuse(t, wrong);
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
	status = file_name_ends_in(path, ".txt") ? add_list(t, path)
						 : refuse(t, "is neither a folder nor a list of images");
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
	if (t->o->settings.yolo.keypoints)
		strbuf_addf(&out, ", kpt_shape: [%" PRIu32 ", %" PRIu32 "]", t->o->settings.yolo.keypoints,
			    t->o->settings.yolo.numbers);
	if (t->without_label)
		strbuf_addf(&out, "; %" PRIu64 " listed %s", t->without_label,
			    t->without_label == 1 ? "image has no label file" : "images have no label file");
	strbuf_adds(&out, t->missing.s);
	t->o->input.taken.from = detach(&out);
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
			push(&o->input.taken.paths, as_typed(t, t->folders.v[j]));
			string_list_add(&o->input.paths, o->input.taken.paths.v[o->input.taken.paths.count - 1]);
		}
	}
	if (o->input.taken.typed_paths.count)
		free(old.v);
	else
		o->input.taken.typed_paths = old;
}

/* Returns false with *t->err set if the folder is not there. */
static bool open_folder(struct taking *t)
{
	char *current = getcwd(NULL, 0);
	struct strbuf typed = STRBUF_INIT;

	t->folder_fd = platform_open_folder(AT_FDCWD, t->folder, 0);
	t->bases[1] = realpath(t->folder, NULL);
	if (current && *t->folder != '/')
		path_add_components(&typed, current);
	path_add_components(&typed, t->folder);
	if (t->folder_fd < 0 || !current || !t->bases[1])
		error_set_errno(t->err, errno, "%s", t->folder);
	free(current);
	t->bases[0] = detach(&typed);
	return t->folder_fd >= 0 && t->bases[1] && current;
}

static void free_paths(struct owned_list *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->v[i]);
	free(paths->v);
}

/* --task wins over the file; the keypoints are those of a pose alone. */
static void take_yolo_form(struct options *o, const struct yolo_form *form)
{
	struct yolo_form *declared = &o->settings.yolo;

	if (declared->task == TASK_AUTO)
		declared->task = form->task;
	if (declared->task == TASK_POSE) {
		declared->keypoints = form->keypoints;
		declared->numbers = form->numbers;
	}
}

static enum status take(struct options *o, struct class_file *file, const struct training_config *c, size_t at,
			struct error *err)
{
	const bool classes = !o->classes.classes && !o->classes.preset && !o->input.list && !o->input.explain;
	const bool ignore = c->masks_dir && option_given_of(o, "ignore")->origin == ORIGIN_DEFAULT;
	struct taking t = { .o = o,
			    .err = err,
			    .file = file->path,
			    .folder = path_folder(file->path),
			    .c = c,
			    .follow =
				    o->input.find.follow && option_given_of(o, "follow")->origin == ORIGIN_COMMAND_LINE,
			    .missing = STRBUF_INIT };
	enum status status = STATUS_FAILED;

	push(&o->input.taken.read, xstrdup(t.file)); /* no output may replace it */
	if (open_folder(&t) && find_paths(&t) == STATUS_OK)
		status = classes ? class_file_add(file, &o->settings.classes, NULL) : STATUS_OK;
	if (status == STATUS_OK) {
		if (classes)
			o->classes.classes = t.file;
		o->classes.taken = classes;
		if (ignore) /* Ultralytics' ignore label */
			id_ranges_add(&o->settings.classes.ignored, 255, 255);
		take_yolo_form(o, &c->yolo);
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

/* Opens a PATH that may be such a file by its name. Returns false if it is none. Close it all the same. */
static bool open_config(struct class_file *file, struct training_config *c, const char *path, struct error *err)
{
	const char *name = file_name_of(path);
	struct error ignored = ERROR_INIT;
	struct stat st;

	*file = (struct class_file){ .raw = STRBUF_INIT };
	if ((!file_name_ends_in(name, ".yaml") && !file_name_ends_in(name, ".yml") &&
	     strcmp(name, "dataset.json") != 0 && strcmp(name, "dataset_info.json") != 0) ||
	    stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    class_file_open(file, "classes", path, &ignored) != STATUS_OK)
		return false;
	file->err = err;
	class_file_training(file, c);
	return c->kind != TRAINING_NONE;
}

enum status options_take_training_config(struct options *o, struct error *err)
{
	struct training_config *c = xcalloc(2, sizeof(*c)); /* the one that was found, and the current one */
	struct class_file found = { .raw = STRBUF_INIT }, file;
	enum status status = STATUS_OK;
	size_t at = 0;

	for (size_t i = 0; i < o->input.paths.count && status == STATUS_OK; i++) {
		if (!open_config(&file, &c[1], o->input.paths.v[i], err)) {
			class_file_close(&file);
		} else if (c[0].kind != TRAINING_NONE) {
			status = error_set(err, "%s and %s are two training configurations; audit one after the other",
					   found.path, file.path);
			class_file_close(&file);
		} else {
			found = file;
			c[0] = c[1];
			at = i;
		}
	}
	if (status == STATUS_OK && c[0].kind != TRAINING_NONE)
		status = take(o, &found, &c[0], at, err);
	class_file_close(&found);
	free(c);
	return status;
}
