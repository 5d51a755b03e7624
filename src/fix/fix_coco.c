#include "fix/fix_coco.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "fix/patch.h"
#include "read/coco.h"

/* An id that changes. */
struct edit {
	uint64_t at;
	int64_t to;
	uint32_t size;
};

struct edits {
	const struct fix_plan *plan;
	const struct fix_file *file;
	struct edit *v; /* owned */
	size_t count, cap;
	uint64_t labels;
	bool has_unknown; /* an id that the audit did not count */
	int64_t unknown;
};

/* A coco_hook. Annotations before the images are read last, so the edits are not in order. */
static void add_edit(void *context, int64_t id, bool listed, uint64_t at, size_t n)
{
	struct edits *e = context;
	const struct fix_category *c = fix_file_category(e->file, id);

	if (!c) {
		e->has_unknown = true;
		e->unknown = id;
		return;
	}
	int64_t to = fix_plan_category(e->plan, e->file, c);

	if (to == id)
		return;
	GROW(e->v, e->cap, e->count + 1);
	e->v[e->count++] = (struct edit){ at, to, (uint32_t)MIN(n, (size_t)UINT32_MAX) };
	e->labels += !listed;
}

static int compare_edits(const void *pa, const void *pb)
{
	const struct edit *a = pa, *b = pb;

	return a->at < b->at ? -1 : a->at > b->at;
}

static bool write_edits(struct edits *e, const struct input *in, struct sink *out, struct fault *fault)
{
	struct patch patch;
	bool ok = true;

	if (e->count)
		qsort(e->v, e->count, sizeof(*e->v), compare_edits);
	patch_begin(&patch, in, out);
	for (size_t i = 0; ok && i < e->count; i++)
		ok = patch_id(&patch, e->v[i].at, e->v[i].size, e->v[i].to, fault);
	return patch_end(&patch, ok, fault);
}

bool fix_coco(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
	      uint64_t *labels, struct fault *fault)
{
	struct edits e = { .plan = plan, .file = file };
	const struct coco_hook hook = { .category = add_edit, .context = &e };
	struct coco_file coco;

	coco_file_init(&coco);
	bool ok = coco_read(&coco, in, &hook, fault);

	if (ok)
		coco_file_release(&coco);
	if (ok && e.has_unknown)
		ok = fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET,
			       "has category %" PRId64 ", which the plan does not know", e.unknown);
	ok = ok && write_edits(&e, in, out, fault);
	*labels += e.labels;
	free(e.v);
	return ok;
}
