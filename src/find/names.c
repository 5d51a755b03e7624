#include "find/names.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A name is compared eight bytes at a time, as a number; loads past the end of the last name need this much room. */
enum { KEY = sizeof(uint64_t) };

/* Below this many, insertion beats the counting of bytes (8 tables of 256). */
enum { INSERTION_MAX = 32 };

void names_init(struct names *n)
{
	memset(n, 0, sizeof(*n));
}

void names_release(struct names *n)
{
	free(n->bytes);
	free(n->v);
	free(n->scratch);
	free(n->tied);
	names_init(n);
}

void names_add(struct names *n, const char *bytes, size_t len, enum name_type type, int errnum)
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
		.extra = (uint8_t)errnum,
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

/* Bytes depth..depth+7 of the name, the first one most significant, 0 behind its end. */
static uint64_t key_at(const struct names *n, const struct name *name, size_t depth)
{
	uint64_t key;

	if (name->len <= depth)
		return 0;
	size_t left = name->len - depth;

	memcpy(&key, n->bytes + name->at + depth, KEY);
	key = be64toh(key);
	return left < KEY ? key & (UINT64_MAX << (64 - 8 * left)) : key;
}

static void insertion_sort(struct name *v, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct name one = v[i];
		size_t at = i;

		for (; at && v[at - 1].key > one.key; at--)
			v[at] = v[at - 1];
		v[at] = one;
	}
}

/* By key, stable; a byte that is the same in all keys (most are) costs no pass. */
static void radix_sort(struct name *v, size_t count, struct name *scratch)
{
	uint32_t counts[KEY][256] = { { 0 } };
	struct name *from = v, *to = scratch;

	for (size_t i = 0; i < count; i++)
		for (unsigned b = 0; b < KEY; b++)
			counts[b][v[i].key >> (8 * b) & 0xff]++;
	for (unsigned b = 0; b < KEY; b++) {
		uint32_t *start = counts[b], sum = 0;

		if (start[from[0].key >> (8 * b) & 0xff] == count)
			continue;
		for (unsigned value = 0; value < 256; value++) {
			uint32_t here = start[value];

			start[value] = sum;
			sum += here;
		}
		for (size_t i = 0; i < count; i++)
			to[start[from[i].key >> (8 * b) & 0xff]++] = from[i];

		struct name *swap = from;

		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, count * sizeof(*v));
}

static bool bit_get(const uint8_t *map, size_t i)
{
	return map[i / 8] >> (i % 8) & 1;
}

static void bit_put(uint8_t *map, size_t i, bool value)
{
	unsigned bit = 1U << (i % 8);

	map[i / 8] = (uint8_t)(value ? map[i / 8] | bit : map[i / 8] & ~bit);
}

/*
 * Sorts the run of count names at v[at], which agree in their first `depth` bytes, by the next eight; ties those that
 * agree with the one before in these too. Returns whether any do.
 */
static bool sort_run(struct names *n, size_t at, size_t count, size_t depth, size_t first)
{
	struct name *v = n->v + at;
	bool any = false, sorted = true;

	for (size_t i = 0; i < count; i++) {
		v[i].key = key_at(n, &v[i], depth);
		sorted = sorted && (!i || v[i - 1].key <= v[i].key);
	}
	if (!sorted && count <= INSERTION_MAX)
		insertion_sort(v, count);
	else if (!sorted)
		radix_sort(v, count, n->scratch);
	for (size_t i = 1; i < count; i++) {
		bool tied = v[i].key == v[i - 1].key;

		bit_put(n->tied, at - first + i, tied);
		any = any || tied;
	}
	return any;
}

/*
 * Eight bytes a round, each round over the runs that the rounds before left tied; names differ, so it ends when the
 * longest one is used up at the latest. No recursion, and linear in the bytes of the names.
 */
void names_sort(struct names *n, size_t first)
{
	size_t count = n->count - first, longest = 0;
	bool any = count > 1;

	assert(count <= UINT32_MAX); /* radix_sort counts in 32 bits */
	if (!any)
		return;
	GROW(n->scratch, n->scratch_cap, count);
	GROW(n->tied, n->tied_cap, count / 8 + 1);
	memset(n->tied, 0xff, count / 8 + 1);
	bit_put(n->tied, 0, false);
	for (size_t i = first; i < n->count; i++)
		longest = MAX(longest, (size_t)n->v[i].len);

	for (size_t depth = 0; any && depth < longest; depth += KEY) {
		any = false;
		for (size_t i = 0; i < count;) {
			size_t end = i + 1;

			while (end < count && bit_get(n->tied, end))
				end++;
			if (end - i > 1 && sort_run(n, first + i, end - i, depth, first))
				any = true;
			i = end;
		}
	}
}
