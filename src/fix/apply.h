/*
 * Carries a plan out: every entry of the tree gets its place in the result, changed or copied, with the mode and the
 * times of its source.
 *
 * Each file is written to a temporary beside its place and renamed, so no name ever holds a part of a file. All of them
 * are synced together before the receipt is written. After a crash the receipt is unfinished, and the next run makes
 * every file again, and writes those that are missing or differ: it needs to trust nothing.
 */
#pragma once

#include "base/error.h"
#include "base/progress.h"
#include "fix/destination.h"
#include "fix/plan.h"
#include "fix/receipt.h"
#include "fix/tree.h"

struct apply {
	const struct fix_plan *plan;
	const struct tree *tree;
	const struct destination *destination;
	unsigned jobs;
	bool link;                  /* files that do not change become hard links where the file system can */
	struct fix_record *records; /* by the tree's index; the caller's */
	struct progress *progress;
};

/* Fails if a file changed since it was planned for, or cannot be read or written. A signal ends it early. */
enum status apply_run(const struct apply *a, int *signal_number, struct error *err);
