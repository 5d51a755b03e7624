/* Refuses an output that would replace a file of the audit. */
#pragma once

#include "base/error.h"
#include "output/targets.h"

struct audit;

/* Fails if -o would replace an input, as far as that is known before the files are read. */
enum status audit_check_outputs(const struct audit *a, struct error *err);
enum status audit_refuse_output(const struct target *target, const char *input, struct error *err);
