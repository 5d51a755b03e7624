/* find/file_list.c through the source: both kinds of list, of any length, from files and pipes, and what is refused. */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"

#include "find_tree.h"

#include "base/mem.h"
#include "base/strbuf.h"

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void list_and_expect(const char *bytes, size_t n, bool nul, const char *wanted)
{
	struct find_options o = { .files_from = "list", .nul_separated = nul };

	write_file("list", bytes, n);
	struct found f = find_with(&o, 2);

	found_expect(&f, wanted);
	for (size_t i = 0; i < f.count; i++)
		ck_assert(f.v[i].is_explicit || f.v[i].path[0] == 'd');
	found_release(&f);
}

#define LIST(bytes, nul, wanted) list_and_expect(bytes, sizeof(bytes) - 1, nul, wanted)

TEST(lists)
{
	make_file("b");
	make_folder("d");
	make_file("d/y");
	make_file("d/x");
	make_file("new\nline");
	LIST("", false, "");
	LIST("\n\r\n\n", false, "");
	LIST("b\nmissing\na", false, "b\nmissing\na\n"); /* as listed; opening a missing one reports it */
	LIST("b\r\nd\r\nb/\n", false, "b\nd\nb/\n");
	LIST("c\r\r\n", false, "c\r\n");
	LIST("-\n", false, "-\n"); /* a file of that name */
	LIST("new\nline\0b\0\0d/", true, "new\nline\nb\nd/\n");
	LIST("cr\r\0", true, "cr\r\n");
}

TEST(lists_of_any_length)
{
	enum { PATHS = 50000 };
	struct strbuf list = STRBUF_INIT;
	struct find_options o = { .files_from = "list" };

	for (unsigned i = 0; i < PATHS; i++) {
		if (i == 777) { /* no path: its beginning is shown, the rest skipped */
			for (unsigned k = 0; k < 500000; k++)
				strbuf_addch(&list, 'x');
			strbuf_addch(&list, '\n');
		}
		strbuf_addf(&list, "some/folder/that/is/not/there/%u.png\n", i);
	}
	write_file("list", list.s, list.len);
	strbuf_release(&list);
	struct found f = find_with(&o, 1000);

	ck_assert_uint_eq(f.count, PATHS + 1);
	ck_assert_str_eq(f.v[776].path, "some/folder/that/is/not/there/776.png");
	ck_assert(f.v[777].failed && f.v[777].is_explicit);
	ck_assert_uint_eq(strlen(f.v[777].path), 65536);
	ck_assert_str_eq(f.v[777].fault, "the listed path is longer than 65536 bytes");
	ck_assert_str_eq(f.v[778].path, "some/folder/that/is/not/there/777.png");
	ck_assert_str_eq(f.v[PATHS].path, "some/folder/that/is/not/there/49999.png");
	found_release(&f);
}

TEST(a_path_that_ends_a_list_and_is_too_long)
{
	static char bytes[300000];

	for (size_t n = 65530; n < 65545; n++) {
		struct find_options o = { .files_from = "list" };

		memset(bytes, 'x', sizeof(bytes));
		write_file("list", bytes, n);
		struct found f = find_with(&o, 8);

		ck_assert_uint_eq(f.count, 1);
		ck_assert_uint_eq(strlen(f.v[0].path), MIN(n, (size_t)65536));
		ck_assert(f.v[0].failed == (n > 65536));
		found_release(&f);
	}
	struct find_options o = { .files_from = "list" };

	write_file("list", bytes, sizeof(bytes));
	struct found f = find_with(&o, 8);

	ck_assert_uint_eq(f.count, 1);
	found_release(&f);
}

static void expect_draw_fails(struct source *s, const char *text)
{
	struct error err = ERROR_INIT;
	struct work_unit u;

	work_unit_init(&u);
	ck_assert_int_eq(source_draw(s, &u, 8, &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, text);
	ck_assert_uint_eq(u.count, 0);
	work_unit_release(&u);
}

TEST(lists_that_cannot_be_read)
{
	struct find_options o = { .files_from = "list" };

	write_file("list", "a\nb\0c\n", 6);
	struct source *s = open_source(&o);

	for (int twice = 0; twice < 2; twice++) /* the worker that draws next gets the error, too */
		expect_draw_fails(s, "the list list holds a NUL byte in line 2: if it is NUL-separated, pass --null");
	source_close(s);
	o.files_from = ".";
	s = open_source(&o);
	expect_draw_fails(s, "cannot read the list .: Is a directory");
	source_close(s);
}

TEST(list_from_a_pipe_that_dribbles)
{
	struct find_options o = { .files_from = "-" };
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	pid_t child = fork();

	if (!child) {
		for (const char *p = "one\r\ntwo\nthree"; *p; p++) {
			if (write(ends[1], p, 1) != 1)
				_exit(1);
			usleep(2000);
		}
		_exit(0);
	}
	close(ends[1]);
	ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	find_and_expect(&o, "one\ntwo\nthree\n");
	ck_assert_int_ne(fcntl(STDIN_FILENO, F_GETFD), -1); /* not ours to close */
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

static void *stop_later(void *source)
{
	usleep(50000);
	source_stop(source);
	return NULL;
}

TEST(stop_ends_a_wait_for_a_list)
{
	struct find_options o = { .files_from = "fifo" };
	pthread_t thread;
	struct error err = ERROR_INIT;
	struct work_unit u;

	ck_assert_int_eq(mkfifo("fifo", 0644), 0);
	int writer = open("fifo", O_RDWR); /* never writes a whole line */

	ck_assert_int_eq(write(writer, "half", 4), 4);
	struct source *s = open_source(&o);

	work_unit_init(&u);
	ck_assert_int_eq(pthread_create(&thread, NULL, stop_later, s), 0);
	ck_assert_int_eq(source_draw(s, &u, 8, &err), STATUS_OK);
	ck_assert_uint_eq(u.count, 0);
	pthread_join(thread, NULL);
	work_unit_release(&u);
	source_close(s);
	close(writer);
}

TIMEOUT(120)
FIXTURE(tree_enter, tree_leave)
