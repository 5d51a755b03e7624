/* Parts of the JSON report that other JSON formats share. Each appends to the current object. */
#pragma once

#include "report/fields.h"
#include "report/report.h"

/* error, warning, info */
extern const struct field_words level_words;

/* "schema_version", "tool" */
/* Writes the table of folders, for --explain. */
void report_json_layout(struct json_writer *w, const struct coverage *coverage);
void report_json_tool(struct json_writer *w);
/* Returns the word of --fail-on: "never" for LEVEL_OFF. */
const char *fail_on_name(enum level level);
/* "settings" */
void report_json_settings(struct json_writer *w, const struct settings *settings);
/* "narrowed" of the settings */
void report_json_narrowed(struct json_writer *w, const struct settings *settings);
/* Appends the value of its "digest", without quotes. */
void report_settings_digest(const struct settings *settings, struct strbuf *out);
/* "summary" to "sizes" */
void report_json_sums(struct json_writer *w, const struct report *r);
/* "run" */
void report_json_run(struct json_writer *w, const struct report *r);

/* "first", "bbox", "offset": where a finding is in its file, as far as known. */
void report_json_place(struct json_writer *w, const struct finding_details *d);
/* An element of "findings", in an array. */
void report_json_finding(struct json_writer *w, const struct kept_finding *f);
/* "message", "advice", "details" */
void report_json_finding_text(struct json_writer *w, const struct finding *f);
