/*
 * Replaces a PATH that is a training's configuration (read/class_file.h) by the label files that it leads to, and takes
 * its classes unless others were given.
 *
 * It came with the data set, as a labelaudit.yaml that was found: a path that leads out of its folder is a question to
 * the user, which --follow answers, and it narrows nothing: what it names is audited, or it is an error. Ultralytics
 * looks for `path` in a folder of its own settings first; here it begins at the file's folder.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
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
#include "cli/training_paths.h"
#include "platform/platform.h"
#include "read/class_file.h"

/* ---- paths beneath the folder ------------------------------------------------------------------------------------ */

/* Appends a path with slashes: on Windows it may have been written with backslashes. */
static void add_slashed(struct strbuf *out, const char *path)
{
	const size_t from = out->len;

	strbuf_adds(out, path);
	for (size_t i = from; i < out->len; i++)
		out->s[i] = out->s[i] == '\\' ? '/' : out->s[i];
}

char *taking_join_named(const struct taking *t, const char *folder, const char *path)
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
	return strbuf_detach(outside ? &joined : &inner);
}

char *taking_as_typed(const struct taking *t, const char *path)
{
	struct strbuf out = STRBUF_INIT;

	if (!strcmp(path, "."))
		return xmemdup0(t->folder, MAX(path_trimmed(t->folder), (size_t)1));
	if (*path != '/' && strcmp(t->folder, ".") != 0)
		strbuf_adds(&out, t->folder);
	strbuf_adds(&out, path);
	return strbuf_detach(&out);
}

enum place taking_place_of(const struct taking *t, const char *path)
{
	struct stat st;

	if (fstatat(t->folder_fd, path, &st, 0) < 0)
		return PLACE_ABSENT;
	if (!t->follow && GUARD(path_of_training_config, !path_is_beneath(t->folder_fd, path)))
		return PLACE_OUTSIDE;
	return S_ISDIR(st.st_mode) ? PLACE_FOLDER : PLACE_FILE;
}

enum place taking_place_of_folder(const struct taking *t, const char *path)
{
	FREED char *folder = path_folder(path);

	return taking_place_of(t, folder);
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
	char *meant = taking_join_named(t, t->c->root, value);

	*place = taking_place_of(t, meant);
	if (*place == PLACE_FILE || *place == PLACE_FOLDER)
		return meant;
	free(meant);
	for (size_t i = 0; i < ARRAY_SIZE(roots) && *place == PLACE_ABSENT; i++)
		for (int cut = 0; cut < 2; cut++) {
			const char *tail = cut ? inner : value;
			char *path = roots[i] && tail ? taking_join_named(t, roots[i], tail) : NULL;
			const enum place there = path ? taking_place_of(t, path) : PLACE_ABSENT;

			if (there == PLACE_FILE || there == PLACE_FOLDER) {
				*place = there;
				return path;
			}
			free(path);
		}
	return NULL;
}

char *taking_replace_images(const struct taking *t, const char *path)
{
	const char *images = path_find_folder(path, "images");
	struct strbuf out = STRBUF_INIT;

	if (!images)
		return NULL;
	strbuf_add(&out, path, (size_t)(images - path));
	strbuf_adds(&out, t->c->masks_dir ? t->c->masks_dir : "labels");
	strbuf_adds(&out, strchr(images, '/'));
	return strbuf_detach(&out);
}

/* ---- what the trainer makes of it -------------------------------------------------------------------------------- */

void taking_fault(struct taking *t, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	strbuf_addf(&t->faults, "%s%s%s", t->faults.len ? "; " : t->file, t->faults.len ? "" : ": ", text);
}

bool taking_is_train(const struct taking *t)
{
	return !strcmp(t->entry->key, "train");
}

void taking_push(struct owned_list *list, char *path)
{
	GROW(list->v, list->cap, list->count + 1);
	list->v[list->count++] = path;
}

/* Remembers a folder of images: Ultralytics takes all below it, and a split in another is the same images. */
static void compare_folder(struct taking *t, const char *folder)
{
	if (taking_is_train(t)) {
		taking_push(&t->trained, xstrdup(folder));
		return;
	}
	for (size_t i = 0; i < t->trained.count; i++) {
		const char *train = t->trained.v[i];
		const bool inside = !strcmp(train, ".") || path_lies_in(folder, train);

		if (!inside && !path_lies_in(train, folder))
			continue;
		taking_fault(t, "%s (%s) %s train (%s): it scores images that were trained on", t->entry->key, folder,
			     !strcmp(train, folder) ? "is the folder of"
			     : inside               ? "lies in the folder of"
						    : "holds the folder of",
			     train);
		return;
	}
}

/* Returns a folder that has the labels of images/ by another name, or NULL. The caller frees it. */
static char *find_other_labels(const struct taking *t, const char *images)
{
	static const char *const names[] = { "annotations", "Annotations", "Labels", "label", "annotation" };
	const char *const at = path_find_folder(images, "images");

	for (size_t i = 0; at && i < ARRAY_SIZE(names); i++) {
		RELEASED struct strbuf out = STRBUF_INIT;

		strbuf_addf(&out, "%.*s%s%s", (int)(at - images), images, names[i], strchr(at, '/'));
		if (taking_place_of(t, out.s) == PLACE_FOLDER)
			return strbuf_detach(&out);
	}
	return NULL;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

enum status taking_refuse(const struct taking *t, const char *what)
{
	return error_set(t->err,
			 "%s: line %zu: %s: '%s' %s; audit the labels themselves: labelaudit --classes %s LABELS/",
			 t->file, t->entry->line, t->entry->key, t->entry->value, what, t->file);
}

/* Returns whether a path is one of the folders, or lies in one. */
static bool is_covered(const struct taking *t, const char *path)
{
	for (size_t i = 0; i < t->folders.count; i++)
		if (!strcmp(t->folders.v[i], ".") || path_lies_in(path, t->folders.v[i]))
			return true;
	return false;
}

void taking_add_labels(struct taking *t, char *path)
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
	taking_push(folders, path);
}

/* Returns whether a folder is that of labels, and there is one of images beside it. */
static bool are_labels(const struct taking *t, const char *folder)
{
	RELEASED struct strbuf images = STRBUF_INIT;

	strbuf_addf(&images, "%s/", folder);
	const char *const at = path_find_folder(images.s, "labels");
	const size_t before = at ? (size_t)(at - images.s) : 0;

	strbuf_clear(&images);
	strbuf_addf(&images, "%.*simages%s", (int)before, folder, folder + before + (at ? strlen("labels") : 0));
	return at && taking_place_of(t, images.s) == PLACE_FOLDER;
}

/* Opens a folder beneath that of the file, or returns NULL. */
static DIR *open_beneath(const struct taking *t, const char *path)
{
	const int fd = openat(t->folder_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

/*
 * Counts the images of a folder that have no text: they are seen only where both folders are audited from above.
 * Returns whether none has one.
 */
static bool count_unlabelled(struct taking *t, const char *images, const char *labels)
{
	DIR *const of_labels = open_beneath(t, labels), *const of_images = open_beneath(t, images);
	struct hash_set stems = { 0 };
	uint64_t count = 0, without = 0;

	for (const struct dirent *e; of_labels && (e = readdir(of_labels));)
		if (file_name_ends_in(e->d_name, ".txt"))
			hash_set_add(&stems, hash_bytes(hash_seed(), e->d_name, strlen(e->d_name) - strlen(".txt")));
	for (const struct dirent *e; of_images && (e = readdir(of_images));) {
		if (!is_image_name(e->d_name))
			continue;
		const size_t stem = strlen(e->d_name) - strlen(file_name_extension(e->d_name));

		count++;
		without += !hash_set_has(&stems, hash_bytes(hash_seed(), e->d_name, stem));
	}
	hash_set_release(&stems);
	if (of_labels)
		closedir(of_labels);
	if (of_images)
		closedir(of_images);
	t->without_label += without;
	if (without && 2 * without >= count)
		taking_fault(t,
			     "%s: %" PRIu64 " of %" PRIu64
			     " images of %s have no text in %s: they are trained on as if "
			     "they held no object",
			     t->entry->key, without, count, images, labels);
	return count && without == count;
}

/* Adds the labels of a folder of images. Owns folder. */
static enum status add_folder(struct taking *t, char *folder)
{
	RELEASED struct strbuf slashed = STRBUF_INIT;

	strbuf_addf(&slashed, "%s/", folder);
	char *other = taking_replace_images(t, slashed.s);
	const char *images = path_find_folder(slashed.s, "images");
	const bool last = images && !strcmp(images, "images/");
	const size_t above = (size_t)(images ? images - slashed.s : 0);

	char *const elsewhere = t->c->masks_dir ? NULL : find_other_labels(t, slashed.s);

	compare_folder(t, folder);
	if (!other) { /* images and labels lie in it */
		free(elsewhere);
		if (are_labels(t, folder)) {
			free(folder);
			return taking_refuse(
				t, "is the folder of the labels: Ultralytics looks there for images, and finds "
				   "their labels itself");
		}
		if (count_unlabelled(t, folder, folder)) {
			free(folder);
			return taking_refuse(
				t, "has images and no texts: Ultralytics looks for a text beside its image, but "
				   "that of images/ in labels/: rename the folders to images and labels");
		}
		taking_add_labels(t, folder);
		return STATUS_OK;
	}
	other[strlen(other) - 1] = '\0'; /* the slash */
	const enum place place = taking_place_of(t, other);

	if (place == PLACE_FOLDER && !last && !t->c->masks_dir)
		count_unlabelled(t, folder, other);
	if (place == PLACE_FOLDER && last && !t->c->masks_dir) {
		/* images/ and labels/ side by side: from above, images without labels show, too */
		free(other);
		other = above ? xmemdup0(folder, above - 1) : xstrdup(".");
	}
	free(folder);
	if (place == PLACE_FOLDER) {
		taking_add_labels(t, other);
		free(elsewhere);
		return STATUS_OK;
	}
	RELEASED struct strbuf what = STRBUF_INIT;

	if (place == PLACE_OUTSIDE)
		strbuf_addf(&what, "has its labels in %s, which " LEADS_OUT, other);
	else
		strbuf_addf(&what, "has no labels: there is no folder %s", other);
	if (place == PLACE_ABSENT && elsewhere)
		strbuf_addf(&what,
			    "; %.*s is there, but Ultralytics looks for labels/ in the place of the last images/: "
			    "rename it",
			    (int)strlen(elsewhere) - 1, elsewhere);
	taking_refuse(t, what.s);
	free(elsewhere);
	free(other);
	return STATUS_FAILED;
}

static enum status add_entry(struct taking *t)
{
	enum place place;
	char *path = find_entry(t, t->entry->value, &place);
	enum status status;

	if (place == PLACE_OUTSIDE)
		return taking_refuse(t, LEADS_OUT);
	if (!path && !strcmp(t->entry->key, "test")) { /* of many sets it is kept back */
		taking_fault(t, "test: there is no '%s'", t->entry->value);
		return STATUS_OK;
	}
	if (!path)
		return taking_refuse(t, "does not exist beneath the folder of this file");
	if (strchr(t->entry->value, '\\'))
		taking_fault(t, "%s: '%s' has backslashes, which are no separators but on Windows", t->entry->key,
			     t->entry->value);
	if (place == PLACE_FOLDER)
		return add_folder(t, path);
	status = file_name_ends_in(path, ".txt") ? taking_add_list(t, path)
						 : taking_refuse(t, "is neither a folder nor a list of images");
	free(path);
	return status;
}

/* Returns whether a path that does not begin at the root has the folder's name: it begins in the datasets_dir then. */
static bool names_folder(const struct taking *t, const char *path)
{
	FREED char *name = xmemdup0(path, path_trimmed(path));

	return *path != '/' && !strcmp(file_name_of(name), file_name_of(t->bases[1]));
}

/* Adds the folders and lists of Ultralytics' splits, of which train and val are needed. */
static enum status add_splits(struct taking *t)
{
	bool train = false, val = false;

	for (size_t i = 0; i < t->c->count; i++) {
		t->entry = &t->c->paths[i];
		train |= taking_is_train(t);
		val |= !strncmp(t->entry->key, "val", 3);
		if (add_entry(t) != STATUS_OK)
			return STATUS_FAILED;
	}
	if (!train || !val) {
		taking_fault(t, "%s is not given: Ultralytics stops without it", train ? "val" : "train");
		t->o->input.taken.level = LEVEL_ERROR;
	}
	if (t->c->root && taking_place_of(t, t->c->root) == PLACE_ABSENT && !names_folder(t, t->c->root))
		taking_fault(
			t,
			"path: there is no '%s', where Ultralytics looks for the images; leave the key out if they are "
			"beside this file",
			t->c->root);
	return STATUS_OK;
}

static enum status find_paths(struct taking *t)
{
	switch (t->c->kind) {
	case TRAINING_ULTRALYTICS:
		if (add_splits(t) != STATUS_OK)
			return STATUS_FAILED;
		break;
	case TRAINING_NNUNET:
		if (taking_add_nnunet(t) != STATUS_OK)
			return STATUS_FAILED;
		break;
	case TRAINING_HUGGING_FACE:
		taking_add_labels(t, xstrdup("."));
		break;
	case TRAINING_NONE:
		break;
	}
	/* the files that lists name and no folder holds */
	for (size_t i = 0; i < t->files.count; i++) {
		if (is_covered(t, t->files.v[i]))
			free(t->files.v[i]);
		else
			taking_push(&t->folders, t->files.v[i]);
	}
	t->files.count = 0;
	if (!t->folders.count)
		return error_set(t->err,
				 "%s: its labels are not in its folder; audit them where they are: "
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
	if (t->o->input.taken.images)
		strbuf_addf(&out, ", the images (%s)", t->o->input.taken.images);
	strbuf_adds(&out, ignore ? ", 255 to be ignored" : "");
	if (t->o->settings.yolo.keypoints)
		strbuf_addf(&out, ", kpt_shape: [%" PRIu32 ", %" PRIu32 "]", t->o->settings.yolo.keypoints,
			    t->o->settings.yolo.numbers);
	if (t->without_label)
		strbuf_addf(&out, "; %" PRIu64 " %s", t->without_label,
			    t->without_label == 1 ? "image has no label file" : "images have no label file");
	t->o->input.taken.from = strbuf_detach(&out);
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
			taking_push(&o->input.taken.paths, taking_as_typed(t, t->folders.v[j]));
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
	t->bases[0] = strbuf_detach(&typed);
	return t->folder_fd >= 0 && t->bases[1] && current;
}

void taking_take_form(struct options *o, const struct yolo_form *form)
{
	struct yolo_form *declared = &o->settings.yolo;

	if (declared->task == TASK_AUTO)
		declared->task = form->task;
	if (declared->task == TASK_POSE) {
		declared->keypoints = form->keypoints;
		declared->numbers = form->numbers;
	}
}

/* Returns the classes that the file itself names, for a comparison with those of --classes; NULL: it names none that
 * are right. */
static struct class_set *own_classes(struct taking *t, struct class_file *file, struct error *err)
{
	struct class_set *own = xmalloc(sizeof(*own));

	class_set_init(own);
	file->err = err;
	if (class_file_add(file, own, NULL) == STATUS_OK)
		return own;
	taking_fault(t, "%s", err->text);
	class_set_release(own);
	free(own);
	return NULL;
}

static enum status take(struct options *o, struct class_file *file, const struct training_config *c, size_t at,
			struct error *err)
{
	const bool classes = !o->classes.classes && !o->classes.preset && !o->input.list && !o->input.explain;
	const bool ignore = c->masks_dir && option_given_of(o, "ignore")->origin == ORIGIN_DEFAULT;
	struct taking t = { .o = o,
			    .err = err,
			    .file = file->path,
			    .class_file = file,
			    .folder = path_folder(file->path),
			    .c = c,
			    .follow =
				    o->input.find.follow && option_given_of(o, "follow")->origin == ORIGIN_COMMAND_LINE,
			    .faults = STRBUF_INIT };
	struct error unfit = ERROR_INIT;
	enum status status = STATUS_FAILED;

	taking_push(&o->input.taken.read, xstrdup(t.file)); /* no output may replace it */
	if (class_file_check_keypoints(file) == STATUS_OK && open_folder(&t) && find_paths(&t) == STATUS_OK) {
		o->input.taken.classes = classes ? NULL : own_classes(&t, file, &unfit);
		status = classes ? class_file_add(file, &o->settings.classes, NULL) : STATUS_OK;
	}
	if (status == STATUS_OK) {
		if (classes)
			o->classes.classes = t.file;
		o->classes.taken = classes;
		if (ignore) /* Ultralytics' ignore label */
			id_ranges_add(&o->settings.classes.ignored, 255, 255);
		taking_take_form(o, &c->yolo);
		if (t.faults.len)
			o->input.taken.level = MAX(o->input.taken.level, LEVEL_WARNING);
		if (o->settings.yolo.keypoints && !c->mirrors) {
			o->input.taken.level = MAX(o->input.taken.level, LEVEL_INFO);
			taking_fault(&t, "flip_idx is not given: Ultralytics mirrors no image of it (fliplr is 0)");
		}
		describe(&t, classes, ignore);
		replace_path(&t, at);
		if (t.faults.len)
			o->input.taken.faults = strbuf_detach(&t.faults);
	}
	if (t.folder_fd >= 0)
		close(t.folder_fd);
	owned_list_release(&t.folders);
	owned_list_release(&t.files);
	owned_list_release(&t.trained);
	hash_set_release(&t.known);
	hash_set_release(&t.trained_files);
	for (size_t i = 0; i < ARRAY_SIZE(t.bases); i++)
		free(t.bases[i]);
	free(t.folder);
	strbuf_release(&t.faults);
	return status;
}

/*
 * Opens a PATH that may be such a file by its name. Returns false if it is none; then *ignored says why it is no class
 * file. Close it all the same.
 */
static bool open_config(struct class_file *file, struct training_config *c, const char *path, struct error *ignored,
			struct error *err)
{
	const char *name = file_name_of(path);
	struct stat st;

	*file = (struct class_file){ .raw = STRBUF_INIT };
	if ((!file_name_ends_in(name, ".yaml") && !file_name_ends_in(name, ".yml") &&
	     strcmp(name, "dataset.json") != 0 && strcmp(name, "dataset_info.json") != 0) ||
	    stat(path, &st) < 0 || !S_ISREG(st.st_mode) || class_file_open(file, "classes", path, ignored) != STATUS_OK)
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
		struct error ignored = ERROR_INIT;

		if (!open_config(&file, &c[1], o->input.paths.v[i], &ignored, err)) {
			class_file_close(&file);
			if (*ignored.text && o->input.paths.count == 1)
				status = error_set(err, "%s", ignored.text);
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
