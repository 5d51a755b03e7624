/*
 * Streams of token ids: the first byte chooses --dtype, the rest is the file. If the byte's top bit is set, two bytes
 * more say how long Megatron's index is, which comes before the ids.
 */
#include "fuzz.h"
#include "read/tokens.h"

static void read_pair(const uint8_t *data, size_t n, uint8_t dtype)
{
	const size_t index = n < 2 ? 0 : MIN((size_t)(data[0] | data[1] << 8), n - 2);
	struct fault fault = FAULT_INIT;
	struct array_header header;
	struct input in;
	char path[128];

	if (n < 2)
		return;
	const char *name = fuzz_path(data + 2, index, ".idx");
	uint8_t *ids = fuzz_copy(data + 2 + index, n - 2 - index);

	snprintf(path, sizeof(path), "%.*s.bin", (int)strlen(name) - 4, name);
	input_init(&in);
	input_from_memory(&in, ids, n - 2 - index);
	const bool ok = tokens_read_header(&in, path, dtype, &header, &fault);

	FUZZ_CHECK(ok == (fault.kind == FAULT_NONE));
	FUZZ_CHECK(!ok || header.dtype == DTYPE_NONE || header.data_at || header.elements != ELEMENTS_UNKNOWN);
	input_release(&in);
	free(ids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const uint8_t types[] = {
		DTYPE_NONE, DTYPE_UINT8, DTYPE_UINT16, DTYPE_UINT32, DTYPE_INT32, DTYPE_INT64
	};

	if (!n)
		return 0;
	const uint8_t dtype = types[(data[0] & 127) % ARRAY_SIZE(types)];

	if (data[0] & 128) {
		read_pair(data + 1, n - 1, dtype);
	} else {
		fuzz_settings()->list.dtype = dtype;
		fuzz_measure(FORMAT_TOKENS, data + 1, n - 1);
	}
	return 0;
}
