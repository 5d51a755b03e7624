/* Reads the texts of a data.yaml that list images; finds the label files of these. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/hash.h"
#include "base/mem.h"
#include "cli/training_paths.h"
#include "read/input.h"
#include "read/text_lines.h"

/* For a text that lists images: ten million paths. */
enum { LIST_BYTES_MAX = 1 << 30 };

/* Returns the path of an image's label file; the caller frees it. */
static char *label_path(const struct taking *t, const char *image)
{
	char *label = taking_replace_images(t, image);
	struct strbuf out = STRBUF_INIT;

	label = label ? label : xstrdup(image);
	strbuf_add(&out, label, strlen(label) - strlen(file_name_extension(label)));
	strbuf_adds(&out, t->c->masks_dir ? ".png" : ".txt");
	free(label);
	return strbuf_detach(&out);
}

/* A text that lists images, and what was found out about them. */
struct image_list {
	char *folder; /* relative paths begin there, or at the folder of the configuration; owned */
	uint64_t images, labels, without_label, outside, absent;
	uint64_t texts, backslashes, trained; /* paths of label texts, with backslashes, that train lists, too */
	uint64_t first_line;                  /* of the first image that is outside or absent */
	struct strbuf unlabelled;             /* the text that the first image without one would have */
};

/* Adds the label file of an image, if it is where `folder` says. Returns whether something is there. */
static enum place add_label(struct taking *t, struct image_list *l, const char *folder, const char *line)
{
	char *image = taking_join_named(t, folder, line), *label = label_path(t, image);
	const uint64_t hash = hash_bytes(hash_seed(), label, strlen(label));
	enum place place = taking_place_of(t, label);

	if (place == PLACE_FILE) {
		l->labels++;
		if (taking_is_train(t))
			hash_set_add(&t->trained_files, hash);
		else
			l->trained += hash_set_has(&t->trained_files, hash);
		if (hash_set_add(&t->known, hash)) {
			taking_push(&t->files, label);
			label = NULL;
		}
	} else if (place != PLACE_OUTSIDE) {
		place = taking_place_of(t, image);
		/* an image without objects; or the images are not here at all, and their labels are */
		if (place == PLACE_FILE || (place == PLACE_ABSENT && taking_place_of_folder(t, label) == PLACE_FOLDER &&
					    taking_place_of_folder(t, image) == PLACE_ABSENT)) {
			place = PLACE_FILE;
			l->without_label += hash_set_add(&t->known, hash);
			if (!l->unlabelled.len)
				strbuf_adds(&l->unlabelled, label);
		}
	}
	free(image);
	free(label);
	return place;
}

static void add_line(struct taking *t, struct image_list *l, const struct text_line *line)
{
	FREED char *image = xmemdup0(line->s, line->n);

	l->texts += file_name_ends_in(image, ".txt");
	l->backslashes += strchr(image, '\\') != NULL;
	enum place place = add_label(t, l, strcmp(l->folder, ".") != 0 ? l->folder : "", image);

	l->images++;
	if (place == PLACE_ABSENT || place == PLACE_FOLDER) /* from the file's folder, not the list's */
		place = add_label(t, l, "", image);
	if (place == PLACE_FILE)
		return;
	l->first_line = l->first_line ? l->first_line : line->number;
	*(place == PLACE_OUTSIDE ? &l->outside : &l->absent) += 1;
}

/* Refuses a list of which some images are not there, or lead out of the folder. */
static enum status refuse_list(const struct taking *t, const struct image_list *l)
{
	const uint64_t count = l->outside ? l->outside : l->absent;
	RELEASED struct strbuf what = STRBUF_INIT;

	strbuf_addf(&what, "lists %" PRIu64 " %s, of which %" PRIu64 " %s (first: line %" PRIu64 "); %s", l->images,
		    l->images == 1 ? "image" : "images", count,
		    l->outside   ? count == 1 ? "leads out of the folder of this file"
					      : "lead out of the folder of this file"
		    : count == 1 ? "is not there, nor its label file"
				 : "are not there, nor their label files",
		    l->first_line,
		    l->outside ? "it came with the data: pass --follow if that is meant"
			       : "correct the list, or fetch them");
	taking_refuse(t, what.s);
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

/* Notes what some of the listed images are. */
static void fault_of_some(struct taking *t, const struct image_list *l, uint64_t count, const char *what,
			  const char *wrong)
{
	if (count)
		taking_fault(t, "%s: %" PRIu64 " of %" PRIu64 " %s of %s %s", t->entry->key, count, l->images, what,
			     t->entry->value, wrong);
}

/* Adds the labels of the images that a text lists, a path a line. */
enum status taking_add_list(struct taking *t, const char *path)
{
	struct image_list l = { .unlabelled = STRBUF_INIT };
	struct fault fault = FAULT_INIT;
	struct input in;
	const char *wrong = "cannot be read";

	taking_push(&t->o->input.taken.read, taking_as_typed(t, path)); /* no output may replace it */
	l.folder = path_folder(path);
	input_init(&in);
	if (input_open(&in, t->folder_fd, path, &fault))
		wrong = in.size > LIST_BYTES_MAX ? "is no file of at most 1 GiB" : read_lines(t, &l, &in);
	input_release(&in);
	free(l.folder);
	RELEASED struct strbuf what = STRBUF_INIT, unlabelled = l.unlabelled;

	t->without_label += l.without_label;
	if (wrong)
		return taking_refuse(t, wrong);
	if (l.outside || l.absent)
		return refuse_list(t, &l);
	if (l.texts)
		return taking_refuse(
			t, "lists label files: Ultralytics looks there for images, and finds their labels itself");
	fault_of_some(t, &l, l.backslashes, "paths", "have backslashes, which are no separators but on Windows");
	fault_of_some(t, &l, l.trained, "images", "are listed for train, too: it scores images that were trained on");
	if (l.labels)
		return STATUS_OK;
	strbuf_adds(&what, l.images ? "lists images, none of which has a label file" : "lists no image");
	if (unlabelled.len)
		strbuf_addf(&what,
			    ": the first one's is looked for at %s, since Ultralytics puts labels/ in the place of a "
			    "last folder images/, in small letters, and else looks beside the image",
			    unlabelled.s);
	return taking_refuse(t, what.s);
}
