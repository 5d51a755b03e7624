#include "fix/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void manifest_init(struct manifest *m)
{
	*m = (struct manifest){ .count = 0 };
	pthread_mutex_init(&m->lock, NULL);
}

void manifest_release(struct manifest *m)
{
	for (size_t i = 0; i < m->count; i++)
		free(m->v[i].place);
	free(m->v);
	pthread_mutex_destroy(&m->lock);
}

void manifest_add(struct manifest *m, const char *place, const struct record *record)
{
	pthread_mutex_lock(&m->lock);
	GROW(m->v, m->cap, m->count + 1);
	m->v[m->count] = *record;
	m->v[m->count++].place = xstrdup(place);
	pthread_mutex_unlock(&m->lock);
}

static int compare_records(const void *pa, const void *pb)
{
	return strcmp(((const struct record *)pa)->place, ((const struct record *)pb)->place);
}

void manifest_sort(struct manifest *m)
{
	if (m->count)
		qsort(m->v, m->count, sizeof(*m->v), compare_records);
}
