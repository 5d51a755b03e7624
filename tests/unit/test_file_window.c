/* struct file_window: whatever is read in whatever order, and past the end, is what the file has there. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"

#include "base/mem.h"
#include "find/file_window.h"
#include "find_tree.h"

enum { SIZE = 3 << 20, READS = 20000 };

static uint8_t bytes[SIZE], out[2 * FILE_WINDOW_MOST];
static int pipe_ends[2];

START_TEST(any_order)
{
	struct file_window w = { 0 };
	uint32_t random = 1;
	uint64_t at = 0;

	tree_enter();
	for (size_t i = 0; i < SIZE; i++) {
		random = random * 1103515245U + 12345U;
		bytes[i] = (uint8_t)(random >> 24);
	}
	write_file("file", bytes, SIZE);
	int fd = open("file", O_RDONLY);

	for (int i = 0; i < READS; i++) {
		random = random * 1103515245U + 12345U;
		unsigned choice = random >> 28;
		size_t n = choice == 0 ? random % sizeof(out) : (random >> 8) % 3000;

		at = choice == 1 ? random % (SIZE + 10000) : choice == 2 && at > 5000 ? at - random % 5000 : at;
		size_t there = at < SIZE ? MIN(n, SIZE - (size_t)at) : 0;

		ck_assert_int_eq(file_window_read(&w, fd, out, n, at), (int64_t)there);
		ck_assert_int_eq(memcmp(out, bytes + MIN(at, (uint64_t)SIZE), there), 0);
		ck_assert_uint_le(w.len, FILE_WINDOW_MOST);
		at = at > SIZE ? 0 : at + n;
	}
	close(fd);
	ck_assert_int_eq(file_window_read(&w, fd, out, 10, at + SIZE), -1);
	file_window_release(&w);
	tree_leave();
}
END_TEST

static void wait_for_byte(struct io_job *job)
{
	uint8_t byte;

	(void)job;
	ck_assert_int_eq(read(pipe_ends[0], &byte, 1), 1);
}

/* Reads ahead are of the file, even if its descriptor is closed, or another's, when a thread gets to them. */
START_TEST(descriptor_of_its_own)
{
	struct io *io = io_open(1);
	struct file_window w = { .io = io, .late = 2 };
	struct io_job job = { .run = wait_for_byte };

	tree_enter();
	memset(bytes, 'a', SIZE);
	write_file("file", bytes, SIZE);
	memset(out, 'b', sizeof(out));
	write_file("other", out, sizeof(out));
	ck_assert_int_eq(pipe(pipe_ends), 0);
	int fd = open("file", O_RDONLY);

	ck_assert(io_submit(io, &job, false));
	for (unsigned i = 0; i < 3; i++) {
		ck_assert(file_window_expects(&w));
		file_window_expect(&w, fd, i * UINT64_C(100000));
	}
	int other = open("other", O_RDONLY);

	ck_assert_int_eq(dup2(other, fd), fd);
	ck_assert_int_eq(write(pipe_ends[1], "", 1), 1);
	ck_assert_int_eq(file_window_read(&w, fd, out, 1000, 100000), 1000);
	ck_assert_int_eq(memcmp(out, bytes, 1000), 0);

	file_window_release(&w); /* with one read that nobody takes */
	close(fd);
	close(other);
	io_close(io);
	int next = open("file", O_RDONLY);

	ck_assert_int_eq(next, fd);
	close(next);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	tree_leave();
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("file window");
	TCase *t = tcase_create("file window");

	tcase_add_test(t, any_order);
	tcase_add_test(t, descriptor_of_its_own);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
