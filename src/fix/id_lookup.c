#include "fix/id_lookup.h"

#include <stdlib.h>

#include "base/mem.h"

enum { TABLE_MAX = 1 << 16 }; /* ids: 576 KiB */

static int64_t id_at(const struct id_lookup *l, size_t i)
{
	return fix_file_ids(l->plan->set, l->file)[i].id;
}

void id_lookup_init(struct id_lookup *l, const struct fix_plan *plan, const struct fix_file *file)
{
	size_t n = file->ids_count;

	*l = (struct id_lookup){ .plan = plan, .file = file };
	if (!n || (uint64_t)id_at(l, n - 1) - (uint64_t)id_at(l, 0) >= TABLE_MAX)
		return;
	l->first = id_at(l, 0);
	l->count = (size_t)(id_at(l, n - 1) - l->first) + 1;
	l->to = xcalloc(l->count, sizeof(*l->to));
	l->known = xcalloc(l->count, sizeof(*l->known));
	for (size_t i = 0; i < n; i++) {
		l->to[id_at(l, i) - l->first] = fix_plan_id(plan, file, id_at(l, i));
		l->known[id_at(l, i) - l->first] = true;
	}
}

void id_lookup_release(struct id_lookup *l)
{
	free(l->to);
	free(l->known);
}

bool id_lookup_far(const struct id_lookup *l, int64_t id, int64_t *to)
{
	size_t low = 0, high = l->count ? 0 : l->file->ids_count; /* a table has them all */

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (id_at(l, middle) == id) {
			*to = fix_plan_id(l->plan, l->file, id);
			return true;
		}
		if (id_at(l, middle) < id)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}
