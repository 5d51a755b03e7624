#include "judge/name_totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/file_count.h"

struct name_key {
	const char *name;
	int64_t id, class_id;
};

static int compare(const void *row, const void *key)
{
	const struct name_total *a = row;
	const struct name_key *b = key;
	int order = strcmp(a->name, b->name);

	return order            ? order
	       : a->id != b->id ? (a->id < b->id ? -1 : 1)
				: (a->class_id > b->class_id) - (a->class_id < b->class_id);
}

static const struct totals_kind name_kind = { sizeof(struct name_total),
					      NAME_TOTALS_MAX,
					      compare,
					      { offsetof(struct name_total, name) + 1,
						offsetof(struct name_total, example) + 1 } };

void name_totals_release(struct name_totals *t)
{
	totals_release(&t->totals, &name_kind);
	t->files = 0;
}

/* Adds the counts and splits of `more` to the row of that key. Returns the row, or NULL: see totals_row. */
static struct name_total *add(struct name_totals *t, struct name_key key, const struct name_total *more)
{
	size_t from = 0;
	bool is_new;
	struct name_total *row = totals_row(&t->totals, &name_kind, &key, &from, &is_new);

	if (!row)
		return NULL;
	if (is_new)
		*row = (struct name_total){ .name = xstrdup(key.name), .id = key.id, .class_id = key.class_id };
	row->labels += more->labels;
	row->files += more->files;
	row->splits |= more->splits;
	return row;
}

unsigned split_of_list(const struct sample *sample)
{
	const unsigned own =
		sample->split ? SPLIT_NONE : split_by_own_name(sample->member ? sample->member : sample->path);

	return own ? SPLITS_MAX + own : sample->split;
}

void name_totals_add_list(struct name_totals *t, const struct sample *sample, const struct label_stats *stats,
			  const struct id_stats *ids)
{
	struct name_total more = { .files = 1, .splits = UINT32_C(1) << split_of_list(sample) };

	t->files++;
	for (size_t i = 0; i < stats->ids_count; i++) {
		if (ids[i].id < 0 || (uint64_t)ids[i].id >= sample->names->count)
			continue;
		more.labels = ids[i].labels;
		struct name_total *total = add(t, (struct name_key){ sample->names->at[ids[i].id], 0, 0 }, &more);

		if (!total)
			break; /* the names are sorted */
		example_add(&total->example, sample);
	}
}

void name_totals_add_categories(struct name_totals *t, const struct sample *sample)
{
	const struct name_total more = { .files = 1, .splits = UINT32_C(1) << split_of_list(sample) };
	const struct coco_map *map = sample->coco;

	for (size_t i = 0; i < map->listed_count; i++) {
		const struct coco_map_entry *e = &map->entries[i];

		/* a name of that length may have been cut: what follows is unknown */
		if (!e->name[0] || strlen(e->name) >= COCO_MAP_NAME - 4)
			continue;
		struct name_key key = { e->name, e->id, e->has_class ? e->class_id : e->id };
		struct name_total *total = add(t, key, &more);

		if (total)
			example_add(&total->example, sample);
	}
}

void name_totals_merge(struct name_totals *into, struct name_totals *from)
{
	into->files += from->files;
	for (size_t i = 0; i < from->count; i++) {
		struct name_total *more = &from->v[i];
		struct name_total *total = add(into, (struct name_key){ more->name, more->id, more->class_id }, more);

		if (!total)
			break;
		example_merge(&total->example, &more->example);
	}
	name_totals_release(from);
}
