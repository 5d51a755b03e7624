/* Lists of labels: text, CSV, TSV. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_measure(FORMAT_LIST, data, n);
	return 0;
}
