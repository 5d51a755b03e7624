#include "find/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "platform/platform.h"

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

void names_cut(struct names *n, size_t count, size_t len)
{
	assert(count <= n->count && len <= n->len);
	n->count = count;
	n->len = len;
}

/* Returns the first eight bytes of the name as a big-endian number, padded with zeros. */
static uint64_t key_of(const struct names *n, const struct name *name)
{
	uint64_t key = be64((const uint8_t *)n->bytes + name->at);

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
		platform_sort(n->v + first, n->count - first, sizeof(*n->v), compare, n);
}
