#include "find/inode_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/hash.h"
#include "base/mem.h"

enum { FIRST_CAP = 64 };

void inode_set_init(struct inode_set *set)
{
	memset(set, 0, sizeof(*set));
}

void inode_set_release(struct inode_set *set)
{
	free(set->slots);
	inode_set_init(set);
}

static bool is_free(const struct inode_id *slot)
{
	return !slot->device && !slot->inode;
}

/* The slot that holds id, or the free one where it belongs. */
static struct inode_id *find_slot(const struct inode_set *set, struct inode_id id)
{
	size_t at = (size_t)hash_mix(id.inode ^ id.device << 40 ^ hash_seed()) & (set->cap - 1);

	while (!is_free(&set->slots[at]) && (set->slots[at].inode != id.inode || set->slots[at].device != id.device))
		at = (at + 1) & (set->cap - 1);
	return &set->slots[at];
}

static void grow(struct inode_set *set)
{
	struct inode_set bigger = { .cap = set->cap ? 2 * set->cap : FIRST_CAP, .count = set->count };

	bigger.has_zero = set->has_zero;
	bigger.slots = xcalloc(bigger.cap, sizeof(*bigger.slots));
	for (size_t i = 0; i < set->cap; i++)
		if (!is_free(&set->slots[i]))
			*find_slot(&bigger, set->slots[i]) = set->slots[i];
	free(set->slots);
	*set = bigger;
}

bool inode_set_add(struct inode_set *set, struct inode_id id)
{
	if (is_free(&id)) {
		bool added = !set->has_zero;

		set->has_zero = true;
		return added;
	}
	if (2 * (set->count + 1) > set->cap)
		grow(set);
	struct inode_id *slot = find_slot(set, id);

	if (GUARD(loops_followed, !is_free(slot)))
		return false;
	*slot = id;
	set->count++;
	return true;
}
