#include "find/inode_set.h"

#include <stdlib.h>

#include "base/guard.h"
#include "base/hash.h"
#include "base/mem.h"

void inode_set_release(struct inode_set *set)
{
	free(set->v);
	table_release(&set->table);
	*set = (struct inode_set){ 0 };
}

bool inode_set_add(struct inode_set *set, struct inode_id id)
{
	uint64_t hash = hash_mix(id.inode ^ hash_mix(id.device ^ hash_seed()));
	uint32_t i;

	for (size_t at = table_start(&set->table, hash); (i = table_next(&set->table, hash, &at)) != TABLE_NONE;)
		if (GUARD(loops_followed, set->v[i].inode == id.inode && set->v[i].device == id.device))
			return false;
	table_add(&set->table, hash, set->count);
	GROW(set->v, set->cap, set->count + 1);
	set->v[set->count++] = id;
	return true;
}
