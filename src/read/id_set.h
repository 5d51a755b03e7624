/*
 * struct id_set: a compact set of 64-bit ids, to detect duplicates among many millions. One thread.
 *
 * Ids are split into chunks of 65536 neighbours. A chunk has up to 4 ids in its slot, up to 4096 in a sorted array,
 * more in a bitmap (the containers of Roaring bitmaps: Chambi, Lemire, Kaser, Godin, 2016). Consecutive ids take a bit
 * or two each, random ones 24 to 48 bytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum id_set_added {
	ID_SET_NEW,
	ID_SET_THERE, /* it was in the set */
	ID_SET_FULL,  /* it was not, and there is no memory for it */
};

struct id_set_slot;

struct id_set {
	struct id_set_slot *slots; /* power of two; owned */
	size_t count, cap;
	size_t bytes, bytes_max; /* memory, including peaks while growing */
};

void id_set_init(struct id_set *s, size_t bytes_max);
void id_set_release(struct id_set *s);
/* tag: 0..3, the type of the id: (0, 5) and (1, 5) differ. */
enum id_set_added id_set_add(struct id_set *s, unsigned tag, uint64_t id);
