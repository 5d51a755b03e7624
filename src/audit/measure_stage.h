/* struct measure_stage: from a batch of inputs to their statistics. The second stage of a worker; one thread. */
#pragma once

#include "base/error.h"
#include "measure/backend.h"
#include "measure/grey_plane.h"
#include "measure/label_measurer.h"

struct measure_stage {
	const struct settings *settings;
	const struct backend *backend;
	int device;         /* for its open */
	void *backend_self; /* NULL before open and after close */
	struct label_measurer measurer;
	struct grey_plane grey_plane;
};

void measure_stage_init(struct measure_stage *m, const struct settings *settings, const struct backend *backend,
			int device);
void measure_stage_release(struct measure_stage *m);
/* Opens the backend, in the worker's own thread, so that workers allocate and free in parallel. */
enum status measure_stage_open(struct measure_stage *m, struct error *err);
void measure_stage_close(struct measure_stage *m);
void measure_batch(struct measure_stage *m, struct batch *batch);
