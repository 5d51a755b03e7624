/* gzip files as inputs: members, checksums, what follows, limits, and files too long for memory. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/gzip.h"
#include "base/mem.h"
#include "check_main.h"
#include "read/gunzip.h"

static const struct limits limits = { .max_inflated = (uint64_t)1 << 31 };
static struct input in;
static struct fault fault;

static void setup(void)
{
	input_init(&in);
	fault_clear(&fault);
}

static void teardown(void)
{
	input_release(&in);
}

/* Appends a member with n bytes, the i-th of them i mod 251; returns the new length. */
static size_t pack(uint8_t *out, size_t at, size_t room, size_t n)
{
	uint8_t *plain = xmalloc(n + 1);
	z_stream z = { .next_in = plain, .avail_in = (uInt)n, .next_out = out + at, .avail_out = (uInt)(room - at) };

	for (size_t i = 0; i < n; i++)
		plain[i] = (uint8_t)(i % 251);
	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	ck_assert_int_eq(deflateEnd(&z), Z_OK);
	free(plain);
	return room - z.avail_out;
}

static bool open_bytes(const uint8_t *bytes, size_t n)
{
	input_from_memory(&in, bytes, n);
	fault_clear(&fault);
	return gunzip_input(&in, &limits, &fault);
}

START_TEST(members_follow_each_other)
{
	uint8_t packed[4096];
	size_t n = pack(packed, 0, sizeof(packed), 1000);

	ck_assert(open_bytes(packed, n));
	ck_assert_uint_eq(in.size, 1000);
	for (size_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(in.bytes[i], i % 251);
	ck_assert_ptr_null(in.warning);
	n = pack(packed, n, sizeof(packed), 0);
	n = pack(packed, n, sizeof(packed), 300);
	ck_assert(open_bytes(packed, n));
	ck_assert_uint_eq(in.size, 1300);
	ck_assert_uint_eq(in.bytes[1299], 299 % 251);
	ck_assert(input_rewind(&in, &fault));
}
END_TEST

START_TEST(what_follows_is_a_remark)
{
	uint8_t packed[4096] = { 0 };
	size_t n = pack(packed, 0, sizeof(packed), 1000);

	ck_assert(open_bytes(packed, n + 512));
	ck_assert_str_eq(in.warning, "zeros follow the gzip data");
	ck_assert_uint_eq(in.warning_at, n);
	ck_assert_uint_eq(in.size, 1000);
	packed[n + 5] = 1;
	ck_assert(open_bytes(packed, n + 512));
	ck_assert(strstr(in.warning, "not gzip data"));
	packed[n] = 0x1f;
	ck_assert(open_bytes(packed, n + 1));
	ck_assert(strstr(in.warning, "not gzip data"));
	/* the next file has none */
	ck_assert(open_bytes(packed, n));
	ck_assert_ptr_null(in.warning);
}
END_TEST

START_TEST(damage_is_found)
{
	uint8_t packed[4096], bad[4096];
	size_t n = pack(packed, 0, sizeof(packed), 1000);

	/* cut anywhere, but for the end of a member */
	for (size_t cut = 2; cut < n; cut++) {
		ck_assert(!open_bytes(packed, cut));
		ck_assert_msg(fault.kind == FAULT_TRUNCATED, "%zu: %s", cut, fault.text);
	}
	/* CRC-32 and ISIZE; a reserved flag; another method */
	static const struct {
		int at; /* from the end if negative */
		const char *words;
	} t[] = {
		{ -8, "incorrect data check" },   { -5, "incorrect data check" }, { -4, "incorrect length check" },
		{ -1, "incorrect length check" }, { 3, "unknown header flags" },  { 2, "unknown compression method" }
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		memcpy(bad, packed, n);
		bad[t[i].at < 0 ? n - (size_t)-t[i].at : (size_t)t[i].at] ^= 0x40;
		ck_assert(!open_bytes(bad, n));
		ck_assert_int_eq(fault.kind, FAULT_CORRUPT);
		ck_assert_msg(strstr(fault.text, t[i].words), "%s", fault.text);
	}
}
END_TEST

START_TEST(long_data_are_streamed)
{
	enum { SIZE = INPUT_WHOLE_MAX + 100000, PACKED = 1 << 20 };
	uint8_t *packed = xmalloc(PACKED), out[1000];
	size_t n = pack(packed, 0, PACKED, SIZE);
	char path[] = "/tmp/labelaudit-gunzip-XXXXXX";
	int fd = mkstemp(path);
	size_t wrong = 0;

	/* one more member, and zeros behind it */
	n = pack(packed, n, PACKED, 7);
	memset(packed + n, 0, 10);
	ck_assert_int_eq(write(fd, packed, n + 10), (ssize_t)n + 10);
	ck_assert(input_open(&in, AT_FDCWD, path, &fault));
	ck_assert(gunzip_input(&in, &limits, &fault));
	ck_assert(in.size == INPUT_SIZE_UNKNOWN);
	for (uint64_t at = 0; at < SIZE + 7; at += sizeof(out)) {
		int64_t got = input_read(&in, out, sizeof(out), &fault);

		ck_assert_int_eq(got, (int64_t)MIN(sizeof(out), SIZE + 7 - at));
		for (size_t i = 0; i < (size_t)got; i++)
			wrong += out[i] != (at + i < SIZE ? at + i : at + i - SIZE) % 251;
	}
	ck_assert_int_eq(input_read(&in, out, 1, &fault), 0);
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(in.size, SIZE + 7);
	ck_assert_str_eq(in.warning, "zeros follow the gzip data");
	/* damage behind the head is found while it is read */
	packed[n - 1] ^= 1;
	ck_assert_int_eq(pwrite(fd, packed, n, 0), (ssize_t)n);
	ck_assert(input_open(&in, AT_FDCWD, path, &fault));
	ck_assert(gunzip_input(&in, &limits, &fault));

	int64_t got;

	while ((got = input_read(&in, out, sizeof(out), &fault)) > 0)
		;
	ck_assert_int_eq(got, -1);
	ck_assert_int_eq(fault.kind, FAULT_CORRUPT);
	close(fd);
	unlink(path);
	free(packed);
}
END_TEST

START_TEST(never_more_than_the_limit)
{
	uint8_t packed[4096];
	size_t n = pack(packed, 0, sizeof(packed), 1000);

	for (uint64_t limit = 998; limit <= 1001; limit++) {
		const struct limits few = { .max_inflated = limit };

		input_from_memory(&in, packed, n);
		fault_clear(&fault);
		ck_assert_int_eq(gunzip_input(&in, &few, &fault), limit >= 1000);
		if (limit < 1000) {
			ck_assert_int_eq(fault.kind, FAULT_LIMIT);
			ck_assert(strstr(fault.text, "--max-inflated"));
		}
	}
	const struct limits none = { 0 };

	input_from_memory(&in, packed, n);
	fault_clear(&fault);
	ck_assert(gunzip_input(&in, &none, &fault));
}
END_TEST

START_TEST(heads)
{
	uint8_t packed[4096], head[100];
	size_t n = pack(packed, 0, sizeof(packed), 1000);

	ck_assert_uint_eq(gzip_head(packed, n, head, sizeof(head)), sizeof(head));
	for (size_t i = 0; i < sizeof(head); i++)
		ck_assert_uint_eq(head[i], i);
	/* the beginning of the file is enough */
	ck_assert_uint_gt(gzip_head(packed, n / 2, head, sizeof(head)), 0);
	ck_assert_uint_eq(gzip_head(packed, 10, head, sizeof(head)), 0);
	packed[2] = 9;
	ck_assert_uint_eq(gzip_head(packed, n, head, sizeof(head)), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("gunzip");
	TCase *t = tcase_create("gunzip");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, members_follow_each_other);
	tcase_add_test(t, what_follows_is_a_remark);
	tcase_add_test(t, damage_is_found);
	tcase_add_test(t, long_data_are_streamed);
	tcase_add_test(t, never_more_than_the_limit);
	tcase_add_test(t, heads);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
