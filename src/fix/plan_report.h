/* The plan in words, and as JSON. Both are functions of the plan and its options alone. */
#pragma once

#include "base/embed.h"
#include "base/strbuf.h"
#include "fix/plan.h"
#include "report/json_writer.h"

/* A line a map, a line a recoding, what is declared, what is refused, and a verdict. */
void plan_text(const struct fix_plan *plan, struct strbuf *out);
/* Takes the next piece of a plan. Returns false to end it. */
typedef bool plan_taker(void *context, const struct strbuf *piece);
/* Gives the plan as JSON to `take`, piece by piece: it has a line for each file. Returns false if that did. */
bool plan_json(const struct fix_plan *plan, const struct options *options, plan_taker *take, void *context);
/* Appends what a plan and a receipt share to the current object: "tool" to "labels_changed". */
void plan_json_body(struct json_writer *w, const struct fix_plan *plan, const struct options *options);
/* The JSON Schema of plans and receipts (schema.json), for `labelaudit schema fix`. */
EMBEDDED(fix_schema);
