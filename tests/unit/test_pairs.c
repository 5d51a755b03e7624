/* Which image belongs to which mask: the ways in which datasets name them. */
#include "check_main.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "find/pairs.h"

static char folder[] = "/tmp/labelaudit-pairs-XXXXXX";
static char images[sizeof(folder) + 8], masks[sizeof(folder) + 8];

static void touch(const char *under, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", under, name);
	for (char *slash = strchr(path + sizeof(images), '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	ck_assert_msg(fd >= 0, "%s", path);
	close(fd);
}

static void set_up(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(images, sizeof(images), "%s/images", folder);
	snprintf(masks, sizeof(masks), "%s/masks", folder);
	mkdir(images, 0700);
	mkdir(masks, 0700);
}

static void tear_down(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static const struct {
	const char *mask, *image;
} partners[] = {
	{ "0001.png", "0001.jpg" },
	{ "0002.npy", "0002.JPEG" },
	{ "train/0001.png", "train/0001.png" },
	{ "deep/er/a.b.png", "a.b.webp" },
	{ "x_mask.png", "x.jpg" },
	{ "y_mask.png", "y_sat.jpg" },
	{ "val/f_000294_gtFine_labelTrainIds.png", "val/f_000294_leftImg8bit.png" },
	{ "21_manual1.png", "21_training.tif" },
	{ "_mask.png", "_mask.jpg" },
	{ "case_1.png", "case_1_0000.png" },
};

static const struct channel_names none;

TEST(partners_find_each_other)
{
	const char *const roots[] = { masks };
	struct strbuf path = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct pairs pairs;
	char typed[sizeof(images) + 4], expected[256];
	size_t name_at;
	bool flat;

	for (size_t i = 0; i < ARRAY_SIZE(partners); i++) {
		ck_assert_int_eq(is_image_name(partners[i].image), true);
		touch(masks, partners[i].mask);
		touch(images, partners[i].image);
	}
	snprintf(typed, sizeof(typed), "%s//", images);
	ck_assert_int_eq(pairs_open(&pairs, typed, roots, 1, &none, &err), STATUS_OK);
	for (size_t i = 0; i < ARRAY_SIZE(partners); i++) {
		ck_assert_msg(pairs_find_image(&pairs, partners[i].mask, 0, &path, &name_at, &flat), "%s",
			      partners[i].mask);
		ck_assert_str_eq(path.s + name_at, partners[i].image);
		ck_assert_int_eq(flat, !strncmp(partners[i].mask, "deep", 4));
		snprintf(expected, sizeof(expected), "%s/%s", images, partners[i].image);
		ck_assert_str_eq(path.s, expected);
		if (strncmp(partners[i].mask, "deep", 4) != 0)
			ck_assert_msg(pairs_has_mask(&pairs, partners[i].image), "%s", partners[i].image);
	}
	ck_assert(!pairs_find_image(&pairs, "train/0002.png", 0, &path, &name_at, &flat) ||
		  !strcmp(path.s + name_at, "0002.JPEG")); /* all images in one folder */
	ck_assert(!pairs_find_image(&pairs, "train/0003.png", 0, &path, &name_at, &flat));
	snprintf(expected, sizeof(expected), "%s/train/0003", images);
	ck_assert_str_eq(path.s, expected);
	ck_assert(!pairs_has_mask(&pairs, "0003.jpg"));
	pairs_close(&pairs);
	strbuf_release(&path);
}

TEST(stems)
{
	ck_assert_uint_eq(pairs_stem("a.b/c"), 5);
	ck_assert_uint_eq(pairs_stem("a/b.c.png"), 5);
	ck_assert_uint_eq(pairs_stem("a/.png"), 6);
	ck_assert(!is_image_name("a/jpg"));
	ck_assert(!is_image_name("a.txt"));
}

TEST(no_folder)
{
	struct error err = ERROR_INIT;
	struct pairs pairs;

	touch(masks, "file");
	ck_assert_int_eq(pairs_open(&pairs, "/nothing/here", NULL, 0, &none, &err), STATUS_FAILED);
	ck_assert_str_eq(err.text, "--images: cannot open '/nothing/here': No such file or directory");
}

FIXTURE(set_up, tear_down)
