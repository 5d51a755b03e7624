/*
 * The role of an id of a file, against mmsegmentation's own three lines; and the words for the valid ids.
 */
#include <string.h>

#include "base/mem.h"
#include "check_main.h"
#include "judge/role.h"
#include "judge/wording.h"

static struct settings *settings;

static void declare(const char *classes, const char *ignore, bool reduce)
{
	struct error err = ERROR_INIT;

	class_set_release(&settings->classes);
	ck_assert_int_eq(class_set_parse_classes(&settings->classes, classes, &err), STATUS_OK);
	if (ignore)
		ck_assert_int_eq(class_set_parse_ignore(&settings->classes, ignore, &err), STATUS_OK);
	settings->reduce_zero_label = settings->classes.zero_reduced = reduce;
	class_set_finish(&settings->classes);
}

/* label[label == 0] = 255; label = label - 1; label[label == 254] = 255 */
static int64_t reduced(int64_t label)
{
	if (label == 0)
		label = 255;
	label = label - 1;
	if (label == 254)
		label = 255;
	return label;
}

static enum id_role expected(int64_t id, bool reduce)
{
	/* mmsegmentation knows no negative labels; they are left alone. The ids that it makes 255 are ignored, declared
	 * or not. */
	int64_t trained = reduce && id >= 0 ? reduced(id) : id;

	if (reduce && (id == 0 || id == 255))
		return ID_IGNORED;
	if (id_ranges_contain(&settings->classes.ignored, trained))
		return ID_IGNORED;
	return id_ranges_contain(&settings->classes.classes, trained) ? ID_CLASS : ID_INVALID;
}

static void setup(void)
{
	settings = xcalloc(1, sizeof(*settings));
}

static void teardown(void)
{
	class_set_release(&settings->classes);
	free(settings);
}

TEST(roles)
{
	static const struct {
		const char *classes, *ignore;
	} rows[] = {
		{ "150", "255" },      { "150", NULL },      { "0-2,5", "10" },          { "1", "-1" },
		{ "256", NULL },       { "300", "254-257" }, { "65534-65537", "65535" }, { "0", "0-3" },
		{ "-5--2,3", "-4,7" }, { "65536", NULL },    { "100000", "70000" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int reduce = 0; reduce < 2; reduce++) {
			declare(rows[i].classes, rows[i].ignore, reduce);
			for (int64_t id = -10; id < 110000; id++) {
				enum id_role want = expected(id, reduce);
				bool good = settings_role(settings, id) == want;

				if (want == ID_CLASS &&
				    settings_file_id(settings, settings_trained_id(settings, id)) != id)
					good = false;
				if (!good) /* an assertion for each of two million is slow */
					ck_abort_msg("%s, reduce %d: %d", rows[i].classes, reduce, (int)id);
			}
		}
}

static const char *valid_ids(const char *classes, const char *ignore, bool reduce)
{
	static struct text text;

	declare(classes, ignore, reduce);
	text = text_valid_ids(settings);
	return text.s;
}

TEST(words)
{
	ck_assert_str_eq(valid_ids("3", NULL, false), "valid ids are 0-2");
	ck_assert_str_eq(valid_ids("0-2,5", "255,-1", false), "valid ids are 0-2, 5, ignored -1, 255");
	ck_assert_str_eq(valid_ids("150", "255", true), "valid ids are 1-150, ignored 0, 255 (--reduce-zero-label)");
	ck_assert_str_eq(valid_ids("150", NULL, true), "valid ids are 1-150, ignored 0, 255 (--reduce-zero-label)");
	ck_assert_str_eq(valid_ids("3", "10", true), "valid ids are 1-3, ignored 0, 11, 255 (--reduce-zero-label)");
	ck_assert_str_eq(valid_ids("3", "-1,300", true),
			 "valid ids are 1-3, ignored -1 to 0, 255, 301 (--reduce-zero-label)");
	ck_assert_str_eq(valid_ids("3", "250-260", true),
			 "valid ids are 1-3, ignored 0, 251-261 (--reduce-zero-label)");
}

FIXTURE(setup, teardown)
