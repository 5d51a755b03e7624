/* Names what two reports were made with differently, for messages. */
#pragma once

#include "base/strbuf.h"
#include "report/report_file.h"

/*
 * Returns whether the digests of the settings differ, and appends the first setting that does, `--exclude differs:
 * "bad*" against nothing`, or the digests if the reports do not tell.
 */
bool settings_difference(const struct report_file *mine, const struct report_file *other, struct strbuf *out);
