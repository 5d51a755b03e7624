/* Measures lists of labels: one id or class name a row. A faulty row is counted, and reading goes on. */
#include <inttypes.h>

#include "measure/count_row.h"
#include "read/list.h"

enum { ROWS = 256 };

static void count_row(struct label_measurer *m, struct sample *sample, struct list_stats *stats,
		      const struct list_row *row)
{
	uint64_t place = PLACE_OF_TEXT(row->line, row->column);

	stats->rows++;
	if (row->has_id)
		count_id(m, sample, row->id, place, row->key);
	count_faults(m, sample, row->faults, stats->faults, place, row->key);
}

/* The context of the paths that a list names. */
struct list_listener {
	struct label_measurer *m;
	const struct sample *sample;
};

static void add_path(void *self, const struct listed_image *image)
{
	const struct list_listener *l = self;

	if (l->sample->groups)
		label_measurer_group(l->m, image->name, image->n);
	label_measurer_image(l->m, image);
}

/* Counts ids of a list that are classes or ignored; of the latter there are runs. */
static void count_ids(void *self, const int64_t *ids, size_t n)
{
	struct label_measurer *m = ((const struct list_listener *)self)->m;
	uint64_t *const labels = m->ids.labels;
	const uint64_t dense = m->ids.dense;
	uint64_t used = m->ids.used;

	for (size_t i = 0, next; i < n; i = next) {
		const uint64_t id = (uint64_t)ids[i];

		next = i + 1;
		if (id < dense) {
			labels[id]++;
			used = MAX(used, id + 1);
			continue;
		}
		while (next < n && ids[next] == ids[i])
			next++;
		id_counter_add_run(&m->ids, ids[i], next - i, NO_INDEX);
	}
	m->ids.used = (uint32_t)used;
	m->rows += n;
}

bool measure_list(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	struct sample *sample = &item->sample;

	label_measurer_begin_groups(m, sample);
	label_measurer_begin_images(m, sample);

	struct list_listener listener = { m, sample };
	const struct list_options options = {
		.classes = &m->settings->classes,
		.form = m->settings->list.box_form ? &box_forms[m->settings->list.box_form - 1] : NULL,
		.column = m->settings->list.column,
		.max_length = m->settings->list.max_length,
		.ids = count_ids,
		.path = add_path,
		.context = &listener,
	};
	struct list_stats *stats = &item->stats.list;

	m->rows = 0;
	struct list_row rows[ROWS];
	struct list list;

	if (list_open(&list, &item->input, &options, &sample->fault)) {
		size_t n;

		while ((n = list_read(&list, rows, ROWS, &sample->fault)))
			for (size_t i = 0; i < n; i++)
				count_row(m, sample, stats, &rows[i]);
	}
	label_measurer_end_images(m, sample);
	if (list.csv.comments)
		stats->faults[LIST_COMMENT] =
			(struct row_tally){ list.csv.comments, PLACE_OF_TEXT(list.csv.first_comment, 1) };
	stats->rows += m->rows;
	stats->lists = list.lists;
	stats->entries_full = list.entries.full;
	stats->boxes = list.boxes;
	sample->list = list.layout;
	if (list.layout.path_column == NO_COLUMN)
		sample->groups = NULL; /* the list itself may have a group */
	if (list.layout.numbered && sample->fault.kind == FAULT_NONE) {
		struct list_names *names = name_table_by_number(&list.names);

		names->next = m->names;
		m->names = names;
		sample->names = names;
	}
	list_close(&list);
	if (sample->fault.kind != FAULT_NONE)
		return false;
	if (id_counter_end(&m->ids, &item->stats, batch))
		return true;
	return fault_set(&sample->fault, FAULT_LABELS, FAULT_NO_OFFSET,
			 "column %" PRIu32 " holds more than %d different values: measurements or keys, not labels",
			 sample->list.label_column + 1, ID_COUNTER_SPARSE);
}
