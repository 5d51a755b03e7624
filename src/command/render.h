/* `labelaudit render REPORT`: a finished JSON report in other forms. */
#ifndef COMMAND_RENDER_H
#define COMMAND_RENDER_H

#include "base/error.h"
#include "cli/options.h"

/* 0 if it was written, whatever it says; else STATUS_FAILED, with err filled unless *signal_number tells. */
enum status render_run(const struct options *options, int *signal_number, struct error *err);

#endif
