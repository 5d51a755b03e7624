/*
 * struct id_counter: counts how often each id occurs in a label file that is no picture. Ids may be any 64-bit
 * integers; the counts are exact.
 *
 * It makes the rows of id_stats for arrays, lists and boxes. There are no neighbours in such files, so of a row only
 * the id, the number of labels and the place of the first offender are set. Ids 0..65535 are counted in a table, others
 * in a hash table of at most ID_COUNTER_SPARSE ids: a file with more different ones holds measurements or keys, not
 * labels. Owner: a worker, which uses it for one file after the other. One thread.
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
	uint64_t *labels; /* by id, ID_COUNTER_DENSE of them; a fast path may add to it, if it keeps `used` right; owned
			   */
	/*
	 * By id: for an offender, the complement of the place of its first label; 0, which is the complement of
	 * NO_INDEX, for all others, so that memory of ids that do not occur is never touched. Owned.
	 */
	uint64_t *first;
	uint32_t used;         /* all counted dense ids are below it */
	struct id_slot *slots; /* power of two; owned */
	size_t slots_count, slots_cap;
	uint64_t seed;
	bool overflow; /* there are more than ID_COUNTER_SPARSE different ones, and not all were counted */
};

void id_counter_init(struct id_counter *c, const struct class_set *classes);
void id_counter_release(struct id_counter *c);

/* Counts a label whose id is not in 0..65535. */
void id_counter_add_sparse(struct id_counter *c, int64_t id, uint64_t place);

/*
 * Counts a label. place: where it is, as first_index of id_stats has it: the row-major index in an array, PLACE_OF_TEXT
 * in a text. From call to call it must not become less.
 */
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
 * Counts n labels of one id. place: of the first of them, or NO_INDEX if it is not known; unlike above, the calls may
 * come in any order, and the least place is kept. n may be 0 to add a place to an id that was counted before.
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
