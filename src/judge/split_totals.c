#include "judge/split_totals.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/mem.h"
#include "judge/role.h"

void split_totals_release(struct split_totals *t)
{
	free(t->v);
	memset(t, 0, sizeof(*t));
}

static bool id_is_below(const void *total, const void *id)
{
	return ((const struct split_total *)total)->id < *(const int64_t *)id;
}

struct split_total *split_totals_entry(struct split_totals *t, int64_t id)
{
	size_t at = lower_bound(&id, t->v, 0, t->count, sizeof(*t->v), id_is_below);

	if (at < t->count && t->v[at].id == id)
		return &t->v[at];
	if (at == SPLIT_IDS_MAX)
		return NULL;
	if (t->count == SPLIT_IDS_MAX)
		t->count--;
	GROW(t->v, t->cap, t->count + 1);
	memmove(t->v + at + 1, t->v + at, (t->count - at) * sizeof(*t->v));
	t->count++;
	t->v[at] = (struct split_total){ .id = id };
	return &t->v[at];
}

void split_totals_add(struct split_totals *t, const struct settings *settings, unsigned split,
		      const struct label_stats *stats, const struct id_stats *ids)
{
	bool labelled = false;

	for (size_t i = 0; i < stats->ids_count && !labelled; i++)
		labelled = ids[i].id && settings_role(settings, ids[i].id) == ID_CLASS;
	if (!labelled)
		return;
	t->files[split]++;
	for (size_t i = 0; i < stats->ids_count; i++) {
		if (settings_role(settings, ids[i].id) != ID_CLASS)
			continue;
		struct split_total *total = split_totals_entry(t, ids[i].id);

		if (!total)
			return; /* nor is there room for the larger ones that follow */
		total->files[split]++;
	}
}

void split_totals_merge(struct split_totals *into, struct split_totals *from)
{
	for (int s = 0; s < SPLITS_MAX; s++)
		into->files[s] += from->files[s];
	for (size_t i = 0; i < from->count; i++) {
		struct split_total *total = split_totals_entry(into, from->v[i].id);

		if (!total)
			break;
		for (int s = 0; s < SPLITS_MAX; s++)
			total->files[s] += from->v[i].files[s];
	}
	split_totals_release(from);
}
