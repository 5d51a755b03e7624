#include "measure/id_counter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/label_id.h"
#include "base/mem.h"

enum { SLOTS_FIRST = 256 };

void id_counter_init(struct id_counter *c, const struct class_set *classes)
{
	memset(c, 0, sizeof(*c));
	c->classes = classes;
	c->dense =
		(uint32_t)MIN(MAX(class_set_plain(classes), (int64_t)ID_COUNTER_DENSE), (int64_t)ID_COUNTER_DENSE_MAX);
	c->labels = xcalloc(c->dense, sizeof(*c->labels));
	c->first = xcalloc(c->dense, sizeof(*c->first));
}

void id_counter_release(struct id_counter *c)
{
	free(c->labels);
	free(c->first);
	free(c->slots);
}

void id_counter_clear(struct id_counter *c)
{
	memset(c->labels, 0, c->used * sizeof(*c->labels));
	memset(c->first, 0, c->used * sizeof(*c->first));
	c->used = 0;
	if (c->slots_count)
		memset(c->slots, 0, c->slots_cap * sizeof(*c->slots));
	c->slots_count = 0;
	c->overflow = false;
}

/* The slot of id, or the free one where it belongs. Load is at most a half. */
static struct id_slot *find_slot(struct id_slot *slots, size_t cap, int64_t id)
{
	size_t at = (size_t)hash_mix((uint64_t)id ^ hash_seed()) & (cap - 1);

	while (slots[at].labels && slots[at].id != id)
		at = (at + 1) & (cap - 1);
	return &slots[at];
}

static void grow_slots(struct id_counter *c)
{
	size_t cap = c->slots_cap ? 2 * c->slots_cap : SLOTS_FIRST;
	struct id_slot *slots = xcalloc(cap, sizeof(*slots));

	for (size_t i = 0; i < c->slots_cap; i++)
		if (c->slots[i].labels)
			*find_slot(slots, cap, c->slots[i].id) = c->slots[i];
	free(c->slots);
	c->slots = slots;
	c->slots_cap = cap;
}

/* Returns the slot of id, which may be a new one, or NULL if there are too many. */
static struct id_slot *need_slot(struct id_counter *c, int64_t id)
{
	if (c->overflow)
		return NULL;
	if (2 * (c->slots_count + 1) > c->slots_cap)
		grow_slots(c);
	struct id_slot *slot = find_slot(c->slots, c->slots_cap, id);

	if (slot->labels)
		return slot;
	if (c->slots_count == ID_COUNTER_SPARSE) {
		c->overflow = true;
		return NULL;
	}
	c->slots_count++;
	slot->id = id;
	return slot;
}

void id_counter_add_run(struct id_counter *c, int64_t id, uint64_t n, uint64_t place)
{
	uint64_t *labels, *first;

	assert(id_is_label(id));
	if ((uint64_t)id < c->dense) {
		c->used = MAX(c->used, (uint32_t)id + 1);
		labels = &c->labels[id];
		first = &c->first[id];
	} else {
		struct id_slot *slot = need_slot(c, id);

		if (!slot)
			return;
		labels = &slot->labels;
		first = &slot->first;
	}
	*labels += n;
	if (~place > *first && class_set_role(c->classes, id) == ID_INVALID)
		*first = ~place;
}

uint64_t id_counter_first(const struct id_counter *c, int64_t id)
{
	if ((uint64_t)id < c->dense)
		return ~c->first[id];
	if (!c->slots_cap)
		return NO_INDEX;

	const struct id_slot *slot = find_slot(c->slots, c->slots_cap, id);

	return slot->labels ? ~slot->first : NO_INDEX;
}

uint64_t id_counter_labels(const struct id_counter *c, int64_t id)
{
	if ((uint64_t)id < c->dense)
		return c->labels[id];
	return c->slots_cap ? find_slot(c->slots, c->slots_cap, id)->labels : 0;
}

bool id_counter_next(const struct id_counter *c, size_t *at, struct id_stats *row)
{
	for (; *at < c->used; ++*at) {
		if (!c->labels[*at])
			continue;
		*row = (struct id_stats){ .id = (int64_t)*at, .labels = c->labels[*at], .first_index = ~c->first[*at] };
		++*at;
		return true;
	}
	for (; *at < c->used + c->slots_cap; ++*at) {
		const struct id_slot *slot = &c->slots[*at - c->used];

		if (!slot->labels)
			continue;
		*row = (struct id_stats){ .id = slot->id, .labels = slot->labels, .first_index = ~slot->first };
		++*at;
		return true;
	}
	return false;
}

void id_counter_merge(struct id_counter *c, const struct id_counter *from)
{
	struct id_stats row;

	for (size_t at = 0; id_counter_next(from, &at, &row);)
		id_counter_add_run(c, row.id, row.labels, row.first_index);
	c->overflow |= from->overflow;
}

bool id_counter_end(struct id_counter *c, struct label_stats *stats, struct batch *batch)
{
	size_t n = c->slots_count;

	if (c->overflow) {
		id_counter_clear(c);
		return false;
	}
	for (uint32_t id = 0; id < c->used; id++)
		n += c->labels[id] > 0;
	stats->ids_at = batch->ids_count;
	stats->ids_count = n;
	stats->labels = 0;
	stats->min = stats->max = 0;

	struct id_stats *rows = batch_add_ids(batch, n);

	for (size_t at = 0, out = 0; out < n && id_counter_next(c, &at, &rows[out]); out++)
		stats->labels += rows[out].labels;
	if (n) {
		id_stats_sort(rows, n);
		stats->min = rows[0].id;
		stats->max = rows[n - 1].id;
	}
	id_counter_clear(c);
	return true;
}
