#include "find/names.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Names are compared by their first eight bytes; loading these may read this far past the last name. */
enum { KEY = sizeof(uint64_t) };

void names_release(struct names *n)
{
	free(n->bytes);
	free(n->v);
	*n = (struct names){ 0 };
}

void names_add(struct names *n, const char *bytes, size_t len, enum name_type type, int extra)
{
	bool folder = type == NAME_FOLDER;
	size_t room = n->len + len + 2 + KEY;

	assert(len < UINT16_MAX && n->len <= UINT32_MAX);
	GROW(n->bytes, n->cap, room);
	GROW(n->v, n->names_cap, n->count + 1);
	n->v[n->count++] = (struct name){
		.at = (uint32_t)n->len,
		.len = (uint16_t)(len + folder),
		.type = (uint8_t)type,
		.extra = (uint8_t)extra,
	};
	memcpy(n->bytes + n->len, bytes, len);
	n->len += len;
	if (folder)
		n->bytes[n->len++] = '/';
	n->bytes[n->len++] = '\0';
}

void names_append(struct names *n, const struct names *from, size_t first, size_t at)
{
	size_t count = from->count - first, len = from->len - at;

	if (!count)
		return;
	assert(n->len + len <= UINT32_MAX);
	GROW(n->bytes, n->cap, n->len + len + KEY);
	GROW(n->v, n->names_cap, n->count + count);
	memcpy(n->bytes + n->len, from->bytes + at, len);
	memcpy(n->v + n->count, from->v + first, count * sizeof(*n->v));
	for (size_t i = n->count; i < n->count + count; i++)
		n->v[i].at = (uint32_t)(n->v[i].at - at + n->len);
	n->count += count;
	n->len += len;
}

void names_cut(struct names *n, size_t count, size_t len)
{
	assert(count <= n->count && len <= n->len);
	n->count = count;
	n->len = len;
}

/* Returns the first eight bytes of the name as a big-endian number, padded with zeros. */
static uint64_t key_of(const struct names *n, const struct name *name)
{
	uint64_t key;

	memcpy(&key, n->bytes + name->at, KEY);
	key = be64toh(key);
	return name->len < KEY ? key & ~(UINT64_MAX >> 8 * name->len) : key;
}

static int compare(const void *pa, const void *pb, void *context)
{
	const struct name *a = pa, *b = pb;
	const struct names *n = context;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	int order = memcmp(n->bytes + a->at, n->bytes + b->at, MIN(a->len, b->len));

	return order ? order : (a->len > b->len) - (a->len < b->len);
}

void names_sort(struct names *n, size_t first)
{
	for (size_t i = first; i < n->count; i++)
		n->v[i].key = key_of(n, &n->v[i]);
	if (n->count > first)
		qsort_r(n->v + first, n->count - first, sizeof(*n->v), compare, n);
}

/* ---- listings ---------------------------------------------------------------------------------------------------- */

void listings_release(struct listings *l)
{
	for (size_t i = 0; i < l->count; i++)
		names_release(&l->v[i].names);
	free(l->v);
	*l = (struct listings){ 0 };
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

	*listing = (struct listing){ .folder = *folder };
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
