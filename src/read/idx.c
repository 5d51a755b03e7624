#include "read/idx.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/mem.h"

static enum array_dtype type_of_code(unsigned code)
{
	switch (code) {
	case 0x08:
		return DTYPE_UINT8;
	case 0x09:
		return DTYPE_INT8;
	case 0x0b:
		return DTYPE_INT16;
	case 0x0c:
		return DTYPE_INT32;
	case 0x0d:
		return DTYPE_FLOAT32;
	case 0x0e:
		return DTYPE_FLOAT64;
	default:
		return DTYPE_NONE;
	}
}

static bool truncated(struct fault *fault, uint64_t size)
{
	return fault_set(fault, FAULT_TRUNCATED, size, "the file ends within the header of its array, at byte %" PRIu64,
			 size);
}

bool idx_read_header(struct input *in, struct array_header *out, struct fault *fault)
{
	uint8_t bytes[4];
	int64_t n = input_read(in, bytes, sizeof(bytes), fault);
	uint64_t data_bytes;

	*out = (struct array_header){ .elements = 1 };
	if (n < 0)
		return false;
	if (n < (int64_t)sizeof(bytes))
		return truncated(fault, in->size);
	out->dtype = (uint8_t)type_of_code(bytes[2]);
	out->rank = bytes[3];
	if (bytes[0] || bytes[1] || !out->dtype || !out->rank || out->rank > ARRAY_RANK_MAX)
		return fault_set(
			fault, FAULT_LABELS, 0,
			"expected an IDX header (0, 0, a type of 8, 9 or 11 to 14, 1 to %d axes), found %u, %u, %u, %u",
			ARRAY_RANK_MAX, bytes[0], bytes[1], bytes[2], bytes[3]);
	out->big_endian = dtype_bytes((enum array_dtype)out->dtype) > 1;
	out->data_at = sizeof(bytes) + 4u * out->rank;
	for (unsigned i = 0; i < out->rank; i++) {
		n = input_read(in, bytes, sizeof(bytes), fault);
		if (n < 0)
			return false;
		if (n < (int64_t)sizeof(bytes))
			return truncated(fault, in->size);
		out->shape[i] = be32(bytes);
		if (!size_mul(out->elements, out->shape[i], &out->elements))
			out->elements = UINT64_MAX;
	}
	if (!size_mul(out->elements, dtype_bytes((enum array_dtype)out->dtype), &data_bytes) ||
	    data_bytes > INT64_MAX || data_bytes > in->size - out->data_at)
		return fault_set(fault, FAULT_TRUNCATED, in->size,
				 "the header promises more elements than the %" PRIu64 " bytes behind it hold",
				 in->size - out->data_at);
	return true;
}
