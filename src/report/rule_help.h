/* The documentation of a rule in other clothes. Pure, any thread. */
#ifndef REPORT_RULE_HELP_H
#define REPORT_RULE_HELP_H

#include "base/strbuf.h"
#include "judge/rule.h"

/* Its headings as Markdown headings, its example as a block of code. */
void rule_help_markdown(const struct rule *rule, struct strbuf *out);

#endif
