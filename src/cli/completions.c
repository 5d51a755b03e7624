/* Completions for bash, zsh and fish, from the tables. */
#include <string.h>

#include "base/nearest.h"
#include "cli/options_table.h"
#include "cli/presets.h"
#include "judge/rule.h"

/* The items of a comma-separated list with blanks between them. */
static void add_spaced(struct strbuf *out, const char *list)
{
	for (; *list; list++)
		strbuf_addch(out, *list == ',' ? ' ' : *list);
}

static void add_rule_names(struct strbuf *out, bool categories)
{
	for (size_t i = 0; i < rule_count; i++)
		strbuf_addf(out, "%s%s", i ? " " : "", rule_table[i]->name);
	for (size_t i = 0; categories && i < RULE_CATEGORIES; i++)
		strbuf_addf(out, " %s", rule_categories[i]);
}

static void add_command_names(struct strbuf *out)
{
	for (size_t i = 0; i < command_count; i++)
		strbuf_addf(out, "%s%s", i ? " " : "", command_table[i].name);
}

static void add_preset_names(struct strbuf *out)
{
	strbuf_adds(out, "list");
	for (size_t i = 0; i < preset_count; i++)
		strbuf_addf(out, " %s", preset_table[i].name);
}

/* Inside single quotes of any of the three shells; `special` characters get a backslash (zsh: brackets and colons). */
static void add_quoted(struct strbuf *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_adds(out, "'\\''");
		else if (strchr(special, *text))
			strbuf_addf(out, "\\%c", *text);
		else
			strbuf_addch(out, *text);
	}
}

/* ---- bash ------------------------------------------------------------------------------------------------------- */

/* "-c|--classes" */
static void add_bash_names(struct strbuf *out, const struct option_spec *spec)
{
	if (spec->letter)
		strbuf_addf(out, "-%c|", spec->letter);
	strbuf_addf(out, "--%s", spec->name);
}

static void add_bash_values(struct strbuf *out)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_spec *spec = &option_table[i];

		if (!spec->value)
			continue;
		strbuf_adds(out, "\t");
		add_bash_names(out, spec);
		strbuf_adds(out, ")\n\t\t");
		if (spec->choices) {
			strbuf_adds(out, "mapfile -t COMPREPLY < <(compgen -W '");
			add_spaced(out, spec->choices);
			strbuf_adds(out, "' -- \"$cur\")\n");
		} else if (spec->completion == COMPLETE_RULE) {
			strbuf_adds(out, "mapfile -t COMPREPLY < <(compgen -W \"$rules\" -- \"$cur\")\n");
		} else if (spec->completion == COMPLETE_PRESET) {
			strbuf_adds(out, "mapfile -t COMPREPLY < <(compgen -W '");
			add_preset_names(out);
			strbuf_adds(out, "' -- \"$cur\")\n");
		} else if (spec->completion == COMPLETE_FILE) {
			strbuf_adds(out, "_labelaudit_files\n");
		} else {
			strbuf_adds(out, ": # nothing to offer\n");
		}
		strbuf_adds(out, "\t\treturn\n\t\t;;\n");
	}
}

static void add_bash(struct strbuf *out)
{
	strbuf_adds(out, "# bash completion for labelaudit: source this file.\n\n"
			 "_labelaudit_files()\n{\n"
			 "\tcompopt -o filenames 2>/dev/null\n"
			 "\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n}\n\n"
			 "_labelaudit()\n{\n"
			 "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
			 "\tlocal rules='");
	add_rule_names(out, true);
	strbuf_adds(out, "'\n\n"
			 "\tCOMPREPLY=()\n"
			 "\t# --name=value arrives as three words\n"
			 "\tif [[ $cur == = ]]; then\n\t\tcur=\n"
			 "\telif [[ $prev == = ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n"
			 "\tcase $prev in\n");
	add_bash_values(out);
	strbuf_adds(out, "\tesac\n"
			 "\tif ((COMP_CWORD > 1)); then\n"
			 "\t\tcase ${COMP_WORDS[1]} in\n"
			 "\t\trule)\n\t\t\tmapfile -t COMPREPLY < <(compgen -W '");
	add_rule_names(out, false);
	strbuf_adds(out, "' -- \"$cur\")\n\t\t\treturn\n\t\t\t;;\n"
			 "\t\tcompletions)\n\t\t\tmapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- \"$cur\")\n"
			 "\t\t\treturn\n\t\t\t;;\n"
			 "\t\tesac\n\tfi\n"
			 "\tif [[ $cur == -* ]]; then\n"
			 "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	for (size_t i = 0; i < option_count; i++) {
		if (option_table[i].letter)
			strbuf_addf(out, "-%c ", option_table[i].letter);
		strbuf_addf(out, "--%s%s", option_table[i].name, i + 1 < option_count ? " " : "");
	}
	strbuf_adds(out, "' -- \"$cur\")\n\t\treturn\n\tfi\n"
			 "\t_labelaudit_files\n"
			 "\tif ((COMP_CWORD == 1)); then\n"
			 "\t\tlocal commands\n"
			 "\t\tmapfile -t commands < <(compgen -W '");
	add_command_names(out);
	strbuf_adds(out, "' -- \"$cur\")\n"
			 "\t\tCOMPREPLY+=(\"${commands[@]}\")\n\tfi\n}\n\n"
			 "complete -F _labelaudit labelaudit\n");
}

/* ---- zsh -------------------------------------------------------------------------------------------------------- */

static void add_zsh_action(struct strbuf *out, const struct option_spec *spec)
{
	if (!spec->value)
		return;
	strbuf_addch(out, ':');
	add_quoted(out, spec->value, "[]:\\");
	strbuf_addch(out, ':');
	if (spec->choices) {
		strbuf_addch(out, '(');
		add_spaced(out, spec->choices);
		strbuf_addch(out, ')');
	} else if (spec->completion == COMPLETE_RULE) {
		strbuf_addch(out, '(');
		add_rule_names(out, true);
		strbuf_addch(out, ')');
	} else if (spec->completion == COMPLETE_PRESET) {
		strbuf_addch(out, '(');
		add_preset_names(out);
		strbuf_addch(out, ')');
	} else if (spec->completion == COMPLETE_FILE) {
		strbuf_adds(out, "_files");
	} else {
		strbuf_addch(out, ' ');
	}
}

/* '(-c --classes)'{-c+,--classes=}'[help]:SPEC:_files': + and = say that the value may follow directly. */
static void add_zsh_option(struct strbuf *out, const struct option_spec *spec)
{
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
	add_quoted(out, spec->help, "[]:\\");
	strbuf_adds(out, "]");
	add_zsh_action(out, spec);
	strbuf_adds(out, "' \\\n");
}

static void add_zsh(struct strbuf *out)
{
	strbuf_adds(
		out,
		"#compdef labelaudit\n# zsh completion for labelaudit: put this file as _labelaudit into a folder of "
		"$fpath.\n\n"
		"_labelaudit_first()\n{\n\tlocal -a commands=(\n");
	for (size_t i = 0; i < command_count; i++) {
		strbuf_addf(out, "\t\t'%s:", command_table[i].name);
		add_quoted(out, command_table[i].help, ":\\");
		strbuf_adds(out, "'\n");
	}
	strbuf_adds(out, "\t)\n\t_describe -t commands command commands\n\t_files\n}\n\n"
			 "_labelaudit()\n{\n"
			 "\tcase ${words[2]} in\n"
			 "\trule)\n\t\t_arguments '1: :' '*:rule:(");
	add_rule_names(out, false);
	strbuf_adds(out, ")'\n\t\treturn\n\t\t;;\n"
			 "\tcompletions)\n\t\t_arguments '1: :' '2:shell:(bash zsh fish)'\n\t\treturn\n\t\t;;\n"
			 "\tesac\n"
			 "\t_arguments -s -S \\\n");
	for (size_t i = 0; i < option_count; i++)
		add_zsh_option(out, &option_table[i]);
	strbuf_adds(out, "\t\t'1: :_labelaudit_first' \\\n\t\t'*:path:_files'\n}\n\n"
			 "if [[ ${funcstack[1]} == _labelaudit ]]; then\n\t_labelaudit \"$@\"\n"
			 "else\n\tcompdef _labelaudit labelaudit\nfi\n");
}

/* ---- fish ------------------------------------------------------------------------------------------------------- */

static void add_fish_option(struct strbuf *out, const struct option_spec *spec)
{
	strbuf_adds(out, "complete -c labelaudit");
	if (spec->letter)
		strbuf_addf(out, " -s %c", spec->letter);
	strbuf_addf(out, " -l %s -d '", spec->name);
	for (const char *p = spec->help; *p; p++) {
		if (*p == '\'' || *p == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, *p);
	}
	strbuf_addch(out, '\'');
	if (spec->choices) {
		strbuf_adds(out, " -x -a '");
		add_spaced(out, spec->choices);
		strbuf_addch(out, '\'');
	} else if (spec->value && spec->completion == COMPLETE_RULE) {
		strbuf_adds(out, " -x -a '");
		add_rule_names(out, true);
		strbuf_addch(out, '\'');
	} else if (spec->value && spec->completion == COMPLETE_PRESET) {
		strbuf_adds(out, " -x -a '");
		add_preset_names(out);
		strbuf_addch(out, '\'');
	} else if (spec->value) {
		strbuf_adds(out, spec->completion == COMPLETE_FILE ? " -r -F" : " -x");
	}
	strbuf_addch(out, '\n');
}

static void add_fish(struct strbuf *out)
{
	strbuf_adds(out, "# fish completion for labelaudit: put this file into ~/.config/fish/completions.\n\n");
	for (size_t i = 0; i < command_count; i++)
		strbuf_addf(out, "complete -c labelaudit -n __fish_use_subcommand -a %s -d '%s'\n",
			    command_table[i].name, command_table[i].help);
	strbuf_adds(out, "complete -c labelaudit -f -n '__fish_seen_subcommand_from rule' -a '");
	add_rule_names(out, false);
	strbuf_adds(out,
		    "'\ncomplete -c labelaudit -f -n '__fish_seen_subcommand_from completions' -a 'bash zsh fish'\n");
	for (size_t i = 0; i < option_count; i++)
		add_fish_option(out, &option_table[i]);
}

enum status options_completions(const char *shell, struct strbuf *out, struct error *err)
{
	static const struct {
		const char *name;
		void (*add)(struct strbuf *out);
	} shells[] = { { "bash", add_bash }, { "zsh", add_zsh }, { "fish", add_fish } };
	struct nearest nearest;

	nearest_init(&nearest, shell);
	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
		if (!strcmp(shell, shells[i].name)) {
			shells[i].add(out);
			return STATUS_OK;
		}
		nearest_try(&nearest, shells[i].name);
	}
	return error_set(err, "there are no completions for '%s'%s%s%s; expected bash, zsh or fish", shell,
			 nearest.name ? ", did you mean " : "", nearest.name ? nearest.name : "",
			 nearest.name ? "?" : "");
}
