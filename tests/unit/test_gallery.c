/*
 * Pictures of masks: which masks are chosen, that no mark is lost when a picture is smaller than its mask, that what
 * cannot be read has none. libpng reads what was written.
 */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "check_main.h"
#include "find_tree.h"
#include "output/gallery.h"
#include "output/thumbnail_png.h"
#include "random_masks.h"
#include "report_fixture.h"

struct picture {
	png_image image;
	uint8_t *rgb;
};

static void read_picture(struct picture *p, const struct thumbnail *t)
{
	memset(p, 0, sizeof(*p));
	p->image.version = PNG_IMAGE_VERSION;
	ck_assert(png_image_begin_read_from_memory(&p->image, t->png, t->png_bytes));
	p->image.format = PNG_FORMAT_RGB;
	ck_assert_uint_eq(p->image.width, t->width);
	ck_assert_uint_eq(p->image.height, t->height);
	p->rgb = xmalloc(PNG_IMAGE_SIZE(p->image));
	ck_assert(png_image_finish_read(&p->image, NULL, p->rgb, 0, NULL));
	ck_assert_uint_eq(p->image.warning_or_error, 0);
}

static bool is(const struct picture *p, uint32_t x, uint32_t y, unsigned red, unsigned green, unsigned blue)
{
	const uint8_t *at = p->rgb + 3 * ((size_t)y * p->image.width + x);

	return at[0] == red && at[1] == green && at[2] == blue;
}

static bool is_marked(const struct picture *p, uint32_t x, uint32_t y)
{
	return is(p, x, y, 255, 0, 255);
}

static size_t count_marked(const struct picture *p)
{
	size_t n = 0;

	for (uint32_t y = 0; y < p->image.height; y++)
		for (uint32_t x = 0; x < p->image.width; x++)
			n += is_marked(p, x, y);
	return n;
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

TEST(colours)
{
	struct thumbnail_png *canvas = xmalloc(sizeof(*canvas));
	struct thumbnail t = { 0 };
	struct picture p;

	thumbnail_png_begin(canvas, 4, 1);
	thumbnail_png_pixel(canvas, 0, 0, 0, ID_CLASS);
	thumbnail_png_pixel(canvas, 1, 0, 1, ID_CLASS);
	thumbnail_png_pixel(canvas, 2, 0, 15, ID_CLASS);
	thumbnail_png_pixel(canvas, 3, 0, 255, ID_IGNORED);
	thumbnail_png_end(canvas, &t);
	read_picture(&p, &t);
	ck_assert_uint_eq(t.marked, 0);
	ck_assert(is(&p, 0, 0, 0, 0, 0));
	ck_assert(is(&p, 1, 0, 128, 0, 0)); /* as VOCcolormap has 1 and 15 */
	ck_assert(is(&p, 2, 0, 192, 128, 128));
	ck_assert(is(&p, 3, 0, 224, 224, 224));
	free(p.rgb);
	free(t.png);
	free(canvas);
}

/* Any size, a few marks: each of them is seen, and nothing else is magenta. */
TEST(no_mark_is_lost)
{
	struct thumbnail_png *canvas = xmalloc(sizeof(*canvas));
	uint64_t seed = 7;

	for (int round = 0; round < 60; round++) {
		uint32_t width = 1 + random_below(&seed, 1500), height = 1 + random_below(&seed, 900), at[5][2];
		struct thumbnail t = { 0 };
		struct picture p;

		thumbnail_png_begin(canvas, width, height);
		ck_assert_uint_le(MAX(canvas->width, canvas->height), THUMBNAIL_EDGE);
		for (int i = 0; i < 5; i++) {
			at[i][0] = i ? random_below(&seed, width) : width - 1;
			at[i][1] = i ? random_below(&seed, height) : height - 1;
		}
		/* row by row, as a mask is decoded */
		for (uint32_t y = 0; y < height; y++) {
			for (uint32_t x = 0; x < width; x++)
				thumbnail_png_pixel(canvas, x, y, x ^ y, ID_CLASS);
			for (int i = 0; i < 5; i++)
				if (at[i][1] == y)
					thumbnail_png_pixel(canvas, at[i][0], y, 0, ID_INVALID);
		}
		thumbnail_png_end(canvas, &t);
		read_picture(&p, &t);
		ck_assert_uint_eq(t.marked, 5);
		for (int i = 0; i < 5; i++)
			ck_assert(is_marked(&p, at[i][0] / canvas->scale, at[i][1] / canvas->scale));
		ck_assert_uint_le(count_marked(&p), 5);
		free(p.rgb);
		free(t.png);
	}
	free(canvas);
}

/* ---- the gallery ------------------------------------------------------------------------------------------------ */

enum { WIDTH = 400, HEIGHT = 300 };

static void enter(void)
{
	tree_enter();
	report_make();
}

static void leave(void)
{
	report_free();
	tree_leave();
}

/* A grey mask of 1s with `strays` pixels of 21, at x = 17 i, y = 11 i. */
static void write_mask(const char *path, unsigned strays)
{
	uint8_t *ids = xmalloc((size_t)WIDTH * HEIGHT);
	png_image image = { .version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_GRAY };

	memset(ids, 1, (size_t)WIDTH * HEIGHT);
	for (unsigned i = 0; i < strays; i++)
		ids[11 * i * WIDTH + 17 * i] = 21;
	ck_assert(png_image_write_to_file(&image, path, 0, ids, 0, NULL));
	free(ids);
}

static void add(const char *rule, const char *path, const char *member, int64_t id, uint64_t labels)
{
	static struct finding f;

	finding_init(&f, rule_find(rule));
	text_addf(&f.message, "message");
	if (labels)
		finding_add_id(&f, id, labels);
	f.details.has_first = true;
	f.details.first_x = 200;
	f.details.first_y = 100;
	finding_list_add(&fixture.findings, &f, path, member);
}

static void make(struct thumbnails *pictures)
{
	finding_list_finish(&fixture.findings);
	gallery_make(pictures, &fixture.report);
}

TEST(offenders_are_marked)
{
	struct thumbnails pictures;
	struct picture p;

	write_mask("a.png", 9);
	add("out-of-range-id", "a.png", NULL, 21, 9);
	make(&pictures);
	ck_assert_uint_eq(pictures.count, 1);
	ck_assert_uint_eq(pictures.v[0].mask_width, WIDTH);
	ck_assert_uint_eq(pictures.v[0].marked, 9);
	read_picture(&p, &pictures.v[0]);
	ck_assert_uint_eq(count_marked(&p), 9);
	for (uint32_t i = 0; i < 9; i++)
		ck_assert(is_marked(&p, 17 * i / 2, 11 * i / 2));
	ck_assert(is(&p, 199, 149, 128, 0, 0));
	ck_assert(is(&p, 98, 48, 255, 224, 0)); /* the box */
	free(p.rgb);
	gallery_release(&pictures);
}

TEST(passed_over)
{
	struct thumbnails pictures;

	write_mask("picture.png", 3);
	write_file("broken.png", "\x89PNG\r\n\x1a\nno more", 15);
	ck_assert_int_eq(mkfifo("fifo.png", 0600), 0);
	add("edge-halo", "gone.png", NULL, 21, 3);
	add("single-id", "fifo.png", NULL, 21, 3);
	add("scaled-ids", "broken.png", NULL, 21, 3);
	add("wrapped-negative-ids", "picture.png", "member.png", 21, 3);
	add("image-without-label", "picture.png", NULL, 0, 0);
	add("missing-class", NULL, NULL, 2, 0);
	make(&pictures);
	ck_assert_uint_eq(pictures.count, 0);
	gallery_release(&pictures);
}

/* A mask of one colour shows nothing; a file has one picture, of its finding with a box, for all that one cause
 * explains. */
TEST(telling)
{
	struct thumbnails pictures;

	write_mask("flat.png", 0);
	write_mask("a.png", 3);
	add("single-id", "flat.png", NULL, 1, 120000);
	add("out-of-range-id", "a.png", NULL, 21, 3);
	add("scaled-ids", "a.png", NULL, 1, 3);
	finding_list_finish(&fixture.findings);
	for (size_t i = 0; i < fixture.findings.count; i++)
		if (!strcmp(fixture.findings.v[i].path, "a.png"))
			fixture.findings.v[i].explained_by = rule_find("scaled-ids");
	gallery_make(&pictures, &fixture.report);
	ck_assert_uint_eq(pictures.count, 1);
	ck_assert_str_eq(pictures.v[0].finding->rule->name, "out-of-range-id");
	ck_assert_double_eq(pictures.v[0].share, 3.0 / (WIDTH * HEIGHT));
	gallery_release(&pictures);
}

/* Three of a cause, the worst first; none that is known from a baseline. */
TEST(worst_are_chosen)
{
	static const unsigned strays[] = { 3, 9, 1, 7, 8, 2 }, worst[] = { 8, 7, 3 };
	struct thumbnails pictures;
	char path[16];

	for (unsigned i = 0; i < ARRAY_SIZE(strays); i++) {
		snprintf(path, sizeof(path), "%u.png", i);
		write_mask(path, strays[i]);
		add("out-of-range-id", path, NULL, 21, strays[i]);
	}
	finding_list_finish(&fixture.findings);
	fixture.findings.v[1].baselined = true;
	gallery_make(&pictures, &fixture.report);
	ck_assert_uint_eq(pictures.count, 3);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(pictures.v[i].marked, worst[i]);
	gallery_release(&pictures);
}

TIMEOUT(60)
FIXTURE(enter, leave)
