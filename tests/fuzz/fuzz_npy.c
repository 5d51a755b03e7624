/* NumPy arrays; and the header's literal alone, which is most of the parser and seldom survives a mutation whole. */
#include "fuzz.h"
#include "read/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct array_header header;
	struct fault fault;

	fuzz_measure(FORMAT_NPY, data, n);
	for (int longs = 0; longs < 2; longs++) {
		fault_clear(&fault);
		memset(&header, 0, sizeof(header));
		bool ok = npy_parse_literal((const char *)data, n, 10, longs, &header, &fault);

		FUZZ_CHECK(ok == (fault.kind == FAULT_NONE));
		FUZZ_CHECK(!ok || header.rank <= ARRAY_RANK_MAX);
	}
	return 0;
}
