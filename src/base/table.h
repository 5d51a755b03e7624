/*
 * Hash tables: open addressing, linear probing, at most half full. One thread each.
 *
 * struct table finds the elements of an array of the caller's by a hash of their key. A slot holds the index of an
 * element and half of its hash, so that growing needs no keys. The caller compares keys:
 *
 *	for (size_t at = table_start(t, hash); (i = table_next(t, hash, &at)) != TABLE_NONE;)
 *		if (v[i].id == id)
 *			return &v[i];
 *	table_add(t, hash, count);
 *
 * struct hash_set is a set of 64-bit hashes: equal hashes are taken for equal keys.
 *
 * Hashes must depend on hash_seed() (base/hash.h), or a file could make them collide. Nothing may depend on the order
 * of slots; arrays keep the order of insertion.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define TABLE_NONE UINT32_MAX

enum { TABLE_FIRST = 64 };

struct table_cell {
	uint32_t hash;   /* its lower half */
	uint32_t number; /* index + 1; 0: free */
};

/* All zero: empty. */
struct table {
	struct table_cell *slots; /* owned */
	size_t count, cap;        /* cap: 0 or a power of two */
};

static inline void table_release(struct table *t)
{
	free(t->slots);
	*t = (struct table){ 0 };
}

/* Removes all elements; keeps the memory. */
static inline void table_clear(struct table *t)
{
	if (t->count)
		memset(t->slots, 0, t->cap * sizeof(*t->slots));
	t->count = 0;
}

/* Returns where to begin a search with table_next. */
static inline size_t table_start(const struct table *t, uint64_t hash)
{
	return t->cap ? (uint32_t)hash & (t->cap - 1) : 0;
}

/* Returns the index of the next element that may have the key, or TABLE_NONE. */
static inline uint32_t table_next(const struct table *t, uint64_t hash, size_t *at)
{
	while (t->cap && t->slots[*at].number) {
		const struct table_cell slot = t->slots[*at];

		*at = (*at + 1) & (t->cap - 1);
		if (slot.hash == (uint32_t)hash)
			return slot.number - 1;
	}
	return TABLE_NONE;
}

static inline void table_put(struct table *t, struct table_cell slot)
{
	size_t at = slot.hash & (t->cap - 1);

	while (t->slots[at].number)
		at = (at + 1) & (t->cap - 1);
	t->slots[at] = slot;
}

/* Adds an element, whose key is not in the table. */
static inline void table_add(struct table *t, uint64_t hash, size_t index)
{
	if (2 * (t->count + 1) > t->cap) {
		struct table old = *t;

		t->cap = old.cap ? 2 * old.cap : TABLE_FIRST;
		t->slots = xcalloc(t->cap, sizeof(*t->slots));
		for (size_t i = 0; i < old.cap; i++)
			if (old.slots[i].number)
				table_put(t, old.slots[i]);
		free(old.slots);
	}
	table_put(t, (struct table_cell){ (uint32_t)hash, (uint32_t)index + 1 });
	t->count++;
}

/* All zero: empty. */
struct hash_set {
	uint64_t *slots; /* owned; 0: free */
	size_t count, cap;
};

static inline void hash_set_release(struct hash_set *s)
{
	free(s->slots);
	*s = (struct hash_set){ 0 };
}

static inline bool hash_set_put(struct hash_set *s, uint64_t hash)
{
	size_t at = hash & (s->cap - 1);

	for (; s->slots[at]; at = (at + 1) & (s->cap - 1))
		if (s->slots[at] == hash)
			return false;
	s->slots[at] = hash;
	return true;
}

static inline bool hash_set_has(const struct hash_set *s, uint64_t hash)
{
	hash = hash ? hash : 1;
	for (size_t at = hash & (s->cap - 1); s->cap && s->slots[at]; at = (at + 1) & (s->cap - 1))
		if (s->slots[at] == hash)
			return true;
	return false;
}

/* Returns whether the hash is new. */
static inline bool hash_set_add(struct hash_set *s, uint64_t hash)
{
	if (2 * (s->count + 1) > s->cap) {
		struct hash_set old = *s;

		s->cap = old.cap ? 2 * old.cap : TABLE_FIRST;
		s->slots = xcalloc(s->cap, sizeof(*s->slots));
		for (size_t i = 0; i < old.cap; i++)
			if (old.slots[i])
				hash_set_put(s, old.slots[i]);
		free(old.slots);
	}
	bool is_new = hash_set_put(s, hash ? hash : 1);

	s->count += is_new;
	return is_new;
}

/* The same; a set of `max` hashes gets no more, and tells whether it has one of them. */
static inline bool hash_set_add_bounded(struct hash_set *s, uint64_t hash, size_t max)
{
	return s->count < max ? hash_set_add(s, hash) : !hash_set_has(s, hash);
}
