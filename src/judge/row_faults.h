/*
 * What rules say of the rows of a list or of a YOLO text: how many have which fault, and where the first of them is. No
 * allocation.
 */
#ifndef JUDGE_ROW_FAULTS_H
#define JUDGE_ROW_FAULTS_H

#include <stdbool.h>

#include "judge/finding.h"
#include "measure/label_stats.h"

/* A fault in the words of a sentence about rows. */
struct row_phrase {
	unsigned fault;         /* enum list_fault, enum box_fault: its place in the tallies */
	const char *one, *many; /* "has no label", "have no label" */
};

/*
 * "of 1000 rows, 2 have no label, 1 has a NUL byte (first: line 7, column 3)" of those phrases whose tally is not 0,
 * and the place into the finding's details. False if there are none.
 */
bool row_faults_finding(struct finding *f, uint64_t rows, const struct row_tally *tallies,
			const struct row_phrase *phrases, size_t count);

/* The same place of one tally, and " (line 7, column 3)" into the message. */
void row_place(struct finding *f, const char *before, const struct row_tally *tally);

#endif
