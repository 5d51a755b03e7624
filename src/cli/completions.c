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

static void add_options(struct strbuf *out)
{
	for (size_t i = 0; i < option_count; i++) {
		strbuf_adds(out, i ? " " : "");
		if (option_table[i].letter)
			strbuf_addf(out, "-%c ", option_table[i].letter);
		strbuf_addf(out, "--%s", option_table[i].name);
	}
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
			strbuf_adds(out, "mapfile -t COMPREPLY < <(compgen -W \"$rules\" -- \"$cur\")\n");
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
static void add_zsh_options(struct strbuf *out)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_spec *spec = &option_table[i];

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

/* ---- fish ------------------------------------------------------------------------------------------------------- */

static void add_fish_commands(struct strbuf *out)
{
	for (size_t i = 0; i < command_count; i++)
		strbuf_addf(out, "complete -c labelaudit -n __fish_use_subcommand -a %s -d '%s'\n",
			    command_table[i].name, command_table[i].help);
}

static void add_fish_options(struct strbuf *out)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_spec *spec = &option_table[i];
		struct strbuf values = STRBUF_INIT;

		strbuf_adds(out, "complete -c labelaudit");
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
	{ "zsh_commands", add_zsh_commands },
	{ "zsh_options", add_zsh_options },
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
