#include "fix/writers.h"

#include <assert.h>

#include "fix/fix_array.h"
#include "fix/fix_coco.h"
#include "fix/fix_png.h"
#include "fix/fix_text.h"

typedef bool fix_writer(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
			struct fix_counts *counts, struct fault *fault);

/* A mask is held as a whole. */
static bool write_png(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
		      struct fix_counts *counts, struct fault *fault)
{
	return fix_png(plan, file, in, &out->text, counts, fault);
}

static fix_writer *const writers[FIX_KINDS] = {
	[FIX_PNG] = write_png, [FIX_LIST] = fix_list,   [FIX_YOLO] = fix_yolo,
	[FIX_COCO] = fix_coco, [FIX_ARRAY] = fix_array,
};

bool fix_write(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
	       struct fix_counts *counts, struct fault *fault)
{
	assert(writers[file->kind]);
	return writers[file->kind](plan, file, in, out, counts, fault);
}
