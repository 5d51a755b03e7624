/* The views, by known values. tests/property/views.py compares files and the luma of all colours with Pillow and
 * OpenCV. */
#include <string.h>

#include "base/mem.h"
#include "check_main.h"
#include "png/view.h"

static struct png_header header(unsigned colour_type, unsigned depth)
{
	static const uint8_t channels[] = { 1, 0, 3, 1, 2, 0, 4 };

	return (struct png_header){ .width = 4,
				    .height = 1,
				    .bit_depth = (uint8_t)depth,
				    .colour_type = (uint8_t)colour_type,
				    .channels = channels[colour_type] };
}

TEST(grey_is_scaled_as_the_loader_does)
{
	static const struct {
		unsigned depth;
		enum view view;
		uint8_t sample, id;
		bool identity;
	} t[] = {
		{ 1, VIEW_PIL, 1, 1, true },     { 1, VIEW_RAW, 1, 1, true },   { 1, VIEW_CV2, 1, 255, false },
		{ 2, VIEW_PIL, 3, 255, false },  { 2, VIEW_PIL, 1, 85, false }, { 2, VIEW_RAW, 3, 3, true },
		{ 2, VIEW_CV2, 2, 170, false },  { 4, VIEW_PIL, 1, 17, false }, { 4, VIEW_RAW, 15, 15, true },
		{ 4, VIEW_CV2, 15, 255, false }, { 8, VIEW_PIL, 77, 77, true }, { 8, VIEW_CV2, 77, 77, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct png_header png = header(PNG_GREY, t[i].depth);
		struct view_map m;
		uint8_t id;

		view_map_init(&m, &png, t[i].view);
		ck_assert(m.has_ids && !m.wide);
		ck_assert_int_eq(m.identity, t[i].identity);
		view_map_row(&m, &t[i].sample, 1, &id);
		ck_assert_uint_eq(id, t[i].id);
	}
}

TEST(sixteen_bits)
{
	struct png_header png = header(PNG_GREY, 16);
	uint16_t row[4] = { 0, 255, 256, 65535 }, wide[4];
	uint8_t ids[4];
	struct view_map m;

	view_map_init(&m, &png, VIEW_PIL);
	ck_assert(m.wide && m.identity && m.has_ids);
	view_map_row(&m, row, 4, wide);
	ck_assert_mem_eq(wide, row, sizeof(row));
	view_map_init(&m, &png, VIEW_CV2);
	ck_assert(!m.wide && !m.identity);
	view_map_row(&m, row, 4, ids);
	ck_assert_mem_eq(ids, "\0\0\1\377", 4);
}

TEST(palettes_are_indices_or_luma)
{
	struct png_header png = header(PNG_PALETTE, 4);
	uint8_t row[3] = { 0, 1, 15 }, ids[3];
	struct view_map m;

	png.palette_entries = 2;
	memcpy(png.palette[1], "\200\0\0", 3); /* VOC's aeroplane */
	view_map_init(&m, &png, VIEW_PIL);
	ck_assert(m.identity);
	view_map_init(&m, &png, VIEW_CV2);
	ck_assert(!m.identity);
	view_map_row(&m, row, 3, ids);
	ck_assert_mem_eq(ids, "\0\46\0", 3);
	for (unsigned v = 0; v < 16; v++)
		memset(png.palette[v], (int)v, 3);
	view_map_init(&m, &png, VIEW_CV2);
	ck_assert(m.identity); /* grey palette: the luma is the index */
}

TEST(several_channels_have_ids_for_cv2_alone)
{
	struct png_header png = header(PNG_GREY_ALPHA, 8);
	struct view_map m;
	uint8_t ids[2];

	view_map_init(&m, &png, VIEW_PIL);
	ck_assert(!m.has_ids && !m.identity);
	view_map_init(&m, &png, VIEW_RAW);
	ck_assert(!m.has_ids);
	view_map_init(&m, &png, VIEW_CV2);
	ck_assert(m.has_ids && !m.identity && !m.wide);
	view_map_row(&m, "\5\377\6\0", 2, ids);
	ck_assert_mem_eq(ids, "\5\6", 2);
	png = header(PNG_RGBA, 8);
	view_map_init(&m, &png, VIEW_CV2);
	view_map_row(&m, "\200\0\0\0\7\7\7\377", 2, ids);
	ck_assert_mem_eq(ids, "\46\7", 2);
}
