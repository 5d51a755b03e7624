#include "judge/name_totals.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/lower_bound.h"
#include "base/mem.h"
#include "judge/tally.h"

void name_totals_release(struct name_totals *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->v[i].name);
		free(t->v[i].example);
	}
	free(t->v);
	memset(t, 0, sizeof(*t));
}

static bool name_is_below(const void *total, const void *name)
{
	return strcmp(((const struct name_total *)total)->name, name) < 0;
}

/* Returns the entry of that name, which it makes if needed; NULL if the table is full of names that sort before. */
static struct name_total *find_entry(struct name_totals *t, const char *name)
{
	size_t at = lower_bound(name, t->v, 0, t->count, sizeof(*t->v), name_is_below);

	if (at < t->count && !strcmp(t->v[at].name, name))
		return &t->v[at];
	if (t->count == NAME_TOTALS_MAX) {
		if (at == t->count)
			return NULL;
		t->count--;
		free(t->v[t->count].name);
		free(t->v[t->count].example);
	}
	GROW(t->v, t->cap, t->count + 1);
	memmove(t->v + at + 1, t->v + at, (t->count - at) * sizeof(*t->v));
	t->v[at] = (struct name_total){ .name = xstrdup(name) };
	t->count++;
	return &t->v[at];
}

unsigned split_of_list(const struct sample *sample)
{
	const char *path = sample->member ? sample->member : sample->path;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strchr(name, '.');
	char folder[NAME_MAX + 3];

	if (sample->split)
		return sample->split;
	/* as if the list lay in a folder of its name */
	snprintf(folder, sizeof(folder), "%.*s/x",
		 (int)MIN(dot ? (size_t)(dot - name) : strlen(name), (size_t)NAME_MAX), name);
	unsigned split = split_by_name(folder, 0);

	return split ? SPLITS_MAX + split : SPLIT_NONE;
}

void name_totals_add(struct name_totals *t, const struct sample *sample, const struct label_stats *stats,
		     const struct id_stats *ids)
{
	uint32_t split = UINT32_C(1) << split_of_list(sample);

	t->files++;
	for (size_t i = 0; i < stats->ids_count; i++) {
		if (ids[i].id < 0 || (uint64_t)ids[i].id >= sample->names->count)
			continue;
		struct name_total *total = find_entry(t, sample->names->at[ids[i].id]);

		if (!total)
			break; /* the names are sorted */
		total->labels += ids[i].labels;
		total->files++;
		total->splits |= split;
		example_add(&total->example, sample);
	}
}

void name_totals_merge(struct name_totals *into, struct name_totals *from)
{
	into->files += from->files;
	for (size_t i = 0; i < from->count; i++) {
		struct name_total *more = &from->v[i], *total = find_entry(into, more->name);

		if (!total)
			break;
		total->labels += more->labels;
		total->files += more->files;
		total->splits |= more->splits;
		example_merge(&total->example, &more->example);
	}
	name_totals_release(from);
}
