/* Counters made by hand for the tests of judge/interpolation.h. */
#pragma once

#include <string.h>

#include "judge/interpolation.h"

/* Six ids 10 to 60, none of them in a gap, neither solid nor a ghost: every test is silent. */
struct counters {
	struct label_stats stats;
	struct id_stats ids[6];
};

/* g: the widest gap */
static inline void set_gap(struct counters *c, uint64_t gap)
{
	c->stats.worst.key = gap << (WORST_INDEX_BITS + 1);
}

static inline struct counters plain(void)
{
	struct counters c;

	memset(&c, 0, sizeof(c));
	c.stats.labels = 6000;
	c.stats.width = 60;
	c.stats.height = 100;
	c.stats.neighbours = 1;
	c.stats.max = 60;
	c.stats.ids_count = 6;
	set_gap(&c, 40);
	for (int i = 0; i < 6; i++) {
		c.ids[i].id = 10 * (i + 1);
		c.ids[i].labels = 1000;
		c.ids[i].thin = 1000;
	}
	return c;
}

/* W in both directions, all of it direct jumps. */
static inline void set_wide(struct counters *c, uint64_t wide)
{
	c->stats.wide_edges[0] = c->stats.wide_edges[1] = wide;
}

static inline void set_long(struct counters *c, uint64_t n)
{
	c->stats.long_between[0] = c->stats.long_between[1] = n;
}

static inline void set_edges(struct counters *c, uint64_t n)
{
	c->stats.edges[0] = c->stats.edges[1] = n;
}

static inline void set_between(struct counters *c, int id, uint64_t n)
{
	c->ids[id].between[0] = c->ids[id].between[1] = n;
}

static inline void set_lone(struct counters *c, int id, uint64_t n)
{
	c->ids[id].lone[0] = c->ids[id].lone[1] = n;
}

static inline unsigned tests(const struct counters *c)
{
	return interpolation_tests(&c->stats, c->ids) & ~(unsigned)INTERPOLATION_STRONG;
}

/* Returns whether the evidence is strong. */
static inline bool strong(const struct counters *c)
{
	return interpolation_tests(&c->stats, c->ids) & INTERPOLATION_STRONG;
}

/* Returns whether this test holds; others may, too. */
static inline bool holds(const struct counters *c, enum interpolation_test test)
{
	return tests(c) & (unsigned)test;
}
