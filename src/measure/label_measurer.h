/*
 * struct label_measurer: measures the label files that are no PNG, on the CPU; PNG masks are a backend's (backend.h).
 *
 * read/ parses each format (read/format.h), and one function per format, below, turns what it reads into label_stats.
 * The struct holds the tables that these functions reuse from file to file. One per worker; one thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "base/settings.h"
#include "measure/backend.h"
#include "measure/id_counter.h"
#include "read/box_pairs.h"
#include "read/entry_table.h"
#include "read/listed_images.h"

struct label_measurer {
	const struct settings *settings;     /* borrowed */
	struct id_counter ids;               /* empty between files */
	struct entry_table boxes;            /* of the current file */
	struct box_pairs pairs;              /* the same */
	uint64_t rows;                       /* of the current list, counted without a struct list_row */
	struct array_measurer *arrays;       /* NULL before the first array; owned */
	struct coco_map *coco_maps;          /* of the current batch, which the rules read; owned */
	struct offenders *offenders;         /* the same */
	struct list_names *names;            /* the same */
	struct image_groups *groups;         /* the same; the first are of the current file */
	struct listed_images *images;        /* the same */
	struct image_checker checker;        /* of the current file, if its sample has images */
	const struct member_images *members; /* of all archives; or NULL; borrowed */
	struct pool *pool;                   /* reads images ahead; borrowed; or NULL */
	_Atomic unsigned *spare;             /* threads without work, which may help with a file; borrowed; or NULL */
};

void label_measurer_init(struct label_measurer *m, const struct settings *settings);
void label_measurer_release(struct label_measurer *m);

/*
 * Measures every SAMPLE_READ item of the batch that is not for the backend. Frees the coco_maps, offenders, names
 * and images of the batch before, which must have been judged.
 */
void label_measurer_measure(struct label_measurer *m, struct batch *batch);

/* Returns the sample's offenders, empty ones if it has none yet. */
struct offenders *label_measurer_offenders(struct label_measurer *m, struct sample *sample);

/*
 * Begins the groups of the sample's images: then sample->groups is set, and `label_measurer_group` adds to them.
 * Without
 * --group, only if the file's own name tells its split, as that of train.json beside val.json.
 */
void label_measurer_begin_groups(struct label_measurer *m, struct sample *sample);
/* Adds the group of an image. self: the label_measurer. */
void label_measurer_group(void *self, const char *s, size_t n);

/*
 * Begins to look at the images that the sample names: then sample->images is set. Not of a member of an archive, which
 * has none beside it, and not if no rule asks.
 */
void label_measurer_begin_images(struct label_measurer *m, struct sample *sample);
/* Looks at one of them; a no-op without. */
void label_measurer_image(struct label_measurer *m, const struct listed_image *image);
void label_measurer_end_images(struct label_measurer *m, const struct sample *sample);

/*
 * Each reads item->input to its end, fills the item's sample and stats and appends its id rows to the batch. Returns
 * false if that fails; then sample.fault is set, nothing was appended, and label_measurer_measure fails the item.
 */
bool measure_npy(struct label_measurer *m, struct batch_item *item, struct batch *batch);
bool measure_volume(struct label_measurer *m, struct batch_item *item, struct batch *batch);
bool measure_idx(struct label_measurer *m, struct batch_item *item, struct batch *batch);
bool measure_coco(struct label_measurer *m, struct batch_item *item, struct batch *batch);
bool measure_yolo(struct label_measurer *m, struct batch_item *item, struct batch *batch);
bool measure_tokens(struct label_measurer *m, struct batch_item *item, struct batch *batch);
bool measure_list(struct label_measurer *m, struct batch_item *item, struct batch *batch);
