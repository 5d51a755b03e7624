/* folder_looks.h: which folders hold photos, masks and plots, by what lies in them. */
#include "check_main.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "layout/folder_looks.h"
#include "png_bytes.h"
#include "random.h"

enum { SIDE = 48 };

enum drawing { PHOTO, MASK, PLOT };

static char top[] = "/tmp/labelaudit-looks-XXXXXX"; /* the folder of the current test */

/* Writes a grey photo, a mask of rectangles, or a plot in colours with alpha. */
static void draw(const char *path, enum drawing what, uint64_t *s)
{
	const unsigned channels = what == PLOT ? 4 : 1;
	const size_t row = (size_t)SIDE * channels + 1;
	uint8_t ihdr[13] = { [3] = SIDE, [7] = SIDE, [8] = 8, [9] = what == PLOT ? 6 : 0 };
	uint8_t *rows = xcalloc(SIDE, row), packed[1 << 15];
	uLongf packed_len = sizeof(packed);
	struct bytes png = { 0 };

	for (unsigned y = 0; y < SIDE; y++)
		for (unsigned x = 1; x < row; x++)
			rows[y * row + x] = what == PHOTO  ? (uint8_t)(40 + x + 2 * y + random_below(s, 20))
					    : what == MASK ? (uint8_t)(x / 20 + y / 30)
							   : (uint8_t)(y == 20 ? 90 : 255);
	ck_assert_int_eq(compress(packed, &packed_len, rows, SIDE * row), Z_OK);
	bytes_add(&png, "\x89PNG\r\n\x1a\n", 8);
	bytes_chunk(&png, "IHDR", ihdr, sizeof(ihdr));
	bytes_chunk(&png, "IDAT", packed, packed_len);
	bytes_chunk(&png, "IEND", NULL, 0);
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(png.p, 1, png.n, f), png.n);
	fclose(f);
	free(png.p);
	free(rows);
}

/* Adds `count` files to a folder below top, named from `first` on. A JPEG is not written: its name suffices. */
static void add(struct folder_looks *l, const char *folder, enum role role, enum drawing what, unsigned first,
		unsigned count, const char *extension)
{
	uint64_t s = 7 + first;
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", top, folder);
	mkdir(path, 0700);
	for (unsigned i = first; i < first + count; i++) {
		snprintf(path, sizeof(path), "%s/%s/s%03u.%s", top, folder, i, extension);
		const struct entry entry = {
			.path = path, .name = strrchr(path, '/') + 1, .dirfd = AT_FDCWD, .rel_offset = strlen(top) + 1
		};

		if (!strcmp(extension, "png"))
			draw(path, what, &s);
		folder_looks_add(l, &entry, role);
	}
}

static void end(struct folder_looks *l)
{
	static struct probe_ahead nothing_ahead;

	probe_ahead_init(&nothing_ahead, NULL, NULL);
	folder_looks_end(l, &nothing_ahead);
	probe_ahead_release(&nothing_ahead);
}

static enum folder_content content(const struct folder_looks *l, const char *folder)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s/x.png", top, folder);
	const struct entry entry = { .path = path, .name = "x.png", .rel_offset = strlen(top) + 1 };

	return folder_looks_find(l, &entry);
}

static void setup(void)
{
	strcpy(top, "/tmp/labelaudit-looks-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
}

static void teardown(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	ck_assert_int_eq(system(command), 0);
}

/* Two folders of unknown names, whose files have the same names. */
START_TEST(photos_beside_masks)
{
	struct folder_looks l;

	folder_looks_init(&l);
	add(&l, "scans", ROLE_UNKNOWN, PHOTO, 0, 14, "png");
	add(&l, "y", ROLE_UNKNOWN, MASK, 0, 14, "png");
	end(&l);
	ck_assert_int_eq(content(&l, "scans"), FOLDER_PHOTOS);
	ck_assert_int_eq(content(&l, "y"), FOLDER_MASKS);
	ck_assert_int_eq(content(&l, "z"), FOLDER_UNKNOWN);
	ck_assert(l.paired);
	folder_looks_release(&l);
}
END_TEST

/* Photos are images only beside masks: of their names, or in a folder that is called so. */
START_TEST(photos_of_no_masks)
{
	struct folder_looks l;

	folder_looks_init(&l);
	add(&l, "scans", ROLE_UNKNOWN, PHOTO, 0, 14, "png");
	add(&l, "y", ROLE_UNKNOWN, MASK, 500, 14, "png");
	end(&l);
	ck_assert_int_eq(content(&l, "scans"), FOLDER_UNKNOWN);
	ck_assert(!l.paired);
	folder_looks_release(&l);

	add(&l, "scans", ROLE_UNKNOWN, PHOTO, 0, 14, "png");
	add(&l, "masks", ROLE_LABELS, MASK, 500, 14, "png");
	end(&l);
	ck_assert_int_eq(content(&l, "scans"), FOLDER_PHOTOS);
	folder_looks_release(&l);

	/* one folder is not probed */
	add(&l, "scans", ROLE_UNKNOWN, PHOTO, 0, 14, "png");
	end(&l);
	ck_assert_int_eq(content(&l, "scans"), FOLDER_UNKNOWN);
	ck_assert_uint_eq(l.probes, 0);
	folder_looks_release(&l);
}
END_TEST

/* Masks that a photo's folder holds by mistake do not make it one of masks; a few photos make no folder of photos. */
START_TEST(the_most_decide)
{
	struct folder_looks l;

	folder_looks_init(&l);
	add(&l, "a", ROLE_UNKNOWN, PHOTO, 0, 9, "png");
	add(&l, "a", ROLE_UNKNOWN, MASK, 9, 2, "png");
	add(&l, "b", ROLE_UNKNOWN, MASK, 0, 11, "png");
	end(&l);
	ck_assert_int_eq(content(&l, "a"), FOLDER_PHOTOS);
	ck_assert_int_eq(content(&l, "b"), FOLDER_MASKS);
	folder_looks_release(&l);

	add(&l, "c", ROLE_UNKNOWN, MASK, 0, 9, "png");
	add(&l, "c", ROLE_UNKNOWN, PHOTO, 9, 2, "png");
	add(&l, "d", ROLE_UNKNOWN, MASK, 0, 11, "png");
	end(&l);
	ck_assert_int_ne(content(&l, "c"), FOLDER_PHOTOS);
	ck_assert_int_eq(content(&l, "d"), FOLDER_MASKS);
	folder_looks_release(&l);
}
END_TEST

START_TEST(plots_in_docs)
{
	struct folder_looks l;

	folder_looks_init(&l);
	add(&l, "docs", ROLE_UNKNOWN, PLOT, 0, 3, "png");
	add(&l, "y", ROLE_UNKNOWN, MASK, 100, 14, "png");
	end(&l);
	ck_assert_int_eq(content(&l, "docs"), FOLDER_PLOTS);
	folder_looks_forget_plots(&l);
	ck_assert_int_eq(content(&l, "docs"), FOLDER_UNKNOWN);
	folder_looks_release(&l);

	/* elsewhere they may be masks in colours */
	add(&l, "figures_of_mine", ROLE_UNKNOWN, PLOT, 0, 3, "png");
	add(&l, "y", ROLE_UNKNOWN, MASK, 100, 14, "png");
	end(&l);
	ck_assert_int_eq(content(&l, "figures_of_mine"), FOLDER_UNKNOWN);
	folder_looks_release(&l);
}
END_TEST

/* JPEGs are photos by their names, and are not opened. */
START_TEST(pairs_by_name)
{
	struct folder_looks l;

	folder_looks_init(&l);
	add(&l, "images", ROLE_IMAGES, PHOTO, 0, 30, "jpg");
	add(&l, "masks", ROLE_LABELS, MASK, 0, 30, "png");
	end(&l);
	ck_assert(folder_looks_have_named_pair(&l));
	ck_assert_uint_le(l.probes, FOLDER_SAMPLE);
	folder_looks_release(&l);

	add(&l, "images", ROLE_IMAGES, PHOTO, 0, 30, "jpg");
	add(&l, "masks", ROLE_LABELS, MASK, 400, 30, "png");
	end(&l);
	ck_assert(!folder_looks_have_named_pair(&l));
	folder_looks_release(&l);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("folder_looks");
	TCase *t = tcase_create("folders");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, photos_beside_masks);
	tcase_add_test(t, photos_of_no_masks);
	tcase_add_test(t, the_most_decide);
	tcase_add_test(t, plots_in_docs);
	tcase_add_test(t, pairs_by_name);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
