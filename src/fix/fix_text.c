#include "fix/fix_text.h"

#include <inttypes.h>

#include "fix/boxes.h"
#include "fix/id_lookup.h"
#include "fix/patch.h"
#include "read/entry_table.h"
#include "read/list.h"
#include "read/yolo.h"

enum { ROWS = 256 };

/* A text while it is rewritten. */
struct rewrite {
	struct id_lookup ids;
	struct patch patch;
	uint64_t *labels; /* that got another id */
	struct fault *fault;
};

/* Replaces the id of a row, if it changes. */
static bool map_row(struct rewrite *r, uint64_t line, int64_t id, uint64_t at, uint32_t size)
{
	int64_t to;

	if (!id_lookup(&r->ids, id, &to))
		return fault_set_at(r->fault, FAULT_UNREADABLE, line, 1,
				    "line %" PRIu64 " has an id that the plan does not know", line);
	if (to == id)
		return true;
	++*r->labels;
	return patch_id(&r->patch, at, size, to, r->fault);
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

	id_lookup_init(&r.ids, plan, file);
	patch_begin(&r.patch, in, out);
	while (ok && (n = list_read(&list, rows, ROWS, fault)))
		for (size_t i = 0; ok && i < n; i++)
			ok = !rows[i].has_id || map_row(&r, rows[i].line, rows[i].id, rows[i].id_at, rows[i].id_size);
	list_close(&list);
	id_lookup_release(&r.ids);
	return patch_end(&r.patch, ok && fault->kind == FAULT_NONE, fault);
}

/* Clips the box of a row, or drops it with its line, as the user declared. */
static bool edit_box(struct rewrite *r, struct box_edits *edits, const struct box_row *row)
{
	const uint64_t at = row->id_at + row->id_size;
	struct strbuf numbers = STRBUF_INIT;
	size_t n, end;
	const char *line = patch_line(&r->patch, at, &n, r->fault);
	enum box_edit edit = line ? boxes_edit(edits, line, n, &numbers) : BOX_STAYS;
	bool ok = line;

	if (edit == BOX_CLIPPED) {
		ok = map_row(r, row->line, row->id, row->id_at, row->id_size) &&
		     patch_bytes(&r->patch, at, n, numbers.s, numbers.len, r->fault);
	} else if (edit == BOX_DROPPED) {
		end = n; /* with what ends the line */
		for (const char *p = "\r\n"; *p; p++)
			end += at + end < r->patch.in->size && line[end] == *p;
		ok = patch_bytes(&r->patch, row->id_at, row->id_size + end, "", 0, r->fault);
	} else if (ok) {
		ok = map_row(r, row->line, row->id, row->id_at, row->id_size);
	}
	strbuf_release(&numbers);
	return ok;
}

bool fix_yolo(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
	      uint64_t *labels, struct fault *fault)
{
	struct rewrite r = { .labels = labels, .fault = fault };
	struct box_edits edits = { .clip = plan->set->boxes.clip, .drop = plan->set->boxes.drop };
	struct entry_table table = { 0 };
	struct box_row rows[ROWS];
	struct yolo yolo;
	bool ok = yolo_open(&yolo, in, NULL, &table, fault);
	size_t n;

	id_lookup_init(&r.ids, plan, file);
	patch_begin(&r.patch, in, out);
	while (ok && (n = yolo_read(&yolo, rows, ROWS, fault)))
		for (size_t i = 0; ok && i < n; i++)
			ok = !rows[i].has_id || edit_box(&r, &edits, &rows[i]);
	yolo_close(&yolo);
	entry_table_release(&table);
	id_lookup_release(&r.ids);
	return patch_end(&r.patch, ok && fault->kind == FAULT_NONE, fault);
}
