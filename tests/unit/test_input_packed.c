/* Packed files as inputs: streams, checksums, what follows, limits, windows, and files too long for memory. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive_maker.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "check_main.h"
#include "find/unpacker.h"
#include "read/input.h"

static const char *const packings[] = { "gzip", "bzip2", "xz", "zstd" };
enum { GZIP, BZIP2, XZ, ZSTD, PACKINGS };

static const struct limits limits = { .max_inflated = (uint64_t)1 << 31 };
static struct input in;
static struct fault fault;
static struct strbuf file;

static void setup(void)
{
	input_init(&in);
	strbuf_init(&file);
	fault_clear(&fault);
}

static void teardown(void)
{
	input_release(&in);
	strbuf_release(&file);
}

/* Appends a stream with n bytes, the i-th of them i / run mod 251. */
static void pack_runs(int packing, size_t n, size_t run)
{
	uint8_t *plain = xmalloc(n + 1);
	size_t size;

	for (size_t i = 0; i < n; i++)
		plain[i] = (uint8_t)(i / run % 251);
	uint8_t *packed = maker_pack(packings[packing], plain, n, &size);

	strbuf_add(&file, (const char *)packed, size);
	free(packed);
	free(plain);
}

static void pack(int packing, size_t n)
{
	pack_runs(packing, n, 1);
}

static void add_zeros(size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_add(&file, "", 1);
}

static bool unpack(const struct limits *most)
{
	uint8_t buffer[PEEK_BYTES];
	const uint8_t *head;

	fault_clear(&fault);
	return input_unpack(&in, buffer, &head, most, &fault) >= 0;
}

/* Opens the first n bytes of the file. */
static bool open_bytes(size_t n)
{
	input_from_memory(&in, file.s, n);
	return unpack(&limits);
}

TEST_EACH(streams_follow_each_other, PACKINGS)
{
	pack(_i, 1000);
	ck_assert(open_bytes(file.len));
	ck_assert_uint_eq(in.size, 1000);
	for (size_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(in.bytes[i], i % 251);
	pack(_i, 0);
	pack(_i, 300);
	ck_assert(open_bytes(file.len));
	ck_assert_uint_eq(in.size, 1300);
	ck_assert_uint_eq(in.bytes[1299], 299 % 251);
	ck_assert(input_rewind(&in, &fault));
}

/* Zeros, as tapes have them, are no damage but after zstd; of xz they come in fours, and another stream may follow. */
TEST_EACH(what_follows_is_damage, PACKINGS)
{
	pack(_i, 1000);
	size_t n = file.len;

	add_zeros(512);
	ck_assert_int_eq(open_bytes(file.len), _i != ZSTD);
	add_zeros(1);
	ck_assert_int_eq(open_bytes(file.len), _i == GZIP || _i == BZIP2);
	file.s[n + 5] = 1;
	ck_assert(!open_bytes(file.len));
	ck_assert_int_eq(fault.kind, FAULT_CORRUPT);
	file.len = n;
	add_zeros(4);
	pack(_i, 10);
	ck_assert_int_eq(open_bytes(file.len), _i != ZSTD);
	ck_assert(_i == ZSTD || in.size == 1010);
}

/* RFC 8878: skippable frames may stand anywhere. */
TEST(skippable_frames_are_no_rest)
{
	pack(ZSTD, 1000);
	strbuf_add(&file, "\x5f\x2a\x4d\x18\3\0\0\0abc", 11);
	pack(ZSTD, 10);
	ck_assert(open_bytes(file.len));
	ck_assert_uint_eq(in.size, 1010);
}

TEST_EACH(damage_is_found, PACKINGS)
{
	char words[64];

	pack(_i, 1000);
	/* cut anywhere after what shows the packing */
	for (size_t cut = 6; cut < file.len; cut++) {
		ck_assert(!open_bytes(cut));
		ck_assert_msg(fault.kind == FAULT_TRUNCATED, "%zu: %s", cut, fault.text);
		snprintf(words, sizeof(words), "the %s data end early, after %zu bytes", packings[_i], cut);
		ck_assert_str_eq(fault.text, words);
		ck_assert_uint_eq(fault.offset, cut);
	}
	snprintf(words, sizeof(words), "the %s data are damaged: ", packings[_i]);
	file.s[file.len / 2] ^= 0x40;
	ck_assert(!open_bytes(file.len));
	ck_assert_int_eq(fault.kind, FAULT_CORRUPT);
	ck_assert_msg(strstr(fault.text, words), "%s", fault.text);
}

TEST_EACH(long_data_are_streamed, PACKINGS)
{
	enum { SIZE = INPUT_WHOLE_MAX + 100000, RUN = 250 }; /* bzip2 takes its time for what has no runs */
	uint8_t out[1000];
	char path[] = "/tmp/labelaudit-packed-XXXXXX";
	int fd = mkstemp(path);
	size_t wrong = 0;

	/* one more stream */
	pack_runs(_i, SIZE, RUN);
	pack_runs(_i, 7, RUN);
	size_t n = file.len;

	ck_assert_int_eq(write(fd, file.s, file.len), (ssize_t)file.len);
	ck_assert(input_open(&in, AT_FDCWD, path, &fault));
	ck_assert(unpack(&limits));
	ck_assert(in.size == INPUT_SIZE_UNKNOWN);
	for (uint64_t at = 0; at < SIZE + 7; at += sizeof(out)) {
		int64_t got = input_read(&in, out, sizeof(out), &fault);

		ck_assert_int_eq(got, (int64_t)MIN(sizeof(out), SIZE + 7 - at));
		for (size_t i = 0; i < (size_t)got; i++)
			wrong += out[i] != (at + i < SIZE ? at + i : at + i - SIZE) / RUN % 251;
	}
	ck_assert_int_eq(input_read(&in, out, 1, &fault), 0);
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(in.size, SIZE + 7);
	/* damage after the head is found while it is read */
	file.s[n - 5] ^= 1;
	ck_assert_int_eq(pwrite(fd, file.s, n, 0), (ssize_t)n);
	ck_assert(input_open(&in, AT_FDCWD, path, &fault));
	ck_assert(unpack(&limits));

	int64_t got;

	while ((got = input_read(&in, out, sizeof(out), &fault)) > 0)
		;
	ck_assert_int_eq(got, -1);
	ck_assert_msg(fault.kind == FAULT_CORRUPT || (fault.kind == FAULT_TRUNCATED && _i == ZSTD), "%s", fault.text);
	close(fd);
	unlink(path);
}

TEST_EACH(never_more_than_the_limit, PACKINGS)
{
	pack(_i, 1000);
	for (uint64_t limit = 998; limit <= 1001; limit++) {
		const struct limits few = { .max_inflated = limit };

		input_from_memory(&in, file.s, file.len);
		ck_assert_int_eq(unpack(&few), limit >= 1000);
		if (limit < 1000) {
			ck_assert_int_eq(fault.kind, FAULT_LIMIT);
			ck_assert(strstr(fault.text, "--max-inflated"));
		}
	}
	const struct limits none = { 0 };

	input_from_memory(&in, file.s, file.len);
	ck_assert(unpack(&none));
}

/* zstd: blocks of one byte, 128 KiB of it, in a window of 16 MiB (RFC 8878): fine until it is a file to be streamed. */
TEST(large_windows_are_for_small_files)
{
	static const char header[] = "\x28\xb5\x2f\xfd\0\x70", block[] = "\2\0\x10x", last[] = "\3\0\x10x";
	const size_t blocks = INPUT_WHOLE_MAX / (128 << 10);
	uint8_t byte;

	for (size_t more = 0; more < 2; more++) {
		file.len = 0;
		strbuf_add(&file, header, 6);
		for (size_t i = 1; i < blocks + more; i++)
			strbuf_add(&file, block, 4);
		strbuf_add(&file, last, 4);
		ck_assert(open_bytes(file.len));
		in.at = INPUT_WHOLE_MAX;
		ck_assert_int_eq(input_read(&in, &byte, 1, &fault), more ? -1 : 0);
		ck_assert_int_eq(fault.kind, more ? FAULT_LIMIT : FAULT_NONE);
	}
	ck_assert(strstr(fault.text, "a window of more than 8 MiB"));
	ck_assert(strstr(fault.advice, "xz -6"));
}

TEST_EACH(heads, PACKINGS)
{
	uint8_t head[PEEK_BYTES];
	char path[] = "/tmp/labelaudit-packed-XXXXXX";
	int fd = mkstemp(path);

	pack(_i, 1000);
	uint8_t *packed = (uint8_t *)file.s;

	ck_assert_int_eq(unpack_head(packed, file.len, head, 100, &fault), 100);
	for (size_t i = 0; i < 100; i++)
		ck_assert_uint_eq(head[i], i);
	ck_assert_int_eq(unpack_head(packed, 10, head, sizeof(head), &fault), 0);
	/* of a file, as much is read as a block takes */
	file.len = 0;
	pack(_i, 500000);
	ck_assert_int_eq(write(fd, file.s, file.len), (ssize_t)file.len);
	ck_assert_int_eq(input_read_head(AT_FDCWD, path, head, &fault), PEEK_BYTES);
	for (size_t i = 0; i < PEEK_BYTES; i++)
		ck_assert_uint_eq(head[i], i % 251);
	/* damage is for the reader of the file to report */
	ck_assert_int_eq(ftruncate(fd, 20), 0);
	ck_assert_int_eq(input_read_head(AT_FDCWD, path, head, &fault), 0);
	ck_assert_int_eq(fault.kind, FAULT_NONE);
	close(fd);
	unlink(path);
}

TIMEOUT(60)
FIXTURE(setup, teardown)
