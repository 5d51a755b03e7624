/*
 * The four libraries of struct unpacker: packed data at once and in pieces of both sides give the same bytes and the
 * same verdict, at the same byte of the input, also for several streams in a row. The magic chooses the library or,
 * where there is none, the first byte.
 */
#include "base/mem.h"
#include "find/unpacker.h"
#include "fuzz.h"

enum { ROOM = 1 << 18, STREAMS_MAX = 64 };

struct outcome {
	enum unpacker_result result; /* of the stream that was the last */
	size_t used, len, streams;
};

/* in_step, out_step: given at once. Each piece is in memory of its own. */
static struct outcome unpack(enum packing packing, const uint8_t *data, size_t n, uint8_t *out, size_t in_step,
			     size_t out_step)
{
	struct outcome o = { .result = UNPACKER_END };
	struct unpacker u;

	unpacker_init(&u, packing);
	while (o.used < n && o.len < ROOM && o.result == UNPACKER_END && o.streams < STREAMS_MAX) {
		FUZZ_CHECK(unpacker_begin_stream(&u));
		o.streams++;
		do {
			size_t given = MIN(in_step, n - o.used), room = MIN(out_step, ROOM - o.len);
			uint8_t *piece = fuzz_copy(data + o.used, given), *to = xmalloc(room + 1);

			u.in = piece;
			u.in_len = given;
			u.out = to;
			u.out_len = room;
			o.result = unpacker_run(&u);
			FUZZ_CHECK(u.in_len <= given && u.out_len <= room);
			FUZZ_CHECK(u.in == piece + (given - u.in_len) && u.out == to + (room - u.out_len));
			FUZZ_CHECK(o.result != UNPACKER_NO_MEMORY && (o.result != UNPACKER_DAMAGED || u.why[0]));
			memcpy(out + o.len, to, room - u.out_len);
			bool moved = u.in_len < given || u.out_len < room;

			o.used += given - u.in_len;
			o.len += room - u.out_len;
			free(piece);
			free(to);
			/* byte_stream goes round as long as there is input: it must get less */
			FUZZ_CHECK(moved || o.result != UNPACKER_MORE || o.used == n || o.len == ROOM);
			if (!moved)
				break;
		} while (o.result == UNPACKER_MORE);
	}
	unpacker_release(&u);
	return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static uint8_t whole[ROOM], parts[ROOM];

	if (!n)
		return 0;
	enum packing packing = packing_of(data, n);

	if (packing == PACKING_UNKNOWN)
		packing = (enum packing)(PACKING_GZIP + data[0] % 4);

	struct outcome a = unpack(packing, data, n, whole, n, ROOM);
	struct outcome b = unpack(packing, data, n, parts, 1 + data[n - 1] % 97, 1 + (size_t)data[n / 2] * 16);

	FUZZ_CHECK(!memcmp(whole, parts, MIN(a.len, b.len)));
	if (a.len == ROOM || b.len == ROOM) /* each may stop elsewhere in its input */
		return 0;
	/* libzstd sees that a frame holds less than it promises only where it has all of it at once */
	if (packing == PACKING_ZSTD && (a.result == UNPACKER_DAMAGED || b.result == UNPACKER_DAMAGED))
		return 0;
	FUZZ_CHECK(a.result == b.result && a.streams == b.streams);
	/* what is damaged may be seen before all bytes that are right have come out */
	FUZZ_CHECK(a.result == UNPACKER_DAMAGED || a.result == UNPACKER_LIMIT || (a.len == b.len && a.used == b.used));
	return 0;
}
