/* report/baseline.h: what is written is known again, and only that; and what a full list of findings keeps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "check_main.h"
#include "judge/finding_list.h"
#include "report/baseline.h"

static char file[] = "/tmp/labelaudit-baseline-XXXXXX";
static struct error err;
static struct finding f;

static void setup(void)
{
	int fd = mkstemp(file);

	ck_assert_int_ge(fd, 0);
	close(fd);
	memset(&err, 0, sizeof(err));
}

static void teardown(void)
{
	unlink(file);
	memcpy(file + sizeof(file) - 7, "XXXXXX", 6);
}

static const struct rule *rule(const char *name)
{
	const struct rule *found = rule_find(name);

	ck_assert_ptr_nonnull(found);
	return found;
}

static struct finding *finding_of(const char *name)
{
	finding_init(&f, rule(name));
	return &f;
}

static bool knows(struct baseline *b, const char *name, const char *path, const char *member)
{
	return baseline_knows(b, finding_of(name), path, member, 0);
}

static struct baseline *read_back(void)
{
	struct baseline *b;

	ck_assert_msg(baseline_read(&b, file, &err) == STATUS_OK, "%s", err.text);
	return b;
}

static size_t lines(void)
{
	FILE *in = fopen(file, "r");
	size_t n = 0;
	int c;

	ck_assert_ptr_nonnull(in);
	while ((c = fgetc(in)) != EOF)
		n += c == '\n';
	fclose(in);
	return n;
}

TEST(written_is_known)
{
	static const char *const paths[] = { "b.png", "a\xff.png", "./c \"\\\x01.png", "\xe2\x80\xae", NULL };
	struct baseline_record *r;
	struct settings settings = { .rules.levels = xcalloc(rule_count, sizeof(enum level)) };

	for (size_t i = 0; i < rule_count; i++)
		settings.rules.levels[i] = LEVEL_ERROR;
	ck_assert_int_eq(baseline_record_open(&r, file, &err), STATUS_OK);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		baseline_record_add(r, finding_of("single-id"), paths[i], NULL);
	baseline_record_add(r, finding_of("wide-ids"), "set.tar", "m\xff.png");
	baseline_record_add(r, finding_of("wide-ids"), "set.tar", NULL);
	ck_assert_int_eq(baseline_record_write(r, &err), STATUS_OK);
	baseline_record_free(r);
	ck_assert_uint_eq(lines(), 3 + 7 + 2);

	struct baseline *b = read_back();

	ck_assert_uint_eq(baseline_stale(b, &settings), 7);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		ck_assert(knows(b, "single-id", i == 2 ? "d/../c \"\\\x01.png" : paths[i], NULL)); /* the same file */
	ck_assert(!knows(b, "single-id", "b.png", NULL));                                          /* known once */
	ck_assert(!knows(b, "wide-ids", "b.png", NULL));
	ck_assert(!knows(b, "single-id", "b.png", "b.png"));
	ck_assert(!knows(b, "single-id", "a\xfe.png", NULL));
	ck_assert_uint_eq(baseline_stale(b, &settings), 2);
	ck_assert(knows(b, "wide-ids", "set.tar", "m\xff.png"));
	ck_assert_uint_eq(baseline_stale(b, &settings), 1);
	/* of a rule that was not applied nothing is stale */
	settings.rules.levels[rule_index(rule("wide-ids"))] = LEVEL_OFF;
	ck_assert_uint_eq(baseline_stale(b, &settings), 0);
	baseline_free(b);
	free(settings.rules.levels);
}

TEST(order_of_adding_does_not_show)
{
	enum { N = 3000 };
	char *texts[2];

	for (unsigned turn = 0; turn < 2; turn++) {
		struct baseline_record *r;
		char path[32];

		ck_assert_int_eq(baseline_record_open(&r, file, &err), STATUS_OK);
		for (unsigned i = 0; i < N; i++) {
			snprintf(path, sizeof(path), "%u.png", turn ? N - 1 - i : i);
			baseline_record_add(r, finding_of(turn ? "wide-ids" : "single-id"), path, NULL);
			baseline_record_add(r, finding_of(turn ? "single-id" : "wide-ids"), path, NULL);
		}
		ck_assert_int_eq(baseline_record_write(r, &err), STATUS_OK);
		baseline_record_free(r);
		FILE *in = fopen(file, "r");
		size_t room = (size_t)1 << 20;

		texts[turn] = xcalloc(room, 1);
		ck_assert_uint_gt(fread(texts[turn], 1, room - 1, in), 100000);
		fclose(in);
	}
	ck_assert_str_eq(texts[0], texts[1]);
	free(texts[0]);
	free(texts[1]);
}

TEST(abandoned_record_leaves_the_file)
{
	struct baseline_record *r;

	ck_assert_int_eq(baseline_record_open(&r, file, &err), STATUS_OK);
	baseline_record_add(r, finding_of("single-id"), "a", NULL);
	baseline_record_free(r);
	ck_assert_uint_eq(lines(), 0);
}

static void know_even(void *context, struct finding *finding, const char *path, const char *member)
{
	(void)context, (void)member;
	finding->baselined = path && (path[strlen(path) - 1] - '0') % 2 == 0;
}

/* Known findings are counted apart, and of a full list they go first, in whatever order findings come. */
TEST(known_findings_make_room)
{
	enum { N = 1000, MAX_KEPT = 300 };

	for (int backward = 0; backward < 2; backward++) {
		struct finding_list l;

		finding_list_init(&l, MAX_KEPT);
		l.on_add = know_even;
		finding_init(&f, rule("missing-class"));
		finding_list_add(&l, &f, NULL, NULL);
		for (int i = 0; i < N; i++) {
			char path[32];

			snprintf(path, sizeof(path), "%04d", backward ? N - 1 - i : i);
			finding_init(&f, rule("out-of-range-id"));
			finding_list_add(&l, &f, path, NULL);
		}
		finding_list_finish(&l);
		ck_assert_uint_eq(l.total, N + 1);
		ck_assert_uint_eq(l.baselined, N / 2);
		ck_assert_uint_eq(l.by_level[LEVEL_ERROR], N / 2);
		ck_assert_uint_eq(l.by_rule[rule_index(rule("out-of-range-id"))], N / 2);
		ck_assert_uint_eq(l.count, MAX_KEPT);
		ck_assert_ptr_null(l.v[MAX_KEPT - 1].path);
		for (int i = 0; i < MAX_KEPT - 1; i++) {
			ck_assert(!l.v[i].baselined);
			ck_assert_int_eq(atoi(l.v[i].path), 2 * i + 1);
		}
		finding_list_release(&l);
	}
}

FIXTURE(setup, teardown)
