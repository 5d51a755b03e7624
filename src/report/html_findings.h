/*
 * The findings of the HTML report: a group for each cause, in the order of the diagnosis, with pictures of its masks,
 * its findings, those that it explains, and why it matters.
 */
#pragma once

#include "base/strbuf.h"
#include "report/report.h"

/* Appends the section of the findings; there must be some. */
void html_add_findings(const struct report *r, struct strbuf *out);
