/* panoptic-mismatch: a JSON and a folder of PNGs, right and wrong in each way, measured as the audit does. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/check_main.h"
#include "../unit/png_bytes.h"
#include "coco_text.h"

extern const struct rule rule_panoptic_mismatch;

enum { WIDTH = 6, HEIGHT = 4 };

static char folder[64];

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s%s", folder, name);
	return path;
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

/* Columns 0 and 1 hold id 5, the others 0x010203, but for one pixel of id `odd`; grey has one channel. */
static void write_png(const char *name, uint32_t width, uint32_t odd, bool grey)
{
	struct bytes png = { 0 };
	uint8_t rows[HEIGHT * (1 + 3 * 8)] = { 0 }, *out = rows, packed[2 * sizeof(rows)];
	uLongf n = sizeof(packed);

	for (uint32_t y = 0; y < HEIGHT; y++) {
		*out++ = 0;
		for (uint32_t x = 0; x < width; x++) {
			uint32_t id = x < 2 ? 5 : y == 1 && x == 3 ? odd : 0x010203;

			for (unsigned c = 0; c < (grey ? 1 : 3); c++)
				*out++ = (uint8_t)(id >> 8 * c);
		}
	}
	png_begin(&png, width, HEIGHT, 8, grey ? 0 : 2, 0);
	if (strcmp(name, "/refused.png") == 0)
		bytes_chunk(&png, "gAMA", NULL, 0); /* Pillow needs 4 bytes */
	ck_assert_int_eq(compress(packed, &n, rows, (uLong)(out - rows)), Z_OK);
	bytes_chunk(&png, "IDAT", packed, n);
	bytes_chunk(&png, "IEND", NULL, 0);
	write_file(path_of(name), png.p, png.n);
	free(png.p);
}

/* Segments, and the name of the PNG, as JSON has them. */
static bool check(struct coco_text *t, const char *segments, const char *png)
{
	char json[2048], path[128];

	snprintf(json, sizeof(json),
		 "{\"images\":[{\"id\":1,\"width\":%d,\"height\":%d}],\"categories\":[{\"id\":0,\"name\":\"a\"}],"
		 "\"annotations\":[{\"image_id\":1,\"segments_info\":[%s],\"file_name\":\"%s\"}]}",
		 WIDTH, HEIGHT, segments, png);
	snprintf(path, sizeof(path), "%s.json", folder);
	ck_assert(coco_text_measure_at(t, path, json));
	return coco_text_check(t, &rule_panoptic_mismatch);
}

#define LEFT  "{\"id\":5,\"category_id\":0,\"area\":8}"
#define RIGHT "{\"id\":66051,\"category_id\":0,\"area\":16,\"bbox\":[2,0,4,4]}" /* 0x010203: R is the lowest byte */

TEST(panoptic_mismatch)
{
	static const struct {
		const char *segments, *png, *says; /* NULL: silent */
	} cases[] = {
		{ LEFT "," RIGHT, "right.png", NULL },
		{ RIGHT "," LEFT, "void.png", "1 segment has an area that is not its number of pixels" },
		/* 0 is no segment, and need be none */
		{ "{\"id\":66051,\"category_id\":0,\"area\":15}," LEFT, "void.png", NULL },
		{ LEFT "," RIGHT, "odd.png",
		  "1 pixel id belongs to no segment of their image; 1 segment has an area that is not its number of "
		  "pixels" },
		{ LEFT, "right.png", "1 pixel id belongs to no segment of their image (first at line 1, column" },
		{ LEFT "," RIGHT ",{\"id\":7,\"category_id\":0}", "right.png", "1 segment has no pixel" },
		{ LEFT "," RIGHT ",{\"id\":16777221,\"category_id\":0}", "right.png", "1 segment has no pixel" },
		{ LEFT "," RIGHT "," LEFT, "right.png", "1 segment has the id of another segment of the image" },
		{ "{\"id\":5,\"category_id\":0}," RIGHT, "right.png", NULL }, /* no area given */
		{ LEFT "," RIGHT, "wide.png",
		  "1 PNG differs in size from the image; 1 segment has an area that is not its number of pixels" },
		{ LEFT "," RIGHT, "missing.png", "1 PNG is missing, unreadable or not 8-bit RGB" },
		{ LEFT "," RIGHT, "refused.png", "1 PNG is missing, unreadable or not 8-bit RGB" },
		{ LEFT "," RIGHT, "grey.png", "1 PNG is missing, unreadable or not 8-bit RGB" },
		{ LEFT "," RIGHT, "", "1 PNG is missing, unreadable or not 8-bit RGB" },
		/* there, but out of the folder: not opened */
		{ LEFT "," RIGHT, "../right.png", "1 PNG is missing, unreadable or not 8-bit RGB" },
		{ LEFT "," RIGHT, "x/../right.png", "1 PNG is missing, unreadable or not 8-bit RGB" },
	};
	struct coco_text *t = coco_text_new("1");
	char beside[128];

	strcpy(folder, "/tmp/labelaudit-panoptic-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(mkdir(path_of("/x"), 0700), 0);
	write_png("/right.png", WIDTH, 0x010203, false);
	write_png("/odd.png", WIDTH, 9, false);
	write_png("/void.png", WIDTH, 0, false);
	write_png("/wide.png", WIDTH + 1, 0x010203, false);
	write_png("/grey.png", WIDTH, 7, true);
	write_png("/refused.png", WIDTH, 0x010203, false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool fires = check(t, cases[i].segments, cases[i].png);

		ck_assert_msg(fires == (cases[i].says != NULL), "%zu: %s", i, t->finding.message.s);
		ck_assert_msg(!fires || strstr(t->finding.message.s, cases[i].says), "%zu: %s", i,
			      t->finding.message.s);
	}
	ck_assert_uint_eq(coco_text_item(t)->stats.coco.facts.pngs, 0);
	ck_assert(!check(t, LEFT "," RIGHT, "right.png"));
	ck_assert_uint_eq(coco_text_item(t)->stats.coco.facts.pngs, 1);

	/* no folder of that name: nothing to compare with */
	static const char *const names[] = { "/right.png", "/odd.png",  "/void.png",
					     "/wide.png",  "/grey.png", "/refused.png" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(path_of(names[i]));
	rmdir(path_of("/x"));
	snprintf(beside, sizeof(beside), "%s", folder);
	rmdir(beside);
	ck_assert(!check(t, LEFT, "right.png"));
	coco_text_free(t);
}

/* The pixels of one PNG are not counted for the segments of the next: id 9 is in the first alone. */
TEST(each_png_by_itself)
{
	static const char json[] =
		"{\"images\":[{\"id\":1,\"width\":6,\"height\":4},{\"id\":2,\"width\":6,\"height\":4}],"
		"\"categories\":[{\"id\":0,\"name\":\"a\"}],\"annotations\":["
		"{\"image_id\":1,\"file_name\":\"odd.png\",\"segments_info\":[" LEFT
		",{\"id\":9,\"category_id\":0,\"area\":1},"
		"{\"id\":66051,\"category_id\":0,\"area\":15}]},"
		"{\"image_id\":2,\"file_name\":\"right.png\",\"segments_info\":[" LEFT "," RIGHT
		",{\"id\":9,\"category_id\":0}]}]}";
	struct coco_text *t = coco_text_new("1");
	char path[128];

	_Static_assert(WIDTH == 6 && HEIGHT == 4, "as in the JSON");
	strcpy(folder, "/tmp/labelaudit-panoptic-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	write_png("/right.png", WIDTH, 0x010203, false);
	write_png("/odd.png", WIDTH, 9, false);
	snprintf(path, sizeof(path), "%s.json", folder);
	ck_assert(coco_text_measure_at(t, path, json));
	ck_assert(coco_text_check(t, &rule_panoptic_mismatch));
	ck_assert_msg(!strncmp(t->finding.message.s, "1 segment has no pixel (first", 29), "%s", t->finding.message.s);
	unlink(path_of("/right.png"));
	unlink(path_of("/odd.png"));
	rmdir(path_of(""));
	coco_text_free(t);
}
