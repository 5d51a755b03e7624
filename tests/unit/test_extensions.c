/* Names with each extension of base/file_name.h, names that only look so, and folders in paths. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "check_main.h"
#include "layout/words.h"

static const struct {
	const char *name;
	bool is_image, is_torchvision, is_never_archive;
} names[] = {
	{ "1.jpg", true, true, true },
	{ "1.jpeg", true, true, true },
	{ "1.png", true, true, true },
	{ "1.bmp", true, true, false },
	{ "1.gif", true, false, false },
	{ "1.tif", true, true, false },
	{ "1.tiff", true, true, false },
	{ "1.webp", true, true, false },
	{ "1.ppm", false, true, false },
	{ "1.pgm", false, true, false },
	{ "1.npy", false, false, true },
	{ "1.txt", false, false, true },
	{ "1.csv", false, false, true },
	{ "1.tsv", false, false, true },
	{ "1.json", false, false, true },
	{ "1.yaml", false, false, true },
	{ "1.xml", false, false, true },
	{ "1.yml", false, false, false },
	{ "1.npz", false, false, false },
	{ "1.tar", false, false, false },
	{ "1.dng", false, false, false },
	{ "1.heic", false, false, false },
	{ "1.mpo", false, false, false },
	{ "1.avif", false, false, false },
	{ "a.b.WebP", true, true, false },
	{ "a/b/1.tIfF", true, true, false },
	{ "1.jpg.png", true, true, true },
	{ "1..png", true, true, true },
	{ "a/.png", true, true, true },
	{ ".png", false, true, false }, /* torchvision compares with str.endswith */
	{ "png", false, false, false },
	{ "jpg", false, false, false },
	{ "apng", false, false, false },
	{ "a/jpg", false, false, false },
	{ "1.jpg.txt", false, false, true },
	{ "1.jpg.gz", false, false, false },
	{ "1.jpg ", false, false, false },
	{ "1.jp", false, false, false },
	{ "1.", false, false, false },
	{ ".", false, false, false },
	{ "", false, false, false },
};

TEST(names_have_extensions)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char upper[32] = "";

		for (size_t c = 0; names[i].name[c]; c++)
			upper[c] = (char)toupper((unsigned char)names[i].name[c]);
		for (unsigned u = 0; u < 2; u++) {
			const char *name = u ? upper : names[i].name;

			ck_assert_msg(is_image_name(name) == names[i].is_image, "%s", name);
			ck_assert_msg(has_torchvision_extension(name) == names[i].is_torchvision, "%s", name);
			ck_assert_msg(is_never_archive_name(name) == names[i].is_never_archive, "%s", name);
		}
	}
}

/* Compares a list with its members in order, between spaces. */
static void expect_list(const char *const *list, const char *expected)
{
	char all[256] = "";

	for (; *list; list++) {
		size_t n = strlen(all);

		snprintf(all + n, sizeof(all) - n, "%s%s", n ? " " : "", *list);
	}
	ck_assert_str_eq(all, expected);
}

TEST(lists_have_their_members)
{
	expect_list(image_extensions, ".jpg .png .jpeg .tif .tiff .webp .bmp .gif .JPG .PNG .JPEG .TIF .BMP");
	expect_list(ultralytics_extensions,
		    ".jpg .png .jpeg .JPG .PNG .JPEG .bmp .tif .tiff .webp .dng .heic .mpo .avif");
	expect_list(annotated_photo_extensions, ".jpg .jpeg .png .JPG");
	expect_list(listed_image_extensions, ".jpg .png .jpeg .JPG .JPEG .tif .bmp .webp");
}

/* The last character decides about most names: it must let every extension pass. */
TEST(every_image_extension_makes_an_image_name)
{
	char name[16];

	for (const char *const *e = image_extensions; *e; e++) {
		snprintf(name, sizeof(name), "a%s", *e);
		ck_assert_msg(is_image_name(name), "%s", name);
	}
}

TEST(clutter_is_known_by_its_name)
{
	static const char *const clutter[] = { "Thumbs.db",  "THUMBS.DB",    "ehthumbs.db",  "Desktop.ini",
					       ".ds_store",  "Icon\r",       "a.txt.swp",    ".a.swo",
					       "a.png~",     "a.crdownload", "labels.Cache", "~$a.docx",
					       ".~lock.a#",  "._a.png",      ".#a",          "#a.json#",
					       "a.json.bak", "a.csv.orig",   "a.txt.OLD",    "a.Txt.part" };
	static const char *const others[] = { "",          "~",        ".swp",       "swp",   "aswp",
					      "a.swpx",    "a.db",     "thumbs.dbx", "Icon",  "a.cache.png",
					      "a~.png",    "a.~lock.", "#",          "#a",    "a#",
					      ".bak",      "bak",      "a.bak.json", "a.bak", "a.png.bak",
					      "a.npy.old", "#a.png#",  "json.bak" };

	for (size_t i = 0; i < ARRAY_SIZE(clutter); i++)
		ck_assert_msg(is_clutter_name(clutter[i]), "%s", clutter[i]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		ck_assert_msg(!is_clutter_name(others[i]), "%s", others[i]);
}

TEST(a_folder_is_found_by_its_whole_name)
{
	static const struct {
		const char *path;
		int at; /* -1: none */
	} cases[] = {
		{ "labels/1.txt", 0 },          { "a/labels/1.txt", 2 },
		{ "/labels/1.txt", 1 },         { "mylabels/1.txt", -1 },
		{ "mylabels/labels/1.txt", 9 }, { "labels/mylabels/1.txt", 0 },
		{ "labels/labels/1.txt", 7 },   { "a/labels", -1 },
		{ "labels.txt", -1 },           { "labels1/1.txt", -1 },
		{ "Labels/1.txt", -1 },         { "", -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *at = path_find_folder(cases[i].path, "labels");

		ck_assert_msg(at == (cases[i].at < 0 ? NULL : cases[i].path + cases[i].at), "%s", cases[i].path);
	}
}
