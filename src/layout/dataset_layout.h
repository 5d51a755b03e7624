/*
 * struct dataset_layout: what a PATH is made of, and which of its files are labels. layout_detect() walks the PATHs
 * once, looks at samples (folder_table.h) and decides by row (decide.h); classify.h asks the result about each file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/settings.h"
#include "find/source.h"
#include "layout/class_folders.h"
#include "layout/decide.h"
#include "layout/folder_table.h"
#include "read/member_images.h"

/* For one PATH. Read-only during the audit, any thread. */
struct dataset_layout {
	const struct settings *settings;  /* borrowed; not NULL */
	unsigned explicit_kinds;          /* of files that the user named: a KIND_BIT each */
	unsigned kinds;                   /* of files found in folders */
	const struct folder_table *table; /* NULL: nothing was looked at, all files of `kinds` are audited */
	struct decision decision;
	const struct class_folders *folders; /* of KIND_IMAGEFOLDER, else NULL; borrowed */
	const struct member_images *members; /* of all archives; borrowed */
};

/* The layouts of all PATHs, by their index, and of --files-from. Read-only during the audit, any thread. */
struct dataset_layouts {
	struct dataset_layout *v;     /* owned */
	size_t count;                 /* at least 1 */
	struct class_folders folders; /* of all PATHs that are an ImageFolder */
	struct folder_table *table;   /* of all; owned; NULL: nothing was looked at */
};

/*
 * Fills *out, which dataset_layouts_release() releases unless this returns STATUS_FAILED. Each PATH is decided for
 * itself, with the images of all: photos/ beside labels/.
 */
enum status layout_detect(const struct find_options *find, const struct settings *settings, struct dataset_layouts *out,
			  struct error *err);
/* Fills *out without a look at anything, where the audit ends before. */
void layout_of_nothing(const struct settings *settings, struct dataset_layouts *out);
/* Returns STATUS_FAILED with the question, and the options that answer it, if several families may be the labels. */
enum status layouts_ask(const struct dataset_layouts *layouts, const struct find_options *find, struct error *err);
void dataset_layouts_release(struct dataset_layouts *layouts);
/* Sets what is known of archives; borrowed. */
void layouts_set_members(struct dataset_layouts *layouts, const struct member_images *members);
/* Returns the layout of an entry's PATH. */
static inline const struct dataset_layout *layout_of(const struct dataset_layouts *layouts, const struct entry *entry)
{
	size_t path = MIN(entry->typed_path, layouts->count - 1);

	return &layouts->v[PLANTED(layout_of_a_path, path, 0)];
}
/* Returns whether the files of a row of layouts->table are audited. */
bool layouts_audit_row(const struct dataset_layouts *layouts, const struct folder_row *r);
/* Returns whether masks may be measured. */
bool layouts_have_masks(const struct dataset_layouts *layouts);
/* Returns the class folders, if some PATH is an ImageFolder, else NULL. all: only if every PATH is one. */
const struct class_folders *layouts_folders(const struct dataset_layouts *layouts, bool all);
