/*
 * struct rule: one fault that labels can have. This is the whole contract of a rule.
 *
 * A rule is one file, src/rules/its_name.c, and its test in tests/rules. scripts/generate-rule-table makes rule_table
 * from the file names. The file begins with a comment under four headings: What it finds, Why it matters, Example, What
 * to do; before them, where there are any, Error message: those of trainings that lead to it. `labelaudit rule NAME`
 * prints that comment, and man/labelaudit-rules.7 is made from it.
 *
 * A rule gives at most one finding per file, and one for the dataset or each of its parts. It has at least one of
 * these:
 *
 *     check_file       reads a struct rule_input and fills the finding; returns whether the fault is there
 *     fault            instead of check_file: reports the file's fault of that kind as it is
 *     phrases          reports the problems of these kinds that a list, a YOLO text or a COCO file has; check_file, if
 *                      there is one, then adds to the finding or withdraws it
 *     check_dataset    the same for the whole set; it sees sums only, so that merged shards give the same findings
 *     dataset_parts    asks check_dataset about each of these parts of the set, which f->part numbers
 *
 * A check is a pure function: no I/O, no allocation, no globals; any thread may call it. When it is called, the facts
 * in facts_needed are available, f is prepared by finding_init(), and a check that returns false may have changed f. It
 * sets message; advice, details and a lower level are optional. Thresholds are named constants with their reason.
 * judge/wording.h has the phrases that rules share.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "base/settings.h"
#include "judge/dataset.h"
#include "judge/finding.h"
#include "judge/rule_input.h"
#include "measure/label_stats.h"
#include "read/photo.h"
#include "read/sample.h"

/* The facts about a file. A rule is applied only where all that it needs are available. */
enum facts {
	FACTS_NONE = 0,            /* every file, read or failed */
	FACTS_FAULT = 1 << 0,      /* a file with a fault or a warning */
	FACTS_IDS = 1 << 1,        /* a file read whole, with ids: a mask of one channel, an array, a list ... */
	FACTS_CHANNELS = 1 << 2,   /* an image read whole, with several channels, in a PNG or an array */
	FACTS_NEIGHBOURS = 1 << 3, /* FACTS_IDS, with neighbourhood counters */
	FACTS_MASK = 1 << 4,       /* FACTS_IDS, in a grid */
	FACTS_PNG = 1 << 5,        /* FACTS_MASK, in a PNG: sample->png */
	FACTS_ARRAY = 1 << 6,    /* an array read whole, with ids or not, but no colours: sample->array, stats->array */
	FACTS_PAIRING = 1 << 7,  /* any file, with --images: pairing */
	FACTS_LIST = 1 << 8,     /* a list read whole: sample->list, stats->list */
	FACTS_BOXES = 1 << 9,    /* a YOLO text read whole: stats->boxes */
	FACTS_COCO = 1 << 10,    /* a COCO file read whole: stats->coco, sample->coco */
	FACTS_ARCHIVE = 1 << 11, /* an archive or a member of one, read or failed */
	FACTS_GEOMETRY = 1 << 12, /* a list, a YOLO text or a COCO file read whole: its boxes, if it has any */
	FACTS_IMAGES = 1 << 13,   /* its image is known, or those that it names: pairing or sample->images */
};

/* How the ids can be put right without the source of the masks. */
enum repair {
	REPAIR_UNKNOWN,
	REPAIR_EXACT, /* another encoding of the same ids; a bijection of a file's own */
	REPAIR_LOSSY, /* a threshold, which the user declares */
	REPAIR_MAP,   /* exact, too: a bijection of ids, one for the set */
	REPAIR_NEVER,
};

/* In the order in which `labelaudit rule` lists them. */
enum { RULE_CATEGORIES = 7 };
extern const char *const rule_categories[RULE_CATEGORIES];

struct rule {
	const char *name;      /* states the fault: out-of-range-id; never reused */
	const char *category;  /* one of rule_categories */
	enum level level;      /* default */
	unsigned facts_needed; /* bits of enum facts; for check_file */
	const char *since;     /* the version that introduced it; NULL: RULE_SINCE_FIRST */
	const char *summary;   /* one line, no full stop */
	bool (*check_file)(const struct rule_input *s, struct finding *f);
	enum fault_kind fault;        /* FAULT_NONE: see check_file */
	const struct phrase *phrases; /* NULL: see check_file */
	enum repair repair;           /* of findings that it fits: see judge/fix_decision.h */
	const char *advice;           /* used if the check or the fault gives none */
	/*
	 * It reports labels that were not audited: a file that could not be read whole, or was left out. --select does
	 * not turn it off, or such a file would pass without a finding.
	 */
	bool tells_unread;
	/* It says how labels were read: turned off, a finding with a map is for information. */
	bool tells_reading;
	bool (*check_dataset)(const struct settings *settings, const struct dataset_stats *d, struct finding *f);
	unsigned dataset_parts; /* 0: one, the whole set */
	bool whole_set;         /* check_file compares the file with all of the set */
};

#define RULE_SINCE_FIRST "0.1.0" /* the first release */

/* Initialises what every rule states. */
#define RULE(its_name, its_category, default_level, one_line) \
	.name = (its_name), .category = (its_category), .level = (default_level), .summary = (one_line)

/* Returns the input of rules for one file. It borrows its arguments. Runs the interpolation tests, once for all. */
struct rule_input rule_input_of(const struct settings *settings, const struct sample *sample,
				const struct label_stats *stats, const struct id_stats *ids,
				const struct pairing *pairing);
/* Returns the tests for interpolation that hold, bits of enum interpolation_test; none holds in a photograph. */
unsigned rule_input_interpolation(const struct rule_input *s);
/* Returns the available facts: bits of enum facts. */
unsigned rule_input_facts(const struct rule_input *s);
/* Returns whether some id of the file has that role. */
bool rule_input_has(const struct rule_input *s, enum id_role role);
/* Adds all ids of the file that have that role, and returns the number of their labels. */
uint64_t finding_add_role(struct finding *f, const struct rule_input *s, enum id_role role);

/* Returns whether a file with FACTS_GEOMETRY has the boxes of one image, of which sets have many. */
bool rule_input_one_image(const struct rule_input *s);
/* Returns what the boxes of a file with FACTS_GEOMETRY have in common, and how many of them have a trouble. */
const struct box_tally *rule_input_boxes(const struct rule_input *s);
uint64_t rule_input_box_troubles(const struct rule_input *s, enum box_trouble trouble);
/* phrases_finding() for phrases whose kinds are of enum box_trouble. */
bool boxes_finding(struct finding *f, const struct rule_input *s, const struct phrase *phrases);

/* Returns whether labels of the file were not read: then rules apply that were not selected (settings.unread_only). */
bool rule_input_unread(const struct rule_input *s);

/* Prepares f for a check of the rule. */
void finding_init(struct finding *f, const struct rule *rule);
/* Returns whether the rule checks files with these facts. */
bool rule_applies(const struct rule *rule, unsigned facts_available);
/*
 * Returns whether the rule may check files in a format, by its name (sample_format_name); of "": whether it checks
 * files in any, or the whole set.
 */
bool rule_fits_format(const struct rule *rule, const char *format);
/* Checks one file for which rule_applies(). Returns whether f is a finding. */
bool rule_check_file(const struct rule *rule, const struct rule_input *s, struct finding *f);
/* Returns whether the rule says nothing about some files of a set (SCOPE_FILES). */
bool rule_needs_set(const struct rule *rule);
/* The same as rule_check_file() for the whole set; the rule has a check_dataset. */
bool rule_check_dataset(const struct rule *rule, const struct settings *settings, const struct dataset_stats *d,
			struct finding *f);
/*
 * Sets the level of a finding. --severity wins over the level that the check chose, which wins over the default.
 * rule: its index.
 */
void verdict_set_level(const struct settings *settings, size_t rule, struct finding *f);

/* Sorted by name; generated (build/gen/rule_table.c). */
extern const struct rule *const rule_table[];
extern const size_t rule_count;
/* The comment at the head of each rule's file; indexed as rule_table. */
extern const char *const rule_docs[];

/* Returns NULL if there is no such rule. */
const struct rule *rule_find(const char *name);
/* Returns the rule's index in rule_table. */
size_t rule_index(const struct rule *rule);
