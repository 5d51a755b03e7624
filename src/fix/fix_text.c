#include "fix/fix_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "fix/boxes.h"
#include "fix/id_lookup.h"
#include "fix/patch.h"
#include "read/entry_table.h"
#include "read/list.h"
#include "read/yolo.h"

enum { ROWS = 256 };

/* A text while it is rewritten. */
struct rewrite {
	const struct box_edits *declared;
	bool keeps_ids;
	struct id_lookup ids;
	struct patch patch;
	struct edits edits;              /* of the current row */
	struct list_edit elements;       /* of an array of JSON */
	struct list_edit boxes, classes; /* of a record with lists of these */
	uint64_t *labels;                /* that got another id */
	struct fault *fault;
};

static void rewrite_begin(struct rewrite *r, const struct fix_plan *plan, const struct fix_file *file, struct input *in,
			  struct sink *out)
{
	r->edits = (struct edits)EDITS_INIT;
	r->declared = &plan->set->boxes;
	r->keeps_ids = file->keeps_ids;
	id_lookup_init(&r->ids, plan, file);
	patch_begin(&r->patch, in, out);
}

static bool rewrite_end(struct rewrite *r, bool ok)
{
	edits_release(&r->edits);
	id_lookup_release(&r->ids);
	return patch_end(&r->patch, ok && r->fault->kind == FAULT_NONE, r->fault);
}

/* Replaces the id of a row, if it changes, or the name in its place. */
static bool map_row(struct rewrite *r, uint64_t line, int64_t id, uint64_t at, uint32_t size, bool is_name)
{
	int64_t to;

	if (r->keeps_ids)
		return true;
	if (!id_lookup(&r->ids, id, &to))
		return fault_set_at(r->fault, FAULT_UNREADABLE, line, 1,
				    "line %" PRIu64 " has an id that the plan does not know", line);
	if (to == id && !is_name)
		return true;
	++*r->labels;
	edits_add_id(&r->edits, at, size, to);
	return true;
}

/* Leaves out a line, n bytes from `at` on without what ends it. */
static bool drop_line(struct rewrite *r, uint64_t at, uint64_t n)
{
	const uint64_t left = r->patch.in->size - at - n;
	const char *ending = patch_look(&r->patch, at + n, (size_t)MIN(left, (uint64_t)2), r->fault);
	size_t i = 0;

	if (!ending)
		return false;
	for (const char *p = "\r\n"; *p; p++)
		i += i < left && ending[i] == *p;
	edits_add_text(&r->edits, at, n + i, "");
	return true;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* Returns the offset of a field of the current record, or UINT64_MAX: what it was read from is not in one piece. */
static uint64_t field_at(const struct csv *c, const struct text_field *f)
{
	return f->s >= c->bytes && f->s < c->bytes + c->size ? text_lines_offset(&c->text, f->s) : UINT64_MAX;
}

static void clip_row(struct rewrite *r, const struct list *l)
{
	for (size_t i = 0; i < ARRAY_SIZE(l->sides); i++)
		if (field_at(&l->csv, &l->sides[i]) == UINT64_MAX)
			return;
	box_clip(&l->box, l->sides, field_at(&l->csv, &l->sides[0]), &r->edits);
}

/* Leaves out a row; of a record of several boxes, its box alone. */
static bool drop_row(struct rewrite *r, const struct list *l)
{
	const struct csv *c = &l->csv;
	const uint64_t record = text_lines_offset(&c->text, c->bytes);

	if (l->form && l->form->grouped) {
		const struct text_field *box = &c->fields[(l->next_box ? l->next_box : c->count) - 1];
		const uint64_t end = record + box[-1].at + box[-1].n;

		edits_add_text(&r->edits, end, record + box->at + box->n - end, "");
		return true;
	}
	return c->json > JSON_LINES || drop_line(r, record, c->size);
}

/* Keeps a box of a record's list of boxes, and its class, or leaves both out. */
static void edit_item(struct rewrite *r, const struct list *l, bool drop)
{
	const uint64_t box = field_at(&l->csv, &l->bracketed);
	uint64_t class = field_at(&l->csv, &l->item);
	const bool quoted = class != UINT64_MAX && l->item.s > l->csv.bytes && strchr("\"'", l->item.s[-1]);

	if (l->items.count == 1)
		r->boxes = r->classes = (struct list_edit){ 0 };
	if (box == UINT64_MAX || class == UINT64_MAX)
		return;
	list_edit_element(&r->boxes, box, l->bracketed.n, drop, &r->edits);
	if (!l->layout.one_class)
		list_edit_element(&r->classes, class - quoted, l->item.n + 2 * quoted, drop, &r->edits);
}

/* Rewrites the row that was read last. boxes: those that were counted as clipped before it. */
static bool fix_row(struct rewrite *r, const struct list *l, const struct list_row *row, uint64_t clipped)
{
	const bool drop = r->declared->drop && row->faults & (1u << LIST_BOX_NO_AREA | 1u << LIST_BOX_INVERTED);
	const uint32_t boxes = l->layout.boxes_column;
	const bool of_list =
		boxes != NO_COLUMN && (l->layout.beside_column == boxes || l->layout.label_column == boxes);

	if (of_list && r->declared->drop)
		edit_item(r, l, drop);
	else if (drop && !drop_row(r, l))
		return false;
	if (!drop && row->has_id && row->id_size && !map_row(r, row->line, row->id, row->id_at, row->id_size, false))
		return false;
	if (!drop && r->declared->clip && l->boxes.clipped > clipped)
		clip_row(r, l);
	if (l->csv.json > JSON_LINES && r->declared->drop)
		list_edit_element(&r->elements, text_lines_offset(&l->csv.text, l->csv.bytes), l->csv.size,
				  drop && !of_list, &r->edits);
	if (of_list && l->items.rest.n) /* the next box comes before this class */
		return true;
	return patch_edits(&r->patch, &r->edits, r->fault);
}

/* Corrects the number of rows in the first line, of which some are left out. */
static bool fix_announced(struct rewrite *r, const struct list *l, uint64_t dropped)
{
	size_t n, from = 0, to;
	const char *line = dropped ? patch_line(&r->patch, 0, &n, r->fault) : NULL;

	if (!line)
		return !dropped;
	while (from < n && !ascii_isdigit(line[from]))
		from++;
	for (to = from; to < n && ascii_isdigit(line[to]);)
		to++;
	edits_add_id(&r->edits, from, to - from, (int64_t)(l->announced - dropped));
	return patch_edits(&r->patch, &r->edits, r->fault);
}

bool fix_list(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
	      uint64_t *labels, struct fault *fault)
{
	const struct settings *settings = plan->set->settings;
	/* files below --root were looked for in the audit */
	const struct list_options options = { .classes = &settings->classes,
					      .form = settings->list.box_form ? &box_forms[settings->list.box_form - 1]
									      : NULL,
					      .column = settings->list.column };
	struct rewrite r = { .labels = labels, .fault = fault };
	struct list_row rows[ROWS];
	struct list list;
	bool ok = list_open(&list, in, &options, fault);
	size_t n;

	rewrite_begin(&r, plan, file, in, out);
	/* the fields of a record are there until the next one is read */
	const size_t most = r.declared->clip || r.declared->drop ? 1 : ROWS;

	ok = ok && (!list.announced || fix_announced(&r, &list, file->dropped));
	for (uint64_t clipped = 0; ok && (n = list_read(&list, rows, most, fault)); clipped = list.boxes.clipped)
		for (size_t i = 0; ok && i < n; i++)
			ok = fix_row(&r, &list, &rows[i], clipped);
	list_close(&list);
	return rewrite_end(&r, ok);
}

/* ---- YOLO texts -------------------------------------------------------------------------------------------------- */

/* Rewrites the row that was read last. clipped: the boxes that were counted so before it. */
static bool fix_box(struct rewrite *r, const struct yolo *y, const struct box_row *row, uint64_t clipped)
{
	const uint64_t at = row->id_at + row->id_size;
	const bool drop = r->declared->drop && row->faults & (1u << BOX_NO_AREA | 1u << BOX_INVERTED);
	struct text_field numbers[4];
	const char *line = NULL;
	size_t n = 0;

	if (drop || (r->declared->clip && y->boxes.clipped > clipped)) {
		line = patch_line(&r->patch, at, &n, r->fault);
		if (!line)
			return false;
	}
	if (drop)
		return drop_line(r, row->id_at, row->id_size + n) && patch_edits(&r->patch, &r->edits, r->fault);
	if (line && fields_split(line, line + n, FIELDS_BLANKS, numbers, ARRAY_SIZE(numbers), NULL) >= 4)
		box_clip(&y->box, numbers, at + (uint64_t)(numbers[0].s - line), &r->edits);
	return (!row->has_id ||
		map_row(r, row->line, row->id, row->id_at, row->id_size, row->faults >> BOX_NAME & 1)) &&
	       patch_edits(&r->patch, &r->edits, r->fault);
}

bool fix_yolo(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
	      uint64_t *labels, struct fault *fault)
{
	struct rewrite r = { .labels = labels, .fault = fault };
	struct entry_table table = { 0 };
	struct box_row row;
	struct yolo yolo;
	bool ok = yolo_open(&yolo, in, &plan->set->settings->yolo, &table, fault);

	yolo.names = &plan->set->settings->classes;
	rewrite_begin(&r, plan, file, in, out);
	for (uint64_t clipped = 0; ok && yolo_read(&yolo, &row, 1, fault); clipped = yolo.boxes.clipped)
		ok = fix_box(&r, &yolo, &row, clipped);
	yolo_close(&yolo);
	entry_table_release(&table);
	return rewrite_end(&r, ok);
}
