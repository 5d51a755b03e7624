/*
 * struct coverage: what became of every name below the PATHs. Each is audited, failed, or left out for a reason that is
 * counted here; so what a verdict does not cover is part of it.
 *
 * Like the other sums it merges exactly, in any order. Examples are the smallest places.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "find/skip_reason.h"
#include "judge/file_count.h"
#include "read/sample.h"
#include "read/unread_kind.h"

/* One PATH as typed, or the list of --files-from. */
struct path_account {
	char *path; /* NULL before coverage_name_path(); owned */
	uint64_t audited, failed, left_out;
	uint64_t labels; /* of those left out, the files that look like labels */
	uint64_t data;   /* of those left out, labels, images and annotations; a PATH without any is empty */
};

/* A row of the table by which was decided what is audited (layout/folder_table.h). Strings are owned; pair may be NULL.
 */
struct folder_fact {
	char *path; /* of the folder, as typed, and the end of the files' names if that makes the row */
	char *kind, *content, *role, *pair, *rule;
	uint64_t files;
	bool audited;
};

enum { FOLDER_FACTS_MAX = 1000 };

struct coverage {
	/* By enum skip_reason: all files, and those of them that look like labels of no known format. */
	struct file_count left_out[SKIP_REASONS], labels[SKIP_REASONS];
	/* By enum unread_kind: those that look like labels and whose format is known; `labels` leaves them out. */
	struct file_count unread[UNREAD_KINDS];
	struct path_account *paths; /* by the index of the PATH; owned */
	size_t paths_count, paths_cap;
	struct folder_fact *folders; /* the first FOLDER_FACTS_MAX; owned */
	size_t folders_count, folders_cap;
};

/* Names the account of the list. */
#define LISTED_PATHS "--files-from"

void coverage_release(struct coverage *c);
/* Counts a file that is read, failed or skipped. */
void coverage_add(struct coverage *c, const struct sample *sample);
/* Adds `from`, and releases it. */
void coverage_merge(struct coverage *into, struct coverage *from);
/* Names a PATH, be it that nothing was met below it. */
void coverage_name_path(struct coverage *c, size_t index, const char *path);
/* Appends a row of the table of folders; takes over its strings. */
void coverage_add_folder(struct coverage *c, const struct folder_fact *f);
/* Forgets the accounts without a name, and sorts the others: their order is then no longer that of the PATHs. */
void coverage_keep_named(struct coverage *c);
/* Returns how many files that look like labels were left out for that reason. */
uint64_t coverage_labels_of(const struct coverage *c, enum skip_reason reason);
/* Returns whether some are in formats that are not read: known ones, or annotations, or tables of images. */
bool coverage_has_unread(const struct coverage *c);
/* Returns how many weigh as much as those audited: not what commonly accompanies a set. */
uint64_t coverage_weighty(const struct coverage *c);
/* Returns the first named PATH, or NULL if there is none or it is the list of --files-from. */
const char *coverage_first_path(const struct coverage *c);
/* Returns the example of a reason: of the files that look like labels, if there are any. */
const char *coverage_example(const struct coverage *c, enum skip_reason reason);
/* Appends "hidden 3, image 2": the reasons by name, with their files. */
void coverage_list(const struct coverage *c, struct strbuf *out);
/* Appends "3 hidden names, 2 images": what looks like labels of no known format and was left out, in words. */
void coverage_describe_labels(const struct coverage *c, struct strbuf *out);
/*
 * Returns STATUS_FAILED with the reason if nothing was audited below some PATH, or nothing at all. allow_empty: only if
 * something that may be labels or their images was left out there.
 */
enum status coverage_check(const struct coverage *c, uint64_t audited, bool allow_empty, struct error *err);
