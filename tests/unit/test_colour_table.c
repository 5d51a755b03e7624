/* The table of colours: look-ups, doubles, its bound, the nearest colour against all of them, and its text. */
#include <stdlib.h>

#include "base/colour_table.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "check_main.h"
#include "random.h"

static int32_t other;

TEST(look_ups)
{
	struct colour_table t = { 0 };
	struct strbuf text = STRBUF_INIT;

	ck_assert_ptr_null(colour_table_nearest(&t, 0));
	ck_assert(colour_table_add(&t, 0x800000, 1, &other) && colour_table_add(&t, 0, 0, &other));
	ck_assert(colour_table_add(&t, 0xffffff, 1, &other)); /* a class may have several */
	ck_assert(colour_table_add(&t, 0, 0, &other));
	ck_assert(!colour_table_add(&t, 0xffffff, 2, &other) && other == 1);
	ck_assert_int_eq(colour_table_find(&t, 0xffffff), 1);
	ck_assert_int_eq(colour_table_find(&t, 0x800001), NO_COLOUR_CLASS);
	colour_table_format(&t, &text);
	ck_assert_str_eq(text.s, "0=#000000,1=#800000,1=#ffffff");
	colour_table_remove(&t, 0x800000);
	colour_table_remove(&t, 0x800000);
	ck_assert_uint_eq(t.count, 2);
	ck_assert_int_eq(colour_table_find(&t, 0x800000), NO_COLOUR_CLASS);
	strbuf_release(&text);
	colour_table_release(&t);
}

TEST(bounded)
{
	struct colour_table t = { 0 };

	for (uint32_t i = 0; i < COLOUR_TABLE_MAX; i++)
		ck_assert(colour_table_add(&t, i * 7 % COLOUR_TABLE_MAX, (int32_t)i, &other));
	ck_assert(!colour_table_add(&t, COLOUR_TABLE_MAX, 0, &other) && other == NO_COLOUR_CLASS);
	for (uint32_t i = 0; i < COLOUR_TABLE_MAX; i++)
		ck_assert_int_eq(colour_table_find(&t, i * 7 % COLOUR_TABLE_MAX), (int32_t)i);
	colour_table_release(&t);
}

static int squares(uint32_t a, uint32_t b)
{
	int r = (int)(a >> 16) - (int)(b >> 16), g = (int)(a >> 8 & 255) - (int)(b >> 8 & 255),
	    blue = (int)(a & 255) - (int)(b & 255);

	return r * r + g * g + blue * blue;
}

TEST(nearest)
{
	struct colour_table t = { 0 };
	uint64_t s = 3;

	for (int i = 0; i < 40; i++)
		colour_table_add(&t, random_next(&s) & 0xffffff, i, &other);
	for (int i = 0; i < 2000; i++) {
		uint32_t colour = random_next(&s) & 0xffffff;
		const struct colour_entry *e = colour_table_nearest(&t, colour);

		for (size_t j = 0; j < t.count; j++)
			ck_assert_int_le(squares(e->colour, colour), squares(t.v[j].colour, colour));
	}
	colour_table_release(&t);
}

TEST(texts)
{
	struct strbuf text = STRBUF_INIT;
	uint32_t colour;

	ck_assert(colour_parse("#01aBfF", 7, &colour) && colour == 0x01abff);
	ck_assert(!colour_parse("#01aBf", 6, &colour) && !colour_parse("01aBfF0", 7, &colour));
	ck_assert(!colour_parse("#01aBfG", 7, &colour) && !colour_parse("#01aBfF0", 8, &colour));
	ck_assert(!colour_parse("#0000\0000", 7, &colour));
	id_format(21, &text);
	id_format(-1, &text);
	id_format(COLOUR_ID(0x00ff01), &text);
	id_format(COLOUR_ID(0xffffff) + 1, &text);
	ck_assert_str_eq(text.s, "21-1#00ff019223372036837998592");
	strbuf_release(&text);
}

/* No integer is a label and a colour; what is neither is no id at all. */
TEST(labels_are_no_colours)
{
	const struct {
		const char *typed;
		bool is_id, is_colour;
	} cases[] = {
		{ "-9223372036854775808", true, false },
		{ "0", true, false },
		{ "4294967296", true, false },
		{ "4311744511", true, false },
		{ "9223372036821221375", true, false },
		{ "9223372036821221376", false, false },
		{ "9223372036837998591", false, false },
		{ "9223372036837998592", false, false },
		{ "9223372036854775806", false, false },
		{ "9223372036854775807", true, false },
		{ "9223372036854775808", false, false },
		{ "#000000", true, true },
		{ "#ffffff", true, true },
		{ "#fffff", false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *p = cases[i].typed;
		int64_t id, integer;
		struct strbuf text = STRBUF_INIT;

		ck_assert_msg(id_scan(&p, &id) == cases[i].is_id, "%s", cases[i].typed);
		if (cases[i].typed[0] != '#')
			ck_assert_msg((scan_integer(cases[i].typed, strlen(cases[i].typed), &integer) ==
				       INTEGER_EXACT) == cases[i].is_id,
				      "%s", cases[i].typed);
		if (!cases[i].is_id)
			continue;
		ck_assert_msg(id_is_colour(id) == cases[i].is_colour && id_is_label(id) != cases[i].is_colour, "%s",
			      cases[i].typed);
		id_format(id, &text);
		ck_assert_str_eq(text.s, cases[i].typed);
		strbuf_release(&text);
	}
}
