/* Rules about images and their label files: missing-image, missing-mask, ambiguous-pair, size-mismatch. */
#include "../unit/check_main.h"

#include <string.h>

#include "base/mem.h"
#include "measured.h"
#include "read/listed_images.h"

extern const struct rule rule_missing_image, rule_missing_mask, rule_ambiguous_pair, rule_size_mismatch,
	rule_broken_image, rule_missing_listed_file, rule_mixed_images, rule_image_without_label;

static const struct rule *const rules[] = { &rule_missing_image, &rule_missing_mask, &rule_ambiguous_pair,
					    &rule_size_mismatch, &rule_broken_image };

/* A mask of 6 x 4 and an image; says which of the rules fires, NULL: none. */
static const struct rule *check_pair(struct measured *m, struct pairing *p)
{
	const struct rule *fired = NULL;

	m->pairing = p;
	m->settings.images.folder = "i";
	m->stats.width = 6;
	m->stats.height = 4;
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		if (!measured_check(m, rules[i]))
			continue;
		ck_assert_ptr_null(fired); /* one cause, one finding */
		fired = rules[i];
	}
	if (fired)
		ck_assert(measured_check(m, fired)); /* its words are in the finding */
	return fired;
}

static struct measured *measured_pair(uint32_t width, uint32_t height, uint8_t orientation, struct pairing *p)
{
	struct measured *m = measured_new("2", NULL);

	measured_list(m, 0, 1);
	*p = (struct pairing){
		.state = PAIR_FOUND, .partner = "i/a.jpg", .sized = true, .size = { width, height, orientation }
	};
	fault_clear(&p->fault);
	return m;
}

static void size_says(uint32_t width, uint32_t height, uint8_t orientation, enum level level, const char *words)
{
	struct pairing p;
	struct measured *m = measured_pair(width, height, orientation, &p);
	const struct rule *fired = check_pair(m, &p);

	ck_assert_ptr_eq(fired, words ? &rule_size_mismatch : NULL);
	if (words) {
		ck_assert_str_eq(m->finding.message.s, words);
		ck_assert_int_eq(m->finding.level, level);
		ck_assert_uint_gt(m->finding.advice.len, 0);
	}
}

TEST(sizes)
{
	size_says(6, 4, 1, LEVEL_OFF, NULL);
	size_says(6, 4, 4, LEVEL_OFF, NULL); /* mirrored: of the same size */
	size_says(6, 5, 1, LEVEL_ERROR, "6 x 4 pixels, but its image i/a.jpg has 6 x 5");
	size_says(4, 6, 1, LEVEL_ERROR, "6 x 4 pixels, but its image i/a.jpg has 4 x 6: width and height are swapped");
	size_says(4, 6, 5, LEVEL_ERROR,
		  "6 x 4 pixels, but its image i/a.jpg has 4 x 6, rotated by EXIF (orientation 5)");
	size_says(6, 4, 8, LEVEL_WARNING,
		  "its image i/a.jpg is stored with the same size but rotated by EXIF (orientation 8): cv2.imread "
		  "rotates it, Pillow does not");
	size_says(12, 8, 1, LEVEL_ERROR, "6 x 4 pixels, but its image i/a.jpg has 12 x 8: scaled by 6 / 12");
	size_says(12, 9, 1, LEVEL_ERROR, "6 x 4 pixels, but its image i/a.jpg has 12 x 9");
}

TEST(images_without_use)
{
	struct pairing p;
	struct measured *m = measured_pair(6, 4, 1, &p);

	p.sized = false;
	fault_set(&p.fault, FAULT_NOT_A_LABEL, 0, "its PNG header is broken");
	ck_assert_ptr_eq(check_pair(m, &p), &rule_broken_image);
	ck_assert_str_eq(m->finding.message.s, "its image i/a.jpg cannot be used: its PNG header is broken");
	ck_assert_int_eq(m->finding.level, LEVEL_ERROR);
	m->settings.images.folder = NULL; /* nobody asked */
	ck_assert(measured_check(m, &rule_broken_image));
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);

	p = (struct pairing){ .state = PAIR_NO_IMAGE, .partner = "i/a" };
	ck_assert_ptr_eq(check_pair(m, &p), &rule_missing_image);
	ck_assert_str_eq(m->finding.message.s, "no image: there is no i/a with .jpg, .png or another image extension");
}

static void listed_say(struct measured *m, const struct rule *rule, enum level level, const char *words)
{
	ck_assert(measured_check(m, rule));
	ck_assert_str_eq(m->finding.message.s, words);
	ck_assert_int_eq(m->finding.level, level);
	ck_assert_uint_gt(m->finding.advice.len, 0);
	ck_assert_uint_gt(m->finding.details.count, 0);
}

/* The images that a file names. */
TEST(listed)
{
	struct listed_images l = {
		.judged = 9,
		.folder = { .s = (char[]){ "i/" } },
		.tallies = { [IMAGE_MISSING] = { 3, 7, 1, "a.jpg" },
			     [IMAGE_BROKEN] = { 1, 9, 1, "c.jpg: it is empty" },
			     [IMAGE_TURNED] = { 2, 9, 1, "d.jpg, orientation 6" } },
	};
	struct measured *m = measured_new("2", NULL);

	measured_list(m, 0, 1);
	m->sample.format = FORMAT_COCO;
	m->sample.images = &l;
	listed_say(m, &rule_missing_image, LEVEL_WARNING,
		   "of 9 images, 3 are missing (first: a.jpg); looked for in i/");
	listed_say(m, &rule_size_mismatch, LEVEL_WARNING,
		   "of 9 images, 2 are stored in the declared size but turned by EXIF (first: d.jpg, orientation 6): "
		   "cv2.imread and detectron2 turn them, Pillow (torchvision, DETR) does not");
	l.tallies[IMAGE_UNNAMED] = (struct image_tally){ .images = 2, .text = "x.jpg" };
	listed_say(m, &rule_image_without_label, LEVEL_INFO, "2 images in i/ are named by no row (first: x.jpg)");
	l.declared = true;
	listed_say(m, &rule_broken_image, LEVEL_ERROR, "of 9 images, 1 cannot be used (c.jpg: it is empty)");
	l.tallies[IMAGE_SIZE] =
		(struct image_tally){ 1, 9, 1, "e.jpg: 8 x 8 declared, the file has 9 x 9", KEY_SET_INIT };
	listed_say(m, &rule_size_mismatch, LEVEL_ERROR,
		   "of 9 images, 1 has another size (e.jpg: 8 x 8 declared, the file has 9 x 9)");
	ck_assert(!measured_check(m, &rule_missing_listed_file));
	m->sample.format = FORMAT_LIST;
	ck_assert(!measured_check(m, &rule_missing_image));
	listed_say(m, &rule_missing_listed_file, LEVEL_ERROR, "of 9 images, 3 do not exist (first: a.jpg)");
}

/* Without --images a label file that has none is reported, a set whose images are elsewhere is not. */
TEST(alone_among_many)
{
	struct measured *m = measured_new("2", NULL);

	m->set.counted[COUNTED_ALONE] = (struct file_count){ 2, strdup("masks/b.png") };
	m->set.counted[COUNTED_PHOTOS].files = 17;
	ck_assert(!rule_check_dataset(&rule_missing_image, &m->settings, &m->set, &m->finding));
	m->set.counted[COUNTED_PHOTOS].files = 18;
	finding_init(&m->finding, &rule_missing_image);
	ck_assert(rule_check_dataset(&rule_missing_image, &m->settings, &m->set, &m->finding));
	ck_assert_str_eq(m->finding.message.s,
			 "2 of 20 label files have no image where the others have theirs (first: masks/b.png)");
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
}

TEST(few_that_differ)
{
	struct measured *m = measured_new("2", NULL);

	m->set.counted[COUNTED_PHOTOS].files = 9;
	m->set.counted[COUNTED_PHOTOS + 1 + PHOTO_CMYK] = (struct file_count){ 2, strdup("labels/a.txt") };
	m->set.counted[COUNTED_PHOTOS + 1 + PHOTO_GREY].files = 8; /* that is what the set is */
	finding_init(&m->finding, &rule_mixed_images);
	ck_assert(rule_check_dataset(&rule_mixed_images, &m->settings, &m->set, &m->finding));
	ck_assert_str_eq(m->finding.message.s,
			 "of 9 label files with an image, 2 have some that are CMYK (first: labels/a.txt)");
	m->set.counted[COUNTED_PHOTOS + 1 + PHOTO_CMYK].files = 0;
	finding_init(&m->finding, &rule_mixed_images);
	ck_assert(!rule_check_dataset(&rule_mixed_images, &m->settings, &m->set, &m->finding));
}

TEST(images_alone)
{
	struct pairing p;
	struct measured *m = measured_pair(6, 4, 1, &p);

	p = (struct pairing){ .state = PAIR_NO_MASK };
	ck_assert_ptr_eq(check_pair(m, &p), &rule_missing_mask);
	p = (struct pairing){ .state = PAIR_AMBIGUOUS, .partner = "i/a.png" };
	ck_assert_ptr_eq(check_pair(m, &p), &rule_ambiguous_pair);
	ck_assert_str_eq(m->finding.message.s, "has the same stem as i/a.png");
}

TEST(silent_without_images)
{
	struct measured *m = measured_new("2", NULL);

	measured_list(m, 0, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		ck_assert(!measured_check(m, rules[i]));
}
