/*
 * struct fix_set: what the audit found out about each label file of a set, and the decision that follows from all of
 * them. A plan is made of it without reading a file again.
 *
 * Unlike an audit it keeps every label file: its path, 80 bytes, and 16 bytes for each of its ids. Filled by the
 * workers of the audit, under a lock of its own; read-only afterwards. Owner: the command.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "audit/audit.h"
#include "base/error.h"
#include "base/settings.h"
#include "cli/options.h"
#include "fix/boxes.h"
#include "judge/fix_decision.h"
#include "judge/rewriting.h"

struct fix_id {
	int64_t id;
	uint64_t labels;
};

/* A category that a COCO file lists. */
struct fix_category {
	int64_t id;       /* in the file */
	int64_t class_id; /* that the audit counts it as */
	uint64_t labels;
};

/* Says what must not change between the audit of a file and its copy. */
struct file_state {
	uint64_t bytes;
	struct timespec changed;
};

struct fix_file {
	const char *place;               /* its path; or path#member; the set's */
	const char *never;               /* why it cannot be fixed; or NULL */
	size_t ids_at;                   /* its slice of the set's ids, sorted by id */
	struct fix_category *categories; /* of a FIX_COCO, sorted by id; owned */
	struct file_state state;         /* of a file in no archive */
	uint64_t guessed;                /* with --nearest: its pixels that are in no colour of the table */
	uint64_t clipped, dropped;       /* boxes */
	uint32_t farthest;               /* the square of the largest distance of these */
	uint32_t ids_count, categories_count;
	uint32_t member_at;      /* where the name of the member begins in place; 0: it is in no archive */
	bool packed;             /* with gzip, bzip2, xz or zstd; then what it holds was measured */
	bool is_tiff;            /* what was measured is the equal PNG */
	bool has_error;          /* a finding of level error */
	bool keeps_ids;          /* boxes alone change: `never` would be about its ids */
	bool unsized;            /* boxes in pixels are to be cut, and the size of their images is not known */
	uint8_t kind;            /* enum fix_kind; FIX_NONE exactly if `never` is not NULL */
	uint8_t encoding, scale; /* enum mask_encoding; see struct rewriting */
	uint16_t recodings;      /* bits 1 << enum recoding: those that it can get */
	bool is_idx;             /* of a FIX_ARRAY: not .npy */
};

struct fix_set {
	const struct settings *settings;
	pthread_mutex_t lock;
	struct fix_file *files; /* sorted by place after the audit; owned */
	size_t count, cap;
	char **names; /* blocks of memory for places; owned */
	size_t names_count, names_cap;
	char *names_next;   /* in the last block */
	size_t names_left;  /* bytes of it */
	struct fix_id *ids; /* owned */
	size_t ids_count, ids_cap;
	struct fix_decision decision; /* owned */
	bool follows;                 /* --follow: links to files are files */
	bool nearest;
	struct box_edits boxes; /* what is declared */
	bool has_boxes;         /* some file has, or could have */
	bool complete;          /* false: the audit was interrupted, or something could not be read */
};

/* Audits what the options name. On failure, or if a signal ended the audit, there is nothing to release. */
enum status fix_set_audit(struct fix_set *set, struct options *options, int *signal_number, struct error *err);
void fix_set_release(struct fix_set *set);

/* Returns the state of a file that is open. */
static inline struct file_state file_state_of(const struct stat *st)
{
	return (struct file_state){ (uint64_t)st->st_size, st->st_mtim };
}
static inline const struct fix_id *fix_file_ids(const struct fix_set *set, const struct fix_file *file)
{
	return set->ids + file->ids_at;
}
/* Returns the label file of that path, which is in no archive, or NULL. */
const struct fix_file *fix_set_find(const struct fix_set *set, const char *path);
/* Returns the member of that name in the archive of that path, or NULL. */
const struct fix_file *fix_set_member(const struct fix_set *set, const char *archive, const char *name);
/* Returns the label files in the archive of that path, or below the folder of that path; and how many they are. */
const struct fix_file *fix_set_members(const struct fix_set *set, const char *archive, size_t *count);
const struct fix_file *fix_set_below(const struct fix_set *set, const char *folder, size_t *count);
/* Unpacks an input that was opened, if the file is packed. Returns false if *fault is set. */
bool fix_file_unpack(const struct fix_set *set, const struct fix_file *file, struct input *in, struct fault *fault);
/* Returns the category of an id in the file, or NULL. */
const struct fix_category *fix_file_category(const struct fix_file *file, int64_t id);
