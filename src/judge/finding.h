/*
 * struct finding: what a rule reports about one file, or about the dataset: one sentence and its evidence.
 *
 * A rule fills it in place and allocates nothing. finding_list_add() (judge/finding_list.h) keeps a compact copy. A
 * rule gives at most one finding per file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/key_set.h"
#include "base/settings.h"
#include "base/strbuf.h"

struct rule;

enum { FINDING_IDS_MAX = 256, FIRST_AXES_MAX = 8 };

enum first_kind {
	FIRST_XY,    /* a pixel */
	FIRST_INDEX, /* an element of an array */
	FIRST_LINE,  /* line and column of a text */
};

struct finding_id {
	int64_t id;
	uint64_t labels;
};

/* Where and how many; a rule fills in what it knows. This becomes `details` in the report. */
struct finding_details {
	size_t ids_count;   /* entries of ids, sorted by id */
	uint64_t ids_total; /* all offending ids, listed or not */
	uint64_t ids_least; /* one with fewer labels is not listed any more: there are FINDING_IDS_MAX */
	bool has_first;     /* the first offender is known */
	uint8_t first_kind; /* enum first_kind */
	uint8_t first_rank; /* FIRST_INDEX: entries of first_at, 1..FIRST_AXES_MAX */
	int64_t first_id;
	uint64_t first_x, first_y; /* FIRST_XY: 0-based; FIRST_LINE: column and line, 1-based */
	uint64_t first_at[FIRST_AXES_MAX];
	bool has_bbox; /* x, y, width, height around all offenders */
	uint64_t bbox[4];
	uint64_t offset;       /* byte of the file, or FAULT_NO_OFFSET */
	uint64_t line, column; /* 1-based; 0: none */
	uint64_t pixels;       /* wrong labels, a lower bound; 0: unknown */
	uint64_t count;        /* rows, objects, files or masks that it is about; 0: unknown */
	uint64_t digest;       /* the sum of their keys (base/key_set.h); 0: they have none */
	struct text map;       /* the repair: `old -> new` pairs or a colour table; "" if none */
	/* Last, because kept copies end after ids[ids_count - 1]: never copy the struct by assignment. */
	struct finding_id ids[FINDING_IDS_MAX]; /* offending ids only; the most frequent if there are more */
};

struct finding {
	const struct rule *rule;
	enum level level;    /* the rule's default unless its check lowers it; --severity is applied later */
	bool lowered;        /* --severity lowered the level */
	bool provisional;    /* the check lowered the level, and the whole set may raise it again */
	bool unrepairable;   /* the rule's repair does not apply to this one, or it is not known whether it does */
	bool baselined;      /* the baseline contains it; set when it is added to a list */
	unsigned part;       /* what check_dataset is asked about, if the rule has dataset_parts */
	struct text message; /* what is wrong: the id, the count, the declared range */
	struct text advice;  /* how to repair it; "" if there is nothing to do */
	const char *example; /* about the dataset: the first file that shows it; NULL: none does; borrowed */
	struct finding_details details;
	/* For baselines: the keys of what it is about, the first ones of keys_total. */
	uint64_t keys_total;
	size_t keys_count;
	uint64_t keys[KEY_SET_MAX];
};

/* Adds an offending id, in any order. Keeps the FINDING_IDS_MAX most frequent ones. */
void finding_add_id(struct finding *f, int64_t id, uint64_t labels);
/* Adds the key of a row, object or mask that it is about; does not count it. */
void finding_add_key(struct finding *f, uint64_t key);
void finding_add_keys(struct finding *f, const struct key_set *keys);
