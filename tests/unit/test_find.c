/*
 * find/source.c over temporary trees: the order, that each file comes once whichever thread draws, and what is left
 * out. Loops, FIFOs, odd names and folders without permission: tests/property/hostile_tree.sh.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "effort.h"

#include "find_tree.h"

#include "base/mem.h"
#include "find/names.h"
#include "find/source.h"
#include "find/walk.h"

enum { THREADS = 8 };

/* ---- order ------------------------------------------------------------------------------------------------------- */

TEST(order_is_that_of_path_bytes)
{
	struct find_options o = options_here();

	make_folder("a");
	make_file("a/z");
	make_folder("a/0");
	make_file("a/0/x");
	make_folder("a/empty");
	make_file("a-b"); /* '-' and '.' are before '/', '0' is after it */
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

TEST(one_draw_or_many_are_the_same)
{
	struct find_options o = options_here();
	size_t files = make_scrambled();
	struct found whole = find_with(&o, SIZE_MAX);

	ck_assert_uint_eq(whole.count, files);
	ck_assert_uint_eq(whole.units, 1);
	found_expect_sorted(&whole);
	found_expect_opens(&whole);
	for (size_t max = 1; max < 100; max += 31) {
		struct found f = find_with(&o, max);

		ck_assert_uint_eq(f.count, files);
		for (size_t i = 0; i < files; i++)
			ck_assert_str_eq(f.v[i].path, whole.v[i].path);
		found_expect_opens(&f);
		found_release(&f);
	}
	found_release(&whole);
}

struct drawer {
	pthread_t thread;
	struct source *source;
	struct found found;
};

static void *drawer_main(void *arg)
{
	struct drawer *d = arg;
	struct error err = ERROR_INIT;
	struct work_unit u;
	size_t max = 1;

	work_unit_init(&u);
	for (;;) {
		work_unit_clear(&u);
		if (source_draw(d->source, &u, max, &err) != STATUS_OK || !u.count)
			break;
		found_add(&d->found, &u);
		max = max % 40 + 1;
	}
	work_unit_release(&u);
	return NULL;
}

static int by_unit(const void *a, const void *b)
{
	const struct found_entry *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

TEST(threads_share_the_files)
{
	struct find_options o = options_here();
	size_t files = make_scrambled();
	struct drawer drawers[THREADS];
	struct source *s = open_source(&o);
	struct found all = { 0 };

	for (size_t i = 0; i < THREADS; i++) {
		drawers[i] = (struct drawer){ .source = s };
		ck_assert_int_eq(pthread_create(&drawers[i].thread, NULL, drawer_main, &drawers[i]), 0);
	}
	do
		ck_assert_uint_le(source_progress(s).drawn, files);
	while (!source_progress(s).complete);
	for (size_t i = 0; i < THREADS; i++) {
		struct found *f = &drawers[i].found;

		pthread_join(drawers[i].thread, NULL);
		GROW(all.v, all.cap, all.count + f->count);
		if (f->count)
			memcpy(all.v + all.count, f->v, f->count * sizeof(*f->v));
		all.count += f->count;
		free(f->v);
	}
	ck_assert_uint_eq(source_progress(s).drawn, files);
	source_close(s);
	ck_assert_uint_eq(all.count, files);
	qsort(all.v, all.count, sizeof(*all.v), by_unit);
	found_expect_sorted(&all); /* strictly: so none twice */
	found_expect_opens(&all);
	found_release(&all);
}

TEST(folder_of_many)
{
	const unsigned many = effort(30000, 100000), chunk = many / 10;
	struct find_options o = options_here();
	char name[64];

	make_folder("d");
	make_file("one");
	for (unsigned i = 0; i < many; i++) {
		/* 50,000 links an inode are allowed everywhere that matters; 7919 and `many` have no common divisor */
		if (i % 50000 == 0) {
			unlink("one");
			make_file("one");
		}
		snprintf(name, sizeof(name), "d/%06u.png", i * 7919U % many);
		ck_assert_int_eq(link("one", name), 0);
	}
	unlink("one");
	struct found f = find_with(&o, 1000);

	ck_assert_uint_eq(f.count, many);
	for (unsigned i = 0; i < many; i++) {
		snprintf(name, sizeof(name), "./d/%06u.png", i);
		ck_assert_str_eq(f.v[i].path, name);
	}
	found_release(&f);

	/* In chunks: each file once, in as many sorted runs as there are chunks, in bounded memory. */
	struct walk_filter filter = { 0 };
	struct link_roots roots = { 0 };
	struct walk w;
	struct walk_item item;
	char before[64] = "";
	size_t count = 0, runs = 1;
	bool *seen = xcalloc(many, sizeof(*seen));

	walk_init(&w, &filter, &roots);
	w.chunk_names = chunk;
	ck_assert_int_eq(walk_start(&w, "d"), 0);
	while (walk_next(&w, &item)) {
		unsigned number = (unsigned)strtoul(item.name, NULL, 10);

		ck_assert(!item.failed && !seen[number]);
		seen[number] = true;
		runs += strcmp(before, item.name) > 0;
		strcpy(before, item.name);
		count++;
	}
	ck_assert_uint_eq(count, many);
	ck_assert_uint_gt(runs, 4);
	ck_assert_uint_le(runs, 10);
	ck_assert_uint_le(w.names.names_cap, 4 * chunk);
	walk_release(&w);
	free(seen);
}

TEST(names_sort_as_memcmp_does)
{
	enum { COUNT = 5000 };
	struct names n;
	unsigned random = 7;

	n = (struct names){ 0 };
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

/* ---- what is typed ----------------------------------------------------------------------------------------------- */

TEST(roots_as_typed)
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

	found_expect(&f, "d/a\nd/e/b\nf\n-\nd/./e/b\nf\n.hidden/c\nlink/b\nd/a\nd/e/b\n");
	ck_assert(!f.v[0].is_explicit && !f.v[4].is_explicit && !f.v[7].is_explicit);
	ck_assert(f.v[2].is_explicit && !f.v[2].standard_input && f.v[2].opens);
	ck_assert(f.v[3].is_explicit && f.v[3].standard_input);
	found_release(&f);
}

TEST(root_of_the_file_system)
{
	struct walk_filter filter = { 0 };
	struct link_roots roots = { 0 };
	struct walk w;
	struct walk_item item;

	walk_init(&w, &filter, &roots);
	ck_assert_int_eq(walk_start(&w, "///"), 0);
	ck_assert_str_eq(w.path.s, "/");
	ck_assert(walk_next(&w, &item));
	ck_assert_int_eq(item.folder[0], '/');
	ck_assert_int_ne((item.folder_len > 1 ? item.folder : item.name)[1], '/');
	walk_release(&w);
}

static void expect_refusal(const struct find_options *o, const char *text)
{
	struct error err = ERROR_INIT;
	struct source *s;

	ck_assert_int_eq(source_open(&s, o, &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, text);
	ck_assert_ptr_null(s);
}

TEST(what_cannot_be_opened)
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

/* ---- what is left out -------------------------------------------------------------------------------------------- */

TEST(hidden_names)
{
	struct find_options o = options_here();

	make_file(".a.png");
	make_file("..b.png");
	make_folder(".d");
	make_file(".d/c.png");
	make_file("e.png");
	find_and_expect(&o, "hidden: ./..b.png\nhidden: ./.a.png\nhidden: ./.d\n./e.png\n");
	o.hidden = true;
	find_and_expect(&o, "./..b.png\n./.a.png\n./.d/c.png\n./e.png\n");
}

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

TEST(include_and_exclude)
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

TEST(excluded_folders_are_not_opened)
{
	static const char *const roots[] = { "." }, *const globs[] = { "closed" };
	struct find_options o = { .paths = roots, .paths_count = 1, .exclude = globs, .exclude_count = 1 };

	make_folder("closed");
	ck_assert_int_eq(mkfifo("closed/fifo.png", 0644), 0);
	make_file("a");
	struct found f = find_with(&o, 32);

	ck_assert_uint_eq(f.count, 2);
	ck_assert_int_eq(found_entry_of(&f, "./closed")->skip_reason, SKIP_EXCLUDED);
	found_release(&f);
	o = (struct find_options){ .paths = roots, .paths_count = 1, .include = globs, .include_count = 1 };
	f = find_with(&o, 32);
	ck_assert_int_eq(found_entry_of(&f, "./a")->skip_reason, SKIP_NOT_INCLUDED);
	found_release(&f);
}

TEST(named_files_pass_every_filter)
{
	static const char *const roots[] = { "r/.a.txt" }, *const globs[] = { "*.png" }, *const out[] = { "*.txt" };
	struct find_options o = { .paths = roots,
				  .paths_count = 1,
				  .include = globs,
				  .include_count = 1,
				  .exclude = out,
				  .exclude_count = 1 };

	make_folder("r");
	make_file("r/.a.txt");
	find_and_expect(&o, "r/.a.txt\n");
}

/* ---- links, and what is no file ---------------------------------------------------------------------------------- */

/* A store that is hidden or excluded is read through the links into it, each file once, and through no other. */
TEST(linked_files_count_once)
{
	struct find_options o = options_here();
	static const char *const roots[] = { "m", "n" };

	make_folder("m");
	make_folder("m/.store");
	make_file("m/.store/1");
	make_file("outside.png");
	make_folder("n");
	make_file("n/x.png");
	ck_assert_int_eq(symlink(".store/1", "m/a.png"), 0);
	ck_assert_int_eq(symlink(".store/1", "m/b.png"), 0);
	ck_assert_int_eq(symlink("../n/x.png", "m/c.png"), 0);
	ck_assert_int_eq(symlink("../outside.png", "m/d.png"), 0);
	ck_assert_int_eq(symlink("..", "m/up"), 0);
	o.paths = roots;
	o.paths_count = 2;
	find_and_expect(&o, "hidden: m/.store\nm/a.png\nlink-repeated: m/b.png\nm/c.png\nlink-outside: m/d.png\n"
			    "link-loop: m/up\nn/x.png\n");
	o.paths_count = 1;
	find_and_expect(&o, "hidden: m/.store\nm/a.png\nlink-repeated: m/b.png\nlink-outside: m/c.png\n"
			    "link-outside: m/d.png\nlink-loop: m/up\n");
}

/* Two links to the next folder in each of 50: 2^50 paths, 51 folders. */
TEST(links_that_double_end)
{
	struct find_options o = options_here();
	char a[32], b[32], target[32];

	for (unsigned i = 0; i < 50; i++) {
		snprintf(a, sizeof(a), "d%03u", i);
		make_folder(a);
		snprintf(target, sizeof(target), "../d%03u", i + 1);
		snprintf(a, sizeof(a), "d%03u/a", i);
		snprintf(b, sizeof(b), "d%03u/b", i);
		ck_assert_int_eq(symlink(target, a), 0);
		ck_assert_int_eq(symlink(target, b), 0);
	}
	make_folder("d050");
	make_file("d050/x");
	o.follow = true;
	struct found f = find_with(&o, 32);
	size_t files = 0;

	for (size_t i = 0; i < f.count; i++)
		files += f.v[i].skip_reason == SKIP_NONE;
	ck_assert_uint_eq(files, 1);
	ck_assert_uint_eq(f.count, 101); /* each link is accounted for */
	found_release(&f);
}

TIMEOUT(120)
FIXTURE(tree_enter, tree_leave)
