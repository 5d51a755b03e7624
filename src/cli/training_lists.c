/* Reads the texts of a data.yaml that list images, and the cases of a dataset.json; finds the label files of these. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/file_name.h"
#include "base/hash.h"
#include "base/mem.h"
#include "cli/training_paths.h"
#include "find/pool.h"
#include "read/input.h"
#include "read/small_json.h"
#include "read/text_lines.h"
#include "read/volume.h"

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

/* ---- nnU-Net ----------------------------------------------------------------------------------------------------- */

/* Files that are not there. */
struct missing {
	uint64_t count;
	char first[64];
};

static void add_missing(struct missing *m, const char *name)
{
	if (!m->count++)
		snprintf(m->first, sizeof(m->first), "%.*s", (int)sizeof(m->first) - 1, name);
}

/* Returns what a path of a case leads to; nnU-Net expands $VARIABLES in it, and no one here knows their values. */
static enum place place_of(const struct taking *t, const cJSON *path, struct missing *missing)
{
	const char *text = cJSON_GetStringValue(path);
	const enum place place = !text ? PLACE_ABSENT : strchr(text, '$') ? PLACE_OUTSIDE : taking_place_of(t, text);

	if (place == PLACE_ABSENT || place == PLACE_FOLDER)
		add_missing(missing, text ? text : "a path that is no text");
	return place;
}

/* Reads the voxels of an image, as --check-images asks for. */
struct image_check {
	struct task task;
	int dirfd;
	const char *name;
	const struct limits *limits;
	struct fault fault;
};

static void check_image(struct task *task, bool ahead)
{
	struct image_check *c = (struct image_check *)task;

	(void)ahead;
	volume_check_numbers(c->dirfd, c->name, c->limits, &c->fault);
}

/* The faults of the cases of `dataset`: of their paths, and of the images beside their labels. */
struct cases {
	struct missing labels, images, outside, channels, shapes, spacings, places, numbers, damaged;
	unsigned declared;          /* channels; 0: unknown */
	struct image_check *checks; /* of volumes; owned */
	size_t checks_count, checks_cap;
};

static void add_check(struct cases *cases, const struct taking *t, const char *name)
{
	GROW(cases->checks, cases->checks_cap, cases->checks_count + 1);
	cases->checks[cases->checks_count++] = (struct image_check){ .task.run = check_image,
								     .dirfd = t->folder_fd,
								     .name = name,
								     .limits = &t->o->settings.limits,
								     .fault = FAULT_INIT };
}

/* Reads the images, as many at a time as there are workers. */
static void check_images(const struct taking *t, struct cases *cases)
{
	const unsigned jobs = t->o->run.jobs ? t->o->run.jobs : cpu_usable_cores();
	struct pool *pool = pool_open((int)jobs - 1);

	pool_do_all(pool, cases->checks, cases->checks_count, sizeof(*cases->checks));
	pool_stop(pool);
	pool_close(pool);
	for (size_t i = 0; i < cases->checks_count; i++) {
		const struct image_check *c = &cases->checks[i];

		if (c->fault.kind != FAULT_NONE)
			add_missing(c->fault.kind == FAULT_NOT_A_LABEL ? &cases->numbers : &cases->damaged, c->name);
	}
	free(cases->checks);
}

static bool have_one_spacing(const struct volume_header *a, const struct volume_header *b)
{
	for (unsigned i = 0; i < 3; i++) /* as np.allclose() */
		if (!(fabs(a->spacing[i] - b->spacing[i]) <= 1e-8 + 1e-5 * fabs(b->spacing[i])))
			return false;
	return true;
}

/* Compares the headers of a case's volumes; others are left to the audit, which reads the labels. */
static void compare_case(const struct taking *t, const cJSON *label, const cJSON *images, struct cases *cases)
{
	struct array_header a, b;
	struct fault ignored = FAULT_INIT;
	unsigned channels = 0;

	if (!volume_read_file(t->folder_fd, label->valuestring, &a, &ignored))
		return;
	for (const cJSON *e = images->child; e; e = e->next) {
		bool one_shape = true;

		if (!cJSON_IsString(e) || taking_place_of(t, e->valuestring) != PLACE_FILE ||
		    !volume_read_file(t->folder_fd, e->valuestring, &b, &ignored))
			return;
		for (unsigned i = 0; i < 3; i++)
			one_shape &= (i < a.rank ? a.shape[i] : 1) == (i < b.rank ? b.shape[i] : 1);
		channels += b.rank > 3 ? (unsigned)MIN(b.shape[3], (uint64_t)UINT16_MAX) : 1;
		if (t->o->settings.images.compared)
			add_check(cases, t, e->valuestring);
		if (!one_shape)
			add_missing(&cases->shapes, e->valuestring);
		else if (!have_one_spacing(&a.volume, &b.volume))
			add_missing(&cases->spacings, e->valuestring);
		else if (!volume_affines_agree((const double(*)[4])a.volume.affine, (const double(*)[4])b.volume.affine,
					       VOLUME_TOLERANCE))
			add_missing(&cases->places, e->valuestring);
	}
	if (cases->declared && channels != cases->declared)
		add_missing(&cases->channels, label->valuestring);
}

static void take_case(struct taking *t, const cJSON *c, struct cases *cases)
{
	const cJSON *label = cJSON_GetObjectItemCaseSensitive(c, "label"),
		    *list = cJSON_GetObjectItemCaseSensitive(c, "images");
	const enum place place = place_of(t, label, &cases->labels);

	if (place == PLACE_OUTSIDE)
		add_missing(&cases->outside, label->valuestring);
	else if (place == PLACE_FILE)
		taking_push(&t->files, taking_join_named(t, NULL, label->valuestring));
	if (!cJSON_IsArray(list) || !list->child)
		add_missing(&cases->images, "a case whose images are no list");
	else if (place == PLACE_FILE)
		compare_case(t, label, list, cases);
	for (const cJSON *e = cJSON_IsArray(list) ? list->child : NULL; e; e = e->next)
		place_of(t, e, &cases->images);
}

/* Says what is wrong with some files of `dataset`; one, many: what they are. */
static void report_cases(struct taking *t, const struct missing *m, const char *one, const char *many,
			 const char *wrong)
{
	if (m->count)
		taking_fault(t, "%" PRIu64 " %s of `dataset` %s (first: %s)", m->count, m->count == 1 ? one : many,
			     wrong, m->first);
}

enum status taking_add_cases(struct taking *t, bool *there)
{
	struct fault ignored = FAULT_INIT;
	cJSON *root = small_json_parse(t->class_file->text, t->class_file->size, &ignored);
	const cJSON *dataset = cJSON_GetObjectItemCaseSensitive(root, "dataset"),
		    *declared = cJSON_GetObjectItemCaseSensitive(root, "numTraining");
	struct cases cases = { .declared = (unsigned)cJSON_GetArraySize(
				       cJSON_GetObjectItemCaseSensitive(root, "channel_names")) };
	const int count = cJSON_GetArraySize(dataset);
	enum status status = STATUS_OK;

	*there = cJSON_IsObject(dataset) && count;
	for (const cJSON *c = *there ? dataset->child : NULL; c; c = c->next)
		take_case(t, c, &cases);
	check_images(t, &cases);
	if (cases.outside.count)
		status = error_set(t->err, "%s: the label file '%s' of `dataset` %s", t->file, cases.outside.first,
				   strchr(cases.outside.first, '$') ? "has a variable: audit the labels where they are"
								    : LEADS_OUT);
	if (*there && cJSON_IsNumber(declared) && declared->valuedouble != count)
		taking_fault(t, "numTraining is %.0f, but `dataset` has %d %s", declared->valuedouble, count,
			     count == 1 ? "case" : "cases");
	report_cases(t, &cases.labels, "label file", "label files", "missing");
	report_cases(t, &cases.images, "image", "images", "missing");
	report_cases(t, &cases.channels, "case", "cases", "with more or fewer channels than channel_names");
	report_cases(t, &cases.shapes, "image", "images", "of another shape than its label file");
	report_cases(t, &cases.spacings, "image", "images", "of another spacing than its label file");
	report_cases(t, &cases.numbers, "image", "images", "with NaN");
	report_cases(t, &cases.damaged, "image", "images", "that cannot be read whole");
	t->o->input.taken.stops |= t->faults.len > 0;
	/* nnU-Net warns of it, and goes on */
	report_cases(t, &cases.places, "image", "images", "of another origin or direction than its label file");
	cJSON_Delete(root);
	return status;
}
