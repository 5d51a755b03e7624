/*
 * settings.narrowed: the options and settings that left something out or lowered a level (base/narrowing.h), as every
 * form of the report names them.
 */
#pragma once

#include "base/strbuf.h"
#include "report/report.h"

/* Fills in the counts that the finished audit knows. */
void narrowed_count(struct narrowings *n, const struct dataset_stats *dataset, const struct finding_list *findings);

/*
 * Appends one line without a line feed, "narrowed by --exclude bad* (labelaudit.yaml: 1 file), --skip all (command
 * line)", or without counts, which change from day to day; nothing if nothing was narrowed. It holds text from outside,
 * for the caller to escape.
 */
void narrowed_line(const struct settings *settings, bool counts, struct strbuf *out);
