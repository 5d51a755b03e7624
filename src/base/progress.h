/*
 * struct progress: the progress of an audit, on standard error. On a terminal it is a bar like tqdm's, redrawn in place
 * at most 10 times a second; in a log, a line after 10 seconds and then one a minute, with the program's name and
 * without the bar. Failing writes are ignored. Main thread only.
 *
 *      42%|####      | 1234/2914 [00:04<00:05, 291.2files/s]
 *     1234files [00:04, 291.2files/s]                          until all are counted
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct progress {
	bool bar, lines, unicode;
	const char *unit;  /* what is counted: "files"; may be replaced */
	uint64_t done;     /* by progress_add() */
	bool drawn;        /* something was written */
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	uint64_t last_ns;  /* of the last drawing; at first the start */
};

struct progress_counts {
	uint64_t done, total; /* total 0: unknown */
	uint64_t flagged;     /* of those done: with findings */
	/* Where the total is unknown or its parts differ much: the work, in any unit. work_total 0: none is known. */
	uint64_t work, work_total;
};

/* At most one of bar and lines; with neither, nothing is written. unicode: the bar is drawn in eighths of a column. */
void progress_init(struct progress *p, bool bar, bool lines, bool unicode);
/* May be called at any rate. */
void progress_update(struct progress *p, const struct progress_counts *counts);
/* Counts n more of an unknown number, and does the same. */
void progress_add(struct progress *p, uint64_t n);
/* Clears the line. */
void progress_finish(struct progress *p);

/* Appends the text alone, at most `columns` wide. For tests. */
void progress_format(const struct progress *p, const struct progress_counts *counts, uint64_t elapsed_ns,
		     unsigned columns, struct strbuf *out);
