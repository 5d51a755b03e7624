/*
 * The warp kernel as a loop over 32 lanes on the host, for tests and for a mock of the device.
 */
#ifndef MEASURE_BACKEND_SIM_H
#define MEASURE_BACKEND_SIM_H

#include "base/error.h"
#include "measure/kernel/kernel_job.h"

enum sim_order { SIM_FORWARD, SIM_REVERSE, SIM_RANDOM };

/* One warp draws all jobs of the batch, with the scratch memory of one. */
void sim_kernel(const struct kernel_batch *b, enum sim_order order);
/* Of an open backend: the files that its kernel has measured and refused so far. */
void sim_counts(void *self, uint64_t *taken, uint64_t *refused);

#endif
