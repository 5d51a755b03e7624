#include "fix/id_lookup.h"

#include <stdlib.h>

#include "base/mem.h"

enum { TABLE_MAX = 1 << 16 }; /* ids: 512 KiB */

void id_lookup_init(struct id_lookup *l, const struct fix_plan *plan, const struct fix_file *file)
{
	const struct fix_id *ids = &plan->set->ids[file->ids_at];
	size_t n = file->ids_count;

	*l = (struct id_lookup){ .plan = plan, .file = file };
	if (!n || (uint64_t)ids[n - 1].id - (uint64_t)ids[0].id >= TABLE_MAX)
		return;
	l->first = ids[0].id;
	l->count = (size_t)(ids[n - 1].id - ids[0].id) + 1;
	l->to = xmalloc(l->count * sizeof(*l->to));
	for (size_t i = 0; i < l->count; i++)
		l->to[i] = ID_UNKNOWN;
	for (size_t i = 0; i < n; i++)
		l->to[ids[i].id - l->first] = fix_plan_id(plan, file, ids[i].id);
}

void id_lookup_release(struct id_lookup *l)
{
	free(l->to);
}

int64_t id_lookup_far(const struct id_lookup *l, int64_t id)
{
	const struct fix_id *ids = &l->plan->set->ids[l->file->ids_at];
	size_t low = 0, high = l->count ? 0 : l->file->ids_count; /* a table has them all */

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ids[middle].id == id)
			return fix_plan_id(l->plan, l->file, id);
		if (ids[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return ID_UNKNOWN;
}
