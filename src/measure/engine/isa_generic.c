/* The engine's inner loops for every processor, without intrinsics. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/engine/isa.h"
#include "measure/engine/simd_generic.h"

#define PIXEL_BITS 8
#include "measure/engine/delta_template.h"
#include "measure/engine/full_template.h"
#undef PIXEL_BITS
#define PIXEL_BITS 16
#include "measure/engine/delta_template.h"
#include "measure/engine/full_template.h"

static bool usable(void)
{
	return true;
}

const struct isa isa_generic = {
	.name = "plain",
	.usable = usable,
	.scan_filtered = delta_scan_filtered,
	.scan_ids = delta_scan_ids,
	.end_columns = delta_end_columns,
	.full = { make_weights, { measure_span_8, measure_span_16 }, { sum_columns_8, sum_columns_16 } },
};
