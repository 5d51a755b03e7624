/*
 * The backend sim: the warp kernel as a loop over 32 lanes on the host. Slow; for tests, and for a mock of the device.
 */
#pragma once

#include "measure/kernel/kernel_job.h"
#include "measure/kernel/warp.h"

/* Runs the kernel over all jobs of the batch as one warp. */
void sim_kernel(const struct kernel_batch *b, enum lane_order order);
/* Gets how many files the kernel of an open backend has measured and refused so far. */
void sim_counts(void *self, uint64_t *taken, uint64_t *refused);
