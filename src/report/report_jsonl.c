/*
 * The JSON lines report: a line with tool and settings when the audit begins, one for each file as it ends (in the
 * order of the walk), one with the sums. A missing last line means that the audit was killed.
 *
 * `findings` of the last line are those about the dataset; each file's are on its own line. With --images an image
 * without a label file has a line of type "image"; an archive with findings of its own has one of type "archive". These
 * hold findings alone and are not among the files that are counted.
 */
#include "report/report_json.h"

static void begin(const struct settings *settings, const char *started, struct strbuf *out)
{
	struct json_writer w;

	json_init(&w, out, true);
	json_begin_object(&w, JSON_INLINE);
	json_key_text(&w, "type", "run");
	report_json_tool(&w);
	report_json_settings(&w, settings);
	json_key_text(&w, "started", started);
	json_end(&w);
	strbuf_addch(out, '\n');
}

static const char *status_name(enum sample_status status)
{
	static const char *const names[] = { "read", "failed", "skipped" };

	return names[status];
}

static void write_finding(struct json_writer *w, const struct finding *f)
{
	json_begin_object(w, JSON_INLINE);
	json_key_text(w, "rule", f->rule->name);
	json_key_text(w, "level", level_name(f->level));
	if (f->baselined)
		json_key_bool(w, "baselined", true);
	if (f->provisional)
		json_key_bool(w, "provisional", true);
	report_json_finding_text(w, f);
	json_end(w);
}

/* Appends what a file is and what it holds. */
static void write_contents(struct json_writer *w, const struct rule_input *s)
{
	const struct sample *sample = s->sample;
	bool read = sample->status == SAMPLE_READ;
	char format[48];

	json_key_text(w, "status", status_name(sample->status));
	/* of a file that failed: from its header */
	uint64_t shape[ARRAY_RANK_MAX];
	unsigned rank = sample_shape(sample, shape);
	bool known = rank || read;

	sample_format_name(sample, format, sizeof(format));
	json_key_text(w, "format", known && format[0] ? format : NULL);
	json_key(w, "shape");
	if (rank || (read && sample_is_array(sample)))
		json_counts(w, shape, rank);
	else
		json_null(w);
	json_key_u64(w, "labels", read ? s->stats->labels : 0);
	if (read && sample->names) { /* their numbers are known after the last file only */
		json_key_array(w, "names", JSON_INLINE);
		for (size_t i = 0; i < s->stats->ids_count; i++) {
			json_begin_array(w, JSON_INLINE);
			json_text(w, sample->names->at[s->ids[i].id]);
			json_u64(w, s->ids[i].labels);
			json_end(w);
		}
		json_end(w);
	} else if (read && !s->stats->colours && !s->stats->no_ids) {
		json_key_array(w, "histogram", JSON_INLINE);
		for (size_t i = 0; i < s->stats->ids_count; i++)
			json_pair(w, s->ids[i].id, s->ids[i].labels);
		json_end(w);
	}
}

/* The workers call it for every file: it allocates only to grow out. */
static void file(const struct rule_input *s, const struct finding *findings, size_t count, struct strbuf *out)
{
	const struct sample *sample = s->sample;
	struct json_writer w;

	json_init(&w, out, true);
	json_begin_object(&w, JSON_INLINE);
	bool archive = sample->status == SAMPLE_ARCHIVE;
	bool image = s->pairing && s->pairing->state >= PAIR_NO_MASK;

	json_key_text(&w, "type", image ? "image" : archive ? "archive" : "file");
	report_json_name(&w, "path", sample->path);
	report_json_name(&w, "member", sample->member);
	if (!archive)
		write_contents(&w, s);
	if (sample->status == SAMPLE_SKIPPED && sample->left_out.reason != SKIP_NONE)
		json_key_text(&w, "reason", skip_reason_name((enum skip_reason)sample->left_out.reason));
	json_key_array(&w, "findings", JSON_INLINE);
	for (size_t i = 0; i < count; i++)
		write_finding(&w, &findings[i]);
	json_end(&w);
	json_end(&w);
	strbuf_addch(out, '\n');
}

static void end(const struct report *r, struct strbuf *out)
{
	const struct finding_list *l = r->findings;
	struct json_writer w;

	json_init(&w, out, true);
	json_begin_object(&w, JSON_INLINE);
	json_key_text(&w, "type", "summary");
	json_key_bool(&w, "complete", r->complete);
	report_json_narrowed(&w, r->settings); /* the first line has no counts yet */
	report_json_sums(&w, r);
	json_key_array(&w, "findings", JSON_INLINE);
	for (size_t i = 0; i < l->count; i++)
		if (!l->v[i].path)
			report_json_finding(&w, &l->v[i]);
	json_end(&w);
	json_key_u64(&w, "findings_total", l->total);
	report_json_run(&w, r);
	json_end(&w);
	strbuf_addch(out, '\n');
}

const struct reporter reporter_jsonl = {
	.name = "jsonl",
	.extension = "jsonl",
	.begin = begin,
	.file = file,
	.end = end,
};
