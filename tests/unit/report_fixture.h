/*
 * A finished report made by hand, for the tests of reporters: 3 classes, two of them named, ignored 255, ids 0, 1, 21
 * and 255 in 6 files. One at a time; each test begins with report_make and ends with report_free (a checked fixture).
 */
#pragma once

#include "report/report.h"

enum { FIXTURE_IDS_MAX = 128 };

struct report_fixture {
	struct settings settings;
	struct dataset_stats dataset;
	struct finding_list findings;
	struct diagnosis diagnosis;
	struct report report;
	struct id_total ids[FIXTURE_IDS_MAX];
	struct format_total formats[3];
	struct size_total sizes[3];
	struct strbuf out; /* what the test lets a reporter write */
};

extern struct report_fixture fixture;

void report_make(void);
/* The same, but ignored -1, too; counts as large as they get, formats and sizes, and an example whose name is no text.
 */
void report_make_large(void);
/* Sorts the findings, and finds their causes. */
void report_finish(void);
void report_free(void);
/* The dataset's ids and sums: labels[i] of the ids first_id + i. */
void report_set_labels(int64_t first_id, const uint64_t *labels, size_t n);
/* path NULL: about the dataset. Call finding_list_finish when all are there. */
void report_add(const char *rule, const char *path, const char *member, const char *message, const char *advice);
/* Three findings with all that findings can have, of a file, of a member, and of the dataset. The list is finished. */
void report_add_various(void);
/* fixture.out has `part`, or has it not. */
void expect_part(const char *part);
void expect_no_part(const char *part);
size_t count_parts(const char *part);
/* The text is one JSON value and a newline, as reports and their lines are; the caller deletes it. */
struct cJSON *parse_json(const char *text);
