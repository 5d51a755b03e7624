/* Measures YOLO texts: one box per row. A faulty row is counted, and reading goes on. */
#include "measure/count_row.h"
#include "read/yolo.h"
#include "read/yolo_layout.h"

enum { ROWS = 256 };

/* The first row decides the type that all rows of a file should have. */
struct first_row {
	enum box_type type;   /* BOX_NONE: no row so far */
	bool all_maybe_poses; /* so far */
};

/* Four points may be an oriented box or a polygon: both count as polygons when rows are compared. */
static enum box_type merged_type(enum box_type type)
{
	return type == BOX_ORIENTED ? BOX_POLYGON : type;
}

/* A row that may be a polygon or a pose is a pose where the first row is one. */
static enum box_type type_beside(const struct box_row *row, enum box_type first)
{
	return row->maybe_pose && first == BOX_POSE ? BOX_POSE : merged_type(row->type);
}

static void count_row(struct label_measurer *m, struct sample *sample, struct box_stats *stats,
		      const struct box_row *row, struct first_row *first)
{
	uint64_t place = PLACE_OF_TEXT(row->line, row->column);

	stats->rows++;
	stats->content += row->round ? 0 : row->entry;
	stats->types[type_beside(row, first->type) == BOX_POSE ? BOX_POSE : row->type]++;
	if (row->has_id)
		count_id(m, sample, row->id, place, row->key);
	count_faults(m, sample, row->faults, stats->faults, place, row->key);
	if (row->type == BOX_NONE || row->faults >> BOX_TASK & 1)
		return;
	if (row->type == BOX_POSE && first->type == BOX_POLYGON && first->all_maybe_poses) {
		stats->types[BOX_POSE] += stats->types[BOX_POLYGON];
		stats->types[BOX_POLYGON] = 0;
		first->type = BOX_POSE;
	}
	first->all_maybe_poses = row->maybe_pose && (first->type == BOX_NONE || first->all_maybe_poses);
	if (first->type == BOX_NONE)
		first->type = merged_type(row->type);
	else if (type_beside(row, first->type) != first->type)
		row_tally_add(&stats->other_type, place);
}

bool measure_yolo(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	struct sample *sample = &item->sample;
	struct box_stats *stats = &item->stats.boxes;
	struct first_row first = { BOX_NONE, false };
	struct box_row rows[ROWS];
	struct yolo yolo;

	if (yolo_open(&yolo, &item->input, &m->settings->yolo, &m->boxes, &sample->fault)) {
		size_t n;

		yolo.names = &m->settings->classes;
		while ((n = yolo_read(&yolo, rows, ROWS, &sample->fault)))
			for (size_t i = 0; i < n; i++)
				count_row(m, sample, stats, &rows[i], &first);
	}
	stats->boxes = yolo.boxes;
	stats->farthest = yolo.farthest;
	yolo_close(&yolo);
	if (sample->fault.kind != FAULT_NONE)
		return false;
	if (!id_counter_end(&m->ids, &item->stats, batch))
		return fault_set(&sample->fault, FAULT_LABELS, FAULT_NO_OFFSET, "more than %d different classes",
				 ID_COUNTER_SPARSE);
	if (!sample->member && sample->yolo_image == PARTNER_UNASKED)
		sample->yolo_image = (uint8_t)yolo_find_image(sample->path, NULL);
	stats->lacks_image = sample->yolo_image == PARTNER_MISSING;
	return true;
}
