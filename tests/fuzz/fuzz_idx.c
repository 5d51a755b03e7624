/*
 * IDX arrays, and packed files: read at once and in pieces, they give the same bytes. gzip against zlib: what ours
 * accepts, zlib accepts, to the same bytes.
 */
#include <zlib.h>

#include "base/mem.h"
#include "find/unpacker.h"
#include "fuzz.h"
#include "read/identify.h"
#include "read/input.h"

enum { UNPACKED_MAX = 1 << 20 };

/* Unpacks all members with zlib; -1: damaged. Ignores the bytes after the last one. */
static int64_t unpack(const uint8_t *data, size_t n, uint8_t *out)
{
	z_stream z = { 0 };
	size_t at = 0, made = 0;

	do {
		memset(&z, 0, sizeof(z));
		FUZZ_CHECK(inflateInit2(&z, 31) == Z_OK);
		z.next_in = fuzz_copy(data + at, n - at);
		z.avail_in = (uInt)(n - at);
		z.next_out = out + made;
		z.avail_out = (uInt)(UNPACKED_MAX - made);
		Bytef *begin = z.next_in;
		int code = inflate(&z, Z_FINISH);

		at += z.total_in;
		made += z.total_out;
		inflateEnd(&z);
		free(begin);
		if (code != Z_STREAM_END)
			return -1;
	} while (n - at >= 2 && data[at] == 0x1f && data[at + 1] == 0x8b);
	return (int64_t)made;
}

/* Reads all that the packed bytes give, at most `step` at once; -1: a fault. */
static int64_t read_packed(const uint8_t *packed, size_t n, size_t step, uint8_t *out)
{
	static const struct limits limits = { .max_inflated = UNPACKED_MAX };
	uint8_t buffer[PEEK_BYTES];
	const uint8_t *head;
	struct input in;
	struct fault fault;
	int64_t got, made = 0;

	fault_clear(&fault);
	input_init(&in);
	input_from_memory(&in, packed, n);
	got = input_unpack(&in, buffer, &head, &limits, &fault);
	FUZZ_CHECK(got < 0 || !memcmp(head, in.bytes ? in.bytes : in.head, (size_t)got));
	while (got >= 0 && (got = input_read(&in, out + made, step, &fault)) > 0)
		made += got;
	FUZZ_CHECK((got < 0) == (fault.kind != FAULT_NONE));
	input_release(&in);
	return got < 0 ? -1 : made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static uint8_t ours[UNPACKED_MAX + 1], pieces[UNPACKED_MAX + 1], theirs[UNPACKED_MAX];
	enum packing packing = content_packing(identify(data, n));
	uint8_t head[PEEK_BYTES];

	fuzz_measure(FORMAT_IDX, data, n);
	if (packing == PACKING_NONE)
		return 0;
	uint8_t *copy = fuzz_copy(data, n);
	struct fault fault;

	fault_clear(&fault);
	size_t head_len = (size_t)MAX(unpack_head(copy, n, head, sizeof(head), &fault), INT64_C(0));
	int64_t got = read_packed(copy, n, UNPACKED_MAX, ours);

	FUZZ_CHECK(read_packed(copy, n, 1 + data[n - 1], pieces) == got);
	if (got >= 0) {
		FUZZ_CHECK(!memcmp(ours, pieces, (size_t)got));
		FUZZ_CHECK(!memcmp(ours, head, MIN(head_len, (size_t)got)));
		if (packing == PACKING_GZIP) {
			FUZZ_CHECK(unpack(copy, n, theirs) == got);
			FUZZ_CHECK(!memcmp(ours, theirs, (size_t)got));
		}
		fuzz_measure(FORMAT_IDX, ours, MIN((size_t)got, (size_t)65536));
	}
	free(copy);
	return 0;
}
