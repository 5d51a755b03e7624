/*
 * struct id_map: which id each id of a set becomes: one map for all of its files. A rule of fixing proposes
 * it (map_*.c, one file a rule); id_map_check() then refuses what no rule may do. Owner: who asks.
 *
 * A rule proposes a map only if the ids leave no other explanation: what is guessed wrong trains wrong in silence, and
 * what is refused can be declared.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "base/strbuf.h"
#include "judge/role.h"

struct mapped_id {
	int64_t id, to; /* to == id: it stays */
	uint64_t labels, files;
	enum id_role role; /* ID_IGNORED also for what an earlier rule maps to an ignored id */
};

struct id_map {
	struct mapped_id *v; /* the ids that occur, sorted by id; owned */
	size_t count, cap;
	const char *rule;   /* the finding that the map cures; NULL: all ids stay */
	struct text method; /* in words: "divide by 10" */
	bool has_voids;     /* the rule's table ignores ids below C, too */
	bool unwraps;       /* wrapped negative ids become one */
	bool reduces_zero;  /* --reduce-zero-label is carried out */
	size_t sorted;      /* the number of entries that are, each id once; the others are as they came */
};

enum map_answer {
	MAP_OTHER,   /* the rule does not explain these ids */
	MAP_FOUND,   /* it filled `to`, rule and method */
	MAP_REFUSED, /* it does, but not without doubt: *why */
};

/* The files that a rule is asked about, beside the ids that they hold. */
struct map_question {
	const struct settings *settings;
	const uint64_t *findings; /* number of each rule's, indexed as rule_table; NULL: none are known */
	uint64_t files;
	bool has_masks;                    /* some are images, which hold no negative ids */
	bool has_grids;                    /* some hold labels as pixels; else labels are written one by one */
	uint64_t contradicting;            /* files for which map_cityscapes_contradicts() holds */
	const char *contradicting_example; /* the first of them; or NULL; borrowed */
};

struct map_rule {
	const char *rule;
	/*
	 * Fills `to` of the ids that are not ignored. Appends to *why if it refuses. On any answer but MAP_FOUND it
	 * leaves the map as it was.
	 */
	enum map_answer (*propose)(const struct map_question *q, struct id_map *map, struct text *why);
};

extern const struct map_rule map_ignored_colours, map_wrapped_ids, map_reduced_zero, map_cityscapes, map_coco_things,
	map_one_based, map_off_by_one, map_scaled, map_sparse;

void id_map_release(struct id_map *map);
/* Adds an id, which stays; then, after the last one, sorts the ids and adds up equal ones. */
void id_map_add(struct id_map *map, const struct settings *settings, int64_t id, uint64_t labels, uint64_t files);
void id_map_finish(struct id_map *map);
/* Adds the ids of `from`, and releases it. */
void id_map_merge(struct id_map *into, struct id_map *from);
/* Asks the rules one after the other. MAP_FOUND: all ids are legal, or a rule made them so; else *why. */
enum map_answer id_map_propose(const struct map_question *q, struct id_map *map, struct text *why);
/* Makes all ids stay. */
void id_map_keep_all(struct id_map *map);
enum { CITYSCAPES_TRAIN_IDS = 19 };
/* Returns whether the ids, sorted, cannot be labelIds of Cityscapes beside others that seem to be. */
bool map_cityscapes_contradicts(const int64_t *ids, size_t count);
/* Returns whether files have findings of the rule. */
bool map_question_has(const struct map_question *q, const char *rule);
/* Returns the entry of an id, or NULL. */
struct mapped_id *id_map_find(const struct id_map *map, int64_t id);
/* Returns the map's method, to which a rule appends its own in words. */
struct text *id_map_method(struct id_map *map);
/* Returns whether some id is neither a class nor ignored. */
bool id_map_has_invalid(const struct id_map *map);
/* Returns whether some id changes. */
bool id_map_changes(const struct id_map *map);
/* Returns the only declared ignored id, 255 of several; or false if there is none. */
bool id_map_ignored_id(const struct settings *settings, int64_t *id);
/*
 * Returns false, and says why, if two classes would merge, an ignored id would become a class or a class be ignored, or
 * an id would be neither. after: the settings of the result.
 */
bool id_map_check(const struct id_map *map, const struct settings *after, struct text *why);
