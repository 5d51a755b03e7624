/*
 * Carries a plan out: every entry of the tree gets its place in the result, changed or copied, with the mode and the
 * times of its source; members of an archive get theirs below its name.
 *
 * Each file is written to a temporary beside its place and renamed, so no name ever holds a part of a file. All of them
 * are synced together, and the receipt is written only after that: where there is one, every byte is on the disk.
 */
#pragma once

#include "base/error.h"
#include "base/progress.h"
#include "fix/destination.h"
#include "fix/manifest.h"
#include "fix/plan.h"
#include "fix/tree.h"

struct copy {
	const struct fix_plan *plan;
	const struct tree *tree;
	const struct destination *destination;
	unsigned jobs;
	struct manifest *manifest; /* gets a record of each file */
	struct progress *progress;
};

/* Fails if a file changed since it was planned for, or cannot be read or written. A signal ends it early. */
enum status copy_run(const struct copy *c, int *signal_number, struct error *err);
