/* cache.h and cache_record.h: what comes back, what does not, and what a damaged or wrong cache leads to. */
#include <dirent.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "cache/cache.h"
#include "cache/cache_file.h"
#include "cache/cache_record.h"
#include "check_main.h"

static char folder[] = "/tmp/labelaudit-cache-XXXXXX";
static struct settings settings;
static struct batch batch; /* what is taken */
static struct stat state;  /* of a file that was changed long ago */
static struct error err;
static uint8_t palette[256 * 3];

enum { IDS = 40 };
static struct id_stats rows[IDS];
static struct batch_item measured;

/* A palette mask of that many ids, with 1, 2, 3 ... pixels each; every field is set to something that can be. */
static void make_item(unsigned ids)
{
	struct label_stats *m = &measured.stats;
	struct sample *s = &measured.sample;
	const uint32_t width = ids % 2 ? (ids + 1) / 2 : ids + 1, height = ids % 2 ? ids : ids / 2;

	memset(&measured, 0, sizeof(measured));
	m->labels = (uint64_t)width * height;
	m->width = width;
	m->height = height;
	m->neighbours = 1;
	m->min = 2;
	m->max = ids + 1;
	m->ids_count = ids;
	m->raw_used[0] = (((uint64_t)1 << ids) - 1) << 2;
	m->content[0] = UINT64_MAX;
	m->content[1] = 0x5a5a5a5a5a5a5a5a;
	memset(rows, 0, sizeof(rows));
	for (unsigned i = 0; i < ids; i++) {
		rows[i].id = i + 2;
		rows[i].labels = i + 1;
		rows[i].first_index = NO_INDEX;
	}
	if (ids >= 5) {
		m->edges[0] = 4;
		m->edges[1] = 3;
		m->wide_edges[0] = 2;
		m->long_between[1] = 1;
		m->between_pixels = 2;
		m->worst = (struct worst_place){ (uint64_t)5 << 48 | (WORST_INDEX_MASK - 4) << 1 | 1, 2, 4, 7 };
		rows[1].thin = 4;
		rows[1].lone[0] = rows[1].between[0] = 2;
		rows[1].lone[1] = rows[1].between[1] = 1;
		rows[2].first_index = width + 1;
		rows[2].x0 = rows[2].y0 = 1;
		rows[2].x1 = width - 1;
		rows[2].y1 = 2;
	}
	s->path = "a.png";
	s->format = FORMAT_PNG;
	s->status = SAMPLE_READ;
	s->file_bytes = 77;
	s->png = (struct png_header){ width, height, 8, PNG_PALETTE, 1, 1, true, 256, { { 0 } } };
	for (unsigned i = 2; i < ids + 2; i++) /* the colours in use */
		memcpy(s->png.palette[i], palette + 3 * i, 3);
	fault_clear(&s->fault);
	fault_clear(&s->warning);
	fault_set(&s->warning, FAULT_MALFORMED, 9, "warning");
}

/* An RGB image of that many colours, with 1, 2, 3 ... pixels each. */
static void make_colours(unsigned colours)
{
	make_item(colours);
	struct label_stats *m = &measured.stats;
	const uint64_t n = m->labels;

	memset(m, 0, sizeof(*m));
	memset(rows, 0, sizeof(rows));
	m->colours = 1;
	m->ids_count = colours;
	m->width = measured.sample.png.width;
	m->height = measured.sample.png.height;
	m->channels = (struct channel_stats){ n, 3, 2, 1, 4, 255, 7, 9, 0 };
	for (unsigned i = 0; i < colours; i++)
		rows[i] = (struct id_stats){ .id = i * 1000, .labels = i + 1, .first_index = NO_INDEX };
	measured.sample.png.colour_type = PNG_RGBA;
	measured.sample.png.channels = 4;
	memset(measured.sample.png.palette, 0, sizeof(measured.sample.png.palette));
}

static void fail_item(void)
{
	make_item(5);
	measured.sample.status = SAMPLE_FAILED;
	memset(measured.sample.png.palette, 0, sizeof(measured.sample.png.palette));
	memset(&measured.stats, 0, sizeof(measured.stats));
	fault_set(&measured.sample.fault, FAULT_TRUNCATED, 123, "the file ends");
}

static void setup(void)
{
	umask(022);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	class_set_init(&settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&settings.classes, "21", &err), STATUS_OK);
	class_set_finish(&settings.classes);
	for (size_t i = 0; i < sizeof(palette); i++)
		palette[i] = (uint8_t)(i * 7);
	state = (struct stat){
		.st_dev = 1, .st_ino = 1000, .st_size = 77, .st_mtim = { -1000, 5 }, .st_ctim = { 2000, 6 }
	};
	batch_init(&batch);
	log_set_verbosity(-1);
	memset(&err, 0, sizeof(err));
}

static void teardown(void)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;

	while ((e = readdir(dir)))
		unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
	rmdir(folder);
	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
	batch_release(&batch);
	class_set_release(&settings.classes);
}

/* An audit that measures the current item. */
static void put(void)
{
	struct cache *c = cache_open(&settings, folder);
	struct cache_reader r;

	ck_assert_ptr_nonnull(c);
	cache_reader_open(&r, c);
	cache_put(&r, &state, &measured.sample, &measured.stats, rows);
	cache_reader_close(&r);
	cache_close(c);
}

/* Another one that asks for it. */
static bool take(void)
{
	struct cache *c = cache_open(&settings, folder);
	struct cache_reader r;

	batch_clear(&batch);
	cache_reader_open(&r, c);
	bool taken = cache_take(&r, &state, &batch, batch_add(&batch));

	cache_reader_close(&r);
	cache_close(c);
	return taken;
}

static void expect_same(void)
{
	const struct batch_item *got = &batch.items[0];
	struct label_stats stats = got->stats;

	stats.ids_at = 0;
	ck_assert_mem_eq(&stats, &measured.stats, sizeof(stats));
	ck_assert_int_eq(got->sample.status, measured.sample.status);
	ck_assert_int_eq(got->sample.format, FORMAT_PNG);
	ck_assert_uint_eq(got->sample.file_bytes, 77);
	ck_assert_mem_eq(&got->sample.png, &measured.sample.png, sizeof(got->sample.png));
	ck_assert_str_eq(got->sample.fault.text, measured.sample.fault.text);
	ck_assert_uint_eq(got->sample.fault.offset, measured.sample.fault.offset);
	ck_assert_str_eq(got->sample.warning.text, measured.sample.warning.text);
	for (size_t i = 0; i < got->stats.ids_count; i++)
		ck_assert_mem_eq(&batch.ids[got->stats.ids_at + i], &rows[i], sizeof(rows[i]));
}

TEST(comes_back_exactly)
{
	for (unsigned ids = 8; ids <= IDS; ids += 8) {
		make_item(ids);
		put();
		ck_assert(take());
		expect_same();
	}
	make_colours(IDS);
	put();
	ck_assert(take());
	expect_same();
	make_colours(IDS);
	measured.stats.channels.colours_cut = 1;
	measured.stats.ids_count = 0;
	put();
	ck_assert(take());
	expect_same();
	fail_item();
	put();
	ck_assert(take());
	expect_same();
}

TEST(another_state_is_another_file)
{
	make_item(3);
	put();
	const struct stat first = state;
	struct stat others[7];

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		others[i] = first;
	others[0].st_size++;
	others[1].st_mtim.tv_nsec++;
	others[2].st_mtim.tv_sec--;
	others[3].st_ctim.tv_nsec--;
	others[4].st_ctim.tv_sec++;
	others[5].st_ino++;
	others[6].st_dev++;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		state = others[i];
		ck_assert_msg(!take(), "difference %zu was not seen", i);
		ck_assert_int_eq(batch.items[0].sample.format, FORMAT_NONE);
		ck_assert_uint_eq(batch.items[0].stats.labels, 0);
	}
	state = first;
	ck_assert(take());
}

/* As git's racily clean entries: it may change again within one tick of its times. */
TEST(new_files_are_not_trusted)
{
	struct timespec now;

	make_item(3);
	clock_gettime(CLOCK_REALTIME, &now);
	state.st_ctim = now;
	put();
	ck_assert(!take());
	state.st_ctim.tv_sec -= 60;
	state.st_mtim.tv_sec = now.tv_sec + 100; /* a clock that goes wrong */
	put();
	ck_assert(!take());
	state.st_mtim.tv_sec = now.tv_sec - 60;
	put();
	ck_assert(take());
}

TEST(what_depends_on_the_day_is_not_kept)
{
	fail_item();
	fault_clear(&measured.sample.fault);
	fault_set(&measured.sample.fault, FAULT_LIMIT, 0, "no memory");
	put();
	ck_assert(!take());
	fault_clear(&measured.sample.fault);
	fault_set(&measured.sample.fault, FAULT_UNREADABLE, 0, "cannot read");
	put();
	ck_assert(!take());
}

/* No byte can be changed, cut or added without being seen. */
TEST(damaged_records)
{
	struct strbuf record = STRBUF_INIT;
	bool damaged;

	make_item(5);
	cache_record_encode(&state, &measured.sample, &measured.stats, rows, &record);
	ck_assert_uint_lt(record.len, sizeof(struct label_stats) * 10 / 8 + 500); /* seven bits a byte, at the worst */
	uint8_t *bytes = xmalloc(record.len + 1);

	memcpy(bytes, record.s, record.len);
	batch_add(&batch);
	ck_assert(cache_record_decode(bytes, record.len, &state, &batch, &batch.items[0], &damaged));
	for (size_t n = 0; n < record.len; n++) {
		ck_assert(!cache_record_decode(bytes, n, &state, &batch, &batch.items[0], &damaged));
		ck_assert(damaged);
		bytes[n] ^= 0x41;
		ck_assert(!cache_record_decode(bytes, record.len, &state, &batch, &batch.items[0], &damaged));
		ck_assert(damaged);
		bytes[n] ^= 0x41;
	}
	free(bytes);
	strbuf_release(&record);
}

static void mend_checksum(uint8_t *record, size_t n)
{
	uint32_t crc = libdeflate_crc32(0, record + sizeof(crc), n - sizeof(crc));

	memcpy(record, &crc, sizeof(crc));
}

/* Decodes what somebody has written, checksum and all. Bytes that are no record leave no rows. */
static bool decode_forged(uint8_t *bytes, size_t n)
{
	struct batch got;
	bool damaged;

	mend_checksum(bytes, n);
	batch_init(&got);
	struct batch_item *item = batch_add(&got);
	bool decoded = cache_record_decode(bytes, n, &state, &got, item, &damaged);

	ck_assert_uint_eq(got.ids_count, decoded && item->sample.status == SAMPLE_READ ? item->stats.ids_count : 0);
	batch_release(&got);
	return decoded;
}

/* Every byte replaced, and the end cut or longer, with a right checksum. */
TEST(forged_records)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x02, 0x7f, 0x80, 0xfe, 0xff };
	struct strbuf record = STRBUF_INIT;
	size_t decoded = 0;

	for (int failed = 0; failed <= 1; failed++) {
		if (failed)
			fail_item();
		else
			make_item(5);
		strbuf_clear(&record);
		cache_record_encode(&state, &measured.sample, &measured.stats, rows, &record);
		uint8_t *bytes = xmalloc(record.len + 1);

		memcpy(bytes, record.s, record.len);
		for (size_t n = sizeof(uint32_t); n < record.len; n++) {
			ck_assert(!decode_forged(bytes, n));
			for (size_t i = 0; i < sizeof(values); i++) {
				bytes[n] = values[i];
				decoded += decode_forged(bytes, record.len);
			}
			bytes[n] = (uint8_t)record.s[n];
		}
		bytes[record.len] = 0;
		ck_assert(!decode_forged(bytes, record.len + 1));
		ck_assert(decode_forged(bytes, record.len));
		free(bytes);
	}
	ck_assert_uint_gt(decoded, 0); /* other counts and places are as good as the true ones */
	strbuf_release(&record);
}

/* Calls act with the path of each database. */
static void each_database(void (*act)(const char *path))
{
	char path[512];
	DIR *dir = opendir(folder);
	const struct dirent *e;

	while ((e = readdir(dir))) {
		size_t n = strlen(e->d_name);

		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (n > 6 && !strcmp(e->d_name + n - 6, ".cache"))
			act(path);
	}
	closedir(dir);
}

/* Makes the file of three GiB, and lets it say so: its last key has where it ends (cache/cache_file.h). */
static void make_huge(const char *path)
{
	const struct cache_key last = { INT64_MAX, UINT64_C(3) << 30 };
	int fd = open(path, O_RDWR);
	uint64_t head[2];

	ck_assert_int_eq(ftruncate(fd, (off_t)last.at), 0);
	ck_assert_int_eq(pread(fd, head, sizeof(head), 0), sizeof(head));
	ck_assert_int_eq(pwrite(fd, &last, sizeof(last), (off_t)(sizeof(head) + head[1] * sizeof(last))), sizeof(last));
	close(fd);
}

TEST(large_databases_are_made_anew)
{
	make_item(3);
	put();
	ck_assert(take());
	each_database(make_huge);
	ck_assert(!take());
	put();
	ck_assert(take());
	expect_same();
}

static void find_database(char path[512])
{
	DIR *dir = opendir(folder);
	const struct dirent *e;

	path[0] = '\0';
	while ((e = readdir(dir)))
		if (strstr(e->d_name, ".cache"))
			snprintf(path, 512, "%s/%s", folder, e->d_name);
	closedir(dir);
	ck_assert(path[0]);
}

/* Workers that have masks of several palettes, and of none, at the same time. */
enum { WORKERS = 8, FILES = 30000 };

/* A file's palette: of its number modulo 3; 0: it has none. */
static struct sample sample_of(unsigned number)
{
	struct sample s = measured.sample;

	if (number % 3 == 0)
		s.png = (struct png_header){ s.png.width, s.png.height, 8, PNG_GREY, 0, 1, false, 0, { { 0 } } };
	else
		s.png.palette[2][0] = (uint8_t)(number % 3);
	return s;
}

static void *put_many(void *arg)
{
	struct cache_reader r;
	static _Atomic unsigned next;

	cache_reader_open(&r, arg);
	for (unsigned n; (n = next++) < FILES;) {
		const struct sample s = sample_of(n);
		struct stat st = state;

		st.st_ino = n;
		cache_put(&r, &st, &s, &measured.stats, rows);
	}
	cache_reader_close(&r);
	return NULL;
}

TEST(palettes_of_several_workers)
{
	pthread_t threads[WORKERS];

	make_item(8);
	struct cache *c = cache_open(&settings, folder);

	for (unsigned i = 0; i < WORKERS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, put_many, c), 0);
	for (unsigned i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	cache_close(c);
	c = cache_open(&settings, folder);
	struct cache_reader r;

	cache_reader_open(&r, c);
	for (unsigned n = 0; n < FILES; n++) {
		const struct sample s = sample_of(n);
		struct stat st = state;

		st.st_ino = n;
		batch_clear(&batch);
		struct batch_item *item = batch_add(&batch);

		ck_assert(cache_take(&r, &st, &batch, item));
		ck_assert_mem_eq(&item->sample.png, &s.png, sizeof(s.png));
	}
	cache_reader_close(&r);
	cache_close(c);
}

/* Whatever byte of the file is wrong, and wherever it ends: nothing else is taken, and the next audit makes it anew. */
TEST(damaged_file)
{
	char path[512];
	uint8_t bytes[4096], byte;
	struct stat st;

	make_item(3);
	put();
	find_database(path);
	int fd = open(path, O_RDWR);

	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_lt(st.st_size, (off_t)sizeof(bytes));
	ck_assert_int_eq(pread(fd, bytes, sizeof(bytes), 0), st.st_size);
	for (off_t i = 0; i < st.st_size; i++) {
		byte = bytes[i] ^ 0x81;
		ck_assert_int_eq(pwrite(fd, &byte, 1, i), 1);
		ck_assert_msg(!take(), "byte %d", (int)i);
		ck_assert_int_eq(pwrite(fd, &bytes[i], 1, i), 1);
	}
	ck_assert(take());
	expect_same();
	for (off_t n = st.st_size - 1; n >= 0; n--) {
		ck_assert_int_eq(ftruncate(fd, n), 0);
		ck_assert_msg(!take(), "%d bytes", (int)n);
	}
	close(fd);
	put();
	ck_assert(take());
	expect_same();
}

/* Records of several audits, in any order of their keys, new ones in place of old ones. */
TEST(many_records)
{
	enum { ROUNDS = 3, EACH = 1500 };
	const uint64_t first = state.st_ino;

	make_item(3);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct cache *c = cache_open(&settings, folder);
		struct cache_reader r;

		cache_reader_open(&r, c);
		for (unsigned i = 0; i < EACH; i++) {
			state.st_ino = first + (i * 7919 + round * 500) % 3000;
			measured.stats.content[1] = state.st_ino + round;
			cache_put(&r, &state, &measured.sample, &measured.stats, rows);
		}
		cache_reader_close(&r);
		cache_close(c);
	}
	for (unsigned i = 0; i < EACH; i += 10) {
		state.st_ino = first + (i * 7919 + (ROUNDS - 1) * 500) % 3000;
		measured.stats.content[1] = state.st_ino + ROUNDS - 1;
		ck_assert_msg(take(), "%u", i);
		expect_same();
	}
	state.st_ino = first;
}

static struct cache *open_it(void)
{
	return cache_open(&settings, folder);
}

/* Two audits at once, as of shards: what each has measured stays, whichever ends first. */
TEST(two_at_once)
{
	const uint64_t first = state.st_ino;
	struct cache *c[2] = { cache_open(&settings, folder), cache_open(&settings, folder) };
	struct cache_reader r;

	make_item(3);
	for (unsigned i = 0; i < 2; i++) {
		state.st_ino = first + i;
		cache_reader_open(&r, c[i]);
		cache_put(&r, &state, &measured.sample, &measured.stats, rows);
		cache_reader_close(&r);
	}
	for (unsigned i = 0; i < 2; i++)
		cache_close(c[i]);
	for (unsigned i = 0; i < 2; i++) {
		state.st_ino = first + i;
		ck_assert_msg(take(), "%u", i);
	}
	state.st_ino = first;
}

/* A user who can put a file into the folder could hide a bad mask. */
TEST(folder_of_others)
{
	static const mode_t modes[] = { 0777, 01777, 0770, 0720, 0702 };

	make_item(5);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		ck_assert_int_eq(chmod(folder, modes[i]), 0);
		ck_assert_msg(!open_it(), "%o", modes[i]);
	}
	ck_assert_int_eq(chmod(folder, 0755), 0);
	put();
	ck_assert(take());
	if (geteuid() == 0) { /* only root gives files away */
		ck_assert_int_eq(chown(folder, 65534, 65534), 0);
		ck_assert(!open_it());
		ck_assert_int_eq(chown(folder, 0, 0), 0);
		ck_assert(take());
	}
}

/* Returns whether put() left the file as it was. */
static bool stays(const char *path)
{
	struct stat before, after;

	ck_assert_int_eq(lstat(path, &before), 0);
	put();
	return lstat(path, &after) == 0 && after.st_ino == before.st_ino && after.st_size == before.st_size &&
	       after.st_mtim.tv_nsec == before.st_mtim.tv_nsec;
}

TEST(database_of_others)
{
	char path[512];

	make_item(5);
	put();
	find_database(path);
	int fd = open(path, O_WRONLY);

	ck_assert_int_eq(fchmod(fd, 0660), 0);
	ck_assert(!take());
	ck_assert(stays(path));
	ck_assert_int_eq(fchmod(fd, 0600), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(fchown(fd, 65534, 65534), 0);
		ck_assert(!take());
		ck_assert(stays(path));
		ck_assert_int_eq(fchown(fd, 0, 0), 0);
	}
	close(fd);
	ck_assert(take());
}

/* Another folder takes its name while the audit runs: the checked one is used. */
TEST(folder_is_held)
{
	char moved[sizeof(folder) + 8], path[512];
	struct cache *c = open_it();
	struct cache_reader r;

	make_item(5);
	snprintf(moved, sizeof(moved), "%s.moved", folder);
	ck_assert_int_eq(rename(folder, moved), 0);
	ck_assert_int_eq(mkdir(folder, 0777), 0);
	cache_reader_open(&r, c);
	cache_put(&r, &state, &measured.sample, &measured.stats, rows);
	cache_reader_close(&r);
	cache_close(c);
	ck_assert_int_eq(rmdir(folder), 0); /* nothing is in it */
	ck_assert_int_eq(rename(moved, folder), 0);
	find_database(path);
	ck_assert(take());
	expect_same();
}

TEST(few_databases_are_kept)
{
	DIR *dir;
	const struct dirent *e;
	size_t count = 0;

	make_item(3);
	for (unsigned i = 0; i < CACHE_FILES_MAX + 5; i++) {
		settings.limits.max_pixels = i + 1;
		put();
	}
	ck_assert(take()); /* the newest one */
	dir = opendir(folder);
	while ((e = readdir(dir)))
		count += strstr(e->d_name, ".cache") != NULL;
	closedir(dir);
	ck_assert_uint_eq(count, CACHE_FILES_MAX);
	settings.limits.max_pixels = 0;
}

TEST(folders_and_paths)
{
	char path[512];

	ck_assert(cache_is_folder(folder)); /* empty */
	snprintf(path, sizeof(path), "%s/absent", folder);
	ck_assert(cache_is_folder(path));
	make_item(3);
	put();
	ck_assert(cache_is_folder(folder)); /* a cache */
	snprintf(path, sizeof(path), "%s/CACHEDIR.TAG", folder);
	ck_assert(!cache_is_folder(path)); /* a file */
	ck_assert_int_eq(unlink(path), 0);
	ck_assert(!cache_is_folder(folder)); /* something else */
}

TIMEOUT(60)
FIXTURE(setup, teardown)
