/* The table of folders by which was decided what is audited (layout/layout_config.h writes settings of it): for people,
 * and in the report. */
#pragma once

#include "base/strbuf.h"
#include "find/find_options.h"
#include "judge/coverage.h"
#include "layout/dataset_layout.h"

/* Appends the table, and a line for each PATH of what is audited. */
void layout_text(const struct dataset_layouts *layouts, const struct find_options *find, struct strbuf *out);
/* Adds the table to what the report holds. */
void layout_facts(const struct dataset_layouts *layouts, const struct find_options *find, struct coverage *out);
/*
 * Appends, without a newline, what is audited and what is not; nothing if no table was made. Returns whether something
 * that may be labels is not.
 */
bool layout_line(const struct coverage *coverage, struct strbuf *out);
