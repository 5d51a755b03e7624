/*
 * struct id_lookup: what each id of one file becomes, for files of millions of labels. Owner: a writer of one file; one
 * thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fix/plan.h"

struct id_lookup {
	const struct fix_plan *plan;
	const struct fix_file *file;
	int64_t first; /* the smallest id */
	size_t count;  /* of `to`; 0: the ids span too much for a table */
	int64_t *to;   /* by id - first; ID_UNKNOWN: the audit did not count it in the file; owned */
};

/* No id: neither a class nor ignored can be INT64_MIN. */
#define ID_UNKNOWN INT64_MIN

void id_lookup_init(struct id_lookup *l, const struct fix_plan *plan, const struct fix_file *file);
void id_lookup_release(struct id_lookup *l);
/* Looks up an id that has no place in the table. */
int64_t id_lookup_far(const struct id_lookup *l, int64_t id);
/* Returns what an id becomes, or ID_UNKNOWN. */
static inline int64_t id_lookup(const struct id_lookup *l, int64_t id)
{
	uint64_t at = (uint64_t)id - (uint64_t)l->first;

	return at < l->count ? l->to[at] : id_lookup_far(l, id);
}
