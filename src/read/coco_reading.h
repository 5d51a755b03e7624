/*
 * struct reading: a COCO file that is being read. For the files that read its parts alone: coco.c (the lists),
 * coco_objects.c (images and categories) and coco_annotation.c (annotations).
 */
#ifndef READ_COCO_READING_H
#define READ_COCO_READING_H

#include "base/id_set.h"
#include "base/json_pull.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "read/coco.h"
#include "read/coco_images.h"
#include "read/coco_shapes.h"

/* What an annotation or a segment of one may say. */
struct labelled {
	struct coco_id id, image, category;
	bool has_id, has_image, has_category, has_area, bad_area;
	double area;
	struct coco_box box;
	struct coco_shape shape;
};

struct reading {
	struct json_pull json;
	struct coco_file *file;
	const struct coco_hook *hook;
	struct coco_images images;
	struct id_set annotation_ids;
	struct table categories; /* of file->categories, by id */
	/* of the panoptic annotation in hand; owned */
	struct labelled *parts;
	size_t parts_count, parts_cap;
	struct coco_segment *segments;
	size_t segments_cap;
	struct strbuf file_name; /* of the annotation in hand */
	bool can_rewind;
	bool postponed;        /* annotations that came before the images wait for the second pass */
	bool last_pass;        /* the second one: annotations alone */
	uint64_t line, column; /* where the object in hand begins */
	struct fault *fault;
};

/* Counts it at the object in hand. */
static inline void reading_note(struct reading *r, enum coco_trouble trouble, int64_t id)
{
	coco_note(r->file, trouble, id, r->line, r->column);
}

/* The number for a report; ids from 2^63 and texts, which are no number, are cut to its range. */
static inline int64_t id_to_say(struct coco_id id)
{
	return id.type == COCO_ID_INTEGER ? (int64_t)id.bits : id.type == COCO_ID_LARGE ? INT64_MAX : 0;
}

/* Names and ids that are texts are kept and compared as their hashes. */
uint64_t coco_hash_name(const char *s, size_t n);

/* Reads the id that comes next. This and the next one return false where the text ends, or is no JSON. */
bool reading_id(struct reading *r, struct coco_id *out);
/* Reads the value that comes next, which should be a string; *token tells. Counts one that is too long. */
bool reading_name(struct reading *r, enum json_token *token);
/* Notes a key of an object in *seen, as bit number `key`, and counts it as a trouble if the bit was set already. */
void reading_key(struct reading *r, unsigned *seen, unsigned key, int64_t id);
void reading_check_file_name(struct reading *r, const char *s, size_t n, int64_t id);
/* The category of that id; it is made if it is new. NULL, with the fault filled: there are too many. */
struct coco_category *reading_find_category(struct reading *r, int64_t id);

/* Each reads the rest of the object whose brace was read. */
bool coco_read_category(struct reading *r);
bool coco_read_image(struct reading *r);
bool coco_read_annotation(struct reading *r);

#endif
