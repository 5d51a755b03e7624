#include "judge/category_totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/mem.h"
#include "judge/name_totals.h"
#include "judge/tally.h"

void category_totals_release(struct category_totals *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->v[i].name);
		free(t->v[i].example);
	}
	free(t->v);
	memset(t, 0, sizeof(*t));
}

static int compare(const struct category_total *a, const struct category_total *b)
{
	int order = strcmp(a->name, b->name);

	return order            ? order
	       : a->id != b->id ? (a->id < b->id ? -1 : 1)
				: (a->class_id > b->class_id) - (a->class_id < b->class_id);
}

static bool is_below(const void *total, const void *wanted)
{
	return compare(total, wanted) < 0;
}

/* Returns the entry like `wanted`, which it makes if needed; NULL if the table is full of entries that sort before. */
static struct category_total *find_entry(struct category_totals *t, const struct category_total *wanted)
{
	size_t at = lower_bound(wanted, t->v, 0, t->count, sizeof(*t->v), is_below);

	if (at < t->count && !compare(&t->v[at], wanted))
		return &t->v[at];
	if (t->count == CATEGORY_TOTALS_MAX) {
		if (at == t->count)
			return NULL;
		t->count--;
		free(t->v[t->count].name);
		free(t->v[t->count].example);
	}
	GROW(t->v, t->cap, t->count + 1);
	memmove(t->v + at + 1, t->v + at, (t->count - at) * sizeof(*t->v));
	t->v[at] = (struct category_total){ .name = xstrdup(wanted->name),
					    .id = wanted->id,
					    .class_id = wanted->class_id };
	t->count++;
	return &t->v[at];
}

void category_totals_add(struct category_totals *t, const struct sample *sample)
{
	const struct coco_map *map = sample->coco;
	uint32_t split = UINT32_C(1) << split_of_list(sample);

	for (size_t i = 0; i < map->listed_count; i++) {
		const struct coco_map_entry *e = &map->entries[i];
		char name[COCO_MAP_NAME];

		/* a name of that length may have been cut: what follows is unknown */
		if (!e->name[0] || strlen(e->name) >= COCO_MAP_NAME - 4)
			continue;
		memcpy(name, e->name, sizeof(name));

		struct category_total wanted = { .name = name,
						 .id = e->id,
						 .class_id = e->class_id == COCO_NO_CLASS ? e->id : e->class_id };
		struct category_total *total = find_entry(t, &wanted);

		if (!total)
			continue;
		total->files++;
		total->splits |= split;
		example_add(&total->example, sample);
	}
}

void category_totals_merge(struct category_totals *into, struct category_totals *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct category_total *more = &from->v[i], *total = find_entry(into, more);

		if (!total)
			break;
		total->files += more->files;
		total->splits |= more->splits;
		example_merge(&total->example, &more->example);
	}
	category_totals_release(from);
}
