/* What the files that read a report back (report_file.h) share. All return false after a failure of the values. */
#ifndef REPORT_REPORT_READ_H
#define REPORT_REPORT_READ_H

#include "report/json_values.h"
#include "report/report_file.h"

/* What a report says of an id beside its labels; kept until all tables are read, since keys may come in any order. */
struct id_row {
	int64_t id;
	bool is_class; /* then the id is the one that is trained */
	uint64_t files;
	char *example; /* owned */
};

struct report_reading {
	struct json_values values;
	struct report_file *file;
	struct id_row *rows; /* owned */
	size_t rows_count, rows_cap;
	uint64_t sizes_total;
	uint64_t findings_total, findings_listed;
	bool has_settings, has_summary;
};

/* "settings"; the value at hand is the object. */
bool report_read_settings(struct report_reading *r);
/* "classes", "ignored", "out_of_range", "histogram", "formats", "sizes"; *known is false for any other key. */
bool report_read_table(struct report_reading *r, bool *known);
/* After the last of them: brings the rows into the dataset. */
bool report_settle_tables(struct report_reading *r);
/* "findings" */
bool report_read_findings(struct report_reading *r);

/* A name of a file: a string, as `key` and as `key_b64` if it is not UTF-8; both keys may call it. NULL stays NULL. */
bool report_read_name(struct report_reading *r, bool base64, char **out);
/* "error" ...; off only if allowed. */
bool report_read_level(struct json_values *v, bool off, enum level *out);
bool report_read_rule(struct json_values *v, size_t *out);

#endif
