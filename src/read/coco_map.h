/*
 * struct coco_map: maps the categories of one COCO file to classes, for the rules, until the file has been judged.
 * Bounded: the first COCO_MAP_MAX categories and as many unknown ids, with short names. One block of memory; owner: the
 * worker that measured the file.
 */
#ifndef READ_COCO_MAP_H
#define READ_COCO_MAP_H

#include <stddef.h>
#include <stdint.h>

enum {
	COCO_MAP_MAX = 256, /* a finding lists no more ids than this */
	COCO_MAP_NAME = 48, /* bytes, NUL included */
};

#define COCO_NO_CLASS INT64_MIN

struct coco_map_entry {
	int64_t id;
	int64_t class_id; /* its class, or COCO_NO_CLASS */
	uint64_t labels;
	char name[COCO_MAP_NAME]; /* "" if it has none; arbitrary bytes but NUL */
};

struct coco_map {
	struct coco_map *next; /* of the owner's list */
	size_t listed_count;   /* entries first; sorted by id */
	size_t unknown_count;  /* entries after them: ids of annotations that are no category; sorted by id */
	struct coco_map_entry entries[];
};

#endif
