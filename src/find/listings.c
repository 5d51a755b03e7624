#include "find/listings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void listings_init(struct listings *l)
{
	memset(l, 0, sizeof(*l));
}

void listings_release(struct listings *l)
{
	for (size_t i = 0; i < l->count; i++)
		names_release(&l->v[i].names);
	free(l->v);
	listings_init(l);
}

/* Returns whether the types of all names are known. An unknown one must be looked up again in the next walk. */
static bool all_types_known(const struct names *names, size_t first)
{
	for (size_t i = first; i < names->count; i++)
		if (names->v[i].extra)
			return false;
	return true;
}

void listings_leave(struct listings *l, const struct folder_state *folder, const struct names *names, size_t first,
		    size_t at)
{
	size_t bytes = names->len - at + (names->count - first) * sizeof(*names->v);

	if (names->count == first || l->count == LISTINGS_MAX || bytes > LISTINGS_BYTES - l->bytes ||
	    !all_types_known(names, first))
		return;
	GROW(l->v, l->cap, l->count + 1);
	struct listing *listing = &l->v[l->count++];

	listing->folder = *folder;
	names_init(&listing->names);
	names_append(&listing->names, names, first, at);
	l->bytes += bytes;
}

static bool is_same(const struct folder_state *a, const struct folder_state *b)
{
	return inode_is(a->id, b->id) && a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec;
}

struct listing *listings_find(struct listings *l, const struct folder_state *folder)
{
	for (size_t at = l->next; at < l->count && at < l->next + LISTINGS_SEARCHED; at++)
		if (l->v[at].names.count && is_same(&l->v[at].folder, folder)) {
			l->next = at + 1;
			return &l->v[at];
		}
	return NULL;
}

void listings_taken(struct listings *l, struct listing *listing)
{
	l->bytes -= names_memory(&listing->names);
	names_release(&listing->names);
}
