/*
 * The baselines of an audit: --baseline is read before it, --write-baseline is written after it, and each finding is
 * looked up in the one and added to the other. Owner: audit.c.
 */
#pragma once

#include "cli/options.h"
#include "judge/finding_list.h"
#include "report/baseline.h"

struct baseline_session {
	struct baseline *baseline;      /* NULL: there is none */
	struct baseline_record *record; /* NULL: none is written */
	const char *record_file;
	uint64_t tolerance; /* --baseline-tolerance, in percent */
};

/* Fails if the baseline cannot be read, or the new one cannot be created. */
enum status baseline_session_open(struct baseline_session *s, const struct options *options, struct error *err);
void baseline_session_close(struct baseline_session *s);
/* Looks up and records each finding that is added to the list from now on, under the lock of the list. */
void baseline_session_attach(struct baseline_session *s, struct finding_list *findings);
/* Reports how many findings of the baseline did not occur, unless the audit is not complete. */
void baseline_session_note(const struct baseline_session *s, const struct settings *settings, bool complete, char *note,
			   size_t n);
/* Fails if the audit is not complete: a baseline of half of the files would make the findings of the others new. */
enum status baseline_session_write(struct baseline_session *s, bool complete, struct error *err);
