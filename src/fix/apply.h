/*
 * Carries a plan out: every entry of the tree gets its place in the result, changed or copied, with the mode and the
 * times of its source.
 *
 * Each file is written to a temporary beside its place and renamed, so no name ever holds a part of a file. All of them
 * are synced together, while the result is audited, and the receipt is written only after that: one that is finished
 * says that every byte is on the disk, as if each file had been synced before its name was given. After a crash the
 * receipt is unfinished, and the next run makes every file again, and writes those that are missing or differ: it needs
 * to trust nothing.
 */
#pragma once

#include <pthread.h>

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
	bool link;               /* files that do not change become hard links where the file system can */
	struct records *records; /* by the tree's index; the caller's */
	struct progress *progress;
};

/* Fails if a file changed since it was planned for, or cannot be read or written. A signal ends it early. */
enum status apply_run(const struct apply *a, int *signal_number, struct error *err);

/* Syncs the file system of the result on a thread of its own. */
struct apply_sync {
	const struct destination *destination;
	pthread_t thread;
	bool started;
	int errnum; /* 0: it is synced */
};

/* After apply_run(). apply_sync_end() must follow, which waits for it. */
void apply_sync_begin(struct apply_sync *s, const struct destination *destination);
enum status apply_sync_end(struct apply_sync *s, struct error *err);
