/* --lossy: adds to a plan the masks whose pixels are guessed. They are decoded for that, so that the plan knows how
 * many. */
#pragma once

#include "cli/options.h"
#include "fix/plan.h"

/*
 * Plans to mend the masks that interpolation damaged or that have ids out of range, where no map changes ids; refuses
 * those of which more than --max-changed would be guessed.
 */
void fix_plan_add_lossy(struct fix_plan *plan, const struct options *options);
