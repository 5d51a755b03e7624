/*
 * struct category_totals: the categories that the COCO files of a set list, with the ids and classes they have there.
 *
 * One entry for each different name, id and class. Merges exactly, in any order: a full table keeps the entries that
 * sort first.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "read/coco_facts.h"
#include "read/sample.h"

enum { CATEGORY_TOTALS_MAX = 1 << 14 }; /* the 1203 categories of LVIS in a dozen different orders */

struct category_total {
	char *name; /* at most COCO_MAP_NAME - 1 bytes; owned */
	int64_t id;
	int64_t class_id; /* id, if it becomes no class */
	uint64_t files;
	uint32_t splits; /* where it is listed: bits 1 << split_of_list() */
	char *example;   /* the smallest place; owned */
};

struct category_totals {
	struct category_total *v; /* sorted by name, id and class_id; owned */
	size_t count, cap;
};

void category_totals_release(struct category_totals *t);
/* Adds the categories of one COCO file: sample->coco is set. */
void category_totals_add(struct category_totals *t, const struct sample *sample);
/* Adds `from`, and releases it. */
void category_totals_merge(struct category_totals *into, struct category_totals *from);
