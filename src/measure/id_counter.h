/*
 * struct id_counter: counts the labels of arrays, lists and boxes by id. Ids may be any 64-bit integers.
 *
 * The rows of id_stats that it makes have an id, labels and the place of the first offender; these files have no
 * neighbours. Ids 0..65535, and all classes of a vocabulary, are counted in a table, all others in a hash table of at
 * most ID_COUNTER_SPARSE ids: a file with more of them holds measurements or keys, not labels. Owner: a worker, which
 * reuses it. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/class_set.h"
#include "measure/backend.h"
#include "measure/label_stats.h"

enum { ID_COUNTER_DENSE = 65536, ID_COUNTER_DENSE_MAX = 1 << 20, ID_COUNTER_SPARSE = 65536 };

struct id_slot {
	int64_t id;
	uint64_t labels; /* 0: a free slot */
	uint64_t first;  /* as in id_counter.first */
};

struct id_counter {
	const struct class_set *classes;
	uint32_t dense;   /* ids below it are in the tables: ID_COUNTER_DENSE, or the classes, if these are more */
	uint64_t *labels; /* by id, `dense`; fast paths may add to ids below `used`; owned */
	/*
	 * By id: for an offender, the complement of its first place. 0, the complement of NO_INDEX, for all others, so
	 * that the memory of ids that do not occur is never touched. Owned.
	 */
	uint64_t *first;
	uint32_t used;         /* above all counted dense ids */
	struct id_slot *slots; /* power of two; owned */
	size_t slots_count, slots_cap;
	bool overflow; /* more than ID_COUNTER_SPARSE sparse ids occur, and not all were counted */
};

void id_counter_init(struct id_counter *c, const struct class_set *classes);
void id_counter_release(struct id_counter *c);

/*
 * Counts n labels of one id. place: of the first of them, or NO_INDEX if it is unknown; in any order, as the least
 * place is kept. With n = 0, adds a place to an id that was counted before.
 */
void id_counter_add_run(struct id_counter *c, int64_t id, uint64_t n, uint64_t place);

/*
 * Counts a label. place: as id_stats.first_index, the row-major index in an array or PLACE_OF_TEXT in a text; it must
 * not decrease from call to call.
 */
static inline void id_counter_add(struct id_counter *c, int64_t id, uint64_t place)
{
	if ((uint64_t)id >= c->dense) {
		id_counter_add_run(c, id, 1, place);
		return;
	}
	if (c->used <= (uint64_t)id)
		c->used = (uint32_t)id + 1;
	if (!c->labels[id]++ && class_set_role(c->classes, id) == ID_INVALID)
		c->first[id] = ~place;
}

/* Adds what another one counted. */
void id_counter_merge(struct id_counter *c, const struct id_counter *from);

/* Returns how many labels of an id were counted. */
uint64_t id_counter_labels(const struct id_counter *c, int64_t id);

/* Returns the first place of an offender so far, or NO_INDEX. */
uint64_t id_counter_first(const struct id_counter *c, int64_t id);

/* Returns whether an id that was counted is neither a class nor ignored. */
static inline bool id_counter_is_offender(const struct id_counter *c, int64_t id)
{
	return (uint64_t)id < c->dense ? c->first[id] != 0 : id_counter_first(c, id) != NO_INDEX;
}

/*
 * Gives the next id that was counted, in no order: id, labels and first_index of *row. *at is 0 at first. Returns false
 * after the last one.
 */
bool id_counter_next(const struct id_counter *c, size_t *at, struct id_stats *row);
/*
 * Appends the rows to batch, sorted by id, fills labels, min, max, ids_at and ids_count of stats, and clears the
 * counter. Returns false if it overflowed; then nothing is appended.
 */
bool id_counter_end(struct id_counter *c, struct label_stats *stats, struct batch *batch);
/* Clears the counter, after a file that failed. */
void id_counter_clear(struct id_counter *c);
