#include "report/narrowed.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"

enum { VALUE_SHOWN_MAX = 120 }; /* bytes of a value in a line for people */

/* ---- counts ----------------------------------------------------------------------------------------------------- */

/* Returns how many files the option left out. */
static uint64_t narrowed_files(const struct dataset_stats *d, const char *option)
{
	static const struct {
		const char *option;
		enum skip_reason reason;
	} reasons[] = {
		{ "exclude", SKIP_EXCLUDED }, { "include", SKIP_NOT_INCLUDED }, { "labels", SKIP_NOT_DECLARED },
		{ "kind", SKIP_OTHER_KIND },  { "preset", SKIP_NOT_PRESET },
	};

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strcmp(reasons[i].option, option))
			return d->coverage.left_out[reasons[i].reason].files;
	return NARROWING_UNCOUNTED;
}

void narrowed_count(struct narrowings *n, const struct dataset_stats *dataset, const struct finding_list *findings)
{
	for (size_t i = 0; i < n->count; i++) {
		struct narrowing *row = &n->v[i];

		row->files = narrowed_files(dataset, row->option);
		if (!strcmp(row->option, "per-path")) {
			row->files = dataset->per_path_files;
			row->findings = dataset->per_path_findings;
		} else if (!strcmp(row->option, "baseline")) {
			row->findings = findings->baselined;
		} else if (!strcmp(row->option, "severity") && !strstr(row->value, "=off")) {
			row->findings = findings->lowered;
		}
	}
}

/* ---- for people ------------------------------------------------------------------------------------------------- */

/* Appends ": 2 findings in 1 file", as far as they were counted. */
static void add_counts(const struct narrowing *row, struct strbuf *out)
{
	bool findings = row->findings != NARROWING_UNCOUNTED, files = row->files != NARROWING_UNCOUNTED;

	strbuf_adds(out, findings || files ? ": " : "");
	if (findings)
		strbuf_add_count(out, row->findings, "finding");
	strbuf_adds(out, findings && files ? " in " : "");
	if (files)
		strbuf_add_count(out, row->files, "file");
}

/* Appends a value, cut at the end of a character. */
static void add_value(const char *value, struct strbuf *out)
{
	size_t n = strlen(value), cut = utf8_cut(value, n, VALUE_SHOWN_MAX);

	strbuf_add(out, value, cut);
	strbuf_adds(out, cut < n ? "..." : "");
}

void narrowed_line(const struct settings *settings, bool counts, struct strbuf *out)
{
	const struct narrowings *n = &settings->narrowed;

	for (size_t i = 0; i < n->count; i++) {
		const struct narrowing *row = &n->v[i];

		strbuf_addf(out, "%s--%s ", i ? ", " : "narrowed by ", row->option);
		add_value(row->value, out);
		strbuf_adds(out, " (");
		add_value(row->source, out);
		if (counts)
			add_counts(row, out);
		strbuf_addch(out, ')');
	}
}
