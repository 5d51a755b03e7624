/*
 * find/source.c and what it stands on, over temporary trees: the order, that each file comes once whoever draws, and what
 * happens at loops, FIFOs, folders without permission, endless names, long lists and few descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"

#include "base/mem.h"
#include "find/names.h"
#include "find/source.h"
#include "find/walk.h"

enum { THREADS = 8, FOLDERS_MANY = 100000 };

static char tree[64];

/* Each test runs in an empty folder of its own, which is the current one. */
static void setup(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(tree, sizeof(tree), "%.40s/test_find.XXXXXX", tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(tree));
	ck_assert_int_eq(chmod(tree, 0755), 0);
	ck_assert_int_eq(chdir(tree), 0);
}

static void teardown(void)
{
	char command[256];

	ck_assert_int_eq(chdir("/"), 0);
	snprintf(command, sizeof(command), "chmod -R u+rwx '%s' && rm -rf '%s'", tree, tree);
	ck_assert_int_eq(system(command), 0);
}

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);

	ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
	close(fd);
}

static void make_folder(const char *path)
{
	ck_assert_msg(mkdir(path, 0755) == 0, "%s: %s", path, strerror(errno));
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

/* ---- what was found ---------------------------------------------------------------------------------------------- */

struct found_entry {
	char *path;
	uint64_t unit;
	size_t at; /* in the unit */
	bool named, standard_input, failed, opens;
	char fault[FAULT_TEXT];
};

struct found {
	struct found_entry *v;
	size_t count, cap, units;
	size_t units_before; /* drawn without being noted here */
};

static void found_release(struct found *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->v[i].path);
	free(f->v);
	memset(f, 0, sizeof(*f));
}

static bool opens(const struct entry *e)
{
	int fd = openat(e->dirfd, e->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void found_add(struct found *f, const struct unit *u)
{
	for (size_t i = 0; i < u->count; i++) {
		const struct entry *e = &u->entries[i];
		size_t path_len = strlen(e->path), name_len = strlen(e->name);

		ck_assert(name_len <= path_len && !strcmp(e->path + path_len - name_len, e->name));
		GROW(f->v, f->cap, f->count + 1);
		struct found_entry *out = &f->v[f->count++];

		*out = (struct found_entry){ .path = xstrdup(e->path), .unit = u->number, .at = i, .named = e->named,
					     .standard_input = e->standard_input, .failed = e->failed };
		out->opens = !e->failed && !e->standard_input && opens(e);
		if (e->failed) {
			ck_assert_int_eq(e->fault.kind, FAULT_UNREADABLE);
			strcpy(out->fault, e->fault.text);
		}
	}
	f->units++;
}

static void draw_all(struct source *s, size_t max, struct found *f)
{
	struct error err = ERROR_INIT;
	struct unit u;

	unit_init(&u);
	for (;;) {
		unit_clear(&u);
		ck_assert_msg(source_draw(s, &u, max, &err) == STATUS_OK, "%s", err.text);
		if (!u.count)
			break;
		ck_assert_uint_le(u.count, max);
		ck_assert_uint_eq(u.number, f->units_before + f->units);
		found_add(f, &u);
	}
	unit_release(&u);
}

static struct source *open_source(const struct find_options *o)
{
	struct error err = ERROR_INIT;
	struct source *s;

	ck_assert_msg(source_open(&s, o, &err) == STATUS_OK, "%s", err.text);
	return s;
}

static struct found find_with(const struct find_options *o, size_t max)
{
	struct found f = { 0 };
	struct source *s = open_source(o);
	bool complete;

	draw_all(s, max, &f);
	ck_assert_uint_eq(source_progress(s, &complete), f.count);
	ck_assert(complete);
	source_close(s);
	return f;
}

static const char *const here[] = { "." };

static struct find_options options_here(void)
{
	return (struct find_options){ .paths = here, .paths_count = 1 };
}

/* wanted: the paths in order, one a line; "!" before one that failed. */
static void expect(const struct found *f, const char *wanted)
{
	char *got = xcalloc(1, 1), *p = got;
	size_t len = 0;

	for (size_t i = 0; i < f->count; i++) {
		size_t n = strlen(f->v[i].path);

		got = xrealloc(got, len + n + 3);
		p = got + len;
		if (f->v[i].failed)
			*p++ = '!';
		memcpy(p, f->v[i].path, n);
		p[n] = '\n';
		p[n + 1] = '\0';
		len = (size_t)(p - got) + n + 1;
	}
	ck_assert_msg(!strcmp(got, wanted), "got:\n%swanted:\n%s", got, wanted);
	free(got);
}

static void find_and_expect(const struct find_options *o, const char *wanted)
{
	struct found f = find_with(o, 32);

	expect(&f, wanted);
	found_release(&f);
}

static const struct found_entry *entry_of(const struct found *f, const char *path)
{
	for (size_t i = 0; i < f->count; i++)
		if (!strcmp(f->v[i].path, path))
			return &f->v[i];
	ck_abort_msg("no entry %s", path);
	return NULL;
}

static void expect_sorted(const struct found *f)
{
	for (size_t i = 1; i < f->count; i++)
		ck_assert_msg(strcmp(f->v[i - 1].path, f->v[i].path) < 0, "%s before %s", f->v[i - 1].path,
			      f->v[i].path);
}

static void expect_opens(const struct found *f)
{
	for (size_t i = 0; i < f->count; i++)
		ck_assert_msg(f->v[i].opens, "%s does not open", f->v[i].path);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

START_TEST(order_is_that_of_path_bytes)
{
	struct find_options o = options_here();

	make_folder("a");
	make_file("a/z");
	make_folder("a/0");
	make_file("a/0/x");
	make_folder("a/empty");
	make_file("a-b"); /* '-' and '.' are before '/', '0' is behind it */
	make_file("a.png");
	make_file("a0");
	make_file("B");
	make_file("ab\xff");
	make_file("ab\nc");
	make_file("-rf");
	make_file("longer_than_eight_bytes_2");
	make_file("longer_than_eight_bytes_10");
	make_file("longer_than_eight");
	find_and_expect(&o, "./-rf\n./B\n./a-b\n./a.png\n./a/0/x\n./a/z\n./a0\n./ab\nc\n./ab\xff\n"
			    "./longer_than_eight\n./longer_than_eight_bytes_10\n./longer_than_eight_bytes_2\n");
}
END_TEST

/* A tree of some thousand files in a scrambled order of creation; what a sort must put right. */
static size_t make_scrambled(void)
{
	static const char *const stems[] = { "mask_", "m", "m.", "m/", "2007_000032_and_more_", "\xc3\xa9" };
	size_t files = 0;
	unsigned random = 1;

	for (unsigned i = 0; i < 3000; i++) {
		char name[128];

		random = random * 1103515245U + 12345U;
		unsigned value = random >> 8;

		snprintf(name, sizeof(name), "d%u", value % 7);
		mkdir(name, 0755);
		snprintf(name, sizeof(name), "d%u/m", value % 7);
		mkdir(name, 0755);
		snprintf(name, sizeof(name), "d%u/%s%u", value % 7, stems[value / 7 % ARRAY_SIZE(stems)],
			 value / 64 % 5000);
		int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0644);

		if (fd < 0)
			continue;
		close(fd);
		files++;
	}
	return files;
}

START_TEST(one_draw_or_many_are_the_same)
{
	struct find_options o = options_here();
	size_t files = make_scrambled();
	struct found whole = find_with(&o, SIZE_MAX);

	ck_assert_uint_eq(whole.count, files);
	ck_assert_uint_eq(whole.units, 1);
	expect_sorted(&whole);
	expect_opens(&whole);
	for (size_t max = 1; max < 100; max += 31) {
		struct found f = find_with(&o, max);

		ck_assert_uint_eq(f.count, files);
		for (size_t i = 0; i < files; i++)
			ck_assert_str_eq(f.v[i].path, whole.v[i].path);
		expect_opens(&f);
		found_release(&f);
	}
	found_release(&whole);
}
END_TEST

struct drawer {
	pthread_t thread;
	struct source *source;
	struct found found;
};

static void *drawer_main(void *arg)
{
	struct drawer *d = arg;
	struct error err = ERROR_INIT;
	struct unit u;
	size_t max = 1;

	unit_init(&u);
	for (;;) {
		unit_clear(&u);
		if (source_draw(d->source, &u, max, &err) != STATUS_OK || !u.count)
			break;
		found_add(&d->found, &u);
		max = max % 40 + 1;
	}
	unit_release(&u);
	return NULL;
}

static int by_unit(const void *a, const void *b)
{
	const struct found_entry *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

START_TEST(threads_share_the_files)
{
	struct find_options o = options_here();
	size_t files = make_scrambled();
	struct drawer drawers[THREADS];
	struct source *s = open_source(&o);
	struct found all = { 0 };
	bool complete;

	for (size_t i = 0; i < THREADS; i++) {
		drawers[i] = (struct drawer){ .source = s };
		ck_assert_int_eq(pthread_create(&drawers[i].thread, NULL, drawer_main, &drawers[i]), 0);
	}
	do
		ck_assert_uint_le(source_progress(s, &complete), files);
	while (!complete);
	for (size_t i = 0; i < THREADS; i++) {
		struct found *f = &drawers[i].found;

		pthread_join(drawers[i].thread, NULL);
		GROW(all.v, all.cap, all.count + f->count);
		if (f->count)
			memcpy(all.v + all.count, f->v, f->count * sizeof(*f->v));
		all.count += f->count;
		free(f->v);
	}
	ck_assert_uint_eq(source_progress(s, &complete), files);
	source_close(s);
	ck_assert_uint_eq(all.count, files);
	qsort(all.v, all.count, sizeof(*all.v), by_unit);
	expect_sorted(&all); /* strictly: so none twice */
	expect_opens(&all);
	found_release(&all);
}
END_TEST

START_TEST(folder_of_100000)
{
	struct find_options o = options_here();
	char name[64];

	make_folder("d");
	make_file("one");
	for (unsigned i = 0; i < FOLDERS_MANY; i++) {
		/* 50,000 links an inode are allowed everywhere that matters; 7919 and 100,000 have no common divisor */
		if (i % 50000 == 0) {
			unlink("one");
			make_file("one");
		}
		snprintf(name, sizeof(name), "d/%06u.png", i * 7919U % FOLDERS_MANY);
		ck_assert_int_eq(link("one", name), 0);
	}
	unlink("one");
	struct found f = find_with(&o, 1000);

	ck_assert_uint_eq(f.count, FOLDERS_MANY);
	for (unsigned i = 0; i < FOLDERS_MANY; i++) {
		snprintf(name, sizeof(name), "./d/%06u.png", i);
		ck_assert_str_eq(f.v[i].path, name);
	}
	found_release(&f);

	/* In chunks: each file once, in as many sorted runs as there are chunks, in bounded memory. */
	struct walk_filter filter = { 0 };
	struct walk w;
	struct walk_item item;
	char before[64] = "";
	size_t count = 0, runs = 1;
	bool *seen = xcalloc(FOLDERS_MANY, sizeof(*seen));

	walk_init(&w, &filter, 8);
	w.chunk_names = 10000;
	ck_assert_int_eq(walk_start(&w, "d"), 0);
	while (walk_next(&w, &item)) {
		unsigned number = (unsigned)strtoul(item.name, NULL, 10);

		ck_assert(!item.failed && !seen[number]);
		seen[number] = true;
		runs += strcmp(before, item.name) > 0;
		strcpy(before, item.name);
		count++;
	}
	ck_assert_uint_eq(count, FOLDERS_MANY);
	ck_assert_uint_gt(runs, 4);
	ck_assert_uint_le(runs, 10);
	ck_assert_uint_le(w.names.names_cap, 32768);
	walk_release(&w);
	free(seen);
}
END_TEST

START_TEST(names_sort_as_memcmp_does)
{
	enum { COUNT = 5000 };
	struct names n;
	unsigned random = 7;

	names_init(&n);
	names_add(&n, "zz", 2, NAME_FILE, 0); /* a name of the level above: not to be touched */
	for (unsigned i = 0; i < COUNT; i++) {
		char name[300];
		size_t len = 0;

		/* few letters and long equal beginnings: ties in every word; i makes it unique */
		random = random * 1103515245U + 12345U;
		for (unsigned r = random >> 8; len < (random >> 16) % 260; r = r * 31 + 7)
			name[len++] = (r >> 4) % 16 ? 'a' : '\xff';
		len += (size_t)snprintf(name + len, sizeof(name) - len, "%u", i);
		names_add(&n, name, len, random >> 30 ? NAME_FILE : NAME_FOLDER, 0);
	}
	names_sort(&n, 1);
	ck_assert_str_eq(names_text(&n, &n.v[0]), "zz");
	for (size_t i = 2; i < n.count; i++) {
		ck_assert_int_lt(strcmp(names_text(&n, &n.v[i - 1]), names_text(&n, &n.v[i])), 0);
		ck_assert_uint_eq(strlen(names_text(&n, &n.v[i])), n.v[i].len);
	}
	names_release(&n);
}
END_TEST

/* ---- what is typed ----------------------------------------------------------------------------------------------- */

START_TEST(roots_as_typed)
{
	static const char *const paths[] = { "d//", "f", "-", "d/./e", "f", ".hidden", "link", "d/" };
	struct find_options o = { .paths = paths, .paths_count = ARRAY_SIZE(paths) };

	make_folder("d");
	make_file("d/a");
	make_folder("d/e");
	make_file("d/e/b");
	make_file("f");
	make_folder(".hidden");
	make_file(".hidden/c");
	ck_assert_int_eq(symlink("d/e", "link"), 0);
	struct found f = find_with(&o, 3);

	expect(&f, "d/a\nd/e/b\nf\n-\nd/./e/b\nf\n.hidden/c\nlink/b\nd/a\nd/e/b\n");
	ck_assert(!f.v[0].named && !f.v[4].named && !f.v[7].named);
	ck_assert(f.v[2].named && !f.v[2].standard_input && f.v[2].opens);
	ck_assert(f.v[3].named && f.v[3].standard_input);
	found_release(&f);
}
END_TEST

START_TEST(root_of_the_file_system)
{
	struct walk_filter filter = { 0 };
	struct walk w;
	struct walk_item item;

	walk_init(&w, &filter, 8);
	ck_assert_int_eq(walk_start(&w, "///"), 0);
	ck_assert_str_eq(w.path.s, "/");
	ck_assert(walk_next(&w, &item));
	ck_assert_int_eq(item.folder[0], '/');
	ck_assert_int_ne((item.folder_len > 1 ? item.folder : item.name)[1], '/');
	walk_release(&w);
}
END_TEST

static void expect_refusal(const struct find_options *o, const char *text)
{
	struct error err = ERROR_INIT;
	struct source *s;

	ck_assert_int_eq(source_open(&s, o, &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, text);
	ck_assert_ptr_null(s);
}

START_TEST(what_cannot_be_opened)
{
	static const char *const missing[] = { ".", "nowhere.png" }, *const dangling[] = { "dangling" };
	static const char *const bad[] = { "*.png", "a[" }, *const minus[] = { "-" };
	struct find_options o = { .paths = missing, .paths_count = 2 };

	expect_refusal(&o, "nowhere.png: No such file or directory");
	ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
	o = (struct find_options){ .paths = dangling, .paths_count = 1 };
	expect_refusal(&o, "dangling: No such file or directory");
	o = options_here();
	o.exclude = bad;
	o.exclude_count = 2;
	expect_refusal(&o, "--exclude a[: a [ is not closed");
	o = options_here();
	o.include = bad;
	o.include_count = 2;
	expect_refusal(&o, "--include a[: a [ is not closed");
	o = options_here();
	o.files_from = "nowhere.lst";
	expect_refusal(&o, "cannot open the list nowhere.lst: No such file or directory");
	o = (struct find_options){ .paths = minus, .paths_count = 1, .files_from = "-" };
	expect_refusal(&o, "standard input cannot be both a label file and --files-from");
}
END_TEST

/* ---- what is left out -------------------------------------------------------------------------------------------- */

START_TEST(hidden_names)
{
	struct find_options o = options_here();

	make_file(".a.png");
	make_file("..b.png");
	make_folder(".d");
	make_file(".d/c.png");
	make_file("e.png");
	find_and_expect(&o, "./e.png\n");
	o.hidden = true;
	find_and_expect(&o, "./..b.png\n./.a.png\n./.d/c.png\n./e.png\n");
}
END_TEST

static void filter_and_expect(const char *include, const char *exclude, const char *wanted)
{
	static const char *const roots[] = { "r/" };
	struct find_options o = { .paths = roots, .paths_count = 1 };

	o.include = &include;
	o.include_count = include != NULL;
	o.exclude = &exclude;
	o.exclude_count = exclude != NULL;
	find_and_expect(&o, wanted);
}

START_TEST(include_and_exclude)
{
	make_folder("r");
	make_file("r/a.png");
	make_file("r/a.txt");
	make_folder("r/x");
	make_file("r/x/b.png");
	make_folder("r/x/old");
	make_file("r/x/old/c.png");
	make_folder("r/y");
	make_file("r/y/old");
	filter_and_expect("*.png", NULL, "r/a.png\nr/x/b.png\nr/x/old/c.png\n");
	filter_and_expect(NULL, "*.png", "r/a.txt\nr/y/old\n");
	filter_and_expect("*.png", "x", "r/a.png\n");
	filter_and_expect(NULL, "old", "r/a.png\nr/a.txt\nr/x/b.png\n");
	filter_and_expect(NULL, "old/", "r/a.png\nr/a.txt\nr/x/b.png\nr/y/old\n");
	filter_and_expect(NULL, "x/old", "r/a.png\nr/a.txt\nr/x/b.png\nr/y/old\n");
	filter_and_expect(NULL, "/old", "r/a.png\nr/a.txt\nr/x/b.png\nr/x/old/c.png\nr/y/old\n");
	filter_and_expect("x/**", NULL, "r/x/b.png\nr/x/old/c.png\n");
	filter_and_expect("x/*.{png,npy}", NULL, "r/x/b.png\n");
	filter_and_expect("**/old/*", NULL, "r/x/old/c.png\n");
}
END_TEST

START_TEST(excluded_folders_are_not_opened)
{
	static const char *const roots[] = { "." }, *const globs[] = { "closed" };
	struct find_options o = { .paths = roots, .paths_count = 1, .exclude = globs, .exclude_count = 1 };

	make_folder("closed");
	ck_assert_int_eq(mkfifo("closed/fifo.png", 0644), 0);
	make_file("a");
	find_and_expect(&o, "./a\n");
}
END_TEST

START_TEST(named_files_pass_every_filter)
{
	static const char *const roots[] = { "r/.a.txt" }, *const globs[] = { "*.png" }, *const out[] = { "*.txt" };
	struct find_options o = { .paths = roots, .paths_count = 1, .include = globs, .include_count = 1,
				  .exclude = out, .exclude_count = 1 };

	make_folder("r");
	make_file("r/.a.txt");
	find_and_expect(&o, "r/.a.txt\n");
}
END_TEST

/* ---- links, and what is no file ---------------------------------------------------------------------------------- */

static void make_links(void)
{
	make_folder("d");
	make_file("d/a.png");
	ck_assert_int_eq(symlink("..", "d/loop"), 0);
	ck_assert_int_eq(symlink("d", "e"), 0);
	ck_assert_int_eq(symlink("d/a.png", "link.png"), 0);
	ck_assert_int_eq(symlink("nowhere", "dangling.png"), 0);
	ck_assert_int_eq(symlink("self.png", "self.png"), 0);
	ck_assert_int_eq(symlink("/dev/null", "null.png"), 0);
}

START_TEST(links_are_passed_over)
{
	struct find_options o = options_here();

	make_links();
	find_and_expect(&o, "./d/a.png\n");
}
END_TEST

START_TEST(links_are_followed_and_loops_end)
{
	struct find_options o = options_here();

	make_links();
	o.follow = true;
	struct found f = find_with(&o, 32);

	expect(&f, "./d/a.png\n!./dangling.png\n./link.png\n!./null.png\n!./self.png\n");
	ck_assert_str_eq(entry_of(&f, "./dangling.png")->fault,
			 "cannot follow the symbolic link: No such file or directory");
	ck_assert_str_eq(entry_of(&f, "./self.png")->fault,
			 "cannot follow the symbolic link: Too many levels of symbolic links");
	ck_assert_str_eq(entry_of(&f, "./null.png")->fault, "not a regular file (character device)");
	ck_assert(entry_of(&f, "./link.png")->opens);
	found_release(&f);
}
END_TEST

/* Two links to the next folder in each of 200: 2^200 paths, 201 folders. */
START_TEST(links_that_double_end)
{
	struct find_options o = options_here();
	char a[32], b[32], target[32];

	for (unsigned i = 0; i < 200; i++) {
		snprintf(a, sizeof(a), "d%03u", i);
		make_folder(a);
		snprintf(target, sizeof(target), "../d%03u", i + 1);
		snprintf(a, sizeof(a), "d%03u/a", i);
		snprintf(b, sizeof(b), "d%03u/b", i);
		ck_assert_int_eq(symlink(target, a), 0);
		ck_assert_int_eq(symlink(target, b), 0);
	}
	make_folder("d200");
	make_file("d200/x");
	o.follow = true;
	struct found f = find_with(&o, 32);

	ck_assert_uint_eq(f.count, 1);
	found_release(&f);
}
END_TEST

START_TEST(what_is_no_file_fails)
{
	struct find_options o = options_here();
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "socket.png" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	ck_assert_int_eq(mkfifo("fifo.png", 0644), 0);
	make_file("a.png");
	struct found f = find_with(&o, 32);

	expect(&f, "./a.png\n!./fifo.png\n!./socket.png\n");
	ck_assert_str_eq(f.v[1].fault, "not a regular file (FIFO)");
	ck_assert_str_eq(f.v[2].fault, "not a regular file (socket)");
	found_release(&f);
}
END_TEST

START_TEST(folders_without_permission_fail)
{
	static const char *const roots[] = { ".", "b" };
	struct find_options o = { .paths = roots, .paths_count = 2 };
	bool root = geteuid() == 0;

	make_file("a");
	make_folder("b");
	make_file("b/x");
	make_file("c");
	make_folder("d");
	make_file("d/y");
	ck_assert_int_eq(chmod("b", 0), 0);
	ck_assert_int_eq(chmod("d", 0644), 0);
	if (root)
		ck_assert_int_eq(seteuid(65534), 0); /* root may read anything */
	struct found f = find_with(&o, 32);

	if (root)
		ck_assert_int_eq(seteuid(0), 0);
	expect(&f, "./a\n!./b\n./c\n./d/y\n!b\n");
	ck_assert_str_eq(f.v[1].fault, "cannot open the folder: Permission denied");
	ck_assert(!f.v[3].opens); /* the folder can be listed but not searched: its reader will tell */
	ck_assert_str_eq(f.v[4].fault, "cannot open: Permission denied");
	ck_assert(f.v[4].named && !f.v[1].named);
	found_release(&f);
}
END_TEST

START_TEST(odd_names)
{
	static const char *const names[] = { "new\nline.png", "tab\t.png", "esc\x1b[2J.png", "bad\xff\xfe.png", " a", "a ",
					     "--help", "star*?[a].png", "back\\slash", "\x01" };
	struct find_options o = options_here();
	char name[256], path[300];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		make_file(names[i]);
	memset(name, 'N', 255);
	name[255] = '\0';
	make_file(name);
	struct found f = find_with(&o, 4);

	ck_assert_uint_eq(f.count, ARRAY_SIZE(names) + 1);
	expect_sorted(&f);
	expect_opens(&f);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "./%s", names[i]);
		entry_of(&f, path);
	}
	snprintf(path, sizeof(path), "./%s", name);
	entry_of(&f, path);
	found_release(&f);
}
END_TEST

/* ---- deep trees and few descriptors ------------------------------------------------------------------------------ */

/* depth folders below each other of name_len bytes each, in each a file before and one behind the next folder. */
static void make_deep(unsigned depth, size_t name_len)
{
	char name[256];

	memset(name, 'm', name_len);
	name[name_len] = '\0';
	for (unsigned i = 0; i < depth; i++) {
		make_file("a");
		make_file("z");
		make_folder(name);
		ck_assert_int_eq(chdir(name), 0);
	}
	make_file("last");
	ck_assert_int_eq(chdir(tree), 0);
}

START_TEST(paths_of_10000_bytes)
{
	enum { DEPTH = 42 };
	struct find_options o = options_here();
	size_t longest = 0;

	make_deep(DEPTH, 250);
	for (size_t max = 1; max < 200; max += 99) {
		struct found f = find_with(&o, max);

		ck_assert_uint_eq(f.count, 2 * DEPTH + 1);
		expect_sorted(&f);
		expect_opens(&f);
		for (size_t i = 0; i < f.count; i++)
			longest = MAX(longest, strlen(f.v[i].path));
		found_release(&f);
	}
	ck_assert_uint_ge(longest, 10000);
}
END_TEST

static void limit_descriptors(rlim_t n)
{
	struct rlimit limit = { n, n };

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Descriptors in use are the lowest ones: the next one tells how many at least. */
static int next_descriptor(void)
{
	int fd = dup(STDERR_FILENO);

	ck_assert_msg(fd >= 0, "no descriptor is left");
	close(fd);
	return fd;
}

START_TEST(few_descriptors)
{
	enum { DEPTH = 150, UNITS = 4 };
	const rlim_t limits[] = { 32, 20 };
	struct find_options o = options_here();
	struct error err = ERROR_INIT;
	struct unit units[UNITS];
	struct found f = { 0 };

	make_deep(DEPTH, _i ? 5 : 100); /* with paths below PATH_MAX, and over it */
	limit_descriptors(limits[_i]);
	for (size_t i = 0; i < UNITS; i++)
		unit_init(&units[i]);
	int before = next_descriptor(), most = 0;
	struct source *s = open_source(&o);

	/* each of four workers keeps its unit until its next turn */
	for (size_t turn = 0;; turn++) {
		struct unit *u = &units[turn % UNITS];

		unit_clear(u);
		ck_assert_msg(source_draw(s, u, 50, &err) == STATUS_OK, "%s", err.text);
		if (!u->count)
			break;
		found_add(&f, u);
		most = MAX(most, next_descriptor());
	}
	source_close(s);
	for (size_t i = 0; i < UNITS; i++)
		unit_release(&units[i]);
	ck_assert_uint_eq(f.count, 2 * DEPTH + 1);
	expect_sorted(&f);
	expect_opens(&f);
	/* a half, and one of each unit where paths are long */
	ck_assert_int_le(most - before, (int)limits[_i] / 2 + UNITS);
	found_release(&f);
}
END_TEST

/* The rest of the process may need more than its half: the walk then makes do with less. */
START_TEST(descriptors_that_others_hold)
{
	enum { DEPTH = 40, LEFT = 6 };
	struct find_options o = options_here();

	make_deep(DEPTH, 5);
	limit_descriptors(64);
	while (dup(STDERR_FILENO) >= 0)
		;
	for (int fd = 63; fd > 63 - LEFT; fd--)
		close(fd);
	struct found f = find_with(&o, 1);

	ck_assert_uint_eq(f.count, 2 * DEPTH + 1);
	expect_sorted(&f);
	found_release(&f);
}
END_TEST

/* A million folders must not become a million descriptors, however large the unit. */
START_TEST(a_unit_keeps_few_folders_open)
{
	enum { FOLDERS = 300 };
	struct find_options o = options_here();
	char name[32];

	for (unsigned i = 0; i < FOLDERS; i++) {
		snprintf(name, sizeof(name), "%03u", i);
		make_folder(name);
		snprintf(name, sizeof(name), "%03u/x", i);
		make_file(name);
	}
	struct source *s = open_source(&o);
	struct error err = ERROR_INIT;
	struct found f = { 0 };
	struct unit u;
	int before = next_descriptor();

	unit_init(&u);
	ck_assert_int_eq(source_draw(s, &u, 10000, &err), STATUS_OK);
	ck_assert_uint_eq(u.count, FOLDERS);
	ck_assert_int_le(next_descriptor() - before, 20);
	found_add(&f, &u);
	expect_opens(&f);
	found_release(&f);

	source_close(s); /* the unit outlives it */
	ck_assert(opens(&u.entries[0]));
	unit_release(&u);
	ck_assert_int_le(next_descriptor(), before);
}
END_TEST

/* Draws up to the deepest file, so that all ancestors but a few are closed. */
static void draw_to_last(struct source *s, struct unit *u)
{
	struct error err = ERROR_INIT;

	do {
		unit_clear(u);
		ck_assert_int_eq(source_draw(s, u, 1, &err), STATUS_OK);
		ck_assert_uint_eq(u->count, 1);
	} while (strcmp(u->entries[0].name, "last") != 0);
}

/* The walk comes back by "..", or by names where that leads elsewhere; what it cannot find again it says. */
START_TEST(folders_that_move_meanwhile)
{
	static const char *const roots[] = { "r" };
	struct find_options o = { .paths = roots, .paths_count = 1 };
	struct found f = { 0 };
	struct unit u;
	size_t failed = 0;

	make_folder("r");
	ck_assert_int_eq(chdir("r"), 0);
	for (unsigned i = 0; i < 20; i++) {
		make_file("a");
		make_file("z");
		make_folder("m");
		ck_assert_int_eq(chdir("m"), 0);
	}
	make_file("last");
	ck_assert_int_eq(chdir(tree), 0);
	limit_descriptors(16);
	unit_init(&u);
	struct source *s = open_source(&o);

	draw_to_last(s, &u);
	uint64_t u_last = u.number;

	unit_clear(&u);
	f.units_before = u_last + 1;
	ck_assert_int_eq(rename("r/m/m/m/m/m/m/m/m/m/m", "moved"), 0);
	if (_i) /* the parent of what was moved moves too: nothing leads there */
		ck_assert_int_eq(rename("r/m/m/m/m/m/m/m/m/m", "moved too"), 0);
	draw_all(s, 1, &f);
	source_close(s);
	unit_release(&u);

	/* 20 files z are to come, from the deepest one up; the tenth folder from the root is r/m*10, the ninth r/m*9 */
	for (size_t i = 0; i < f.count; i++)
		failed += f.v[i].failed;
	ck_assert_uint_eq(f.count, 20);
	ck_assert_uint_eq(failed, _i ? 1 : 0);
	if (_i) {
		ck_assert_str_eq(entry_of(&f, "r/m/m/m/m/m/m/m/m/m")->fault,
				 "cannot open the folder again: No such file or directory");
		entry_of(&f, "r/m/m/m/m/m/m/m/m/z");
	}
	found_release(&f);
}
END_TEST

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void list_and_expect(const char *bytes, size_t n, bool nul, const char *wanted)
{
	struct find_options o = { .files_from = "list", .nul_separated = nul };

	write_file("list", bytes, n);
	struct found f = find_with(&o, 2);

	expect(&f, wanted);
	for (size_t i = 0; i < f.count; i++)
		ck_assert(f.v[i].named || f.v[i].path[0] == 'd');
	found_release(&f);
}

#define LIST(bytes, nul, wanted) list_and_expect(bytes, sizeof(bytes) - 1, nul, wanted)

START_TEST(lists)
{
	make_file("b");
	make_folder("d");
	make_file("d/y");
	make_file("d/x");
	make_file("new\nline");
	LIST("", false, "");
	LIST("\n\r\n\n", false, "");
	LIST("b\nmissing\na", false, "b\nmissing\na\n"); /* as listed; a missing one is told by its opening */
	LIST("b\r\nd\r\nb/\n", false, "b\nd/x\nd/y\nb/\n");
	LIST("c\r\r\n", false, "c\r\n");
	LIST("-\n", false, "-\n"); /* a file of that name */
	LIST("new\nline\0b\0\0d/", true, "new\nline\nb\nd/x\nd/y\n");
	LIST("cr\r\0", true, "cr\r\n");
}
END_TEST

START_TEST(lists_of_any_length)
{
	enum { PATHS = 50000 };
	struct strbuf list = STRBUF_INIT;
	struct find_options o = { .files_from = "list" };

	for (unsigned i = 0; i < PATHS; i++) {
		if (i == 777) { /* no path: its beginning is shown, the rest passed over */
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
	ck_assert(f.v[777].failed && f.v[777].named);
	ck_assert_uint_eq(strlen(f.v[777].path), 65536);
	ck_assert_str_eq(f.v[777].fault, "listed path is longer than 65536 bytes");
	ck_assert_str_eq(f.v[778].path, "some/folder/that/is/not/there/777.png");
	ck_assert_str_eq(f.v[PATHS].path, "some/folder/that/is/not/there/49999.png");
	found_release(&f);
}
END_TEST

START_TEST(a_path_that_ends_a_list_and_is_too_long)
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
END_TEST

static void expect_draw_fails(struct source *s, const char *text)
{
	struct error err = ERROR_INIT;
	struct unit u;

	unit_init(&u);
	ck_assert_int_eq(source_draw(s, &u, 8, &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, text);
	ck_assert_uint_eq(u.count, 0);
	unit_release(&u);
}

START_TEST(lists_that_cannot_be_read)
{
	struct find_options o = { .files_from = "list" };

	write_file("list", "a\nb\0c\n", 6);
	struct source *s = open_source(&o);

	for (int twice = 0; twice < 2; twice++) /* whichever worker draws next is told too */
		expect_draw_fails(s, "the list list holds a NUL byte in line 2: is it NUL-separated (-0)?");
	source_close(s);
	o.files_from = ".";
	s = open_source(&o);
	expect_draw_fails(s, "cannot read the list .: Is a directory");
	source_close(s);
}
END_TEST

START_TEST(list_from_a_pipe_that_dribbles)
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
END_TEST

static void *stop_later(void *source)
{
	usleep(50000);
	source_stop(source);
	return NULL;
}

START_TEST(stop_ends_a_wait_for_a_list)
{
	struct find_options o = { .files_from = "fifo" };
	pthread_t thread;
	struct error err = ERROR_INIT;
	struct unit u;

	ck_assert_int_eq(mkfifo("fifo", 0644), 0);
	int writer = open("fifo", O_RDWR); /* never writes a whole line */

	ck_assert_int_eq(write(writer, "half", 4), 4);
	struct source *s = open_source(&o);

	unit_init(&u);
	ck_assert_int_eq(pthread_create(&thread, NULL, stop_later, s), 0);
	ck_assert_int_eq(source_draw(s, &u, 8, &err), STATUS_OK);
	ck_assert_uint_eq(u.count, 0);
	pthread_join(thread, NULL);
	unit_release(&u);
	source_close(s);
	close(writer);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("find");
	TCase *t = tcase_create("find");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, order_is_that_of_path_bytes);
	tcase_add_test(t, one_draw_or_many_are_the_same);
	tcase_add_test(t, threads_share_the_files);
	tcase_add_test(t, folder_of_100000);
	tcase_add_test(t, names_sort_as_memcmp_does);
	tcase_add_test(t, roots_as_typed);
	tcase_add_test(t, root_of_the_file_system);
	tcase_add_test(t, what_cannot_be_opened);
	tcase_add_test(t, hidden_names);
	tcase_add_test(t, include_and_exclude);
	tcase_add_test(t, excluded_folders_are_not_opened);
	tcase_add_test(t, named_files_pass_every_filter);
	tcase_add_test(t, links_are_passed_over);
	tcase_add_test(t, links_are_followed_and_loops_end);
	tcase_add_test(t, links_that_double_end);
	tcase_add_test(t, what_is_no_file_fails);
	tcase_add_test(t, folders_without_permission_fail);
	tcase_add_test(t, odd_names);
	tcase_add_test(t, paths_of_10000_bytes);
	tcase_add_loop_test(t, few_descriptors, 0, 2);
	tcase_add_test(t, descriptors_that_others_hold);
	tcase_add_test(t, a_unit_keeps_few_folders_open);
	tcase_add_loop_test(t, folders_that_move_meanwhile, 0, 2);
	tcase_add_test(t, lists);
	tcase_add_test(t, lists_of_any_length);
	tcase_add_test(t, a_path_that_ends_a_list_and_is_too_long);
	tcase_add_test(t, lists_that_cannot_be_read);
	tcase_add_test(t, list_from_a_pipe_that_dribbles);
	tcase_add_test(t, stop_ends_a_wait_for_a_list);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
