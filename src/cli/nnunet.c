/*
 * Takes the label files of nnU-Net from a dataset.json: those in labelsTr and labelsTs, or of the cases that it names
 * itself: "dataset": {"case": {"images": [...], "label": ...}}. Compares what it declares about its images with the
 * names in imagesTr, or with the volumes of the cases, as `nnUNetv2_plan_and_preprocess --verify_dataset_integrity`
 * does (nnunetv2/experiment_planning/verify_dataset_integrity.py). Images in imagesTr are compared with the label maps
 * later (find/pairs.h).
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/cpu.h"
#include "base/hash.h"
#include "base/mem.h"
#include "cli/training_paths.h"
#include "find/pairs.h"
#include "find/pool.h"
#include "read/small_json.h"
#include "read/volume.h"

/* Files that are wrong in one way. */
struct odd_files {
	uint64_t count;
	char first[64];
};

/* Names come in an order. */
static void add_odd(struct odd_files *odd, const char *name)
{
	if (!odd->count++)
		snprintf(odd->first, sizeof(odd->first), "%.*s", (int)sizeof(odd->first) - 1, name);
}

static void compare_number(struct taking *t, const cJSON *root, const char *where, uint64_t cases)
{
	const cJSON *declared = cJSON_GetObjectItemCaseSensitive(root, "numTraining");

	if (cJSON_IsNumber(declared) && declared->valuedouble != (double)cases)
		taking_fault(t, "numTraining is %.0f, but %s has %" PRIu64 " %s", declared->valuedouble, where, cases,
			     cases == 1 ? "case" : "cases");
}

/* ---- the names in imagesTr --------------------------------------------------------------------------------------- */

/* The images that imagesTr holds. */
struct images {
	struct hash_set known; /* the hashes of the names of cases; while they are listed */
	uint64_t cases;
	struct odd_files unnumbered, beyond; /* without a channel; with one that is not declared */
	struct odd_files others;             /* that do not end in file_ending */
};

/* Notes a name of a folder, whose names come in no order: the first is the smallest. */
static void add_unordered(struct odd_files *odd, const char *name)
{
	if (odd->count++ && strcmp(name, odd->first) >= 0)
		return;
	snprintf(odd->first, sizeof(odd->first), "%.*s", (int)sizeof(odd->first) - 1, name);
}

/* Counts an image by its name: CASE_0000.nii.gz. */
static void add_name(struct images *images, const struct channel_names *names, const char *name)
{
	enum { CHANNEL = 5 }; /* an underscore and four digits */
	const size_t end = strlen(names->ending), all = strlen(name);
	size_t n = all - end, digits = 0;
	unsigned channel = 0;

	/* macOS leaves ._CASE_0000.nii.gz in archives */
	if (name[0] == '.')
		return;
	if (all <= end || strcmp(name + n, names->ending) != 0) {
		if (pairs_is_image_name(name))
			add_unordered(&images->others, name);
		return;
	}
	while (digits < 4 && digits < n && ascii_isdigit(name[n - 1 - digits]))
		digits++;
	if (digits == 4 && n > CHANNEL && name[n - CHANNEL] == '_') {
		for (n -= CHANNEL, digits = 1; digits < CHANNEL; digits++)
			channel = 10 * channel + (unsigned)(name[n + digits] - '0');
		if (channel >= names->channels)
			add_unordered(&images->beyond, name);
	} else if (!names->plain) {
		add_unordered(&images->unnumbered, name);
	}
	images->cases += hash_set_add(&images->known, hash_bytes(hash_seed(), name, n));
}

/* Returns false if there is no imagesTr. */
static bool list_images(int folder_fd, const struct channel_names *names, struct images *images)
{
	const int fd = openat(folder_fd, "imagesTr", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	for (const struct dirent *e; dir && (e = readdir(dir));)
		add_name(images, names, e->d_name);
	hash_set_release(&images->known);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return dir;
}

static void report_images(struct taking *t, const struct images *images, const struct channel_names *names,
			  const cJSON *root)
{
	compare_number(t, root, "imagesTr", images->cases);
	if (!images->cases && images->others.count)
		taking_fault(t, "file_ending is %s, and no name of imagesTr ends so (first: %s)", names->ending,
			     images->others.first);
	if (images->unnumbered.count)
		taking_fault(t, "%" PRIu64 " %s of imagesTr without the number of a channel, as _0000%s (first: %s)",
			     images->unnumbered.count, images->unnumbered.count == 1 ? "name" : "names", names->ending,
			     images->unnumbered.first);
	if (images->beyond.count)
		taking_fault(t,
			     "%" PRIu64 " %s of imagesTr %s of a channel that is not declared: channel_names has %u "
			     "(first: %s)",
			     images->beyond.count, images->beyond.count == 1 ? "image" : "images",
			     images->beyond.count == 1 ? "is" : "are", names->channels, images->beyond.first);
}

/* Returns how many channels a value names: {"0": "CT"}, or a list of the names. */
static unsigned count_channels(const cJSON *value)
{
	const int n = cJSON_IsObject(value) || cJSON_IsArray(value) ? cJSON_GetArraySize(value) : 0;

	return (unsigned)MIN(MAX(n, 0), 9999);
}

/* Compares the regions, which are all labels but the background, with their order. */
static void compare_regions(struct taking *t, const cJSON *root)
{
	const cJSON *labels = cJSON_GetObjectItemCaseSensitive(root, "labels");
	const int order = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(root, "regions_class_order"));
	bool has_regions = false;
	int count = 0;

	for (const cJSON *e = cJSON_IsObject(labels) ? labels->child : NULL; e; e = e->next) {
		has_regions |= cJSON_GetArraySize(e) > 1;
		count += strcmp(e->string, "ignore") != 0 && strcmp(e->string, "background") != 0;
	}
	if (has_regions && order && order != count)
		taking_fault(t, "regions_class_order has %d %s, but %d labels are not background", order,
			     order == 1 ? "id" : "ids", count);
}

/*
 * Compares what the file declares about its images with their names. The images are compared with the labels later,
 * unless the file gives their paths itself (`dataset`), or there is no imagesTr. Returns false if it needs that.
 */
static bool compare_images(struct taking *t, const cJSON *root)
{
	static const char *const needed[] = { "channel_names", "numTraining", "file_ending" };
	const cJSON *channels = cJSON_GetObjectItemCaseSensitive(root, "channel_names"),
		    *modality = cJSON_GetObjectItemCaseSensitive(root, "modality"),
		    *ending = cJSON_GetObjectItemCaseSensitive(root, "file_ending");
	const bool first = modality && !channels && !ending; /* the form of nnU-Net 1 and the Decathlon */
	struct channel_names *names = &t->o->input.taken.channels;
	RELEASED struct strbuf missing = STRBUF_INIT;
	struct images images = { .cases = 0 };

	*names = (struct channel_names){ .channels = count_channels(channels ? channels : modality), .plain = first };
	for (size_t i = 0; root && !first && i < ARRAY_SIZE(needed); i++)
		if (!cJSON_HasObjectItem(root, needed[i]))
			strbuf_addf(&missing, "%s%s", missing.len ? ", " : "", needed[i]);
	if (missing.len)
		taking_fault(t, "%s not given: nnU-Net stops without", missing.s);
	compare_regions(t, root);
	snprintf(names->ending, sizeof(names->ending), "%s",
		 first                    ? ".nii.gz"
		 : cJSON_IsString(ending) ? ending->valuestring
					  : "");
	if (!*names->ending || cJSON_HasObjectItem(root, "dataset"))
		names->channels = 0;
	const bool sought = names->channels, found = sought && list_images(t->folder_fd, names, &images);

	if (found) {
		report_images(t, &images, names, root);
		t->o->input.taken.images = taking_as_typed(t, "imagesTr");
	} else {
		names->channels = 0;
	}
	return found || !sought || first;
}

/* ---- the cases of `dataset` -------------------------------------------------------------------------------------- */

/* Returns what a path of a case leads to; nnU-Net expands $VARIABLES in it, and no one here knows their values. */
static enum place place_of(const struct taking *t, const cJSON *path, struct odd_files *missing)
{
	const char *text = cJSON_GetStringValue(path);
	const enum place place = !text ? PLACE_ABSENT : strchr(text, '$') ? PLACE_OUTSIDE : taking_place_of(t, text);

	if (place == PLACE_ABSENT || place == PLACE_FOLDER)
		add_odd(missing, text ? text : "a path that is no text");
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
	struct odd_files labels, images, outside, channels, shapes, spacings, places, numbers, damaged;
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
			add_odd(c->fault.kind == FAULT_NOT_A_LABEL ? &cases->numbers : &cases->damaged, c->name);
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
			add_odd(&cases->shapes, e->valuestring);
		else if (!have_one_spacing(&a.volume, &b.volume))
			add_odd(&cases->spacings, e->valuestring);
		else if (!volume_affines_agree((const double(*)[4])a.volume.affine, (const double(*)[4])b.volume.affine,
					       VOLUME_TOLERANCE))
			add_odd(&cases->places, e->valuestring);
	}
	if (cases->declared && channels != cases->declared)
		add_odd(&cases->channels, label->valuestring);
}

static void take_case(struct taking *t, const cJSON *c, struct cases *cases)
{
	const cJSON *label = cJSON_GetObjectItemCaseSensitive(c, "label"),
		    *list = cJSON_GetObjectItemCaseSensitive(c, "images");
	const enum place place = place_of(t, label, &cases->labels);

	if (place == PLACE_OUTSIDE)
		add_odd(&cases->outside, label->valuestring);
	else if (place == PLACE_FILE)
		taking_push(&t->files, taking_join_named(t, NULL, label->valuestring));
	if (!cJSON_IsArray(list) || !list->child)
		add_odd(&cases->images, "a case whose images are no list");
	else if (place == PLACE_FILE)
		compare_case(t, label, list, cases);
	for (const cJSON *e = cJSON_IsArray(list) ? list->child : NULL; e; e = e->next)
		place_of(t, e, &cases->images);
}

/* Says what is wrong with some files of `dataset`; one, many: what they are. */
static void report_cases(struct taking *t, const struct odd_files *odd, const char *one, const char *many,
			 const char *wrong)
{
	if (odd->count)
		taking_fault(t, "%" PRIu64 " %s of `dataset` %s (first: %s)", odd->count, odd->count == 1 ? one : many,
			     wrong, odd->first);
}

/* Adds the label files of the cases, and says what nnU-Net stops at. */
static enum status take_cases(struct taking *t, const cJSON *root, const cJSON *dataset, struct cases *cases)
{
	for (const cJSON *c = dataset->child; c; c = c->next)
		take_case(t, c, cases);
	check_images(t, cases);
	compare_number(t, root, "`dataset`", (uint64_t)cJSON_GetArraySize(dataset));
	report_cases(t, &cases->labels, "label file", "label files", "missing");
	report_cases(t, &cases->images, "image", "images", "missing");
	report_cases(t, &cases->channels, "case", "cases", "with more or fewer channels than channel_names");
	report_cases(t, &cases->shapes, "image", "images", "of another shape than its label file");
	report_cases(t, &cases->spacings, "image", "images", "of another spacing than its label file");
	report_cases(t, &cases->numbers, "image", "images", "with NaN");
	report_cases(t, &cases->damaged, "image", "images", "that cannot be read whole");
	if (!cases->outside.count)
		return STATUS_OK;
	return error_set(t->err, "%s: the label file '%s' of `dataset` %s", t->file, cases->outside.first,
			 strchr(cases->outside.first, '$') ? "has a variable: audit the labels where they are"
							   : LEADS_OUT);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Adds labelsTr, which is what is trained on, and labelsTs, which is usually kept back. */
static enum status add_folders(struct taking *t)
{
	static const char *const names[] = { "labelsTr", "labelsTs" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const enum place place = taking_place_of(t, names[i]);

		if (place == PLACE_FOLDER)
			taking_add_labels(t, xstrdup(names[i]));
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

enum status taking_add_nnunet(struct taking *t)
{
	struct fault ignored = FAULT_INIT;
	struct cases cases = { .declared = 0 };

	if (taking_place_of(t, "imagesTr") == PLACE_OUTSIDE)
		return error_set(t->err, "%s: imagesTr " LEADS_OUT, t->file);
	cJSON *root = small_json_parse(t->class_file->text, t->class_file->size, &ignored);
	const cJSON *dataset = cJSON_GetObjectItemCaseSensitive(root, "dataset");
	const bool has_images = compare_images(t, root);
	enum status status;

	cases.declared = (unsigned)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(root, "channel_names"));
	if (cJSON_IsObject(dataset) && dataset->child)
		status = take_cases(t, root, dataset, &cases);
	else
		status = add_folders(t);
	if (t->faults.len)
		t->o->input.taken.level = LEVEL_ERROR;
	/* nnU-Net warns of it, and goes on; and the labels alone may be here */
	report_cases(t, &cases.places, "image", "images", "of another origin or direction than its label file");
	if (!has_images)
		taking_fault(t, "there is no imagesTr beside it, which nnU-Net needs");
	cJSON_Delete(root);
	return status;
}
