/* Reading files: whole, streamed, from a pipe, from memory; and what is not a file that can be read. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "check_main.h"
#include "read/input.h"

static char folder[64];
static int dirfd_;
static struct input in;
static struct fault fault;

static void setup(void)
{
	snprintf(folder, sizeof(folder), "/tmp/labelaudit-input-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	dirfd_ = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	input_init(&in);
	memset(&fault, 0, sizeof(fault));
}

static void teardown(void)
{
	char command[128];

	input_release(&in);
	close(dirfd_);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* size bytes, the i-th of them i mod 251. */
static void write_file(const char *name, size_t size)
{
	int fd = openat(dirfd_, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint8_t *bytes = xmalloc(size);

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i % 251);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	close(fd);
	free(bytes);
}

TEST(small_file_is_in_memory_with_padding)
{
	uint8_t out[8];

	write_file("f", 1000);
	ck_assert(input_open(&in, dirfd_, "f", &fault));
	ck_assert_ptr_nonnull(in.bytes);
	ck_assert_int_eq(in.fd, -1);
	ck_assert_uint_eq(in.size, 1000);
	ck_assert_uint_ge(in.cap, 1000 + INPUT_PADDING);
	for (size_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(in.bytes[i], i % 251);
	for (size_t i = 1000; i < 1000 + INPUT_PADDING; i++)
		ck_assert_uint_eq(in.bytes[i], 0);
	ck_assert_int_eq(input_read(&in, out, 8, &fault), 8);
	ck_assert_uint_eq(out[7], 7);
	in.at = 995;
	ck_assert_int_eq(input_read(&in, out, 8, &fault), 5);
	ck_assert_int_eq(input_read(&in, out, 8, &fault), 0);
	ck_assert(input_rewind(&in, &fault));
	ck_assert_int_eq(input_read(&in, out, 1, &fault), 1);
	ck_assert_uint_eq(out[0], 0);
	ck_assert(input_unchanged(&in, &fault));
	/* a smaller file in the same memory: the padding comes after it, not after the old one */
	uint8_t *memory = in.bytes;

	write_file("g", 10);
	ck_assert(input_open(&in, dirfd_, "g", &fault));
	ck_assert_ptr_eq(in.bytes, memory);
	ck_assert_uint_eq(in.size, 10);
	ck_assert_uint_eq(in.at, 0);
	for (size_t i = 10; i < 10 + INPUT_PADDING; i++)
		ck_assert_uint_eq(in.bytes[i], 0);
}

TEST(empty_file_is_no_fault)
{
	uint8_t out;

	write_file("f", 0);
	ck_assert(input_open(&in, dirfd_, "f", &fault));
	ck_assert_uint_eq(in.size, 0);
	ck_assert_int_eq(input_read(&in, &out, 1, &fault), 0);
	ck_assert_int_eq(fault.kind, FAULT_NONE);
}

/* A file that was peeked at is read from the same descriptor, whatever of it the peek has seen. */
TEST_EACH(peeked_file_is_read_whole, 7)
{
	static const size_t sizes[] = { 0, 10, PEEK_BYTES - 1, PEEK_BYTES, PEEK_BYTES + 1, 10000, INPUT_WHOLE_MAX + 1 };
	size_t size = sizes[_i];
	struct file_peek peek;
	uint8_t *out = xmalloc(size + 1);

	write_file("f", size);
	ck_assert(peek_open(&peek, dirfd_, "f", NULL, &fault));
	ck_assert_uint_eq(peek.n, MIN(size, (size_t)PEEK_BYTES));
	ck_assert(input_open_peeked(&in, &peek, &fault));
	ck_assert_int_eq(peek.fd, -1);
	ck_assert_uint_eq(in.size, size);
	ck_assert_int_eq(input_read(&in, out, size + 1, &fault), (int64_t)size);
	size_t wrong = 0;

	for (size_t i = 0; i < size; i++)
		wrong += out[i] != i % 251;
	ck_assert_uint_eq(wrong, 0);
	ck_assert_int_eq(fault.kind, FAULT_NONE);
	free(out);
}

TEST_EACH(peeked_file_that_changes_is_a_fault, 5)
{
	static const size_t before[] = { 10, 10, PEEK_BYTES, 10000, 10000 }, after[] = { 20, 5, 5000, 10, 20000 };
	struct file_peek peek;

	write_file("f", before[_i]);
	ck_assert(peek_open(&peek, dirfd_, "f", NULL, &fault));
	write_file("f", after[_i]);
	ck_assert(!input_open_peeked(&in, &peek, &fault));
	ck_assert_int_eq(fault.kind, FAULT_UNREADABLE);
	ck_assert_ptr_nonnull(strstr(fault.text, "changed while it was read"));
}

/* A writer that sets the time back (cp -p) is caught; who changes no more than the inode (chmod, ln) is none. */
TEST_EACH(a_time_set_back_is_a_change, 3)
{
	struct timespec times[2];
	struct file_peek peek;

	write_file("f", 10);
	ck_assert(peek_open(&peek, dirfd_, "f", NULL, &fault));
	times[0] = peek.st.st_atim;
	times[1] = peek.st.st_mtim;
	usleep(20000); /* a tick of the file system's clock */
	if (_i == 0) {
		write_file("f", 10);
		ck_assert_int_eq(utimensat(dirfd_, "f", times, 0), 0);
	} else if (_i == 1) {
		ck_assert_int_eq(fchmodat(dirfd_, "f", 0604, 0), 0);
	} else {
		ck_assert_int_eq(linkat(dirfd_, "f", dirfd_, "g", 0), 0);
	}
	ck_assert_int_eq(input_open_peeked(&in, &peek, &fault), _i > 0);
	if (_i == 0)
		ck_assert_ptr_nonnull(strstr(fault.text, "changed while it was read"));
	unlinkat(dirfd_, "g", 0);
}

TEST(large_file_is_streamed)
{
	uint8_t out[1000];

	write_file("whole", INPUT_WHOLE_MAX);
	ck_assert(input_open(&in, dirfd_, "whole", &fault));
	ck_assert_ptr_nonnull(in.bytes);
	write_file("f", INPUT_WHOLE_MAX + 1);
	ck_assert(input_open(&in, dirfd_, "f", &fault));
	ck_assert_ptr_null(in.bytes);
	ck_assert_int_ge(in.fd, 0);
	for (uint64_t at = 0; at < in.size; at += sizeof(out)) {
		uint64_t want = MIN(sizeof(out), in.size - at);

		ck_assert_uint_eq(in.at, at);
		ck_assert_int_eq(input_read(&in, out, sizeof(out), &fault), (int64_t)want);
		ck_assert_uint_eq(out[want - 1], (at + want - 1) % 251);
	}
	ck_assert_int_eq(input_read(&in, out, 1, &fault), 0);
	ck_assert(input_rewind(&in, &fault));
	ck_assert_int_eq(input_read(&in, out, 2, &fault), 2);
	ck_assert_uint_eq(out[1], 1);
	ck_assert(input_unchanged(&in, &fault));
	/* a small one afterwards */
	write_file("g", 3);
	ck_assert(input_open(&in, dirfd_, "g", &fault));
	ck_assert_int_eq(in.fd, -1);
	ck_assert_ptr_nonnull(in.bytes);
}

TEST(change_while_streaming_is_seen)
{
	uint8_t out[16];
	char path[128];

	write_file("f", INPUT_WHOLE_MAX + 100);
	ck_assert(input_open(&in, dirfd_, "f", &fault));
	snprintf(path, sizeof(path), "%s/f", folder);
	ck_assert_int_eq(truncate(path, INPUT_WHOLE_MAX + 200), 0);
	in.at = in.size;
	ck_assert_int_eq(input_read(&in, out, 16, &fault), 0); /* no further than it was */
	ck_assert(!input_unchanged(&in, &fault));
	ck_assert_int_eq(fault.kind, FAULT_UNREADABLE);
	ck_assert(strstr(fault.text, "changed while it was read: 8388708 bytes before, 8388808 after"));
	ck_assert_int_eq(truncate(path, 10), 0);
	ck_assert(input_rewind(&in, &fault));
	ck_assert_int_eq(input_read(&in, out, 16, &fault), 10);
	/* the same size at another time */
	fault_clear(&fault);
	ck_assert_int_eq(truncate(path, INPUT_WHOLE_MAX + 100), 0);
	const struct timespec then[2] = { { 1, 0 }, { 1, 0 } };

	ck_assert_int_eq(utimensat(dirfd_, "f", then, 0), 0);
	ck_assert(!input_unchanged(&in, &fault));
	ck_assert(strstr(fault.text, "modification time"));
}

TEST(only_regular_files_are_read)
{
	static const struct {
		const char *name, *words;
	} t[] = {
		{ "missing", "cannot open: No such file" },
		{ "fifo", "not a regular file but a FIFO" },
		{ "folder", "not a regular file but a folder, which is to be a PATH of its own" },
		{ "/dev/zero", "not a regular file but a character device" },
		{ "loop", "cannot open: Too many levels" },
	};

	ck_assert_int_eq(mkfifoat(dirfd_, "fifo", 0600), 0);
	ck_assert_int_eq(mkdirat(dirfd_, "folder", 0700), 0);
	ck_assert_int_eq(symlinkat("loop", dirfd_, "loop"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		fault_clear(&fault);
		ck_assert(!input_open(&in, dirfd_, t[i].name, &fault));
		ck_assert_int_eq(fault.kind, FAULT_UNREADABLE);
		ck_assert_msg(strstr(fault.text, t[i].words), "%s: %s", t[i].name, fault.text);
		ck_assert_int_eq(in.fd, -1);
	}
}

/* A child writes n bytes into a pipe in small pieces; the end that can be read. */
static int pipe_of(size_t n)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	if (fork() == 0) {
		for (size_t i = 0; i < n; i += 700) {
			uint8_t piece[700];

			for (size_t j = 0; j < sizeof(piece); j++)
				piece[j] = (uint8_t)((i + j) % 251);
			if (write(ends[1], piece, MIN(sizeof(piece), n - i)) < 0)
				break;
		}
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

TEST(pipe_is_read_to_its_end)
{
	static const size_t sizes[] = { 0, 1, 65536 - INPUT_PADDING - 1, 65536 - INPUT_PADDING, 200000 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (unsigned nonblocking = 0; nonblocking < 2; nonblocking++) {
			int fd = pipe_of(sizes[i]);

			if (nonblocking)
				ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
			ck_assert_msg(input_read_fd(&in, fd, NULL, 0, sizes[i], &fault), "%s",
				      fault.text); /* the limit exactly */
			ck_assert_uint_eq(in.size, sizes[i]);
			for (size_t j = 0; j < sizes[i]; j++)
				ck_assert_uint_eq(in.bytes[j], j % 251);
			for (size_t j = 0; j < INPUT_PADDING; j++)
				ck_assert_uint_eq(in.bytes[sizes[i] + j], 0);
			close(fd);
			wait(NULL);
		}
}

/* A file on standard input is read as a file: at once, and streamed if it is long; but not from its middle. */
TEST(file_on_a_descriptor)
{
	static const size_t sizes[] = { 0, 5, PEEK_BYTES, PEEK_BYTES + 1, INPUT_WHOLE_MAX, INPUT_WHOLE_MAX + 1 };
	uint8_t head[PEEK_BYTES], byte;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		write_file("f", sizes[i]);
		int fd = openat(dirfd_, "f", O_RDONLY);
		ssize_t n = read(fd, head, sizeof(head));

		ck_assert_int_ge(n, 0);
		ck_assert_msg(input_open_fd(&in, fd, head, (size_t)n, 1, &fault), "%s", fault.text);
		ck_assert_uint_eq(in.size, sizes[i]);
		ck_assert((in.fd >= 0) == (sizes[i] > INPUT_WHOLE_MAX));
		ck_assert_int_eq(input_read(&in, &byte, 1, &fault), MIN(sizes[i], (size_t)1));
		if (sizes[i])
			ck_assert_uint_eq(byte, head[0]);
		input_reset(&in);
		ck_assert_int_eq(lseek(fd, 1, SEEK_SET), 1); /* it is the caller's still */
		ck_assert(input_open_fd(&in, fd, NULL, 0, 0, &fault));
		ck_assert_uint_eq(in.size, sizes[i] - MIN(sizes[i], (size_t)1));
		close(fd);
	}
}

TEST(pipe_over_the_limit_is_a_fault)
{
	int fd = pipe_of(5000);

	ck_assert(!input_read_fd(&in, fd, NULL, 0, 4999, &fault));
	ck_assert_int_eq(fault.kind, FAULT_LIMIT);
	ck_assert(strstr(fault.text, "4999 bytes"));
	close(fd);
	wait(NULL);
	/* and the input can be used again */
	fault_clear(&fault);
	write_file("f", 5);
	ck_assert(input_open(&in, dirfd_, "f", &fault));
	ck_assert_uint_eq(in.size, 5);
}

/* A stream of `size` bytes, the i-th of them i mod 251; fails at byte `bad`. */
struct counted {
	uint64_t size, at, bad;
	unsigned closed;
};

static int64_t counted_read(void *self, void *out, size_t n, struct fault *f)
{
	struct counted *c = self;
	uint8_t *bytes = out;

	n = (size_t)MIN((uint64_t)n, c->size - c->at);
	if (c->at + n > c->bad) {
		fault_set(f, FAULT_CORRUPT, c->bad, "bad there");
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(c->at++ % 251);
	return (int64_t)n;
}

static void counted_close(void *self)
{
	struct counted *c = self;

	c->closed++;
}

static bool open_counted(struct counted *c, uint64_t size, uint64_t bad)
{
	const struct input_stream stream = { .self = c, .read = counted_read, .close = counted_close };

	*c = (struct counted){ .size = size, .bad = bad };
	return input_from_stream(&in, &stream, &fault);
}

TEST(short_stream_is_in_memory)
{
	static const size_t sizes[] = { 0, 1, 65536 - INPUT_PADDING, 65537, 5 << 20, INPUT_WHOLE_MAX - 1 };
	struct counted c;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint8_t out[4];
		size_t wrong = 0;

		ck_assert(open_counted(&c, sizes[i], UINT64_MAX));
		ck_assert_uint_eq(c.closed, 1);
		ck_assert_uint_eq(in.size, sizes[i]);
		ck_assert_uint_le(in.cap, INPUT_WHOLE_MAX + INPUT_PADDING);
		for (size_t j = 0; j < sizes[i]; j++)
			wrong += in.bytes[j] != j % 251;
		for (size_t j = 0; j < INPUT_PADDING; j++)
			wrong += in.bytes[sizes[i] + j] != 0;
		ck_assert_uint_eq(wrong, 0);
		ck_assert_int_eq(input_read(&in, out, 4, &fault), (int64_t)MIN(sizes[i], (size_t)4));
		ck_assert(input_rewind(&in, &fault));
		ck_assert(input_unchanged(&in, &fault));
	}
}

TEST(long_stream_is_streamed)
{
	enum { SIZE = INPUT_WHOLE_MAX + 100000 };
	struct counted c;
	uint8_t out[997];
	size_t wrong = 0;

	ck_assert(open_counted(&c, SIZE, UINT64_MAX));
	ck_assert_ptr_null(in.bytes);
	ck_assert(in.size == INPUT_SIZE_UNKNOWN);
	/* as often as wanted, but not once more than the head was read */
	ck_assert_int_eq(input_read(&in, out, 997, &fault), 997);
	ck_assert(input_rewind(&in, &fault));
	for (uint64_t at = 0; at < SIZE; at += sizeof(out)) {
		uint64_t want = MIN(sizeof(out), SIZE - at);

		ck_assert_int_eq(input_read(&in, out, sizeof(out), &fault), (int64_t)want);
		for (uint64_t i = 0; i < want; i++)
			wrong += out[i] != (at + i) % 251;
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(in.size, SIZE);
	ck_assert_int_eq(input_read(&in, out, 1, &fault), 0);
	ck_assert(!input_rewind(&in, &fault));
	ck_assert_int_eq(fault.kind, FAULT_LIMIT);
	ck_assert_uint_eq(c.closed, 0);
	/* a file afterwards: the stream is closed, its memory used */
	fault_clear(&fault);
	write_file("g", 3);
	ck_assert(input_open(&in, dirfd_, "g", &fault));
	ck_assert_uint_eq(c.closed, 1);
	ck_assert_uint_eq(in.size, 3);
	ck_assert_uint_ge(in.cap, INPUT_WHOLE_MAX);
	ck_assert(open_counted(&c, SIZE, UINT64_MAX));
	input_release(&in);
	ck_assert_uint_eq(c.closed, 1);
}

TEST(failing_stream_is_a_fault)
{
	struct counted c;
	uint8_t out[100];

	ck_assert(!open_counted(&c, 1000, 500));
	ck_assert_int_eq(fault.kind, FAULT_CORRUPT);
	ck_assert_uint_eq(c.closed, 1);
	fault_clear(&fault);
	ck_assert(open_counted(&c, INPUT_WHOLE_MAX + 1000, INPUT_WHOLE_MAX + 50));
	in.at = in.head_size - 10;
	ck_assert_int_eq(input_read(&in, out, 100, &fault), -1);
	ck_assert_int_eq(fault.kind, FAULT_CORRUPT);
}

TEST(memory_is_a_view)
{
	static const char bytes[] = "abc";
	char out[4] = "";

	write_file("f", 5);
	ck_assert(input_open(&in, dirfd_, "f", &fault));
	input_from_memory(&in, bytes, 3);
	ck_assert_ptr_eq(in.bytes, bytes);
	ck_assert_int_eq(input_read(&in, out, 4, &fault), 3);
	ck_assert_str_eq(out, "abc");
	ck_assert(input_unchanged(&in, &fault));
	ck_assert(input_open(&in, dirfd_, "f", &fault)); /* takes memory of its own */
	ck_assert_ptr_ne(in.bytes, bytes);
	input_from_memory(&in, bytes, 3);
}

TIMEOUT(60)
FIXTURE(setup, teardown)
