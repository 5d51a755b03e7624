/*
 * The findings of the HTML report: a group for each rule that fired, the worst first, with pictures of its masks, its
 * findings and why it matters.
 */
#pragma once

#include "base/strbuf.h"
#include "report/report.h"

/* Appends the section of the findings; there must be some. */
void html_add_findings(const struct report *r, struct strbuf *out);
