/*
 * struct baseline: findings that an earlier audit wrote to a file, by rule, path and member. They are known and do not
 * count, whatever their extent: a mask that gets a few pixels worse stays known.
 *
 *   {
 *     "labelaudit_baseline": 1,
 *     "findings": [
 *       {"path": "masks/set.tar", "member": "7.png", "rule": "single-id"},
 *       {"path": null, "rule": "missing-class"}
 *     ]
 *   }
 *
 * One finding a line, sorted by path bytes, member and rule, those about the dataset (path null) last: the file depends
 * on the findings alone. A path that is not UTF-8 is written lossily, with its bytes in path_b64 (member_b64).
 *
 * In memory, a finding takes 128 bits of a SHA-256; nobody can make two findings with the same. Owner: the audit.
 */
#ifndef REPORT_BASELINE_H
#define REPORT_BASELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/settings.h"
#include "judge/rule.h"

/* More findings than this have one cause, to be mended, or skipped as a rule. */
enum { BASELINE_MAX = 1 << 20, BASELINE_TEXT_MAX = 96 << 20 };

struct baseline;

/* Returns STATUS_FAILED if the file is no baseline; then err names the line. */
enum status baseline_read(struct baseline **out, const char *file, struct error *err);
/* b may be NULL. */
void baseline_free(struct baseline *b);
/* Returns whether the finding is known, and records that it occurred. path NULL: about the dataset. Any thread. */
bool baseline_knows(struct baseline *b, const struct rule *rule, const char *path, const char *member);
/* Counts the findings, of rules that were applied and of unknown rules, that did not occur. After the last thread. */
uint64_t baseline_stale(const struct baseline *b, const struct settings *settings);

/* The findings of this audit, to be written to a file. One thread at a time. */
struct baseline_record;

/* Opens a temporary beside the file: a folder that cannot be written fails before the audit. */
enum status baseline_record_open(struct baseline_record **out, const char *file, struct error *err);
void baseline_record_add(struct baseline_record *r, const struct rule *rule, const char *path, const char *member);
/* Sorts the findings and replaces the file; fails if there are too many. */
enum status baseline_record_write(struct baseline_record *r, struct error *err);
/* Removes the temporary, unless it was written. r may be NULL. */
void baseline_record_free(struct baseline_record *r);

#endif
