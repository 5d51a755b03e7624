/* struct option_spec: one option, a row of the table in options_table.c. */
#ifndef CLI_OPTION_SPEC_H
#define CLI_OPTION_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/status.h"

struct options;

enum option_group {
	GROUP_LABELS,
	GROUP_RULES,
	GROUP_FILES,
	GROUP_OUTPUT,
	GROUP_RUN,
	GROUP_OTHER,
	GROUPS,
};

/* The values that a shell offers for an option without choices. */
enum completion { COMPLETE_NOTHING, COMPLETE_FILE, COMPLETE_RULE, COMPLETE_PRESET };

struct option_spec {
	char letter; /* 0: none */
	const char *name;
	const char *value;     /* what the manual calls it: SPEC, FILE; NULL: takes none */
	const char *choices;   /* comma-separated, or NULL */
	const char *otherwise; /* the default, as --help shows it, or NULL */
	enum option_group group;
	enum completion completion;
	bool repeatable;
	bool everywhere;                 /* with every command */
	unsigned commands;               /* 1 << enum command of those that have it; 0: audit alone */
	bool command_line_only;          /* no key of labelaudit.yaml */
	bool globs;                      /* there: a map of globs */
	bool (*takes)(const char *word); /* the value may be left out: is the next word it? Then value is "" */
	const char *help;                /* one sentence without a full stop */
	size_t at; /* offset in struct options of what `set` writes to, if that is a single member */
	/* value: NULL if the option takes none. Fails with one precise line. */
	enum status (*set)(const struct option_spec *spec, struct options *o, const char *value, struct error *err);
};

#endif
