/* YOLO texts. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_measure(FORMAT_YOLO, data, n);
	return 0;
}
