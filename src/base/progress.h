/*
 * struct progress: the progress of an audit, on standard error. On a terminal it is a bar like tqdm's, redrawn in place
 * at most 10 times a second; in a log, a line a minute without the bar. Failing writes are ignored. Main thread only.
 *
 *      42%|####      | 1234/2914 [00:04<00:05, 291.2files/s]
 *     1234files [00:04, 291.2files/s]                          until the walk ends
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct progress {
	bool bar, lines;
	bool drawn;        /* the line is not empty */
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	uint64_t last_ns;  /* of the last drawing; at first the start */
};

/* At most one of bar and lines; with neither, nothing is written. */
void progress_init(struct progress *p, bool bar, bool lines);
/* total 0: unknown. flagged: files with findings so far. May be called at any rate. */
void progress_update(struct progress *p, uint64_t done, uint64_t total, uint64_t flagged);
/* Clears the line. */
void progress_finish(struct progress *p);

/* Appends the text alone, at most `columns` wide; without_bar: as for a log. For tests. */
void progress_format(struct strbuf *out, uint64_t done, uint64_t total, uint64_t flagged, uint64_t elapsed_ns,
		     unsigned columns, bool without_bar);

#endif
