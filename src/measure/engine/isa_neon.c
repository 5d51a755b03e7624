/* The engine's inner loops for NEON. Noise is measured by those for every processor. */
#include "measure/engine/isa.h"

#if ISA_HAS_NEON
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/engine/simd_neon.h"

#define PIXEL_BITS 8
#include "measure/engine/delta_template.h"
#undef PIXEL_BITS
#define PIXEL_BITS 16
#include "measure/engine/delta_template.h"

static bool usable(void)
{
	return true;
}

const struct isa isa_neon = {
	.name = "neon",
	.usable = usable,
	.scan_filtered = delta_scan_filtered,
	.scan_ids = delta_scan_ids,
	.end_columns = delta_end_columns,
};
#endif
