/* The parts of the JSON report that other JSON formats share. */
#ifndef REPORT_REPORT_JSON_H
#define REPORT_REPORT_JSON_H

#include "report/json_writer.h"
#include "report/report.h"

/* "schema_version", "tool": inside an object. */
void report_json_tool(struct json_writer *w);
/* "settings": inside an object. */
void report_json_settings(struct json_writer *w, const struct settings *settings);
/* The value of its "digest", without quotes. */
void report_settings_digest(const struct settings *settings, struct strbuf *out);
/* "summary" to "sizes": inside an object. */
void report_json_sums(struct json_writer *w, const struct report *r);
/* "run": inside an object. */
void report_json_run(struct json_writer *w, const struct report *r);

/* A key and a name of a file: any bytes; with <key>_b64 behind it where they are not UTF-8. NULL: null. */
void report_json_name(struct json_writer *w, const char *key, const char *name);
/* Where a finding is in its file, as far as that is known: "first", "bbox", "offset". */
void report_json_place(struct json_writer *w, const struct finding_details *d);
/* One element of "findings". */
void report_json_finding(struct json_writer *w, const struct kept_finding *f);
/* "message", "advice", "details": inside an object; details may be NULL. */
void report_json_finding_text(struct json_writer *w, const char *message, const char *advice,
			      const struct finding_details *details);

#endif
