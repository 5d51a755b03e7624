#include "base/key_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void key_set_release(struct key_set *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}

void key_set_add(struct key_set *s, uint64_t key, size_t max)
{
	s->total++;
	s->sum += key;
	if (s->count >= max)
		return;
	GROW(s->v, s->cap, s->count + 1);
	s->v[s->count++] = key;
}

void key_set_merge(struct key_set *into, const struct key_set *from)
{
	into->total += from->total - from->count;
	into->sum += from->sum;
	for (size_t i = 0; i < from->count; i++) {
		into->sum -= from->v[i];
		key_set_add(into, from->v[i], KEY_SET_MAX);
	}
}
