/*
 * The SARIF report, 2.1.0 (OASIS, sarif-schema-2.1.0.json), for code scanning services.
 *
 * GitHub shows 5,000 results of an upload and refuses one with more than 25,000. So at most 5,000 are written, the
 * worst first, with at least one of each rule that fired; those left out become one result per rule, with their number.
 * GitHub refuses a result without a region; a mask has no lines, so the region is line 1, and the pixels are
 * properties.
 */
#include <string.h>

#include "base/escape.h"
#include "base/fault.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/version.h"
#include "report/json_writer.h"
#include "report/narrowed.h"
#include "report/report_json.h"
#include "report/selection.h"

/* GitHub keeps as many (docs: "SARIF results file limits"). */
enum { RESULTS_MAX = PLANTED(results_of_sarif, 5000, 50000) };

static const char *sarif_level(enum level level)
{
	return level == LEVEL_ERROR ? "error" : level == LEVEL_WARNING ? "warning" : "note";
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* Appends the first paragraph under "What it finds", on one line. */
#define HEADING "What it finds\n"
static void full_description(const struct rule *rule, struct strbuf *out)
{
	const char *docs = strstr(rule_docs[rule_index(rule)], HEADING) + strlen(HEADING);
	const size_t n = (size_t)(strstr(docs, "\n\n") - docs);

	for (size_t i = 0; i < n; i++)
		if (docs[i] != ' ' || (i && docs[i - 1] != '\n' && docs[i - 1] != ' '))
			strbuf_addch(out, docs[i] == '\n' ? ' ' : docs[i]);
}

static void write_rule(struct json_writer *w, const struct rule *rule)
{
	RELEASED struct strbuf full = STRBUF_INIT, uri = STRBUF_INIT;

	json_begin_object(w, JSON_BLOCK);
	json_key_text(w, "id", rule->name);
	json_key_in_object(w, "shortDescription", "text", rule->summary);
	full_description(rule, &full);
	json_key_in_object(w, "fullDescription", "text", full.s);
	json_key_in_object(w, "help", "text", rule_docs[rule_index(rule)]);
	strbuf_addf(&uri, LABELAUDIT_HOMEPAGE "/blob/v" LABELAUDIT_VERSION "/docs/rules.md#%s", rule->name);
	if (uri.s[0] != '/') /* the address is known */
		json_key_text(w, "helpUri", uri.s);
	json_key_in_object(w, "defaultConfiguration", "level", sarif_level(rule->level));
	json_key_object(w, "properties", JSON_INLINE);
	json_key_array(w, "tags", JSON_INLINE);
	json_text(w, rule->category);
	json_end(w);
	json_key_text(w, "precision", rule->level == LEVEL_ERROR ? "very-high" : "high"); /* GitHub's words */
	json_key_text(w, "problem.severity",
		      rule->level == LEVEL_ERROR  ? "error"
		      : rule->level == LEVEL_INFO ? "recommendation"
						  : "warning");
	json_ends(w, 2);
}

/* Lists the rules that fired; index_of receives the index in the list of each rule in rule_table. */
static void write_tool(struct json_writer *w, const struct report *r, size_t *index_of)
{
	size_t count = 0;

	json_key_object(w, "tool", JSON_BLOCK);
	json_key_object(w, "driver", JSON_BLOCK);
	json_key_text(w, "name", "labelaudit");
	json_key_text(w, "version", LABELAUDIT_VERSION);
	json_key_text(w, "semanticVersion", LABELAUDIT_VERSION);
	json_key_array(w, "rules", JSON_BLOCK);
	for (size_t i = 0; i < rule_count; i++) {
		if (!r->findings->by_rule[i])
			continue;
		index_of[i] = count++;
		write_rule(w, rule_table[i]);
	}
	json_ends(w, 3);
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

/*
 * Appends text from outside to a message, which pages show. "](" would turn the text before it into a link (section
 * 3.11.6); a blank between the two prevents that.
 */
static void add_inert(struct strbuf *out, const char *s)
{
	RELEASED struct strbuf inert = STRBUF_INIT;

	escape_terminal(&inert, s, strlen(s));
	for (size_t i = 0; i < inert.len; i++) {
		strbuf_addch(out, inert.s[i]);
		if (inert.s[i] == ']' && inert.s[i + 1] == '(')
			strbuf_addch(out, ' ');
	}
}

/* f: NULL for a result that is no single finding. */
static void write_locations(struct json_writer *w, const struct report *r, const struct kept_finding *f)
{
	const char *member = f ? f->member : NULL;
	uint64_t column = 0, line = f ? finding_line(f, &column) : 1;
	RELEASED struct strbuf uri = STRBUF_INIT, path = STRBUF_INIT;

	/* an absolute path has an absolute URI; a relative one is relative to the checkout */
	finding_repository_path(r, f, &path);
	if (path.s[0] == '/')
		strbuf_adds(&uri, "file://");
	escape_uri_path(&uri, path.s, path.len);
	json_key_array(w, "locations", JSON_INLINE);
	json_begin_object(w, JSON_INLINE);
	json_key_object(w, "physicalLocation", JSON_INLINE);
	json_key_in_object(w, "artifactLocation", "uri", uri.s);
	json_key_object(w, "region", JSON_INLINE);
	json_key_u64(w, "startLine", MIN(line, (uint64_t)INT32_MAX));
	if (column)
		json_key_u64(w, "startColumn", MIN(column, (uint64_t)INT32_MAX));
	json_ends(w, 2);
	if (member) {
		json_key_array(w, "logicalLocations", JSON_INLINE);
		json_begin_object(w, JSON_INLINE);
		json_key_text(w, "fullyQualifiedName", member);
		json_key_text(w, "kind", "resource");
		json_ends(w, 2);
	}
	json_ends(w, 2);
}

static void write_properties(struct json_writer *w, const struct kept_finding *f)
{
	const struct finding_details *d = f->details;
	const bool has_place = d && (d->has_first || d->has_bbox || d->offset != FAULT_NO_OFFSET || d->pixels);

	if (!has_place && !f->explained_by)
		return;
	json_key_object(w, "properties", JSON_INLINE);
	if (f->explained_by)
		json_key_text(w, "explained_by", f->explained_by->name);
	if (has_place)
		report_json_place(w, d);
	if (has_place && d->pixels)
		json_key_u64(w, "pixels", d->pixels);
	json_end(w);
}

/*
 * GitHub knows an alert by primaryLocationLineHash alone: the hash of a line's text, and a number among lines of the
 * same text. Where it is missing, GitHub hashes the first line of the file, which is the same in all masks of one size.
 */
static void write_fingerprints(struct json_writer *w, const char fingerprint[FINGERPRINT_SIZE])
{
	enum { HASH_DIGITS = 16 };
	char hash[HASH_DIGITS + sizeof(":1")];

	memcpy(hash, fingerprint, HASH_DIGITS);
	memcpy(hash + HASH_DIGITS, ":1", sizeof(":1"));
	json_key_object(w, "partialFingerprints", JSON_INLINE);
	json_key_text(w, "labelaudit/v1", fingerprint);
	json_key_text(w, "primaryLocationLineHash", hash);
	json_end(w);
}

static void describe(const struct report *r, const struct kept_finding *f, struct strbuf *out)
{
	const char *fix = report_fix(r, f->explained_by ? f->explained_by : f->rule);

	finding_describe(f, add_inert, out);
	if (!fix)
		return;
	strbuf_adds(out, ". A corrected copy: ");
	add_inert(out, fix);
}

/* chosen: NULL for the findings of the rule that are left out. */
static void write_result(struct json_writer *w, const struct report *r, const struct selection *l, size_t rule,
			 const struct selected *chosen, const size_t *index_of)
{
	const struct kept_finding *f = chosen ? chosen->finding : NULL;
	RELEASED struct strbuf text = STRBUF_INIT;
	char fingerprint[FINGERPRINT_SIZE];

	selection_identify(r, rule, chosen, fingerprint);
	if (f)
		describe(r, f, &text);
	else
		selection_add_more(l, rule, &text);
	json_begin_object(w, JSON_BLOCK);
	json_key_text(w, "ruleId", rule_table[rule]->name);
	json_key_u64(w, "ruleIndex", index_of[rule]);
	json_key_text(w, "level", sarif_level(f ? f->level : r->findings->rule_worst[rule]));
	json_key_in_object(w, "message", "text", text.s);
	write_locations(w, r, f);
	write_fingerprints(w, fingerprint);
	if (f)
		write_properties(w, f);
	json_end(w);
}

static void write_results(struct json_writer *w, const struct report *r, const struct selection *l,
			  const size_t *index_of)
{
	json_key_array(w, "results", JSON_BLOCK);
	for (int level = LEVEL_ERROR, at = 0; level >= LEVEL_INFO; level--) {
		for (; (size_t)at < l->count && (int)l->v[at].finding->level == level; at++)
			write_result(w, r, l, rule_index(l->v[at].finding->rule), &l->v[at], index_of);
		for (size_t i = 0; i < rule_count; i++)
			if (l->more[i] && (int)r->findings->rule_worst[i] == level)
				write_result(w, r, l, i, NULL, index_of);
	}
	json_end(w);
}

/* A notification about how the tool was configured (section 3.20.20). */
static void write_narrowed(struct json_writer *w, const struct report *r)
{
	RELEASED struct strbuf line = STRBUF_INIT, inert = STRBUF_INIT;

	narrowed_line(r->settings, true, &line);
	add_inert(&inert, line.s);
	if (line.len) {
		json_key_array(w, "toolConfigurationNotifications", JSON_INLINE);
		json_begin_object(w, JSON_INLINE);
		json_key_text(w, "level", "note");
		json_key_in_object(w, "message", "text", inert.s);
		json_ends(w, 2);
	}
}

static void end(const struct report *r, struct strbuf *out)
{
	FREED size_t *index_of = xcalloc(rule_count + 1, sizeof(*index_of));
	struct selection chosen;
	struct json_writer w;

	selection_init(&chosen, r->findings, RESULTS_MAX, 0, 0);
	json_init(&w, out, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_text(&w, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_key_text(&w, "version", "2.1.0");
	json_key_array(&w, "runs", JSON_BLOCK);
	json_begin_object(&w, JSON_BLOCK);
	write_tool(&w, r, index_of);
	json_key_array(&w, "invocations", JSON_INLINE);
	json_begin_object(&w, JSON_INLINE);
	json_key_bool(&w, "executionSuccessful", r->complete);
	write_narrowed(&w, r);
	json_ends(&w, 2);
	write_results(&w, r, &chosen, index_of);
	json_key_object(&w, "properties", JSON_INLINE);
	json_key_u64(&w, "files", r->dataset->files);
	json_key_object(&w, "left_out", JSON_INLINE);
	for (int i = 0; i < SKIP_REASONS; i++)
		if (r->dataset->coverage.left_out[i].files)
			json_key_u64(&w, skip_reason_name((enum skip_reason)i), r->dataset->coverage.left_out[i].files);
	json_end(&w);
	json_key_u64(&w, "labels", r->dataset->labels);
	json_key_u64(&w, "findings", r->findings->total);
	json_key_bool(&w, "truncated", chosen.more_rules != 0);
	json_ends(&w, 4);
	strbuf_addch(out, '\n');
	selection_release(&chosen);
}

const struct reporter reporter_sarif = { .name = "sarif", .extension = "sarif,sarif.json", .end = end };
