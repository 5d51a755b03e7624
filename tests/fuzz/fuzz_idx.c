/* IDX arrays, and gzip files against zlib: what ours takes, zlib takes, to the same bytes. */
#include <zlib.h>

#include "base/gzip.h"
#include "base/mem.h"
#include "fuzz.h"
#include "read/gunzip.h"

enum { UNPACKED_MAX = 1 << 20 };

/* All members, unpacked by zlib; -1: damaged. What follows the last one is not looked at. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct limits limits = { .max_inflated = UNPACKED_MAX };
	static uint8_t ours[UNPACKED_MAX + 1], theirs[UNPACKED_MAX];
	uint8_t head[PEEK_BYTES];
	struct input in;
	struct fault fault;

	fuzz_measure(FORMAT_IDX, data, n);
	if (n < 2 || data[0] != 0x1f || data[1] != 0x8b)
		return 0;
	uint8_t *copy = fuzz_copy(data, n);

	gzip_head(copy, n, head, sizeof(head));
	fault_clear(&fault);
	input_init(&in);
	input_from_memory(&in, copy, n);
	if (gunzip_input(&in, &limits, &fault)) {
		int64_t got = input_read(&in, ours, sizeof(ours), &fault);

		FUZZ_CHECK((got < 0) == (fault.kind != FAULT_NONE));
		if (got >= 0) {
			FUZZ_CHECK(unpack(copy, n, theirs) == got);
			FUZZ_CHECK(!memcmp(ours, theirs, (size_t)got));
			fuzz_measure(FORMAT_IDX, ours, MIN((size_t)got, (size_t)65536));
		}
	} else {
		FUZZ_CHECK(fault.kind != FAULT_NONE);
	}
	input_release(&in);
	free(copy);
	return 0;
}
