/* NIfTI volumes: the header alone, and the whole as an array. */
#include "fuzz.h"
#include "read/nifti.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct array_header header;
	struct fault fault = FAULT_INIT, warning = FAULT_INIT;
	const bool ok = nifti_parse(data, n, &header, &warning, &fault);

	FUZZ_CHECK(ok == (fault.kind == FAULT_NONE));
	FUZZ_CHECK(!ok || (header.rank >= 1 && header.rank <= 7 && header.elements > 0));
	fuzz_measure(FORMAT_NIFTI, data, n);
	return 0;
}
