/* The lists of reports: the worst first, and each rule in them; and the fingerprints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "check_main.h"
#include "report/selection.h"
#include "report_fixture.h"

static void add_many(const char *rule, int n)
{
	for (int i = 0; i < n; i++) {
		char path[32];

		snprintf(path, sizeof(path), "m/%05d.png", i);
		report_add(rule, path, NULL, "message", "");
	}
}

static const struct rule *listed_rule(const struct selection *l, size_t i)
{
	return l->v[i].finding->rule;
}

TEST(worst_first)
{
	struct selection l;

	report_add("single-id", "a.png", NULL, "info", "");
	report_add("out-of-range-id", "z.png", NULL, "error", "");
	report_add("mostly-ignored", "b.png", NULL, "info", "");
	report_add("all-ignored", "c.png", NULL, "warning", "");
	report_add("missing-class", NULL, NULL, "warning", "");
	finding_list_finish(&fixture.findings);
	selection_init(&l, &fixture.findings, 0, 0, 0);
	ck_assert_uint_eq(l.count, 5);
	ck_assert_ptr_eq(listed_rule(&l, 0), rule_find("out-of-range-id"));
	ck_assert_ptr_eq(listed_rule(&l, 1), rule_find("all-ignored"));
	ck_assert_ptr_eq(listed_rule(&l, 2), rule_find("missing-class"));
	ck_assert_ptr_eq(listed_rule(&l, 3), rule_find("single-id"));
	ck_assert_ptr_eq(listed_rule(&l, 4), rule_find("mostly-ignored"));
	ck_assert_uint_eq(l.more_rules, 0);
	selection_release(&l);

	fixture.findings.v[0].baselined = true; /* a.png */
	fixture.findings.by_rule[rule_index(rule_find("single-id"))]--;
	selection_init(&l, &fixture.findings, 0, 0, 0);
	ck_assert_uint_eq(l.count, 4);
	ck_assert_uint_eq(l.more_rules, 0);
	selection_release(&l);
}

TEST(every_rule_is_heard)
{
	size_t singles = 0, errors = 0;
	struct selection l;

	add_many("out-of-range-id", 100);
	add_many("scaled-ids", 20);
	report_add("single-id", "z.png", NULL, "info", "");
	finding_list_finish(&fixture.findings);
	/* 12 entries: 3 rules may each need one that says how many more. */
	selection_init(&l, &fixture.findings, 12, 0, 0);
	ck_assert_uint_eq(l.count, 9);
	ck_assert_uint_eq(l.more_rules, 2);
	for (size_t i = 0; i < l.count; i++) {
		singles += listed_rule(&l, i) == rule_find("single-id");
		errors += l.v[i].finding->level == LEVEL_ERROR;
	}
	ck_assert_uint_eq(singles, 1);
	ck_assert_uint_eq(errors, 8);
	ck_assert_ptr_eq(listed_rule(&l, 8), rule_find("single-id")); /* shown last all the same */
	uint64_t more_range = l.more[rule_index(rule_find("out-of-range-id"))];
	uint64_t more_scaled = l.more[rule_index(rule_find("scaled-ids"))];

	ck_assert_uint_eq(more_range + more_scaled, 120 - 8);
	ck_assert(more_range <= 99 && more_scaled <= 19);
	ck_assert_uint_eq(l.more[rule_index(rule_find("single-id"))], 0);
	selection_release(&l);

	selection_init(&l, &fixture.findings, 121, 0, 0); /* exactly enough */
	ck_assert_uint_eq(l.count, 121);
	ck_assert_uint_eq(l.more_rules, 0);
	selection_release(&l);

	selection_init(&l, &fixture.findings, 0, 10, 0);
	ck_assert_uint_eq(l.count, 11); /* 10 errors, 1 info */
	selection_release(&l);

	selection_init(&l, &fixture.findings, 0, 0, 15);
	ck_assert_uint_eq(l.count, 31);
	ck_assert_uint_eq(l.more[rule_index(rule_find("out-of-range-id"))], 85);
	selection_release(&l);

	selection_init(&l, &fixture.findings, 1, 0, 0); /* no room for any */
	ck_assert_uint_eq(l.count, 0);
	ck_assert_uint_eq(l.more_rules, 3);
	selection_release(&l);
}

/* A finding that the report itself has dropped (--max-findings) is counted, and its rule heard of. */
TEST(what_the_report_dropped)
{
	struct strbuf text = STRBUF_INIT;
	struct selection l;

	fixture.findings.max = 2;
	add_many("out-of-range-id", 5);
	report_add("scaled-ids", "z.png", NULL, "message", "");
	finding_list_finish(&fixture.findings);
	selection_init(&l, &fixture.findings, 0, 0, 0);
	ck_assert_uint_eq(l.count, 2);
	ck_assert_uint_eq(l.more_rules, 2);
	selection_add_more(&l, rule_index(rule_find("out-of-range-id")), &text);
	ck_assert_int_eq(strncmp(text.s, "3 more findings of this rule are not listed", 43), 0);
	strbuf_clear(&text);
	selection_add_more(&l, rule_index(rule_find("scaled-ids")), &text);
	ck_assert_int_eq(strncmp(text.s, "1 more finding of this rule is not listed", 41), 0);
	strbuf_release(&text);
	selection_release(&l);
}

TEST(the_dataset_stands_for_its_rule)
{
	struct selection l;

	add_many("one-based-ids", 3);
	report_add("one-based-ids", NULL, NULL, "message", "");
	finding_list_finish(&fixture.findings);
	selection_init(&l, &fixture.findings, 0, 1, 0);
	ck_assert_uint_eq(l.count, 1);
	ck_assert_ptr_null(l.v[0].finding->path);
	selection_release(&l);
}

static const char *fingerprint(const char *rule, const char *path, const char *member, unsigned repeat)
{
	static char texts[8][FINGERPRINT_SIZE];
	static unsigned next;
	char *out = texts[next++ % 8];

	finding_fingerprint(rule, path, member, repeat, out);
	return out;
}

TEST(fingerprints)
{
	/* It must never change: services would take every known finding for a new one. Python's hashlib:
	 * sha256(b"labelaudit/v1\0" b"+out-of-range-id\0" b"+m/a.png\0" b"-").hexdigest()[:32] */
	ck_assert_str_eq(fingerprint("out-of-range-id", "m/a.png", NULL, 0), "e664ca865697aaf364612754eb933908");
	ck_assert_str_eq(fingerprint("r", "m/a", NULL, 0), fingerprint("r", ".//./m/a", NULL, 0));
	ck_assert_str_ne(fingerprint("r", "m/a", NULL, 0), fingerprint("r", "m/a", "", 0));
	ck_assert_str_ne(fingerprint("r", "m/a", NULL, 0), fingerprint("r", "m/a", NULL, 1));
	ck_assert_str_ne(fingerprint("r", NULL, NULL, 0), fingerprint("r", ".", NULL, 0));
	ck_assert_str_ne(fingerprint("r", "a", "b", 0), fingerprint("r", "a+b", NULL, 0));
	ck_assert_str_ne(fingerprint("r", "a", NULL, 1), fingerprint("r", "a", NULL, 11));
	ck_assert_str_ne(fingerprint("ra", "b", NULL, 0), fingerprint("r", "ab", NULL, 0));
}

TEST(a_path_given_twice)
{
	struct selection l;

	report_add("empty-file", "a.png", NULL, "message", "");
	report_add("empty-file", "a.png", NULL, "message", "");
	report_add("empty-file", "a.png", "x", "message", "");
	report_add("empty-file", "b.png", NULL, "message", "");
	finding_list_finish(&fixture.findings);
	selection_init(&l, &fixture.findings, 0, 0, 0);
	ck_assert_uint_eq(l.count, 4);
	ck_assert_uint_eq(l.v[0].repeat, 0);
	ck_assert_uint_eq(l.v[1].repeat, 1);
	ck_assert_uint_eq(l.v[2].repeat, 0);
	ck_assert_uint_eq(l.v[3].repeat, 0);
	selection_release(&l);
}

TEST(places)
{
	struct kept_finding f = { .path = NULL };

	ck_assert_str_eq(finding_path(&fixture.report, &f), "masks/");
	ck_assert_str_eq(finding_path(&fixture.report, NULL), "masks/");
	fixture.report.root = NULL;
	ck_assert_str_eq(finding_path(&fixture.report, &f), ".");
	fixture.report.root = "./";
	ck_assert_str_eq(finding_path(&fixture.report, &f), ".");
	f.path = (char[]){ ".///a/../b" };
	ck_assert_str_eq(finding_path(&fixture.report, &f), "a/../b");
	f.path = (char[]){ "../a" };
	ck_assert_str_eq(finding_path(&fixture.report, &f), "../a");
	f.path = (char[]){ ".hidden" };
	ck_assert_str_eq(finding_path(&fixture.report, &f), ".hidden");
}

static const char *sha256_of(const char *s, size_t n, size_t times)
{
	static char hex[65];
	struct sha256 sha;

	sha256_init(&sha);
	for (size_t i = 0; i < times; i++)
		sha256_add(&sha, s, n);
	sha256_hex(&sha, hex);
	return hex;
}

/* The examples of FIPS 180-4's own test vectors. */
TEST(sha256_vectors)
{
	ck_assert_str_eq(sha256_of("", 0, 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	ck_assert_str_eq(sha256_of("abc", 3, 1), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	ck_assert_str_eq(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, 1),
			 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	ck_assert_str_eq(sha256_of("a", 1, 1000000),
			 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

FIXTURE(report_make, report_free)
