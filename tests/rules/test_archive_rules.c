/* The rules that speak of archives and of their members' names. */
#include <string.h>

#include "../unit/check_main.h"
#include "find/member.h"
#include "measured.h"

extern const struct rule rule_malformed_archive, rule_repeated_member, rule_special_member, rule_unsafe_member_name;

static const struct rule *const rules[] = { &rule_malformed_archive, &rule_repeated_member, &rule_special_member,
					    &rule_unsafe_member_name };
enum { RULES = sizeof(rules) / sizeof(rules[0]) };

static struct measured *m;
static struct archive_facts facts;

static void setup(void)
{
	m = measured_new("3", NULL);
	memset(&facts, 0, sizeof(facts));
}

static void teardown(void)
{
}

/* Asserts that only this rule fires; NULL: none. */
static void expect(const struct rule *wanted)
{
	for (int i = 0; i < RULES; i++)
		ck_assert_msg(measured_check(m, rules[i]) == (rules[i] == wanted), "%s", rules[i]->name);
	if (!wanted)
		return;
	ck_assert(measured_check(m, wanted));
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
	ck_assert_str_ne(m->finding.advice.s, "");
}

TEST(silent_about_files_and_good_members)
{
	expect(NULL);
	m->sample.member = "masks/0001.png";
	expect(NULL);
	m->sample.member = NULL;
	m->sample.archive = &facts;
	m->sample.status = SAMPLE_ARCHIVE;
	expect(NULL);
}

TEST(each_fact_has_its_rule)
{
	m->sample.status = SAMPLE_ARCHIVE;
	m->sample.archive = &facts;
	archive_flaw(&facts, "the end marker is missing");
	archive_flaw(&facts, "%d more", 2);
	expect(&rule_malformed_archive);
	ck_assert_str_eq(m->finding.message.s, "the end marker is missing; 2 more");
	memset(&facts, 0, sizeof(facts));
	facts.links = 1;
	expect(&rule_special_member);
	ck_assert_ptr_nonnull(strstr(m->finding.message.s, "1 link"));
	memset(&facts, 0, sizeof(facts));
	facts.unsafe_names = 1;
	expect(&rule_unsafe_member_name);
}

TEST(a_repeated_name_is_told)
{
	m->sample.member = "a.png";
	m->sample.member_flaws.repeated = true;
	expect(&rule_repeated_member);
}

TEST(a_name_cut_by_a_nul_is_told)
{
	m->sample.member = "a.png";
	m->sample.member_flaws.name_cut = true;
	expect(&rule_unsafe_member_name);
}

static const struct {
	const char *name, *flaw; /* NULL: it is fine */
} names[] = {
	{ "a.png", NULL },
	{ "./masks/a b'\"$(id)%0A<x>.png", NULL },
	{ "::set-output name=a::b.png", NULL },
	{ "caf\xc3\xa9.png", NULL },
	{ "a..png", NULL },
	{ "a/.b/c.png", NULL },
	{ "1:x.png", NULL },
	{ "", "is empty" },
	{ "/a.png", "is an absolute path" },
	{ "..", "is a path that leaves its folder by .." },
	{ "a/../../b.png", "is a path that leaves its folder by .." },
	{ "..png", "has a part that begins with two dots" },
	{ "C:a.png", "is a path with a Windows drive" },
	{ "a\\b.png", "has a backslash, which separates folders on Windows" },
	{ "a\nb.png", "has control bytes" },
	{ "a\x7f.png", "has control bytes" },
	{ "a\xc2\x85.png", "has control bytes" },
	{ "a\xff.png", "has bytes that are not UTF-8" },
	{ "a\xe2\x80\xaegnp.exe", "has marks that reorder text on the screen" },
	{ "a\xe2\x81\xa6.png", "has marks that reorder text on the screen" },
};

TEST_EACH(unsafe_names, sizeof(names) / sizeof(names[0]))
{
	const char *flaw = member_name_flaw(names[_i].name, strlen(names[_i].name));

	if (names[_i].flaw)
		ck_assert_msg(flaw && !strcmp(flaw, names[_i].flaw), "%s: %s", names[_i].name, flaw ? flaw : "fine");
	else
		ck_assert_msg(!flaw, "%s: %s", names[_i].name, flaw);
	m->sample.member = names[_i].name;
	expect(flaw ? &rule_unsafe_member_name : NULL);
}

FIXTURE(setup, teardown)
