/* `labelaudit rule [NAME...]`: explains rules. */
#ifndef COMMAND_EXPLAIN_RULES_H
#define COMMAND_EXPLAIN_RULES_H

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/options.h"

/* Appends the documentation of the rules of these names; of none, one line per rule. */
enum status explain_rules(const struct string_list *names, struct strbuf *out, struct error *err);

#endif
