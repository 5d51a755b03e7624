/* The message and details that interpolated-mask and suspected-interpolation share. */
#ifndef JUDGE_INTERPOLATION_FINDING_H
#define JUDGE_INTERPOLATION_FINDING_H

#include "judge/finding.h"
#include "judge/interpolation.h"

/* Fills message, ids (each with its larger count of the two directions), pixels and the place of the worst pixel. */
void interpolation_finding(struct finding *f, const struct label_stats *stats, const struct id_stats *ids);

#endif
