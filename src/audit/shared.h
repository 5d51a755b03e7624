/* struct audit_shared: what the workers of an audit and its main thread share. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "audit/work_budget.h"
#include "base/error.h"
#include "judge/finding_list.h"

struct audit_shared {
	pthread_mutex_t lock;
	pthread_cond_t worker_ended;
	/* under the lock */
	struct finding_list findings;
	uint64_t units; /* number of work units drawn */
	unsigned workers_running;
	struct error error; /* of the first worker that failed */
	char note[256];     /* the first one */

	struct work_budget budget; /* has a lock of its own */
	atomic_uint spare;         /* workers that ended before the others */
	atomic_bool stop;          /* a worker failed: the others end after their current file */
	atomic_bool incomplete;    /* a file could not be read, or was not reached */
	atomic_uint_fast64_t files_done;
	atomic_uint_fast64_t files_with_findings;
};
