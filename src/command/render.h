/* `labelaudit render REPORT`: writes a JSON report in other forms. */
#ifndef COMMAND_RENDER_H
#define COMMAND_RENDER_H

#include "base/error.h"
#include "cli/options.h"

/* Returns 0 if it was written, whatever its verdict; else STATUS_FAILED, with err filled unless a signal ended it. */
enum status render_run(const struct options *options, int *signal_number, struct error *err);

#endif
