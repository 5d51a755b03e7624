/*
 * struct finding: one sentence about one file or about the dataset, with the evidence behind it.
 *
 * A rule fills it in place (no allocation); finding_list_add keeps a compact copy. At most one finding per (rule,
 * file).
 */
#ifndef JUDGE_FINDING_H
#define JUDGE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "base/text.h"

struct rule;

enum { FINDING_IDS_MAX = 256, FIRST_AXES_MAX = 8 };

enum first_kind {
	FIRST_XY,    /* a pixel */
	FIRST_INDEX, /* an element of an array */
	FIRST_LINE,  /* a place in a text */
};

struct finding_id {
	int64_t id;
	uint64_t labels;
};

/* Where and how much; whatever a rule has. Becomes `details` in the report. */
struct finding_details {
	size_t ids_count;   /* listed in ids, in order of id */
	uint64_t ids_total; /* how many there are */
	bool has_first;     /* first offender */
	uint8_t first_kind; /* enum first_kind */
	uint8_t first_rank; /* of FIRST_INDEX: how many of first_at, 1..FIRST_AXES_MAX */
	int64_t first_id;
	uint64_t first_x, first_y; /* FIRST_XY, 0-based; FIRST_LINE: column and line, 1-based */
	uint64_t first_at[FIRST_AXES_MAX];
	bool has_bbox; /* x, y, width, height around all offenders */
	uint64_t bbox[4];
	uint64_t offset;       /* byte of the file, or FAULT_NO_OFFSET */
	uint64_t line, column; /* 1-based, 0: none */
	uint64_t pixels;       /* how many labels are wrong "at least"; 0: not said */
	struct text map;       /* what mends it, as `old -> new` pairs or a colour table; "" if none */
	/* Last, so that kept copies are allocated only up to ids[ids_count]; never copy the struct by assignment. */
	struct finding_id ids[FINDING_IDS_MAX]; /* the offending ids only; the most frequent where there are more */
};

struct finding {
	const struct rule *rule;
	enum level level;    /* the rule's own unless check lowers it; the audit applies --severity */
	bool baselined;      /* known: set when it is added to a list */
	struct text message; /* what is wrong: the id, the count, the declared range */
	struct text advice;  /* what to do about it, "" if nothing is to be done */
	struct finding_details details;
};

/* A kept finding: heap copies, trimmed. path == NULL: about the dataset. */
struct kept_finding {
	const struct rule *rule;
	enum level level;
	bool baselined;
	char *path, *member, *message, *advice; /* advice NULL: nothing is to be done */
	struct finding_details *details;        /* NULL if there is nothing in it */
};

/*
 * The findings of an audit. Keeps those that a sorted report would list first, new ones before known ones (at most
 * 2 * max at a time, so memory is bounded), and exact counts of all. One thread at a time: the audit holds its lock.
 */
struct finding_list {
	struct kept_finding *v;
	size_t count, cap;
	uint64_t max;           /* from settings; 0: no limit */
	uint64_t total;         /* all findings ever added */
	uint64_t baselined;     /* those of them that are known; they are not in what follows */
	uint64_t by_level[4];   /* by enum level */
	uint64_t *by_rule;      /* indexed as rule_table; owned */
	enum level *rule_worst; /* worst level a rule reported at; owned */
	/* Sees each finding before it is counted, and may mark it as known; NULL: there is no baseline. */
	void (*on_add)(void *context, struct finding *f, const char *path, const char *member);
	void *context;
};

void finding_init(struct finding *f, const struct rule *rule);
/* Adds an offending id to the details, keeping the most frequent FINDING_IDS_MAX; ids may come in any order. */
void finding_add_id(struct finding *f, int64_t id, uint64_t labels);

void finding_list_init(struct finding_list *l, uint64_t max);
void finding_list_release(struct finding_list *l);
void finding_list_add(struct finding_list *l, struct finding *f, const char *path, const char *member);
/* Keeps what was counted before: takes over the strings of k and copies its details. For reports that are read back. */
void finding_list_keep(struct finding_list *l, const struct kept_finding *k, const struct finding_details *details);
/* into += from, findings and counts; from is left empty. */
void finding_list_merge(struct finding_list *into, struct finding_list *from);
/* Takes back all findings of a rule, which were all of one level. */
void finding_list_drop(struct finding_list *l, const struct rule *rule);
void kept_finding_release(struct kept_finding *k);
/* The order of a report: path bytes, member, rule name; what is about the dataset (no path) comes last. */
int kept_finding_compare(const struct kept_finding *a, const struct kept_finding *b);
/*
 * Sorts as kept_finding_compare does, and cuts to max: first known ones of files go, then new ones of files, each from
 * the end.
 */
void finding_list_finish(struct finding_list *l);

#endif
