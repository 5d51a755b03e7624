/*
 * The pipeline: find -> read -> decode -> measure -> judge -> report. Only audit*.c know the order.
 */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include "base/error.h"
#include "cli/options.h"
#include "measure/backend.h"

/*
 * Runs the audit that options ask for and writes its reports; names the classes by their folders, if those tell.
 * Returns the exit status; STATUS_FAILED with err filled if it could not be done at all. SIGINT, SIGTERM and SIGHUP end
 * it early with a partial report; the signal is then in *signal_number (0 otherwise).
 */
enum status audit_run(struct options *options, int *signal_number, struct error *err);

/* The backend that --device stands for here and now; for `auto`, what it picks. */
const struct backend *audit_backend(const struct options *options);

#endif
