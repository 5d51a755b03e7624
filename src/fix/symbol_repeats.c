#include "fix/symbol_repeats.h"

#include "base/mem.h"
#include "fix/deflate_blocks.h"

enum {
	SAMPLE = 256, /* symbols, from the middle of all */
	RUN = 4,      /* symbols that are looked for again */
	SLOTS_BITS = 10,
	LONG = 281, /* the symbol of a match of 131 bytes and more: as long as what one match could save */
};

/*
 * Symbols repeat if one run in 8 was there before. In 3,740 masks of two public sets at most one in 21 was; in masks
 * that a search makes smaller by a tenth and more, tiles, stripes and texts, at least one in 5.
 */
enum { ONE_IN = 8 };

/* Returns whether one symbol follows itself: a match that is as long as a match can be, or noise. */
static bool is_uniform(const uint32_t *run)
{
	return run[0] == run[1] && run[1] == run[2] && run[2] == run[3];
}

static bool has_long_match(const uint32_t *run)
{
	bool is_long = false;

	for (int i = 0; i < RUN; i++)
		is_long |= (run[i] & 511) >= LONG;
	return is_long;
}

static uint32_t hash_of(const uint32_t *run)
{
	uint32_t hash = 0;

	for (int i = 0; i < RUN; i++)
		hash = (hash ^ run[i]) * 0x9e3779b1; /* 2^32 over the golden ratio, as Knuth has it */
	return hash;
}

bool symbols_repeat(const uint32_t *symbols, size_t count)
{
	uint32_t slots[1 << SLOTS_BITS] = { 0 }; /* the last hash that fell into each */
	const size_t n = MIN(count, (size_t)SAMPLE);
	const uint32_t *sample = symbols + (count - n) / 2;
	unsigned all = 0, repeated = 0;

	for (size_t i = 0; i + RUN <= n; i++) {
		const uint32_t *run = sample + i;

		if (is_uniform(run))
			continue;
		const uint32_t hash = hash_of(run);
		uint32_t *slot = &slots[hash >> (32 - SLOTS_BITS)];

		all++;
		repeated += *slot == hash && !has_long_match(run);
		*slot = hash;
	}
	return ONE_IN * repeated > all;
}
