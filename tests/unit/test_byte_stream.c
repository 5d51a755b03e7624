/*
 * Packed files as streams of bytes: several streams in a row, what pads them and what follows them, windows beyond the
 * limit, and memory that is not there. Damage within archives: test_archive_damage.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "check_main.h"

#include "archive_maker.h"
#include "base/mem.h"
#include "find/byte_stream.h"
#include "find_tree.h"

static const char *const packings[] = { "gzip", "bzip2", "xz", "zstd" };
enum { GZIP, BZIP2, XZ, ZSTD, PACKINGS, SIZE = 300000 };

static struct strbuf file;
static uint8_t plain[2 * SIZE], out[2 * SIZE + 1];
static size_t out_len;
static struct fault fault;
static struct limits limits;

static void setup(void)
{
	uint32_t random = 1;

	tree_enter();
	strbuf_init(&file);
	for (size_t i = 0; i < sizeof(plain); i++) {
		random = random * 1103515245U + 12345U;
		/* runs, and a quarter that no packer makes shorter */
		if (i >> 15 & 3)
			plain[i] = i && random >> 28 ? plain[i - 1] : (uint8_t)(random >> 26);
		else
			plain[i] = (uint8_t)(random >> 24);
	}
}

static void teardown(void)
{
	strbuf_release(&file);
	tree_leave();
}

static void add_stream(int packing, const void *bytes, size_t n)
{
	size_t size;
	uint8_t *packed = maker_pack(packings[packing], bytes, n, &size);

	strbuf_add(&file, packed, size);
	free(packed);
}

static void add_bytes(const char *bytes, size_t n)
{
	strbuf_add(&file, bytes, n);
}

/* Reads the stream to its end, `step` bytes at a time: out, out_len, fault. */
static void read_all(int fd, size_t step)
{
	struct byte_stream s;
	size_t got;

	fault_clear(&fault);
	out_len = 0;
	ck_assert(byte_stream_open(&s, fd, "", 0, packing_of((const uint8_t *)file.s, file.len), &limits, NULL, NULL,
				   &fault));
	do {
		got = byte_stream_read(&s, out + out_len, MIN(step, sizeof(out) - out_len));
		out_len += got;
	} while (got);
	fault = s.fault;
	byte_stream_close(&s);
}

static void expect(size_t n, enum fault_kind kind, const char *words)
{
	static const size_t steps[] = { 512, 99991, sizeof(out) };

	write_file("packed", file.s, file.len);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		read_all(open("packed", O_RDONLY), steps[i]);
		ck_assert_msg(fault.kind == kind && strstr(fault.text, words), "%d: %s", fault.kind, fault.text);
		ck_assert_uint_eq(out_len, n);
		ck_assert_int_eq(memcmp(out, plain, n), 0);
	}
}

/* Zeros pad gzip and bzip2, on tapes; xz, by its definition, in fours; zstd, by its own, never. */
TEST_EACH(zeros_between_and_behind, PACKINGS)
{
	const char zeros[8] = "";

	add_stream(_i, plain, SIZE);
	add_bytes(zeros, 8);
	add_stream(_i, plain + SIZE, SIZE);
	add_bytes(zeros, 4);
	if (_i == ZSTD) {
		expect(SIZE, FAULT_CORRUPT, "the zstd data are damaged: ");
		return;
	}
	expect(2 * SIZE, FAULT_NONE, "");
	add_bytes(zeros, 3);
	if (_i != XZ) {
		expect(2 * SIZE, FAULT_NONE, "");
		return;
	}
	expect(2 * SIZE, FAULT_CORRUPT, "7 zeros after a stream, which is not a multiple of 4");
	add_stream(_i, plain, 1);
	expect(2 * SIZE, FAULT_CORRUPT, "7 zeros after a stream, which is not a multiple of 4");
}

TEST_EACH(something_else_behind, PACKINGS)
{
	char words[64];

	add_stream(_i, plain, SIZE);
	add_bytes("something else", 14);
	snprintf(words, sizeof(words), "the %s data are damaged: ", packings[_i]);
	expect(SIZE, FAULT_CORRUPT, words);
	ck_assert_uint_ge(fault.offset, file.len - 14);
	ck_assert_uint_le(fault.offset, file.len);
}

TEST_EACH(the_second_stream_ends_early, PACKINGS)
{
	char words[64];

	add_stream(_i, plain, SIZE);
	add_stream(_i, plain + SIZE, 0);
	file.len--;
	snprintf(words, sizeof(words), "the %s data end early, after %zu bytes", packings[_i], file.len);
	expect(SIZE, FAULT_TRUNCATED, words);
}

/* RFC 8878: a skippable frame, and blocks of one byte, 128 KiB of it. */
TEST(zstd_frames)
{
	static const char run[] = "\x28\xb5\x2f\xfd\0\x88\3\0\x10x", skippable[] = "\x5a\x2a\x4d\x18\3\0\0\0abc";
	const size_t n = 128 << 10;

	memset(plain, 'x', 3 * n);
	for (size_t i = 1; i <= 3; i++) {
		add_bytes(run, 10);
		add_bytes(skippable, 11);
		expect(i * n, FAULT_NONE, "");
	}
}

/* The last block does not fit into what is left of the buffer: its rest comes before the end is reported. */
TEST(zstd_ends_behind_a_block)
{
	static const char blocks[] = "\x28\xb5\x2f\xfd\0\x88\2\0\x10x\2\0\x08x\2\0\x10x";
	const size_t n = (128 << 10) + (64 << 10) + (128 << 10);

	add_bytes(blocks, 18);
	memset(plain, 'x', n);
	expect(n, FAULT_TRUNCATED, "the zstd data end early, after 18 bytes");
}

/* zstd: a window of 2^27 bytes and one of an eighth more; the exponent from bit 3 on, above 2^10. */
TEST(zstd_windows)
{
	static const char largest[] = "\x28\xb5\x2f\xfd\0\x88\x09\0\0x", larger[] = "\x28\xb5\x2f\xfd\0\x89\x09\0\0x";

	memset(plain, 'x', 1);
	add_bytes(largest, 10);
	expect(1, FAULT_NONE, "");
	add_bytes(larger, 10);
	expect(1, FAULT_LIMIT, "the zstd data need a window of more than 128 MiB, which is the limit");
	ck_assert_ptr_nonnull(strstr(fault.advice, "smaller window"));
}

/* Puts another size of the dictionary into a block's header, whose last four bytes are its CRC-32. */
static void set_xz_window(uint8_t code)
{
	uint8_t *header = (uint8_t *)file.s + 12, *end = header + 4 * (size_t)*header, *at = header;
	uint32_t crc;

	while (at[0] != 0x21 || at[1] != 1) /* LZMA2 has one byte of properties */
		at++;
	ck_assert(at < end);
	at[2] = code;
	crc = (uint32_t)crc32(0, header, (uInt)(end - header));
	for (int i = 0; i < 4; i++)
		end[i] = (uint8_t)(crc >> 8 * i);
}

/* Even codes are powers of two from 2^12 on, odd ones half as much again; 40 is 2^32 - 1. */
TEST(xz_windows)
{
	add_stream(XZ, plain, SIZE);
	set_xz_window(30);
	expect(SIZE, FAULT_NONE, "");
	for (uint8_t code = 31; code <= 40; code++) {
		set_xz_window(code);
		expect(0, FAULT_LIMIT, "the xz data need a window of more than 128 MiB, which is the limit");
	}
	set_xz_window(41);
	expect(0, FAULT_CORRUPT, "the xz data are damaged: options");
}

/* A pipe that gives nothing, and an audit that is stopped. */
TEST(stopped)
{
	struct byte_stream s;
	static atomic_bool stop;
	int fds[2];
	size_t have;

	ck_assert_int_eq(pipe(fds), 0);
	atomic_store(&stop, false);
	ck_assert(byte_stream_open(&s, fds[0], "", 0, PACKING_NONE, &limits, NULL, &stop, &fault));
	pid_t child = fork();

	if (!child) { /* keeps it open */
		usleep(500000);
		_exit(0);
	}
	atomic_store(&stop, true);
	byte_stream_peek(&s, 1, &have);
	ck_assert_uint_eq(have, 0);
	ck_assert_int_eq(s.fault.kind, FAULT_UNREADABLE);
	ck_assert_str_eq(s.fault.text, "interrupted");
	byte_stream_close(&s);
	ck_assert_int_eq(waitpid(child, NULL, WNOHANG), 0);
	waitpid(child, NULL, 0);
	close(fds[1]);
}

TIMEOUT(60)
FIXTURE(setup, teardown)
