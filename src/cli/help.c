/* --help, from the tables, in 80 columns; and --preset list. */
#include <string.h>

#include "base/mem.h"
#include "base/wrap.h"
#include "cli/config.h"
#include "cli/options_table.h"
#include "cli/presets.h"

enum {
	WIDTH = 80,
	TEXT_COLUMN = 29, /* two blanks after most options, the longest of them --severity RULE=LEVEL */
};

static size_t add_words(struct strbuf *out, const char *text, size_t at)
{
	return wrap_text(out, text, at, TEXT_COLUMN, WIDTH);
}

/* " [pil, raw, cv2; default: pil]". command: COMMAND_HELP: the choices of all. */
static void add_choices(struct strbuf *out, const struct option_spec *spec, enum command command, size_t at)
{
	RELEASED struct strbuf text = STRBUF_INIT;
	const char *choices = spec->choices, *choice, *before = " [";
	size_t n;

	for (size_t i = 0; choices && (choice = list_next(&choices, &n)); i++) {
		if (command != COMMAND_HELP && !option_choice_is_of(spec, i, command))
			continue;
		strbuf_addf(&text, "%s%.*s", before, (int)n, choice);
		before = ", ";
	}
	if (spec->otherwise)
		strbuf_addf(&text, "%sdefault: %s", text.len ? "; " : " [", spec->otherwise);
	if (text.len)
		strbuf_addch(&text, ']');
	add_words(out, text.s, at);
}

/* Appends what an option does with a command; COMMAND_HELP: with each of them. Returns the column. */
static size_t add_meaning(struct strbuf *out, const struct option_spec *spec, enum command command)
{
	RELEASED struct strbuf text = STRBUF_INIT;
	const char *own = NULL, *other;

	if (command != COMMAND_HELP) {
		strbuf_addf(&text, "with %s: ", command_by_id(command)->name);
		own = strstr(spec->help, text.s);
	}
	own = own ? own + text.len : spec->help;
	other = command != COMMAND_HELP ? strstr(own, "; with ") : NULL;
	strbuf_set(&text, own, other ? (size_t)(other - own) : strlen(own));
	return add_words(out, text.s, TEXT_COLUMN);
}

static void add_option(struct strbuf *out, const struct option_spec *spec, enum command command)
{
	size_t line = out->len;

	if (spec->letter)
		strbuf_addf(out, "  -%c, --%s", spec->letter, spec->name);
	else
		strbuf_addf(out, "      --%s", spec->name);
	if (spec->value)
		strbuf_addf(out, " %s", spec->value);
	if (out->len - line > TEXT_COLUMN - 2) { /* too long for its column */
		strbuf_addch(out, '\n');
		line = out->len;
	}
	strbuf_addf(out, "%*s", (int)(TEXT_COLUMN - (out->len - line)), "");
	add_choices(out, spec, command, add_meaning(out, spec, command));
	strbuf_addch(out, '\n');
}

static void add_command(struct strbuf *out, const struct command_spec *c)
{
	size_t line = out->len;

	strbuf_addf(out, "  %s%s%s", c->name, c->arguments ? " " : "", c->arguments ? c->arguments : "");
	strbuf_addf(out, "%*s", (int)(TEXT_COLUMN - (out->len - line)), "");
	add_words(out, c->help, TEXT_COLUMN);
	strbuf_addch(out, '\n');
}

/* COMMAND_HELP: all. */
static void add_options(struct strbuf *out, enum command command)
{
	const char *title = NULL;

	for (const struct option_spec *spec = option_table; spec < option_table + option_count; spec++) {
		title = spec->title ? spec->title : title;
		if (command != COMMAND_HELP && !option_is_of(spec, command))
			continue;
		if (title)
			strbuf_addf(out, "\n%s:\n", title);
		title = NULL;
		add_option(out, spec, command);
	}
}

static void command_help(const struct command_spec *c, struct strbuf *out)
{
	strbuf_addf(out, "Usage: labelaudit %s [OPTIONS]%s%s\n\n  %s\n", c->name, c->arguments ? " " : "",
		    c->arguments ? c->arguments : "", c->help);
	add_options(out, c->command);
	strbuf_adds(out, "\nMore: labelaudit --help; man labelaudit.\n");
}

void options_help(enum command about, struct strbuf *out)
{
	if (about != COMMAND_HELP) {
		command_help(command_by_id(about), out);
		return;
	}
	strbuf_adds(out, "labelaudit finds the labels that break a training run, before it starts.\n\n"
			 "  labelaudit --classes 21 --ignore 255 masks/\n\n"
			 "Usage: labelaudit [audit] --classes SPEC [OPTIONS] PATH...\n"
			 "       labelaudit COMMAND\n\n"
			 "PATH is a label file (mask, which is a PNG, array, list, YOLO, COCO, IDX), a\n"
			 "folder of them, an archive (tar, zip), or - for a mask or a tar on standard\n"
			 "input.\n\n"
			 "Commands:\n");
	for (size_t i = 0; i < command_count; i++)
		add_command(out, &command_table[i]);
	add_options(out, COMMAND_HELP);
	strbuf_adds(out, "\nExit status: 0 clean, 1 findings at or above --fail-on, 2 the audit could not be\n"
			 "done or finished. More: man labelaudit; labelaudit rule NAME.\n");
}

void options_short_help(struct strbuf *out)
{
	static const char *const common[] = { "classes", "ignore", "preset",  "images", "kind",   "exclude",
					      "explain", "skip",   "fail-on", "format", "output", "all" };

	strbuf_adds(out, "labelaudit finds the labels that break a training run, before it starts.\n\n"
			 "Usage: labelaudit --classes SPEC [OPTIONS] PATH...\n\nCommon options:\n");
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		add_option(out, option_find(common[i], strlen(common[i])), COMMAND_AUDIT);
	strbuf_adds(out, "\nExamples:\n"
			 "  labelaudit --classes 21 --ignore 255 masks/      ids 0 to 20, and 255 is ignored\n"
			 "  labelaudit --preset cityscapes gtFine/           a known data set\n"
			 "  labelaudit --classes data.yaml labels/           YOLO boxes, by their own class file\n"
			 "  labelaudit -c 21 -i 255 -o report.html masks/    a page to look at, too\n"
			 "  labelaudit rule interpolated-mask                what a finding means\n"
			 "\nAll commands and options: labelaudit --help; of one: labelaudit help fix. Manual:\n"
			 "man labelaudit.\n");
}

void options_usage(struct strbuf *out)
{
	strbuf_adds(out, "usage: labelaudit --classes SPEC [OPTIONS] PATH...\n\n"
			 "  " EXAMPLE "   ids 0 to 20 are legal, 255 is ignored\n"
			 "  labelaudit masks/                             which ids are there, and what to type\n"
			 "  labelaudit -h                                 common options; --help: all of them\n");
}

/* Appends the options that the preset stands for: " --classes 21 --ignore 255". */
static void add_preset_options(struct strbuf *out, const struct preset *preset)
{
	static const char *const order[] = { "classes", "ignore", "reduce-zero-label" };
	struct error err = ERROR_INIT;
	struct config c = { .path = NULL };

	preset_read(preset, &c, &err);
	for (size_t k = 0; k < ARRAY_SIZE(order); k++)
		for (size_t i = 0; i < c.count; i++)
			if (!strcmp(c.v[i].spec->name, order[k]))
				strbuf_addf(out, " --%s%s%s", order[k], c.v[i].value ? " " : "",
					    c.v[i].value ? c.v[i].value : "");
	config_release(&c);
}

void presets_list(struct strbuf *out)
{
	int width = 0;

	for (size_t i = 0; i < preset_count; i++)
		width = MAX(width, (int)strlen(preset_table[i].name));
	for (size_t i = 0; i < preset_count; i++) {
		const char *note = preset_table[i].yaml + strlen("# ");

		strbuf_addf(out, "%-*s ", width, preset_table[i].name);
		add_preset_options(out, &preset_table[i]);
		strbuf_addf(out, "\n%*s  %.*s\n", width, "", (int)strcspn(note, "\n"), note);
	}
}
