/*
 * Completions for bash, zsh and fish: the templates completions.bash, .zsh and .fish, embedded by embed.S, filled in
 * from the tables of options, commands, rules and presets.
 *
 * In a template, the function of that name in `parts` replaces @name@; it replaces a comment #@name@ by whole lines.
 */
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "cli/options_table.h"
#include "cli/presets.h"
#include "judge/rule.h"

extern const char completions_bash[], completions_zsh[], completions_fish[];

/* ---- lists of words --------------------------------------------------------------------------------------------- */

static void add_rules(struct strbuf *out)
{
	for (size_t i = 0; i < rule_count; i++)
		strbuf_addf(out, "%s%s", i ? " " : "", rule_table[i]->name);
}

static void add_rules_and_categories(struct strbuf *out)
{
	add_rules(out);
	for (size_t i = 0; i < RULE_CATEGORIES; i++)
		strbuf_addf(out, " %s", rule_categories[i]);
}

static void add_commands(struct strbuf *out)
{
	for (size_t i = 0; i < command_count; i++)
		strbuf_addf(out, "%s%s", i ? " " : "", command_table[i].name);
}

/* Appends the options of a command. */
static void add_options_of(enum command command, struct strbuf *out)
{
	const char *blank = "";

	for (const struct option_spec *spec = option_table; spec < option_table + option_count; spec++) {
		if (!option_is_of(spec, command))
			continue;
		strbuf_adds(out, blank);
		blank = " ";
		if (spec->letter)
			strbuf_addf(out, "-%c ", spec->letter);
		strbuf_addf(out, "--%s", spec->name);
	}
}

static void add_options(struct strbuf *out)
{
	add_options_of(COMMAND_AUDIT, out);
}

/* Appends the words that the option's value may be. Returns false if there is no list of them. */
static bool add_values(struct strbuf *out, const struct option_spec *spec)
{
	if (spec->choices) {
		for (const char *p = spec->choices; *p; p++)
			strbuf_addch(out, *p == ',' ? ' ' : *p);
	} else if (spec->value && spec->completion == COMPLETE_RULE) {
		add_rules_and_categories(out);
	} else if (spec->value && spec->completion == COMPLETE_PRESET) {
		strbuf_adds(out, "list");
		for (size_t i = 0; i < preset_count; i++)
			strbuf_addf(out, " %s", preset_table[i].name);
	} else {
		return false;
	}
	return true;
}

/* Appends text in which characters of `special` get a backslash, and a single quote is written as `quote`. */
static void add_quoted(struct strbuf *out, const char *text, const char *special, const char *quote)
{
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_adds(out, quote);
		else if (strchr(special, *text))
			strbuf_addf(out, "\\%c", *text);
		else
			strbuf_addch(out, *text);
	}
}

/* Within single quotes, zsh has no escapes: the quotes end before a quote and begin again after it. */
#define ZSH_QUOTE "'\\''"

/* ---- bash ------------------------------------------------------------------------------------------------------- */

/* An arm for each option with a value, of `case` on the word before the cursor. */
static void add_bash_values(struct strbuf *out)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_spec *spec = &option_table[i];
		struct strbuf values = STRBUF_INIT;

		if (!spec->value)
			continue;
		strbuf_adds(out, "\t");
		if (spec->letter)
			strbuf_addf(out, "-%c|", spec->letter);
		strbuf_addf(out, "--%s)\n\t\t", spec->name);
		if (!spec->choices && spec->completion == COMPLETE_RULE)
			strbuf_adds(out, "_labelaudit_list \"$rules\"\n");
		else if (add_values(&values, spec))
			strbuf_addf(out, "mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n", values.s);
		else if (spec->completion == COMPLETE_FILE)
			strbuf_adds(out, "_labelaudit_files\n");
		else
			strbuf_adds(out, ": # nothing to offer\n");
		strbuf_adds(out, "\t\treturn\n\t\t;;\n");
		strbuf_release(&values);
	}
}

/* `merge) options='...' ;;` of each command but the audit. */
static void add_bash_command_options(struct strbuf *out)
{
	for (size_t i = 0; i < command_count; i++) {
		if (command_table[i].command == COMMAND_AUDIT)
			continue;
		strbuf_addf(out, "\t%s) options='", command_table[i].name);
		add_options_of(command_table[i].command, out);
		strbuf_adds(out, "' ;;\n");
	}
}

/* ---- zsh -------------------------------------------------------------------------------------------------------- */

static void add_zsh_commands(struct strbuf *out)
{
	for (size_t i = 0; i < command_count; i++) {
		strbuf_addf(out, "\t\t'%s:", command_table[i].name);
		add_quoted(out, command_table[i].help, ":\\", ZSH_QUOTE);
		strbuf_adds(out, "'\n");
	}
}

static void add_zsh_action(struct strbuf *out, const struct option_spec *spec)
{
	struct strbuf values = STRBUF_INIT;

	if (!spec->value)
		return;
	strbuf_addch(out, ':');
	add_quoted(out, spec->value, "[]:\\", ZSH_QUOTE);
	if (add_values(&values, spec))
		strbuf_addf(out, ":(%s)", values.s);
	else
		strbuf_adds(out, spec->completion == COMPLETE_FILE ? ":_files" : ": ");
	strbuf_release(&values);
}

/* '(-c --classes)'{-c+,--classes=}'[help]:SPEC:_files': + and = allow the value to follow directly. */
static void add_zsh_options_of(enum command command, struct strbuf *out)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_spec *spec = &option_table[i];

		if (!option_is_of(spec, command))
			continue;
		strbuf_adds(out, "\t\t");
		if (spec->repeatable)
			strbuf_adds(out, "'*'");
		else if (spec->letter)
			strbuf_addf(out, "'(-%c --%s)'", spec->letter, spec->name);
		if (spec->letter)
			strbuf_addf(out, "{-%c%s,--%s%s}", spec->letter, spec->value ? "+" : "", spec->name,
				    spec->value ? "=" : "");
		else
			strbuf_addf(out, "--%s%s", spec->name, spec->value ? "=" : "");
		strbuf_adds(out, "'[");
		add_quoted(out, spec->help, "[]:\\", ZSH_QUOTE);
		strbuf_adds(out, "]");
		add_zsh_action(out, spec);
		strbuf_adds(out, "' \\\n");
	}
}

static void add_zsh_options(struct strbuf *out)
{
	add_zsh_options_of(COMMAND_AUDIT, out);
}

/* The commands that take files: reports, or label files. */
static void add_zsh_command_options(struct strbuf *out)
{
	static const enum command commands[] = { COMMAND_MERGE, COMMAND_RENDER, COMMAND_DIFF, COMMAND_FIX };

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		strbuf_addf(out, "\t%s)\n\t\t_arguments -s -S \\\n", command_by_id(commands[i])->name);
		add_zsh_options_of(commands[i], out);
		strbuf_adds(out, "\t\t'1: :' '*:file:_files'\n\t\treturn\n\t\t;;\n");
	}
}

/* ---- fish ------------------------------------------------------------------------------------------------------- */

static void add_fish_commands(struct strbuf *out)
{
	for (size_t i = 0; i < command_count; i++)
		strbuf_addf(out, "complete -c labelaudit -n __fish_use_subcommand -a %s -d '%s'\n",
			    command_table[i].name, command_table[i].help);
}

/* Appends the condition under which an option is offered: with the commands that have it. */
static void add_fish_condition(const struct option_spec *spec, struct strbuf *out)
{
	bool audit = option_is_of(spec, COMMAND_AUDIT); /* it may be omitted, so name the others */
	const char *blank = "";

	strbuf_addf(out, " -n '%s__fish_seen_subcommand_from ", audit ? "not " : "");
	for (size_t i = 0; i < command_count; i++) {
		if (option_is_of(spec, command_table[i].command) == audit)
			continue;
		strbuf_addf(out, "%s%s", blank, command_table[i].name);
		blank = " ";
	}
	strbuf_addch(out, '\'');
}

static void add_fish_options(struct strbuf *out)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_spec *spec = &option_table[i];
		struct strbuf values = STRBUF_INIT;

		strbuf_adds(out, "complete -c labelaudit");
		if (!spec->everywhere)
			add_fish_condition(spec, out);
		if (spec->letter)
			strbuf_addf(out, " -s %c", spec->letter);
		strbuf_addf(out, " -l %s -d '", spec->name);
		add_quoted(out, spec->help, "\\", "\\'");
		strbuf_addch(out, '\'');
		if (add_values(&values, spec))
			strbuf_addf(out, " -x -a '%s'", values.s);
		else if (spec->value)
			strbuf_adds(out, spec->completion == COMPLETE_FILE ? " -r -F" : " -x");
		strbuf_addch(out, '\n');
		strbuf_release(&values);
	}
}

/* ---- templates -------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*add)(struct strbuf *out);
} parts[] = {
	{ "rules", add_rules },
	{ "rules_and_categories", add_rules_and_categories },
	{ "commands", add_commands },
	{ "options", add_options },
	{ "bash_values", add_bash_values },
	{ "bash_command_options", add_bash_command_options },
	{ "zsh_commands", add_zsh_commands },
	{ "zsh_options", add_zsh_options },
	{ "zsh_command_options", add_zsh_command_options },
	{ "fish_commands", add_fish_commands },
	{ "fish_options", add_fish_options },
};

/* Appends the part that the text after an @ names. Returns the number of bytes of name and second @, 0 if none. */
static size_t add_part(struct strbuf *out, const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz_");

	for (size_t i = 0; name[n] == '@' && i < ARRAY_SIZE(parts); i++) {
		if (strlen(parts[i].name) == n && !memcmp(parts[i].name, name, n)) {
			parts[i].add(out);
			return n + 1;
		}
	}
	return 0;
}

static void fill_in(const char *template, struct strbuf *out)
{
	for (const char *line = template; *line;) {
		const char *at = line + strspn(line, "\t"), *end = line + strcspn(line, "\n") + 1;

		if (at[0] != '#' || at[1] != '@' || !add_part(out, at + 2))
			for (const char *p = line; p < end; p++) {
				size_t n = *p == '@' ? add_part(out, p + 1) : 0;

				if (!n)
					strbuf_addch(out, *p);
				p += n;
			}
		line = end;
	}
}

enum status options_completions(const char *shell, struct strbuf *out, struct error *err)
{
	static const struct {
		const char *name, *template;
	} shells[] = { { "bash", completions_bash }, { "zsh", completions_zsh }, { "fish", completions_fish } };
	struct nearest nearest;

	nearest_init(&nearest, shell);
	for (size_t i = 0; i < ARRAY_SIZE(shells); i++) {
		if (!strcmp(shell, shells[i].name)) {
			fill_in(shells[i].template, out);
			return STATUS_OK;
		}
		nearest_try(&nearest, shells[i].name);
	}
	return error_set(err, "there are no completions for '%s'%s%s%s; expected bash, zsh or fish", shell,
			 nearest.name ? ", did you mean " : "", nearest.name ? nearest.name : "",
			 nearest.name ? "?" : "");
}
