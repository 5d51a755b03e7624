/*
 * For the tests of src/find: a temporary tree to walk, and what was found in it. Failures are Check's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "find/source.h"

/* Fixtures: each test runs in an empty folder of its own, which is the current one. */
extern char tree_path[64];
void tree_enter(void);
void tree_leave(void);

void make_file(const char *path);
void make_folder(const char *path);
void write_file(const char *path, const void *bytes, size_t n);

struct found_entry {
	char *path;
	uint64_t unit;
	size_t at; /* in the unit */
	bool is_explicit, standard_input, failed, opens;
	enum skip_reason skip_reason;
	char fault[FAULT_TEXT];
};

struct found {
	struct found_entry *v;
	size_t count, cap, units;
};

void found_release(struct found *f);
void found_add(struct found *f, const struct work_unit *u);
bool entry_opens(const struct entry *e);

/* The current folder, no filter. */
struct find_options options_here(void);
struct source *open_source(const struct find_options *o);
/* All units of at most max entries, to the end. */
void source_draw_all(struct source *s, size_t max, struct found *f);
struct found find_with(const struct find_options *o, size_t max);

/* wanted: the paths in order, one a line; "!" before one that failed. */
void found_expect(const struct found *f, const char *wanted);
void find_and_expect(const struct find_options *o, const char *wanted);
const struct found_entry *found_entry_of(const struct found *f, const char *path);
void found_expect_sorted(const struct found *f);
void found_expect_opens(const struct found *f);
