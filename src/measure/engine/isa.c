#include "measure/engine/isa.h"

#include "base/mem.h"

const struct isa *const isas[] = {
#if defined(__x86_64__)
	&isa_avx512,
	&isa_avx2,
#endif
#if ISA_HAS_NEON
	&isa_neon,
#endif
	&isa_generic,
};
const size_t isas_count = ARRAY_SIZE(isas);

const struct isa *isa_best(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(isas); i++)
		if (isas[i]->usable())
			return isas[i];
	return &isa_generic; /* always usable */
}

const struct isa *isa_best_full(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(isas); i++)
		if (isas[i]->full.make_weights && isas[i]->usable())
			return isas[i];
	return &isa_generic; /* always usable */
}
