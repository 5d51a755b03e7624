/* folder_role.h: what the folders of an entry say is asked once for all files of a folder, and for each folder. */
#include "check_main.h"

#include <limits.h>
#include <string.h>

#include "layout/folder_role.h"

/* A file as a walk of the first `below` bytes hands it out. */
static bool enter(struct folder_role *f, const char *path, size_t below)
{
	const char *slash = strrchr(path, '/');
	const struct entry entry = { .path = path, .name = slash ? slash + 1 : path, .rel_offset = below };

	return folder_role_enter(f, &entry);
}

static bool enter_member(struct folder_role *f, const char *archive, const char *member)
{
	const struct entry entry = { .path = archive, .name = member, .member = member };

	return folder_role_enter(f, &entry);
}

START_TEST(once_a_folder)
{
	struct folder_role f;

	folder_role_init(&f);
	ck_assert(enter(&f, "set/masks/1.png", 4));
	ck_assert_int_eq(f.role, ROLE_LABELS);
	ck_assert_int_eq(f.labels_beside, -1);
	f.labels_beside = 1;
	ck_assert(!enter(&f, "set/masks/2.png", 4));
	ck_assert_int_eq(f.role, ROLE_LABELS);
	ck_assert_int_eq(f.labels_beside, 1);
	ck_assert(enter(&f, "set/train/2.png", 4)); /* of the same length */
	ck_assert_int_eq(f.role, ROLE_UNKNOWN);
	ck_assert_int_eq(f.labels_beside, -1);
	ck_assert(enter(&f, "set/train/images/2.png", 4));
	ck_assert_int_eq(f.role, ROLE_IMAGES);
	ck_assert(enter(&f, "set/train/2.png", 4)); /* the other begins with it */
	ck_assert_int_eq(f.role, ROLE_UNKNOWN);
}
END_TEST

/* The folder that was walked, and those above it, are not what was found. */
START_TEST(by_what_was_walked)
{
	struct folder_role f;

	folder_role_init(&f);
	ck_assert(enter(&f, "images/masks/1.png", 13));
	ck_assert_int_eq(f.role, ROLE_UNKNOWN);
	ck_assert_int_eq(f.walked_role, ROLE_LABELS);
	ck_assert(enter(&f, "images/masks/1.png", 7));
	ck_assert_int_eq(f.role, ROLE_LABELS);
	ck_assert_int_eq(f.walked_role, ROLE_LABELS);
	ck_assert(enter(&f, "images//1.png", 8));
	ck_assert_int_eq(f.role, ROLE_UNKNOWN);
	ck_assert_int_eq(f.walked_role, ROLE_IMAGES);
	ck_assert(enter(&f, "1.png", 0)); /* typed, and in no folder */
	ck_assert_int_eq(f.walked_role, ROLE_UNKNOWN);
}
END_TEST

/* The entries of a unit are gone when those of the next one come. */
START_TEST(suffixes_are_kept)
{
	char path[] = "trainannot/1.png";
	struct folder_role f;

	folder_role_init(&f);
	ck_assert(enter(&f, path, 0));
	memset(path, 'x', sizeof(path) - 1);
	ck_assert_uint_eq(f.suffix_len, 5);
	ck_assert_int_eq(strncmp(f.suffix, "annot", 5), 0);
	ck_assert(!enter(&f, "trainannot/2.png", 0));
	ck_assert_uint_eq(f.suffix_len, 5);
	ck_assert(enter(&f, "trainannul/2.png", 0));
	ck_assert_uint_eq(f.suffix_len, 0);
}
END_TEST

START_TEST(members)
{
	struct folder_role f;

	folder_role_init(&f);
	ck_assert(enter(&f, "masks/1.png", 0));
	ck_assert(enter_member(&f, "masks/a.tar", "images/1.png"));
	ck_assert_int_eq(f.role, ROLE_IMAGES);
	ck_assert(enter_member(&f, "masks/a.tar", "val_labels/1.png"));
	ck_assert_int_eq(f.role, ROLE_LABELS);
	ck_assert_int_eq(strncmp(f.suffix, "_labels", f.suffix_len), 0);
	ck_assert_uint_eq(f.suffix_len, 7);
	ck_assert(enter_member(&f, "masks/a.tar", "val_labels/2.png"));
	ck_assert(enter(&f, "masks/1.png", 0));
	ck_assert_int_eq(f.role, ROLE_LABELS);
	ck_assert_uint_eq(f.suffix_len, 0);
}
END_TEST

/* Paths of more than PATH_MAX bytes occur in deep trees: they are not kept, but asked. */
START_TEST(long_paths)
{
	static char path[2 * PATH_MAX];
	struct folder_role f;

	for (size_t at = 0; at < PATH_MAX; at++)
		path[at] = at % 2 ? '/' : 'd';
	strcat(path, "masks/1.png");
	folder_role_init(&f);
	for (int i = 0; i < 2; i++) {
		ck_assert(enter(&f, path, 0));
		ck_assert_int_eq(f.role, ROLE_LABELS);
	}
	ck_assert(enter(&f, "images/1.png", 0));
	ck_assert_int_eq(f.role, ROLE_IMAGES);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("folder_role");
	TCase *folders = tcase_create("folders");

	tcase_add_test(folders, once_a_folder);
	tcase_add_test(folders, by_what_was_walked);
	tcase_add_test(folders, suffixes_are_kept);
	tcase_add_test(folders, members);
	tcase_add_test(folders, long_paths);
	suite_add_tcase(s, folders);
	return s;
}

CHECK_MAIN(suite)
