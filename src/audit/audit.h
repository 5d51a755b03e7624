/* The pipeline: find, classify, read, measure, judge, report. Only this room knows their order. */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include "base/error.h"
#include "cli/options.h"
#include "measure/backend.h"

/*
 * Runs the audit and writes its reports; names the classes of an ImageFolder by its folders. Returns the exit status,
 * or STATUS_FAILED with err filled if the audit could not be done at all. SIGINT, SIGTERM and SIGHUP end it early with
 * a partial report; the signal is then in *signal_number (0 otherwise).
 */
enum status audit_run(struct options *options, int *signal_number, struct error *err);

/* Returns the backend that --device stands for; for `auto` the CPU's, which pick_device() may replace. */
const struct backend *audit_backend(const struct options *options);

#endif
