/*
 * struct saved_plan: a plan that was written by --plan, and perhaps edited: the options and PATHs that it was made
 * with, the map of ids, and the hashes of the files. It is read as what it is, a file from anywhere: it can name files
 * to read, and the map is checked like any other; nothing in it names a place to write to. Owner: the command.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/options.h"
#include "fix/path_list.h"
#include "report/json_writer.h"

/* The kind of a plan's map that turns ids into ids. */
#define PLAN_MAP_OF_IDS "ids"

struct planned_pair {
	int64_t from, to;
};

struct planned_file {
	char *path; /* owned */
	uint64_t bytes;
	uint64_t hash[2];
};

struct saved_plan {
	char **words; /* "labelaudit", "fix", options, "--", PATHs: to be parsed; owned */
	size_t words_count, words_cap;
	struct path_list listed;    /* of --files-from, which the words then have as -; owned */
	struct planned_pair *pairs; /* sorted by from, each once; owned */
	size_t pairs_count, pairs_cap;
	struct planned_file *files; /* owned */
	size_t files_count, files_cap;
};

/* Writes the options that a plan depends on, as they would be typed, under the key "arguments". */
void saved_plan_write_arguments(struct json_writer *w, const struct options *options);
enum status saved_plan_read(struct saved_plan *p, const char *path, struct error *err);
/* Returns what the plan makes of an id, or NULL if it stays. */
const struct planned_pair *saved_plan_pair(const struct saved_plan *p, int64_t id);
void saved_plan_release(struct saved_plan *p);
