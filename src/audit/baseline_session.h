/*
 * What an audit has to do with baselines: --baseline is read before, --write-baseline written after it, and in between
 * each finding is looked up and written down. Owner: audit.c.
 */
#ifndef AUDIT_BASELINE_SESSION_H
#define AUDIT_BASELINE_SESSION_H

#include "cli/options.h"
#include "judge/finding.h"
#include "report/baseline.h"

struct known {
	struct baseline *baseline;      /* NULL: there is none */
	struct baseline_record *record; /* NULL: none is written */
	const char *record_file;
};

/* Fails at once if the baseline cannot be read, or its new place not be written. */
enum status known_open(struct known *k, const struct options *options, struct error *err);
void known_close(struct known *k);
/* From now on each finding that is added to the list is looked up and written down, under the lock of the list. */
void known_watch(struct known *k, struct finding_list *findings);
/* Says how many known findings did not occur; nothing if the audit is not complete, since then nobody knows. */
void known_note(const struct known *k, const struct settings *settings, bool complete, char *note, size_t n);
/* Fails if the audit is not complete: with a baseline of half of the files, what is known in the others would count as
 * new.
 */
enum status known_write(struct known *k, bool complete, struct error *err);

#endif
