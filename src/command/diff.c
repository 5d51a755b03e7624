/*
 * `labelaudit diff`: compares two JSON reports.
 *
 * A finding is the same if rule, path and member are; one whose level rose counts as new. Where a report's list is cut
 * (--max-findings), the findings of files after its last one are unknown and left out; the counts of each rule are
 * exact all the same.
 */
#include "command/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/lower_bound.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/write_all.h"
#include "command/commands.h"
#include "output/targets.h"
#include "report/output_file.h"
#include "report/settings_difference.h"
#include "report/tables.h"

/* ---- classes ---------------------------------------------------------------------------------------------------- */

static void add_class(struct diff *d, const struct id_row *row, int side, uint64_t whole)
{
	size_t at = 0;

	while (at < d->classes_count && d->classes[at].id < row->id)
		at++;
	if (at == d->classes_count || d->classes[at].id != row->id) {
		OPEN_ENTRY(d->classes, d->classes_cap, d->classes_count, at);
		d->classes[at] = (struct diff_class){ .id = row->id };
	}
	struct diff_class *c = &d->classes[at];

	c->name = row->name ? row->name : c->name;
	c->labels[side] = row->labels;
	c->share[side] = whole ? (uint64_t)(((decimal_wide)row->labels * 1000000 + whole / 2) / whole) : 0;
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

uint64_t diff_move(const struct diff_class *c)
{
	return MAX(c->share[DIFF_OLD], c->share[DIFF_NEW]) - MIN(c->share[DIFF_OLD], c->share[DIFF_NEW]);
}

bool diff_class_appeared(const struct diff_class *c)
{
	return !c->labels[DIFF_OLD] && c->labels[DIFF_NEW];
}

bool diff_class_vanished(const struct diff_class *c)
{
	return c->labels[DIFF_OLD] && !c->labels[DIFF_NEW];
}

bool diff_class_drifted(const struct diff *d, const struct diff_class *c)
{
	return d->drift_max && diff_move(c) > d->drift_max;
}

static void compare_classes(struct diff *d)
{
	uint64_t moves = 0;

	add_classes(d, DIFF_OLD);
	add_classes(d, DIFF_NEW);
	for (size_t i = 0; i < d->classes_count; i++) {
		moves += diff_move(&d->classes[i]);
		d->drifted += diff_class_drifted(d, &d->classes[i]);
	}
	d->distance = moves / 2;
}

/* Largest move first, then by id. */
static int compare_moves(const void *pa, const void *pb)
{
	const struct diff_class *a = *(const struct diff_class *const *)pa, *b = *(const struct diff_class *const *)pb;

	if (diff_move(a) != diff_move(b))
		return diff_move(a) > diff_move(b) ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

const struct diff_class **diff_changed_classes(const struct diff *d, size_t *count)
{
	/* half of the last digit that people see */
	static const uint64_t move_shown = 50;
	const struct diff_class **changed = xcalloc(d->classes_count + 1, sizeof(*changed));

	*count = 0;
	for (size_t i = 0; i < d->classes_count; i++) {
		const struct diff_class *c = &d->classes[i];

		if (diff_move(c) >= move_shown || diff_class_appeared(c) || diff_class_vanished(c) ||
		    diff_class_drifted(d, c))
			changed[(*count)++] = c;
	}
	if (*count)
		qsort(changed, *count, sizeof(*changed), compare_moves);
	return changed;
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

static void add_finding(struct diff_findings *l, const struct kept_finding *f)
{
	GROW(l->v, l->cap, l->count + 1);
	l->v[l->count++] = f;
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
			if (!beyond(d, &old->v[i]))
				add_finding(&d->fixed, &old->v[i]);
			i++;
			continue;
		}
		const struct kept_finding *f = &new->v[j++];
		bool appeared = order > 0 || f->level > old->v[i].level;

		i += order == 0;
		if (!appeared || beyond(d, f))
			continue;
		add_finding(&d->appeared, f);
		d->worse = d->worse || (d->fail_on != LEVEL_OFF && f->level >= d->fail_on);
	}
	for (size_t rule = 0; rule < rule_count && d->cut && d->fail_on != LEVEL_OFF; rule++)
		if (new->by_rule[rule] > old->by_rule[rule] && new->rule_worst[rule] >= d->fail_on)
			d->worse = true;
}

bool diff_fails(const struct diff *d)
{
	return d->worse || d->drifted;
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

/*
 * Fails if the two reports cannot be compared: incomplete audits, other shards, and without `force` other settings.
 * paths: their names, for messages.
 */
static enum status diff_check_comparable(const struct report_file *const reports[2], const char *const paths[2],
					 bool force, struct error *err)
{
	RELEASED struct strbuf difference = STRBUF_INIT;

	for (int side = DIFF_OLD; side <= DIFF_NEW; side++)
		if (!reports[side]->report.complete)
			return error_set(err, "%s: the report of an incomplete audit cannot be compared", paths[side]);
	const struct settings *old = &reports[DIFF_OLD]->settings, *new = &reports[DIFF_NEW]->settings;

	if (old->shard != new->shard || old->shards != new->shards)
		return error_set(err, "the reports are of different shards: merge them first");
	if (!force && settings_difference(reports[DIFF_OLD], reports[DIFF_NEW], &difference))
		return error_set(err, "the reports were made with other settings: %s (--allow settings compares them)",
				 difference.s);
	return STATUS_OK;
}

static const struct diff_form *find_form(const char *name)
{
	for (size_t i = 0; i < DIFF_FORMS; i++)
		if (!strcmp(diff_forms[i].name, name))
			return &diff_forms[i];
	return NULL;
}

/* Fails for a form that a comparison does not have. */
static enum status check_form(const char *name, struct error *err)
{
	if (find_form(name) || !strcmp(name, "none"))
		return STATUS_OK;
	return error_set(err,
			 "a comparison can be written as text, json or markdown, not as %s (for a pull request: "
			 "--format markdown)",
			 name);
}

static void write_form(const struct diff *d, const char *name, const struct output_options *style, struct strbuf *out)
{
	const struct diff_form *form = find_form(name);

	strbuf_clear(out);
	if (form)
		form->write(d, style, out);
}

/* Writes the comparison to each -o, which is complete or unchanged, then to standard output. */
static enum status write_forms(const struct diff *d, const struct options *options, int *signal_number,
			       struct error *err)
{
	enum status status = targets_check(options, err);
	RELEASED struct strbuf text = STRBUF_INIT;
	struct output_file file;

	stop_install(output_file_remove_temporary); /* from here on a temporary file may have to be removed */
	for (size_t i = 0; i < options->output.files_count && status == STATUS_OK; i++) {
		status = output_file_open(&file, options->output.files[i].path, err);
		if (status != STATUS_OK)
			break;
		write_form(d, options->output.files[i].format, &(struct output_options){ 0 }, &text);
		status = output_file_write(&file, text.s, text.len, err);
		if (status == STATUS_OK)
			status = output_file_commit(&file, err);
		else
			output_file_abort(&file);
	}
	if (status == STATUS_OK) {
		write_form(d, options->output.format, &options->output, &text);
		status = write_stdout(&text, signal_number, err);
	}
	return status;
}

enum status diff_run(const struct options *options, int *signal_number, struct error *err)
{
	struct report_file *reports[2] = { NULL, NULL };
	struct diff d = { .fail_on = options->settings.fail_on, .drift_max = options->drift };
	enum status status = check_form(options->output.format, err);

	*signal_number = 0;
	for (size_t i = 0; i < options->output.files_count && status == STATUS_OK; i++)
		status = check_form(options->output.files[i].format, err);
	for (int side = DIFF_OLD; side <= DIFF_NEW && status == STATUS_OK; side++) {
		d.paths[side] = options->words.v[side];
		status = report_file_read(&reports[side], d.paths[side], UINT64_MAX, err);
		d.reports[side] = reports[side];
	}
	if (status == STATUS_OK)
		status = diff_check_comparable(d.reports, d.paths, options->allowed & ALLOW_SETTINGS, err);
	if (status != STATUS_OK)
		goto out;
	compare_classes(&d);
	compare_findings(&d);
	status = write_forms(&d, options, signal_number, err);
	if (status == STATUS_OK && diff_fails(&d))
		status = STATUS_FINDINGS;
out:
	free(d.classes);
	free(d.appeared.v);
	free(d.fixed.v);
	report_file_free(reports[DIFF_OLD]);
	report_file_free(reports[DIFF_NEW]);
	return status;
}
