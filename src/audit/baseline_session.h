/*
 * What an audit has to do with baselines: --baseline is read before, --write-baseline written after it, and in between
 * each finding is looked up and written down. Owner: audit.c.
 */
#ifndef AUDIT_BASELINE_SESSION_H
#define AUDIT_BASELINE_SESSION_H

#include "cli/options.h"
#include "judge/finding_list.h"
#include "report/baseline.h"

struct baseline_session {
	struct baseline *baseline;      /* NULL: there is none */
	struct baseline_record *record; /* NULL: none is written */
	const char *record_file;
};

/* Fails at once if the baseline cannot be read, or its new place not be written. */
enum status baseline_session_open(struct baseline_session *k, const struct options *options, struct error *err);
void baseline_session_close(struct baseline_session *k);
/* From now on each finding that is added to the list is looked up and written down, under the lock of the list. */
void baseline_session_attach(struct baseline_session *k, struct finding_list *findings);
/* Says how many known findings did not occur; nothing if the audit is not complete, since then nobody knows. */
void baseline_session_note(const struct baseline_session *k, const struct settings *settings, bool complete, char *note,
			   size_t n);
/* Fails if the audit is not complete: with a baseline of half of the files, what is known in the others would count as
 * new.
 */
enum status baseline_session_write(struct baseline_session *k, bool complete, struct error *err);

#endif
