/* The parser of the command line. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "cli/options_table.h"

/* ---- one option ------------------------------------------------------------------------------------------- */

static const struct option_spec *find_letter(char letter)
{
	for (size_t i = 0; letter && i < option_count; i++)
		if (option_table[i].letter == letter)
			return &option_table[i];
	return NULL;
}

/* Returns whether a word is the next option and not a value that begins with a dash (-1, -). */
static bool is_option(const char *word)
{
	if (word[0] != '-' || !word[1])
		return false;
	if (word[1] != '-')
		return !word[2] && find_letter(word[1]) && !ascii_isdigit(word[1]);
	return !word[2] || option_find(word + 2, strcspn(word + 2, "="));
}

static enum status unknown_option(const char *name, size_t n, const char *dashes, struct error *err)
{
	struct nearest nearest;
	const char *instead = option_removed(name, n);
	char copy[64];

	if (instead)
		return error_set(err, "%s%.*s was removed: %s", dashes, (int)n, name, instead);
	if (n < sizeof(copy)) {
		snprintf(copy, sizeof(copy), "%.*s", (int)n, name);
		nearest_init(&nearest, copy);
		for (size_t i = 0; i < option_count; i++)
			nearest_try(&nearest, option_table[i].name);
		if (nearest.name)
			return error_set(err, "unknown option %s%s; did you mean --%s?", dashes, copy, nearest.name);
	}
	return error_set(err, "unknown option %s%.*s; labelaudit --help lists them", dashes, (int)MIN(n, (size_t)200),
			 name);
}

/* Returns whether an option was a question (--help): then the rest of the command line does not matter. */
static bool is_answered(const struct options *o)
{
	return o->command == COMMAND_HELP || o->command == COMMAND_VERSION || o->command == COMMAND_PRESETS;
}

struct words {
	char **v;
	int count, next;
};

static enum status apply(const struct option_spec *spec, const char *value, struct options *o, struct error *err)
{
	if (!option_is_of(spec, o->command))
		return error_set(err, "the command %s has no option --%s%s", command_by_id(o->command)->name,
				 spec->name,
				 o->command == COMMAND_FIX && !strcmp(spec->name, "files-from")
					 ? ": name its paths, or copy what it lists into a folder of its own"
					 : "");
	if (spec->set(spec, o, value, err) != STATUS_OK)
		return STATUS_FAILED;
	option_note(o, spec, value, ORIGIN_COMMAND_LINE, 0);
	return STATUS_OK;
}

/* value: what came with the option itself, or NULL: then it is the next word. */
static enum status apply_with_value(const struct option_spec *spec, const char *value, struct words *w,
				    struct options *o, struct error *err)
{
	if (!value && spec->takes) {
		bool taken = w->next < w->count && !is_option(w->v[w->next]) && spec->takes(w->v[w->next]);

		value = taken ? w->v[w->next++] : "";
	} else if (!value) {
		if (w->next == w->count)
			return error_set(err, "option --%s needs a value: %s", spec->name, spec->value);
		value = w->v[w->next];
		if (is_option(value))
			return error_set(
				err, "option --%s needs a value, but %s follows; if that is the value, write --%s=%s",
				spec->name, value, spec->name, value);
		w->next++;
	}
	return apply(spec, value, o, err);
}

/* word: what follows the two dashes. */
static enum status parse_long(const char *word, struct words *w, struct options *o, struct error *err)
{
	size_t n = strcspn(word, "=");
	const struct option_spec *spec = option_find(word, n);

	if (!spec)
		return unknown_option(word, n, "--", err);
	if (spec->value)
		return apply_with_value(spec, word[n] ? word + n + 1 : NULL, w, o, err);
	if (word[n])
		return error_set(err, "option --%s takes no value", spec->name);
	return apply(spec, NULL, o, err);
}

/* word: what follows the dash. Letters may be joined, and the last may be followed by its value: -qj4, -i-1, -i=255. */
static enum status parse_letters(const char *word, struct words *w, struct options *o, struct error *err)
{
	if (word[1] && option_find(word, strcspn(word, "=")))
		return unknown_option(word, strcspn(word, "="), "-", err);
	for (const char *p = word; *p; p++) {
		const struct option_spec *spec = find_letter(*p);

		if (!spec && p == word)
			return unknown_option(word, strlen(word), "-", err);
		if (!spec)
			return error_set(err, "unknown option -%c in -%s; labelaudit --help lists them", *p, word);
		if (spec->value) {
			p++;
			return apply_with_value(spec, *p ? p + (*p == '=') : NULL, w, o, err);
		}
		if (apply(spec, NULL, o, err) != STATUS_OK)
			return STATUS_FAILED;
		o->help_is_short |= o->command == COMMAND_HELP;
		if (is_answered(o))
			break;
	}
	return STATUS_OK;
}

/* Returns whether a command has PATHs and the settings of an audit. */
static bool command_audits(enum command command)
{
	return command == COMMAND_AUDIT || command == COMMAND_FIX || command == COMMAND_INIT;
}

/* ---- the whole line --------------------------------------------------------------------------------------------- */

enum status options_parse(struct options *o, int argc, char **argv, struct error *err)
{
	struct words w = { argv, argc, 1 };
	const struct command_spec *command;
	struct nearest nearest;
	bool options_ended = false;

	o->argc = argc;
	o->argv = argv;
	o->command = COMMAND_AUDIT;
	o->config.given = xcalloc(option_count, sizeof(*o->config.given));
	o->config.given_count = option_count;
	command = argc > 1 ? command_find(argv[1], &nearest) : NULL;
	o->help_about = command ? command->command : COMMAND_HELP;
	if (command) {
		o->command = command->command;
		o->input.explain = o->input.write_config = o->command == COMMAND_INIT;
		w.next = 2;
	}
	while (w.next < w.count) {
		const char *word = w.v[w.next++];
		enum status status = STATUS_OK;

		if (options_ended || word[0] != '-' || !word[1])
			string_list_add(command_audits(o->command) ? &o->input.paths : &o->words, word);
		else if (!strcmp(word, "--"))
			options_ended = true;
		else if (word[1] == '-')
			status = parse_long(word + 2, &w, o, err);
		else
			status = parse_letters(word + 1, &w, o, err);
		if (status != STATUS_OK)
			return status;
		if (!options_ended && word[0] == '-' && is_answered(o))
			return STATUS_OK; /* the rest does not matter */
	}
	if (!command_audits(o->command) || o->fix.verify)
		return options_check_command(o, err);
	return options_load_config(o, err) == STATUS_OK ? options_check_audit(o, err) : STATUS_FAILED;
}
