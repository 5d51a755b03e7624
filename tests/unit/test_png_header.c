/* Every field of IHDR with each of its 256 values, and the sides of images at their limits. */
#include <string.h>

#include "base/mem.h"
#include "base/png_header.h"
#include "base/work_units.h"
#include "check_main.h"

/* 3 x 2 pixels, 8 bits, grey */
static const uint8_t legal[PNG_IHDR_BYTES] = { 0, 0, 0, 3, 0, 0, 0, 2, 8, PNG_GREY, 0, 0, 0 };

static enum png_header_error parse_with(unsigned at, uint8_t value)
{
	uint8_t bytes[PNG_IHDR_BYTES];
	struct png_header png;

	memcpy(bytes, legal, sizeof(bytes));
	bytes[at] = value;
	return png_header_parse(bytes, &png);
}

/* Parses width and height, whose other bytes are legal, by both functions. */
static enum png_header_error parse_size(uint32_t width, uint32_t height)
{
	uint32_t sides[2] = { width, height }, found[2];
	uint8_t bytes[PNG_IHDR_BYTES];
	struct png_header png;

	memcpy(bytes, legal, sizeof(bytes));
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(sides[i / 4] >> (24 - 8 * (i % 4)));
	png_header_parse_size(bytes, &found[0], &found[1]);
	enum png_header_error error = png_header_parse(bytes, &png);

	ck_assert_uint_eq(found[0], width);
	ck_assert_uint_eq(found[1], height);
	ck_assert_uint_eq(png.width, width);
	ck_assert_uint_eq(png.height, height);
	return error;
}

TEST(fills_every_field)
{
	static const uint8_t bytes[PNG_IHDR_BYTES] = { 1, 2, 3, 4, 5, 6, 7, 8, 16, PNG_RGBA, 0, 0, 1 };
	struct png_header png;

	memset(&png, 0xff, sizeof(png));
	ck_assert_int_eq(png_header_parse(bytes, &png), PNG_HEADER_LEGAL);
	ck_assert_uint_eq(png.width, 0x01020304);
	ck_assert_uint_eq(png.height, 0x05060708);
	ck_assert_uint_eq(png.bit_depth, 16);
	ck_assert_uint_eq(png.colour_type, PNG_RGBA);
	ck_assert_uint_eq(png.interlace, 1);
	ck_assert_uint_eq(png.channels, 4);
	ck_assert(!png.animated);
	ck_assert_uint_eq(png.palette_entries, 0);
	for (unsigned i = 0; i < 256 * 3; i++)
		ck_assert_uint_eq(png.palette[i / 3][i % 3], 0);
}

TEST(fills_illegal_fields_as_declared)
{
	static const uint8_t bytes[PNG_IHDR_BYTES] = { 0xff, 0, 0, 1, 0, 0, 0, 0, 3, 7, 1, 1, 2 };
	struct png_header png;

	ck_assert_int_eq(png_header_parse(bytes, &png), PNG_HEADER_SIZE);
	ck_assert_uint_eq(png.width, 0xff000001);
	ck_assert_uint_eq(png.height, 0);
	ck_assert_uint_eq(png.bit_depth, 3);
	ck_assert_uint_eq(png.colour_type, 7);
	ck_assert_uint_eq(png.interlace, 2);
	ck_assert_uint_eq(png.channels, 0);
}

TEST(sides_are_1_to_2147483647)
{
	ck_assert_int_eq(parse_size(1, 1), PNG_HEADER_LEGAL);
	ck_assert_int_eq(parse_size(0x7fffffff, 1), PNG_HEADER_LEGAL);
	ck_assert_int_eq(parse_size(1, 0x7fffffff), PNG_HEADER_LEGAL);
	ck_assert_int_eq(parse_size(0, 1), PNG_HEADER_SIZE);
	ck_assert_int_eq(parse_size(1, 0), PNG_HEADER_SIZE);
	ck_assert_int_eq(parse_size(0x80000000, 1), PNG_HEADER_SIZE);
	ck_assert_int_eq(parse_size(1, 0x80000000), PNG_HEADER_SIZE);
	ck_assert_int_eq(parse_size(UINT32_MAX, UINT32_MAX), PNG_HEADER_SIZE);
}

/* The PNG specification's table 11.1, written out. */
TEST(depths_are_those_of_the_colour_type)
{
	static const uint8_t depths[5] = { 1, 2, 4, 8, 16 };
	static const struct {
		uint8_t colour_type, channels;
		bool takes[5];
	} types[] = {
		{ 0, 1, { true, true, true, true, true } },    { 2, 3, { false, false, false, true, true } },
		{ 3, 1, { true, true, true, true, false } },   { 4, 2, { false, false, false, true, true } },
		{ 6, 4, { false, false, false, true, true } },
	};

	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
			uint8_t bytes[PNG_IHDR_BYTES];
			struct png_header png;

			memcpy(bytes, legal, sizeof(bytes));
			bytes[8] = depths[i];
			bytes[9] = types[t].colour_type;
			ck_assert_int_eq(png_header_parse(bytes, &png),
					 types[t].takes[i] ? PNG_HEADER_LEGAL : PNG_HEADER_DEPTH_OF_COLOUR);
			ck_assert_uint_eq(png.channels, types[t].takes[i] ? types[t].channels : 0);
		}
	}
}

TEST(each_illegal_value_is_reported_as_its_field)
{
	for (unsigned v = 0; v < 256; v++) {
		uint8_t value = (uint8_t)v;
		bool is_depth = v == 1 || v == 2 || v == 4 || v == 8 || v == 16;
		bool is_colour = v == 0 || v == 2 || v == 3 || v == 4 || v == 6;

		ck_assert_int_eq(parse_with(8, value), is_depth ? PNG_HEADER_LEGAL : PNG_HEADER_BIT_DEPTH);
		ck_assert_int_eq(parse_with(9, value), is_colour ? PNG_HEADER_LEGAL : PNG_HEADER_COLOUR_TYPE);
		ck_assert_int_eq(parse_with(10, value), v == 0 ? PNG_HEADER_LEGAL : PNG_HEADER_COMPRESSION);
		ck_assert_int_eq(parse_with(11, value), v == 0 ? PNG_HEADER_LEGAL : PNG_HEADER_FILTER);
		ck_assert_int_eq(parse_with(12, value), v <= 1 ? PNG_HEADER_LEGAL : PNG_HEADER_INTERLACE);
	}
}

/* With every field from some byte on illegal, the error names the first of them. */
TEST(the_first_illegal_field_counts)
{
	static const struct {
		uint8_t bytes[PNG_IHDR_BYTES];
		enum png_header_error error;
	} cases[] = {
		{ { 0, 0, 0, 0, 0, 0, 0, 2, 3, 1, 1, 1, 2 }, PNG_HEADER_SIZE },
		{ { 0, 0, 0, 3, 0, 0, 0, 2, 3, 1, 1, 1, 2 }, PNG_HEADER_BIT_DEPTH },
		{ { 0, 0, 0, 3, 0, 0, 0, 2, 1, 1, 1, 1, 2 }, PNG_HEADER_COLOUR_TYPE },
		{ { 0, 0, 0, 3, 0, 0, 0, 2, 1, 2, 1, 1, 2 }, PNG_HEADER_DEPTH_OF_COLOUR },
		{ { 0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 1, 1, 2 }, PNG_HEADER_COMPRESSION },
		{ { 0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 1, 2 }, PNG_HEADER_FILTER },
		{ { 0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 2 }, PNG_HEADER_INTERLACE },
	};
	struct png_header png;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_int_eq(png_header_parse(cases[i].bytes, &png), cases[i].error);
}

TEST(work_is_what_the_header_declares)
{
	uint8_t head[PNG_IHDR_END] = PNG_SIGNATURE "\0\0\0\rIHDR";
	const size_t n = PNG_IHDR_AT + PNG_IHDR_BYTES;

	memcpy(head + PNG_IHDR_AT, legal, sizeof(legal));
	head[PNG_IHDR_AT + 1] = 1; /* 65539 x 2 pixels */
	ck_assert_uint_eq(png_work_units(head, n), 131078);
	ck_assert_uint_eq(png_inflated_bytes(head, n), 131080);
	ck_assert_uint_eq(png_work_units(head, n - 1), 0);
	head[PNG_IHDR_AT + 8] = 1;
	ck_assert_uint_eq(png_work_units(head, n), 131078);
	ck_assert_uint_eq(png_inflated_bytes(head, n), 2 * 8194);
	head[PNG_IHDR_AT + 8] = 16;
	head[PNG_IHDR_AT + 9] = PNG_RGBA;
	ck_assert_uint_eq(png_work_units(head, n), 8 * 131078);
	ck_assert_uint_eq(png_inflated_bytes(head, n), 2 * (8 * 65539 + 1));
	memset(head + PNG_IHDR_AT, 0x7f, 8); /* more than 64 bits hold */
	ck_assert_uint_eq(png_inflated_bytes(head, n), UINT64_MAX);
	head[PNG_IHDR_AT + 9] = 1;
	ck_assert_uint_eq(png_work_units(head, n), 0);
	ck_assert_uint_eq(png_inflated_bytes(head, n), 0);
	head[PNG_IHDR_AT + 9] = PNG_RGBA;
	head[0] = 0x09;
	ck_assert_uint_eq(png_work_units(head, n), 0);
}
