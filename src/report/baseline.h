/*
 * struct baseline: findings that are known and do not count, as an earlier audit wrote them to a file. A finding is
 * known by its rule, path and member, as long as it reaches no further than it did (report/extent.h).
 *
 *   {
 *     "labelaudit_baseline": 2,
 *     "findings": [
 *       {"path": "../masks/0001.png", "rule": "out-of-range-id", "level": "error", "count": 128, "ids": [21]},
 *       {"path": "../masks/set.tar", "member": "7.png", "rule": "single-id", "level": "info", "count": 1},
 *       {"path": "../list.csv", "rule": "conflicting-label", "level": "error", "count": 2, "keys": "mVp2..."},
 *       {"path": null, "rule": "missing-class", "level": "warning", "count": 1, "ids": [7]}
 *     ]
 *   }
 *
 * One finding a line, sorted by path bytes, member, rule and extent, those about the dataset (path null) last: the file
 * depends on the findings alone, and its differences in a version control system are theirs. Paths are those from the
 * folder of the file. One that is not UTF-8 is written lossily, with its bytes in path_b64 (member_b64). Several
 * findings of one rule, path and member, as of a member that an archive repeats, are numbered ("number": 2), and each
 * is known once. "keys" are the rows, objects or masks (base/key_set.h), 8 bytes each, in base64; where there are more
 * than 256, or as many ids, "keys_total" and "keys_digest" ("ids_total", "ids_digest") stand for them.
 *
 * Bounds: at most BASELINE_MAX findings, BASELINE_TEXT_MAX bytes of names, and as many of extents. A baseline in memory
 * keeps 128 bits of a SHA-256 for each finding's name; nobody can make two names with the same. Owner: the audit.
 */
#pragma once

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
/*
 * Returns whether the finding is known, and records that it occurred. percent: how much more it may be. path NULL:
 * about the dataset. One thread at a time.
 */
bool baseline_knows(struct baseline *b, const struct finding *f, const char *path, const char *member,
		    uint64_t percent);
/* Counts the findings, of rules that were applied and of unknown rules, that did not occur. After the last thread. */
uint64_t baseline_stale(const struct baseline *b, const struct settings *settings);
/* Returns a hash of all that the file knows. */
uint64_t baseline_digest(const struct baseline *b);

/* The findings of this audit, to be written to a file. One thread at a time. */
struct baseline_record;

/* Opens a temporary beside the file: a folder that cannot be written fails before the audit. */
enum status baseline_record_open(struct baseline_record **out, const char *file, struct error *err);
void baseline_record_add(struct baseline_record *r, const struct finding *f, const char *path, const char *member);
/* Sorts the findings and replaces the file; fails if there are too many. */
enum status baseline_record_write(struct baseline_record *r, struct error *err);
/* Removes the temporary, unless it was written. r may be NULL. */
void baseline_record_free(struct baseline_record *r);
