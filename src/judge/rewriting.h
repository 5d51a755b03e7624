/* How a corrected copy (fix/) holds a label file, or why it cannot: decided by the facts of the file alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "judge/rule_input.h"
#include "read/input.h"

/* How a file is rewritten: each kind has a writer (fix/writers.h). */
enum fix_kind {
	FIX_NONE, /* not rewritten, whatever is wrong with it */
	FIX_PNG,
	FIX_LIST, /* a text: see fix_text.h */
	FIX_YOLO,
	FIX_COCO,
	FIX_ARRAY,
	FIX_KINDS,
};

/* How the pixels of a mask hold ids. */
enum mask_encoding {
	MASK_IDS,        /* one channel of ids: grey or a palette */
	MASK_REPLICATED, /* equal channels of ids */
	MASK_COLOURS,    /* the colours of the declared table */
};

/* A change of how a label file holds its ids, which changes none of those that are audited. */
enum recoding {
	RECODE_EXPAND,      /* grey of 1, 2, 4 bits becomes 8, with the samples as ids */
	RECODE_NARROW,      /* 16 bits or more become 8 */
	RECODE_ONE_CHANNEL, /* one of several equal channels is kept */
	RECODE_COLOURS,     /* colours become their ids */
	RECODE_STRIP,       /* a palette becomes grey */
	RECODE_INTEGERS,    /* an array of floats or bool becomes one of integers */
	RECODE_CATEGORIES,  /* category ids of COCO become their classes */
	RECODE_NAMES,       /* names in YOLO texts become their classes */
	RECODINGS,
};

enum { REWRITTEN_IDS_MAX = 4096 }; /* a file with more ids holds measured values */
#define REWRITTEN_NAME_TWICE   "is a member whose name another one of its archive has: unpack it first"
#define REWRITTEN_UNSAFE       "is a member whose name is no path below its archive: unpack it first"
#define REWRITTEN_IDS_TOO_MANY "has more ids than classes can have"

struct rewriting {
	enum fix_kind kind;
	enum mask_encoding encoding; /* of a FIX_PNG */
	bool of_ids;                 /* why not is about ids alone: boxes can be rewritten */
	unsigned recodings;          /* bits 1 << enum recoding: those that it can get */
	int64_t scale;               /* between the samples of a grey PNG of few bits and the ids that the view gives */
};

/* Fills how a file that was read is rewritten. Returns why it cannot be, or NULL; what was filled holds all the same.
 */
const char *rewriting_of(const struct rule_input *s, struct rewriting *r);
/* Returns whether the file has boxes that --clip and --drop can rewrite. */
bool rewriting_has_boxes(const struct rule_input *s);
/* Fills whether the file is packed. Returns why it cannot be packed again, or NULL. */
const char *rewriting_packing(const struct rule_input *s, const struct input *input, bool *packed);
/* Returns why an archive cannot become a folder, or NULL: its own facts. */
const char *rewriting_archive(const struct rule_input *s);
/* Returns whether the labels are words, which mean the same whatever the ids of other files become. */
bool rewriting_has_names(const struct rule_input *s);
/* Returns the i-th id of the file, in rising order, as a corrected copy would have it. *labels: how many have it. */
int64_t rewriting_id(const struct rule_input *s, const struct rewriting *r, size_t i, uint64_t *labels);
