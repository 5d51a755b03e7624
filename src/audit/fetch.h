/*
 * struct fetched: an entry as storage gives it: classified, open, and its bytes in memory. Nothing is computed.
 *
 * A worker fetches entries itself, or takes those that the threads of struct read_ahead fetched. Both get the same.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "audit/image_pairs.h"
#include "base/fault.h"
#include "cache/cache.h"
#include "find/io.h"
#include "layout/classify.h"
#include "read/input.h"
#include "read/yolo_layout.h"

struct read_ahead;

/* Parts of the audit that decide. Read-only during the audit; borrowed. */
struct fetch_options {
	const struct settings *settings;
	const struct pairs *pairs; /* with --images */
	const struct dataset_layouts *layouts;
};

/* Owner: struct read_ahead until it is done, then the worker that has its work unit. */
struct fetched {
	struct io_job job;
	struct read_ahead *ahead;
	const struct entry *entry;
	atomic_bool done; /* all below is valid */
	bool wanted;      /* a worker waits for it; under the lock of `ahead` */
	bool left;        /* nothing was fetched: the worker does that */

	struct classification class;
	bool opened;                  /* input has the bytes */
	bool cached;                  /* st is its state, of which the cache has a record: it is not opened */
	bool lacks_label;             /* fetch_lacks_label() */
	enum yolo_partner yolo_image; /* of a YOLO text that is open */
	bool has_partner;             /* `partner` has its image, with --images */
	uint64_t bytes;               /* of `ahead`'s memory */
	bool streamed;                /* one of `ahead`'s streams */
	struct stat st;
	struct input input;
	struct pair_seeker partner;
	struct fault fault; /* only if neither opened nor cached */
};

/* Finds out the state of a regular file, for the cache. Returns false if there is none, or nothing is cached. */
bool fetch_state(const struct cache_reader *cache, const struct entry *entry, struct stat *st);
/* Returns whether the target of a symbolic link is a label file by its own name, too, which is audited as such. */
bool is_audited_elsewhere(const struct fetch_options *o, const struct entry *entry);
/* Classifies an entry that was found: what is left out, what is read. Any thread, with a folder_role of its own. */
struct classification fetch_class(const struct fetch_options *o, const struct entry *entry, struct folder_role *folder,
				  struct entry_probe *probe, struct fault *fault);
/* Returns whether an entry of class ENTRY_SKIP is an image whose label file should lie beside it, and does not. */
bool fetch_lacks_label(const struct fetch_options *o, const struct entry *entry);
/* Opens the file of an entry, unless it is open. Returns false if *fault is set. */
bool fetch_open_file(const struct entry *entry, struct file_peek *file, struct fault *fault);
/* Opens an entry of class ENTRY_LABELS, unless it is open in the probe, and reads it. Returns false if *fault is set.
 */
bool fetch_open(const struct entry *entry, struct entry_probe *probe, struct input *input, struct fault *fault);
/* Returns the path by which the image of a label file is searched for, and by which reports are merged. */
static inline const char *entry_rel_path(const struct entry *entry)
{
	return entry->rel_offset ? entry->path + entry->rel_offset : entry->name;
}
