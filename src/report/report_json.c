/*
 * The JSON report, schema 1.2: its fields, of which it is written, read back (report_file.c) and its JSON Schema made.
 * A minor version only adds keys. The order of keys is fixed, every list is sorted, every number comes from integers;
 * only `run` differs between two audits of the same data.
 */
#include "report/report_json.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/fault.h"
#include "base/version.h"
#include "report/mapping.h"
#include "report/report_fields.h"

enum { FLUSHED_BYTES = 1 << 20 }; /* of a report, at once */

/* Ignored ids are listed one by one up to here, then as ranges. */
enum { IGNORE_LISTED_MAX = 1000 };

/* ---- words ------------------------------------------------------------------------------------------------------ */

static const char *repair_name(enum repair repair)
{
	static const char *const words[] = {
		[REPAIR_EXACT] = "exact", [REPAIR_LOSSY] = "lossy", [REPAIR_MAP] = "exact", [REPAIR_NEVER] = "never"
	};

	return words[repair];
}

#define WORDS(scope, words, what, function, type, first, end) \
	static const char *name_of_##words(int value)         \
	{                                                     \
		return function((enum type)value);            \
	}                                                     \
	scope const struct field_words words = { what, name_of_##words, first, end }

WORDS(, level_words, "a level", level_name, level, LEVEL_INFO, LEVEL_ERROR + 1);
WORDS(static, fail_ons, "a level", fail_on_name, level, LEVEL_OFF, LEVEL_ERROR + 1);
WORDS(static, views, "a view", view_name, view, VIEW_PIL, VIEW_CV2 + 1);
WORDS(static, reasons, "a reason", skip_reason_name, skip_reason, SKIP_NONE + 1, SKIP_REASONS);
WORDS(static, kinds, "a kind", unread_kind_name, unread_kind, UNREAD_NONE + 1, UNREAD_KINDS);
WORDS(static, repairs, "exact, lossy or never", repair_name, repair, REPAIR_EXACT, REPAIR_NEVER + 1);

/* ---- tool, settings --------------------------------------------------------------------------------------------- */

static const struct field tool_list[] = {
	{ "name", FIELD_CONST, .text = "labelaudit" },
	{ "version", FIELD_CONST, .text = LABELAUDIT_VERSION, .read = read_version, .schema = "'type': 'string'" },
};
static const struct fields tool_fields = FIELDS(tool_list);

static void write_ranges(struct json_writer *w, const struct id_ranges *ranges)
{
	RELEASED struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < ranges->count; i++) {
		struct id_ranges one = { &ranges->v[i], 1, 1 };

		strbuf_clear(&text);
		id_ranges_format(&one, &text);
		json_string(w, text.s, text.len);
	}
}

/* Colours as --ignore takes them. */
static void write_id_or_colour(struct json_writer *w, int64_t id)
{
	RELEASED struct strbuf text = STRBUF_INIT;

	id_format(id, &text);
	if (id_is_colour(id))
		json_string(w, text.s, text.len);
	else
		json_i64(w, id);
}

static void write_ids(struct json_writer *w, const struct id_ranges *ranges)
{
	for (size_t i = 0; i < ranges->count; i++)
		for (int64_t id = ranges->v[i].first;; id++) {
			write_id_or_colour(w, id);
			if (id == ranges->v[i].last)
				break;
		}
}

static void write_classes_setting(struct json_writer *w, const void *settings)
{
	const struct settings *s = settings;
	RELEASED struct strbuf text = STRBUF_INIT;

	id_ranges_format(&s->classes.classes, &text);
	json_text(w, text.s);
}

static void write_ignored(struct json_writer *w, const void *settings)
{
	const struct id_ranges *ignored = &((const struct settings *)settings)->classes.ignored;

	json_begin_array(w, JSON_INLINE);
	if (id_ranges_size(ignored) <= IGNORE_LISTED_MAX)
		write_ids(w, ignored);
	else
		write_ranges(w, ignored);
	json_end(w);
}

static void write_shard(struct json_writer *w, const void *settings)
{
	const struct settings *s = settings;
	char text[32];

	snprintf(text, sizeof(text), "%u/%u", s->shard, s->shards);
	json_text(w, s->shards ? text : NULL);
}

static void write_digest(struct json_writer *w, const void *settings)
{
	RELEASED struct strbuf text = STRBUF_INIT;

	report_settings_digest(settings, &text);
	json_text(w, text.s);
}

static void write_options(struct json_writer *w, const void *settings)
{
	const struct setting_values *options = &((const struct settings *)settings)->options;

	json_begin_object(w, JSON_INLINE);
	for (size_t i = 0; i < options->count; i++)
		json_key_text(w, options->v[i].name, options->v[i].value);
	json_end(w);
}

static const struct field narrowing_list[] = {
	{ "option", FIELD_TEXT, AT(narrowing, option), .flags = FIELD_NEEDED, .schema = "'type': 'string'" },
	{ "value", FIELD_TEXT, AT(narrowing, value), .flags = FIELD_NEEDED, .schema = "'type': 'string'",
	  .doc = "several are separated by commas" },
	{ "source", FIELD_TEXT, AT(narrowing, source), .flags = FIELD_NEEDED, .schema = "'type': 'string'",
	  .doc = "command line, or the path of the configuration file" },
	{ "files", FIELD_UINT, AT(narrowing, files), .flags = FIELD_NULL_IF_MAX,
	  .doc = "that it left out; null: not counted" },
	{ "findings", FIELD_UINT, AT(narrowing, findings), .flags = FIELD_NULL_IF_MAX,
	  .doc = "that it left out or lowered; null: not counted" },
};
static const struct field_rows narrowing_rows = { ROWS(narrowing_list, narrowing, settings, narrowed.v, narrowed.count),
						  KEPT_IN(settings, narrowed.cap, OPTIONS_MAX) };

static const struct field settings_list[] = {
	{ "classes", FIELD_OTHER, .write = write_classes_setting, .read = read_classes_setting,
	  .schema = "'type': 'string'" },
	{ "ignore", FIELD_OTHER, .write = write_ignored, .read = read_ignored,
	  .schema = "'type': 'array', 'items': {'type': ['integer', 'string']}",
	  .doc = "ids, and colours as #rrggbb; ranges where there are more than 1000" },
	{ "view", FIELD_WORD, AT(settings, view), .words = &views },
	{ "reduce_zero_label", FIELD_BOOL, AT(settings, reduce_zero_label) },
	{ "strict", FIELD_BOOL, AT(settings, strict), .flags = FIELD_LATER,
	  .doc = "what looks like labels and was left out is an error; since 1.1" },
	{ "fail_on", FIELD_WORD, AT(settings, fail_on), .words = &fail_ons },
	{ "shard", FIELD_OTHER, .write = write_shard, .read = read_shard,
	  .schema = "'type': ['string', 'null'], 'pattern': '^[0-9]+/[0-9]+$'",
	  .doc = "3/64: the third of 64; null: the whole" },
	{ "digest", FIELD_OTHER, .write = write_digest, .read = read_digest, .flags = FIELD_NEEDED,
	  .schema = "'type': 'string', 'pattern': '^[0-9a-f]{16}$'", .doc = "of everything that decides a verdict" },
	{ "options", FIELD_OTHER, .write = write_options, .read = read_options, .flags = FIELD_LATER,
	  .schema = "'type': 'object', 'additionalProperties': {'type': 'string'}",
	  .doc = "1.1: what was typed or set that decides the report; lists with commas" },
	{ "narrowed", FIELD_LIST, .rows = &narrowing_rows, .flags = FIELD_LATER,
	  .doc = "1.1: options and settings that left something out or lowered a level" },
};
static const struct fields settings_fields = FIELDS(settings_list);

/* ---- summary, coverage ------------------------------------------------------------------------------------------ */

static bool get_rule(const void *findings, size_t i, void *row)
{
	const struct finding_list *l = findings;
	size_t rule = 0;

	for (; rule < rule_count && (!l->by_rule[rule] || i); rule++)
		i -= l->by_rule[rule] != 0;
	if (rule < rule_count)
		*(struct rule_row *)row = (struct rule_row){ rule_table[rule], l->rule_worst[rule], l->by_rule[rule] };
	return rule < rule_count;
}

static const struct field rule_list[] = {
	{ "rule", FIELD_RULE, AT(rule_row, rule) },
	{ "level", FIELD_WORD, AT(rule_row, level), .words = &level_words },
	{ "findings", FIELD_UINT, AT(rule_row, findings) },
};
static const struct field_rows rule_rows = {
	.fields = FIELDS(rule_list), .size = sizeof(struct rule_row), .get = get_rule, .put = keep_rule
};

#define OF_DATASET  THROUGH(report_parts, dataset)
#define OF_FINDINGS THROUGH(report_parts, findings)

static const struct field summary_list[] = {
	{ "status", FIELD_CHARS, AT(report_parts, status), .flags = FIELD_DERIVED,
	  .schema = "'enum': ['pass', 'fail']" },
	{ "files", FIELD_UINT, OF_DATASET, AT(dataset_stats, files) },
	{ "files_read", FIELD_UINT, OF_DATASET, AT(dataset_stats, files_read) },
	{ "files_failed", FIELD_UINT, OF_DATASET, AT(dataset_stats, files_failed) },
	{ "files_skipped", FIELD_UINT, OF_DATASET, AT(dataset_stats, files_skipped) },
	{ "labels", FIELD_UINT, OF_DATASET, AT(dataset_stats, labels) },
	{ "bytes", FIELD_UINT, OF_DATASET, AT(dataset_stats, bytes) },
	OBJECTS("boxes", BOX_RECTANGLE),
	OBJECTS("polygons", BOX_POLYGON),
	OBJECTS("oriented_boxes", BOX_ORIENTED),
	OBJECTS("poses", BOX_POSE),
	{ "errors", FIELD_UINT, OF_FINDINGS, AT(finding_list, by_level[LEVEL_ERROR]) },
	{ "warnings", FIELD_UINT, OF_FINDINGS, AT(finding_list, by_level[LEVEL_WARNING]) },
	{ "infos", FIELD_UINT, OF_FINDINGS, AT(finding_list, by_level[LEVEL_INFO]) },
	{ "baselined", FIELD_UINT, OF_FINDINGS, AT(finding_list, baselined) },
	{ "rules", FIELD_LIST, OF_FINDINGS, .rows = &rule_rows, .flags = FIELD_BLOCK },
};
static const struct fields summary_fields = FIELDS(summary_list);

static bool get_left_out(const void *coverage, size_t i, void *row)
{
	const struct coverage *c = coverage;
	enum skip_reason at = SKIP_NONE;

	for (; at < SKIP_REASONS && (!c->left_out[at].files || i); at++)
		i -= c->left_out[at].files != 0;
	if (at == SKIP_REASONS)
		return false;
	uint64_t labels = coverage_labels_of(c, at);

	*(struct left_out_row *)row =
		(struct left_out_row){ at, c->left_out[at].files, labels, labels, coverage_example(c, at) };
	return true;
}

static const struct field left_out_list[] = {
	{ "reason", FIELD_WORD, AT(left_out_row, reason), .words = &reasons },
	{ "files", FIELD_UINT, AT(left_out_row, files) },
	{ "labels", FIELD_BOOL, AT(left_out_row, labels), .doc = "some of them look like labels" },
	{ "label_files", FIELD_UINT, AT(left_out_row, label_files) },
	{ "example", FIELD_PATH, AT(left_out_row, example) },
};
static const struct field_rows left_out_rows = {
	.fields = FIELDS(left_out_list), .size = sizeof(struct left_out_row), .get = get_left_out, .put = keep_left_out
};

static bool get_unread(const void *coverage, size_t i, void *row)
{
	const struct coverage *c = coverage;
	enum unread_kind at = UNREAD_NONE + 1;

	for (; at < UNREAD_KINDS && (!c->unread[at].files || i); at++)
		i -= c->unread[at].files != 0;
	if (at < UNREAD_KINDS)
		*(struct unread_row *)row = (struct unread_row){ at, c->unread[at].files, c->unread[at].example };
	return at < UNREAD_KINDS;
}

static const struct field unread_list[] = {
	{ "kind", FIELD_WORD, AT(unread_row, kind), .words = &kinds },
	{ "files", FIELD_UINT, AT(unread_row, files) },
	{ "example", FIELD_PATH, AT(unread_row, example) },
};
static const struct field_rows unread_rows = {
	.fields = FIELDS(unread_list), .size = sizeof(struct unread_row), .get = get_unread, .put = keep_unread
};

static const struct field path_list[] = {
	{ "path", FIELD_PATH, AT(path_account, path), .flags = FIELD_NEEDED },
	{ "audited", FIELD_UINT, AT(path_account, audited) },
	{ "failed", FIELD_UINT, AT(path_account, failed) },
	{ "left_out", FIELD_UINT, AT(path_account, left_out) },
	{ "label_files", FIELD_UINT, AT(path_account, labels),
	  .doc = "of those left out, the files that look like labels" },
	{ "data_files", FIELD_UINT, AT(path_account, data),
	  .doc = "of those left out, the files that are labels, images or annotations of any kind; --allow empty "
		 "passes a path without these" },
};
static const struct field_rows path_rows = { ROWS(path_list, path_account, coverage, paths, paths_count),
					     KEPT_IN(coverage, paths_cap, SIZE_MAX) };

#define OF_COVERAGE OF_DATASET, AT(dataset_stats, coverage)

static const struct field coverage_members[] = {
	{ "audited", FIELD_UINT, OF_DATASET, AT(dataset_stats, files_read), .flags = FIELD_DERIVED },
	{ "failed", FIELD_UINT, OF_DATASET, AT(dataset_stats, files_failed), .flags = FIELD_DERIVED },
	{ "left_out", FIELD_LIST, OF_COVERAGE, .rows = &left_out_rows, .flags = FIELD_BLOCK },
	{ "unread", FIELD_LIST, OF_COVERAGE, .rows = &unread_rows, .flags = FIELD_BLOCK | FIELD_LATER,
	  .doc = "of the label files left out, those in known formats that are not read" },
	{ "paths", FIELD_LIST, OF_COVERAGE, .rows = &path_rows, .flags = FIELD_BLOCK,
	  .doc = "folders, archives and lists, as typed" },
};
static const struct fields coverage_fields = FIELDS(coverage_members);

static void write_share(struct json_writer *w, const void *cause)
{
	const uint64_t share = ((const struct cause *)cause)->share;

	if (share == DIAGNOSIS_UNCOUNTED)
		json_null(w);
	else
		decimal_ratio(json_value(w), share, 1000000, 6);
}

static const struct field cause_list[] = {
	{ "cause", FIELD_RULE, AT(cause, rule), .flags = FIELD_NEEDED, .doc = "the rule that names it" },
	{ "level", FIELD_WORD, AT(cause, level), .words = &level_words,
	  .doc = "the worst of its findings and of those that it explains" },
	{ "files", FIELD_UINT, AT(cause, files), .flags = FIELD_NULL_IF_MAX,
	  .doc = "with such findings; null: it is about the set" },
	{ "findings", FIELD_UINT, AT(cause, findings), .doc = "its own, and those that it explains" },
	{ "labels", FIELD_UINT, AT(cause, labels), .flags = FIELD_NULL_IF_MAX,
	  .doc = "out of range; null: it is not about these" },
	{ "share", FIELD_OTHER, .write = write_share, .read = read_cause_share, .flags = FIELD_LATER,
	  .schema = "'type': ['number', 'null'], 'maximum': 1", .doc = "of all labels that are not ignored" },
	{ "example", FIELD_PATH, AT(cause, example), .doc = "a file that shows it; null: none is known" },
	{ "member", FIELD_PATH, AT(cause, member) },
	{ "place", FIELD_TEXT, AT(cause, place), .flags = FIELD_LATER, .doc = "in it: x 3, y 7; line 2, column 1" },
	{ "message", FIELD_TEXT, AT(cause, message), .doc = "of the finding that shows it" },
	{ "remedy", FIELD_TEXT, AT(cause, remedy), .doc = "what to do" },
	{ "command", FIELD_TEXT, AT(cause, command), .flags = FIELD_LATER, .doc = "that writes a corrected copy" },
	{ "changes", FIELD_UINT, AT(cause, changes), .flags = FIELD_IF_SET, .doc = "files that the command changes" },
	{ "changes_at_least", FIELD_BOOL, AT(cause, changes_at_least), .flags = FIELD_IF_SET },
};
static const struct field_rows cause_rows = { ROWS(cause_list, cause, diagnosis, v, count),
					      KEPT_IN(diagnosis, cap, CAUSES_MAX) };

static const struct field folder_list[] = {
	{ "folder", FIELD_PATH, AT(folder_fact, path), .flags = FIELD_NEEDED,
	  .doc = "of a folder; * is one of many alike, or what names have before a common end" },
	{ "files", FIELD_UINT, AT(folder_fact, files) },
	{ "kind", FIELD_TEXT, AT(folder_fact, kind), .flags = FIELD_NEEDED },
	{ "content", FIELD_TEXT, AT(folder_fact, content), .flags = FIELD_NEEDED },
	{ "role", FIELD_TEXT, AT(folder_fact, role), .flags = FIELD_NEEDED },
	{ "audited", FIELD_BOOL, AT(folder_fact, audited) },
	{ "pair", FIELD_PATH, AT(folder_fact, pair) },
	{ "rule", FIELD_TEXT, AT(folder_fact, rule), .flags = FIELD_NEEDED },
};
static const struct field_rows folder_rows = { ROWS(folder_list, folder_fact, coverage, folders, folders_count),
					       KEPT_IN(coverage, folders_cap, FOLDER_FACTS_MAX) };

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static void write_fraction(struct json_writer *w, const void *row)
{
	const struct id_row *r = row;

	decimal_ratio(json_value(w), r->labels, r->whole, 6);
}

/* The colour of the id, which is the member. */
static void write_colour(struct json_writer *w, const void *id)
{
	RELEASED struct strbuf colour = STRBUF_INIT;

	if (!id_is_colour(*(const int64_t *)id))
		return;
	id_format(*(const int64_t *)id, &colour);
	json_key_text(w, "color", colour.s);
}

#define COLOUR_OF(...)                                                   \
	{ NULL, FIELD_OTHER, __VA_ARGS__, .write = write_colour },       \
	{                                                                \
		"color", FIELD_NONE, .schema = "'$ref': '#/$defs/color'" \
	}

static const struct field class_list[] = {
	{ "id", FIELD_ID, AT(id_row, id) },
	{ "name", FIELD_TEXT, AT(id_row, name) },
	{ "labels", FIELD_UINT, AT(id_row, labels) },
	{ "files", FIELD_UINT, AT(id_row, files) },
	{ "fraction", FIELD_OTHER, .write = write_fraction, .schema = "'type': 'number', 'minimum': 0, 'maximum': 1",
	  .doc = "of the labels that are not ignored" },
};
static const struct field_rows class_rows = { ROWS(class_list, id_row, report_tables, classes, classes_count),
					      .put = keep_class };

static const struct field ignored_list[] = {
	{ "id", FIELD_ID, AT(id_row, id) },
	COLOUR_OF(AT(id_row, id)),
	{ "labels", FIELD_UINT, AT(id_row, labels) },
	{ "files", FIELD_UINT, AT(id_row, files) },
};
static const struct field_rows ignored_rows = { ROWS(ignored_list, id_row, report_tables, ignored, ignored_count),
						.put = keep_id };

static const struct field out_of_range_list[] = {
	{ "id", FIELD_ID, AT(id_row, id) },
	COLOUR_OF(AT(id_row, id)),
	{ "labels", FIELD_UINT, AT(id_row, labels) },
	{ "files", FIELD_UINT, AT(id_row, files) },
	{ "example", FIELD_PATH, AT(id_row, example) },
};
static const struct field_rows out_of_range_rows = {
	ROWS(out_of_range_list, id_row, report_tables, out_of_range, out_of_range_count), .put = keep_id
};

static const struct field histogram_columns[] = {
	{ NULL, FIELD_ID, AT(id_total, id) },
	{ NULL, FIELD_UINT, AT(id_total, labels) },
};
static const struct field_rows histogram_rows = { ROWS(histogram_columns, id_total, dataset_stats, ids, ids_count),
						  KEPT_IN(dataset_stats, ids_cap, DATASET_IDS_MAX) };

/* The report of a shard has more of its sums in `partial`. */
static bool is_part(const void *parts)
{
	return ((const struct report_parts *)parts)->settings->shards != 0;
}

/* A number for each class in `classes`; null for one that never occurs. */
static void write_class_weights(struct json_writer *w, const void *tables)
{
	const struct report_tables *t = tables;
	RELEASED struct strbuf number = STRBUF_INIT;

	json_begin_object(w, JSON_BLOCK);
	for (int weight = 0; weight < CLASS_WEIGHTS; weight++) {
		json_key_array(w, class_weight_name((enum class_weight)weight), JSON_INLINE);
		for (size_t i = 0; i < t->classes_count; i++) {
			strbuf_clear(&number);
			if (class_weight_add(&number, t, i, (enum class_weight)weight))
				strbuf_add(json_value(w), number.s, number.len);
			else
				json_null(w);
		}
		json_end(w);
	}
	json_end(w);
}

static const struct field format_list[] = {
	{ "format", FIELD_CHARS, AT(format_row, name) },
	{ "files", FIELD_UINT, AT(format_row, files) },
};
static const struct field_rows format_rows = { ROWS(format_list, format_row, report_tables, formats, formats_count),
					       .put = keep_format };

static const struct field shape_list[] = {
	{ NULL, FIELD_UINT, AT(size_total, height) },
	{ NULL, FIELD_UINT, AT(size_total, width) },
};
static const struct fields shape_fields = FIELDS(shape_list);
static const struct field size_list[] = {
	{ "shape", FIELD_ROW, .members = &shape_fields,
	  .schema = "'type': 'array', 'items': {'$ref': '#/$defs/count'}, 'minItems': 2, 'maxItems': 2" },
	{ "files", FIELD_UINT, AT(size_total, files) },
};
static const struct field_rows size_rows = { ROWS(size_list, size_total, report_tables, sizes, sizes_count),
					     .max = REPORT_SIZES_MAX, .put = keep_size };

/* ---- findings --------------------------------------------------------------------------------------------------- */

static void write_finding_ids(struct json_writer *w, const void *details)
{
	const struct finding_details *d = details;

	if (!d->ids_count)
		return;
	json_key_array(w, "ids", JSON_INLINE);
	for (size_t i = 0; i < d->ids_count; i++)
		json_pair(w, d->ids[i].id, d->ids[i].labels);
	json_end(w);
}

static void write_index(struct json_writer *w, const void *details)
{
	const struct finding_details *d = details;

	json_counts(w, d->first_at, d->first_rank);
}

static const struct field first_list[] = {
	{ "id", FIELD_ID, AT(finding_details, first_id) },
	COLOUR_OF(AT(finding_details, first_id)),
	{ "x", FIELD_UINT, AT(finding_details, first_x), WHEN(finding_details, first_kind, FIRST_XY) },
	{ "y", FIELD_UINT, AT(finding_details, first_y), WHEN(finding_details, first_kind, FIRST_XY) },
	{ "index", FIELD_OTHER, WHEN(finding_details, first_kind, FIRST_INDEX), .write = write_index,
	  .read = read_index, .schema = "'type': 'array', 'items': {'$ref': '#/$defs/count'}" },
	{ "line", FIELD_UINT, AT(finding_details, first_y), WHEN(finding_details, first_kind, FIRST_LINE) },
	{ "column", FIELD_UINT, AT(finding_details, first_x), WHEN(finding_details, first_kind, FIRST_LINE) },
};
static const struct fields first_fields = FIELDS(first_list);

#define OF_DETAILS THROUGH(details_part, details)

static const struct field details_list[] = {
	{ "ids", FIELD_NONE, OF_DETAILS, .read = read_finding_ids,
	  .schema = "'type': 'array', 'items': {'$ref': '#/$defs/id_count'}" },
	{ NULL, FIELD_OTHER, OF_DETAILS, .write = write_finding_ids },
	{ "ids_total", FIELD_UINT, AT(details_part, ids_total), .flags = FIELD_IF_SET },
	{ "first", FIELD_OBJECT, OF_DETAILS, WHEN(finding_details, has_first, true), .members = &first_fields,
	  .schema = "'oneOf': [{'required': ['x', 'y']}, {'required': ['index']}, {'required': ['line', 'column']}]",
	  .doc = "lines and columns from 1, the others from 0" },
	{ "bbox", FIELD_UINT, OF_DETAILS, AT(finding_details, bbox), WHEN(finding_details, has_bbox, true),
	  .doc = "x, y, width, height" },
	{ "offset", FIELD_UINT, OF_DETAILS, AT(finding_details, offset), .flags = FIELD_UNLESS_MAX },
	{ "line", FIELD_UINT, OF_DETAILS, AT(finding_details, line), .flags = FIELD_IF_SET },
	{ "column", FIELD_UINT, OF_DETAILS, AT(finding_details, column), .flags = FIELD_IF_SET },
	{ "pixels", FIELD_UINT, OF_DETAILS, AT(finding_details, pixels), .flags = FIELD_IF_SET },
	{ "count", FIELD_UINT, OF_DETAILS, AT(finding_details, count), .flags = FIELD_IF_SET,
	  .doc = "1.1: rows, objects, files or masks that it is about" },
	{ "digest", FIELD_HEX, OF_DETAILS, AT(finding_details, digest), .flags = FIELD_IF_SET,
	  .doc = "1.1: of these, in whatever order" },
	{ "map", FIELD_CHARS, OF_DETAILS, AT(finding_details, map.s), .flags = FIELD_IF_SET },
	{ NULL, FIELD_OTHER, OF_DETAILS, AT(finding_details, map.s), .write = mapping_write },
	{ "mapping", FIELD_NONE,
	  .schema = "'type': 'array', 'items': {'type': 'array', 'items': {'type': 'integer'}, "
		    "'minItems': 2, 'maxItems': 2}",
	  .doc = "1.1: the map as data, [id, what it becomes]" },
	{ "others", FIELD_NONE, .schema = "'type': 'integer'", .doc = "1.1: what all other ids become" },
	{ "fix", FIELD_WORD, AT(details_part, repair), .words = &repairs, .flags = FIELD_IF_SET,
	  .schema = "'enum': ['exact', 'lossy', 'never']",
	  .doc = "1.1: whether labelaudit fix can put the ids right without the source: of a file's finding, if the "
		 "file is the set; of the set's, if one map fits all of its files; absent if not, or unknown" },
};
const struct fields details_fields = FIELDS(details_list);
static const struct fields place_fields = { .v = details_list + 3, .count = 3 };

void report_json_place(struct json_writer *w, const struct finding_details *d)
{
	fields_write(w, &place_fields, &(struct details_part){ .details = d });
}

static void write_details(struct json_writer *w, const struct finding_details *d, enum repair repair)
{
	static const struct finding_details none = { .offset = FAULT_NO_OFFSET };
	struct details_part part = { d ? d : &none, d && d->ids_total > d->ids_count ? d->ids_total : 0, repair };

	json_begin_object(w, JSON_INLINE);
	fields_write(w, &details_fields, &part);
	json_end(w);
}

static void write_kept_details(struct json_writer *w, const void *finding)
{
	const struct kept_finding *f = finding;

	write_details(w, f->details, f->unrepairable ? REPAIR_UNKNOWN : f->rule->repair);
}

static const struct field finding_members[] = {
	{ "rule", FIELD_RULE, AT(kept_finding, rule) },
	{ "level", FIELD_WORD, AT(kept_finding, level), .words = &level_words },
	{ "baselined", FIELD_BOOL, AT(kept_finding, baselined), .flags = FIELD_IF_SET, .schema = "'const': true",
	  .doc = "only if the baseline knows it" },
	{ "path", FIELD_PATH, AT(kept_finding, path), .doc = "null: about the dataset" },
	{ "member", FIELD_PATH, AT(kept_finding, member) },
	{ "message", FIELD_TEXT, AT(kept_finding, message), .schema = "'type': 'string'" },
	{ "advice", FIELD_TEXT, AT(kept_finding, advice) },
	{ "example", FIELD_PATH, AT(kept_finding, example), .flags = FIELD_IF_SET,
	  .doc = "of a finding about the dataset: the first file that shows it; since 1.2" },
	{ "explained_by", FIELD_RULE, AT(kept_finding, explained_by), .flags = FIELD_IF_SET,
	  .doc = "the cause in diagnosis that it comes from; absent: it is one itself; since 1.2" },
	{ "details", FIELD_OTHER, .write = write_kept_details, .read = read_details,
	  .schema = "'$ref': '#/$defs/details'" },
};
const struct fields finding_fields = FIELDS(finding_members);

void report_json_finding_text(struct json_writer *w, const struct finding *f)
{
	json_key_text(w, "message", f->message.s);
	json_key_text(w, "advice", f->advice.len ? f->advice.s : NULL);
	json_key(w, "details");
	write_details(w, &f->details, f->unrepairable ? REPAIR_UNKNOWN : f->rule->repair);
}

void report_json_finding(struct json_writer *w, const struct kept_finding *f)
{
	json_begin_object(w, JSON_INLINE);
	fields_write(w, &finding_fields, f);
	json_end(w);
}

static void write_findings(struct json_writer *w, const void *parts)
{
	const struct report *r = ((const struct report_parts *)parts)->report;

	json_begin_array(w, JSON_BLOCK);
	for (size_t i = 0; i < r->findings->count; i++) {
		report_json_finding(w, &r->findings->v[i]);
		if (w->out->len < FLUSHED_BYTES)
			continue;
		report_flush(r, w->out);
	}
	json_end(w);
}

/* ---- run -------------------------------------------------------------------------------------------------------- */

static void write_seconds(struct json_writer *w, const void *report)
{
	decimal_ratio(json_value(w), report_milliseconds(&((const struct report *)report)->run), 1000, 3);
}

static void write_rate(struct json_writer *w, const void *report)
{
	const struct report *r = report;

	decimal_ratio(json_value(w), 1000 * r->dataset->files, report_milliseconds(&r->run), 1);
}

static void write_thread_seconds(struct json_writer *w, const void *report)
{
	const struct report *r = report;

	json_begin_object(w, JSON_INLINE);
	for (int stage = 0; stage < STAGES; stage++)
		json_key_ratio(w, stage_name((enum stage)stage), r->run.stage_ns[stage] / 1000, 1000000, 6);
	json_end(w);
}

static void write_notes(struct json_writer *w, const void *report)
{
	const struct report *r = report;
	RELEASED struct strbuf hint = STRBUF_INIT;

	json_begin_array(w, JSON_INLINE);
	if (r->run.note[0])
		json_text(w, r->run.note);
	if (r->run.baseline_note[0])
		json_text(w, r->run.baseline_note);
	if (r->hint) /* "these files look like the images; the masks seem to be in masks/: labelaudit -c 21 masks/" */
		strbuf_addf(&hint, "%s%s%s", r->hint, r->next ? ": " : "", r->next ? r->next : "");
	if (r->hint)
		json_text(w, hint.s);
	json_end(w);
}

#define OF_REPORT THROUGH(report_parts, report)

static const struct field read_ahead_list[] = {
	{ "files", FIELD_UINT, .at = 0, .size = sizeof(uint64_t) },
	{ "under_way", FIELD_UINT, .at = offsetof(struct run_facts, under_way) - offsetof(struct run_facts, read_ahead),
	  .size = sizeof(uint64_t) },
};
static const struct fields read_ahead_fields = FIELDS(read_ahead_list);

static const struct field run_list[] = {
	{ "started", FIELD_CHARS, OF_REPORT, AT(report, run.started),
	  .schema = "'type': 'string', 'format': 'date-time'" },
	{ "seconds", FIELD_OTHER, OF_REPORT, .write = write_seconds, .read = read_seconds,
	  .schema = "'type': 'number', 'minimum': 0" },
	{ "device", FIELD_CHARS, OF_REPORT, AT(report, run.device) },
	{ "jobs", FIELD_UINT, OF_REPORT, AT(report, run.jobs) },
	{ "files_per_second", FIELD_OTHER, OF_REPORT, .write = write_rate, .schema = "'type': 'number', 'minimum': 0" },
	{ "thread_seconds", FIELD_OTHER, OF_REPORT, .write = write_thread_seconds, .read = read_thread_seconds,
	  .flags = FIELD_LATER, .schema = "'type': 'object', 'additionalProperties': {'type': 'number', 'minimum': 0}",
	  .doc = "where the threads' time went, added up over them" },
	{ "read_ahead", FIELD_OBJECT, OF_REPORT, AT(report, run.read_ahead), .flags = FIELD_IF_SET,
	  .members = &read_ahead_fields,
	  .doc = "files that were read before they were asked for, since storage was late, and the most at a time" },
	{ "peak_memory", FIELD_UINT, OF_REPORT, AT(report, run.peak_memory), .flags = FIELD_LATER },
	{ "notes", FIELD_OTHER, OF_REPORT, .write = write_notes, .read = read_notes,
	  .schema = "'type': 'array', 'items': {'type': 'string'}" },
};
static const struct fields run_fields = FIELDS(run_list);

/* ---- the report ------------------------------------------------------------------------------------------------- */

#define WEIGHTS   "{'type': 'array', 'items': {'type': ['number', 'null'], 'minimum': 0}}"
#define OF_TABLES AT(report_parts, tables)

enum { TOOL_FIELDS = 2, SETTINGS_AT = 3, SUMS_AT = 4, SUMS_END = 17 }; /* indices of the following */

static const struct field report_list[] = {
	{ "schema_version", FIELD_CONST, .text = "1.2", .read = read_schema_version,
	  .schema = "'type': 'string', 'pattern': '^1\\\\.[0-9]+$'" },
	{ "tool", FIELD_OBJECT, .members = &tool_fields },
	{ "complete", FIELD_BOOL, OF_REPORT, AT(report, complete),
	  .doc = "false: interrupted, or something could not be read" },
	{ "settings", FIELD_OBJECT, THROUGH(report_parts, settings), .flags = FIELD_NEEDED,
	  .members = &settings_fields },
	{ "summary", FIELD_OBJECT, .flags = FIELD_NEEDED | FIELD_BLOCK, .members = &summary_fields },
	{ "diagnosis", FIELD_LIST, THROUGH(report_parts, diagnosis), .rows = &cause_rows,
	  .flags = FIELD_LATER | FIELD_BLOCK,
	  .doc = "the causes of the findings, what stops a training first; empty in a shard; since 1.2" },
	{ "coverage", FIELD_OBJECT, .flags = FIELD_LATER | FIELD_BLOCK, .members = &coverage_fields,
	  .check = separate_unread, .doc = "what became of every name below the PATHs; since 1.1" },
	{ "classes", FIELD_LIST, OF_TABLES, .skip = is_part, .rows = &class_rows, .flags = FIELD_BLOCK },
	{ "classes_declared", FIELD_UINT, AT(report_parts, classes_declared), .flags = FIELD_IF_SET,
	  .doc = "only if more than 65536: classes then lists those that occur" },
	{ "ignored", FIELD_LIST, OF_TABLES, .skip = is_part, .rows = &ignored_rows, .flags = FIELD_BLOCK },
	{ "out_of_range", FIELD_LIST, OF_TABLES, .skip = is_part, .rows = &out_of_range_rows, .flags = FIELD_BLOCK },
	{ "out_of_range_total", FIELD_UINT, AT(report_parts, out_of_range_total), .flags = FIELD_IF_SET,
	  .doc = "only if more than the list holds" },
	{ "histogram", FIELD_TABLE, THROUGH(report_parts, dataset), .rows = &histogram_rows, .skip = is_part,
	  .schema = "'type': 'array', 'items': {'$ref': '#/$defs/id_count'}" },
	{ "class_weights", FIELD_OTHER, OF_TABLES, .write = write_class_weights,
	  .schema = "'type': 'object', 'required': ['median_frequency', 'inverse_frequency'], 'properties': "
		    "{'median_frequency': " WEIGHTS ", 'inverse_frequency': " WEIGHTS ", "
		    "'effective_number': " WEIGHTS "}",
	  .doc = "one a class in classes; null: it never occurs; effective_number, since 1.1: beta is 1 - 1 / labels "
		 "of all classes; their mean is 1" },
	{ "formats", FIELD_LIST, OF_TABLES, .skip = is_part, .rows = &format_rows, .flags = FIELD_BLOCK },
	{ "sizes", FIELD_LIST, OF_TABLES, .skip = is_part, .rows = &size_rows, .flags = FIELD_BLOCK },
	{ "sizes_total", FIELD_UINT, AT(report_parts, sizes_total), .flags = FIELD_IF_SET,
	  .doc = "only if more than the list holds" },
	{ "findings", FIELD_OTHER, .write = write_findings, .read = read_findings,
	  .schema = "'type': 'array', 'items': {'$ref': '#/$defs/finding'}" },
	{ "findings_total", FIELD_UINT, AT(report_parts, findings_total) },
	{ "findings_listed", FIELD_UINT, AT(report_parts, findings_listed) },
	{ "layout", FIELD_LIST, OF_COVERAGE, .rows = &folder_rows, .flags = FIELD_LATER | FIELD_BLOCK,
	  .doc = "by folder what was decided to be labels, and by which rule (docs/layout.md); since 1.2" },
	{ "partial", FIELD_OBJECT, WHEN(report_parts, is_shard, true), .flags = FIELD_OPAQUE | FIELD_BLOCK,
	  .expect = expect_partial, .members = &partial_fields, .doc = "only of a shard: the sums that merge needs" },
	{ "run", FIELD_OBJECT, .members = &run_fields },
};
const struct fields report_fields = FIELDS(report_list);
static const struct fields tool_and_version = { .v = report_list, .count = TOOL_FIELDS };
static const struct fields only_settings = { .v = report_list + SETTINGS_AT, .count = 1 };
static const struct fields only_narrowed = { .v = settings_list + ARRAY_SIZE(settings_list) - 1, .count = 1 };
static const struct fields sums = { .v = report_list + SUMS_AT, .count = SUMS_END - SUMS_AT };
static const struct fields only_run = { .v = report_list + ARRAY_SIZE(report_list) - 1, .count = 1 };

/* Writes fields that need the tables. */
static void write_with_tables(struct json_writer *w, const struct fields *fields, const struct report *r)
{
	struct report_parts p = { .report = r,
				  .settings = r->settings,
				  .dataset = r->dataset,
				  .findings = r->findings,
				  .diagnosis = report_diagnosis(r),
				  .findings_total = r->findings->total,
				  .findings_listed = r->findings->count,
				  .is_shard = r->settings->shards > 0 };
	struct report_tables *t = &p.tables;

	snprintf(p.status, sizeof(p.status), "%s", r->complete && report_passes(r) ? "pass" : "fail");
	tables_init(t, r->settings, r->dataset);
	/* only if the list is cut */
	p.classes_declared = t->classes_declared > t->classes_count ? t->classes_declared : 0;
	p.out_of_range_total = t->out_of_range_total > t->out_of_range_count ? t->out_of_range_total : 0;
	p.sizes_total = t->sizes_count + t->sizes_unlisted;
	if (p.sizes_total <= MIN(t->sizes_count, (size_t)REPORT_SIZES_MAX))
		p.sizes_total = 0;
	fields_write(w, fields, &p);
	tables_release(t);
}

void report_json_tool(struct json_writer *w)
{
	fields_write(w, &tool_and_version, &(struct report_parts){ 0 });
}

void report_json_settings(struct json_writer *w, const struct settings *settings)
{
	fields_write(w, &only_settings, &(struct report_parts){ .settings = settings });
}

void report_json_narrowed(struct json_writer *w, const struct settings *settings)
{
	fields_write(w, &only_narrowed, settings);
}

void report_json_sums(struct json_writer *w, const struct report *r)
{
	write_with_tables(w, &sums, r);
}

void report_json_run(struct json_writer *w, const struct report *r)
{
	fields_write(w, &only_run, &(struct report_parts){ .report = r });
}

static void end(const struct report *r, struct strbuf *out)
{
	struct json_writer w;

	json_init(&w, out, false);
	json_begin_object(&w, JSON_BLOCK);
	write_with_tables(&w, &report_fields, r);
	json_end(&w);
	strbuf_addch(out, '\n');
}

const struct reporter reporter_json = { .name = "json", .extension = "json", .end = end };

void report_json_layout(struct json_writer *w, const struct coverage *coverage)
{
	json_begin_array(w, JSON_BLOCK);
	for (size_t i = 0; i < coverage->folders_count; i++) {
		json_begin_object(w, JSON_INLINE);
		fields_write(w, &folder_rows.fields, &coverage->folders[i]);
		json_end(w);
	}
	json_end(w);
}
