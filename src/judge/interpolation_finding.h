/* The message, details and advice that interpolated-mask and suspected-interpolation share. */
#ifndef JUDGE_INTERPOLATION_FINDING_H
#define JUDGE_INTERPOLATION_FINDING_H

#include "judge/finding.h"
#include "judge/interpolation.h"
#include "read/sample.h"

/* Fills message, ids (each with its larger count of the two directions), pixels and the place of the worst pixel. */
void interpolation_finding(struct finding *f, const struct sample *sample, const struct label_stats *stats,
			   const struct id_stats *ids);

/*
 * "likely cause: ...; " and the line of Python that mends it. The counters tell colours from the rest; they do not tell
 * a resize from a blur, drawing or JPEG, so those are all named.
 */
void interpolation_advice(struct finding *f, const struct label_stats *stats, const struct id_stats *ids);

/* The line of Python alone, for a whole set too. */
extern const char interpolation_remedy[];

#endif
