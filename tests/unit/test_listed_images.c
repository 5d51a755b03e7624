/* The images that a label file names: where they are looked for, and what is reported. */
#include "check_main.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "read/listed_images.h"

#define GIF "GIF89a\x10\0\x08\0\0\0\0,0123456789;"

static char folder[] = "/tmp/labelaudit-listed-XXXXXX";

static void put(const char *name, const char *bytes, size_t n)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	ck_assert_msg(fd >= 0, "%s", path);
	ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

/* 16 x 8 pixels. */
static void put_image(const char *name)
{
	put(name, GIF, sizeof(GIF) - 1);
}

static void set_up(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void tear_down(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

/* Looks at names that a NULL ends, declared as 16 x 8, of the label file below the folder. */
static struct listed_images *look(const char *label_file, const char *declared, bool is_list, const char *const *names)
{
	struct listed_images *out = xcalloc(1, sizeof(*out));
	char path[256], images[256];
	struct image_checker c;

	snprintf(path, sizeof(path), "%s/%s", folder, label_file);
	snprintf(images, sizeof(images), "%s/%s", folder, declared ? declared : "");
	image_checker_open(&c, out, path, declared ? images : NULL, NULL);
	c.is_list = is_list;
	for (uint64_t line = 1; *names; names++, line++)
		image_checker_add(&c, &(struct listed_image){ *names, strlen(*names), 16, 8, line, 1, 0 });
	image_checker_close(&c);
	return out;
}

static void expect(struct listed_images *l, uint64_t judged, uint64_t missing, uint64_t broken, uint64_t size)
{
	ck_assert_uint_eq(l->judged, judged);
	ck_assert_uint_eq(l->tallies[IMAGE_MISSING].images, missing);
	ck_assert_uint_eq(l->tallies[IMAGE_BROKEN].images, broken);
	ck_assert_uint_eq(l->tallies[IMAGE_SIZE].images, size);
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

TEST(usual_places)
{
	static const char *const places[] = { "a/b/1.gif",      "a/b/images/1.gif",    "a/1.gif",
					      "a/images/1.gif", "a/val/1.gif",         "a/images/val/1.gif",
					      "a/b/val/1.gif",  "a/b/images/val/1.gif" };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char path[256];

		put_image(places[i]);
		struct listed_images *l = look("a/b/instances_val.json", NULL, false, NAMES("1.gif"));

		expect(l, 1, 0, 0, 0);
		ck_assert(!l->declared);
		listed_images_free(l);
		snprintf(path, sizeof(path), "%s/%s", folder, places[i]);
		ck_assert_int_eq(unlink(path), 0);
	}
}

TEST(most_of_a_sample)
{
	struct listed_images *l;

	put_image("1.gif");
	l = look("a.json", NULL, false, NAMES("1.gif", "2.gif"));
	expect(l, 0, 0, 0, 0);
	listed_images_free(l);
	put_image("images/2.gif");
	put_image("images/3.gif");
	l = look("a.json", NULL, false, NAMES("1.gif", "2.gif", "3.gif"));
	expect(l, 3, 1, 0, 0);
	ck_assert_str_eq(l->tallies[IMAGE_MISSING].text, "1.gif");
	listed_images_free(l);
	l = look("a.json", "images", false, NAMES("1.gif", "1.gif", "9.gif")); /* it was declared; each name once */
	expect(l, 2, 2, 0, 0);
	ck_assert(l->declared);
	listed_images_free(l);
}

/* Images beside those that are named; not where another label file may name them, nor where names have folders. */
TEST(unnamed)
{
	put_image("images/1.gif");
	put_image("images/2.gif");
	put_image("images/3.gif");
	put_image("images/4.gif");
	put("images/notes.txt", "", 0);
	struct listed_images *l = look("a.json", NULL, false, NAMES("1.gif"));

	ck_assert_uint_eq(l->tallies[IMAGE_UNNAMED].images, 0); /* the label file is not there */
	listed_images_free(l);
	put("a.json", "", 0);
	l = look("a.json", NULL, false, NAMES("1.gif"));
	ck_assert_uint_eq(l->tallies[IMAGE_UNNAMED].images, 3);
	ck_assert_str_eq(l->tallies[IMAGE_UNNAMED].text, "2.gif");
	listed_images_free(l);
	l = look("a.json", NULL, true, NAMES("1.gif", "2.gif", "3"));
	ck_assert_uint_eq(l->tallies[IMAGE_UNNAMED].images, 1);
	listed_images_free(l);
	l = look("a.json", NULL, false, NAMES("1.gif", "sub/1.gif"));
	ck_assert_uint_eq(l->tallies[IMAGE_UNNAMED].images, 0);
	listed_images_free(l);
	put("b.json", "", 0);
	l = look("a.json", NULL, false, NAMES("1.gif"));
	ck_assert_uint_eq(l->tallies[IMAGE_UNNAMED].images, 0);
	listed_images_free(l);
}

TEST(what_is_wrong)
{
	char path[256];

	put_image("i/good.gif");
	put("i/short.gif", GIF, 20);
	put("i/empty.gif", "", 0);
	put("i/other.gif", "GIF89a\x08\0\x10\0\0\0\0,0123456789;", 25);
	put("i/notes.txt", "", 0);
	snprintf(path, sizeof(path), "%s/i/folder.gif", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/i/fifo.gif", folder);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/i/loop.gif", folder);
	ck_assert_int_eq(symlink("loop.gif", path), 0);
	struct listed_images *l = look("a.json", "i", false,
				       NAMES("good.gif", "short.gif", "empty.gif", "other.gif", "notes.txt",
					     "folder.gif", "fifo.gif", "loop.gif", "../i/good.gif", "/dev/null"));

	expect(l, 8, 1, 4, 1);
	ck_assert_str_eq(l->tallies[IMAGE_MISSING].text, "loop.gif");
	ck_assert_str_eq(l->tallies[IMAGE_BROKEN].text,
			 "short.gif: its GIF data end early: it has 20 bytes, and should have 26");
	ck_assert_str_eq(l->tallies[IMAGE_SIZE].text,
			 "other.gif: 16 x 8 declared, the file has 8 x 16: width and height are swapped");
	ck_assert_uint_eq(l->tallies[IMAGE_SIZE].line, 4);
	ck_assert_uint_eq(l->photos, 2);
	listed_images_free(l);
}

/* The folder has an image of nearly the name of the one that is missing. */
TEST(near_names)
{
	static const struct {
		const char *there, *named, *differs; /* NULL: it is not nearly the same */
	} cases[] = {
		{ "IMG_1.gif", "img_1.gif", "in case" },
		{ "a.GIF", "a.gif", "in case" },
		{ "b.png", "b.gif", "in its extension" },
		{ "Z\xc3\xbcge.gif", "Zu\xcc\x88ge.gif", "in its Unicode form" },
		{ "zu\xcc\x88ge.gif", "z\xc3\xbcge.gif", "in its Unicode form" },
		{ "\xed\x95\x9c.gif", "\xea\xb8\x80.gif", NULL },
		{ "c1.gif", "c.gif", NULL },
		{ "d\xc3.gif", "du\xcc", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char path[64], says[256];

		snprintf(path, sizeof(path), "near%zu/%s", i, cases[i].there);
		put_image(path);
		snprintf(path, sizeof(path), "near%zu", i);
		struct listed_images *l = look("a.json", path, false, (const char *const[]){ cases[i].named, NULL });

		snprintf(says, sizeof(says), "%s, but there is %s, which differs %s", cases[i].named, cases[i].there,
			 cases[i].differs);
		ck_assert_str_eq(l->tallies[IMAGE_MISSING].text, cases[i].differs ? says : cases[i].named);
		listed_images_free(l);
	}
	struct listed_images *l = look("a.json", "near0", false, NAMES("data/images/IMG_1.gif"));

	ck_assert_str_eq(l->tallies[IMAGE_MISSING].text,
			 "data/images/IMG_1.gif, but there is IMG_1.gif without a folder before it");
	listed_images_free(l);
}

TEST(paths_of_lists)
{
	put_image("i/a/1.jpg");
	put_image("2.gif");
	struct listed_images *l =
		look("a.csv", "i", true, NAMES("a/1", "a/2", "a/1.", "/dev/null", "/dev/none", "../2.gif", "../3.gif"));

	expect(l, 7, 4, 0, 0);
	listed_images_free(l);
}

/* More than wait at a time. */
TEST(many)
{
	struct listed_images *out = xcalloc(1, sizeof(*out));
	struct image_checker c;
	char name[32];

	put_image("1.gif");
	image_checker_open(&c, out, "a.json", folder, NULL);
	for (uint64_t i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "%u.gif", (unsigned)i);
		image_checker_add(&c, &(struct listed_image){ name, strlen(name), 0, 0, i + 1, 1, 0 });
	}
	image_checker_close(&c);
	expect(out, 5000, 4999, 0, 0);
	listed_images_free(out);
}

FIXTURE(set_up, tear_down)
