/*
 * The host's side of kernel_job.h: what a kernel gets to know of the classes, and from its dense slot to the same stats
 * and id rows as the reference.
 */
#ifndef MEASURE_KERNEL_HOST_H
#define MEASURE_KERNEL_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/class_set.h"
#include "measure/backend.h"
#include "measure/kernel/kernel_job.h"
#include "measure/label_stats.h"

void kernel_legal_ids(const struct class_set *classes, uint32_t legal[KERNEL_IDS / 32]);

/* Bytes of scratch memory that a warp needs for the job, a multiple of 16; more than KERNEL_SCRATCH_MAX: not for it. */
uint64_t kernel_scratch_bytes(const struct kernel_job *job);

enum kernel_answer {
	ANSWER_WRONG, /* not to this job: another serial, no status, or labels that do not add up to its pixels */
	ANSWER_REFUSED,
	ANSWER_MEASURED,
};
enum kernel_answer kernel_slot_answer(const struct kernel_slot *slot, const struct kernel_job *job);

/* For ANSWER_MEASURED: fills everything of stats but channels, appends the id rows to batch: as reference_rows_end. */
void kernel_slot_collect(const struct kernel_slot *slot, const struct kernel_job *job, const struct class_set *classes,
			 struct label_stats *stats, struct batch *batch);

#endif
