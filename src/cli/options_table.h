/*
 * The tables of commands and options, the only place that lists them. The parser, --help, the completions, the keys of
 * labelaudit.yaml and the check of the manual page (scripts/lint-options) read them.
 */
#ifndef CLI_OPTIONS_TABLE_H
#define CLI_OPTIONS_TABLE_H

#include "cli/option_spec.h"
#include "cli/options.h"

struct command_spec {
	const char *name;
	enum command command;
	const char *arguments; /* as --help shows them, or NULL: takes none */
	size_t arguments_min, arguments_max;
	const char *help;
};

extern const struct option_spec option_table[];
extern const size_t option_count;
extern const struct command_spec command_table[];
extern const size_t command_count;
extern const char *const option_group_titles[GROUPS];

/* Returns NULL if there is no option of that name. */
const struct option_spec *option_find(const char *name, size_t n);
bool option_is_of(const struct option_spec *spec, enum command command);
/* Returns where an option of that name got its value from. */
const struct option_given *option_given_of(const struct options *o, const char *name);
/* Records where an option got its value from. */
void option_note(struct options *o, const struct option_spec *spec, const char *value, enum option_origin origin,
		 size_t line);
/* Returns the command's row of the table. */
const struct command_spec *command_by_id(enum command command);
void string_list_add(struct string_list *list, const char *word);
/* options_check.c: checks and completes the options of an audit, and those of another command. */
enum status options_check_audit(struct options *o, struct error *err);
enum status options_check_command(struct options *o, struct error *err);
/* options_config.c: adds labelaudit.yaml. */
enum status options_load_config(struct options *o, struct error *err);
/* options_rules.c: computes the level of each rule from --select, --skip, --severity and --per-path. */
enum status options_resolve_rules(struct options *o, struct error *err);
/* Prefixes an error about an option's value with its place in labelaudit.yaml, if the value came from there. */
void option_add_origin(const struct options *o, const char *option, struct error *err);

#endif
