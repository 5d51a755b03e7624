/*
 * struct path_rules: which rules are not applied to a file, by --per-path.
 *
 * A glob is one of --include's (find/glob.h). Without a slash it is compared with the name; with one, it is compared
 * with the path below the folder of the configuration file, or below the current folder if it was typed. "old/" matches
 * everything below old. Paths are compared as they are spelled, after . and .. are removed; links are not followed. One
 * thread at a time.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/settings.h"
#include "base/strbuf.h"
#include "find/glob.h"

struct path_rules {
	const struct settings *settings;
	struct glob *globs; /* one per settings->per_paths; owned */
	char *cwd;          /* absolute; owned */
	struct strbuf path; /* scratch: absolute */
	bool *off;          /* scratch: indexed as rule_table */
	bool whole_path;    /* some glob has a slash */
};

/* Returns an error if the glob is malformed. */
enum status path_rules_check(const char *glob, struct error *err);
void path_rules_init(struct path_rules *p, const struct settings *settings);
void path_rules_release(struct path_rules *p);
/*
 * Returns an array, indexed as rule_table, that is true where the rule is not applied to the file; NULL if all rules
 * are applied. It is valid until the next call.
 */
const bool *path_rules_off(struct path_rules *p, const char *path);
