/*
 * Answers a command line without --classes: measures the first files, and proposes classes by the ids that they hold.
 */
#pragma once

#include "base/error.h"
#include "cli/options.h"

/*
 * Writes the proposal to standard error; options are of no more use then. Always returns STATUS_FAILED; err is filled
 * if there is no proposal.
 */
enum status propose_classes(struct options *options, struct error *err);
