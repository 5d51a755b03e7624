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
	int64_t *to;   /* by id - first; owned */
	bool *known;   /* in the same way: the audit counted the id in the file; owned */
};

void id_lookup_init(struct id_lookup *l, const struct fix_plan *plan, const struct fix_file *file);
void id_lookup_release(struct id_lookup *l);
/* Looks up an id that has no place in the table. */
bool id_lookup_far(const struct id_lookup *l, int64_t id, int64_t *to);
/* Finds what an id becomes. Returns false if the audit did not count it in the file. */
static inline bool id_lookup(const struct id_lookup *l, int64_t id, int64_t *to)
{
	uint64_t at = (uint64_t)id - (uint64_t)l->first;

	if (at >= l->count)
		return id_lookup_far(l, id, to);
	*to = l->to[at];
	return l->known[at];
}
