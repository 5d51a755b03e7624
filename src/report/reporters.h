/* The reporters, by the name of --format and by the extension of an output file. Constant; any thread. */
#ifndef REPORT_REPORTERS_H
#define REPORT_REPORTERS_H

#include "report/report.h"

/* Both return NULL if there is none. */
const struct reporter *reporter_by_name(const char *name);
const struct reporter *reporter_by_extension(const char *file);

#endif
