/* NRRD and MetaImage: the header alone, and the whole as an array. */
#include "fuzz.h"
#include "read/identify.h"
#include "read/text_volume.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct array_header header;
	struct fault fault = FAULT_INIT;
	enum packing packing;
	char *text = malloc(n + 1);

	memcpy(text, data, n);
	const bool ok = text_volume_parse(text, n, &header, &packing, &fault);

	free(text);
	FUZZ_CHECK(ok == (fault.kind == FAULT_NONE));
	FUZZ_CHECK(!ok || (header.rank >= 1 && header.rank <= 16 && header.elements > 0));
	if (identify(data, n) == CONTENT_VOLUME)
		fuzz_measure(FORMAT_NIFTI, data, n);
	return 0;
}
