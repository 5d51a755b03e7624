#include "read/volume.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "read/identify.h"
#include "read/nifti.h"
#include "read/text_volume.h"

/* Returns whether a volume that begins so has a text for a header: NRRD, NDims, ObjectType. */
static bool is_text(uint8_t first)
{
	return first == 'N' || first == 'O';
}

/* Reads a header that is a text, of an input at its beginning; *packing: of the voxels from out->data_at on. */
static bool read_text(struct input *in, struct array_header *out, enum packing *packing, struct fault *fault)
{
	FREED char *text = xmalloc(TEXT_VOLUME_HEADER_MAX + 1);
	const int64_t n = input_read(in, text, TEXT_VOLUME_HEADER_MAX, fault);

	return n >= 0 && text_volume_parse(text, (size_t)n, out, packing, fault);
}

bool volume_read_header(struct input *in, const struct limits *limits, struct array_header *h, struct fault *warning,
			struct fault *fault)
{
	uint8_t first;
	enum packing packing;
	const int64_t n = input_read(in, &first, 1, fault);

	if (n < 0 || !input_rewind(in, fault))
		return false;
	if (!n || !is_text(first))
		return nifti_read_header(in, h, warning, fault);
	if (!read_text(in, h, &packing, fault) || !input_seek(in, h->data_at, fault))
		return false;
	if (packing == PACKING_NONE)
		return true;
	h->data_at = 0;
	return input_unpack_rest(in, packing, limits, fault);
}

bool volume_read_file(int dirfd, const char *name, struct array_header *h, struct fault *fault)
{
	struct fault ignored = FAULT_INIT;
	uint8_t head[PEEK_BYTES];
	enum packing packing;
	struct input in;
	const uint8_t *start;
	const int n = input_read_head(dirfd, name, head, fault);

	if (n < 0)
		return false;
	if (identify(head, (size_t)n) != CONTENT_VOLUME)
		return fault_set(fault, FAULT_NOT_A_LABEL, 0, "it is no volume of NIfTI, NRRD or MetaImage");
	if (!is_text(*head))
		return nifti_parse(head, (size_t)n, h, &ignored, fault);
	input_init(&in);
	const bool good = input_open(&in, dirfd, name, fault) &&
			  input_unpack(&in, head, &start, &(struct limits){ 0 }, fault) >= 0 &&
			  read_text(&in, h, &packing, fault);

	input_release(&in);
	return good;
}

/* Returns how many of n bytes of floats, in the byte order of the file, are NaN. */
static uint64_t count_nan(const uint8_t *bytes, size_t n, const struct array_header *h)
{
	const unsigned width = dtype_bytes((enum array_dtype)h->dtype);
	const uint64_t infinity = width == 4 ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);
	uint64_t count = 0;

	for (size_t i = 0; i + width <= n; i += width) {
		const uint8_t *at = bytes + i;
		const uint64_t bits = width == 4 ? (h->big_endian ? be32(at) : le32(at)) & INT32_MAX
						 : (h->big_endian ? be64(at) : le64(at)) & INT64_MAX;

		count += bits > infinity;
	}
	return count;
}

/* The same of an open file. */
static bool check_numbers(struct input *in, const struct limits *limits, struct fault *fault)
{
	struct fault ignored = FAULT_INIT;
	struct array_header h;
	const uint8_t *head;
	uint8_t bytes[1 << 16];
	uint64_t nan = 0;
	int64_t n;

	if (input_unpack(in, bytes, &head, limits, fault) < 0 || !volume_read_header(in, limits, &h, &ignored, fault))
		return false;
	if (h.dtype < DTYPE_FLOAT16)
		return true;
	while ((n = input_read(in, bytes, sizeof(bytes), fault)) > 0)
		nan += count_nan(bytes, (size_t)n, &h);
	if (nan)
		fault_set(fault, FAULT_NOT_A_LABEL, FAULT_NO_OFFSET,
			  "%" PRIu64 " of its voxels are NaN: every loss over them is, too, and nnU-Net stops", nan);
	return n == 0 && !nan;
}

bool volume_check_numbers(int dirfd, const char *name, const struct limits *limits, struct fault *fault)
{
	struct input in;

	input_init(&in);
	const bool good = input_open(&in, dirfd, name, fault) && check_numbers(&in, limits, fault);

	input_release(&in);
	return good;
}
