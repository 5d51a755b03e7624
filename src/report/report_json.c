/*
 * The JSON report, schema 1.1. A minor version only adds keys. The order of keys is fixed, every list is sorted, every
 * number comes from integers; only `run` differs between two audits of the same data. schema.json describes it: change
 * both together.
 *
 * Some keys exist only if a list is cut: classes_declared, out_of_range_total, sizes_total, details.ids_total; and
 * `baselined` of a finding only if it is true.
 */
#include "report/report_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/fault.h"
#include "base/mem.h"
#include "base/version.h"
#include "base/work_units.h"
#include "report/mapping.h"
#include "report/narrowed.h"
#include "report/report_partial.h"
#include "report/tables.h"

enum { FLUSHED_BYTES = 1 << 20 }; /* of a report, at once */

/* Ignored ids are listed one by one up to here, then as ranges. */
enum { IGNORE_LISTED_MAX = 1000 };

/* ---- settings --------------------------------------------------------------------------------------------------- */

/* FNV-1a, 64 bits (Fowler, Noll, Vo): settings are compared, and nobody gains by forging them. */
static uint64_t fnv1a(const char *s, size_t n)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)s[i]) * 0x100000001b3;
	return hash;
}

const char *fail_on_name(enum level level)
{
	return level == LEVEL_OFF ? "never" : level_name(level);
}

/*
 * Hashes everything that decides a verdict, as text: reports with the same digest may be compared and merged.
 * --max-findings is left out, since counts stay exact.
 */
static uint64_t settings_digest(const struct settings *settings)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_adds(&text, "version " LABELAUDIT_VERSION "\nclasses ");
	id_ranges_format(&settings->classes.classes, &text);
	strbuf_adds(&text, "\nignore ");
	id_ranges_format(&settings->classes.ignored, &text);
	strbuf_addf(&text,
		    "\nview %s\nkind %d\nreduce_zero_label %d\nimages %d\nfail_on %s\nmax_pixels %" PRIu64
		    "\nmax_inflated %" PRIu64 "\nmax_archive_ratio %" PRIu64,
		    view_name(settings->view), (int)settings->kind, settings->reduce_zero_label, settings->pairing,
		    fail_on_name(settings->fail_on), settings->limits.max_pixels, settings->limits.max_inflated,
		    settings->limits.max_archive_ratio);
	if (settings->strict)
		strbuf_adds(&text, "\nstrict");
	if (settings->colours.count) {
		strbuf_addf(&text, "\ncolors %d ", settings->colours.presumed);
		colour_table_format(&settings->colours, &text);
	}
	if (settings->limits.pixel_budget != PIXEL_BUDGET_USUAL)
		strbuf_addf(&text, "\npixel_budget %" PRIu64, settings->limits.pixel_budget);
	if (settings->files)
		strbuf_addf(&text, "\nfiles %s", settings->files);
	if (settings->column) /* with its length: a name may hold any bytes */
		strbuf_addf(&text, "\ncolumn %zu %s", strlen(settings->column), settings->column);
	if (settings->root) /* not its value: the same data may lie elsewhere on another machine */
		strbuf_adds(&text, "\nroot");
	for (size_t i = 0; i < rule_count; i++)
		strbuf_addf(&text, "\nrule %s %s", rule_table[i]->name, level_name(settings->rule_levels[i]));
	for (size_t i = 0; i < settings->per_paths_count; i++) {
		const struct per_path *p = &settings->per_paths[i];

		strbuf_addf(&text, "\nper_path %zu %s", strlen(p->glob), p->glob);
		for (size_t rule = 0; rule < rule_count; rule++)
			if (p->off[rule])
				strbuf_addf(&text, " %s", rule_table[rule]->name);
	}
	for (size_t i = 0; i < settings->options.count; i++) {
		const struct setting_value *option = &settings->options.v[i];

		if (option->hashed)
			strbuf_addf(&text, "\n%s %zu %s", option->name, strlen(option->value), option->value);
	}
	for (size_t i = 0; i < settings->classes.names_count; i++) {
		const char *name = settings->classes.names[i];

		if (name)
			strbuf_addf(&text, "\nname %zu %zu %s", i, strlen(name), name);
	}
	uint64_t digest = fnv1a(text.s, text.len);

	strbuf_release(&text);
	return digest;
}

void report_settings_digest(const struct settings *settings, struct strbuf *out)
{
	if (settings->digest[0])
		strbuf_adds(out, settings->digest);
	else
		strbuf_addf(out, "%016llx", (unsigned long long)settings_digest(settings));
}

static void write_ranges(struct json_writer *w, const struct id_ranges *ranges)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < ranges->count; i++) {
		struct id_ranges one = { &ranges->v[i], 1, 1 };

		strbuf_clear(&text);
		id_ranges_format(&one, &text);
		json_string(w, text.s, text.len);
	}
	strbuf_release(&text);
}

/* Colours as --ignore takes them. */
static void write_id_or_colour(struct json_writer *w, int64_t id)
{
	struct strbuf text = STRBUF_INIT;

	id_format(id, &text);
	if (id_is_colour(id))
		json_string(w, text.s, text.len);
	else
		json_i64(w, id);
	strbuf_release(&text);
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

void report_json_settings(struct json_writer *w, const struct settings *settings)
{
	struct strbuf text = STRBUF_INIT;

	json_key_object(w, "settings", JSON_INLINE);
	id_ranges_format(&settings->classes.classes, &text);
	json_key_text(w, "classes", text.s);
	json_key_array(w, "ignore", JSON_INLINE);
	if (id_ranges_size(&settings->classes.ignored) <= IGNORE_LISTED_MAX)
		write_ids(w, &settings->classes.ignored);
	else
		write_ranges(w, &settings->classes.ignored);
	json_end(w);
	json_key_text(w, "view", view_name(settings->view));
	json_key_bool(w, "reduce_zero_label", settings->reduce_zero_label);
	json_key_bool(w, "strict", settings->strict);
	json_key_text(w, "fail_on", fail_on_name(settings->fail_on));
	json_key(w, "shard");
	strbuf_clear(&text);
	if (settings->shards)
		strbuf_addf(&text, "%u/%u", settings->shard, settings->shards);
	json_text(w, settings->shards ? text.s : NULL);
	strbuf_clear(&text);
	report_settings_digest(settings, &text);
	json_key_text(w, "digest", text.s);
	json_key_object(w, "options", JSON_INLINE);
	for (size_t i = 0; i < settings->options.count; i++)
		json_key_text(w, settings->options.v[i].name, settings->options.v[i].value);
	json_end(w);
	narrowed_write(w, settings);
	json_end(w);
	strbuf_release(&text);
}

void report_json_tool(struct json_writer *w)
{
	json_key_text(w, "schema_version", "1.1");
	json_key_object(w, "tool", JSON_INLINE);
	json_key_text(w, "name", "labelaudit");
	json_key_text(w, "version", LABELAUDIT_VERSION);
	json_end(w);
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

static void write_summary(struct json_writer *w, const struct report *r)
{
	const struct dataset_stats *d = r->dataset;
	const struct finding_list *l = r->findings;

	json_key_object(w, "summary", JSON_BLOCK);
	json_key_text(w, "status", r->complete && report_passes(r) ? "pass" : "fail");
	json_key_u64(w, "files", d->files);
	json_key_u64(w, "files_read", d->files_read);
	json_key_u64(w, "files_failed", d->files_failed);
	json_key_u64(w, "files_skipped", d->files_skipped);
	json_key_u64(w, "labels", d->labels);
	json_key_u64(w, "bytes", d->bytes);
	json_key_u64(w, "errors", l->by_level[LEVEL_ERROR]);
	json_key_u64(w, "warnings", l->by_level[LEVEL_WARNING]);
	json_key_u64(w, "infos", l->by_level[LEVEL_INFO]);
	json_key_u64(w, "baselined", l->baselined);
	json_key_array(w, "rules", JSON_BLOCK);
	for (size_t i = 0; i < rule_count; i++) {
		if (!l->by_rule[i])
			continue;
		json_begin_object(w, JSON_INLINE);
		json_key_text(w, "rule", rule_table[i]->name);
		json_key_text(w, "level", level_name(l->rule_worst[i]));
		json_key_u64(w, "findings", l->by_rule[i]);
		json_end(w);
	}
	json_ends(w, 2);
}

/* Lists the PATHs that are folders, archives or lists; each file that was typed has its own account in the sums. */
static void write_coverage(struct json_writer *w, const struct dataset_stats *d)
{
	const struct coverage *c = &d->coverage;

	json_key_object(w, "coverage", JSON_BLOCK);
	json_key_u64(w, "audited", d->files_read);
	json_key_u64(w, "failed", d->files_failed);
	json_key_array(w, "left_out", JSON_BLOCK);
	for (int i = 0; i < SKIP_REASONS; i++) {
		if (!c->left_out[i].files)
			continue;
		json_begin_object(w, JSON_INLINE);
		json_key_text(w, "reason", skip_reason_name((enum skip_reason)i));
		json_key_u64(w, "files", c->left_out[i].files);
		json_key_bool(w, "labels", coverage_labels_of(c, (enum skip_reason)i));
		json_key_u64(w, "label_files", coverage_labels_of(c, (enum skip_reason)i));
		report_json_name(w, "example", coverage_example(c, (enum skip_reason)i));
		json_end(w);
	}
	json_end(w);
	json_key_array(w, "unread", JSON_BLOCK);
	for (int i = UNREAD_NONE + 1; i < UNREAD_KINDS; i++) {
		if (!c->unread[i].files)
			continue;
		json_begin_object(w, JSON_INLINE);
		json_key_text(w, "kind", unread_kind_name((enum unread_kind)i));
		json_key_u64(w, "files", c->unread[i].files);
		report_json_name(w, "example", c->unread[i].example);
		json_end(w);
	}
	json_end(w);
	json_key_array(w, "paths", JSON_BLOCK);
	for (size_t i = 0; i < c->paths_count; i++) {
		const struct path_account *a = &c->paths[i];

		json_begin_object(w, JSON_INLINE);
		report_json_name(w, "path", a->path);
		json_key_u64(w, "audited", a->audited);
		json_key_u64(w, "failed", a->failed);
		json_key_u64(w, "left_out", a->left_out);
		json_key_u64(w, "label_files", a->labels);
		json_key_u64(w, "data_files", a->data);
		json_end(w);
	}
	json_ends(w, 2);
}

static void write_classes(struct json_writer *w, const struct report_tables *t, const struct dataset_stats *d)
{
	json_key_array(w, "classes", JSON_BLOCK);
	for (size_t i = 0; i < t->classes_count; i++) {
		const struct class_row *row = &t->classes[i];

		json_begin_object(w, JSON_INLINE);
		json_key_i64(w, "id", row->id);
		json_key_text(w, "name", row->name);
		json_key_u64(w, "labels", row->labels);
		json_key_u64(w, "files", row->files);
		/* of the labels that are not ignored */
		json_key_ratio(w, "fraction", row->labels, d->labels - t->ignored_labels, 6);
		json_end(w);
	}
	json_end(w);
	if (t->classes_declared > t->classes_count)
		json_key_u64(w, "classes_declared", t->classes_declared);
}

/* Appends "id", and "color" if it is one. */
static void write_id(struct json_writer *w, int64_t id)
{
	struct strbuf colour = STRBUF_INIT;

	json_key_i64(w, "id", id);
	if (!id_is_colour(id))
		return;
	id_format(id, &colour);
	json_key_text(w, "color", colour.s);
	strbuf_release(&colour);
}

/* Appends "id", "labels", "files" to the current object. */
static void write_id_total(struct json_writer *w, int64_t id, uint64_t labels, uint64_t files)
{
	write_id(w, id);
	json_key_u64(w, "labels", labels);
	json_key_u64(w, "files", files);
}

static void write_other_ids(struct json_writer *w, const struct report_tables *t)
{
	json_key_array(w, "ignored", JSON_BLOCK);
	for (size_t i = 0; i < t->ignored_count; i++) {
		json_begin_object(w, JSON_INLINE);
		write_id_total(w, t->ignored[i].id, t->ignored[i].labels, t->ignored[i].files);
		json_end(w);
	}
	json_end(w);
	json_key_array(w, "out_of_range", JSON_BLOCK);
	for (size_t i = 0; i < t->out_of_range_count; i++) {
		const struct id_total *total = t->out_of_range[i];

		json_begin_object(w, JSON_INLINE);
		write_id_total(w, total->id, total->labels, total->files);
		report_json_name(w, "example", total->example);
		json_end(w);
	}
	json_end(w);
	if (t->out_of_range_total > t->out_of_range_count)
		json_key_u64(w, "out_of_range_total", t->out_of_range_total);
}

/* A number for each class in `classes`; null for one that never occurs. */
static void write_class_weights(struct json_writer *w, const struct report_tables *t)
{
	struct strbuf number = STRBUF_INIT;

	json_key_object(w, "class_weights", JSON_BLOCK);
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
	strbuf_release(&number);
}

static void write_formats(struct json_writer *w, const struct report_tables *t)
{
	size_t sizes = MIN(t->sizes_count, (size_t)REPORT_SIZES_MAX);

	json_key_array(w, "formats", JSON_BLOCK);
	for (size_t i = 0; i < t->formats_count; i++) {
		json_begin_object(w, JSON_INLINE);
		json_key_text(w, "format", t->formats[i].name);
		json_key_u64(w, "files", t->formats[i].files);
		json_end(w);
	}
	json_end(w);
	json_key_array(w, "sizes", JSON_BLOCK);
	for (size_t i = 0; i < sizes; i++) {
		json_begin_object(w, JSON_INLINE);
		json_key(w, "shape");
		json_pair(w, t->sizes[i].height, t->sizes[i].width);
		json_key_u64(w, "files", t->sizes[i].files);
		json_end(w);
	}
	json_end(w);
	if (t->sizes_count + t->sizes_unlisted > sizes)
		json_key_u64(w, "sizes_total", t->sizes_count + t->sizes_unlisted);
}

void report_json_sums(struct json_writer *w, const struct report *r)
{
	const struct dataset_stats *d = r->dataset;
	struct report_tables tables;

	tables_init(&tables, r->settings, d);
	write_summary(w, r);
	write_coverage(w, d);
	write_classes(w, &tables, d);
	write_other_ids(w, &tables);
	json_key_array(w, "histogram", JSON_INLINE);
	for (size_t i = 0; i < d->ids_count; i++)
		json_pair(w, d->ids[i].id, d->ids[i].labels);
	json_end(w);
	write_class_weights(w, &tables);
	write_formats(w, &tables);
	tables_release(&tables);
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

void report_json_name(struct json_writer *w, const char *key, const char *name)
{
	size_t n = name ? strlen(name) : 0;

	json_key(w, key);
	json_text(w, name);
	if (!name || utf8_valid(name, n))
		return;
	char key_b64[32];

	snprintf(key_b64, sizeof(key_b64), "%s_b64", key);
	json_key(w, key_b64);
	json_base64(w, name, n);
}

void report_json_place(struct json_writer *w, const struct finding_details *d)
{
	if (d->has_first) {
		json_key_object(w, "first", JSON_INLINE);
		write_id(w, d->first_id);
		switch ((enum first_kind)d->first_kind) {
		case FIRST_XY:
			json_key_u64(w, "x", d->first_x);
			json_key_u64(w, "y", d->first_y);
			break;
		case FIRST_INDEX:
			json_key(w, "index");
			json_counts(w, d->first_at, d->first_rank);
			break;
		case FIRST_LINE:
			json_key_u64(w, "line", d->first_y);
			json_key_u64(w, "column", d->first_x);
			break;
		}
		json_end(w);
	}
	if (d->has_bbox) {
		json_key(w, "bbox");
		json_counts(w, d->bbox, 4);
	}
	if (d->offset != FAULT_NO_OFFSET)
		json_key_u64(w, "offset", d->offset);
}

/* Appends "these files look like the images; the masks seem to be in masks/: labelaudit -c 21 masks/". */
static void add_hint(const struct report *r, struct json_writer *w)
{
	struct strbuf text = STRBUF_INIT;

	if (!r->hint)
		return;
	strbuf_adds(&text, r->hint);
	if (r->next)
		strbuf_addf(&text, ": %s", r->next);
	json_text(w, text.s);
	strbuf_release(&text);
}

/* Writes the kind of cure that the finding has, if that is known. */
static void write_cure(struct json_writer *w, enum cure cure)
{
	static const char *const words[] = {
		[CURE_EXACT] = "exact", [CURE_LOSSY] = "lossy", [CURE_MAP] = "exact", [CURE_NEVER] = "never"
	};

	if (cure != CURE_UNKNOWN)
		json_key_text(w, "fix", words[cure]);
}

static void write_details(struct json_writer *w, const struct finding_details *d)
{
	if (d->ids_count) {
		json_key_array(w, "ids", JSON_INLINE);
		for (size_t i = 0; i < d->ids_count; i++)
			json_pair(w, d->ids[i].id, d->ids[i].labels);
		json_end(w);
	}
	if (d->ids_total > d->ids_count)
		json_key_u64(w, "ids_total", d->ids_total);
	report_json_place(w, d);
	if (d->line)
		json_key_u64(w, "line", d->line);
	if (d->column)
		json_key_u64(w, "column", d->column);
	if (d->pixels)
		json_key_u64(w, "pixels", d->pixels);
	if (d->count)
		json_key_u64(w, "count", d->count);
	if (d->digest) {
		char digest[17];

		snprintf(digest, sizeof(digest), "%016" PRIx64, d->digest);
		json_key_text(w, "digest", digest);
	}
	if (d->map.len) {
		json_key_text(w, "map", d->map.s);
		mapping_write(w, d->map.s);
	}
}

void report_json_finding_text(struct json_writer *w, const struct rule *rule, const char *message, const char *advice,
			      bool beyond_cure, const struct finding_details *details)
{
	json_key_text(w, "message", message);
	json_key_text(w, "advice", advice && advice[0] ? advice : NULL);
	json_key_object(w, "details", JSON_INLINE);
	if (details)
		write_details(w, details);
	write_cure(w, beyond_cure ? CURE_UNKNOWN : rule->cure);
	json_end(w);
}

void report_json_finding(struct json_writer *w, const struct kept_finding *f)
{
	json_begin_object(w, JSON_INLINE);
	json_key_text(w, "rule", f->rule->name);
	json_key_text(w, "level", level_name(f->level));
	if (f->baselined)
		json_key_bool(w, "baselined", true);
	report_json_name(w, "path", f->path);
	report_json_name(w, "member", f->member);
	report_json_finding_text(w, f->rule, f->message, f->advice, f->beyond_cure, f->details);
	json_end(w);
}

/* ---- the report ------------------------------------------------------------------------------------------------- */

void report_json_run(struct json_writer *w, const struct report *r)
{
	uint64_t ms = report_milliseconds(&r->run);

	json_key_object(w, "run", JSON_INLINE);
	json_key_text(w, "started", r->run.started);
	json_key_ratio(w, "seconds", ms, 1000, 3);
	json_key_text(w, "device", r->run.device);
	json_key_u64(w, "jobs", r->run.jobs);
	json_key_ratio(w, "files_per_second", 1000 * r->dataset->files, ms, 1);
	json_key_object(w, "thread_seconds", JSON_INLINE);
	for (int stage = 0; stage < STAGES; stage++)
		json_key_ratio(w, stage_name((enum stage)stage), r->run.stage_ns[stage] / 1000, 1000000, 6);
	json_end(w);
	if (r->run.read_ahead) {
		json_key_object(w, "read_ahead", JSON_INLINE);
		json_key_u64(w, "files", r->run.read_ahead);
		json_key_u64(w, "under_way", r->run.under_way);
		json_end(w);
	}
	json_key_u64(w, "peak_memory", r->run.peak_memory);
	json_key_array(w, "notes", JSON_INLINE);
	if (r->run.note[0])
		json_text(w, r->run.note);
	if (r->run.baseline_note[0])
		json_text(w, r->run.baseline_note);
	add_hint(r, w);
	json_ends(w, 2);
}

static void end(const struct report *r, struct strbuf *out)
{
	struct json_writer w;

	json_init(&w, out, false);
	json_begin_object(&w, JSON_BLOCK);
	report_json_tool(&w);
	json_key_bool(&w, "complete", r->complete);
	report_json_settings(&w, r->settings);
	report_json_sums(&w, r);
	json_key_array(&w, "findings", JSON_BLOCK);
	for (size_t i = 0; i < r->findings->count; i++) {
		report_json_finding(&w, &r->findings->v[i]);
		if (out->len < FLUSHED_BYTES)
			continue;
		finding_list_relax(r->findings);
		report_flush(r, out);
	}
	json_end(&w);
	json_key_u64(&w, "findings_total", r->findings->total);
	json_key_u64(&w, "findings_listed", r->findings->count);
	if (r->settings->shards)
		report_partial_write(&w, r);
	report_json_run(&w, r);
	json_end(&w);
	strbuf_addch(out, '\n');
}

const struct reporter reporter_json = { .name = "json", .extension = "json", .end = end };
