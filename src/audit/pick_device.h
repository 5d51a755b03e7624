/*
 * Decides what --device auto stands for, once, before the workers start.
 *
 * - An audit that all cores finish in less than LIMIT_MS never touches CUDA: starting it takes up to a second.
 * - A GPU is taken only if it is expected to win by a factor that covers the uncertainty of the estimate.
 *
 * The estimate is made of what the folder table counted, and of the headers of a few of these files: those that are
 * masks for a GPU, and not in the cache. Nothing is known of files that are listed or typed: the CPU measures these.
 */
#pragma once

#include "base/error.h"
#include "cli/options.h"
#include "measure/backend.h"

struct audit;

struct device_pick {
	const struct backend *backend;
	/* of backend_cuda: this process's share of the GPUs that work, and their text for the report */
	int devices[CUDA_DEVICES_MAX];
	unsigned count;
	char text[128];
	char note[256]; /* why a GPU that is there is not used; "": nothing to report */
};

/* Returns the backend of --device. With auto it is the CPU's; pick_device() may choose a GPU instead. */
const struct backend *backend_of(const struct options *options);
/*
 * Decides for --device auto; a->layouts and a->cache are there. Returns STATUS_FAILED if LABELAUDIT_AUTO_MS
 * (milliseconds instead of LIMIT_MS, for tests) is malformed.
 */
enum status pick_device(const struct audit *a, unsigned jobs, struct device_pick *pick, struct error *err);
