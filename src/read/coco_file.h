/*
 * struct coco_file: what is known of a COCO file once it is read: its categories, and its troubles. read/coco.h reads
 * one. Owner: its reader; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/key_set.h"
#include "base/strbuf.h"
#include "read/coco_facts.h"

enum {
	COCO_CATEGORIES_MAX = 65536,   /* different category ids, used or listed; LVIS has 1203, iNaturalist 10000 */
	COCO_IMAGES_MAX = 3 << 20,     /* 128 MiB; the largest public sets have 1.9 million */
	COCO_NAME_MAX = 1024,          /* bytes kept of a category's or file's name */
	COCO_NAMES_BYTES = 4 << 20,    /* of all categories' names; later names are dropped */
	COCO_KEYED_MAX = 4096,         /* of them, those whose annotations are known one by one: 8 MiB */
	COCO_FILE_NAMES_MAX = 1 << 19, /* images whose names are compared: 8 MiB, and 12 while the table grows */
	COCO_SEGMENTS_MAX = 16384,     /* of one panoptic annotation; COCO has tens per image */
	COCO_LARGE_FILE = 4 << 20,     /* bytes; the smallest image takes 9 bytes here and 48 in memory */
};

/* Annotations of one category that have the same number of keypoints. */
struct coco_keypoint_count {
	uint64_t keypoints;
	uint64_t labels;
	int64_t id;            /* of the first */
	uint64_t line, column; /* of the first */
	struct key_set keys;   /* of all; owned */
};

enum { COCO_KEYPOINT_COUNTS = 4 }; /* of one category; the last is of all later ones */

/* A category that is listed, or that an annotation refers to. */
struct coco_category {
	int64_t id;
	uint64_t labels;          /* its annotations */
	uint64_t line, column;    /* of the first such annotation */
	size_t name_at, name_len; /* in names */
	bool listed;
	bool has_class; /* what it is trained as, by measure_coco.c: class_id */
	int64_t class_id;
	uint64_t name_hash, super_hash;
	/* Roboflow's category 0: no annotations, the supercategory "none", its name the supercategory of all others. */
	bool is_dummy;
	uint64_t keypoints;                  /* how many it names; 0: none */
	struct coco_keypoint_count *numbers; /* of its annotations, in the order of the file; NULL: none; owned */
	struct key_set keys;                 /* of its annotations; owned */
};

struct coco_file {
	struct coco_facts facts;
	struct coco_category *categories; /* sorted by id; owned */
	size_t categories_count, categories_cap;
	struct strbuf names;
	struct key_set troubles[COCO_TROUBLES]; /* the objects of each trouble; owned */
};

void coco_file_init(struct coco_file *f);
void coco_file_release(struct coco_file *f);
/* For coco.c, after the last pass: sorts the categories, and counts the troubles that they have as a whole. */
void coco_file_finish(struct coco_file *f);
/* Returns the name, not NUL-terminated, or NULL if there is none. */
static inline const char *coco_category_name(const struct coco_file *f, const struct coco_category *c)
{
	return c->name_len ? f->names.s + c->name_at : NULL;
}

static inline uint64_t coco_name_hash(const char *s, size_t n)
{
	return hash_bytes(hash_seed(), s, n);
}

/* Returns whether two names are the same, but for case, hyphens and underscores. */
bool coco_same_name(const char *a, size_t a_len, const char *b);

/* Counts one trouble, and keeps the id and place of the first of its kind. */
void coco_note(struct coco_file *f, enum coco_trouble trouble, int64_t id, const struct coco_place *place);

/* Counts the number of keypoints of an annotation of c, which may be listed later. */
void coco_count_keypoints(struct coco_category *c, uint64_t keypoints, int64_t id, const struct coco_place *place);

/* Returns whether the first n bytes are COCO: an object with one of the three lists. */
bool coco_looks_like(const uint8_t *head, size_t n);
/*
 * Returns whether they are a model's results, [{"image_id", "category_id", "score", ...}], or the list of annotations
 * alone (iscrowd). These list no categories, so the meaning of their ids is unknown.
 */
bool coco_looks_like_results(const uint8_t *head, size_t n);
