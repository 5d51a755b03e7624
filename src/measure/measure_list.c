/* Measures lists of labels: one id or class name a row. A faulty row is counted, and reading goes on. */
#include <inttypes.h>
#include <pthread.h>

#include "base/mem.h"
#include "measure/count_row.h"
#include "measure/table_boxes.h"
#include "read/coco_file.h"
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

/* The context of what a list tells. */
struct list_listener {
	struct label_measurer *m;
	struct sample *sample;
	struct list_stats *stats;
	struct table_boxes boxes;
	const struct list *list;
};

static void add_path(void *self, const struct listed_image *named)
{
	struct list_listener *l = self;
	struct listed_image image = *named;

	if (l->sample->groups)
		label_measurer_group(l->m, image.name, image.n);
	image.number = l->list->layout.boxes ? table_boxes_image(&l->boxes, l->list->image) : UINT32_MAX;
	label_measurer_image(l->m, &image);
}

/* Takes the size of an image that was opened. */
static void add_size(void *self, uint32_t image, const struct photo_size *size)
{
	struct list_listener *l = self;

	table_boxes_size(&l->boxes, image, size);
}

/* ---- boxes --------------------------------------------------------------------------------------------------------
 */

static void note_troubles(void *self, unsigned troubles, const struct coco_place *at)
{
	struct list_listener *l = self;

	count_faults(l->m, l->sample, troubles << LIST_BOX_NO_AREA, l->stats->faults,
		     PLACE_OF_TEXT(at->line, at->column), at->key);
}

static void add_box(void *self, const struct list *list, const struct list_row *row)
{
	struct list_listener *l = self;
	const struct coco_place place = { row->line, row->column, row->key };
	/* a region that is ignored is no object */
	const bool compared = row->has_id && class_set_role(&l->m->settings->classes, row->id) != ID_IGNORED;
	const uint32_t class_index =
		compared ? (uint32_t)MIN((uint64_t)row->id, (uint64_t)BOX_PAIRS_NO_CLASS - 1) : BOX_PAIRS_NO_CLASS;

	note_troubles(
		l,
		table_boxes_add(&l->boxes, &list->box, table_boxes_image(&l->boxes, list->image), class_index, &place),
		&place);
}

/* A box_pairs_function. */
static void note_pair(void *self, enum box_pair pair, int64_t id, const struct coco_place *later)
{
	struct list_listener *l = self;

	(void)id;
	if (pair == PAIR_CLASS && l->list->form && l->list->form->many_labels)
		return;
	count_faults(l->m, l->sample, 1u << (LIST_SAME_BOX + pair), l->stats->faults,
		     PLACE_OF_TEXT(later->line, later->column), later->key);
}

/* Judges the boxes of a list that was read. */
static void judge_boxes(struct list_listener *l, struct list *list)
{
	struct table_boxes *t = &l->boxes;
	const struct row_tally *faults = l->stats->faults;

	list->layout.fractions |= table_boxes_judge(t, note_troubles, l);
	l->stats->uncompared = box_pairs_find(t->pairs, t->count, note_pair, l);
	l->stats->boxes = t->tally;
	l->stats->boxes.near = faults[LIST_NEAR_BOX].rows;
	l->stats->boxes.two_class = faults[LIST_OTHER_CLASS].rows;
}

/* Held while reading a table of boxes whose memory may outgrow a thread's share. */
static pthread_mutex_t large_table = PTHREAD_MUTEX_INITIALIZER;

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

	struct list list;
	struct list_listener listener = { m, sample, &item->stats.list, .list = &list };
	const struct list_options options = {
		.classes = &m->settings->classes,
		.form = m->settings->list.box_form ? &box_forms[m->settings->list.box_form - 1] : NULL,
		.column = m->settings->list.column,
		.max_length = m->settings->list.max_length,
		.ids = count_ids,
		.path = add_path,
		.box = add_box,
		.context = &listener,
	};
	struct list_stats *stats = &item->stats.list;

	m->rows = 0;
	struct list_row rows[ROWS];
	bool large = false;

	table_boxes_open(&listener.boxes, &m->pairs);
	m->checker.sized = add_size;
	m->checker.context = &listener;
	if (list_open(&list, &item->input, &options, &sample->fault)) {
		size_t n;

		large = list.layout.boxes && item->input.size > COCO_LARGE_FILE;
		if (large)
			pthread_mutex_lock(&large_table);
		if (list.layout.one_image && item->image.width)
			table_boxes_size(&listener.boxes, table_boxes_image(&listener.boxes, 0), &item->image);
		if (list.form && list.form->frames && sample->images)
			image_checker_frames(&m->checker, list.form->frames);
		if (list.layout.leaves_frame && !sample->member)
			list_read_frame_size(&list, sample->path);
		while ((n = list_read(&list, rows, ROWS, &sample->fault)))
			for (size_t i = 0; i < n; i++)
				count_row(m, sample, stats, &rows[i]);
	}
	label_measurer_end_images(m, sample);
	judge_boxes(&listener, &list);
	table_boxes_close(&listener.boxes);
	if (large)
		pthread_mutex_unlock(&large_table);
	if (list.csv.comments)
		stats->faults[LIST_COMMENT] =
			(struct row_tally){ list.csv.comments, PLACE_OF_TEXT(list.csv.first_comment, 1) };
	stats->rows += m->rows;
	stats->lists = list.lists;
	stats->entries_full = list.entries.full;
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
