/*
 * struct emit_stage: from a file that was judged to the sums, the list of findings, and the texts of streaming reports.
 * The last stage of a worker.
 *
 * Its worker holds the lock from the first file of a batch to the last, and while it submits texts. No call in between
 * waits for storage that is read. So the main thread, when it leaves without a worker that waits for such storage,
 * takes the lock, keeps it, and has the sums of whole files: the worker, if it ever comes back, stops at its next
 * batch.
 */
#pragma once

#include <pthread.h>

#include "audit/fetch.h"
#include "audit/judge_stage.h"
#include "audit/shared.h"
#include "judge/dataset.h"
#include "measure/backend.h"
#include "output/outputs.h"

struct audit_observer;

struct emit_stage {
	const struct settings *settings;
	struct audit_shared *shared;
	struct outputs *outputs;
	const struct audit_observer *observer; /* or NULL */
	bool names_left_out;                   /* with --verbose */
	pthread_mutex_t lock;
	/* under the lock */
	struct dataset_stats dataset;
	struct strbuf *texts; /* of the current work unit, one per streaming format */
	bool names_images;    /* a label file names many images, which have no label files of their own */
	bool images_flat;     /* some image was found only without the folders of its label file */
};

/* The caller has filled what is not under the lock. */
void emit_stage_init(struct emit_stage *e);
void emit_stage_release(struct emit_stage *e);
/* Judges one file, measured or not, and counts it. */
void emit_file(struct emit_stage *e, struct judge_stage *j, const struct fetched *f, const struct batch_item *item,
	       const struct id_stats *ids);
/* Judges an image without a label file, or with another problem of pairing. */
void emit_image(struct emit_stage *e, struct judge_stage *j, const char *path, const struct pairing *pairing);
/* Ends a work unit: its texts are written in their turn. */
void emit_unit(struct emit_stage *e, uint64_t number);
