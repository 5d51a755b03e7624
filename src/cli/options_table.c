#include "cli/options_table.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/lower_bound.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "cache/cache.h"
#include "cli/presets.h"
#include "find/pool.h"
#include "read/box_form.h"
#include "read/sample.h"
#include "report/report.h"

/* Formats that write something; --format has `auto` and `none` as well. */
#define FORMATS "text,concise,json,jsonl,sarif,junit,github,gitlab,html,csv,markdown"

/* More threads than any machine runs: a typing error. */
enum { JOBS_MAX = 4096 };
/* Percent: a hundred times as much is no drift. */
enum { TOLERANCE_MAX = 10000 };

void string_list_add(struct string_list *list, const char *word)
{
	GROW(list->v, list->cap, list->count + 1);
	list->v[list->count++] = word;
}

/* ---- setters ----------------------------------------------------------------------------------------------------- */

/* Each may leave arguments unused. */
#define UNUSED __attribute__((unused))
#define SETTER(name)                                                                            \
	static enum status set_##name(const struct option_spec *spec UNUSED, struct options *o, \
				      const char *value UNUSED, struct error *err UNUSED)
#define AT(member) .at = offsetof(struct options, member)

/* The setters that follow write to the member at spec->at. */
SETTER(flag)
{
	*(bool *)((char *)o + spec->at) = true;
	return STATUS_OK;
}

SETTER(text)
{
	if (!*value)
		return error_set(err, "--%s: the value is empty", spec->name);
	*(const char **)((char *)o + spec->at) = value;
	return STATUS_OK;
}

/* One of several. */
SETTER(list_item)
{
	string_list_add((struct string_list *)((char *)o + spec->at), value);
	return STATUS_OK;
}

SETTER(glob)
{
	return *value ? set_list_item(spec, o, value, err) : error_set(err, "--%s: the value is empty", spec->name);
}

SETTER(group)
{
	if (!*value)
		return error_set(err, "--%s: the value is empty", spec->name);
	group_pattern_free(o->settings.group);
	o->settings.group = group_pattern_compile(spec->name, value, err);
	return o->settings.group ? STATUS_OK : STATUS_FAILED;
}

SETTER(preset)
{
	if (!strcmp(value, "list")) {
		o->command = COMMAND_PRESETS;
		return STATUS_OK;
	}
	o->classes.preset = preset_find(value, err);
	return o->classes.preset ? STATUS_OK : STATUS_FAILED;
}

SETTER(ignore)
{
	if (!ascii_isalpha(*value))
		return class_set_parse_ignore(&o->settings.classes, value, err);
	string_list_add(&o->classes.ignored, value);
	return STATUS_OK;
}

/* Sets an enum whose values are numbered as the choices are. */
SETTER(choice)
{
	size_t i = option_choose(spec, value, err);

	if (i == SIZE_MAX)
		return STATUS_FAILED;
	*(unsigned *)((char *)o + spec->at) = (unsigned)i;
	return STATUS_OK;
}

SETTER(size)
{
	return option_size(spec, value, (uint64_t *)((char *)o + spec->at), err);
}

SETTER(percentage)
{
	if (!scan_percentage(value, (uint64_t *)((char *)o + spec->at)))
		return error_set(err, "--%s: '%s' is not a percentage (above 0, up to 100, of at most 4 decimals)",
				 spec->name, value);
	return STATUS_OK;
}

/* Sets a type of elements: DTYPE_NONE is no choice. */
SETTER(dtype)
{
	static const uint8_t types[] = { DTYPE_UINT8, DTYPE_UINT16, DTYPE_INT16, DTYPE_UINT32,
					 DTYPE_INT32, DTYPE_UINT64, DTYPE_INT64 };
	const size_t i = option_choose(spec, value, err);

	if (i == SIZE_MAX)
		return STATUS_FAILED;
	o->settings.list.dtype = types[i];
	return STATUS_OK;
}

SETTER(number)
{
	return option_number(spec, value, UINT64_MAX, (uint64_t *)((char *)o + spec->at), err);
}

/* The choices begin with the highest level. */
SETTER(fail_on)
{
	size_t i = option_choose(spec, value, err);

	if (i == SIZE_MAX)
		return STATUS_FAILED;
	o->settings.fail_on = (enum level)(LEVEL_ERROR - (int)i);
	return STATUS_OK;
}

SETTER(allow)
{
	const char *item;
	size_t n;

	while ((item = list_next(&value, &n))) {
		FREED char *word = xmemdup0(item, n);
		const size_t i = option_choose(spec, word, err);

		if (i == SIZE_MAX)
			return STATUS_FAILED;
		if (!option_choice_is_of(spec, i, o->command))
			return error_set(err, "--%s %s: the command %s has nothing to allow there", spec->name, word,
					 command_by_id(o->command)->name);
		o->allowed |= 1u << i;
	}
	return STATUS_OK;
}

SETTER(format)
{
	o->output.format = value;
	return option_choose(spec, value, err) == SIZE_MAX ? STATUS_FAILED : STATUS_OK;
}

/* Splits FMT:FILE, where FMT is lower-case letters; without such a prefix *file is NULL. */
static const struct reporter *split_output(const char *value, const char **file)
{
	size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyz");
	char name[32];

	*file = NULL;
	if (!n || value[n] != ':')
		return NULL;
	*file = value + n + 1;
	if (n >= sizeof(name))
		return NULL;
	memcpy(name, value, n);
	name[n] = '\0';
	return strcmp(name, "none") != 0 ? reporter_by_name(name) : NULL;
}

SETTER(output)
{
	if (o->command == COMMAND_FIX) {
		if (o->fix.out)
			return error_set(err, "--%s %s: given twice", spec->name, value);
		o->fix.out = value;
		return *value ? STATUS_OK : error_set(err, "--%s: the value is empty", spec->name);
	}
	const char *file;
	const struct reporter *reporter = split_output(value, &file);
	char formats[128];

	option_format_choices(FORMATS, formats, sizeof(formats));
	if (file && !reporter)
		return error_set(err, "--%s %s: '%.*s' is not one of %s (for a file of that name, write ./%s)",
				 spec->name, value, (int)(file - value - 1), value, formats, value);
	if (!file) {
		file = value;
		reporter = reporter_by_extension(value);
	}
	if (!*file)
		return error_set(err, "--%s: '%s' names no file", spec->name, value);
	if (!strcmp(file, "-"))
		return error_set(err,
				 "--%s -: a report goes to standard output anyway; choose its format with --format",
				 spec->name);
	if (!reporter)
		return error_set(
			err,
			"--%s %s: the name does not show the format of the report; write FMT:%s, with FMT one of %s",
			spec->name, value, file, formats);
	for (size_t i = 0; i < o->output.files_count; i++)
		if (!strcmp(o->output.files[i].path, file))
			return error_set(err, "--%s %s: given twice", spec->name, file);
	GROW(o->output.files, o->output.files_cap, o->output.files_count + 1);
	o->output.files[o->output.files_count++] = (struct output){ reporter->name, file, NULL };
	return STATUS_OK;
}

SETTER(max_findings)
{
	o->output.max_findings_given = true;
	return option_number(spec, value, UINT64_MAX, &o->settings.max_findings, err);
}

SETTER(tolerance)
{
	return option_number(spec, value, TOLERANCE_MAX, &o->baseline.tolerance, err);
}

SETTER(io)
{
	uint64_t files = 0;

	if (!strcmp(value, "auto")) {
		o->run.io = IO_MAX_AUTO;
		return STATUS_OK;
	}
	if (option_number(spec, value, IO_MAX, &files, err) != STATUS_OK)
		return STATUS_FAILED;
	o->run.io = (int)files;
	return STATUS_OK;
}

SETTER(jobs)
{
	uint64_t jobs = 0;

	if (option_number(spec, value, JOBS_MAX, &jobs, err) != STATUS_OK)
		return STATUS_FAILED;
	o->run.jobs = (unsigned)jobs;
	return STATUS_OK;
}

/* Parses the numbers after "cuda:", each at most once: "0", "0,1". */
static bool parse_cuda_devices(struct options *o, const char *p)
{
	o->run.device.cuda_count = 0;
	do {
		uint64_t ordinal = 0;

		p += o->run.device.cuda_count > 0; /* the comma */
		if (!scan_uint64(&p, &ordinal) || ordinal > 1023 || o->run.device.cuda_count == CUDA_DEVICES_MAX)
			return false;
		for (unsigned i = 0; i < o->run.device.cuda_count; i++)
			if (o->run.device.cuda[i] == (int)ordinal)
				return false;
		o->run.device.cuda[o->run.device.cuda_count++] = (int)ordinal;
	} while (*p == ',');
	return !*p;
}

SETTER(device)
{
	o->run.device.cuda[0] = 0;
	o->run.device.cuda_count = 1;
	o->run.device.cuda_numbered = false;
	if (!strcmp(value, "sim")) { /* for tests */
		o->run.device.choice = DEVICE_SIM;
		return STATUS_OK;
	}
	if (!strncmp(value, "cuda:", 5)) {
		if (!parse_cuda_devices(o, value + 5))
			return error_set(err, "--%s: '%s' is not a device (expected something like cuda:0 or cuda:0,1)",
					 spec->name, value);
		o->run.device.cuda_numbered = true;
		o->run.device.choice = DEVICE_CUDA;
		return STATUS_OK;
	}
	return set_choice(spec, o, value, err);
}

SETTER(kind)
{
	const size_t chosen = option_choose(spec, value, err);

	if (chosen == SIZE_MAX)
		return STATUS_FAILED;
	const struct box_form *form = box_form_find(value);

	o->settings.kind = form ? KIND_LIST : (enum kind)chosen;
	o->settings.list.box_form = form ? (uint8_t)(form - box_forms + 1) : 0;
	return STATUS_OK;
}

SETTER(map)
{
	struct fix_declared *declared = &o->fix.declared;
	const char *p = value;
	size_t cap = 0;

	free(declared->map);
	declared->map = NULL;
	declared->map_count = 0;
	do {
		struct id_pair pair;

		p += declared->map_count > 0; /* the comma */
		if (!scan_int64(&p, &pair.from) || *p++ != ':' || !scan_int64(&p, &pair.to) || (*p && *p != ','))
			return error_set(err,
					 "--%s: '%s' is not a map of ids (expected something like 1:0,2:1,255:255)",
					 spec->name, value);
		GROW(declared->map, cap, declared->map_count + 1);
		declared->map[declared->map_count++] = pair;
	} while (*p);
	qsort(declared->map, declared->map_count, sizeof(*declared->map), compare_int64);
	for (size_t i = 1; i < declared->map_count; i++)
		if (declared->map[i - 1].from == declared->map[i].from)
			return error_set(err, "--%s %s: names %" PRId64 " twice", spec->name, value,
					 declared->map[i].from);
	return STATUS_OK;
}

SETTER(threshold)
{
	const char *p = value;
	uint64_t n = 0;

	if (!scan_uint64(&p, &n) || *p || !n || n > UINT16_MAX)
		return error_set(err, "--%s: '%s' is not a number from 1 to 65535", spec->name, value);
	o->fix.declared.threshold = (uint32_t)n;
	return STATUS_OK;
}

SETTER(drop)
{
	if (strcmp(value, "no-area") != 0)
		return error_set(err, "--%s: '%s' is not one of no-area", spec->name, value);
	o->fix.declared.drop_no_area = true;
	return STATUS_OK;
}

SETTER(shard)
{
	o->run.shard_auto = !strcmp(value, "auto");
	if (o->run.shard_auto)
		return shard_from_launcher(&o->input.find.shard, &o->run.local_rank, err);
	if (!shard_parse(value, &o->input.find.shard))
		return error_set(err,
				 "--%s: '%s' is not a shard (expected something like 3/64: the third of 64; or auto)",
				 spec->name, value);
	return STATUS_OK;
}

static bool is_cache_word(const char *word)
{
	return !strcmp(word, "verify") || !strcmp(word, "none") || cache_is_folder(word);
}

SETTER(cache)
{
	if (!strcmp(value, "verify"))
		return error_set(err, "--%s verify was removed: compare the report with that of an audit without it",
				 spec->name);
	o->run.cache.on = strcmp(value, "none") != 0;
	if (o->run.cache.on && *value)
		o->run.cache.folder = value;
	return STATUS_OK;
}

/* A --no-config before it, of a script or a hook, no longer counts. */
SETTER(config)
{
	o->config.off = false;
	return set_text(spec, o, value, err);
}

SETTER(quiet)
{
	o->output.verbosity = -1;
	return STATUS_OK;
}

SETTER(verbose)
{
	o->output.verbosity = MIN(MAX(o->output.verbosity, 0) + 1, 2);
	return STATUS_OK;
}

SETTER(help)
{
	o->command = COMMAND_HELP;
	return STATUS_OK;
}

SETTER(version)
{
	o->command = COMMAND_VERSION;
	return STATUS_OK;
}

/* ---- the tables ------------------------------------------------------------------------------------------------- */

enum {
	AUDIT = 1 << COMMAND_AUDIT,
	MERGE = 1 << COMMAND_MERGE,
	RENDER = 1 << COMMAND_RENDER,
	DIFF = 1 << COMMAND_DIFF,
	FIX = 1 << COMMAND_FIX,
	INIT = 1 << COMMAND_INIT,
	NOT_DIFF = AUDIT | MERGE | RENDER | FIX,
	ANY = NOT_DIFF | DIFF,
};

/* The commands that take each of the choices of --allow and --format, in their order. */
static const unsigned allow_commands[] = { AUDIT | MERGE | FIX, MERGE, MERGE, DIFF, AUDIT | INIT };
static const unsigned format_commands[] = { ANY,      ANY,      NOT_DIFF, ANY,      AUDIT | FIX, NOT_DIFF, NOT_DIFF,
					    NOT_DIFF, NOT_DIFF, NOT_DIFF, NOT_DIFF, ANY,         ANY };

const struct option_spec option_table[] = {
	{ 'c', "classes", "SPEC", .commands = AUDIT | FIX | INIT, .title = "What is legal", .completion = COMPLETE_FILE,
	  .set = set_text, AT(classes.classes), .narrows = NARROWS_FOUND_LEGAL,
	  .help = "valid ids: 21 (that is 0..20), 0-18,33, or a file: names.txt, data.yaml, dataset.json, id2label, "
		  "labelmap.txt, COCO categories; required without --preset" },
	{ 'i', "ignore", "IDS", .commands = AUDIT | FIX | INIT, .repeatable = true, .set = set_ignore,
	  .narrows = NARROWS_FOUND_LEGAL,
	  .help = "ids that are legal but never trained on: 255, or 250-255,-1, a colour, #e0e0c0, or the name of a "
		  "class; "
		  "repeatable" },
	{ 0, "preset", "NAME", .commands = AUDIT | FIX | INIT, .completion = COMPLETE_PRESET, .set = set_preset,
	  .narrows = NARROWS_FOUND_LEGAL, .reported = REPORTED_SHOWN,
	  .help = "classes, names and ignored ids of a known dataset (voc, cityscapes, ade20k, ...); list prints "
		  "them" },
	{ 0, "colors", "SPEC", .commands = AUDIT | FIX | INIT, .completion = COMPLETE_FILE, .set = set_text,
	  AT(classes.colours), .narrows = NARROWS_FOUND_LEGAL, .reported = REPORTED_SHOWN,
	  .help = "masks are read by their colours: 0=#000000,1=#800000, a preset (voc), or a file: labelmap.txt, "
		  "class_dict.csv; none: by their ids, even if --classes has colours" },
	{ 0, "coco-ids", "IDS", .choices = "auto,mapped,as-is", .otherwise = "auto", .set = set_choice,
	  AT(settings.coco_ids), .narrows = NARROWS_FOUND_LEGAL, .reported = REPORTED_HASHED,
	  .help = "what the training makes of COCO's category ids: mapped to 0..C-1 in rising order, or as-is; auto "
		  "maps them if there are as many as classes, and says so" },
	{ 0, "reduce-zero-label", .commands = AUDIT | FIX | INIT, .set = set_flag, AT(settings.reduce_zero_label),
	  .narrows = NARROWS_FOUND_LEGAL,
	  .help = "0 becomes ignored and every other id shifts down by one, as mmsegmentation does" },
	{ 0, "view", "VIEW", .choices = "pil,raw,cv2", .otherwise = "pil", .set = set_choice, AT(settings.view),
	  .narrows = NARROWS_FOUND_CHANGED,
	  .help = "whose ids are audited: np.array(PIL.Image.open(f)), the samples in the file, or cv2.imread(f, 0)" },
	{ 0, "images", "DIR", .completion = COMPLETE_FILE, .repeatable = true, .commands = AUDIT, .set = set_glob,
	  AT(input.image_globs), .narrows = NARROWS_FOUND, .reported = REPORTED_HASHED,
	  .help = "pair label files with the images in DIR by stem; globs, or several: these files are images" },
	{ 0, "labels", "GLOB", .commands = AUDIT | FIX | INIT, .repeatable = true, .set = set_glob, AT(input.labels),
	  .narrows = NARROWS_ALWAYS, .reported = REPORTED_HASHED,
	  .help = "audit the files that match GLOB, whatever they look like, and no others; !GLOB: not these; "
		  "repeatable" },
	{ 0, "check-images", .commands = AUDIT, .set = set_flag, AT(settings.images.compared),
	  .reported = REPORTED_HASHED,
	  .help = "also read the images beside the labels, and report those that are in two splits" },
	{ 0, "group", "REGEX", .commands = AUDIT, .set = set_group, .reported = REPORTED_HASHED,
	  .help = "what of a path names its patient, scene or video, such as patient_([0-9]+): report groups that are "
		  "in two splits" },
	{ 0, "kind", "KIND", .commands = AUDIT | FIX | INIT, .otherwise = "auto",
	  .choices = "auto,mask,array,list,yolo,coco,idx,imagefolder," BOX_FORM_NAMES, .set = set_kind,
	  .narrows = NARROWS_CHANGED, .reported = REPORTED_SHOWN,
	  .help = "what the files are; of rows of boxes, their form" },
	{ 0, "task", "TASK", .choices = "auto,detect,segment,pose,obb,classify", .otherwise = "auto", .set = set_choice,
	  AT(settings.yolo.task), .reported = REPORTED_SHOWN,
	  .help = "what Ultralytics is to train on: rows of YOLO texts must have its columns; classify: class "
		  "folders" },
	{ 0, "column", "NAME", .commands = AUDIT | FIX | INIT, .set = set_text, AT(settings.list.column),
	  .narrows = NARROWS_FOUND, .reported = REPORTED_SHOWN,
	  .help = "the column of a list that holds the labels: its name in the header, or its number from 1; "
		  "otherwise: inferred" },
	{ 0, "tokenizer", "PATH", .completion = COMPLETE_FILE, .command_line_only = true, .set = set_text,
	  AT(classes.tokenizer), .reported = REPORTED_SHOWN,
	  .help = "a tokenizer.json, or the folder of a model: refuse it before any data is read if its ids, added and "
		  "special tokens included, are beyond the classes" },
	{ 0, "dtype", "TYPE", .choices = "uint8,uint16,int16,uint32,int32,uint64,int64", .set = set_dtype,
	  .reported = REPORTED_HASHED,
	  .help = "the type of the ids in streams of tokens (.bin, .u16, .u32, .tokens), little-endian: nothing in "
		  "these files says it" },
	{ 0, "max-length", "N", .set = set_number, AT(settings.list.max_length), .reported = REPORTED_HASHED,
	  .help = "the most ids that a list in a row may have, such as input_ids: those that a model has positions "
		  "for" },
	{ 0, "root", "DIR", .completion = COMPLETE_FILE, .commands = AUDIT, .set = set_text, AT(settings.list.root),
	  .reported = REPORTED_SHOWN, .help = "folder in which the paths of a list begin: report missing files" },

	{ 0, "select", "RULES", .title = "Rules", .completion = COMPLETE_RULE, .repeatable = true, .set = set_list_item,
	  AT(rules.select), .narrows = NARROWS_RULES, .reported = REPORTED_SHOWN,
	  .help = "apply only these rules; names or categories, separated by commas; repeatable" },
	{ 0, "skip", "RULES", .completion = COMPLETE_RULE, .repeatable = true, .set = set_list_item, AT(rules.skip),
	  .narrows = NARROWS_ALWAYS, .reported = REPORTED_SHOWN,
	  .help = "do not apply these rules; a name overrides a category; repeatable" },
	{ 0, "severity", "RULE=LEVEL", .completion = COMPLETE_RULE, .repeatable = true, .set = set_list_item,
	  AT(rules.severity), .narrows = NARROWS_LEVELS, .reported = REPORTED_SHOWN,
	  .help = "report a rule or category as error, warning, info or off; repeatable" },
	{ 0, "per-path", "GLOB=RULES", .repeatable = true, .globs = true, .set = set_list_item, AT(rules.per_path),
	  .narrows = NARROWS_ALWAYS, .reported = REPORTED_SHOWN,
	  .help = "do not apply these rules to files that match GLOB; repeatable" },
	{ 0, "min-share", "PERCENT", .otherwise = "0.001", .set = set_percentage, AT(settings.thresholds.min_share),
	  .narrows = NARROWS_FOUND_LOWERED, .reported = REPORTED_HASHED,
	  .help = "rare-class: the least share of the labels that a class must have" },
	{ 0, "max-ignored", "PERCENT", .otherwise = "95", .set = set_percentage, AT(settings.thresholds.max_ignored),
	  .narrows = NARROWS_FOUND_RAISED, .reported = REPORTED_HASHED,
	  .help = "mostly-ignored: the share of a mask that may be ignored" },
	{ 0, "min-files", "N", .otherwise = "0", .set = set_number, AT(settings.thresholds.min_files),
	  .reported = REPORTED_HASHED, .help = "too-few-files: the least number of label files" },
	{ 0, "fail-on", "LEVEL", .choices = "error,warning,info,never", .otherwise = "error",
	  .commands = AUDIT | MERGE | DIFF | FIX, .set = set_fail_on,
	  .help = "exit with 1 if there are findings of this level or above; never: with 0" },
	{ 0, "baseline", "FILE", .commands = AUDIT | MERGE, .completion = COMPLETE_FILE, .set = set_text,
	  AT(baseline.file), .narrows = NARROWS_ALWAYS, .reported = REPORTED_HASHED,
	  .help = "findings listed in FILE are known and do not count" },
	{ 0, "baseline-tolerance", "PERCENT", .otherwise = "0", .commands = AUDIT, .set = set_tolerance,
	  .narrows = NARROWS_CHANGED, .reported = REPORTED_HASHED,
	  .help = "with --baseline: a known finding may grow by PERCENT and is still known" },
	{ 0, "write-baseline", "FILE", .command_line_only = true, .completion = COMPLETE_FILE, .commands = AUDIT,
	  .set = set_text, AT(baseline.write), .help = "list today's findings in FILE, for --baseline" },

	{ 0, "files-from", "FILE", .title = "Which files", .command_line_only = true, .completion = COMPLETE_FILE,
	  .commands = AUDIT, .set = set_text, AT(input.find.files_from), .reported = REPORTED_HASHED,
	  .help = "read the paths from FILE, one per line; - is standard input" },
	{ '0', "null", .command_line_only = true, .commands = AUDIT, .set = set_flag, AT(input.find.nul_separated),
	  .help = "paths of --files-from and --list end in NUL, not newline" },
	{ 0, "include", "GLOB", .commands = AUDIT | FIX | INIT, .repeatable = true, .set = set_glob, AT(input.include),
	  .narrows = NARROWS_ALWAYS, .reported = REPORTED_HASHED,
	  .help = "audit only files that match GLOB; repeatable" },
	{ 0, "exclude", "GLOB", .commands = AUDIT | FIX | INIT, .repeatable = true, .set = set_glob, AT(input.exclude),
	  .narrows = NARROWS_ALWAYS, .reported = REPORTED_HASHED,
	  .help = "leave out files and folders that match GLOB; repeatable" },
	{ 0, "hidden", .commands = AUDIT | FIX | INIT, .set = set_flag, AT(input.find.hidden),
	  .reported = REPORTED_HASHED, .help = "also audit files and folders whose names begin with a dot" },
	{ 'L', "follow", .commands = AUDIT | FIX | INIT, .set = set_flag, AT(input.find.follow),
	  .reported = REPORTED_HASHED, .help = "follow symbolic links found in folders" },
	{ 0, "list", .command_line_only = true, .commands = AUDIT, .set = set_flag, AT(input.list),
	  .help = "print the files that would be audited, and exit" },
	{ 0, "explain", .command_line_only = true, .commands = AUDIT, .set = set_flag, AT(input.explain),
	  .help = "print what is audited and why, by folder, and exit" },
	{ 0, "write-config", .command_line_only = true, .commands = AUDIT, .set = set_flag, AT(input.write_config),
	  .help = "with --explain: write these decisions as labelaudit.yaml in the current folder; so does init" },
	{ 0, "scope", "SCOPE", .choices = "set,files", .otherwise = "set", .set = set_choice, AT(settings.scope),
	  .narrows = NARROWS_CHANGED, .reported = REPORTED_HASHED,
	  .help = "files: the PATHs are some files of a set, such as those of a commit; report nothing that only the "
		  "whole set can tell, such as missing-class" },
	{ 0, "strict", .set = set_flag, AT(settings.strict), .reported = REPORTED_SHOWN,
	  .help = "files that look like labels and are not audited are an error" },
	{ 0, "allow", "WHAT", .choices = "empty,missing,stale,settings,overwrite", .choices_of = allow_commands,
	  .repeatable = true, .named_only = true, .commands = AUDIT | MERGE | DIFF | FIX | INIT, .set = set_allow,
	  .help = "pass a PATH without any file (empty), or replace the labelaudit.yaml that init finds "
		  "(overwrite); with merge: pass shards that are not there (missing), parts made more than 24 hours "
		  "apart (stale), or a set without any file (empty); with diff: compare reports of other settings "
		  "(settings); with fix: pass a PATH without any file (empty)" },

	{ 0, "drift", "POINTS", .title = "Comparing", .command_line_only = true, .commands = DIFF,
	  .set = set_percentage, AT(drift),
	  .help = "with diff: exit with 1 if the share of a class moved by more than POINTS percent of the labels" },

	{ 0, "map", "FROM:TO,...", .title = "Fixing", .command_line_only = true, .commands = FIX, .set = set_map,
	  .help = "with fix: make id TO of id FROM; ids that are not named stay" },
	{ 0, "threshold", "N", .command_line_only = true, .commands = FIX, .set = set_threshold,
	  .help = "with fix: grey masks of two classes: ids from N on become the second class, all others the first" },
	{ 0, "nearest", .command_line_only = true, .commands = FIX, .set = set_flag, AT(fix.declared.nearest),
	  .help = "with fix: with --colors, colours become the class with the nearest colour of the table" },
	{ 0, "clip", .command_line_only = true, .commands = FIX, .set = set_flag, AT(fix.declared.clip),
	  .help = "with fix: boxes that leave the image by at most 1 percent end at its edge" },
	{ 0, "drop", "no-area", .choices = "no-area", .command_line_only = true, .commands = FIX, .set = set_drop,
	  .help = "with fix: boxes without an area are left out" },
	{ 0, "verify", "DIR", .command_line_only = true, .completion = COMPLETE_FILE, .commands = FIX, .set = set_text,
	  AT(fix.verify), .help = "with fix: compare a result with its receipt" },
	{ 0, "palette", "WHAT", .choices = "keep,strip", .otherwise = "keep", .command_line_only = true,
	  .commands = FIX, .set = set_choice, AT(fix.palette),
	  .help = "with fix: palettes of masks are kept, their colours with the ids, or become grey" },

	{ 'f', "format", "FMT", .choices = "auto," FORMATS ",none", .choices_of = format_commands, .otherwise = "auto",
	  .title = "Reports", .commands = AUDIT | MERGE | RENDER | DIFF | FIX, .set = set_format,
	  .help = "format of the report on standard output; auto: text on a terminal, else json" },
	{ 'o', "output", "[FMT:]FILE", .command_line_only = true, .completion = COMPLETE_FILE, .repeatable = true,
	  .commands = AUDIT | MERGE | RENDER | DIFF | FIX, .set = set_output,
	  .help = "also write a report to FILE, in the format of its extension; repeatable; with fix: the new folder "
		  "of the result" },
	{ 0, "max-findings", "N", .otherwise = "10000", .commands = AUDIT | MERGE | FIX, .set = set_max_findings,
	  .help = "findings listed in a report; counts remain exact; 0: no limit" },

	{ 'j', "jobs", "N", .otherwise = "0", .title = "How it runs", .set = set_jobs,
	  .help = "worker threads; 0: as many as there are usable cores" },
	{ 0, "io", "N", .otherwise = "auto", .set = set_io,
	  .help = "files that are read at a time where storage is late; 0: each by the thread that measures it" },
	{ 'd', "device", "DEVICE", .choices = "auto,cpu,cuda", .otherwise = "auto", .set = set_device,
	  AT(run.device.choice), .help = "what measures the masks; cuda:0,1: these GPUs" },
	{ 0, "shard", "I/N", .command_line_only = true, .commands = AUDIT, .set = set_shard,
	  .help = "audit the I-th of N parts, to be merged; auto: the part that Slurm, Open MPI or Kubernetes assigned "
		  "to "
		  "this "
		  "process" },
	{ 0, "cache", "[DIR]", .named_only = true, .completion = COMPLETE_FILE, .takes = is_cache_word,
	  .commands = AUDIT, .set = set_cache, .help = "do not read unchanged masks again; none: off" },
	{ 0, "max-pixels", "N", .otherwise = "1G", .set = set_size, AT(settings.limits.max_pixels),
	  .narrows = NARROWS_FOUND_RAISED, .reported = REPORTED_SHOWN,
	  .help = "refuse images with more pixels; K, M, G, T are powers of 1024; 0: no limit" },
	{ 0, "max-inflated", "N", .otherwise = "2G", .set = set_size, AT(settings.limits.max_inflated),
	  .narrows = NARROWS_FOUND_RAISED, .reported = REPORTED_SHOWN,
	  .help = "refuse files that unpack to more bytes; 0: no limit" },
	{ 0, "max-archive-ratio", "N", .otherwise = "200", .set = set_number, AT(settings.limits.max_archive_ratio),
	  .narrows = NARROWS_FOUND_RAISED, .reported = REPORTED_SHOWN,
	  .help = "refuse archives that unpack to more than N times their bytes (and 64 MiB); 0: no limit" },
	{ 0, "pixel-budget", "N", .otherwise = "1G", .set = set_size, AT(settings.limits.pixel_budget),
	  .narrows = NARROWS_FOUND_RAISED, .reported = REPORTED_SHOWN,
	  .help = "pixels that the whole audit may measure beyond 1100 for each byte on disk; 0: no limit" },

	{ 0, "color", "WHEN", .choices = "auto,always,never", .otherwise = "auto", .title = "Other",
	  .commands = AUDIT | MERGE | RENDER | DIFF | FIX, .set = set_choice, AT(output.colour),
	  .help = "colours; auto: on a terminal; honours NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and TERM=dumb" },
	{ 0, "progress", "STYLE", .choices = "auto,bar,lines,none", .otherwise = "auto", .set = set_choice,
	  AT(output.progress),
	  .help = "progress on standard error; auto: a bar on a terminal, else a line per minute" },
	{ 0, "config", "FILE", .completion = COMPLETE_FILE, .command_line_only = true, .set = set_config,
	  AT(config.file),
	  .help = "read settings from FILE, not from the nearest labelaudit.yaml in this folder or above" },
	{ 0, "no-config", .command_line_only = true, .set = set_flag, AT(config.off),
	  .help = "read no labelaudit.yaml" },
	{ 0, "show-settings", .command_line_only = true, .commands = AUDIT, .set = set_flag, AT(config.show),
	  .help = "print each setting and its origin, and exit" },
	{ 0, "all", .command_line_only = true, .commands = AUDIT | MERGE | RENDER, .set = set_flag, AT(output.all),
	  .help = "in the text report: every finding and class, not only what fits on a screen" },
	{ 'q', "quiet", .commands = AUDIT | MERGE | RENDER | DIFF | FIX | INIT, .set = set_quiet,
	  .help = "no table of classes, no summary, no progress, no warnings" },
	{ 'v', "verbose", .repeatable = true, .commands = AUDIT | MERGE | RENDER | DIFF | FIX, .set = set_verbose,
	  .help = "print more; twice: even more" },
	{ 'h', "help", .everywhere = true, .command_line_only = true, .set = set_help,
	  .help = "print this help; -h: the common options alone" },
	{ 'V', "version", .everywhere = true, .command_line_only = true, .set = set_version,
	  .help = "print the version" },
};
const size_t option_count = ARRAY_SIZE(option_table);

const struct command_spec command_table[] = {
	{ "audit", COMMAND_AUDIT, "PATH...", 0, SIZE_MAX, "audit label files; this word may be omitted" },
	{ "merge", COMMAND_MERGE, "PART...", 1, SIZE_MAX, "merge the reports of all shards into one, exactly" },
	{ "render", COMMAND_RENDER, "REPORT", 1, 1,
	  "write a JSON report in other formats, without reading the data again" },
	{ "diff", COMMAND_DIFF, "OLD NEW", 2, 2, "compare two JSON reports: drift of classes, new findings" },
	{ "fix", COMMAND_FIX, "PATH...", 0, SIZE_MAX,
	  "write a corrected copy of a set: first its plan, then with -o DIR the copy" },
	{ "init", COMMAND_INIT, "PATH...", 0, SIZE_MAX,
	  "write labelaudit.yaml with the classes that the labels seem to have, and what is audited" },
	{ "rule", COMMAND_RULE, "[NAME...]", 0, SIZE_MAX, "explain rules; without a NAME: one line each" },
	{ "doctor", COMMAND_DOCTOR, NULL, 0, 0, "print build, libraries, CPU, GPU and driver, and what auto picks" },
	{ "schema", COMMAND_SCHEMA, "[report|fix]", 0, 1,
	  "print the JSON Schema of the report, or of the plans and receipts of fix" },
	{ "completions", COMMAND_COMPLETIONS, "SHELL", 1, SIZE_MAX, "print completions for bash, zsh or fish" },
	{ "help", COMMAND_HELP, "[COMMAND]", 0, 1, "print this help, or that of a command" },
	{ "version", COMMAND_VERSION, NULL, 0, 0, "print the version" },
};
const size_t command_count = ARRAY_SIZE(command_table);

/* ---- look-ups ---------------------------------------------------------------------------------------------------- */

const struct option_spec *option_find(const char *name, size_t n)
{
	for (size_t i = 0; i < option_count; i++)
		if (strlen(option_table[i].name) == n && !strncmp(option_table[i].name, name, n))
			return &option_table[i];
	return NULL;
}

const char *option_removed(const char *name, size_t n)
{
	static const struct {
		const char *name, *instead;
	} removed[] = {
		{ "history", "for a trend, keep the JSON report of each audit" },
		{ "exit-zero", "use --fail-on never" },
		{ "allow-empty", "use --allow empty" },
		{ "allow-missing", "use --allow missing" },
		{ "allow-stale", "use --allow stale" },
		{ "force", "use --allow settings" },
		{ "lossy",
		  "declare what is meant: fix --threshold N, or fix --nearest with --colors; or make the masks "
		  "again from their source" },
		{ "max-changed", "the plan of fix --threshold or --nearest says how many pixels are guessed" },
		{ "statistics", "-f json has the number of findings of each rule (summary.rules)" },
		{ "sizes", "-f json lists the shapes of all files with their numbers (sizes)" },
		{ "plan", "labelaudit fix without -o prints the plan; --format json is for programs" },
		{ "apply", "declare the map: labelaudit fix --map FROM:TO,... PATH -o DIR" },
		{ "link", "files that do not change are copied; a file system that can shares their blocks" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(removed); i++)
		if (strlen(removed[i].name) == n && !strncmp(removed[i].name, name, n))
			return removed[i].instead;
	return NULL;
}

const struct command_spec *command_by_id(enum command command)
{
	const struct command_spec *c = command_table;

	while (c->command != command)
		c++;
	return c;
}

const struct command_spec *command_find(const char *name, struct nearest *nearest)
{
	nearest_init(nearest, name);
	for (size_t i = 0; i < command_count; i++) {
		if (!strcmp(command_table[i].name, name))
			return &command_table[i];
		nearest_try(nearest, command_table[i].name);
	}
	return NULL;
}

bool option_choice_is_of(const struct option_spec *spec, size_t choice, enum command command)
{
	return !spec->choices_of || (spec->choices_of[choice] >> command & 1);
}

bool option_is_of(const struct option_spec *spec, enum command command)
{
	unsigned commands = spec->commands ? spec->commands : AUDIT | FIX;

	return spec->everywhere || (commands >> command & 1);
}

void option_note(struct options *o, const struct option_spec *spec, const char *value, enum option_origin origin,
		 size_t line)
{
	struct option_given *given = &o->config.given[spec - option_table];

	if (given->origin == ORIGIN_DEFAULT)
		given->line = line;
	given->origin = origin;
	if (value)
		string_list_add(&given->values, value);
}

const struct option_given *option_given_of(const struct options *o, const char *name)
{
	const struct option_spec *spec = option_find(name, strlen(name));

	return &o->config.given[spec - option_table];
}

bool options_never_fail(const struct options *o)
{
	const struct option_given *given = option_given_of(o, "fail-on");

	return given->values.count && !strcmp(given->values.v[given->values.count - 1], "never");
}

void option_add_origin(const struct options *o, const char *option, struct error *err)
{
	const struct option_given *given = option_given_of(o, option);
	struct error said = *err;

	if (given->origin != ORIGIN_CONFIG)
		return;
	err->text[0] = '\0';
	error_set(err, "%s: line %zu: %s", o->config.read.path, given->line, said.text);
}

bool options_write(const struct options *o, const char *format)
{
	bool any = !strcmp(o->output.format, format);

	for (size_t i = 0; i < o->output.files_count; i++)
		any = any || !strcmp(o->output.files[i].format, format);
	return any;
}
