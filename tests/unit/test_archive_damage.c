/*
 * Broken and hostile archives: what is in front of the damage comes out whole, something is always said, and nothing
 * crashes. The verdicts on single files are those of LABELAUDIT_SHARED (default ../shared),
 * hostile/generated/truth.csv; where it is absent this prints `skipped`.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"

#include "archive_drawn.h"
#include "archive_maker.h"
#include "base/fault.h"
#include "find/member.h"

static struct maker maker;
static char shared[1024];

static void setup(void)
{
	const char *folder = getenv("LABELAUDIT_SHARED");
	char here[512];

	if (folder && folder[0] == '/')
		snprintf(shared, sizeof(shared), "%s", folder);
	else
		snprintf(shared, sizeof(shared), "%s/%s", getcwd(here, sizeof(here)), folder ? folder : "../shared");
	tree_enter();
	memset(&maker, 0, sizeof(maker));
}

static void teardown(void)
{
	maker_release(&maker);
	tree_leave();
}

static struct drawn draw_file(const char *path)
{
	const char *const paths[] = { path };
	const struct find_options o = { .paths = paths,
					.paths_count = 1,
					.limits = { (uint64_t)1 << 30, (uint64_t)1 << 31, 200, 0 } };

	return draw(&o, 32);
}

enum { MEMBERS = 5, SIZE = 700 };

/* Five members of 700 bytes each: a byte and its like. */
static void make(const char *format, const char *packing)
{
	char name[8] = "m0.png", bytes[SIZE];

	maker_begin(&maker, format, packing);
	for (int i = 0; i < MEMBERS; i++) {
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
START_TEST(cut_tar)
{
	make("ustar", "none");
	for (size_t n = 1; n < maker.size && n < 9000; n += n % 512 == 511 ? 1 : 73) {
		const size_t member = 512 + 1024; /* header, data and their padding */
		size_t in_front = MIN((n + 1024 - SIZE) / member, (size_t)MEMBERS);
		bool said;

		write_file("a.tar", maker.bytes, n);
		struct drawn d = draw_file("a.tar");
		size_t whole = whole_members(&d, &said);

		ck_assert_msg(whole == in_front, "cut to %zu: %zu of %zu members", n, whole, in_front);
		ck_assert_msg(said || n >= MEMBERS * member + 1024, "cut to %zu: nothing said", n);
		drawn_release(&d);
	}
}
END_TEST

static const struct {
	const char *format, *packing, *path;
} kinds[] = {
	{ "ustar", "gzip", "a.tar.gz" },  { "ustar", "bzip2", "a.tar.bz2" }, { "ustar", "xz", "a.tar.xz" },
	{ "ustar", "zstd", "a.tar.zst" }, { "zip", "store", "a.zip" },       { "zip", "deflate", "a.zip" },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

START_TEST(cut_packed)
{
	make(kinds[_i].format, kinds[_i].packing);
	for (size_t n = 1; n < maker.size; n += 1 + maker.size / 150) {
		bool said;

		write_file(kinds[_i].path, maker.bytes, n);
		struct drawn d = draw_file(kinds[_i].path);

		whole_members(&d, &said);
		ck_assert_msg(said, "%s cut to %zu: nothing said", kinds[_i].path, n);
		drawn_release(&d);
	}
}
END_TEST

/*
 * A byte of a header changed: its checksum is wrong. The member is reported, and all others come out. (The two bytes
 * after the checksum's digits cannot be wrong.)
 */
START_TEST(changed_tar_header)
{
	make("ustar", "none");
	for (size_t at = 0; at < 512; at += at < 20 || (at >= 100 && at < 270) ? 1 : 37) {
		size_t byte = 2 * 1536 + at;
		bool said;

		if (at >= 148 && at < 156)
			continue;
		maker.bytes[byte] ^= 0x20;
		write_file("a.tar", maker.bytes, maker.size);
		maker.bytes[byte] ^= 0x20;
		struct drawn d = draw_file("a.tar");
		size_t whole = whole_members(&d, &said);

		ck_assert_msg(whole == MEMBERS - 1, "byte %zu: %zu", at, whole);
		ck_assert_msg(said, "byte %zu: nothing said", at);
		drawn_release(&d);
	}
}
END_TEST

/* A member whose type is that of an extended header, with a right checksum: it is lost, and reported; a global one is
 * not. */
START_TEST(extended_header_of_nothing)
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

	make("ustar", "none");
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
			struct drawn d = draw_file("a.tar");
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
END_TEST

/* Any byte changed, of any kind: no crash, and no wrong member in silence (where a checksum covers it). */
START_TEST(changed_packed)
{
	make(kinds[_i].format, kinds[_i].packing);
	for (size_t at = 0; at < maker.size; at += 1 + maker.size / 300) {
		struct drawn d;
		bool said;

		maker.bytes[at] ^= (uint8_t)(1u << at % 8);
		write_file(kinds[_i].path, maker.bytes, maker.size);
		maker.bytes[at] ^= (uint8_t)(1u << at % 8);
		d = draw_file(kinds[_i].path);
		whole_members(&d, &said);
		for (size_t i = 0; i < d.count; i++) {
			const struct drawn_entry *e = &d.v[i];
			bool right = e->len == SIZE;

			/* names and dates are under no checksum in a zip */
			for (size_t j = 1; right && j < SIZE; j++)
				right = e->bytes[j] == e->bytes[0];
			ck_assert_msg(said || right, "byte %zu: member %zu is wrong and not told", at, i);
		}
		drawn_release(&d);
	}
}
END_TEST

/* Members after a header that is destroyed, whatever its block holds now. */
START_TEST(destroyed_tar_header)
{
	struct drawn d;
	bool said;

	make("ustar", "none");
	memset(maker.bytes + 1536, 'x', 512);
	write_file("a.tar", maker.bytes, maker.size);
	d = draw_file("a.tar");
	ck_assert_uint_eq(whole_members(&d, &said), MEMBERS - 1);
	ck_assert_uint_eq(d.count, MEMBERS);
	ck_assert(d.v[MEMBERS - 1].is_archive && d.v[MEMBERS - 1].failed);
	ck_assert_int_eq(d.v[MEMBERS - 1].fault.kind, FAULT_CORRUPT);
	ck_assert_ptr_nonnull(strstr(d.v[MEMBERS - 1].fault.text, "no member header at byte 1536: 1536 bytes"));
	drawn_release(&d);
}
END_TEST

/* ---- the corpus -------------------------------------------------------------------------------------------------- */

enum { LINE = 1024 };

static bool is_silent(const struct drawn *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct drawn_entry *e = &d->v[i];

		if (e->failed || e->is_archive || e->repeated || e->name_cut ||
		    (e->member && member_name_flaw(e->member, strlen(e->member))) || (!e->skip_reason && !e->size))
			return false;
	}
	return true;
}

static bool has_fault(const struct drawn *d, enum fault_kind kind)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->v[i].failed && (kind == FAULT_NONE || d->v[i].fault.kind == kind))
			return true;
	return false;
}

static void check_verdict(const char *name, const char *verdict, const struct drawn *d)
{
	bool ok;

	if (!strcmp(verdict, "valid"))
		ok = is_silent(d);
	else if (!strcmp(verdict, "finding"))
		ok = !is_silent(d);
	else if (!strcmp(verdict, "limit"))
		ok = has_fault(d, FAULT_LIMIT);
	else /* reject; an empty file is a plain entry, which its reader rejects */
		ok = has_fault(d, FAULT_NONE) || strstr(name, "zero_bytes");
	ck_assert_msg(ok, "%s: %s", name, verdict);
}

/* path,kind,verdict,reason; no path or kind has a quote. */
START_TEST(generated_corpus)
{
	char path[LINE + 64], line[LINE];
	size_t files = 0;
	FILE *truth;

	snprintf(path, sizeof(path), "%.800s/hostile/generated/truth.csv", shared);
	truth = fopen(path, "r");
	if (!truth) {
		printf("skipped: no LABELAUDIT_SHARED with hostile/generated\n");
		return;
	}
	while (fgets(line, sizeof(line), truth)) {
		char *kind = strchr(line, ','), *verdict = kind ? strchr(kind + 1, ',') : NULL, *reason;

		if (!verdict || (reason = strchr(verdict + 1, ',')) == NULL)
			continue;
		*kind++ = *verdict++ = *reason = '\0';
		if (strcmp(kind, "tar") && strcmp(kind, "zip"))
			continue;
		snprintf(path, sizeof(path), "%.800s/hostile/generated/%.200s", shared, line);
		struct drawn d = draw_file(path);

		check_verdict(line, verdict, &d);
		drawn_release(&d);
		files++;
	}
	fclose(truth);
	ck_assert_uint_gt(files, 100);
}
END_TEST

/* Real and odd archives: they end, and whatever fails has words. */
START_TEST(corpus_of_odd_archives)
{
	char path[LINE + 512];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "%.800s/hostile/libarchive", shared);
	dir = opendir(path);
	if (!dir) {
		printf("skipped: no LABELAUDIT_SHARED with hostile/libarchive\n");
		return;
	}
	while ((e = readdir(dir))) {
		bool said;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%.800s/hostile/libarchive/%.200s", shared, e->d_name);
		struct drawn d = draw_file(path);

		whole_members(&d, &said);
		drawn_release(&d);
	}
	closedir(dir);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("archive damage");
	TCase *t = tcase_create("archive damage");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 300);
	tcase_add_test(t, cut_tar);
	tcase_add_loop_test(t, cut_packed, 0, KINDS);
	tcase_add_test(t, changed_tar_header);
	tcase_add_test(t, extended_header_of_nothing);
	tcase_add_loop_test(t, changed_packed, 0, KINDS);
	tcase_add_test(t, destroyed_tar_header);
	tcase_add_test(t, generated_corpus);
	tcase_add_test(t, corpus_of_odd_archives);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
