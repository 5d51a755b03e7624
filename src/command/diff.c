#include "command/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/write_all.h"
#include "report/output_file.h"
#include "report/tables.h"

/* ---- classes ---------------------------------------------------------------------------------------------------- */

static void add_class(struct diff *d, const struct class_row *row, int side, uint64_t whole)
{
	size_t at = 0;

	while (at < d->classes_count && d->classes[at].id < row->id)
		at++;
	if (at == d->classes_count || d->classes[at].id != row->id) {
		GROW(d->classes, d->classes_cap, d->classes_count + 1);
		memmove(d->classes + at + 1, d->classes + at, (d->classes_count - at) * sizeof(*d->classes));
		d->classes_count++;
		d->classes[at] = (struct diff_class){ .id = row->id };
	}
	struct diff_class *c = &d->classes[at];

	c->name = row->name ? row->name : c->name;
	c->labels[side] = row->labels;
	c->fraction[side] = whole ? (uint64_t)(((decimal_wide)row->labels * 1000000 + whole / 2) / whole) : 0;
}

/* Rows come sorted by id, so the search for a row's place starts at the last one. */
static void add_classes(struct diff *d, int side)
{
	const struct report_file *r = d->reports[side];
	struct report_tables tables;

	tables_init(&tables, &r->settings, &r->dataset);
	for (size_t i = 0; i < tables.classes_count; i++)
		add_class(d, &tables.classes[i], side, r->dataset.labels - tables.ignored_labels);
	tables_release(&tables);
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

/* Lowers the horizon to the last finding about a file in a list that is cut. */
static void look_ahead(struct diff *d, const struct finding_list *l)
{
	const struct kept_finding *last = NULL;

	if (l->count == l->total)
		return;
	for (size_t i = 0; i < l->count; i++)
		if (l->v[i].path)
			last = &l->v[i];
	if (!d->cut || (d->horizon && (!last || kept_finding_compare(last, d->horizon) < 0)))
		d->horizon = last;
	d->cut = true;
}

static bool beyond(const struct diff *d, const struct kept_finding *f)
{
	return d->cut && f->path && (!d->horizon || kept_finding_compare(f, d->horizon) > 0);
}

static void compare_findings(struct diff *d)
{
	const struct finding_list *old = &d->reports[DIFF_OLD]->findings, *new = &d->reports[DIFF_NEW]->findings;
	size_t i = 0, j = 0;

	look_ahead(d, old);
	look_ahead(d, new);
	while (i < old->count || j < new->count) {
		int order = i == old->count ? 1 : j == new->count ? -1 : kept_finding_compare(&old->v[i], &new->v[j]);

		if (order < 0) {
			if (!beyond(d, &old->v[i])) {
				GROW(d->fixed, d->fixed_cap, d->fixed_count + 1);
				d->fixed[d->fixed_count++] = &old->v[i];
			}
			i++;
			continue;
		}
		const struct kept_finding *f = &new->v[j++];
		bool appeared = order > 0 || f->level > old->v[i].level;

		i += order == 0;
		if (!appeared || beyond(d, f))
			continue;
		GROW(d->appeared, d->appeared_cap, d->appeared_count + 1);
		d->appeared[d->appeared_count++] = f;
		d->worse = d->worse || (d->fail_on != LEVEL_OFF && f->level >= d->fail_on);
	}
	for (size_t rule = 0; rule < rule_count && d->cut && d->fail_on != LEVEL_OFF; rule++)
		if (new->by_rule[rule] > old->by_rule[rule] && new->rule_worst[rule] >= d->fail_on)
			d->worse = true;
}

static void compare(struct diff *d)
{
	add_classes(d, DIFF_OLD);
	add_classes(d, DIFF_NEW);
	compare_findings(d);
}

static void release(struct diff *d)
{
	free(d->classes);
	free(d->appeared);
	free(d->fixed);
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static enum status check_form(const char *form, struct error *err)
{
	if (!strcmp(form, "text") || !strcmp(form, "json") || !strcmp(form, "none"))
		return STATUS_OK;
	return error_set(err, "a comparison can be written as text or json, not as %s", form);
}

static enum status check_comparable(const struct diff *d, struct error *err)
{
	for (int side = DIFF_OLD; side <= DIFF_NEW; side++)
		if (!d->reports[side]->report.complete)
			return error_set(err, "%s: the report of an audit that is not complete cannot be compared",
					 d->paths[side]);
	const struct settings *old = &d->reports[DIFF_OLD]->settings, *new = &d->reports[DIFF_NEW]->settings;

	if (old->shard != new->shard || old->shards != new->shards)
		return error_set(err, "the reports are of different shards: merge them first");
	return STATUS_OK;
}

static void write_form(const struct diff *d, const char *form, bool colour, int verbosity, struct strbuf *out)
{
	strbuf_clear(out);
	if (!strcmp(form, "text"))
		diff_text(d, colour, verbosity, out);
	else if (!strcmp(form, "json"))
		diff_json(d, out);
}

static enum status write_file(const struct diff *d, const struct output *output, struct error *err)
{
	struct output_file file;
	struct strbuf text = STRBUF_INIT;
	enum status status = output_file_open(&file, output->path, err);

	if (status != STATUS_OK)
		return status;
	write_form(d, output->format, false, 0, &text);
	status = output_file_write(&file, text.s, text.len, err);
	if (status == STATUS_OK)
		status = output_file_commit(&file, err);
	else
		output_file_abort(&file);
	strbuf_release(&text);
	return status;
}

enum status diff_run(const struct options *options, int *signal_number, struct error *err)
{
	struct report_file *reports[2] = { NULL, NULL };
	struct diff d = { .fail_on = options->settings.fail_on };
	struct strbuf text = STRBUF_INIT;
	enum status status = check_form(options->format, err);

	*signal_number = 0;
	for (size_t i = 0; i < options->outputs_count && status == STATUS_OK; i++)
		status = check_form(options->outputs[i].format, err);
	for (int side = DIFF_OLD; side <= DIFF_NEW && status == STATUS_OK; side++) {
		d.paths[side] = options->words.v[side];
		status = report_file_read(&reports[side], d.paths[side], UINT64_MAX, err);
		d.reports[side] = reports[side];
	}
	if (status == STATUS_OK)
		status = check_comparable(&d, err);
	if (status != STATUS_OK)
		goto out;
	compare(&d);
	stop_install(output_file_remove_temporary); /* from here on a temporary file may have to be removed */
	for (size_t i = 0; i < options->outputs_count && status == STATUS_OK; i++)
		status = write_file(&d, &options->outputs[i], err);
	write_form(&d, options->format, options->colour == WHEN_ALWAYS, options->verbosity, &text);
	if (status == STATUS_OK)
		status = write_stdout(&text, signal_number, err);
	if (status == STATUS_OK && d.worse)
		status = STATUS_FINDINGS;
out:
	release(&d);
	strbuf_release(&text);
	report_file_free(reports[DIFF_OLD]);
	report_file_free(reports[DIFF_NEW]);
	return status;
}
