/* base/strbuf.h: what is left of a detached string and a released strbuf. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "check_main.h"

TEST(a_detached_string_is_the_callers_and_the_strbuf_begins_anew)
{
	struct strbuf sb = STRBUF_INIT;
	char *empty = strbuf_detach(&sb);

	strbuf_adds(&sb, "first");
	char *first = strbuf_detach(&sb);

	ck_assert_uint_eq(sb.len, 0);
	ck_assert_str_eq(sb.s, "");
	strbuf_adds(&sb, "second");
	ck_assert_str_eq(sb.s, "second");
	ck_assert_str_eq(first, "first");
	ck_assert_str_eq(empty, "");
	ck_assert_ptr_ne(empty, strbuf_empty);
	strbuf_release(&sb);
	free(empty);
	free(first);
}

/* Returns from within blocks; a leak checker sees what is left. */
static size_t length_up_to(const char *const *words, size_t n, const char *wanted)
{
	RELEASED struct strbuf all = STRBUF_INIT;

	for (size_t i = 0; i < n; i++) {
		FREED char *word = xstrdup(words[i]);
		RELEASED struct strbuf one = STRBUF_INIT, two = STRBUF_INIT;

		strbuf_adds(&one, word);
		strbuf_adds(&all, word);
		if (!strcmp(one.s, wanted))
			return all.len;
		strbuf_adds(&two, word);
	}
	return all.len;
}

TEST(what_is_scoped_ends_with_its_block)
{
	static const char *const words[] = { "a", "bc", "def" };

	ck_assert_uint_eq(length_up_to(words, ARRAY_SIZE(words), "bc"), 3);
	ck_assert_uint_eq(length_up_to(words, ARRAY_SIZE(words), "none"), 6);
	ck_assert_uint_eq(length_up_to(words, 0, ""), 0);
}
