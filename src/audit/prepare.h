/*
 * All that an audit asks of storage before its first file: what the PATHs are, the kind of the data set, whether a
 * report would replace a file, the folder of --images, the cache, the baseline; and which device measures.
 */
#pragma once

#include "audit/audit_parts.h"

/* An audit and what it borrows. Held until the process ends if a thread waits for storage that does not answer. */
struct prepared {
	struct audit audit;
	struct find_options find;
	struct path_state *states; /* of the PATHs; owned */
	struct run_facts facts;    /* jobs, device */
	enum status status;
	struct error err;
};

/*
 * Returns an audit that is ready to run, or to list its files, and shows the progress of it; or one with the status
 * STATUS_FAILED. If the program is interrupted, and storage does not answer, it is one of no files. Its report, if any,
 * is the caller's to open. Free it by prepared_free().
 */
struct prepared *audit_prepare(const struct options *options);
/* Ends the cache, which may wait for what it writes. */
void audit_close_cache(struct audit *a);
/* Does nothing if a thread may still wait for storage (last_wait_given_up()). */
void prepared_free(struct prepared *p);
