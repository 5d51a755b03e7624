/*
 * struct fix_set: what the audit found out about each label file of a set, and the ids that one map must fit. A
 * plan is made of it alone, without reading a file again.
 *
 * Unlike an audit it keeps every label file: its path, 88 bytes, and 6 bytes for each of its ids. Filled by the workers
 * of the audit, under a lock of its own; read-only afterwards. Owner: the command.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/audit.h"
#include "base/error.h"
#include "base/settings.h"
#include "cli/options.h"
#include "fix/fix_id.h"
#include "fix/path_list.h"
#include "judge/rewriting.h"

/* A struct fix_id in fewer bytes, as nearly all files have them. */
struct narrow_id {
	uint16_t id;
	uint16_t labels[2]; /* the lower 16 bits, the upper ones */
};

/* A category that a COCO file lists. */
struct fix_category {
	int64_t id;       /* in the file */
	int64_t class_id; /* that the audit counts it as; the ids of the set are these */
	uint64_t labels;
};

/* How an array holds its ids. */
struct fix_array_form {
	bool is_idx : 1; /* else it is NumPy's */
	bool one_hot : 1;
	uint8_t axis; /* of the classes, if one_hot */
	uint8_t dtype, rank;
};

struct fix_file {
	const char *path;  /* as reported; of a member, its archive's; the set's, as is place */
	const char *place; /* path; or path#member */
	uint64_t bytes;
	uint64_t hash[2];                /* XXH3-128 of its bytes; valid if hashed */
	size_t ids_at;                   /* its slice of the set's ids, sorted by id: fix_file_id() */
	struct fix_category *categories; /* of a FIX_COCO, sorted by id; owned */
	const char *never;               /* why it cannot be fixed; or NULL */
	uint32_t ids_count, categories_count;
	uint32_t member_at; /* where the name of the member begins in place; 0: it is in no archive */
	bool hashed : 1;
	bool packed : 1;                          /* with gzip, bzip2, xz or zstd; then what it holds was measured */
	bool interpolated : 1;                    /* interpolated-mask flags it */
	bool has_error : 1;                       /* a finding of level error */
	bool holds_ids : 1;                       /* not names */
	bool narrow : 1;                          /* its ids are among the set's narrow ones */
	bool lone_channel : 1;                    /* MASK_ONE_HOT, if other masks of the set are: one channel is used */
	bool in_colours : 1;                      /* of a mask: they are no ids, and no table declares them */
	uint8_t kind;                             /* enum fix_kind; FIX_NONE exactly if `never` is not NULL */
	uint8_t encoding, colour_type, bit_depth; /* enum mask_encoding; of a PNG */
	struct fix_array_form array;              /* of a FIX_ARRAY */
	uint8_t peak;                             /* of a MASK_ONE_HOT: the sample that is not 0 */
};

/* An archive that has label files. */
struct fix_archive {
	const char *path; /* the members' */
	uint64_t bytes;
	uint64_t hash[2]; /* XXH3-128 of its bytes; valid if hashed */
	bool hashed;
	size_t first, count; /* its slice of the set's files */
};

struct fix_left_out {
	char *place;   /* owned */
	size_t folder; /* bytes of place up to the name */
	bool in_archive;
};

struct fix_set {
	const struct settings *settings;
	const struct path_list *listed; /* of --files-from; borrowed */
	pthread_mutex_t lock;
	struct fix_file *files; /* sorted by path after the audit; owned */
	size_t count, cap;
	struct fix_archive *archives; /* sorted by path; owned */
	size_t archives_count, archives_cap;
	char **names; /* blocks of memory for paths; owned */
	size_t names_count, names_cap;
	char *names_next;           /* in the last block */
	size_t names_left;          /* bytes of it */
	const char **archive_paths; /* of the files; an archive may have several; owned */
	size_t archive_paths_count, archive_paths_cap;
	struct fix_id *ids; /* owned */
	size_t ids_count, ids_cap;
	struct narrow_id *narrow; /* owned */
	size_t narrow_count, narrow_cap;
	/*
	 * Files that were left out and may hold ids (fix/unaudited.h), such as masks of noise, which look like images:
	 * they would keep their ids beside masks that change. Sorted; owned.
	 */
	struct fix_left_out *left_out;
	size_t left_out_count, left_out_cap;
	/* The first label file, by its path, that was left out as one of another kind; or NULL. Owned. */
	char *other_kind;
	bool follows;       /* --follow: links to files are files */
	uint64_t *findings; /* number of each rule's; indexed as rule_table; owned */
	bool complete;      /* false: the audit was interrupted, or something could not be read */
};

/*
 * Audits what the options name; listed: the paths of --files-from. On failure, or if a signal ended the audit, there is
 * nothing to release.
 */
enum status fix_set_audit(struct fix_set *set, struct options *options, const struct path_list *listed,
			  int *signal_number, struct error *err);
void fix_set_release(struct fix_set *set);

/* Returns the kind in words, of several files: "lists". */
const char *fix_kind_name(enum fix_kind kind);
/* Returns whether the file is an image that will be rewritten. */
static inline bool fix_file_is_mask(const struct fix_file *file)
{
	return file->kind == FIX_PNG;
}
/* Returns the name of the file in its archive; or NULL. */
static inline const char *fix_file_member(const struct fix_file *file)
{
	return file->member_at ? file->place + file->member_at : NULL;
}
/* Returns an id of the file, in rising order. */
static inline struct fix_id fix_file_id(const struct fix_set *set, const struct fix_file *file, size_t i)
{
	if (!file->narrow)
		return set->ids[file->ids_at + i];
	const struct narrow_id *id = &set->narrow[file->ids_at + i];

	return (struct fix_id){ id->id, id->labels[0] | (uint64_t)id->labels[1] << 16 };
}
/* Returns the label file of that path, which is in no archive, or NULL. */
const struct fix_file *fix_set_find(const struct fix_set *set, const char *path);
/* Returns whether a label file lies below the folder of that path. */
bool fix_set_has_below(const struct fix_set *set, const char *folder);
/* Returns the archive of that path, or NULL; and its label file of that name, or NULL. */
const struct fix_archive *fix_set_archive(const struct fix_set *set, const char *path);
const struct fix_file *fix_archive_find(const struct fix_set *set, const struct fix_archive *archive, const char *name);
/* Unpacks an input that was opened, if the file is packed. Returns false if *fault is set. */
bool fix_file_unpack(const struct fix_set *set, const struct fix_file *file, struct input *in, struct fault *fault);
/* Returns the category of an id in the file, or NULL. */
const struct fix_category *fix_file_category(const struct fix_file *file, int64_t id);
/* Returns how many findings of the rule the audit has, and whether it has any. */
uint64_t fix_set_findings(const struct fix_set *set, const char *rule);
bool fix_set_has(const struct fix_set *set, const char *rule);
/* Returns the factor between the samples of a grey PNG of few bits and the ids that the audited view makes of them. */
int64_t fix_file_scale(const struct fix_set *set, const struct fix_file *file);
/* Returns an id as the plan knows it: without the scale of its encoding if `unscaled`. */
static inline int64_t fix_unscaled(int64_t id, int64_t scale, bool unscaled)
{
	return unscaled ? id / scale : id;
}
