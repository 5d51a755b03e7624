/*
 * struct id_counter: how often each id occurs in one label file that is no picture, for ids of any 64-bit value.
 *
 * What fills the rows of id_stats for arrays, lists and boxes; such files have no neighbours, so only id, labels and
 * the place of the first offender are set. Exact. 0..65535 are counted in a table, others in a hash table of at most
 * ID_COUNTER_SPARSE different ids: a file with more holds measured values or keys, no labels.
 * Owner: a worker, which reuses it from file to file. One thread.
 */
#ifndef MEASURE_ID_COUNTER_H
#define MEASURE_ID_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/class_set.h"
#include "measure/backend.h"
#include "measure/label_stats.h"

enum { ID_COUNTER_DENSE = 65536, ID_COUNTER_SPARSE = 65536 };

struct id_slot {
	int64_t id;
	uint64_t labels; /* 0: a free slot */
	uint64_t first;  /* as below */
};

struct id_counter {
	const struct class_set *classes;
	uint64_t *labels; /* ID_COUNTER_DENSE; a fast path may add to it directly, with `used` kept true; owned */
	/*
	 * ID_COUNTER_DENSE: the complement of the first one's place, of offenders only, else of NO_INDEX: 0, so that
	 * memory that nobody uses is never touched; owned
	 */
	uint64_t *first;
	uint32_t used;         /* all counted dense ids are below it */
	struct id_slot *slots; /* power of two; owned */
	size_t slots_count, slots_cap;
	uint64_t seed;
	bool overflow; /* more than ID_COUNTER_SPARSE: what came later is not counted */
};

void id_counter_init(struct id_counter *c, const struct class_set *classes);
void id_counter_release(struct id_counter *c);

/* An id outside 0..65535. */
void id_counter_add_sparse(struct id_counter *c, int64_t id, uint64_t place);

/* place: what first_index of id_stats will say: row-major index of an array, PLACE_OF_TEXT of a text. Rising. */
static inline void id_counter_add(struct id_counter *c, int64_t id, uint64_t place)
{
	if ((uint64_t)id >= ID_COUNTER_DENSE) {
		id_counter_add_sparse(c, id, place);
		return;
	}
	if (c->used <= (uint64_t)id)
		c->used = (uint32_t)id + 1;
	if (!c->labels[id]++ && class_set_role(c->classes, id) == ID_INVALID)
		c->first[id] = ~place;
}

/*
 * n labels of one id, of any value (0 of an id that was counted before: just its place). place: of the first of them,
 * or NO_INDEX where that is not known; unlike above, calls may come in any order: the least place counts.
 */
void id_counter_add_run(struct id_counter *c, int64_t id, uint64_t n, uint64_t place);
/* The place recorded for an offender so far; NO_INDEX: none. */
uint64_t id_counter_first(const struct id_counter *c, int64_t id);

/*
 * Appends the rows to batch, sorted by id, and fills labels, min, max, ids_at and ids_count of stats; the counter is
 * empty then. False: overflow (nothing is appended).
 */
bool id_counter_end(struct id_counter *c, struct label_stats *stats, struct batch *batch);
/* Forgets what was counted: of a file that failed. */
void id_counter_clear(struct id_counter *c);

#endif
