/*
 * The fast path's inflate between guard pages: it reads nothing after the input's padding, nothing before the output's
 * first byte, and writes nothing after the space that it may write. zlib accepts all that it accepts, and gives the
 * same bytes. With and without the wide registers.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "check_main.h"
#include "png/fast_inflate.h"
#include "random.h"
#include "registers.h"

enum { ROOM = 1 << 16, MUTANTS = 3000 };

/* Pages that may be used, between two that may not. */
struct guarded {
	uint8_t *begin, *end;
};

static struct guarded guarded_new(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), all = (n + page - 1) / page * page;
	uint8_t *p = mmap(NULL, all + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert(p != MAP_FAILED);
	ck_assert_int_eq(mprotect(p, page, PROT_NONE), 0);
	ck_assert_int_eq(mprotect(p + page + all, page, PROT_NONE), 0);
	return (struct guarded){ p + page, p + page + all };
}

static struct guarded in_pages, out_pages;

static void set_up(void)
{
	in_pages = guarded_new(ROOM + INFLATE_READ_AHEAD);
	out_pages = guarded_new(ROOM + 1 + INFLATE_WRITE_AHEAD);
}

/*
 * The raw stream against both guards: its padding ends where the page does; the output begins where a page does, or
 * ends with all that may be written there (one more, see below). Returns the bytes, or -1: refused.
 */
static int64_t inflate_fast(const uint8_t *stream, size_t n, size_t room, bool at_the_end, const uint8_t **bytes)
{
	uint8_t *in = in_pages.end - INFLATE_READ_AHEAD - n;
	uint8_t *first = at_the_end ? out_pages.end - INFLATE_WRITE_AHEAD - room - 1 : out_pages.begin, *out = first;
	struct inflate z = { 0 };

	memcpy(in, stream, n);
	memset(in + n, 0xff, INFLATE_READ_AHEAD);
	inflate_begin(&z, in, n, true);
	enum inflate_result r = inflate_step(&z, first, &out, first + room);

	if (r == INFLATE_MORE) /* full; an end that holds nothing more may follow */
		r = inflate_step(&z, first, &out, first + room + 1);
	*bytes = first;
	const uint8_t *rest;

	if (r != INFLATE_END || (size_t)(out - first) > room || inflate_left(&z, &rest) == SIZE_MAX)
		return -1;
	return out - first;
}

/* Inflates it with zlib; -1: refused, or more bytes than fit. */
static int64_t inflate_zlib(const uint8_t *stream, size_t n, uint8_t *out, size_t room)
{
	z_stream z = {
		.next_in = (uint8_t *)(uintptr_t)stream, .avail_in = (uInt)n, .next_out = out, .avail_out = (uInt)room
	};

	ck_assert_int_eq(inflateInit2(&z, -15), Z_OK);
	bool ok = inflate(&z, Z_FINISH) == Z_STREAM_END;

	inflateEnd(&z);
	return ok ? (int64_t)z.total_out : -1;
}

static bool compare(const uint8_t *stream, size_t n, size_t room)
{
	static uint8_t theirs[ROOM];
	const uint8_t *ours;
	int64_t got = inflate_fast(stream, n, room, false, &ours);

	if (got >= 0) {
		ck_assert_int_eq(inflate_zlib(stream, n, theirs, ROOM), got);
		ck_assert_int_eq(memcmp(ours, theirs, (size_t)got), 0);
	}
	ck_assert_int_eq(inflate_fast(stream, n, room, true, &ours), got);
	if (got >= 0)
		ck_assert_int_eq(memcmp(ours, theirs, (size_t)got), 0);
	return got >= 0;
}

/* Runs, noise and repeats, as masks have them. */
static size_t fill(uint8_t *data, size_t n, uint64_t *state)
{
	for (size_t at = 0; at < n;) {
		size_t length = 1 + random_below(state, 600), back = 1 + random_below(state, 40000);
		uint32_t what = random_below(state, 3);
		uint8_t value = (uint8_t)random_next(state);

		for (; length && at < n; length--, at++)
			data[at] = what == 0                 ? value
				   : what == 1 && back <= at ? data[at - back]
							     : (uint8_t)random_below(state, 16);
	}
	return n;
}

static size_t pack(const uint8_t *data, size_t n, int level, int strategy, uint8_t *out)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)data, .avail_in = (uInt)n, .next_out = out, .avail_out = ROOM };

	ck_assert_int_eq(deflateInit2(&z, level, Z_DEFLATED, -15, 8, strategy), Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

START_TEST(whole_and_damaged_streams)
{
	static uint8_t data[ROOM / 2], stream[ROOM], damaged[ROOM];
	const int strategy = _i / 2, levels[] = { 0, 1, 6, 9 };
	uint64_t state = 0x9e3779b9 + (uint64_t)strategy;
	unsigned taken = 0;

	choose_registers(_i % 2);
	for (unsigned round = 0; round < 16; round++) {
		size_t n = fill(data, 1 + random_below(&state, sizeof(data)), &state);
		size_t packed = pack(data, n, levels[round % ARRAY_SIZE(levels)], strategy, stream);

		ck_assert(compare(stream, packed, n));
		for (unsigned i = 0; i < MUTANTS / 16; i++) {
			uint32_t length =
				random_below(&state, 4) ? (uint32_t)packed : random_below(&state, (uint32_t)packed + 1);

			memcpy(damaged, stream, length);
			/* more of it near the beginning, where the codes are */
			for (uint32_t n_bits = length ? 1 + random_below(&state, 3) : 0; n_bits; n_bits--) {
				uint32_t end = 1u << random_below(&state, 16);

				damaged[random_below(&state, MIN(length, end))] ^=
					(uint8_t)(1u << random_below(&state, 8));
			}
			taken += compare(damaged, length, n);
		}
	}
	ck_assert_uint_gt(taken, 0);
}
END_TEST

/* Bits from the lowest on, as DEFLATE packs them. */
static void put(uint8_t *stream, size_t *at, unsigned value, unsigned count)
{
	for (unsigned i = 0; i < count; i++, ++*at)
		stream[*at / 8] |= (uint8_t)((value >> i & 1) << *at % 8);
}

/* Codes go from their highest bit on. */
static void put_code(uint8_t *stream, size_t *at, unsigned code, unsigned count)
{
	while (count--)
		put(stream, at, code >> count & 1, 1);
}

/* One literal, then a match: fixed codes (RFC 1951, 3.2.6), distance symbols of the largest distances. */
START_TEST(matches_begin_at_the_first_byte)
{
	static const struct {
		unsigned symbol, extra_bits;
		bool legal;
	} distances[] = { { 0, 0, true },  { 1, 0, false },  { 3, 0, false },
			  { 4, 1, false }, { 20, 9, false }, { 29, 13, false } };

	choose_registers(_i);
	for (size_t i = 0; i < ARRAY_SIZE(distances); i++) {
		uint8_t stream[64] = { 0 };
		const uint8_t *bytes;
		size_t at = 0;

		put(stream, &at, 1 | 1 << 1, 3); /* the last block, fixed codes */
		put_code(stream, &at, 0x30 + 'x', 8);
		put_code(stream, &at, 1, 7); /* a length of 3 */
		put_code(stream, &at, distances[i].symbol, 5);
		put(stream, &at, 0x1fff, distances[i].extra_bits);
		/* literals, so that the stream is long enough for the fast loop */
		for (int k = 0; k < 20; k++)
			put_code(stream, &at, 0x30 + 'y', 8);
		put_code(stream, &at, 0, 7);
		int64_t got = inflate_fast(stream, (at + 7) / 8, 1024, false, &bytes);

		ck_assert_int_eq(got, distances[i].legal ? 24 : -1);
		ck_assert(!distances[i].legal || !memcmp(bytes, "xxxxyyyy", 8));
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("inflate_guard_pages");
	TCase *t = tcase_create("inflate_guard_pages");

	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_set_timeout(t, 120);
	/* Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED */
	tcase_add_loop_test(t, whole_and_damaged_streams, 0, 2 * 5);
	tcase_add_loop_test(t, matches_begin_at_the_first_byte, 0, 2);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
