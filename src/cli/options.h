/*
 * struct options: the command line, completed by labelaudit.yaml. One table (options_table.c) feeds the parser
 * (options_parse.c), --help, the completions, the keys of labelaudit.yaml and the check of the manual page.
 *
 * Precedence: command line, environment, labelaudit.yaml, default. Abbreviated long options are refused; the
 * error about an unknown one names the nearest. Owner: main.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/settings.h"
#include "base/strbuf.h"
#include "find/pairs.h"
#include "find/source.h"
#include "judge/fix_decision.h"

enum command {
	COMMAND_AUDIT,
	COMMAND_MERGE,
	COMMAND_RENDER,
	COMMAND_DIFF,
	COMMAND_FIX,
	COMMAND_INIT,
	COMMAND_RULE,
	COMMAND_DOCTOR,
	COMMAND_SCHEMA,
	COMMAND_COMPLETIONS,
	COMMAND_HELP,
	COMMAND_VERSION,
	COMMAND_PRESETS, /* --preset list */
	COMMAND_USAGE,   /* nothing was typed */
};

enum device_choice {
	DEVICE_AUTO,
	DEVICE_CPU,
	DEVICE_CUDA,
	DEVICE_SIM, /* the GPU's kernel on the CPU: slow, for tests; not in --help */
};

/* More GPUs than a machine has. */
enum { CUDA_DEVICES_MAX = 64 };

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };
enum progress_style { PROGRESS_AUTO, PROGRESS_BAR, PROGRESS_LINES, PROGRESS_NONE };

struct preset;
struct option_spec;

/* A settings file (config.h), as a list of options with their values in the order of the file. */
struct config_value {
	const struct option_spec *spec;
	char *value; /* NULL: the option takes none and is on; owned */
	size_t line; /* from 1 */
};

struct config {
	char *path; /* as it was found or named: ../labelaudit.yaml; NULL: there is none; owned */
	char *root; /* its folder, absolute, without links; owned */
	bool found; /* it was found, not named: it may come from anybody (config_trust.h) */
	struct config_value *v;
	size_t count, cap;
	struct class_set *named;   /* the classes of a map of ids and names; or NULL; owned */
	const char *classes_value; /* the value in v that has their ids: "21", "0-18,33" */
};

struct string_list {
	const char **v; /* the array is owned, the strings are argv's */
	size_t count, cap;
};

struct owned_list {
	char **v; /* the strings are owned, too */
	size_t count, cap;
};

/* Where an option got its value from. */
enum option_origin { ORIGIN_DEFAULT, ORIGIN_CONFIG, ORIGIN_COMMAND_LINE };

struct option_given {
	enum option_origin origin;
	size_t line;               /* of the configuration file */
	struct string_list values; /* as typed, or of the file */
};

/* Says what --allow lets pass that is an error otherwise. */
enum allowance {
	ALLOW_EMPTY = 1 << 0,     /* a PATH without any file */
	ALLOW_MISSING = 1 << 1,   /* merge: shards that are not there */
	ALLOW_STALE = 1 << 2,     /* merge: parts that were made more than a day apart */
	ALLOW_SETTINGS = 1 << 3,  /* diff: reports that were made with other settings */
	ALLOW_OVERWRITE = 1 << 4, /* --write-config: labelaudit.yaml exists */
};

/* One -o: where a finished report goes. */
struct output {
	const char *format; /* reporter's name */
	const char *path;
	char *expanded; /* what path is once %r is replaced; or NULL; owned */
};

/* Those of fix alone. */
struct fix_options {
	const char *out;    /* -o: the folder of the result; NULL: only the plan is wanted */
	const char *verify; /* --verify: the folder whose receipt is checked, and nothing else; or NULL */
	unsigned palette;   /* enum fix_palette */
	struct fix_declared declared;
};

enum fix_palette { PALETTE_KEEP, PALETTE_STRIP };

/* For messages about what is missing. */
#define EXAMPLE "labelaudit --classes 21 --ignore 255 masks/"

/* The options that say which ids are legal, as typed, or NULL. settings.classes and settings.colours come of them. */
struct class_options {
	const char *classes;         /* --classes */
	const char *colours;         /* --colors */
	const char *tokenizer;       /* --tokenizer */
	const struct preset *preset; /* --preset; --classes takes precedence over its classes */
	struct config preset_config; /* its settings */
	bool missing;                /* neither --classes nor --preset: propose them */
	bool taken;                  /* from the PATH that is a training's configuration, already */
	struct string_list ignored;  /* --ignore: names of classes */
};

/* Which rules apply; settings.rules comes of them. */
struct rule_options {
	struct string_list select, skip, severity, per_path;
};

/* Taken from a PATH that is a training's configuration (training_paths.c). */
struct taken_options {
	char *from;                     /* it in words; NULL: no PATH was one; owned */
	char *faults;                   /* what its trainer stops at or trains wrongly; NULL: nothing; owned */
	enum level level;               /* of these: its trainer stops at an error */
	struct class_set *classes;      /* that it names itself, where others were given; or NULL; owned */
	struct string_list typed_paths; /* then: the PATHs as they were typed; else empty */
	struct owned_list paths;        /* those of the PATHs that it gave */
	struct owned_list read;         /* that configuration and the lists that it names */
	char *images;                   /* the folder of the images, which its trainer compares; or NULL; owned */
	struct channel_names channels;  /* of these images */
};

/* The options that say which files are audited. */
struct input_options {
	struct string_list paths, include, exclude, labels, image_globs;
	size_t paths_line; /* of the configuration file, where the PATHs are; 0: they were typed */
	struct taken_options taken;
	struct find_options find; /* borrows the lists above */
	const char *images;       /* --images that is one folder, or NULL */
	bool list;                /* --list: print the paths, audit nothing */
	bool explain;             /* --explain: print what was decided about folders, audit nothing */
	bool write_config;        /* --write-config: write what --explain prints as labelaudit.yaml */
};

/* The settings file, and which option it or the command line gave. */
struct config_options {
	const char *file; /* --config, or NULL */
	bool off;         /* --no-config */
	bool show;        /* --show-settings */
	struct config read;
	struct option_given *given; /* indexed as option_table; owned */
	size_t given_count;         /* option_count, once it is there */
};

struct baseline_options {
	const char *file, *write; /* or NULL */
	uint64_t tolerance;       /* in percent */
};

struct cache_options {
	bool on;
	const char *folder; /* NULL: the usual one */
};

struct device_options {
	enum device_choice choice;
	int cuda[CUDA_DEVICES_MAX]; /* of DEVICE_CUDA: by their numbers; workers take them in turn */
	unsigned cuda_count;        /* at least 1 */
	bool cuda_numbered;         /* they were typed */
};

/* How the audit runs. */
struct run_options {
	unsigned jobs; /* 0: usable cores */
	int io;        /* files under way (find/pool.h); 0: none is read ahead */
	struct device_options device;
	struct cache_options cache;
	bool shard_auto;     /* --shard auto: the part came from the launcher */
	unsigned local_rank; /* then: which of its processes on this machine, from 0 */
};

/* The options that say which reports are written, where and how. */
struct output_options {
	const char *format;   /* reporter's name; options_resolve_auto resolves "auto" */
	struct output *files; /* owned */
	size_t files_count, files_cap;
	bool max_findings_given;
	enum when colour;
	enum progress_style progress;
	int verbosity; /* -1 quiet, 0, 1, 2 */
	bool all;      /* --all */
	/* Set by options_resolve_auto: */
	bool format_is_auto;
	bool stdout_colour, stderr_colour;
	size_t columns; /* lines on standard output are wrapped at this width; 0: not at all */
	bool unicode;   /* the locale's characters are UTF-8 */
};

struct options {
	int argc; /* what was typed; borrowed */
	char **argv;
	enum command command;
	enum command help_about;  /* of COMMAND_HELP: the command asked about; COMMAND_HELP: everything */
	bool help_is_short;       /* -h, not --help */
	struct string_list words; /* of commands other than audit and fix */
	unsigned allowed;         /* enum allowance bits: --allow */
	struct settings settings;
	struct class_options classes;
	struct rule_options rules;
	struct input_options input;
	struct config_options config;
	struct baseline_options baseline;
	struct run_options run;
	struct output_options output;
	struct fix_options fix;
	uint64_t drift; /* --drift, in millionths of the labels; 0: none */
};

void options_init(struct options *o);
void options_release(struct options *o);
void config_release(struct config *c);
void owned_list_release(struct owned_list *list);

/*
 * options_parse.c: parses the command line into options that options_init() has set up, adds labelaudit.yaml, and
 * checks what the options mean together. Fails with one line that names the option.
 */
enum status options_parse(struct options *o, int argc, char **argv, struct error *err);

/* Fails if the first word is no file, and was probably meant to be a command. */
enum status options_check_first_word(const struct options *o, struct error *err);

/* Returns whether findings never fail the command: --fail-on never. */
bool options_never_fail(const struct options *o);

/* Returns whether some report, on standard output or in a file, has that format. */
bool options_write(const struct options *o, const char *format);

/*
 * Returns whether a stream is coloured. Without --color the environment decides: NO_COLOR, then FORCE_COLOR and
 * CLICOLOR_FORCE, then CLICOLOR=0 and TERM=dumb; else terminals are.
 */
bool options_colour(enum when when, bool is_terminal);

/* Resolves `auto` of format, colour and progress by where the output goes: for colour, each stream by itself. */
void options_resolve_auto(struct options *o, bool stdout_is_terminal, bool stderr_is_terminal);

/* Prints as YAML what each option is set to, and where that comes from. */
void options_show(const struct options *o, struct strbuf *out);
/* about: the command whose options are shown; COMMAND_AUDIT: all. */
void options_help(enum command about, struct strbuf *out);
/* For -h: the common options, and examples. */
void options_short_help(struct strbuf *out);
/* In five lines, for who types nothing. */
void options_usage(struct strbuf *out);
/* For --preset list: name, classes, ignored ids and note of each. */
void presets_list(struct strbuf *out);
/* words: bash, zsh or fish; or `words` and those of a command line, for which words are offered. */
enum status options_completions(const struct string_list *words, struct strbuf *out, struct error *err);
