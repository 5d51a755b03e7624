/* Rules about images and their label files: missing-image, missing-mask, ambiguous-pair, size-mismatch. */
#include "../unit/check_main.h"

#include "base/mem.h"
#include "measured.h"

extern const struct rule rule_missing_image, rule_missing_mask, rule_ambiguous_pair, rule_size_mismatch;

static const struct rule *const rules[] = { &rule_missing_image, &rule_missing_mask, &rule_ambiguous_pair,
					    &rule_size_mismatch };

/* A mask of 6 x 4 and an image; says which of the rules fires, NULL: none. */
static const struct rule *check_pair(struct measured *m, struct pairing *p)
{
	const struct rule *fired = NULL;

	m->pairing = p;
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
	ck_assert_ptr_eq(check_pair(m, &p), &rule_missing_image);
	ck_assert_str_eq(m->finding.message.s, "its image i/a.jpg cannot be used: its PNG header is broken");

	p = (struct pairing){ .state = PAIR_NO_IMAGE, .partner = "i/a" };
	ck_assert_ptr_eq(check_pair(m, &p), &rule_missing_image);
	ck_assert_str_eq(m->finding.message.s, "no image: there is no i/a with .jpg, .png or another image extension");
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
