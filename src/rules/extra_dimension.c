/*
 * Error message
 *   RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of dimension: 4
 *
 * What it finds
 *   Arrays with an axis of length 1 where the loss expects none: [N, 1], [H, W, 1], [B, H, W, 1] and [B, 1, H, W].
 *   [1, H, W], a mask with a channel, is said for information: MONAI's losses want it so, those of PyTorch do not.
 *   Volumes of ids with more than three axes; if those beyond the third have length 1, this is a warning.
 *
 * Why it matters
 *   Cross-entropy takes ids of shape [N] or [B, H, W] and fails on the extra axis; a binary or a regression loss
 *   accepts it and silently broadcasts [N, 1] against [N] to N x N.
 *
 * Example
 *   train_y.npy: error extra-dimension: shape [50000, 1]: axis 1 has length 1, and ids are expected as [N]
 *
 * What to do
 *   `np.load(f).squeeze(axis)`, or in a training loop `target.squeeze(1)`.
 */
#include "judge/check.h"

static void say_shape(struct finding *f, const struct array_header *a)
{
	say(f, "shape [");
	for (unsigned i = 0; i < a->rank; i++)
		say(f, "%s%" PRIu64, i ? ", " : "", a->shape[i]);
	say(f, "]");
}

/* A single slice is a volume, [X, Y, 1]; a fourth axis is one of time, or of classes. */
static bool check_volume(const struct rule_input *s, struct finding *f)
{
	const struct array_header *a = &s->sample->array;
	bool single = true;

	if (a->rank <= 3 || s->stats->array.use == ARRAY_ONE_HOT || s->stats->array.use == ARRAY_SOFT)
		return false;
	for (unsigned i = 3; i < a->rank; i++)
		single &= a->shape[i] == 1;
	say_shape(f, a);
	say(f, ": ids are expected as [X, Y, Z]");
	if (single)
		f->level = LEVEL_WARNING;
	if (!single)
		return advise(f, "write one volume of ids: for classes along the last axis, argmax(-1)");
	return advise(f, "write it with three axes: %s",
		      s->sample->container ? "sitk.WriteImage(sitk.ReadImage(f)[..., 0], f)"
					   : "nibabel.squeeze_image(nibabel.load(f)).to_filename(f)");
}

/* Returns the axis to remove, or -1. */
static int extra_axis(const struct array_header *a)
{
	if (a->rank < 2 || a->rank > 4)
		return -1;
	if (a->shape[a->rank - 1] == 1)
		return a->rank - 1;
	return a->rank == 4 && a->shape[1] == 1 ? 1 : -1;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	static const char *const expected[] = { "[N]", "[H, W]", "[B, H, W]" };
	const struct array_header *a = &s->sample->array;
	int axis = extra_axis(a);

	if (s->sample->format == FORMAT_NIFTI)
		return check_volume(s, f);
	/* a mask with its channel, or a batch of one */
	if (a->rank == 3 && a->shape[0] == 1 && a->shape[1] > 1 && a->shape[2] > 1) {
		say_shape(f, a);
		say(f, ": a channel before rows and columns, as MONAI's losses want it");
		f->level = LEVEL_INFO;
		return advise(f, "for losses that expect ids as [B, H, W], np.load(f).squeeze(0)");
	}
	if (axis < 0)
		return false;
	say_shape(f, a);
	say(f, ": axis %d has length 1, and ids are expected as %s", axis, expected[a->rank - 2]);
	return advise(f, "np.load(f).squeeze(%d)", axis);
}

const struct rule rule_extra_dimension = {
	RULE("extra-dimension", "shape", LEVEL_ERROR, "an axis of length 1 that the loss does not expect"),
	.facts_needed = FACTS_ARRAY,
	.check_file = check,
};
