/*
 * Decides by row which files of a data set are its labels. The rules have an order, the first that applies gives the
 * role of a row, and its name is kept to be printed; docs/layout.md says them in words.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "layout/folder_table.h"

enum outcome {
	OUTCOME_LABELS,        /* rows of one family are audited */
	OUTCOME_CLASS_FOLDERS, /* the names of folders are the labels */
	OUTCOME_NOTHING,       /* no row may be labels, or only a stray */
	OUTCOME_UNREAD,        /* the labels are in a format that is not read */
	OUTCOME_AMBIGUOUS,     /* several families may be: the user is asked */
};

/* Says what may be audited, for the question. */
struct candidate {
	uint64_t amount, files, called; /* called: files that are called labels */
	bool belongs;                   /* some of its files have the names of images, or name them */
	bool sure;                      /* or enough of them are called labels */
	bool names_none;                /* some COCO file names no image, by which it could belong to one */
	uint32_t first;                 /* a row of it; TABLE_NONE: there is none */
};

struct decision {
	enum outcome outcome;
	enum family family;
	const char *rule; /* static */
	struct candidate candidates[FAMILIES];
};

struct set;

/* Decides about the rows of a PATH. only: the family that --kind declares, or FAMILY_NONE. */
void decide(struct set *s, uint32_t path, enum family only, struct decision *out);
/* "masks", "yolo" ...: for --kind and for people. Static. */
const char *family_name(enum family family);
const char *family_kind_name(enum family family);
