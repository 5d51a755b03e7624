/* Lists of ids, and counts of classes, as they are typed. */
#include <string.h>

#include "base/class_set.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "check_main.h"

static struct class_set set;
static struct error err;

static void set_up(void)
{
	class_set_init(&set);
	memset(&err, 0, sizeof(err));
}

static void tear_down(void)
{
	class_set_release(&set);
}

static void expect_ignored(const char *typed, const char *ids)
{
	struct strbuf text = STRBUF_INIT;

	tear_down();
	set_up();
	ck_assert_msg(class_set_parse_ignore(&set, typed, &err) == STATUS_OK, "%s: %s", typed, err.text);
	class_set_finish(&set);
	id_ranges_format(&set.ignored, &text);
	ck_assert_str_eq(text.s, ids);
	strbuf_release(&text);
}

TEST(lists)
{
	expect_ignored("255", "255");
	expect_ignored(" 255 , -1 ", "-1,255");
	expect_ignored("7-9,  10-12", "7-12");
	expect_ignored("-5--3", "-5--3");
	expect_ignored("-2-2", "-2-2");
	expect_ignored("9223372036854775807", "9223372036854775807");
	expect_ignored("-9223372036854775808", "-9223372036854775808");
}

static const struct {
	const char *typed, *words;
} refused[] = {
	{ "", "is not a list of ids" },
	{ " ", "is not a list of ids" },
	{ "1,", "is not a list of ids" },
	{ "1 2", "is not a list of ids" },
	{ "1-", "is not a list of ids" },
	{ "1-x", "is not a list of ids" },
	{ "--1", "is not a list of ids" },
	{ "1;2", "is not a list of ids" },
	{ "9223372036854775808", "is not a list of ids" },
	{ "-9223372036854775809", "is not a list of ids" },
	{ "99999999999999999999", "is not a list of ids" },
	{ "9223372036821221376", "is not a list of ids" },
	{ "9223372036821221300-9223372036854775807", "is not a list of ids" },
	{ "5-#000007", "is not a list of ids" },
	{ "5-3", "is reversed" },
	{ "0-2147483648", "longer than 2^31 ids" },
	{ "-1-2147483647", "longer than 2^31 ids" },
	{ "-9223372036854775808-9223372036854775807", "is not a list of ids" },
};

TEST_EACH(bad_lists, ARRAY_SIZE(refused))
{
	ck_assert_msg(class_set_parse_ignore(&set, refused[_i].typed, &err) == STATUS_FAILED, "%s", refused[_i].typed);
	ck_assert_msg(!strncmp(err.text, "--ignore", 8) && strstr(err.text, refused[_i].words), "%s", err.text);
}

TEST(colours)
{
	ck_assert_int_eq(class_set_parse_ignore(&set, "255, #e0E0c0,#000000", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_classes(&set, "0-2", &err), STATUS_OK);
	set.zero_reduced = true;
	class_set_finish(&set);
	ck_assert_int_eq(class_set_role(&set, COLOUR_ID(0xe0e0c0)), ID_IGNORED);
	ck_assert_int_eq(class_set_role(&set, COLOUR_ID(0)), ID_IGNORED);
	ck_assert_int_eq(class_set_role(&set, COLOUR_ID(0xe0e0c1)), ID_INVALID);
	ck_assert_int_eq(class_set_role(&set, 3), ID_CLASS);
	ck_assert_int_eq(class_set_role(&set, ((int64_t)1 << 32) + 0xe0e0c0), ID_INVALID);
	ck_assert_int_eq(class_set_parse_ignore(&set, "#000001-#000003", &err), STATUS_OK);

	struct strbuf text = STRBUF_INIT;

	id_ranges_format(&set.ignored, &text);
	ck_assert_str_eq(text.s, "255,#000000-#000003,#e0e0c0");
	strbuf_release(&text);
	ck_assert_int_eq(class_set_parse_classes(&set, "#000000", &err), STATUS_FAILED);
}

TEST(counts)
{
	ck_assert_int_eq(class_set_parse_classes(&set, "2147483648", &err), STATUS_OK);
	ck_assert_int_eq(class_set_role(&set, 2147483647), ID_CLASS);
	ck_assert_int_eq(class_set_role(&set, 2147483648), ID_INVALID);
	ck_assert_int_eq(class_set_parse_classes(&set, "2147483649", &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, "--classes 2147483649: more than 2^31 classes");
	memset(&err, 0, sizeof(err));
	ck_assert_int_eq(class_set_parse_classes(&set, "-4", &err), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "cannot be negative"));
	tear_down();
	set_up();
	ck_assert_int_eq(class_set_parse_classes(&set, "0", &err), STATUS_OK);
	ck_assert_uint_eq(set.classes.count, 0);
}

FIXTURE(set_up, tear_down)
