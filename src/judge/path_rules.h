/*
 * struct per_path_matcher: which rules are not applied to a file, by --per-path.
 *
 * A glob is one of --include's (find/glob.h): without a slash it is compared with the name, else with the path from the
 * folder of the configuration file (or the current folder, for one that was typed); "old/" is everything below old.
 * Paths are compared as they are spelled, after . and .. are taken out; links are not followed. One thread at a time.
 */
#ifndef JUDGE_PATH_RULES_H
#define JUDGE_PATH_RULES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/settings.h"
#include "base/strbuf.h"
#include "find/glob.h"

struct per_path_matcher {
	const struct settings *settings;
	struct glob *globs; /* one for each of settings->per_paths; owned */
	char *cwd;          /* absolute; owned */
	struct strbuf path; /* scratch: absolute */
	bool *off;          /* scratch: indexed as rule_table */
	bool whole_path;    /* some glob wants it */
};

/* Is that a glob? Fills err if not. */
enum status per_path_check(const char *glob, struct error *err);
void per_path_init(struct per_path_matcher *m, const struct settings *settings);
void per_path_release(struct per_path_matcher *m);
/* Indexed as rule_table: true where the rule is not applied to the file; NULL: all are. Valid until the next call. */
const bool *per_path_off(struct per_path_matcher *m, const char *path);

#endif
