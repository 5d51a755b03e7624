/*
 * The phrases that rules share, so that every finding says the same thing in the same words: counts, shares, ids as
 * ranges, the valid ids. No allocation.
 */
#ifndef JUDGE_WORDING_H
#define JUDGE_WORDING_H

#include <stdint.h>

#include "base/settings.h"
#include "base/text.h"
#include "judge/content_table.h"
#include "judge/finding.h"
#include "read/sample.h"

/* "1 pixel", "5120 pixels" */
void word_count(struct text *t, uint64_t n, const char *one, const char *many);
/* The same in the sample's own unit: pixels, labels. */
void word_labels(struct text *t, uint64_t n, const struct sample *sample);
/* " (2.7 %)"; " (under 0.1 %)"; one decimal, rounded half up, integers only. Nothing if whole == 0. */
void word_percent(struct text *t, uint64_t part, uint64_t whole);
/* "id 21", "ids 21-24, 30": the ids of the finding's details as ranges, at most 12 of them, then "and N more" */
void word_finding_ids(struct text *t, const struct finding *f);
/*
 * "valid ids are 0-20, ignored 255"; "no id is valid"; the ids as they stand in files, so with --reduce-zero-label
 * "valid ids are 1-150, ignored 0, 255 (--reduce-zero-label)"
 */
void word_valid_ids(struct text *t, const struct settings *settings);
/* "0-3, 7" for n sorted ids, at most 12 ranges, then "and N more" */
void word_ids(struct text *t, const int64_t *ids, size_t n);

/* Where only a part of the masks was compared: "at least ", and " (1 in 8 masks was compared)"; else nothing. */
void word_at_least(struct text *t, const struct content_table *contents);
void word_compared(struct text *t, const struct content_table *contents);

#endif
