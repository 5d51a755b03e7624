/*
 * Archives in find/: members come out as they went in, whichever program packed them and however they are drawn; broken
 * archives end in faults, and all before the damage is intact (tests/property/packed.py: nothing is lost in silence).
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"

#include "archive_drawn.h"
#include "archive_maker.h"
#include "effort.h"

enum { MEMBERS = 40, LARGE = UNIT_MEMBER_MAX + 100000 };

static struct maker maker;
static struct drawn drawn;

static void setup(void)
{
	tree_enter();
	memset(&drawn, 0, sizeof(drawn));
}

static void teardown(void)
{
	drawn_release(&drawn);
	maker_release(&maker);
	tree_leave();
}

/*
 * Makes the content of the i-th member: sizes around blocks and buffers, bytes that differ and compress badly. Large
 * ones come once, since their packers take most of the time.
 */
static size_t make_bytes(unsigned i, uint8_t *out)
{
	static const size_t sizes[] = { 0, 1, 511, 512, 513, 5000, 70000, 262144, 300001, 1024 };
	size_t n = i < 10 ? sizes[i] : sizes[i % 10] % 20011;
	uint32_t random = i + 1;

	for (size_t at = 0; at < n; at++) {
		random = random * 1103515245U + 12345U;
		out[at] = (uint8_t)(random >> 16);
	}
	return n;
}

static void make_name(unsigned i, char *out, size_t room)
{
	if (i % 7 == 3) /* longer than ustar's name field, with a place to be split */
		snprintf(out, room, "masks/%0*d/%04u.png", 90, 7, i);
	else
		snprintf(out, room, "masks/%04u.png", i);
}

static void add_members(void)
{
	uint8_t *bytes = xmalloc(400000);
	char name[256];

	for (unsigned i = 0; i < MEMBERS; i++) {
		make_name(i, name, sizeof(name));
		maker_add(&maker, name, bytes, make_bytes(i, bytes));
	}
	free(bytes);
}

static void expect_members(const struct drawn *d)
{
	uint8_t *bytes = xmalloc(400000);
	char name[256];

	ck_assert_uint_eq(d->count, MEMBERS);
	for (unsigned i = 0; i < MEMBERS; i++) {
		const struct drawn_entry *e = &d->v[i];

		make_name(i, name, sizeof(name));
		ck_assert_msg(!e->failed, "%s: %s", name, e->fault.text);
		ck_assert_str_eq(e->member, name);
		ck_assert_uint_eq(e->len, make_bytes(i, bytes));
		ck_assert_uint_eq(e->size, e->len);
		ck_assert(!memcmp(e->bytes, bytes, e->len));
		ck_assert(i == 0 || e->unit >= d->v[i - 1].unit);
	}
	free(bytes);
}

static struct drawn draw_file(const char *path, size_t max)
{
	const char *const paths[] = { path };
	const struct find_options o = { .paths = paths, .paths_count = 1, .limits = { 0, 0, 200 } };

	return draw(&o, max);
}

static struct drawn draw_bytes(const char *path, const void *bytes, size_t n)
{
	write_file(path, bytes, n);
	return draw_file(path, 32);
}

/* ---- what is packed comes out ------------------------------------------------------------------------------------ */

static const struct {
	const char *format, *packing, *path;
} kinds[] = {
	{ "ustar", "none", "a.tar" },
	{ "ustar", "gzip", "a.tar.gz" },
	{ "ustar", "bzip2", "a.tar.bz2" },
	{ "ustar", "xz", "a.txz" },
	{ "ustar", "zstd", "a.tar.zst" },
	{ "zip", "store", "a.zip" },
	{ "zip", "deflate", "a.zip" },
	/* recognised by content alone, as it was named */
	{ "ustar", "none", "shard" },
	{ "ustar", "gzip", "shard.gz" },
	{ "zip", "deflate", "shard.bin" },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void make_kind(int i)
{
	maker_begin(&maker, kinds[i].format, kinds[i].packing);
	add_members();
	maker_end(&maker);
}

TEST_EACH(members_come_out_as_they_went_in, KINDS)
{
	make_kind(_i);
	write_file(kinds[_i].path, maker.bytes, maker.size);
	drawn = draw_file(kinds[_i].path, 32);
	expect_members(&drawn);
	for (size_t max = 1; max < 100; max = effort(13, 3) * max + 1) {
		struct drawn again = draw_file(kinds[_i].path, max);

		expect_members(&again);
		drawn_release(&again);
	}
}

/* ---- large members ----------------------------------------------------------------------------------------------- */

/* In runs, which every packer is fast at. */
static uint8_t *large_bytes(void)
{
	uint8_t *bytes = xmalloc(LARGE);

	for (size_t i = 0; i < LARGE; i++)
		bytes[i] = (uint8_t)(i / 256 * 2654435761U >> 24);
	return bytes;
}

TEST_EACH(large_members_are_streams_of_their_own, 6)
{
	uint8_t *bytes = large_bytes();

	maker_begin(&maker, kinds[_i + 1].format, kinds[_i + 1].packing);
	maker_add(&maker, "a", "1", 1);
	maker_add(&maker, "b", bytes, LARGE);
	maker_add(&maker, "c", bytes, UNIT_MEMBER_MAX);
	maker_add(&maker, "d", "4", 1);
	maker_end(&maker);
	drawn = draw_bytes(kinds[_i + 1].path, maker.bytes, maker.size);
	ck_assert_uint_eq(drawn.count, 4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_msg(!drawn.v[i].failed, "%zu: %s", i, drawn.v[i].fault.text);
	ck_assert(drawn.v[1].streamed && !drawn.v[2].streamed);
	ck_assert_uint_eq(drawn.v[1].len, LARGE);
	ck_assert(!memcmp(drawn.v[1].bytes, bytes, LARGE));
	ck_assert_uint_eq(drawn.v[2].len, UNIT_MEMBER_MAX);
	ck_assert(!memcmp(drawn.v[2].bytes, bytes, UNIT_MEMBER_MAX));
	ck_assert_uint_ne(drawn.v[0].unit, drawn.v[1].unit);
	ck_assert_uint_ne(drawn.v[1].unit, drawn.v[2].unit);
	ck_assert(drawn.v[3].len == 1 && drawn.v[3].bytes[0] == '4');
	free(bytes);
}

/* A zip's directory declares what a member unpacks to, before it is unpacked: members that fit are read. */
TEST(zip_members_within_the_limit)
{
	const char *const paths[] = { "a.zip" };
	static const uint8_t zeros[5001];
	const struct find_options o = { .paths = paths, .paths_count = 1, .limits = { .max_inflated = 5000 } };
	struct error err = ERROR_INIT;
	struct source *source;
	struct work_unit unit;

	maker_begin(&maker, "zip", "deflate");
	maker_add(&maker, "a", zeros, 5000);
	maker_add(&maker, "b", zeros, 5001);
	maker_end(&maker);
	write_file("a.zip", maker.bytes, maker.size);
	ck_assert_int_eq(source_open(&source, &o, &err), STATUS_OK);
	work_unit_init(&unit);
	ck_assert_int_eq(source_draw(source, &unit, 8, &err), STATUS_OK);
	ck_assert_uint_eq(unit.count, 2);
	ck_assert(!unit.entries[0].failed && unit.entries[0].bytes_len == 5000);
	ck_assert(unit.entries[1].failed && unit.entries[1].fault.kind == FAULT_LIMIT);
	ck_assert_str_eq(unit.entries[1].fault.text, "unpacks to 5001 bytes; the limit is 5000 (--max-inflated)");
	work_unit_release(&unit);
	source_close(source);
}

/* A stream that nobody reads is skipped; the members after it are still right. */
TEST_EACH(an_unread_stream_loses_nothing, 7)
{
	uint8_t *bytes = large_bytes();
	const char *const paths[] = { kinds[_i].path };
	const struct find_options o = { .paths = paths, .paths_count = 1 };
	struct error err = ERROR_INIT;
	struct source *source;
	struct work_unit unit;

	maker_begin(&maker, kinds[_i].format, kinds[_i].packing);
	maker_add(&maker, "b", bytes, LARGE);
	maker_add(&maker, "c", "c", 1);
	maker_end(&maker);
	free(bytes);
	write_file(kinds[_i].path, maker.bytes, maker.size);
	ck_assert_int_eq(source_open(&source, &o, &err), STATUS_OK);
	work_unit_init(&unit);
	ck_assert_int_eq(source_draw(source, &unit, 8, &err), STATUS_OK);
	ck_assert_uint_eq(unit.count, 1);
	ck_assert_ptr_nonnull(unit.entries[0].stream);
	work_unit_clear(&unit);
	ck_assert_int_eq(source_draw(source, &unit, 8, &err), STATUS_OK);
	ck_assert_uint_eq(unit.count, 1);
	ck_assert_str_eq(unit.entries[0].member, "c");
	ck_assert_uint_eq(unit.entries[0].bytes[0], 'c');
	work_unit_release(&unit);
	source_close(source);
}

/* A thread that waits for a stream to end goes on when the source is stopped. */
static void *draw_once(void *arg)
{
	struct error err = ERROR_INIT;
	struct work_unit unit;

	work_unit_init(&unit);
	source_draw(arg, &unit, 3, &err);
	bool empty = !unit.count;

	work_unit_release(&unit);
	return empty ? arg : NULL;
}

TEST(stopping_ends_the_wait_for_a_stream)
{
	const char *const paths[] = { "a.tar" };
	const struct find_options o = { .paths = paths, .paths_count = 1 };
	struct error err = ERROR_INIT;
	uint8_t *bytes = large_bytes();
	struct source *source;
	pthread_t thread;
	struct work_unit unit;
	void *result;

	maker_begin(&maker, "ustar", "none");
	maker_add(&maker, "a", bytes, LARGE);
	maker_add(&maker, "b", bytes, 1);
	maker_end(&maker);
	free(bytes);
	write_file("a.tar", maker.bytes, maker.size);
	ck_assert_int_eq(source_open(&source, &o, &err), STATUS_OK);
	work_unit_init(&unit);
	ck_assert_int_eq(source_draw(source, &unit, 3, &err), STATUS_OK);
	ck_assert_int_eq(pthread_create(&thread, NULL, draw_once, source), 0);
	usleep(20000);
	source_stop(source);
	pthread_join(thread, &result);
	ck_assert_ptr_eq(result, source);
	work_unit_release(&unit);
	source_close(source);
}

/* ---- where archives are found ------------------------------------------------------------------------------------ */

static void make_small(const char *path, const char *format)
{
	maker_begin(&maker, format, strcmp(format, "zip") ? "none" : "deflate");
	maker_add(&maker, "m/a.png", "a", 1);
	maker_add(&maker, "m/b.txt", "b", 1);
	maker_end(&maker);
	write_file(path, maker.bytes, maker.size);
	maker_release(&maker);
}

/* "path#member\n" of all that were not left out, "!" before a failed one. */
static void expect_names(const char *wanted)
{
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < drawn.count; i++)
		if (!drawn.v[i].skip_reason)
			strbuf_addf(&names, "%s%s%s%s\n", drawn.v[i].failed ? "!" : "", drawn.v[i].path,
				    drawn.v[i].member ? "#" : "", drawn.v[i].member ? drawn.v[i].member : "");
	ck_assert_str_eq(names.s, wanted);
	strbuf_release(&names);
}

TEST(a_walk_expands_what_its_name_and_content_say)
{
	struct find_options o = options_here();

	make_small("1.tar", "ustar");
	make_small("2.npz", "zip"); /* one label file to its own reader */
	make_small("3", "ustar");
	make_small("4.zip", "zip");
	write_file("5.tar", "only words, but more than enough of them for a header of a tar", 62);
	write_file("6.zip", "", 0);
	drawn = draw(&o, 32);
	expect_names("./1.tar#m/a.png\n./1.tar#m/b.txt\n./2.npz#m/a.png\n./2.npz#m/b.txt\n./3\n./4.zip#m/a.png\n./"
		     "4.zip#m/b.txt\n!./5.tar\n"
		     "./6.zip\n");
	ck_assert_uint_lt(drawn.v[1].unit, drawn.v[2].unit);
	ck_assert_uint_lt(drawn.v[3].unit, drawn.v[4].unit);
}

TEST(filters_see_members)
{
	static const char *const png[] = { "*.png" }, *const folder[] = { "m/" }, *const text[] = { "/m/*.txt" };
	const char *const paths[] = { "1.tar" };
	struct find_options o = { .paths = paths, .paths_count = 1, .include = png, .include_count = 1 };

	make_small("1.tar", "ustar");
	drawn = draw(&o, 32);
	expect_names("1.tar#m/a.png\n");
	drawn_release(&drawn);
	o.include_count = 0;
	o.exclude = text;
	o.exclude_count = 1;
	drawn = draw(&o, 32);
	expect_names("1.tar#m/a.png\n");
	drawn_release(&drawn);
	o.exclude = folder;
	drawn = draw(&o, 32);
	expect_names("");
	drawn_release(&drawn);
	/* in a walk, --include chose the archive itself */
	static const char *const tar[] = { "*.tar" };
	struct find_options walk = options_here();

	walk.include = tar;
	walk.include_count = 1;
	drawn = draw(&walk, 32);
	expect_names("./1.tar#m/a.png\n./1.tar#m/b.txt\n");
}

TEST(archives_in_archives_stay_shut)
{
	maker_begin(&maker, "ustar", "none");
	maker_add(&maker, "a", "a", 1);
	maker_end(&maker);
	struct maker outer;

	maker_begin(&outer, "zip", "deflate");
	maker_add(&outer, "inner.tar", maker.bytes, maker.size);
	maker_end(&outer);
	drawn = draw_bytes("outer.zip", outer.bytes, outer.size);
	expect_names("outer.zip#inner.tar\n");
	maker_release(&outer);
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

enum { FEW = 5, SIZE = 700 };

/* Five members of 700 bytes each: a byte and its like. */
static void make_few(void)
{
	char name[8] = "m0.png", bytes[SIZE];

	maker_begin(&maker, "ustar", "none");
	for (int i = 0; i < FEW; i++) {
		name[1] = (char)('0' + i);
		memset(bytes, 'A' + i, SIZE);
		maker_add(&maker, name, bytes, SIZE);
	}
	maker_end(&maker);
}

/* Returns how many members came out as they went in; asserts that none came out otherwise. *said: a fault or flaw. */
static size_t whole_members(const struct drawn *d, bool *said)
{
	size_t whole = 0;

	*said = false;
	for (size_t i = 0; i < d->count; i++) {
		const struct drawn_entry *e = &d->v[i];

		*said |= e->failed || !e->member; /* the archive itself, or what is none, which its reader rejects */
		ck_assert_msg(!e->failed || (e->fault.kind != FAULT_NONE && e->fault.text[0]), "fault without words");
		if (e->failed || !e->member || e->member[0] != 'm' || e->len != SIZE)
			continue;
		bool same = true;

		for (size_t at = 0; at < SIZE; at++)
			same &= e->bytes[at] == 'A' + (e->member[1] - '0');
		whole += same;
	}
	return whole;
}

/* Cut anywhere: the members in front of the cut are whole, and something is said unless only padding is gone. */
TEST(cut_tar)
{
	make_few();
	for (size_t n = 1; n < maker.size && n < 9000; n += n % 512 == 511 ? 1 : 73) {
		const size_t member = 512 + 1024; /* header, data and their padding */
		size_t in_front = MIN((n + 1024 - SIZE) / member, (size_t)FEW);
		bool said;

		write_file("a.tar", maker.bytes, n);
		struct drawn d = draw_file("a.tar", 32);
		size_t whole = whole_members(&d, &said);

		ck_assert_msg(whole == in_front, "cut to %zu: %zu of %zu members", n, whole, in_front);
		ck_assert_msg(said || n >= FEW * member + 1024, "cut to %zu: nothing said", n);
		drawn_release(&d);
	}
}

/*
 * A byte of a header changed: its checksum is wrong. The member is reported, and all others come out. (The two bytes
 * after the checksum's digits cannot be wrong.)
 */
TEST(changed_tar_header)
{
	make_few();
	for (size_t at = 0; at < 512; at += at < 20 || (at >= 100 && at < 270) ? 1 : 37) {
		size_t byte = 2 * 1536 + at;
		bool said;

		if (at >= 148 && at < 156)
			continue;
		maker.bytes[byte] ^= 0x20;
		write_file("a.tar", maker.bytes, maker.size);
		maker.bytes[byte] ^= 0x20;
		struct drawn d = draw_file("a.tar", 32);
		size_t whole = whole_members(&d, &said);

		ck_assert_msg(whole == FEW - 1, "byte %zu: %zu", at, whole);
		ck_assert_msg(said, "byte %zu: nothing said", at);
		drawn_release(&d);
	}
}

/* A member whose type is that of an extended header, with a right checksum: it is lost, and reported; a global one is
 * not. */
TEST(extended_header_of_nothing)
{
	static const struct {
		size_t member;
		char type;
		bool lost;
	} cases[] = { { 4, 'x', true }, { 4, 'L', true }, { 4, 'K', true }, { 4, 'g', false }, { 2, 'x', true } };
	const struct {
		size_t n;
		const char *words;
	} ends[] = { { 5 * 1536 + 1024, "follows an extended header" }, { 5 * 1536, "ends after an extended header" } };

	make_few();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t *header = maker.bytes + cases[i].member * 1536, kept[512];
		unsigned sum = 0;

		memcpy(kept, header, sizeof(kept));
		header[156] = (uint8_t)cases[i].type;
		memset(header + 148, ' ', 8);
		for (size_t at = 0; at < 512; at++)
			sum += header[at];
		snprintf((char *)header + 148, 8, "%06o", sum);
		for (size_t end = 0; end < ARRAY_SIZE(ends); end++) {
			bool said;

			write_file("a.tar", maker.bytes, ends[end].n);
			struct drawn d = draw_file("a.tar", 32);
			size_t whole = whole_members(&d, &said);

			ck_assert_msg(whole == (cases[i].member == 4 ? 4 : 3), "%c: %zu", cases[i].type, whole);
			ck_assert_msg(said == cases[i].lost || end, "%c: said: %d", cases[i].type, said);
			if (cases[i].member == 4 && cases[i].lost)
				ck_assert_msg(strstr(d.v[d.count - 1].fault.text, ends[end].words) != NULL, "%s",
					      d.v[d.count - 1].fault.text);
			drawn_release(&d);
		}
		memcpy(header, kept, sizeof(kept));
	}
}

TIMEOUT(120)
FIXTURE(setup, teardown)
