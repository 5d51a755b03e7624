#include "fix/fix_coco.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "fix/boxes.h"
#include "read/coco.h"

struct rewrite {
	const struct fix_plan *plan;
	const struct fix_file *file;
	struct patch patch;
	struct edits edits;
	struct list_edit annotations;
	uint64_t labels; /* of all annotations that were met; and of those before the current one */
	uint64_t labels_before;
	bool has_unknown; /* an id that the audit did not count */
	int64_t unknown;
	struct fault *fault;
};

/* Replaces a category id. Annotations before the images are read last, so the edits are not in order. */
static void take_category(void *context, int64_t id, bool listed, uint64_t at, size_t n)
{
	struct rewrite *r = context;
	const struct fix_category *c = fix_file_category(r->file, id);

	if (!c) {
		r->has_unknown = true;
		r->unknown = id;
		return;
	}
	int64_t to = fix_plan_category(r->plan, r->file, c);

	if (to == id)
		return;
	edits_add_id(&r->edits, at, n, to);
	r->labels += !listed;
}

/* Cuts the box at the edge of its image. text: the value of bbox, which was read as four numbers. */
static void clip(struct rewrite *r, const struct box_facts *box, const char *text, size_t n, uint64_t at)
{
	static const char in_number[] = "0123456789+-.eE";
	struct text_field numbers[4];
	size_t i = 0;

	for (size_t k = 0; k < ARRAY_SIZE(numbers); k++) {
		while (i < n && !memchr(in_number, text[i], sizeof(in_number) - 1))
			i++;
		numbers[k] = (struct text_field){ .s = text + i };
		while (i < n && memchr(in_number, text[i], sizeof(in_number) - 1))
			i++;
		numbers[k].n = (size_t)(text + i - numbers[k].s);
	}
	box_clip(box, numbers, at + (uint64_t)(numbers[0].s - text), &r->edits);
}

static void take_label(void *context, const struct coco_label *a, const struct coco_image *image,
		       const struct coco_span *span)
{
	struct rewrite *r = context;
	const struct box_edits *declared = &r->plan->set->boxes;
	struct box_tally tally = { 0 };
	struct box_facts box;
	const bool written = coco_box_facts(a, image, &box) && !box.unwritten;
	const unsigned found = written ? geometry_judge(&box, &tally) : 0;
	const bool drop = declared->drop && found & (1u << GEOMETRY_NO_AREA | 1u << GEOMETRY_INVERTED);

	if (drop) {
		while (r->edits.count && r->edits.v[r->edits.count - 1].at >= span->at)
			r->edits.count--; /* its own */
		r->labels = r->labels_before;
	} else if (declared->clip && tally.clipped && r->fault->kind == FAULT_NONE) {
		const char *text = patch_look(&r->patch, span->box_at, span->box_size, r->fault);

		if (text)
			clip(r, &box, text, span->box_size, span->box_at);
	}
	if (declared->drop)
		list_edit_element(&r->annotations, span->at, span->size, drop, &r->edits);
	r->labels_before = r->labels;
}

bool fix_coco(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
	      uint64_t *labels, struct fault *fault)
{
	struct rewrite r = { .plan = plan, .file = file, .edits = EDITS_INIT, .fault = fault };
	const struct box_edits *declared = &plan->set->boxes;
	const struct coco_hook hook = { .category = file->keeps_ids ? NULL : take_category,
					.label = declared->clip || declared->drop ? take_label : NULL,
					.context = &r };
	struct coco_file coco;

	coco_file_init(&coco);
	patch_begin(&r.patch, in, out);
	bool ok = coco_read(&coco, in, &hook, fault);

	if (ok)
		coco_file_release(&coco);
	if (ok && r.has_unknown)
		ok = fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET,
			       "has category %" PRId64 ", which the plan does not know", r.unknown);
	ok = ok && fault->kind == FAULT_NONE && patch_edits(&r.patch, &r.edits, fault);
	ok = patch_end(&r.patch, ok, fault);
	*labels += r.labels;
	edits_release(&r.edits);
	return ok;
}
