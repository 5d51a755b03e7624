/*
 * struct baseline: findings that are known and do not count, by (rule, path, member); read from a file that an earlier
 * audit wrote. How bad a finding is does not matter, so that a mask that gets a few pixels worse stays known.
 *
 *   {
 *     "labelaudit_baseline": 1,
 *     "findings": [
 *       {"path": "masks/0001.png", "rule": "out-of-range-id"},
 *       {"path": "masks/set.tar", "member": "7.png", "rule": "single-id"},
 *       {"path": null, "rule": "missing-class"}
 *     ]
 *   }
 *
 * One finding a line, sorted by path bytes, member and rule, findings about the dataset (path null) last: the file
 * depends on nothing but the findings, and its differences in a version control system are those of the findings. A
 * path that is not UTF-8 is written lossily, with its bytes in path_b64 (member_b64).
 *
 * Bounded: at most BASELINE_MAX findings of BASELINE_TEXT_MAX bytes of names; of a file that is read, 128 bits of a
 * SHA-256 are kept for each (two findings cannot be made to have the same). Owner: audit.c.
 */
#ifndef REPORT_BASELINE_H
#define REPORT_BASELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/settings.h"
#include "judge/rule.h"

/* A data set with more findings than this has one cause for them, which is to be mended or skipped as a rule. */
enum { BASELINE_MAX = 1 << 20, BASELINE_TEXT_MAX = 96 << 20 };

struct baseline;

/* Fails with the place in the file if that is no baseline. */
enum status baseline_read(struct baseline **out, const char *file, struct error *err);
/* NULL is fine. */
void baseline_free(struct baseline *b);
/* Is the finding known? Marks it as met. path NULL: about the dataset. Any thread. */
bool baseline_knows(struct baseline *b, const struct rule *rule, const char *path, const char *member);
/* Known findings of rules that were applied (and of unknown rules), which nothing met. After the last thread. */
uint64_t baseline_stale(const struct baseline *b, const struct settings *settings);

/* Today's findings on their way to a file. One thread at a time. */
struct baseline_record;

/* Opens a temporary beside the file, so that a place that cannot be written is told before the audit. */
enum status baseline_record_open(struct baseline_record **out, const char *file, struct error *err);
void baseline_record_add(struct baseline_record *r, const struct rule *rule, const char *path, const char *member);
/* Sorts, writes, and replaces the file; fails if there are too many findings. */
enum status baseline_record_write(struct baseline_record *r, struct error *err);
/* Removes the temporary, unless it was written. NULL is fine. */
void baseline_record_free(struct baseline_record *r);

#endif
