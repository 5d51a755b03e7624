#include "read/npy.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/mem.h"

/* The types, by their code. */
static const uint8_t types[] = {
	[0x08] = DTYPE_UINT8, [0x09] = DTYPE_INT8,    [0x0b] = DTYPE_INT16,
	[0x0c] = DTYPE_INT32, [0x0d] = DTYPE_FLOAT32, [0x0e] = DTYPE_FLOAT64,
};

static bool read_word(struct input *in, uint8_t bytes[4], struct fault *fault)
{
	int64_t n = input_read(in, bytes, 4, fault);

	if (n >= 0 && n < 4)
		fault_set(fault, FAULT_TRUNCATED, in->size,
			  "the file ends within the header of its array, at byte %" PRIu64, in->size);
	return n == 4;
}

bool idx_read_header(struct input *in, struct array_header *out, struct fault *fault)
{
	uint8_t bytes[4];
	uint64_t data_bytes;

	*out = (struct array_header){ .elements = 1 };
	if (!read_word(in, bytes, fault))
		return false;
	out->dtype = bytes[2] < sizeof(types) ? types[bytes[2]] : DTYPE_NONE;
	out->rank = bytes[3];
	if (bytes[0] || bytes[1] || !out->dtype || !out->rank || out->rank > ARRAY_RANK_MAX)
		return fault_set(
			fault, FAULT_LABELS, 0,
			"expected an IDX header (0, 0, a type of 8, 9 or 11 to 14, 1 to %d axes), found %u, %u, %u, %u",
			ARRAY_RANK_MAX, bytes[0], bytes[1], bytes[2], bytes[3]);
	out->big_endian = dtype_bytes((enum array_dtype)out->dtype) > 1;
	out->data_at = sizeof(bytes) + 4u * out->rank;
	for (unsigned i = 0; i < out->rank; i++) {
		if (!read_word(in, bytes, fault))
			return false;
		out->shape[i] = be32(bytes);
		if (!size_mul(out->elements, out->shape[i], &out->elements))
			out->elements = UINT64_MAX;
	}
	if (!size_mul(out->elements, dtype_bytes((enum array_dtype)out->dtype), &data_bytes) ||
	    data_bytes > INT64_MAX || data_bytes > in->size - out->data_at)
		return fault_set(fault, FAULT_TRUNCATED, in->size,
				 "the header declares more elements than the %" PRIu64 " bytes after it can hold",
				 in->size - out->data_at);
	return true;
}
