/* The engine's inner loops for AVX2 with BMI2. */
#include "measure/engine/isa.h"

#if defined(__x86_64__)
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "measure/engine/simd_avx2.h"

#define PIXEL_BITS 8
#include "measure/engine/delta_template.h"
#include "measure/engine/full_template.h"
#undef PIXEL_BITS
#define PIXEL_BITS 16
#include "measure/engine/delta_template.h"
#include "measure/engine/full_template.h"

static bool usable(void)
{
	const unsigned need = CPU_AVX2 | CPU_BMI2;

	return (cpu_features() & need) == need;
}

const struct isa isa_avx2 = {
	.name = "avx2",
	.usable = usable,
	.scan_filtered = delta_scan_filtered,
	.scan_ids = delta_scan_ids,
	.end_columns = delta_end_columns,
	.full = { make_weights, { measure_span_8, measure_span_16 }, { sum_columns_8, sum_columns_16 } },
};
#endif
