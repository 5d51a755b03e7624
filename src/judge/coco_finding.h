/*
 * What the rules of COCO files share: saying how often each kind of trouble occurs, and where the first one is.
 * No allocation.
 */
#ifndef JUDGE_COCO_FINDING_H
#define JUDGE_COCO_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "judge/finding.h"
#include "judge/rule.h"
#include "read/coco_map.h"

/* How a kind of trouble is said behind its count: "box is", "boxes are", then `rest`. */
struct coco_phrase {
	enum coco_trouble trouble;
	const char *one, *many;
	const char *rest;
};

/*
 * Adds "2 boxes are outside ..., 1 box is ..." for those that occur, and the place of the first of all: to the message
 * and to the details (first). False: none occurs, nothing is added.
 */
bool coco_finding(struct finding *f, const struct rule_input *s, const struct coco_phrase *phrases, size_t n);
/* Adds `1 -> 0, 2 -> 1` for the categories that become a class to the details' map. */
void coco_add_map(struct finding *f, const struct rule_input *s);
/* The entry of a listed category; NULL if it is not kept. */
const struct coco_map_entry *coco_entry(const struct rule_input *s, int64_t id);
/* " 'person'", or nothing where it has no name. */
void coco_word_name(struct text *t, const struct coco_map_entry *e);

#endif
