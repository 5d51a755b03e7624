/* COCO annotation files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_measure(FORMAT_COCO, data, n);
	return 0;
}
