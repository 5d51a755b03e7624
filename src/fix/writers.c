#include "fix/writers.h"

#include <assert.h>

#include "fix/fix_png.h"
#include "fix/fix_text.h"

typedef bool fix_writer(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct strbuf *out,
			struct fix_counts *counts, struct fault *fault);

static fix_writer *const writers[FIX_KINDS] = {
	[FIX_PNG] = fix_png,
	[FIX_LIST] = fix_list,
	[FIX_YOLO] = fix_yolo,
};

bool fix_write(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct strbuf *out,
	       struct fix_counts *counts, struct fault *fault)
{
	assert(writers[file->kind]);
	return writers[file->kind](plan, file, in, out, counts, fault);
}
