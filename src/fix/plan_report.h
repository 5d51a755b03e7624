/* The plan in words, and as JSON (plan.schema.json). Both are functions of the plan alone. */
#pragma once

#include "base/strbuf.h"
#include "fix/plan.h"

/* A line a map, a line a recoding, what is refused, and a verdict. */
void plan_text(const struct fix_plan *plan, struct strbuf *out);
void plan_json(const struct fix_plan *plan, const struct options *options, struct strbuf *out);
