#include "base/narrowing.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void narrowings_release(struct narrowings *n)
{
	for (size_t i = 0; i < n->count; i++) {
		free(n->v[i].option);
		free(n->v[i].value);
		free(n->v[i].source);
	}
	free(n->v);
	memset(n, 0, sizeof(*n));
}

void narrowings_add(struct narrowings *n, const char *option, const char *value, const char *source)
{
	GROW(n->v, n->cap, n->count + 1);
	n->v[n->count++] = (struct narrowing){ .option = xstrdup(option),
					       .value = xstrdup(value),
					       .source = xstrdup(source),
					       .files = NARROWING_UNCOUNTED,
					       .findings = NARROWING_UNCOUNTED };
}

struct narrowing *narrowings_find(const struct narrowings *n, const char *option)
{
	for (size_t i = 0; i < n->count; i++)
		if (!strcmp(n->v[i].option, option))
			return &n->v[i];
	return NULL;
}

static void add_count(uint64_t *into, uint64_t from)
{
	if (*into == NARROWING_UNCOUNTED || !size_add(*into, from, into))
		*into = NARROWING_UNCOUNTED;
}

void narrowings_add_counts(struct narrowings *into, const struct narrowings *from)
{
	for (size_t i = 0; i < into->count; i++) {
		const struct narrowing *other = narrowings_find(from, into->v[i].option);

		add_count(&into->v[i].files, other ? other->files : NARROWING_UNCOUNTED);
		add_count(&into->v[i].findings, other ? other->findings : NARROWING_UNCOUNTED);
	}
}
