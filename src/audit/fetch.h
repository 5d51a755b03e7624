/*
 * struct fetched: an entry as storage gives it: classified, open, its bytes in memory, and the image that it is paired
 * with. Nothing is computed. It is a task of the pool (find/pool.h): a reader fetches it ahead, or else the worker that
 * asks for it; both get the same.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "audit/image_pairs.h"
#include "base/fault.h"
#include "cache/cache.h"
#include "find/pool.h"
#include "layout/classify.h"
#include "read/input.h"
#include "read/yolo_layout.h"

/* All threads share it that fetch. Borrows all but what is under the lock. */
struct fetcher {
	const struct settings *settings;
	const struct pairs *pairs; /* with --images */
	const struct dataset_layouts *layouts;
	bool classes_only; /* nothing is opened but to be classified */
	/* of files that readers fetched, and no worker took */
	atomic_uint_fast64_t bytes;
	atomic_uint_fast64_t fetched; /* files, by readers */
	pthread_mutex_t lock;
	struct cache_reader cache; /* the readers'; under the lock */
};

/* The owner of its unit (audit/ahead.h) has it, but for the pool's time. */
struct fetched {
	struct task task;
	struct fetcher *fetcher;
	const struct entry *entry;
	struct input *into; /* receives the bytes if the worker fetches them itself; set before that */

	struct classification class;
	bool read;                    /* `input` has the bytes, or *into if the worker fetched it */
	bool cached;                  /* st is its state, by which the cache is asked before it is read */
	bool lacks_label;             /* it is an image whose label file should lie beside it, and does not */
	enum yolo_partner yolo_image; /* of a YOLO text that is read */
	bool has_partner;             /* `partner` has its image, with --images */
	uint64_t bytes;               /* of the fetcher's */
	struct stat st;
	struct input input; /* a reader's */
	struct pair_seeker partner;
	struct fault fault; /* of ENTRY_FAILED, or why it could not be read */

	/* Its worker loads the rest (audit/load_stage.h). */
	const struct pairing *pairing; /* the image of a label file, with --images; or NULL */
	bool names_images;             /* it is a label file of many images, which have none of their own */
	const char *image;             /* the path of an image whose content is to be compared; or NULL */
	uint64_t image_content[2];
};

/* cache: or NULL. */
void fetcher_init(struct fetcher *f, const struct settings *settings, const struct pairs *pairs,
		  const struct dataset_layouts *layouts, struct cache *cache);
void fetcher_release(struct fetcher *f);

void fetched_init(struct fetched *f, struct fetcher *fetcher);
void fetched_release(struct fetched *f);
/* Prepares to fetch another entry. */
void fetched_reset(struct fetched *f, const struct entry *entry);
/* Returns whether it takes a call of the file system to fetch the entry. Members are in their unit, or streams. */
bool fetched_needs_storage(const struct fetched *f);
/* Reads an entry of class ENTRY_LABELS that was not read. Returns false if f->fault is set. */
bool fetched_read(struct fetched *f, struct input *input);
/* Moves the bytes that a reader read to *input, and gives the memory back. */
void fetched_take(struct fetched *f, struct input *input);

/* Returns the path by which the image of a label file is searched for, and by which reports are merged. */
static inline const char *entry_rel_path(const struct entry *entry)
{
	return entry->rel_offset ? entry->path + entry->rel_offset : entry->name;
}
