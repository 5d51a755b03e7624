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

TEST(any_order)
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
