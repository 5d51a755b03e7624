/*
 * The fields of the JSON report (report_json.c), and what they are in: struct report_parts, made of a finished report
 * to be written, or of a struct report_file to be read into. Reading checks each value, and reports without shards fill
 * their sums from their tables (report_file.c).
 */
#pragma once

#include "report/fields.h"
#include "report/tables.h"

enum { OPTIONS_MAX = 64 }; /* more than there are options, and than narrow */

struct rule_row {
	const struct rule *rule;
	enum level level;
	uint64_t findings;
};

struct left_out_row {
	enum skip_reason reason;
	uint64_t files;
	bool labels;
	uint64_t label_files;
	const char *example;
};

struct unread_row {
	enum unread_kind kind;
	uint64_t files;
	const char *example;
};

/* A row of a table that was read. */
struct read_row {
	int64_t id; /* of a class: the one that is trained */
	bool is_class;
	uint64_t files;
	const char *example; /* owned */
};

struct report_parts {
	/* Reading fills what is const here. */
	const struct report *report;
	const struct settings *settings;
	const struct dataset_stats *dataset;
	const struct finding_list *findings;
	const struct diagnosis *diagnosis;
	struct report_tables tables; /* of what is written */
	char status[8];
	bool is_shard;
	uint64_t findings_listed, findings_total;
	/* 0, unless a list is cut */
	uint64_t classes_declared, out_of_range_total, sizes_total;
	/* of what is read */
	struct report_file *file;
	struct finding *finding; /* the current one, for its details; owned */
	/* Kept until all tables are read, since keys may come in any order; owned. */
	struct read_row *rows;
	size_t rows_count, rows_cap;
};

/* Says what "details" is in: a finding's, and what `fix` can do about it. */
struct details_part {
	const struct finding_details *details;
	uint64_t ids_total; /* 0, unless the list is cut */
	enum repair repair;
};

extern const struct fields report_fields, finding_fields, details_fields;

/*
 * report_partial.c: "partial", what the report of a shard holds besides, so that rules can judge the sums of all
 * shards: struct dataset_stats whole, the levels of the rules, and the names of all classes. Rows instead of objects
 * keep it compact. A new sum in struct dataset_stats needs a field there.
 */
extern const struct fields partial_fields;
/* In the summary: rows and annotations of a type; since 1.2. */
#define OBJECTS(key, type)                                                                         \
	{                                                                                          \
		key, FIELD_UINT, THROUGH(report_parts, dataset), AT(dataset_stats, objects[type]), \
			.flags = FIELD_IF_SET | FIELD_LATER                                        \
	}
/* Checks that what was read can be sums of an audit with these settings, which are whole by then. */
bool report_partial_check(struct json_values *v, const struct settings *settings, const struct dataset_stats *dataset);

/* ---- report_file.c: reading ---------------------------------------------------------------------------------------
 */

/* Each reads the current value. */
bool read_schema_version(struct json_values *v, void *parts);
bool read_version(struct json_values *v, void *parts);
bool read_classes_setting(struct json_values *v, void *settings);
bool read_ignored(struct json_values *v, void *settings);
bool read_shard(struct json_values *v, void *settings);
bool read_digest(struct json_values *v, void *settings);
bool read_options(struct json_values *v, void *settings);
bool read_findings(struct json_values *v, void *parts);
bool read_details(struct json_values *v, void *kept_finding);
bool read_finding_ids(struct json_values *v, void *finding_details);
bool read_index(struct json_values *v, void *finding_details);
bool read_cause_share(struct json_values *v, void *cause);
bool read_seconds(struct json_values *v, void *report);
bool read_thread_seconds(struct json_values *v, void *report);
bool read_notes(struct json_values *v, void *report);

/* Each checks and keeps a row. */
bool keep_rule(struct json_values *v, void *findings, void *row);
bool keep_left_out(struct json_values *v, void *coverage, void *row);
bool keep_unread(struct json_values *v, void *coverage, void *row);
bool keep_class(struct json_values *v, void *tables, void *row);
bool keep_id(struct json_values *v, void *tables, void *row);
bool keep_format(struct json_values *v, void *tables, void *row);
bool keep_size(struct json_values *v, void *tables, void *row);

bool expect_partial(struct json_values *v, void *parts);
/* Completes what was read. */
bool separate_unread(struct json_values *v, void *parts);
