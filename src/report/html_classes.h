/* The classes of the HTML report: a table with a bar for the labels of each id, on a linear and a logarithmic scale. */
#pragma once

#include "base/strbuf.h"
#include "report/report.h"

/* Appends the section of the classes. */
void html_add_classes(const struct report *r, struct strbuf *out);
