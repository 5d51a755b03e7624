/* struct worker: one thread of the audit. It takes work units, and passes each file through four stages. */
#pragma once

#include <pthread.h>

#include "audit/ahead.h"
#include "audit/emit_stage.h"
#include "audit/judge_stage.h"
#include "audit/load_stage.h"
#include "audit/measure_stage.h"
#include "base/progress.h"
#include "report/report.h"

struct audit;

/* Belongs to one thread while it runs. */
struct worker {
	struct audit *audit;
	pthread_t thread;
	bool ended; /* under the lock of what is shared */
	struct ahead_unit *unit;
	size_t batch_first; /* index in the unit of the batch's first item */
	struct batch batch;
	struct load_stage load;
	struct measure_stage measure;
	struct judge_stage judge;
	struct emit_stage emit;
	uint64_t stage_ns[STAGES];
};

void worker_init(struct worker *w, struct audit *a, int device);
void worker_release(struct worker *w);
/*
 * Audits work units until there are no more, or something ends it early. Call it in the worker's own thread, after
 * measure_stage_open().
 */
enum status worker_run(struct worker *w, struct error *err);
/* Ends a thread's use of memory, which it has for itself. */
void worker_close(struct worker *w);
/*
 * Judges the images without a label file. Call it after all files are done, for one worker. seek_masks: as
 * pair_walk_images() says.
 */
enum status worker_audit_images(struct worker *w, bool seek_masks, struct progress *progress, struct error *err);
