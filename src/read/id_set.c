#include "read/id_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/lower_bound.h"
#include "base/mem.h"

enum {
	CHUNK_BITS = 16,
	FEW = 4,          /* ids that fit in place of the pointer */
	ARRAY_MAX = 4096, /* 16-bit numbers, as many bytes as the bitmap */
	BITMAP_BYTES = (1 << CHUNK_BITS) / 8,
	SLOTS_FIRST = 64,
};

struct id_set_slot {
	uint64_t chunk; /* tag << 48 | id >> 16 */
	uint32_t count; /* number of ids; 0: a free slot */
	union {
		uint16_t few[FEW]; /* count <= FEW, in any order */
		uint16_t *array;   /* count <= ARRAY_MAX, sorted; its capacity is the next power of two */
		uint64_t *bitmap;
	};
};

void id_set_init(struct id_set *s, size_t bytes_max)
{
	memset(s, 0, sizeof(*s));
	s->bytes_max = bytes_max;
}

void id_set_release(struct id_set *s)
{
	for (size_t i = 0; i < s->cap; i++)
		if (s->slots[i].count > FEW)
			free(s->slots[i].array);
	free(s->slots);
	s->slots = NULL;
	s->count = s->cap = s->bytes = 0;
}

static bool take_bytes(struct id_set *s, size_t n)
{
	if (n > s->bytes_max - s->bytes)
		return false;
	s->bytes += n;
	return true;
}

/* Returns the chunk's slot, or the free one for it. */
static struct id_set_slot *find_slot(struct id_set_slot *slots, size_t cap, uint64_t chunk)
{
	size_t at = (size_t)hash_mix(chunk ^ hash_seed()) & (cap - 1);

	while (slots[at].count && slots[at].chunk != chunk)
		at = (at + 1) & (cap - 1);
	return &slots[at];
}

/* Doubles the slots; at most 3 in 4 are used. */
static bool grow_slots(struct id_set *s)
{
	size_t cap = s->cap ? 2 * s->cap : SLOTS_FIRST;
	struct id_set_slot *slots;

	if (!take_bytes(s, cap * sizeof(*slots)))
		return false;
	slots = xcalloc(cap, sizeof(*slots));
	for (size_t i = 0; i < s->cap; i++)
		if (s->slots[i].count)
			*find_slot(slots, cap, s->slots[i].chunk) = s->slots[i];
	s->bytes -= s->cap * sizeof(*slots);
	free(s->slots);
	s->slots = slots;
	s->cap = cap;
	return true;
}

static bool is_power_of_two(uint32_t n)
{
	return !(n & (n - 1));
}

static bool is_below(const void *entry, const void *low)
{
	return *(const uint16_t *)entry < *(const uint16_t *)low;
}

/* Returns where `low` is or belongs among the first n. */
static uint32_t search(const uint16_t *array, uint32_t n, uint16_t low)
{
	return (uint32_t)lower_bound(&low, array, 0, n, sizeof(*array), is_below);
}

static void insert(uint16_t *array, uint32_t n, uint16_t low)
{
	uint32_t at = search(array, n, low);

	memmove(array + at + 1, array + at, (n - at) * sizeof(*array));
	array[at] = low;
}

/* Moves ids from the slot to an array of 8, or from an array to one of twice the size. */
static bool grow_array(struct id_set *s, struct id_set_slot *slot)
{
	bool was_few = slot->count == FEW;
	size_t bytes = 2 * slot->count * sizeof(uint16_t);
	uint16_t *array;

	if (!take_bytes(s, was_few ? bytes : bytes / 2))
		return false;
	array = xmalloc(bytes);
	if (was_few) {
		for (uint32_t i = 0; i < FEW; i++)
			insert(array, i, slot->few[i]);
	} else {
		memcpy(array, slot->array, slot->count * sizeof(*array));
		free(slot->array);
	}
	slot->array = array;
	return true;
}

/* Replaces a full array by a bitmap of the same size. */
static void make_bitmap(struct id_set_slot *slot)
{
	uint64_t *bitmap = xcalloc(BITMAP_BYTES, 1);

	_Static_assert(ARRAY_MAX * sizeof(uint16_t) == BITMAP_BYTES, "no bytes are taken");
	for (uint32_t i = 0; i < slot->count; i++)
		bitmap[slot->array[i] / 64] |= UINT64_C(1) << slot->array[i] % 64;
	free(slot->array);
	slot->bitmap = bitmap;
}

static enum id_set_added add_to_slot(struct id_set *s, struct id_set_slot *slot, uint16_t low)
{
	if (slot->count <= FEW) {
		for (uint32_t i = 0; i < slot->count; i++)
			if (slot->few[i] == low)
				return ID_SET_THERE;
		if (slot->count < FEW) {
			slot->few[slot->count++] = low;
			return ID_SET_NEW;
		}
	} else if (slot->count <= ARRAY_MAX) {
		uint32_t at = search(slot->array, slot->count, low);

		if (at < slot->count && slot->array[at] == low)
			return ID_SET_THERE;
	} else if (slot->bitmap[low / 64] >> low % 64 & 1) {
		return ID_SET_THERE;
	}
	if (slot->count < ARRAY_MAX && is_power_of_two(slot->count) && !grow_array(s, slot))
		return ID_SET_FULL;
	if (slot->count == ARRAY_MAX)
		make_bitmap(slot);
	if (slot->count < ARRAY_MAX)
		insert(slot->array, slot->count, low);
	else
		slot->bitmap[low / 64] |= UINT64_C(1) << low % 64;
	slot->count++;
	return ID_SET_NEW;
}

enum id_set_added id_set_add(struct id_set *s, unsigned tag, uint64_t id)
{
	uint64_t chunk = (uint64_t)tag << (64 - CHUNK_BITS) | id >> CHUNK_BITS;
	struct id_set_slot *slot;

	assert(tag < 4);
	bool has_space = 4 * (s->count + 1) <= 3 * s->cap || grow_slots(s);

	if (!s->cap)
		return ID_SET_FULL;
	slot = find_slot(s->slots, s->cap, chunk);
	if (!slot->count) {
		/* without space, known ids are still found, and chunks in the set can still grow */
		if (!has_space)
			return ID_SET_FULL;
		slot->chunk = chunk;
		s->count++;
	}
	return add_to_slot(s, slot, (uint16_t)id);
}
