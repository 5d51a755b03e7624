/* The table of folders by which was decided what is audited: as a table for people, and as a part of the report. */
#pragma once

#include "base/strbuf.h"
#include "find/find_options.h"
#include "judge/coverage.h"
#include "layout/dataset_layout.h"

/* Appends the table, and a line for each PATH of what is audited. */
void layout_text(const struct dataset_layouts *layouts, const struct find_options *find, struct strbuf *out);
/* Adds the table to what the report holds. */
void layout_facts(const struct dataset_layouts *layouts, const struct find_options *find, struct coverage *out);
/* Appends the decisions as settings (labels:, images:). Fails if nothing is audited. */
enum status layout_config(const struct dataset_layouts *layouts, struct strbuf *out, struct error *err);
/*
 * Appends, without a newline, what is audited and what is not; nothing if no table was made. Returns whether something
 * that may be labels is not.
 */
bool layout_line(const struct coverage *coverage, struct strbuf *out);
