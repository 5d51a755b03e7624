/*
 * struct palette_totals: with which colours the palette files of a set paint each index that they use.
 *
 * A table of (index, colour) with the number of files and one of them. Bounded: at most PALETTE_TOTALS_MAX entries,
 * those that sort first, which is exact in whatever order files and shards come, since an entry that was pushed out can
 * never come back. Adding is commutative.
 */
#ifndef JUDGE_PALETTE_TOTALS_H
#define JUDGE_PALETTE_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "read/sample.h"

/* All 256 indices, each with 16 colours: sets with one palette need 256 at most, and 16 palettes prove the point. */
enum { PALETTE_TOTALS_MAX = 4096 };

struct palette_total {
	uint32_t key; /* index << 24 | 0xRRGGBB */
	uint64_t files;
	char *example; /* the first by path bytes; owned */
};

struct palette_totals {
	struct palette_total *v; /* sorted by key; owned */
	size_t count, cap;
};

void palette_totals_release(struct palette_totals *t);
/* used: bit i of word i / 64 is set where index i occurs. Indices beyond the palette are left out. */
void palette_totals_add(struct palette_totals *t, const struct sample *sample, const uint64_t used[4]);
/* into += from; from is left empty. */
void palette_totals_merge(struct palette_totals *into, struct palette_totals *from);

#endif
