/* Atomic outputs: what the target holds after success, failure, a signal; and what must never be replaced. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "check_main.h"
#include "report/output_file.h"

static char directory[64];
static bool is_guessed;

/* Gives the numbers that an attacker has guessed. */
ssize_t getrandom(void *out, size_t n, unsigned flags)
{
	if (!is_guessed)
		return syscall(SYS_getrandom, out, n, flags);
	memset(out, 0, n);
	*(uint8_t *)out = 0x2a;
	return (ssize_t)n;
}

static void enter_directory(void)
{
	snprintf(directory, sizeof(directory), "/tmp/test_output_file.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
}

static void remove_all(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		unlinkat(dirfd(dir), e->d_name, e->d_type == DT_DIR ? AT_REMOVEDIR : 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

static void leave_directory(void)
{
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(chdir("/"), 0);
	remove_all(directory);
}

/* For tests that name files in /dev: broken code must not be able to replace them, even if root runs the tests. */
static void give_up_root(void)
{
	ck_assert_int_eq(chmod(".", 0777), 0);
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	ck_assert_int_ne(eaccess("/dev", W_OK), 0);
}

static int count_entries(void)
{
	DIR *dir = opendir(".");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* . and .. */
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void expect_file(const char *path, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	ck_assert_msg(f != NULL, "no %s", path);
	got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
	fclose(f);
	ck_assert_str_eq(got, text);
}

static enum status write_file(const char *path, const char *text, struct error *err)
{
	struct output_file f;

	if (output_file_open(&f, path, err) != STATUS_OK)
		return STATUS_FAILED;
	if (output_file_write(&f, text, strlen(text), err) != STATUS_OK) {
		output_file_abort(&f);
		return STATUS_FAILED;
	}
	return output_file_commit(&f, err);
}

FIXTURE(enter_directory, leave_directory)

TEST(a_new_file_appears_whole)
{
	struct error err = ERROR_INIT;
	struct output_file f;
	struct stat st;

	umask(027);
	ck_assert_int_eq(output_file_open(&f, "new.json", &err), STATUS_OK);
	ck_assert_int_eq(output_file_write(&f, "half", 4, &err), STATUS_OK);
	ck_assert_int_ne(access("new.json", F_OK), 0);
	ck_assert_int_eq(output_file_commit(&f, &err), STATUS_OK);
	expect_file("new.json", "half");
	ck_assert_int_eq(stat("new.json", &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0640);
	ck_assert_int_eq(count_entries(), 1);
	output_file_abort(&f); /* after a commit: nothing */
	expect_file("new.json", "half");
}

TEST(an_old_file_is_replaced_and_keeps_its_mode)
{
	struct error err = ERROR_INIT;
	struct stat st;

	put("old.json", "old and longer");
	chmod("old.json", 0604);
	ck_assert_int_eq(write_file("./old.json", "new", &err), STATUS_OK);
	expect_file("old.json", "new");
	ck_assert_int_eq(stat("old.json", &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0604);
	ck_assert_int_eq(count_entries(), 1);
}

TEST(an_abort_keeps_the_old_file)
{
	struct error err = ERROR_INIT;
	struct output_file f;

	put("old.json", "old");
	ck_assert_int_eq(output_file_open(&f, "old.json", &err), STATUS_OK);
	ck_assert_int_eq(output_file_write(&f, "new", 3, &err), STATUS_OK);
	ck_assert_int_eq(count_entries(), 2);
	output_file_abort(&f);
	expect_file("old.json", "old");
	ck_assert_int_eq(count_entries(), 1);
}

TEST(a_full_disk_keeps_the_old_file)
{
	struct rlimit before, limit;
	struct error err = ERROR_INIT, again = ERROR_INIT;
	struct output_file f;

	put("old.json", "old");
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(output_file_open(&f, "old.json", &err), STATUS_OK);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 2;
	setrlimit(RLIMIT_FSIZE, &limit); /* EFBIG after two bytes, for Check's files as well: it asserts afterwards */
	const enum status wrote = output_file_write(&f, "new", 3, &err), committed = output_file_commit(&f, &again);

	setrlimit(RLIMIT_FSIZE, &before);
	ck_assert_int_eq(wrote, STATUS_FAILED);
	ck_assert_int_eq(committed, STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "old.json: "));
	ck_assert_ptr_nonnull(strstr(err.text, strerror(EFBIG)));
	expect_file("old.json", "old");
	ck_assert_int_eq(count_entries(), 1);
}

TEST(a_link_is_kept_and_its_target_replaced)
{
	struct error err = ERROR_INIT;
	struct stat st;

	ck_assert_int_eq(mkdir("real", 0755), 0);
	put("real/report.json", "old");
	ck_assert_int_eq(symlink("real/report.json", "first"), 0);
	ck_assert_int_eq(symlink("first", "second"), 0);
	ck_assert_int_eq(write_file("second", "new", &err), STATUS_OK);
	ck_assert_int_eq(lstat("second", &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	ck_assert_int_eq(lstat("first", &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	expect_file("real/report.json", "new");

	ck_assert_int_eq(symlink("real/not-yet", "dangling"), 0);
	ck_assert_int_eq(write_file("dangling", "made", &err), STATUS_OK);
	expect_file("real/not-yet", "made");

	ck_assert_int_eq(symlink("loop", "loop"), 0);
	ck_assert_int_eq(write_file("loop", "x", &err), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "loop"));
	unlink("real/report.json");
	unlink("real/not-yet");
}

static void *read_fifo(void *arg)
{
	char *got = arg;
	int fd = open("fifo", O_RDONLY);
	ssize_t n, at = 0;

	while ((n = read(fd, got + at, (size_t)(15 - at))) > 0)
		at += n;
	close(fd);
	return NULL;
}

TEST(a_fifo_is_written_straight)
{
	struct error err = ERROR_INIT;
	char got[16] = "";
	pthread_t reader;
	struct stat st;

	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_int_eq(pthread_create(&reader, NULL, read_fifo, got), 0);
	ck_assert_int_eq(write_file("fifo", "through", &err), STATUS_OK);
	pthread_join(reader, NULL);
	ck_assert_str_eq(got, "through");
	ck_assert_int_eq(lstat("fifo", &st), 0);
	ck_assert(S_ISFIFO(st.st_mode));
}

TEST(a_fifo_without_a_reader_is_refused)
{
	struct error err = ERROR_INIT;

	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_int_eq(write_file("fifo", "through", &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, "cannot write fifo: it is a FIFO without a reader");
}

TEST(a_device_is_written_straight)
{
	struct error err = ERROR_INIT;
	struct stat st;

	give_up_root();
	ck_assert_int_eq(write_file("/dev/null", "x", &err), STATUS_OK);
	ck_assert_int_eq(lstat("/dev/null", &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
	ck_assert_int_eq(write_file("/dev/full", "x", &err), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "/dev/full: "));
	ck_assert_ptr_nonnull(strstr(err.text, strerror(ENOSPC)));
	ck_assert_int_eq(lstat("/dev/full", &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
}

/* /dev/stdout is a regular file that standard output has written to: neither replaced nor begun anew. */
TEST(standard_output_is_written_straight)
{
	struct error err = ERROR_INIT;
	int saved = dup(STDOUT_FILENO);

	give_up_root();
	int fd = open("out", O_WRONLY | O_CREAT, 0600);

	ck_assert_int_ge(fd, 0);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	ssize_t n = write(STDOUT_FILENO, "one ", 4);
	enum status first = write_file("/dev/stdout", "two ", &err);
	enum status second = write_file("/dev/fd/1", "three ", &err);

	ck_assert_int_eq(symlink("/proc/self/fd/1", "link"), 0);
	enum status third = write_file("link", "four", &err);

	dup2(saved, STDOUT_FILENO);
	ck_assert_int_eq(n, 4);
	ck_assert_int_eq(first, STATUS_OK);
	ck_assert_int_eq(second, STATUS_OK);
	ck_assert_int_eq(third, STATUS_OK);
	expect_file("out", "one two three four");
	ck_assert_int_eq(write_file("/dev/fd/999", "x", &err), STATUS_FAILED);
}

TEST(what_cannot_be_written_says_so)
{
	struct {
		const char *path;
		int errnum;
	} cases[] = {
		{ "missing/report.json", ENOENT },
		{ "file/report.json", ENOTDIR },
		{ "folder", EISDIR },
		{ "folder/", EISDIR },
		{ "", ENOENT },
		{ "closed/report.json", EACCES },
	};

	put("file", "x");
	ck_assert_int_eq(mkdir("folder", 0755), 0);
	ck_assert_int_eq(mkdir("closed", 0555), 0);
	give_up_root(); /* who may write anywhere */
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = ERROR_INIT;
		struct output_file f;

		ck_assert_int_eq(output_file_open(&f, cases[i].path, &err), STATUS_FAILED);
		ck_assert_msg(strstr(err.text, strerror(cases[i].errnum)) != NULL, "%s: %s", cases[i].path, err.text);
		ck_assert_ptr_nonnull(strstr(err.text, cases[i].path));
		ck_assert_int_eq(f.fd, -1);
	}
	ck_assert_int_eq(count_entries(), 3);
}

static void on_signal(int number)
{
	output_file_remove_temporary();
	_exit(128 + number);
}

TEST(a_signal_leaves_no_temporary)
{
	int status;

	put("old", "old");
	pid_t child = fork();

	if (!child) {
		struct error err = ERROR_INIT;
		struct output_file a, b, c;

		signal(SIGTERM, on_signal);
		if (output_file_open(&a, "a", &err) != STATUS_OK || output_file_open(&b, "old", &err) != STATUS_OK ||
		    output_file_open(&c, "c", &err) != STATUS_OK || count_entries() != 4 ||
		    output_file_commit(&a, &err) != STATUS_OK)
			_exit(1);
		raise(SIGTERM);
		_exit(2);
	}
	waitpid(child, &status, 0);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 128 + SIGTERM);
	expect_file("a", "");
	expect_file("old", "old");
	ck_assert_int_eq(count_entries(), 2);
}

/* The number of a name is taken by links, to a file that must stay as it is. */
TEST(a_name_that_exists_is_not_taken)
{
	struct error err = ERROR_INIT;

	put("precious", "precious");
	put("old", "old");
	is_guessed = true;
	ck_assert_int_eq(symlink("precious", ".labelaudit-2a.tmp"), 0);
	ck_assert_int_eq(symlink("missing", ".labelaudit-2b.tmp"), 0);
	ck_assert_int_eq(write_file("old", "new", &err), STATUS_OK);
	expect_file("old", "new");
	expect_file("precious", "precious");
	ck_assert_int_ne(access("missing", F_OK), 0);
	ck_assert_int_eq(count_entries(), 4);
}

TEST(slots_run_out_and_come_back)
{
	struct output_file files[OUTPUT_FILES_MAX + 1];
	struct error err = ERROR_INIT;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < OUTPUT_FILES_MAX; i++) {
			char name[16];

			snprintf(name, sizeof(name), "out%d", i);
			ck_assert_int_eq(output_file_open(&files[i], name, &err), STATUS_OK);
		}
		ck_assert_int_eq(output_file_open(&files[OUTPUT_FILES_MAX], "last", &err), STATUS_FAILED);
		err.text[0] = '\0';
		for (int i = 0; i < OUTPUT_FILES_MAX; i++)
			output_file_abort(&files[i]);
	}
	ck_assert_int_eq(count_entries(), 0);
}
