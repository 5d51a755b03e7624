/*
 * struct rule: one thing that can be wrong with labels. One file each in src/rules; the table is generated from them.
 *
 * Rules are pure: no I/O, no allocation, no globals; they read what was measured and fill one finding.
 * A rule that speaks of single files has check_file; one that speaks of the whole set (merged statistics only, so that
 * shards can be merged exactly) has check_dataset; a few have both.
 */
#ifndef JUDGE_RULE_H
#define JUDGE_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/settings.h"
#include "judge/dataset.h"
#include "judge/finding.h"
#include "measure/label_stats.h"
#include "read/pairing.h"
#include "read/sample.h"

/* One file that was measured, as a rule sees it. */
struct rule_input {
	const struct settings *settings;
	const struct sample *sample;
	const struct label_stats *stats;
	const struct id_stats *ids; /* stats->ids_count rows, sorted by id */
	/* With --images, else NULL. Of an image that has no label file, this is all there is: the rest is empty. */
	const struct pairing *pairing;
	unsigned interpolation; /* the tests that hold (enum interpolation_test); 0 of a file that was not read */
};

/* What a rule needs to be asked at all; the audit checks it, so that rules need not. */
enum facts {
	FACTS_NONE = 0,            /* asked of every file, read or failed */
	FACTS_FAULT = 1 << 0,      /* a file with a fault or a warning */
	FACTS_IDS = 1 << 1,        /* a file read whole with ids: a mask of one channel, an array, a list ... */
	FACTS_CHANNELS = 1 << 2,   /* a picture read whole with several channels, in a PNG or an array */
	FACTS_NEIGHBOURS = 1 << 3, /* FACTS_IDS, and the neighbourhood counters were measured */
	FACTS_MASK = 1 << 4,       /* FACTS_IDS, and they lie in a grid */
	FACTS_PNG = 1 << 5,        /* FACTS_MASK, and sample->png is what it is */
	FACTS_ARRAY = 1 << 6,    /* an array read whole, with ids or not, but no colours: sample->array, stats->array */
	FACTS_PAIRING = 1 << 7,  /* any file, with --images: pairing */
	FACTS_LIST = 1 << 8,     /* a list read whole: sample->list, stats->list */
	FACTS_BOXES = 1 << 9,    /* a YOLO text read whole: stats->boxes */
	FACTS_COCO = 1 << 10,    /* a COCO file read whole: stats->coco, sample->coco */
	FACTS_ARCHIVE = 1 << 11, /* an archive, or a member of one, read or failed */
};

/* In the order in which a file meets their rules. */
enum { RULE_CATEGORIES = 7 };
extern const char *const rule_categories[RULE_CATEGORIES];

struct rule {
	const char *name;      /* states the fault: out-of-range-id; never reused */
	const char *category;  /* one of rule_categories */
	enum level level;      /* default */
	unsigned facts_needed; /* of check_file; enum facts */
	const char *since;     /* the version that brought it */
	const char *summary;   /* one line, no full stop */
	bool (*check_file)(const struct rule_input *s, struct finding *f);
	bool (*check_dataset)(const struct settings *settings, const struct dataset_stats *d, struct finding *f);
};

/*
 * What rules are given of one file; borrows all of it. Runs the interpolation tests here, once, because several rules
 * and the sums over the set need their outcome.
 */
struct rule_input rule_input_of(const struct settings *settings, const struct sample *sample,
				const struct label_stats *stats, const struct id_stats *ids,
				const struct pairing *pairing);

/* What there is of the input: bits of enum facts. */
unsigned rule_input_facts(const struct rule_input *s);

/* Sorted by name; generated (build/rule_table.c). */
extern const struct rule *const rule_table[];
extern const size_t rule_count;
/* The rule's documentation, from the comment at the head of its file; indexed as rule_table. */
extern const char *const rule_docs[];

/* NULL if there is none. */
const struct rule *rule_find(const char *name);
size_t rule_index(const struct rule *rule);

#endif
