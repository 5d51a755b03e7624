/*
 * struct progress: how far an audit has come, on standard error. On a terminal a bar with tqdm's look, redrawn in
 * place:
 *
 *      42%|####      | 1234/2914 [00:04<00:05, 291.2files/s]
 *     1234files [00:04, 291.2files/s]                          while the walk has not seen the end
 *
 * elsewhere (a CI log) the same without the bar, one line a minute. With neither nothing is ever written. It draws at
 * most 10 times a second; failing writes are not anybody's business. Main thread only.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct progress {
	bool bar, lines;
	bool drawn;        /* there is something on the line */
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	uint64_t last_ns;  /* when it was drawn last; the start before that */
};

/* At most one of bar and lines. */
void progress_init(struct progress *p, bool bar, bool lines);
/* total 0: not known yet. flagged: files with findings so far. Call as often as you like. */
void progress_update(struct progress *p, uint64_t done, uint64_t total, uint64_t flagged);
/* Clears the line. */
void progress_finish(struct progress *p);

/* The text alone, at most `columns` wide; without_bar: as for a log. For tests. */
void progress_format(struct strbuf *out, uint64_t done, uint64_t total, uint64_t flagged, uint64_t elapsed_ns,
		     unsigned columns, bool without_bar);

#endif
