/*
 * Decides what --device auto stands for, once, before the workers start.
 *
 * - An audit that all cores finish in less than LIMIT_MS never touches CUDA: starting it takes up to a second.
 * - A GPU is taken only if it is expected to win by a factor that covers the uncertainty of the estimate.
 *
 * The estimate is made of the files that a walk ahead counts, and of the headers of a few of them. The walk takes at
 * most a fiftieth of the time that the CPU would take for what it has counted.
 */
#ifndef AUDIT_PICK_DEVICE_H
#define AUDIT_PICK_DEVICE_H

#include "base/error.h"
#include "cli/options.h"
#include "measure/backend.h"

struct device_pick {
	const struct backend *backend;
	char device[128]; /* of a GPU: the text of its probe */
	char note[256];   /* why a GPU that is there is not used; "": nothing to report */
};

/*
 * Decides for --device auto. masks: whether layout detection found PNG masks that a GPU can measure. Returns
 * STATUS_FAILED if LABELAUDIT_AUTO_MS (milliseconds instead of LIMIT_MS, for tests) is malformed.
 */
enum status pick_device(const struct options *options, bool masks, unsigned jobs, struct device_pick *pick,
			struct error *err);

#endif
