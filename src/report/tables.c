#include "report/tables.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/lower_bound.h"
#include "base/mem.h"

static struct id_row row_of(const struct settings *settings, int64_t id, const struct id_total *total)
{
	return (struct id_row){
		.id = id,
		.name = class_set_get_name(&settings->classes, id),
		.labels = total ? total->labels : 0,
		.files = total ? total->files : 0,
		.example = total ? total->example : NULL,
	};
}

static void add_class(struct report_tables *t, size_t *cap, struct id_row row)
{
	GROW(t->classes, *cap, t->classes_count + 1);
	t->classes[t->classes_count++] = row;
}

/* Lists every declared class. Both lists are sorted, so one pass finds the counts. */
static void list_declared(struct report_tables *t, const struct settings *settings, const struct dataset_stats *d)
{
	const struct id_ranges *ranges = &settings->classes.classes;
	size_t at = 0, cap = 0;

	for (size_t i = 0; i < ranges->count; i++) {
		for (int64_t id = ranges->v[i].first;; id++) {
			int64_t in_file = settings_file_id(settings, id);

			while (at < d->ids_count && d->ids[at].id < in_file)
				at++;
			/* a reduced zero label is ignored and no class, whatever its number */
			bool occurs = at < d->ids_count && d->ids[at].id == in_file &&
				      settings_role(settings, in_file) == ID_CLASS;

			if (!id_ranges_contain(&settings->classes.ignored, id))
				add_class(t, &cap, row_of(settings, id, occurs ? &d->ids[at] : NULL));
			if (id == ranges->v[i].last)
				break;
		}
	}
	t->classes_declared = t->classes_count;
}

static void list_present(struct report_tables *t, const struct settings *settings, const struct dataset_stats *d)
{
	size_t cap = 0;

	for (size_t i = 0; i < d->ids_count; i++)
		if (settings_role(settings, d->ids[i].id) == ID_CLASS)
			add_class(t, &cap, row_of(settings, settings_trained_id(settings, d->ids[i].id), &d->ids[i]));
}

/* Finds the median over the classes that occur: the others have no frequency. */
static void find_median(struct report_tables *t)
{
	FREED uint64_t *labels = xmalloc((t->classes_count + 1) * sizeof(*labels));
	size_t n = 0;

	for (size_t i = 0; i < t->classes_count; i++)
		if (t->classes[i].labels)
			labels[n++] = t->classes[i].labels;
	t->classes_present = n;
	if (n) {
		qsort(labels, n, sizeof(*labels), compare_uint64);
		if (__builtin_add_overflow(labels[(n - 1) / 2], labels[n / 2], &t->median_twice))
			t->median_twice = UINT64_MAX;
	}
}

static void list_others(struct report_tables *t, const struct settings *settings, const struct dataset_stats *d)
{
	size_t ignored_cap = 0, out_of_range_cap = 0;

	for (size_t i = 0; i < d->ids_count; i++) {
		const struct id_total *total = &d->ids[i];

		switch (settings_role(settings, total->id)) {
		case ID_CLASS:
			t->class_labels += total->labels;
			break;
		case ID_IGNORED:
			GROW(t->ignored, ignored_cap, t->ignored_count + 1);
			t->ignored[t->ignored_count++] = row_of(settings, total->id, total);
			t->ignored_labels += total->labels;
			break;
		case ID_INVALID:
			t->out_of_range_total++;
			t->out_of_range_labels += total->labels;
			if (t->out_of_range_count == REPORT_OUT_OF_RANGE_MAX)
				break;
			GROW(t->out_of_range, out_of_range_cap, t->out_of_range_count + 1);
			t->out_of_range[t->out_of_range_count++] = row_of(settings, total->id, total);
			break;
		}
	}
}

static int compare_formats(const void *pa, const void *pb)
{
	const struct format_row *a = pa, *b = pb;

	if (a->files != b->files)
		return a->files > b->files ? -1 : 1;
	return strcmp(a->name, b->name);
}

int compare_shapes(const void *pa, const void *pb)
{
	const struct size_total *a = pa, *b = pb;

	if (a->height != b->height)
		return a->height < b->height ? -1 : 1;
	return a->width < b->width ? -1 : a->width > b->width;
}

static int compare_sizes(const void *pa, const void *pb)
{
	const struct size_total *a = pa, *b = pb;

	return a->files != b->files ? (a->files > b->files ? -1 : 1) : compare_shapes(a, b);
}

static void list_formats(struct report_tables *t, const struct dataset_stats *d)
{
	t->formats = xcalloc(d->formats.count + 1, sizeof(*t->formats));
	t->formats_count = d->formats.count;
	for (size_t i = 0; i < d->formats.count; i++) {
		const struct format_total *from = &d->formats.v[i];
		struct sample sample;

		memset(&sample, 0, sizeof(sample));
		sample.format = (enum sample_format)from->format;
		sample.array.dtype = from->dtype;
		sample.png.colour_type = from->colour_type;
		sample.container = from->container;
		sample.png.bit_depth = from->bit_depth;
		sample.png.interlace = from->interlace;
		sample_format_name(&sample, t->formats[i].name, sizeof(t->formats[i].name));
		if (from->name)
			snprintf(t->formats[i].name, sizeof(t->formats[i].name), "%s", from->name);
		t->formats[i].files = from->seen.files;
	}
	qsort(t->formats, t->formats_count, sizeof(*t->formats), compare_formats);

	t->sizes = xmalloc((d->sizes.count + 1) * sizeof(*t->sizes));
	t->sizes_count = d->sizes.count;
	t->sizes_unlisted = d->sizes.unlisted;
	if (d->sizes.count)
		memcpy(t->sizes, d->sizes.v, d->sizes.count * sizeof(*t->sizes));
	qsort(t->sizes, t->sizes_count, sizeof(*t->sizes), compare_sizes);
}

/* Returns 1 - beta^labels. 0 < labels <= all. */
static double effective_number(uint64_t labels, uint64_t all)
{
	/* near beta = 1, beta^labels rounds to 1; expm1 and log1p keep all digits of the difference */
	return -expm1((double)labels * log1p(-1.0 / (double)all));
}

void tables_init(struct report_tables *t, const struct settings *settings, const struct dataset_stats *d)
{
	memset(t, 0, sizeof(*t));
	/* no file is lost silently */
	assert(d->files_read + d->files_failed + d->files_skipped == d->files);
	t->classes_declared = id_ranges_size(&settings->classes.classes);
	if (t->classes_declared <= REPORT_CLASSES_MAX)
		list_declared(t, settings, d);
	else
		list_present(t, settings, d);
	find_median(t);
	list_others(t, settings, d);
	for (size_t i = 0; i < t->classes_count; i++)
		t->classes[i].whole = d->labels - t->ignored_labels;
	for (size_t i = 0; i < t->classes_count; i++)
		if (t->classes[i].labels)
			t->effective_sum += 1 / effective_number(t->classes[i].labels, t->class_labels);
	assert(t->class_labels + t->ignored_labels + t->out_of_range_labels == d->labels ||
	       d->ids_count == DATASET_IDS_MAX);
	list_formats(t, d);
}

void tables_release(struct report_tables *t)
{
	free(t->classes);
	free(t->ignored);
	free(t->out_of_range);
	free(t->formats);
	free(t->sizes);
	memset(t, 0, sizeof(*t));
}

const char *class_weight_name(enum class_weight weight)
{
	static const char *const names[] = { "median_frequency", "inverse_frequency", "effective_number" };

	return names[weight];
}

bool class_weight_add(struct strbuf *out, const struct report_tables *t, size_t row, enum class_weight weight)
{
	uint64_t labels = t->classes[row].labels;

	if (!labels)
		return false;
	switch (weight) {
	case WEIGHT_MEDIAN_FREQUENCY:
		decimal_significant(out, t->median_twice, 2 * (decimal_wide)labels);
		break;
	case WEIGHT_INVERSE_FREQUENCY:
		decimal_significant(out, t->class_labels, (decimal_wide)t->classes_present * labels);
		break;
	case WEIGHT_EFFECTIVE_NUMBER:
		/* (1 - beta) of E(c) cancels against that of the scale */
		decimal_double(out, (double)t->classes_present /
					    (effective_number(labels, t->class_labels) * t->effective_sum));
		break;
	case CLASS_WEIGHTS:
		break;
	}
	return true;
}

/* ---- the table for people --------------------------------------------------------------------------------------- */

enum { OTHERS_LISTED = 12, OTHERS_MIN = 3, ENDS_LISTED = 40 };

static const char *const unlisted_kinds[UNLISTED_KINDS] = {
	[UNLISTED_OCCUR] = "classes between",
	[UNLISTED_NEVER_OCCUR] = "classes that never occur",
	[UNLISTED_IGNORED] = "ignored ids",
	[UNLISTED_OUT_OF_RANGE] = "ids out of range",
};

/* whole: labels that are not ignored. */
static void add_row(struct class_table *t, enum id_role role, uint64_t whole, const struct id_row *row)
{
	GROW(t->rows, t->cap, t->count + 1);
	struct class_table_row *r = &t->rows[t->count++];
	decimal_wide hundredths = (decimal_wide)row->labels * 10000;
	RELEASED struct strbuf share = STRBUF_INIT;

	*r = (struct class_table_row){ role, row->id, NULL, row->labels, row->files, "" };
	r->name = role == ID_CLASS ? row->name : NULL;
	if (role == ID_IGNORED)
		return;
	t->largest = MAX(t->largest, row->labels);
	if (!whole)
		return;
	if (row->labels && hundredths < whole)
		strbuf_adds(&share, "< 0.01");
	else
		decimal_ratio(&share, (uint64_t)((hundredths + whole / 2) / whole), 100, 2);
	snprintf(r->share, sizeof(r->share), "%s %%", share.s);
}

static int compare_labels(const void *pa, const void *pb)
{
	const struct id_row *const *a = pa, *const *b = pb;

	if ((*a)->labels != (*b)->labels)
		return (*a)->labels > (*b)->labels ? -1 : 1;
	return (*a)->id < (*b)->id ? -1 : (*a)->id > (*b)->id;
}

static void add_classes(struct class_table *t, const struct report_tables *tables, uint64_t whole, size_t max)
{
	const bool all = tables->classes_count <= CLASSES_LISTED || max == SIZE_MAX;
	FREED const struct id_row **rows = xcalloc(tables->classes_count + 1, sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; i < tables->classes_count; i++) {
		const struct id_row *row = &tables->classes[i];

		if (all || row->labels)
			rows[n++] = row;
		else
			t->unlisted[UNLISTED_NEVER_OCCUR]++;
	}
	if (tables->classes_declared > tables->classes_count)
		t->unlisted[UNLISTED_NEVER_OCCUR] += tables->classes_declared - tables->classes_count;
	if (!all)
		max = MIN(max, (size_t)ENDS_LISTED);
	if (n > max) {
		qsort(rows, n, sizeof(*rows), compare_labels);
		t->gap = max - max / 2;
		t->unlisted[UNLISTED_OCCUR] = n - max;
		memmove(&rows[t->gap], &rows[n - max / 2], max / 2 * sizeof(*rows));
		n = max;
	}
	for (size_t i = 0; i < n; i++)
		add_row(t, ID_CLASS, whole, rows[i]);
}

void class_table_init(struct class_table *t, const struct report *r, size_t max)
{
	struct report_tables tables;

	memset(t, 0, sizeof(*t));
	tables_init(&tables, r->settings, r->dataset);
	const uint64_t whole = r->dataset->labels - tables.ignored_labels;
	const size_t listed = MIN(MAX(max / 4, (size_t)OTHERS_MIN), max == SIZE_MAX ? max : OTHERS_LISTED);
	const size_t ignored = MIN(tables.ignored_count, listed);
	const size_t out_of_range = MIN(tables.out_of_range_count, listed), others = ignored + out_of_range;

	add_classes(t, &tables, whole, max == SIZE_MAX ? max : max - MIN(max - MIN(max, (size_t)4), others));
	for (size_t i = 0; i < ignored; i++)
		add_row(t, ID_IGNORED, whole, &tables.ignored[i]);
	for (size_t i = 0; i < out_of_range; i++)
		add_row(t, ID_INVALID, whole, &tables.out_of_range[i]);
	t->unlisted[UNLISTED_IGNORED] = tables.ignored_count - ignored;
	t->unlisted[UNLISTED_OUT_OF_RANGE] = tables.out_of_range_total - out_of_range;
	tables_release(&tables);
}

void class_table_add_rest(const struct class_table *t, size_t kind, const char *before, const char *after,
			  struct strbuf *out)
{
	if (!t->unlisted[kind])
		return;
	strbuf_addf(out, "%s... and ", before);
	strbuf_add_grouped(out, t->unlisted[kind]);
	strbuf_addf(out, " more %s%s", unlisted_kinds[kind], after);
}

void class_table_release(struct class_table *t)
{
	free(t->rows);
	memset(t, 0, sizeof(*t));
}
