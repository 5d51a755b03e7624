#include "command/propose.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/audit.h"
#include "base/ascii.h"
#include "base/file_name.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/command_line.h"
#include "cli/presets.h"
#include "judge/colours.h"
#include "judge/role.h"
#include "judge/rule.h"
#include "judge/wording.h"
#include "layout/label_folder.h"
#include "read/class_file.h"

enum {
	SAMPLE_FILES = 200,
	CLASSES_MAX = 1024,    /* more are numbers of instances, or measured values */
	COLOURS_NUMBERED = 32, /* more are no table that somebody would type */
	PRESET_MIN = 10,       /* the ids of fewer classes are those of many sets */
	RUN_MIN = 4,
	NAMES_SAID = 3,
};

/* The sample, and what its ids look like. */
struct sampled {
	struct options *options;
	struct id_sample sample;
	const struct id_total **ids; /* those that are classes or mistakes, not ignored; owned */
	size_t ids_count;
	size_t classes;  /* ids that look like classes */
	int64_t largest; /* of the ids that look like classes; -1: none does */
	uint64_t labels;
	const struct id_total **ignored; /* those that tools write for what is not trained on; owned */
	size_t ignored_count;
	struct colour_table colours; /* of masks in colours, each with id 0 */
	bool colours_cut;
	bool tokens; /* they are tokens of texts, as far as lists of them and their number tell */
};

/* ---- what is there ----------------------------------------------------------------------------------------------- */

/* Notes the colours of a mask in colours. */
static void note_file(void *self, const struct rule_input *s, const struct input *input, const struct finding *findings,
		      size_t count)
{
	struct sampled *f = self;
	int32_t other;

	(void)input, (void)findings, (void)count;
	f->tokens |= s->sample->format == FORMAT_TOKENS || (s->sample->format == FORMAT_LIST && s->stats->list.lists);
	if (s->sample->status != SAMPLE_READ || !s->stats->colours || channels_use(s) != CHANNELS_COLOURS)
		return;
	f->colours_cut |= s->stats->channels.colours_cut;
	for (uint64_t i = 0; i < s->stats->ids_count && !f->colours_cut; i++)
		f->colours_cut |= !colour_table_add(&f->colours, (uint32_t)s->ids[i].id, 0, &other);
}

/* Returns whether id i of all is one that tools write for what is not trained on, and is apart from the others. */
static bool is_ignored(const struct dataset_stats *d, size_t i)
{
	static const int64_t usual[] = { 255, 65535, -1, -100, 254, 250 };
	const int64_t id = d->ids[i].id, below = i ? d->ids[i - 1].id : -1;

	if (id < 0)
		return true;
	/* 0 and 255 alone are a binary mask */
	for (size_t k = 0; k < ARRAY_SIZE(usual); k++)
		if (usual[k] == id)
			return below > 0 && below + 1 < id;
	return false;
}

/* Returns whether hardly a label has the id, and one file of several or one in twenty. */
static bool is_rare(const struct sampled *f, const struct id_total *t)
{
	const uint64_t files = f->sample.dataset.files_with_ids;

	return t->labels * 1000 <= f->labels && (t->files * 20 <= files || (t->files == 1 && files > 1));
}

/*
 * Returns whether id i is a mistake, not a class which is rare: it is far above those before it; or it follows a run
 * from 0, and is the only one that does so with a gap, or the last one or beyond a gap and in hardly any file.
 */
static bool is_stray(const struct sampled *f, size_t i)
{
	const int64_t id = f->ids[i]->id, before = f->largest;
	const bool run = before > 0 && f->classes == (size_t)(before + 1), last = i + 1 == f->ids_count;
	const bool gap = id > before + 1, alone = last || f->ids[i + 1]->id != id + 1;

	if (before > 0 && id > 2 * before + 10)
		return true;
	return run &&
	       ((gap && alone && i == f->classes && before + 1 >= RUN_MIN) || ((gap || last) && is_rare(f, f->ids[i])));
}

static void sort_out_ids(struct sampled *f)
{
	const struct dataset_stats *d = &f->sample.dataset;

	f->ids = xcalloc(d->ids_count + 1, sizeof(*f->ids));
	f->ignored = xcalloc(d->ids_count + 1, sizeof(*f->ignored));
	f->largest = -1;
	for (size_t i = 0; i < d->ids_count; i++) {
		const struct id_total *t = &d->ids[i];

		f->labels += t->labels;
		if (id_ranges_contain(&f->options->settings.classes.ignored, t->id))
			continue;
		if (is_ignored(d, i))
			f->ignored[f->ignored_count++] = t;
		else
			f->ids[f->ids_count++] = t;
	}
	for (size_t i = 0; i < f->ids_count; i++)
		if (!is_stray(f, i)) {
			f->largest = f->ids[i]->id;
			f->classes++;
		}
}

/* Appends "0-20 and 255", or "0, 1 and 255". */
static void add_ids(const struct id_ranges *ids, struct strbuf *out)
{
	enum { SHOWN = 8 };

	for (size_t i = 0; i < ids->count && i < SHOWN; i++) {
		strbuf_adds(out, i == 0 ? "" : i + 1 == ids->count ? " and " : ", ");
		strbuf_addf(out, "%" PRId64, ids->v[i].first);
		if (ids->v[i].last != ids->v[i].first)
			strbuf_addf(out, "%s%" PRId64, ids->v[i].first < 0 ? " to " : "-", ids->v[i].last);
	}
	if (ids->count > SHOWN)
		strbuf_adds(out, " ...");
}

/* Describes what the sample holds. */
static void describe(const struct sampled *f, struct strbuf *out)
{
	const struct dataset_stats *d = &f->sample.dataset;
	struct id_ranges ids = { .v = NULL };

	for (size_t i = 0; i < d->ids_count; i++)
		id_ranges_add(&ids, d->ids[i].id, d->ids[i].id);
	if (ids.count) {
		strbuf_adds(out, d->ids_count == 1 ? "id " : "ids ");
		add_ids(&ids, out);
		strbuf_adds(out, d->ids_count == 1 ? " occurs" : " occur");
	} else {
		strbuf_addf(out, "%s%zu colours occur", f->colours_cut ? "more than " : "", f->colours.count);
	}
	strbuf_adds(out, f->sample.cut ? " in the first " : " in ");
	strbuf_add_count(out, d->files_read, "file");
	free(ids.v);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* An audit as an answer would have it, of which only the settings count. */
struct trial {
	struct options options;
	char **argv;      /* the first words after the program's name are the answer's; owned, as these */
	bool good;        /* these settings may be */
	struct error err; /* else why not */
};

static void answer_set(struct answer *a, const char *name, const char *value)
{
	a->settings[a->count].name = name;
	a->settings[a->count++].value = xstrdup(value);
}

static void answer_release(struct answer *a)
{
	for (size_t i = 0; i < a->count; i++) {
		free(a->settings[i].value);
		if (a->trial)
			free(a->trial->argv[1 + i]);
	}
	if (a->trial) {
		options_release(&a->trial->options);
		free(a->trial->argv);
	}
	free(a->trial);
	strbuf_release(&a->what);
	*a = (struct answer){ .what = STRBUF_INIT };
}

/* Tries the settings of an answer. */
static const struct trial *answer_try(struct answer *a, const struct sampled *f)
{
	const struct options *o = f->options;
	struct trial *t = a->trial = xcalloc(1, sizeof(*t));
	static char quiet[] = "-q";
	int n = 0;

	t->argv = xcalloc((size_t)o->argc + ANSWER_SETTINGS_MAX + 2, sizeof(*t->argv));
	t->argv[n++] = o->argv[0];
	for (size_t i = 0; i < a->count; i++) {
		struct strbuf word = STRBUF_INIT;

		strbuf_addf(&word, "--%s=%s", a->settings[i].name, a->settings[i].value);
		t->argv[n++] = strbuf_detach(&word);
	}
	t->argv[n++] = quiet;
	for (int i = command_line_begin(o); i < o->argc; i++)
		t->argv[n++] = o->argv[i];
	options_init(&t->options);
	t->good = options_parse(&t->options, n, t->argv, &t->err) == STATUS_OK;
	return t;
}

/* Appends " --preset voc". */
static void add_options(const struct answer *a, struct strbuf *out)
{
	for (size_t i = 0; i < a->count; i++)
		command_line_add_option(a->settings[i].name, a->settings[i].value, out);
}

/* Says which ids an answer leaves out of range. Returns false if these are most labels. */
static bool say_out_of_range(const struct sampled *f, const struct settings *settings, struct answer *a)
{
	FREED int64_t *ids = xcalloc(f->ids_count + 1, sizeof(*ids));
	uint64_t labels = 0;
	size_t n = 0;

	for (size_t i = 0; i < f->ids_count; i++)
		if (settings_role(settings, f->ids[i]->id) == ID_INVALID) {
			ids[n++] = f->ids[i]->id;
			labels += f->ids[i]->labels;
		}
	if (n)
		strbuf_addf(&a->what, "%s%s%s %s out of range then", a->what.len ? "; " : "", text_ids(ids, n).s,
			    text_percent(labels, f->labels).s, n == 1 ? "is" : "are");
	return labels <= f->labels / 2;
}

/* Adds an answer, if it may be. Empties it. */
static void take(struct proposal *p, const struct sampled *f, struct answer *a, bool judged)
{
	const struct trial *t = a->trial ? a->trial : answer_try(a, f);
	const bool good = t->good && (!judged || say_out_of_range(f, &t->options.settings, a));

	if (good && p->count < ANSWERS_MAX)
		p->v[p->count++] = *a;
	else
		answer_release(a);
	*a = (struct answer){ .what = STRBUF_INIT };
}

/* Appends the letters, digits and slashes of a name, as small letters. */
static void add_letters(const char *s, struct strbuf *out)
{
	for (; *s; s++)
		if (ascii_isalpha(*s) || ascii_isdigit(*s) || *s == '/')
			strbuf_addch(out, ascii_tolower(*s));
}

/* Returns whether a path is called as a preset is: VOCdevkit, data/ade20k. */
static bool is_named(const char *path, const char *name)
{
	RELEASED struct strbuf in = STRBUF_INIT, what = STRBUF_INIT;

	add_letters(path, &in);
	add_letters(name, &what);
	return strstr(in.s, what.s);
}

/* Returns whether most palettes of the masks give the ids in use the colours of the table, black apart. */
static bool has_palette(const struct palette_totals *palettes, const struct colour_table *table)
{
	enum { ENTRIES_MIN = 3 };
	uint64_t same = 0, other = 0;

	for (size_t i = 0; i < palettes->count; i++) {
		const uint32_t colour = (uint32_t)palettes->v[i].key & 0xffffff;
		const int32_t id = colour_table_find(table, colour);

		same += colour && id == palettes->v[i].key >> 24;
		other += colour && id != NO_COLOUR_CLASS && id != palettes->v[i].key >> 24;
	}
	return same >= ENTRIES_MIN && !other;
}

/* Returns whether a table has all colours of the masks in colours, and these are most of its own. */
static bool has_colours(const struct sampled *f, const struct colour_table *table)
{
	for (size_t i = 0; i < f->colours.count; i++)
		if (colour_table_find(table, f->colours.v[i].colour) == NO_COLOUR_CLASS)
			return false;
	return table->count && 5 * f->colours.count >= 4 * table->count && !f->colours_cut;
}

/* Returns whether the ids up to the largest are a preset's; all: its last one and most others occur. */
static bool has_ids(const struct sampled *f, const struct settings *settings, bool all)
{
	const struct id_ranges *classes = &settings->classes.classes;
	const int64_t end = classes->v[classes->count - 1].last + settings->reduce_zero_label;
	uint64_t used = 0;

	for (size_t i = 0; i < f->ids_count; i++) {
		const enum id_role role = settings_role(settings, f->ids[i]->id);

		if (role == ID_INVALID && f->ids[i]->id <= f->largest)
			return false;
		used += role == ID_CLASS;
	}
	return id_ranges_size(classes) >= PRESET_MIN &&
	       (!all || (f->largest == end && 5 * used >= 4 * id_ranges_size(classes)));
}

/* Says what speaks for a preset, the strongest last. */
enum evidence { EVIDENCE_NONE, EVIDENCE_IDS, EVIDENCE_NAME, EVIDENCE_COLOURS };

static enum evidence judge_preset(const struct sampled *f, const struct preset *preset, const struct settings *settings)
{
	const struct string_list *paths = &f->options->input.paths;
	const bool own = !strstr(preset->yaml, "\npreset:"); /* others have the ids and colours of the one they name */

	if (!f->ids_count)
		return own && has_colours(f, &settings->colours) ? EVIDENCE_COLOURS : EVIDENCE_NONE;
	if (!f->sample.dataset.masks_with_ids || !has_ids(f, settings, false))
		return EVIDENCE_NONE;
	/* other sets have the palette of VOC, too, but not its ids */
	if (own && has_ids(f, settings, true) && has_palette(&f->sample.dataset.palettes, &settings->colours))
		return EVIDENCE_COLOURS;
	for (size_t i = 0; i < paths->count; i++)
		if (is_named(paths->v[i], preset->name))
			return EVIDENCE_NAME;
	return own && has_ids(f, settings, true) ? EVIDENCE_IDS : EVIDENCE_NONE;
}

/* Fills a with the preset that most speaks for; returns how much. */
static enum evidence find_preset(const struct sampled *f, struct answer *a)
{
	static const char *const why[] = { "", "if it is that data set: these are its ids",
					   "the set is called so, and these are its ids", NULL };
	enum evidence best = EVIDENCE_NONE;

	for (size_t i = 0; i < preset_count; i++) {
		struct answer one = { .what = STRBUF_INIT };

		answer_set(&one, "preset", preset_table[i].name);
		const struct trial *t = answer_try(&one, f);
		const enum evidence e =
			t->good ? judge_preset(f, &preset_table[i], &t->options.settings) : EVIDENCE_NONE;

		answer_release(e > best ? a : &one);
		if (e > best) {
			*a = one;
			best = e;
		}
	}
	if (best)
		strbuf_adds(&a->what, best != EVIDENCE_COLOURS ? why[best]
				      : f->ids_count           ? "the palettes have its colours"
							       : "the masks have its colours");
	return best;
}

/* Returns a file beside the labels, or in the folder above, that says the classes; NULL: there is none. Owned. */
static char *find_class_file(const struct sampled *f)
{
	static const char *const names[] = { "data.yaml", "dataset.yaml", "dataset.json",  "classes.txt",
					     "obj.names", "labelmap.txt", "class_dict.csv" };
	const struct dataset_stats *d = &f->sample.dataset;
	const char *path = f->options->input.paths.count == 1 ? f->options->input.paths.v[0] : "-";
	FREED char *folder = xmemdup0(path, path_trimmed(path)), *above = path_folder(folder);
	const char *const folders[] = { folder, above };
	struct stat st;

	for (size_t i = 0; i < d->formats.count; i++)
		if (d->formats.v[i].format == FORMAT_COCO)
			return xstrdup(d->formats.v[i].seen.example);
	for (size_t i = 0; i < ARRAY_SIZE(folders) && strcmp(path, "-") != 0; i++) {
		const bool here = !strcmp(folders[i], ".");

		for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
			RELEASED struct strbuf file = STRBUF_INIT;

			strbuf_addf(&file, "%.*s%s%s", here ? 0 : (int)path_trimmed(folders[i]), folders[i],
				    here ? "" : "/", names[k]);
			if (stat(file.s, &st) == 0 && S_ISREG(st.st_mode))
				return strbuf_detach(&file);
		}
	}
	return NULL;
}

static void answer_class_file(struct proposal *p, const struct sampled *f)
{
	struct answer a = { .what = STRBUF_INIT };
	FREED char *file = find_class_file(f);

	if (!file)
		return;
	answer_set(&a, "classes", file);
	const struct trial *t = answer_try(&a, f);
	const struct class_set *classes = &t->options.settings.classes;

	strbuf_adds(&p->refused, t->good ? "" : t->err.text);
	strbuf_addf(&a.what, "the file has %" PRIu64 " classes", id_ranges_size(&classes->classes));
	for (size_t id = 0, said = 0; id < classes->names_count && said <= NAMES_SAID; id++) {
		if (!classes->names[id])
			continue;
		strbuf_addf(&a.what, "%s%.40s", said ? ", " : ": ", said < NAMES_SAID ? classes->names[id] : "...");
		said++;
	}
	take(p, f, &a, f->sample.dataset.categories.count == 0);
}

/* Numbers the colours that no preset has: as PASCAL VOC's palette does, which tools share, or in their order. */
static void answer_colours(struct proposal *p, const struct sampled *f)
{
	struct answer a = { .what = STRBUF_INIT };
	RELEASED struct strbuf table = STRBUF_INIT;
	struct id_stats *colours = xcalloc(f->colours.count + 1, sizeof(*colours));

	for (size_t i = 0; i < f->colours.count; i++)
		colours[i].id = f->colours.v[i].colour;
	const struct known_palette *palette = known_palette_match(colours, f->colours.count, false);

	for (size_t i = 0; i < f->colours.count; i++)
		strbuf_addf(&table, "%s%" PRId64 "=#%06" PRIx32, i ? "," : "",
			    palette ? palette->id_of(f->colours.v[i].colour) : (int64_t)i, f->colours.v[i].colour);
	answer_set(&a, "colors", table.s);
	if (palette)
		strbuf_addf(&a.what, "colours instead of ids, here with the ids of the palette of %s", palette->name);
	else
		strbuf_adds(&a.what, "colours instead of ids: give each the id of its class; here they are in the "
				     "order of the colours");
	free(colours);
	if (f->colours_cut || f->colours.count > COLOURS_NUMBERED)
		answer_release(&a);
	else
		take(p, f, &a, false);
}

/* Fills a with that many classes, and the ids that are ignored. */
static void answer_count(const struct sampled *f, size_t classes, bool ignored, struct answer *a)
{
	RELEASED struct strbuf count = STRBUF_INIT, ids = STRBUF_INIT;

	strbuf_addf(&count, "%zu", classes);
	answer_set(a, "classes", count.s);
	for (size_t i = 0; i < f->ignored_count; i++)
		strbuf_addf(&ids, "%s%" PRId64, i ? "," : "", f->ignored[i]->id);
	if (ignored && ids.len)
		answer_set(a, "ignore", ids.s);
}

/*
 * Fills a with that many classes, if one map makes them of the ids (judge/fix_decision.h). Returns the rule of that
 * map; NULL: there is none.
 */
static const char *find_map(const struct sampled *f, size_t classes, bool ignored, struct answer *a)
{
	struct fix_decision decision = { .place = NULL };
	struct finding_list none;
	const char *rule = NULL;

	answer_count(f, classes, ignored, a);
	finding_list_init(&none, 0);
	const struct trial *t = answer_try(a, f);

	if (t->good && fix_decision_find_map(&t->options.settings, &f->sample.dataset, &none, &decision)) {
		rule = decision.map.rule;
		strbuf_addf(&a->what, "%zu classes, if the ids are corrected: %s", classes, decision.map.method.s);
	}
	fix_decision_release(&decision);
	finding_list_release(&none);
	if (!rule)
		answer_release(a);
	return rule;
}

/* Fills a if the ids are two levels, such as 0 and 65535, or many between that are near 0 or 255. */
static bool find_levels(const struct sampled *f, struct answer *a)
{
	enum { LEVELS_MIN = 32, NEAR = 255 / 32 };
	const struct dataset_stats *d = &f->sample.dataset;
	const int64_t last = d->ids[d->ids_count - 1].id;
	uint64_t near = 0;

	for (size_t i = 0; i < d->ids_count; i++)
		near += d->ids[i].id <= NEAR || d->ids[i].id >= 255 - NEAR ? d->ids[i].labels : 0;
	if (d->ids[0].id || !d->masks_with_ids)
		return false;
	if (d->ids_count == 2 && last > 1)
		strbuf_addf(&a->what, "0 and %" PRId64 " alone: two classes", last);
	else if (last == 255 && d->ids_count >= LEVELS_MIN && near >= f->labels - f->labels / 10)
		strbuf_adds(&a->what, "nearly all labels are near 0 or 255: two classes with blurred borders, which "
				      "labelaudit fix --threshold 128 divides");
	else
		return false;
	answer_count(f, 2, false, a);
	return true;
}

/* Answers with the ids as they are. */
static void answer_ids(struct proposal *p, const struct sampled *f)
{
	struct answer a = { .what = STRBUF_INIT };

	answer_count(f, (size_t)f->largest + 1, true, &a);
	if (f->ids[0]->id)
		strbuf_addf(&a.what, "%" PRId64 " classes, of which 0%s never occurs", f->largest + 1,
			    f->ids[0]->id > 1 ? ", among others," : "");
	for (size_t i = 0; i < f->ignored_count; i++) {
		const struct id_total *t = f->ignored[i];

		strbuf_addf(&a.what, "%s%" PRId64 "%s in ", a.what.len ? "; " : "", t->id,
			    text_percent(t->labels, f->labels).s);
		strbuf_add_count(&a.what, t->files, "file");
		strbuf_adds(&a.what, ": probably never trained on");
	}
	take(p, f, &a, true);
}

static void answer_instances(struct proposal *p, const struct sampled *f)
{
	struct answer a = { .what = STRBUF_INIT };

	answer_count(f, 2, false, &a);
	strbuf_adds(&a.what, "many ids, which number the objects of each file: numbers of instances, not classes; two "
			     "classes are background and object");
	take(p, f, &a, false);
}

static void answer_of_ids(struct proposal *p, const struct sampled *f)
{
	struct answer preset = { .what = STRBUF_INIT }, mapped = { .what = STRBUF_INIT };
	const enum evidence evidence = find_preset(f, &preset);
	const bool as_they_are = f->largest >= 0 && f->largest < CLASSES_MAX;
	const char *rule = find_map(f, f->sample.dataset.ids_count, false, &mapped);

	if (!rule || strcmp(rule, "scaled-ids") != 0) {
		answer_release(&mapped);
		rule = find_map(f, f->classes, true, &mapped);
	}
	const bool levels = !rule && find_levels(f, &mapped);

	if (evidence > EVIDENCE_IDS)
		take(p, f, &preset, true);
	if (dataset_numbers_instances(&f->sample.dataset)) {
		answer_instances(p, f);
	} else if (levels || (rule && strcmp(rule, "gap-in-ids") != 0)) {
		take(p, f, &mapped, false);
		if (as_they_are && rule && !strcmp(rule, "one-based-ids"))
			answer_ids(p, f);
	} else {
		if (as_they_are)
			answer_ids(p, f);
		if (rule)
			take(p, f, &mapped, false);
		if (preset.count)
			take(p, f, &preset, true);
	}
	answer_release(&preset);
	answer_release(&mapped);
}

/* ---- the proposal ------------------------------------------------------------------------------------------------ */

static void fail_without_ids(const struct options *options, struct error *err)
{
	const char *path = options->input.paths.count ? options->input.paths.v[0] : NULL;
	RELEASED struct strbuf folder = STRBUF_INIT;

	if (path && label_folder_beside(path, &folder))
		error_set(err, "--classes is missing, and no ids were found in %s; did you mean labelaudit %s?", path,
			  folder.s);
	else
		error_set(err, "--classes or --preset is required: how many classes are there? For example: " EXAMPLE);
}

enum status proposal_make(struct proposal *p, struct options *options, struct error *err)
{
	struct sampled f = { .options = options, .sample = { .files_max = SAMPLE_FILES } };
	const struct audit_observer observer = { .self = &f, .file = note_file };

	*p = (struct proposal){ .found = STRBUF_INIT, .refused = STRBUF_INIT };
	options->input.explain = options->input.write_config = false;
	options->output.format = "none";
	options->output.files_count = 0;
	options->output.progress = PROGRESS_NONE;
	options->output.verbosity = -1;
	options->run.jobs = 1;
	options->run.device.choice = DEVICE_CPU;
	options->run.cache.on = false;
	options->input.images = options->baseline.file = options->baseline.write = NULL;
	options->settings.images.folder = NULL;
	options->settings.images.judged = false;
	for (size_t i = 0; i < rule_count; i++)
		options->settings.rules.levels[i] = LEVEL_OFF;
	enum status status = audit_sample(options, &f.sample, &observer, err);

	if (status == STATUS_OK && !f.sample.dataset.ids_count && !f.colours.count) {
		fail_without_ids(options, err);
		status = STATUS_FAILED;
	}
	/* a text holds some of a vocabulary: what occurs says nothing about its size */
	p->tokens = f.tokens && status == STATUS_OK && f.sample.dataset.ids_count &&
		    f.sample.dataset.ids[f.sample.dataset.ids_count - 1].id >= CLASSES_MAX;
	if (status == STATUS_OK && p->tokens) {
		describe(&f, &p->found);
	} else if (status == STATUS_OK) {
		struct answer preset = { .what = STRBUF_INIT };

		sort_out_ids(&f);
		describe(&f, &p->found);
		answer_class_file(p, &f);
		if (p->count)
			; /* it was said */
		else if (f.ids_count)
			answer_of_ids(p, &f);
		else if (find_preset(&f, &preset))
			take(p, &f, &preset, false);
		else if (f.colours.count)
			answer_colours(p, &f);
	}
	free(f.ids);
	free(f.ignored);
	colour_table_release(&f.colours);
	dataset_release(&f.sample.dataset);
	return status;
}

void proposal_release(struct proposal *p)
{
	for (size_t i = 0; i < p->count; i++)
		answer_release(&p->v[i]);
	strbuf_release(&p->found);
	strbuf_release(&p->refused);
}

enum status propose_classes(struct options *options, struct error *err)
{
	RELEASED struct strbuf text = STRBUF_INIT;
	struct proposal p;
	const enum status status = proposal_make(&p, options, err);

	strbuf_addf(
		&text, "labelaudit: error: --classes is missing; %s: %s\n", p.found.s,
		p.count > 1 ? "which classes are these?"
		: p.count   ? "try"
		: p.tokens
			? "these are tokens, and a text has some of them: give the vocab_size of the model, --classes "
			  "config.json, and with --tokenizer DIR its tokenizer is compared with it"
			: "as many classes as your model has, or --preset (--preset list prints them)");
	for (size_t i = 0; i < p.count; i++) {
		RELEASED struct strbuf added = STRBUF_INIT;

		add_options(&p.v[i], &added);
		strbuf_adds(&text, "  ");
		command_line_add(options, added.s, NULL, NULL, &text);
		strbuf_addf(&text, p.v[i].what.len ? "\n    %s\n" : "\n", p.v[i].what.s);
	}
	if (p.refused.len)
		strbuf_addf(&text, "  no answer: %s\n", p.refused.s);
	if (status == STATUS_OK)
		log_text(text.s);
	proposal_release(&p);
	return STATUS_FAILED;
}
