/* Measures YOLO texts: one box per row. A faulty row is counted, and reading goes on. */
#include "measure/count_row.h"
#include "read/yolo.h"
#include "read/yolo_layout.h"

enum {
	ROWS = 256,
	COMPARED_MAX = 1 << 14, /* boxes of a text that are compared; no image has as many objects */
};

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

/* Keeps the box of a row, to compare it with others. */
static void keep_box(struct label_measurer *m, struct box_stats *stats, const struct box_row *row)
{
	const float *e = row->edges;

	const uint32_t unread = (1u << BOX_NO_AREA) - 1; /* a row that is no box as trainers read it */

	if (e[2] <= e[0] || row->faults & (unread | 1u << BOX_DUPLICATE) || !row->has_id)
		return;
	if (m->pairs.count == COMPARED_MAX)
		stats->uncompared++;
	else
		box_pairs_add(&m->pairs, 0, (uint32_t)row->id, (const double[4]){ e[0], e[1], e[2], e[3] }, 0,
			      &(struct coco_place){ row->line, row->column, row->key });
}

struct pair_listener {
	struct label_measurer *m;
	struct sample *sample;
	struct box_stats *stats;
};

/* A box_pairs_function. */
static void note_pair(void *self, enum box_pair pair, int64_t id, const struct coco_place *later)
{
	const struct pair_listener *l = self;

	(void)id;
	if (pair != PAIR_SAME) /* other points: an equal row is not compared */
		count_faults(l->m, l->sample, 1u << (pair == PAIR_NEAR ? BOX_NEAR : BOX_OTHER_CLASS), l->stats->faults,
			     PLACE_OF_TEXT(later->line, later->column), later->key);
}

/* Compares the boxes of a text. */
static void compare_boxes(struct label_measurer *m, struct sample *sample, struct box_stats *stats)
{
	struct pair_listener listener = { m, sample, stats };

	if (m->pairs.count > 1)
		stats->uncompared += box_pairs_find(&m->pairs, 1, note_pair, &listener);
	box_pairs_clear(&m->pairs);
	stats->boxes.near = stats->faults[BOX_NEAR].rows;
	stats->boxes.two_class = stats->faults[BOX_OTHER_CLASS].rows;
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
		if (item->image.width)
			yolo.image = photo_extent(&item->image);
		while ((n = yolo_read(&yolo, rows, ROWS, &sample->fault)))
			for (size_t i = 0; i < n; i++) {
				count_row(m, sample, stats, &rows[i], &first);
				keep_box(m, stats, &rows[i]);
			}
	}
	stats->boxes = yolo.boxes;
	stats->beyond = yolo.beyond;
	compare_boxes(m, sample, stats);
	stats->farthest = yolo.farthest;
	yolo_close(&yolo);
	if (sample->fault.kind != FAULT_NONE)
		return false;
	if (!id_counter_end(&m->ids, &item->stats, batch))
		return fault_set(&sample->fault, FAULT_LABELS, FAULT_NO_OFFSET, "more than %d different classes",
				 ID_COUNTER_SPARSE);
	if (!sample->member && sample->yolo_image == PARTNER_UNASKED)
		sample->yolo_image = (uint8_t)yolo_find_image(NULL, sample->path, NULL);
	stats->lacks_image = sample->yolo_image == PARTNER_OTHER_CASE ? 2 : sample->yolo_image == PARTNER_MISSING;
	return true;
}
