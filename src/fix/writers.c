#include "fix/writers.h"

#include <assert.h>

#include "fix/fix_array.h"
#include "fix/fix_coco.h"
#include "fix/fix_counts.h"
#include "fix/fix_png.h"
#include "fix/fix_text.h"
#include "fix/pack.h"

typedef bool fix_writer(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
			struct fix_counts *counts, struct fault *fault);

/* The one for masks keeps memory, and is called by write_file() itself. */
static fix_writer *const writers[FIX_KINDS] = {
	[FIX_LIST] = fix_list,
	[FIX_YOLO] = fix_yolo,
	[FIX_COCO] = fix_coco,
	[FIX_ARRAY] = fix_array,
};

void fix_memory_release(struct fix_memory *m)
{
	fix_png_memory_free(m->png);
	m->png = NULL;
}

static bool write_file(struct fix_memory *memory, const struct fix_plan *plan, const struct fix_file *file,
		       struct input *in, struct sink *out, struct fix_counts *counts, struct fault *fault)
{
	if (file->kind == FIX_PNG) {
		if (!memory->png)
			memory->png = fix_png_memory_new();
		return fix_png(memory->png, plan, file, in, &out->text, counts, fault);
	}
	assert(writers[file->kind]);
	return writers[file->kind](plan, file, in, out, counts, fault);
}

bool fix_correct(struct fix_memory *memory, const struct fix_plan *plan, const struct fix_file *file, struct input *in,
		 struct sink *out, struct digest *digest, uint64_t *labels, struct fault *fault)
{
	enum packing packing = file->packed ? packing_of(in->bytes, (size_t)in->size) : PACKING_NONE;
	struct fix_counts counts = { 0 };
	bool ok = fix_file_unpack(plan->set, file, in, fault) &&
		  write_file(memory, plan, file, in, out, &counts, fault) &&
		  (!file->packed || pack_bytes(packing, &out->text, fault));

	*labels = counts.labels;
	return sink_end(out, ok, digest, fault);
}
