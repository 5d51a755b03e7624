/*
 * The host's side of kernel_job.h: the legal ids that a kernel gets, and the conversion of its dense slots to the same
 * stats and id rows as the reference's.
 */
#pragma once

#include <stdint.h>

#include "base/class_set.h"
#include "measure/backend.h"
#include "measure/kernel/kernel_job.h"
#include "measure/label_stats.h"

void kernel_legal_ids(const struct class_set *classes, uint32_t legal[KERNEL_IDS / 32]);

/* Returns the scratch bytes that a warp needs for the job, a multiple of 16; maybe above KERNEL_SCRATCH_MAX. */
uint64_t kernel_scratch_bytes(const struct kernel_job *job);

enum kernel_answer {
	ANSWER_WRONG, /* another serial, no status, or labels that do not add up to the pixels of the job */
	ANSWER_REFUSED,
	ANSWER_MEASURED,
};
enum kernel_answer kernel_slot_answer(const struct kernel_slot *slot, const struct kernel_job *job);

/* For ANSWER_MEASURED: fills all of stats but the union and appends the id rows to batch. */
void kernel_slot_collect(const struct kernel_slot *slot, const struct kernel_job *job, const struct class_set *classes,
			 struct label_stats *stats, struct batch *batch);
