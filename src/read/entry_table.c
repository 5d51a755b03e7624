#include "read/entry_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	PLACES_FIRST = 64, /* boxes of one image; cleared for each of a hundred thousand files */
	PLACES_KEPT = 1024,
	PLACES_MAX = 1 << 21,
};

void entry_table_release(struct entry_table *t)
{
	free(t->hashes);
	free(t->values);
	*t = (struct entry_table){ 0 };
}

void entry_table_clear(struct entry_table *t)
{
	if (t->mask >= PLACES_KEPT) { /* clearing a large table costs more than a new one */
		entry_table_release(t);
		return;
	}
	if (t->count) {
		memset(t->hashes, 0, (t->mask + 1) * sizeof(*t->hashes));
		memset(t->values, 0, (t->mask + 1) * sizeof(*t->values));
	}
	t->count = 0;
	t->full = false;
}

/* Returns the place of the hash, or the free place where it belongs. */
static size_t find_place(const uint64_t *hashes, size_t mask, uint64_t hash)
{
	size_t at = (size_t)hash & mask;

	while (hashes[at] && hashes[at] != hash)
		at = (at + 1) & mask;
	return at;
}

static void grow(struct entry_table *t)
{
	size_t places = t->hashes ? MIN(4 * (t->mask + 1), (size_t)PLACES_MAX) : PLACES_FIRST;
	struct entry_table old = *t;

	t->hashes = xcalloc(places, sizeof(*t->hashes));
	t->values = xcalloc(places, sizeof(*t->values));
	t->mask = places - 1;
	for (size_t i = 0; old.hashes && i <= old.mask; i++) {
		if (!old.hashes[i])
			continue;
		size_t at = find_place(t->hashes, t->mask, old.hashes[i]);

		t->hashes[at] = old.hashes[i];
		t->values[at] = old.values[i];
	}
	free(old.hashes);
	free(old.values);
}

void entry_table_prefetch(const struct entry_table *t, uint64_t hash)
{
	if (!t->hashes)
		return;
	__builtin_prefetch(&t->hashes[hash & t->mask], 1); /* a value is only written, which waits for nothing */
}

enum entry_state entry_table_add(struct entry_table *t, uint64_t hash, uint64_t value)
{
	uint16_t kept = (uint16_t)MIN(value, (uint64_t)UINT16_MAX);

	hash += !hash;
	if (!t->hashes || (t->count >= (t->mask + 1) / 4 * 3 && t->mask + 1 < PLACES_MAX))
		grow(t);
	size_t at = find_place(t->hashes, t->mask, hash);

	if (t->hashes[at])
		return t->values[at] == kept ? ENTRY_SAME : ENTRY_OTHER;
	if (t->count == ENTRY_TABLE_MAX) {
		t->full = true;
		return ENTRY_NEW;
	}
	t->hashes[at] = hash;
	if (kept) /* a value of 0 is there: where all are, no more memory is touched */
		t->values[at] = kept;
	t->count++;
	return ENTRY_NEW;
}
