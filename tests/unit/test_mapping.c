/* The mapping of findings as data: from the text that is for people, whole or not at all. */
#include <string.h>

#include "check_main.h"
#include "report/mapping.h"

/* Checks what is written for the text of a map; "" stands for nothing. */
static void check(const char *map, const char *expected)
{
	struct strbuf out = STRBUF_INIT, whole = STRBUF_INIT;
	struct json_writer w;

	json_init(&w, &out, true);
	json_begin_object(&w, JSON_INLINE);
	mapping_write(&w, map);
	json_end(&w);
	strbuf_addf(&whole, "{%s}", expected);
	ck_assert_str_eq(out.s, whole.s);
	strbuf_release(&whole);
	strbuf_release(&out);
}

TEST(pairs)
{
	check("34 -> 2, 153 -> 9", "\"mapping\":[[34,2],[153,9]]");
	check("-1 -> 255", "\"mapping\":[[-1,255]]");
	check("7 -> 0, 8 -> 1, others -> 255", "\"mapping\":[[7,0],[8,1]],\"others\":255");
}

TEST(ranges)
{
	check("1 -> 0, ..., 4 -> 3", "\"mapping\":[[1,0],[2,1],[3,2],[4,3]]");
	check("1 -> 0, ..., 4 -> 4", "");
	check("4 -> 3, ..., 1 -> 0", "");
	check("1 -> 0, ..., 99999999 -> 99999998", "");
	check("..., 4 -> 3", "");
}

TEST(no_maps)
{
	check("", "");
	check("cat 0, dog 1", "");
	check("#000000 -> 0, #800000 -> 1", "");
	check("1 -> 0, 2 -> 1, 3 ->...", "");
	check("1 -> 0, ", "");
	check("others -> 255", "");
	check("1 -> 0, others -> 255 ", "");
}
