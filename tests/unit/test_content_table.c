/* judge/content_table.h: equal contents, where they are, and that neither order nor partition shows. */
#include "judge/content_table.h"

#include "check_main.h"
#include "judge/dataset.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct content_table *t, uint64_t content, unsigned split, const char *path)
{
	content_table_add(t, 4, 3, (const uint64_t[]){ content, 7 }, split, path, NULL);
}

static const struct content_total *only(const struct content_table *t)
{
	ck_assert_uint_eq(t->count, 1);
	return &t->v[0];
}

TEST(equal_contents)
{
	struct content_table t;

	content_table_init(&t);
	add(&t, 1, 0, "c");
	ck_assert_ptr_null(only(&t)->places);
	add(&t, 1, 0, "d");
	add(&t, 1, 0, "b");
	ck_assert_uint_eq(only(&t)->files, 3);
	ck_assert_str_eq(only(&t)->path, "b");
	ck_assert_str_eq(only(&t)->places->second, "c");
	ck_assert_ptr_null(only(&t)->places->split_path[0]);
	ck_assert_uint_eq(only(&t)->splits, 1);
	ck_assert_uint_eq(content_table_share(&t), 1);
	content_table_release(&t);
}

TEST(what_tells_contents_apart)
{
	static const uint64_t contents[][2] = { { 1, 2 }, { 2, 1 }, { 1, 0 }, { 0, 1 }, { 3, 0 } };
	struct content_table t;

	content_table_init(&t);
	for (size_t i = 0; i < 5; i++)
		content_table_add(&t, 4, 3, contents[i], 0, "a", NULL);
	content_table_add(&t, 3, 4, contents[0], 0, "a", NULL);
	content_table_add(&t, 12, 1, contents[0], 0, "a", NULL);
	content_table_add(&t, 4, 3, contents[0], 0, "a", NULL);
	ck_assert_uint_eq(t.count, 7);
	content_table_release(&t);
}

/* The same file, met twice (a PATH that was named twice), is no second one. */
TEST(equal_paths)
{
	struct content_table t;

	content_table_init(&t);
	add(&t, 1, 0, "a");
	add(&t, 1, 2, "a");
	ck_assert_uint_eq(only(&t)->files, 2);
	ck_assert_ptr_null(only(&t)->places);
	add(&t, 1, 1, "b"); /* a is of split 2 */
	ck_assert_str_eq(only(&t)->places->split_path[0], "a");
	ck_assert_str_eq(only(&t)->places->split_path[1], "b");
	content_table_release(&t);
}

TEST(members_of_archives)
{
	struct content_table t;
	const uint64_t content[2] = { 1, 1 };

	content_table_init(&t);
	content_table_add(&t, 1, 1, content, 0, "a.zip", "x.png");
	content_table_add(&t, 1, 1, content, 0, "a.zip", "b.png");
	ck_assert_str_eq(only(&t)->path, "a.zip#b.png");
	ck_assert_str_eq(only(&t)->places->second, "a.zip#x.png");
	content_table_release(&t);
}

TEST(places_in_splits)
{
	struct content_table t;

	content_table_init(&t);
	add(&t, 1, 0, "a");
	add(&t, 1, 2, "f");
	add(&t, 1, 2, "e");
	ck_assert_str_eq(only(&t)->places->split_path[0], "e");
	ck_assert_ptr_null(only(&t)->places->split_path[1]);
	add(&t, 1, 1, "g");
	add(&t, 1, 3, "h");
	ck_assert_str_eq(only(&t)->places->split_path[1], "g");
	add(&t, 1, 3, "d"); /* a new smallest one of another split: the old one comes second */
	ck_assert_str_eq(only(&t)->places->split_path[0], "d");
	ck_assert_str_eq(only(&t)->places->split_path[1], "e");
	add(&t, 1, 3, "c");
	ck_assert_str_eq(only(&t)->places->split_path[0], "c");
	ck_assert_str_eq(only(&t)->places->split_path[1], "e");
	ck_assert_uint_eq(only(&t)->splits, 15);
	ck_assert_str_eq(only(&t)->path, "a");
	ck_assert_str_eq(only(&t)->places->second, "c");
	content_table_release(&t);
}

/* ---- order, partition, limits ----------------------------------------------------------------------------------- */

static uint32_t chance_state;

static uint32_t chance(uint32_t below)
{
	chance_state = chance_state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(chance_state >> 4) * below >> 28);
}

struct file {
	uint64_t content;
	unsigned split;
	char path[24];
};

/* A few contents in many files; a path has one split, as in an audit. Some come twice. */
static void make_files(struct file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t name = chance((uint32_t)n * 2);

		files[i].content = chance((uint32_t)n / 2 + 1);
		files[i].split = name % 4;
		snprintf(files[i].path, sizeof(files[i].path), "%u/%llu", name, (unsigned long long)files[i].content);
	}
}

static void shuffle(struct file *files, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		struct file swap = files[i - 1];
		size_t with = chance((uint32_t)i);

		files[i - 1] = files[with];
		files[with] = swap;
	}
}

static void same_string(const char *a, const char *b)
{
	ck_assert_pstr_eq(a, b);
}

static void same(struct content_table *a, struct content_table *b)
{
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_uint_eq(atomic_load(&a->last), atomic_load(&b->last));
	ck_assert_uint_eq(a->paths_bytes, b->paths_bytes);
	content_table_sort(a);
	content_table_sort(b);
	for (size_t i = 0; i < a->count; i++) {
		const struct content_total *x = &a->v[i], *y = &b->v[i];

		ck_assert_mem_eq(x->key, y->key, sizeof(x->key));
		ck_assert_uint_eq(x->files, y->files);
		ck_assert_uint_eq(x->path_max, y->path_max);
		ck_assert_uint_eq(x->splits, y->splits);
		same_string(x->path, y->path);
		ck_assert_int_eq(!x->places, !y->places);
		if (!x->places)
			continue;
		same_string(x->places->second, y->places->second);
		for (int k = 0; k < 2; k++) {
			same_string(x->places->split_path[k], y->places->split_path[k]);
			if (x->places->split_path[k])
				ck_assert_uint_eq(x->places->split[k], y->places->split[k]);
		}
	}
}

/* Checks the total of each content against the definition. */
static void check_by_definition(const struct content_table *t, const struct file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *least = NULL, *second = NULL, *left = NULL, *right = NULL;
		const struct content_total *c = NULL;
		uint64_t count = 0;
		unsigned left_split = 0;

		for (size_t j = 0; j < n; j++) {
			const struct file *f = &files[j];

			if (f->content != files[i].content)
				continue;
			count++;
			if (!least || strcmp(f->path, least) < 0)
				least = f->path;
			if (f->split && (!left || strcmp(f->path, left) < 0)) {
				left = f->path;
				left_split = f->split;
			}
		}
		for (size_t j = 0; j < n; j++) {
			const struct file *f = &files[j];

			if (f->content != files[i].content)
				continue;
			if (strcmp(f->path, least) != 0 && (!second || strcmp(f->path, second) < 0))
				second = f->path;
			if (f->split && f->split != left_split && (!right || strcmp(f->path, right) < 0))
				right = f->path;
		}
		for (size_t j = 0; j < t->count && !c; j++)
			if (!strcmp(t->v[j].path, least))
				c = &t->v[j];
		ck_assert_ptr_nonnull(c);
		ck_assert_uint_eq(c->files, count);
		ck_assert_int_eq(!c->places, !second);
		if (!second)
			continue;
		same_string(c->places->second, second);
		same_string(c->places->split_path[0], left);
		same_string(c->places->split_path[1], right);
	}
}

TEST(order_and_partition_do_not_show)
{
	enum { FILES = 60, PARTS = 3 };
	struct file files[FILES];

	chance_state = 1;
	for (int round = 0; round < 200; round++) {
		struct content_table whole, parts[PARTS];

		content_table_init(&whole);
		for (int p = 0; p < PARTS; p++)
			content_table_init(&parts[p]);
		make_files(files, FILES);
		for (size_t i = 0; i < FILES; i++)
			add(&whole, files[i].content, files[i].split, files[i].path);
		check_by_definition(&whole, files, FILES);
		shuffle(files, FILES);
		for (size_t i = 0; i < FILES; i++)
			add(&parts[chance(PARTS)], files[i].content, files[i].split, files[i].path);
		content_table_merge(&parts[1], &parts[2]);
		content_table_merge(&parts[0], &parts[1]);
		same(&whole, &parts[0]);
		ck_assert_uint_eq(parts[1].count, 0);
		content_table_release(&whole);
		for (int p = 0; p < PARTS; p++)
			content_table_release(&parts[p]);
	}
}

/* Written down and read back, as shards do. */
TEST(put_back)
{
	enum { FILES = 50 };
	struct file files[FILES];
	struct content_table t, copy;

	chance_state = 2;
	make_files(files, FILES);
	content_table_init(&t);
	content_table_init(&copy);
	for (size_t i = 0; i < FILES; i++)
		add(&t, files[i].content, files[i].split, files[i].path);
	content_table_sort(&t);
	content_table_limit(&copy, UINT64_MAX >> 1);
	for (size_t i = 0; i < t.count; i++)
		content_table_put(&copy, &t.v[i]);
	content_table_limit(&t, UINT64_MAX >> 1);
	ck_assert_uint_eq(content_table_share(&copy), 2);
	ck_assert_uint_gt(copy.count, 5);
	same(&t, &copy);
	for (size_t i = 0; i < FILES; i++) /* a sorted table takes more */
		add(&t, files[i].content, files[i].split, files[i].path);
	ck_assert_uint_eq(t.count, copy.count);
	content_table_release(&t);
	content_table_release(&copy);
}

/* The same contents forward, and backward in two parts of which only one is full. */
static void check_bounds(uint64_t contents, size_t path_bytes)
{
	struct content_table up, down, part;
	char *path = malloc(path_bytes + 1);
	uint64_t twice = 0;

	memset(path, 'x', path_bytes);
	path[path_bytes] = '\0';
	content_table_init(&up);
	content_table_init(&down);
	content_table_init(&part);
	for (uint64_t i = 0; i < contents + contents / 8; i++) {
		path[0] = (char)('0' + i / contents);
		add(&up, i % contents, 1 + (unsigned)(i / contents), path);
	}
	for (uint64_t i = contents + contents / 8; i-- > 0;) {
		path[0] = (char)('0' + i / contents);
		add(i % 4 ? &down : &part, i % contents, 1 + (unsigned)(i / contents), path);
	}
	content_table_merge(&part, &down);
	ck_assert_uint_gt(content_table_share(&up), 1);
	ck_assert_uint_le(up.count, DISTINCT_MASKS_MAX);
	ck_assert_uint_le(up.paths_bytes, DISTINCT_PATHS_MAX);
	same(&up, &part);
	/* a fair sample: an eighth is there twice, and was counted twice */
	for (size_t i = 0; i < up.count; i++)
		twice += up.v[i].files == 2;
	ck_assert_uint_gt(8 * twice, up.count * 9 / 10);
	ck_assert_uint_lt(8 * twice, up.count * 11 / 10);
	content_table_release(&up);
	content_table_release(&down);
	content_table_release(&part);
	free(path);
}

TEST(contents_are_bounded)
{
	check_bounds(DISTINCT_MASKS_MAX * 5 / 2, 8);
}

TEST(paths_are_bounded)
{
	check_bounds(20000, 3000);
}

TEST(as_many_as_there_is_room_for)
{
	struct content_table t;

	content_table_init(&t);
	for (uint64_t i = 0; i < DISTINCT_MASKS_MAX; i++)
		add(&t, i, 0, "a");
	ck_assert_uint_eq(t.count, DISTINCT_MASKS_MAX);
	ck_assert_uint_eq(content_table_share(&t), 1);
	add(&t, 5, 0, "b");
	ck_assert_uint_eq(t.count, DISTINCT_MASKS_MAX);
	add(&t, DISTINCT_MASKS_MAX, 0, "a");
	ck_assert_uint_eq(content_table_share(&t), 2);
	content_table_release(&t);
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

enum { THREADS = 4, OF_A_THREAD = 20000 };

struct adder {
	struct content_table *table;
	unsigned number;
};

static void *add_many(void *arg)
{
	const struct adder *a = arg;
	char path[32];

	for (unsigned i = 0; i < OF_A_THREAD; i++) {
		snprintf(path, sizeof(path), "%u/%u", a->number, i);
		add(a->table, i + 10000 * a->number, 1 + a->number, path);
	}
	return NULL;
}

TEST(many_threads)
{
	struct content_table together, alone;
	struct adder adders[THREADS];
	pthread_t threads[THREADS];

	content_table_init(&together);
	content_table_init(&alone);
	for (unsigned i = 0; i < THREADS; i++) {
		adders[i] = (struct adder){ &together, i };
		ck_assert_int_eq(pthread_create(&threads[i], NULL, add_many, &adders[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		struct adder one = { &alone, THREADS - 1 - i };

		pthread_join(threads[i], NULL);
		add_many(&one);
	}
	same(&together, &alone);
	content_table_release(&together);
	content_table_release(&alone);
}

/* Two workers with a table of one owner. */
TEST(borrowed_by_workers)
{
	struct dataset_stats total, workers[2];
	struct settings settings = { 0 };
	struct sample sample = { .format = FORMAT_PNG };
	struct label_stats stats = { .labels = 2, .width = 2, .height = 1, .ids_count = 2, .content = { 5, 6 } };
	const struct id_stats ids[2] = { { .id = 0, .labels = 1 }, { .id = 1, .labels = 1 } };

	class_set_init(&settings.classes);
	class_set_finish(&settings.classes);
	dataset_init(&total);
	for (int i = 0; i < 2; i++) {
		dataset_init(&workers[i]);
		dataset_borrow_contents(&workers[i], &total);
		sample.path = i ? "b" : "a";
		dataset_add(&workers[i], &settings, &sample, &stats, ids, false);
	}
	stats.ids_count = 1; /* blank */
	stats.content[0] = 7;
	dataset_add(&workers[0], &settings, &sample, &stats, ids, false);
	for (int i = 0; i < 2; i++)
		dataset_merge(&total, &workers[i]);
	ck_assert_uint_eq(only(total.contents[CONTENT_MASKS])->files, 2);
	ck_assert_str_eq(only(total.contents[CONTENT_MASKS])->places->second, "b");
	dataset_release(&total);
	class_set_release(&settings.classes);
}

TIMEOUT(60)
