/* The engine's inner loops for AVX-512 with VBMI2. */
#include "measure/engine/isa.h"

#if defined(__x86_64__)
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "measure/engine/simd_avx512.h"

#define HAVE_QUEUES
#define HAVE_MARK_ROWS
#define PIXEL_BITS 8
#include "measure/engine/delta_template.h"
#undef PIXEL_BITS
#define PIXEL_BITS 16
#include "measure/engine/delta_template.h"

static bool usable(void)
{
	const unsigned need = CPU_AVX512 | CPU_AVX512VBMI2 | CPU_BMI2;

	return (cpu_features() & need) == need;
}

const struct isa isa_avx512 = {
	.name = "avx512",
	.usable = usable,
	.scan_filtered = delta_scan_filtered,
	.scan_ids = delta_scan_ids,
	.end_columns = delta_end_columns,
};
#endif
