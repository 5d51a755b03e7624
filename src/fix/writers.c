#include "fix/writers.h"

#include <assert.h>

#include "fix/fix_array.h"
#include "fix/fix_coco.h"
#include "fix/fix_png.h"
#include "fix/fix_text.h"

typedef bool fix_writer(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
			uint64_t *labels, struct fault *fault);

/* The one for masks keeps memory, and is called by fix_correct() itself. */
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

bool fix_correct(struct fix_memory *memory, const struct fix_plan *plan, const struct fix_file *file, struct input *in,
		 struct sink *out, uint64_t *labels, struct fault *fault)
{
	if (!fix_file_unpack(plan->set, file, in, fault))
		return false;
	if (file->kind == FIX_PNG) {
		if (!memory->png)
			memory->png = fix_png_memory_new();
		return fix_png(memory->png, plan, file, in, &out->text, labels, fault);
	}
	assert(writers[file->kind]);
	return writers[file->kind](plan, file, in, out, labels, fault);
}
