/* COCO annotation files, with their ids mapped, as they are, or as it is found out. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const enum coco_ids ids[] = { COCO_IDS_AUTO, COCO_IDS_MAPPED, COCO_IDS_AS_IS };

	fuzz_settings()->coco_ids = ids[n % 3];
	fuzz_measure(FORMAT_COCO, data, n);
	return 0;
}
