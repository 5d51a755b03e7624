/*
 * What it finds
 *   With --sizes: masks and arrays of a size that it does not name. Without it the rule is silent.
 *
 * Why it matters
 *   A model or a loader that was written for some sizes stops at others, crops them, or resizes them with an
 *   interpolation that invents ids.
 *
 * Example
 *   masks/0007.png: error unexpected-size: 480 x 640 (width x height) is not among --sizes 640x480
 *
 * What to do
 *   Export the mask in its size again, or resize it with nearest, or add its size to --sizes: 640x480,512-2048x512-
 *   allows that size, and widths from 512 to 2048 with heights from 512 on.
 */
#include "base/size_list.h"
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct size_list *sizes = s->settings->thresholds.sizes;
	uint32_t width = s->stats->width, height = s->stats->height;

	if (!sizes || s->sample->status != SAMPLE_READ || !width || !height || size_list_contains(sizes, width, height))
		return false;
	finding_add_key(f, key_of_numbers(width, height));
	return say(f, "%" PRIu32 " x %" PRIu32 " (width x height) is not among --sizes %s", width, height, sizes->text);
}

const struct rule rule_unexpected_size = {
	RULE("unexpected-size", "shape", LEVEL_ERROR, "a size that --sizes does not name"),
	.check_file = check,
	.advice = "export it in its size again, resize it with nearest, or add the size to --sizes",
};
