/* The findings of the HTML report: grouped by rule and remedy, the worst rule first, with a filter that the script
 * shows. */
#pragma once

#include "base/strbuf.h"
#include "report/report.h"

/* Appends the section of the findings; there must be some. */
void html_add_findings(const struct report *r, struct strbuf *out);
