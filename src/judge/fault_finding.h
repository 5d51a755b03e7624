/* From a struct fault, filled where the trouble was seen, to the finding of a rule of category `file`. */
#ifndef JUDGE_FAULT_FINDING_H
#define JUDGE_FAULT_FINDING_H

#include <stdbool.h>

#include "base/fault.h"
#include "judge/finding.h"

/*
 * False unless fault is of that kind. Takes over text, offset, line and column; the fault's own advice wins over
 * `advice`, which may be "".
 */
bool fault_finding(struct finding *f, const struct fault *fault, enum fault_kind kind, const char *advice);

#endif
