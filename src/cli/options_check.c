/*
 * Checks what the options mean together, after all of them were read: refuses what is missing or contradictory, and
 * completes the settings of the audit.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cli/config.h"
#include "cli/options_table.h"
#include "cli/presets.h"
#include "cli/training_paths.h"
#include "judge/rule.h"
#include "layout/label_folder.h"
#include "read/class_file.h"
#include "read/format.h"
#include "read/vocabulary.h"

/* A preset is a settings file; what was typed and labelaudit.yaml take precedence. */
static enum status apply_preset(struct options *o, struct error *err)
{
	struct config *c = &o->classes.preset_config;
	bool classes_given = o->classes.classes != NULL, colours_given = o->classes.colours != NULL;

	if (preset_read(o->classes.preset, c, err) != STATUS_OK)
		return STATUS_FAILED;
	o->settings.files = preset_masks(o->classes.preset);
	for (size_t i = 0; i < c->count; i++) {
		const struct option_spec *spec = c->v[i].spec;

		if (classes_given && !strcmp(spec->name, "classes"))
			continue;
		if (!strcmp(spec->name, "colors") && (classes_given || colours_given || !strcmp(c->v[i].value, "none")))
			continue;
		if (spec->set(spec, o, c->v[i].value, err) != STATUS_OK)
			return STATUS_FAILED;
	}
	o->settings.colours.presumed = o->classes.colours && !colours_given;
	return STATUS_OK;
}

/* Names the classes if the value of --classes is the map of ids and names in that file. */
static void name_classes(struct options *o, const struct config *c)
{
	if (!c->named || c->classes_value != o->classes.classes)
		return;
	for (size_t id = 0; id < c->named->names_count; id++)
		if (c->named->names[id])
			class_set_name(&o->settings.classes, id, c->named->names[id]);
}

/*
 * Refuses a tokenizer whose ids are beyond the table that they index: vocab_size of the configuration that --classes
 * names, or lies in the tokenizer's folder, else the classes.
 */
static enum status check_tokenizer(const struct options *o, struct error *err)
{
	const struct id_ranges *classes = &o->settings.classes.classes;
	struct vocabulary v, model;

	if (!o->classes.tokenizer)
		return STATUS_OK;
	if (vocabulary_read(&v, "tokenizer", o->classes.tokenizer, err) != STATUS_OK)
		return STATUS_FAILED;
	uint64_t rows = vocabulary_rows(&v);

	if (!rows && o->classes.classes && !is_list_of_ids(o->classes.classes))
		rows = vocabulary_read_model(&model, o->classes.classes);
	if (!rows && classes->count)
		rows = (uint64_t)classes->v[classes->count - 1].last + 1;
	if (v.size <= rows)
		return STATUS_OK;
	RELEASED struct strbuf token = STRBUF_INIT;

	escape_terminal(&token, v.largest, strlen(v.largest));
	return error_set(err,
			 "--tokenizer %s: its ids go up to %" PRIu64 " (%s), but the table has %" PRIu64
			 " rows: \"index out of range\" as soon as that id occurs; call "
			 "model.resize_token_embeddings(len(tokenizer)), or leave out the tokens that were added",
			 o->classes.tokenizer, v.size - 1, token.s, rows);
}

/* Reads the file of --classes; a data.yaml declares the columns of its rows, too. */
static enum status read_class_file(struct options *o, struct error *err)
{
	struct class_file file;
	struct training_config config;
	enum status status = class_file_open(&file, "classes", o->classes.classes, err);

	if (status == STATUS_OK)
		status = class_file_check_keypoints(&file);
	if (status == STATUS_OK && (o->settings.kind == KIND_AUTO || o->settings.kind == KIND_YOLO)) {
		class_file_training(&file, &config);
		taking_take_form(o, &config.yolo);
	}
	if (status == STATUS_OK)
		status = class_file_add(&file, &o->settings.classes,
					options_want_colours(o) ? &o->settings.colours : NULL);
	class_file_close(&file);
	return status;
}

static enum status finish_classes(struct options *o, struct error *err)
{
	struct class_set *classes = &o->settings.classes;
	struct stat st;
	enum status status;

	if (o->classes.preset && apply_preset(o, err) != STATUS_OK)
		return STATUS_FAILED;
	if (!o->classes.classes || o->classes.taken)
		return STATUS_OK;
	if (is_list_of_ids(o->classes.classes)) {
		status = class_set_parse_classes(classes, o->classes.classes, err);
		name_classes(o, &o->config.read);
		name_classes(o, &o->classes.preset_config);
		return status;
	}
	if (stat(o->classes.classes, &st) == 0 || strchr(o->classes.classes, '/'))
		return read_class_file(o, err);
	return error_set(err, "--classes: '%s' is not a count (21), a list of ids (0-18,33), or a file",
			 o->classes.classes);
}

/* Ignores the ids whose names --ignore gives: they are no classes then. */
static enum status ignore_names(struct options *o, struct error *err)
{
	struct class_set *classes = &o->settings.classes;

	for (size_t i = 0; i < o->classes.ignored.count; i++) {
		const char *name = o->classes.ignored.v[i];
		struct nearest nearest;
		const size_t id = class_set_find_name(classes, name);

		if (id < classes->names_count) {
			id_ranges_remove(&classes->classes, (int64_t)id);
			id_ranges_add(&classes->ignored, (int64_t)id, (int64_t)id);
			continue;
		}
		nearest_init(&nearest, name);
		for (size_t other = 0; other < classes->names_count; other++)
			if (classes->names[other])
				nearest_try(&nearest, classes->names[other]);
		if (nearest.name)
			return error_set(err, "--ignore: no class is called '%s'; did you mean '%s'?", name,
					 nearest.name);
		return error_set(
			err,
			"--ignore: no class is called '%s': give its id, or a file of names as --classes whose last "
			"line it is, so that no other id moves",
			name);
	}
	return STATUS_OK;
}

enum status options_check_first_word(const struct options *o, struct error *err)
{
	struct nearest nearest;
	struct stat st;

	if (!o->input.paths.count || o->argc < 2 || strcmp(o->input.paths.v[0], o->argv[1]) != 0 ||
	    lstat(o->input.paths.v[0], &st) == 0)
		return STATUS_OK;
	command_find(o->input.paths.v[0], &nearest);
	if (!nearest.name)
		return STATUS_OK;
	return error_set(err, "there is no command and no file '%s'; did you mean labelaudit %s?", o->input.paths.v[0],
			 nearest.name);
}

/* %r in the name of a report is the number of the shard, as wide as the largest one: part-07.json of 64. */
static enum status finish_shard(struct options *o, struct error *err)
{
	const struct shard *shard = &o->input.find.shard;
	int width = 1;

	o->settings.shard = shard->index;
	o->settings.shards = shard->count;
	if (shard->count && o->settings.fail_on == LEVEL_OFF) /* the merge decides; the part only exits with 0 */
		o->settings.fail_on = LEVEL_ERROR;
	for (uint32_t n = shard->count; n >= 10; n /= 10)
		width++;
	for (size_t i = 0; i < o->output.files_count; i++) {
		RELEASED struct strbuf name = STRBUF_INIT;
		const char *p = o->output.files[i].path, *hit = strstr(p, "%r");

		if (hit && !shard->count)
			return error_set(err, "--output %s: %%r is the number of the shard, but there is no --shard",
					 p);
		if (!hit)
			continue;
		for (; hit; p = hit + 2, hit = strstr(p, "%r")) {
			strbuf_add(&name, p, (size_t)(hit - p));
			strbuf_addf(&name, "%0*u", width, shard->index);
		}
		strbuf_adds(&name, p);
		o->output.files[i].path = o->output.files[i].expanded = strbuf_detach(&name);
	}
	/* Processes on one machine take its GPUs in turn. */
	if (o->run.shard_auto && (o->run.device.choice == DEVICE_CUDA || o->run.device.choice == DEVICE_AUTO) &&
	    !o->run.device.cuda_numbered)
		o->run.device.cuda[0] = -1 - (int)o->run.local_rank;
	return STATUS_OK;
}

static enum status fail_path(struct error *err)
{
	RELEASED struct strbuf folder = STRBUF_INIT;

	if (label_folder_in(".", &folder))
		return error_set(err, "no PATH: which files or folders? Did you mean %s?", folder.s);
	return error_set(err, "no PATH: which files or folders? For example: " EXAMPLE);
}

static enum status check_required(const struct options *o, struct error *err)
{
	if (o->classes.missing && options_check_first_word(o, err) != STATUS_OK)
		return STATUS_FAILED;
	if (o->config.show || o->command == COMMAND_USAGE)
		return STATUS_OK;
	return o->input.paths.count || o->input.find.files_from ? STATUS_OK : fail_path(err);
}

static enum status check_paths(const struct options *o, struct error *err)
{
	size_t dashes = o->input.find.files_from && !strcmp(o->input.find.files_from, "-");

	for (size_t i = 0; i < o->input.paths.count; i++) {
		if (!*o->input.paths.v[i])
			return error_set(err, "a PATH is empty");
		dashes += !strcmp(o->input.paths.v[i], "-");
	}
	return dashes > 1 ? error_set(err, "standard input (-) can be read only once") : STATUS_OK;
}

/* Options that would have no effect are refused, not ignored. */
static enum status check_combinations(const struct options *o, struct error *err)
{
	if (o->input.find.nul_separated && !o->input.find.files_from && !o->input.list)
		return error_set(err, "option --null needs --files-from or --list");
	if (o->baseline.tolerance && !o->baseline.file)
		return error_set(err, "option --baseline-tolerance needs --baseline");
	if (o->input.list && o->baseline.write)
		return error_set(err, "--list audits nothing, so --write-baseline has nothing to write");
	/* a format in labelaudit.yaml is that of the audits */
	bool format_typed =
		option_given_of(o, "format")->origin == ORIGIN_COMMAND_LINE && strcmp(o->output.format, "auto") != 0;

	if (o->input.write_config && !o->input.explain)
		return error_set(err, "--write-config goes with --explain");
	if (o->input.list && (o->output.files_count || format_typed))
		return error_set(err, "--list writes no report, so --format and --output have no effect");
	return STATUS_OK;
}

#define OF(format) (1u << FORMAT_##format)
enum { MASKS = OF(PNG) | OF(BMP) | OF(GIF) | OF(TIFF), ARRAYS = OF(NPY) | OF(NIFTI) | OF(TOKENS) };

/* The options that are about some formats alone. */
static const struct {
	const char *name;
	unsigned formats;
	const char *about;
} options_of_formats[] = {
	{ "images", MASKS | ARRAYS | OF(LIST) | OF(YOLO) | OF(COCO),
	  "label files, or names in them, that images belong to" },
	{ "check-images", MASKS | ARRAYS | OF(YOLO) | OF(FOLDER), "images that lie beside the labels" },
	{ "root", OF(LIST) | OF(COCO), "paths in lists and COCO files" },
	{ "column", OF(LIST), "lists" },
	{ "coco-ids", OF(COCO), "COCO files" },
	{ "task", OF(YOLO) | OF(FOLDER), "YOLO texts and class folders" },
	{ "dtype", OF(TOKENS), "streams of tokens" },
	{ "max-length", OF(LIST), "lists of ids in the rows of lists" },
	{ "colors", MASKS | ARRAYS, "masks and arrays" },
	{ "view", MASKS, "masks" },
};

/* Refuses options that have no effect with --kind; if the files tell the kind, they are for those that have it. */
static enum status check_kind(const struct options *o, struct error *err)
{
	const struct option_given *kind = option_given_of(o, "kind");

	for (size_t i = 0; i < ARRAY_SIZE(options_of_formats) && o->settings.kind != KIND_AUTO; i++) {
		unsigned kinds = 0;

		for (unsigned f = FORMAT_NONE + 1; f < FORMATS; f++)
			if (options_of_formats[i].formats >> f & 1)
				kinds |= 1u << format_kind((enum sample_format)f);
		if (!(kinds >> o->settings.kind & 1) &&
		    option_given_of(o, options_of_formats[i].name)->origin != ORIGIN_DEFAULT)
			return error_set(err, "--%s has no effect with --kind %s: it is about %s",
					 options_of_formats[i].name,
					 kind->values.count ? kind->values.v[kind->values.count - 1] : "imagefolder",
					 options_of_formats[i].about);
	}
	return STATUS_OK;
}

void options_warn_unused(const struct options *o, unsigned formats)
{
	for (size_t i = 0; i < ARRAY_SIZE(options_of_formats); i++)
		if (!(options_of_formats[i].formats & formats) &&
		    option_given_of(o, options_of_formats[i].name)->origin == ORIGIN_COMMAND_LINE)
			log_warning("--%s had no effect: it is about %s, and none was audited",
				    options_of_formats[i].name, options_of_formats[i].about);
}

/* A task says what the files are; --kind may say the same. */
static enum status finish_task(struct options *o, struct error *err)
{
	const enum yolo_task task = o->settings.yolo.task;
	const enum kind of_task = task == TASK_CLASSIFY ? KIND_IMAGEFOLDER : KIND_YOLO;

	if (task != TASK_AUTO && o->settings.kind != KIND_AUTO && o->settings.kind != of_task)
		return error_set(err, "--task is about YOLO texts, or about class folders, so it has no effect with "
				      "this --kind");
	if (task == TASK_CLASSIFY)
		o->settings.kind = of_task;
	return STATUS_OK;
}

/* If none of them applies, no image is opened. */
static const char *const rules_of_images[] = { "broken-image", "missing-image",     "mixed-images",    "size-mismatch",
					       "box-numbers",  "box-outside-image", "unusual-box-size" };

/* Returns a class that both sets name, each otherwise; -1: there is none. */
static int64_t find_other_name(const struct class_set *a, const struct class_set *b)
{
	for (size_t id = 0; id < a->names_count && id < b->names_count; id++)
		if (a->names[id] && b->names[id] && strcmp(a->names[id], b->names[id]) != 0)
			return (int64_t)id;
	return -1;
}

/* Notes what the classes of --classes and of the training's configuration contradict each other in. */
static void compare_classes(struct options *o)
{
	const struct class_set *own = o->input.taken.classes, *given = &o->settings.classes;
	struct strbuf text = STRBUF_INIT;

	if (!own || !id_ranges_size(&own->classes))
		return;
	const uint64_t declared = id_ranges_size(&given->classes), trained = id_ranges_size(&own->classes);
	const int64_t other = find_other_name(given, own);

	if (declared == trained && other < 0)
		return;
	if (o->input.taken.faults)
		strbuf_addf(&text, "%s; ", o->input.taken.faults);
	else
		strbuf_addf(&text, "%s: ", o->input.taken.read.v[0]);
	if (declared != trained)
		strbuf_addf(&text, "--classes declares %" PRIu64 " %s, and this file %" PRIu64, declared,
			    declared == 1 ? "class" : "classes", trained);
	else
		strbuf_addf(&text, "class %" PRId64 " is '%.40s' by --classes, and '%.40s' in this file", other,
			    given->names[other], own->names[other]);
	free(o->input.taken.faults);
	o->input.taken.faults = strbuf_detach(&text);
	o->input.taken.level = MAX(o->input.taken.level, LEVEL_WARNING);
}

enum status options_check_audit(struct options *o, struct error *err)
{
	if (options_take_training_config(o, err) != STATUS_OK)
		return STATUS_FAILED;
	o->input.find.paths = o->input.paths.v;
	o->input.find.paths_count = o->input.paths.count;
	o->input.find.include = o->input.include.v;
	o->input.find.include_count = o->input.include.count;
	o->input.find.exclude = o->input.exclude.v;
	o->input.find.exclude_count = o->input.exclude.count;
	o->input.find.labels = o->input.labels.v;
	o->input.find.labels_count = o->input.labels.count;
	if (o->input.image_globs.count == 1 && !is_glob(o->input.image_globs.v[0])) {
		o->input.images = o->input.image_globs.v[0];
	} else {
		o->input.find.images = o->input.image_globs.v;
		o->input.find.images_count = o->input.image_globs.count;
	}
	if (!o->input.image_globs.count)
		o->input.images = o->input.taken.images;
	o->settings.images.folder = o->input.images;
	/* what has the colours alone has the classes, too */
	if (options_colours_are_classes(o) && colours_preset(o->classes.colours))
		o->classes.preset = colours_preset(o->classes.colours);
	else if (options_colours_are_classes(o) && !is_list_of_colours(o->classes.colours))
		o->classes.classes = o->classes.colours;
	o->classes.missing = !o->classes.classes && !o->classes.preset && !o->input.list &&
			     (!o->input.explain || o->input.write_config) && !options_colours_are_classes(o);
	if (o->argc < 2 && !o->config.read.path)
		o->command = COMMAND_USAGE;
	if (check_required(o, err) != STATUS_OK || check_paths(o, err) != STATUS_OK ||
	    check_combinations(o, err) != STATUS_OK || finish_task(o, err) != STATUS_OK ||
	    check_kind(o, err) != STATUS_OK || finish_shard(o, err) != STATUS_OK)
		return STATUS_FAILED;
	if (finish_classes(o, err) != STATUS_OK) {
		option_add_origin(o, "classes", err);
		return STATUS_FAILED;
	}
	if (ignore_names(o, err) != STATUS_OK)
		return STATUS_FAILED;
	if (options_resolve_colours(o, err) != STATUS_OK) {
		option_add_origin(o, "colors", err);
		return STATUS_FAILED;
	}
	o->settings.classes.zero_reduced = o->settings.reduce_zero_label;
	compare_classes(o);
	class_set_finish(&o->settings.classes);
	if (check_tokenizer(o, err) != STATUS_OK)
		return STATUS_FAILED;
	if (options_resolve_rules(o, err) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < ARRAY_SIZE(rules_of_images); i++)
		o->settings.images.judged |=
			o->settings.rules.levels[rule_index(rule_find(rules_of_images[i]))] != LEVEL_OFF;
	options_report(o);
	return STATUS_OK;
}

/* `help merge` is `merge --help`. */
static enum status finish_help(struct options *o, struct error *err)
{
	struct nearest nearest;
	const struct command_spec *about = o->words.count ? command_find(o->words.v[0], &nearest) : NULL;

	if (about)
		o->help_about = about->command;
	if (about || !o->words.count)
		return STATUS_OK;
	if (nearest.name)
		return error_set(err, "there is no command '%s'; did you mean %s?", o->words.v[0], nearest.name);
	return error_set(err, "there is no command '%s'; labelaudit --help lists them", o->words.v[0]);
}

enum status options_check_command(struct options *o, struct error *err)
{
	const struct command_spec *c = command_by_id(o->command);

	if (o->words.count < c->arguments_min)
		return error_set(err, "the command %s needs %s: %s", c->name, c->arguments, c->help);
	if (o->words.count > c->arguments_max)
		return error_set(err, "the command %s does not take '%s'", c->name, o->words.v[c->arguments_max]);
	return o->command == COMMAND_HELP ? finish_help(o, err) : STATUS_OK;
}
