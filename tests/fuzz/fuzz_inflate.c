/*
 * The inflate decoder of a warp, as a loop over lanes, and that of the processor against zlib: what they take, zlib
 * takes, to the same bytes. The first two bytes say how many bytes are promised, the stream follows. With the Adler-32
 * as it is, and mended; the processor's decoder knows nothing of it.
 */
#include <zlib.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "fuzz.h"
#include "measure/kernel/inflate_kernel.h"
#include "png/fast_inflate.h"

static bool inflate_warp(const uint8_t *stream, size_t n, uint8_t *out, size_t size, enum lane_order order)
{
	size_t room = (n + KERNEL_STREAM_PADDING + 15) / 16 * 16;
	uint8_t *in = xcalloc(room, 1);
	struct inflate_shared *s = xmalloc(sizeof(*s));
	struct warp w;

	if (n)
		memcpy(in, stream, n);
	memset(s, 0x5a, sizeof(*s));
	warp_init(&w, order);
	bool taken = kernel_inflate(&w, s, in, (uint32_t)n, out, (uint32_t)size);

	free(s);
	free(in);
	return taken;
}

/* Exactly `size` bytes from exactly the stream; with `adler`, whatever its checksum, which it gets. */
static bool inflate_zlib(const uint8_t *stream, size_t n, uint8_t *out, size_t size, uint32_t *adler)
{
	uint8_t *in = fuzz_copy(stream, n), *room = xmalloc(size + 1); /* a byte more: the block's end is still read */
	z_stream z = { .next_in = in, .avail_in = (uInt)n, .next_out = room, .avail_out = (uInt)size + 1 };

	FUZZ_CHECK(inflateInit(&z) == Z_OK);
	if (adler)
		inflateValidate(&z, 0);
	bool fine = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == size && z.avail_in == 0;

	memcpy(out, room, size);
	inflateEnd(&z);
	if (adler)
		*adler = (uint32_t)adler32(1, out, (uInt)size);
	free(in);
	free(room);
	return fine;
}

/*
 * Inflates deflate data alone, of any size up to `size`, in two steps; the input comes in pieces, each in memory of its
 * own. Returns the number of bytes, or -1; *used: of the input.
 */
static int64_t inflate_fast(const uint8_t *data, size_t n, uint8_t *out, size_t size, size_t piece_bytes, size_t *used)
{
	struct inflate *z = xcalloc(1, sizeof(*z));
	size_t given = MIN(n, piece_bytes), left;
	uint8_t *at = out, *limit = out + size / 2, *piece = xcalloc(given + INFLATE_READ_AHEAD, 1);
	const uint8_t *rest;
	enum inflate_result result;

	if (n)
		memcpy(piece, data, given);
	inflate_begin(z, piece, given, given == n);
	for (;;) {
		result = inflate_step(z, out, &at, limit);
		left = inflate_left(z, &rest);
		if (result == INFLATE_MORE && at < out + size) {
			limit = out + size;
		} else if (result == INFLATE_WAITS) {
			size_t more = MIN(n - given, piece_bytes);
			uint8_t *next = xcalloc(left + more + INFLATE_READ_AHEAD, 1);

			FUZZ_CHECK(left <= INFLATE_LEFT_MAX && more > 0);
			memcpy(next, rest, left);
			memcpy(next + left, data + given, more);
			given += more;
			free(piece);
			piece = next;
			inflate_go_on(z, piece, left + more, given == n);
		} else {
			break;
		}
	}
	free(piece);
	free(z);
	if (result != INFLATE_END || (size_t)(at - out) > size || left == SIZE_MAX)
		return -1;
	*used = given - left;
	return at - out;
}

static void compare_fast(const uint8_t *data, size_t n, size_t size)
{
	uint8_t *ours = xmalloc(size + INFLATE_WRITE_AHEAD), *again = xmalloc(size + INFLATE_WRITE_AHEAD);
	size_t used = 0, used_again = 0;
	int64_t got = inflate_fast(data, n, ours, size, SIZE_MAX, &used);

	FUZZ_CHECK(inflate_fast(data, n, again, size, INFLATE_LEFT_MAX + 1 + size % 509, &used_again) == got);
	if (got >= 0) {
		uint8_t *in = fuzz_copy(data, n), *theirs = xmalloc((size_t)got + 1);
		z_stream z = { .next_in = in, .avail_in = (uInt)n, .next_out = theirs, .avail_out = (uInt)got + 1 };

		FUZZ_CHECK(used == used_again && !memcmp(ours, again, (size_t)got));
		FUZZ_CHECK(inflateInit2(&z, -15) == Z_OK);
		FUZZ_CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
		FUZZ_CHECK(z.total_out == (size_t)got && z.total_in == used);
		FUZZ_CHECK(!memcmp(ours, theirs, (size_t)got));
		inflateEnd(&z);
		free(theirs);
		free(in);
	}
	free(ours);
	free(again);
}

static void compare(const uint8_t *stream, size_t n, size_t size)
{
	uint8_t *ours = xmalloc(size), *again = xmalloc(size), *theirs = xmalloc(size);
	bool taken = inflate_warp(stream, n, ours, size, LANES_FORWARD);

	FUZZ_CHECK(inflate_warp(stream, n, again, size, LANES_REVERSE) == taken);
	if (taken) {
		FUZZ_CHECK(!memcmp(ours, again, size));
		FUZZ_CHECK(inflate_zlib(stream, n, theirs, size, NULL));
		FUZZ_CHECK(!memcmp(ours, theirs, size));
	}
	free(ours);
	free(again);
	free(theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static bool ready; /* else the processor's decoder takes it for the plainest */
	struct error err = ERROR_INIT;

	if (!ready)
		FUZZ_CHECK(cpu_init(&err) == STATUS_OK);
	ready = true;
	if (n < 8)
		return 0;
	size_t size = 1 + (size_t)data[0] + ((size_t)data[1] << 8);
	uint8_t *stream = fuzz_copy(data + 2, n - 2), *out = xmalloc(size);
	uint32_t adler;

	compare_fast(stream + 2, n - 4, size);
	compare(stream, n - 2, size);
	if (inflate_zlib(stream, n - 2, out, size, &adler)) {
		for (unsigned i = 0; i < 4; i++)
			stream[n - 6 + i] = (uint8_t)(adler >> (24 - 8 * i));
		compare(stream, n - 2, size);
	}
	free(out);
	free(stream);
	return 0;
}
