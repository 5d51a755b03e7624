/* For tests of rules: a set of small masks, and what a rule reports for it. */
#pragma once

#include "measured.h"

struct set {
	struct measured *m; /* the current file */
	struct dataset_stats *d;
};

static inline struct set set_new(const char *classes, const char *ignore)
{
	struct measured *m = measured_new(classes, ignore);

	return (struct set){ m, &m->set };
}

/* Adds a mask of one row that holds the ids given. */
#define set_add(s, ...)                              \
	do {                                         \
		measured_list((s)->m, __VA_ARGS__);  \
		measured_add((s)->m, (s)->d, false); \
	} while (0)

/* Asks the rule about the set; what it says is in s->m->finding. */
static inline bool set_check(struct set *s, const struct rule *rule)
{
	return measured_check_dataset(s->m, rule, s->d);
}
