/*
 * The tables of commands and options, the only place that lists them. The parser, --help, the completions, the keys of
 * labelaudit.yaml and the check of the manual page (scripts/lint-options) read them.
 */
#pragma once

#include "base/nearest.h"
#include "cli/options.h"

/* The values that a shell offers for an option without choices. */
enum completion { COMPLETE_NOTHING, COMPLETE_FILE, COMPLETE_RULE, COMPLETE_PRESET };

/*
 * When an option leaves something out of the audit, lowers a level or makes labels legal, which every report then says
 * (settings.narrowed). "found": it is in a labelaudit.yaml that was not named, and may have come with the data.
 */
enum narrows {
	NARROWS_NEVER,
	NARROWS_ALWAYS,
	NARROWS_CHANGED,       /* set to something else than its default */
	NARROWS_FOUND,         /* found */
	NARROWS_FOUND_CHANGED, /* found, and something else than its default */
	NARROWS_FOUND_RAISED,  /* found, and above its default, or 0: no limit */
	NARROWS_FOUND_LOWERED, /* found, and below its default */
	NARROWS_FOUND_LEGAL,   /* found, where the classes were typed: it adds to them, or reads labels as other ids */
	NARROWS_RULES,         /* --select: some rule is off */
	NARROWS_LEVELS,        /* --severity: some rule is below its own level */
};

/* Says whether settings.options lists it, and the digest of the settings hashes its text, or what became of it. */
enum reported { REPORTED_NOT, REPORTED_SHOWN, REPORTED_HASHED };

/* One option. */
struct option_spec {
	char letter; /* 0: none */
	const char *name;
	const char *value;          /* what the manual calls it: SPEC, FILE; NULL: takes none */
	const char *choices;        /* comma-separated, or NULL */
	const unsigned *choices_of; /* of each choice, 1 << enum command of those that take it; or NULL: all */
	const char *otherwise;      /* the default, as --help shows it, or NULL */
	const char *title;          /* in --help, of the options from this one to the next title; or NULL */
	enum completion completion;
	bool repeatable;
	bool everywhere;        /* with every command */
	unsigned commands;      /* 1 << enum command of those that have it; 0: audit and fix */
	bool command_line_only; /* no key of labelaudit.yaml */
	bool named_only;        /* a key only of a file that --config names */
	bool globs;             /* there: a map of globs */
	enum narrows narrows;
	enum reported reported;
	bool (*takes)(const char *word); /* the value may be left out: is the next word it? Then value is "" */
	/* One sentence without a full stop; "; with diff: ..." after it is for that command, which sees no more. */
	const char *help;
	size_t at; /* offset in struct options of what `set` writes to, if that is a single member */
	/* value: NULL if the option takes none. Fails with one precise line. */
	enum status (*set)(const struct option_spec *spec, struct options *o, const char *value, struct error *err);
};

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

/* Returns NULL if there is no option of that name. */
const struct option_spec *option_find(const char *name, size_t n);
/* Returns what to do instead of an option that is no more; NULL if there never was one of that name. */
const char *option_removed(const char *name, size_t n);
/* Returns whether a command takes a choice of an option; by its index. */
bool option_choice_is_of(const struct option_spec *spec, size_t choice, enum command command);
bool option_is_of(const struct option_spec *spec, enum command command);
/* Returns where an option of that name got its value from. */
const struct option_given *option_given_of(const struct options *o, const char *name);
/* Records where an option got its value from. */
void option_note(struct options *o, const struct option_spec *spec, const char *value, enum option_origin origin,
		 size_t line);
/* Returns the command's row of the table; by name: NULL if there is none, then *nearest says which is meant. */
const struct command_spec *command_by_id(enum command command);
const struct command_spec *command_find(const char *name, struct nearest *nearest);
void string_list_add(struct string_list *list, const char *word);
/* options_check.c: checks and completes the options of an audit, and those of another command. */
enum status options_check_audit(struct options *o, struct error *err);
enum status options_check_command(struct options *o, struct error *err);
/* Warns of typed options that are about none of the formats that were audited: 1 << enum sample_format of each. */
void options_warn_unused(const struct options *o, unsigned formats);
/*
 * options_colours.c: fills the table of colours by --colors, of which the class file or the preset may have filled one,
 * after the classes.
 */
enum status options_resolve_colours(struct options *o, struct error *err);
/* training_paths.c: takes paths and classes from a PATH that is a training's configuration. */
enum status options_take_training_config(struct options *o, struct error *err);
/* Returns the preset that a value of --colors names, if no file does; or NULL. */
const struct preset *colours_preset(const char *value);
/* Returns whether the colours of a class file count. */
bool options_want_colours(const struct options *o);
/* Returns whether --colors gives the classes, too: nothing else does. */
bool options_colours_are_classes(const struct options *o);
/* options_config.c: adds labelaudit.yaml. */
enum status options_load_config(struct options *o, struct error *err);
/* options_rules.c: computes the level of each rule from --select, --skip, --severity and --per-path. */
enum status options_resolve_rules(struct options *o, struct error *err);
/* Returns whether --severity lowers a rule below its own level. */
bool options_lower_severity(const struct options *o);
/* options_reported.c: lists what the report says about the options, after the rules are resolved. */
void options_report(struct options *o);
/* Prefixes an error about an option's value with its place in labelaudit.yaml, if the value came from there. */
void option_add_origin(const struct options *o, const char *option, struct error *err);

/* ---- parsers of values (options_values.c): one that is refused fills err with one line; pure -----------------------
 */

/* Returns the next item of a comma-separated list, not copied, and its length in *n; NULL at the end. */
const char *list_next(const char **list, size_t *n);

/* Returns whether a value of --classes is a count or a list of ids; otherwise it names a file. */
bool is_list_of_ids(const char *spec);
/* Returns whether a value of --colors is `none` or a list of ids and colours; otherwise it names a file. */
bool is_list_of_colours(const char *spec);
/* Returns whether a value of --images is a pattern, not the name of a folder. */
bool is_glob(const char *value);
/* Writes "auto,mask" as "auto, mask", cut to the capacity of out. */
void option_format_choices(const char *choices, char *out, size_t capacity);
/* Returns the index of value in spec->choices, or SIZE_MAX if it is none of them. */
size_t option_choose(const struct option_spec *spec, const char *value, struct error *err);
/* Parses decimal digits. */
enum status option_number(const struct option_spec *spec, const char *value, uint64_t max, uint64_t *out,
			  struct error *err);
/* Parses a number with an optional suffix K, M, G or T: powers of 1024, as in ripgrep. */
enum status option_size(const struct option_spec *spec, const char *value, uint64_t *out, struct error *err);
