/*
 * struct narrowing: an option or a setting that left something out of the audit, or lowered the level of findings; the
 * report names each, with where it came from and how much it took. Owner: struct settings.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Nobody counted: a rule that is off is not run. */
#define NARROWING_UNCOUNTED UINT64_MAX

struct narrowing {
	char *option;             /* its long name; owned */
	char *value;              /* as typed, or of the file; several with commas; owned */
	char *source;             /* "command line", or the path of the configuration file; owned */
	uint64_t files, findings; /* left out or lowered; NARROWING_UNCOUNTED until the audit has ended, or for ever */
};

struct narrowings {
	struct narrowing *v; /* owned; the counts are written by one thread, after the last file */
	size_t count, cap;
};

void narrowings_release(struct narrowings *n);
/* Appends a row without counts, with copies of the texts. */
void narrowings_add(struct narrowings *n, const char *option, const char *value, const char *source);
/* Returns the row of that option, or NULL. */
struct narrowing *narrowings_find(const struct narrowings *n, const char *option);
/* Adds the counts of another shard, which has the same rows: what one did not count, the sum does not have. */
void narrowings_add_counts(struct narrowings *into, const struct narrowings *from);
