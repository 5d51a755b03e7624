/*
 * Error message
 *   TypeError: can't convert np.ndarray of type numpy.uint16.
 *
 * What it finds
 *   Masks of 16 bits, and masks in NumPy arrays of integers of 16 bits or more, whose ids are all in 0..255. Lists of
 *   labels ([N]) are meant to be int64 and are skipped.
 *
 * Why it matters
 *   Half of the bytes are zeros, and cv2.imread(f, 0) keeps the other half: every id becomes 0.
 *
 * Example
 *   masks/0001.png: info wide-ids: 16 bits per pixel, but no id is above 18
 *
 * What to do
 *   Nothing if your loader keeps 16 bits; else write 8:
 *   `Image.fromarray(np.array(Image.open(f)).astype(np.uint8)).save(f)`.
 */
#include "judge/check.h"

static bool check_array(const struct rule_input *s, struct finding *f)
{
	enum array_dtype dtype = (enum array_dtype)s->sample->array.dtype;

	/* volumes are packed, and readers widen them anyway */
	if (s->sample->format == FORMAT_NIFTI || dtype >= DTYPE_FLOAT16 || dtype_bytes(dtype) == 1 ||
	    !s->stats->labels || s->stats->min < 0 || s->stats->max > 255 || s->stats->array.beyond)
		return false;
	f->unrepairable = s->sample->format == FORMAT_IDX || s->sample->array.rank < 2; /* lists are int64 */
	say(f, "%s uses %u bytes per label, but no id is above %" PRId64, dtype_name(dtype), dtype_bytes(dtype),
	    s->stats->max);
	return advise(f, "8 bits hold them: np.load(f).astype(np.uint8)");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	if (sample_is_array(s->sample))
		return check_array(s, f);
	/* In the cv2 view, ids are high bytes already. */
	if (s->sample->png.bit_depth != 16 || s->settings->view == VIEW_CV2 || s->stats->coded || !s->stats->labels ||
	    s->stats->max > 255)
		return false;
	say(f, "16 bits per pixel, but no id is above %" PRId64, s->stats->max);
	return advise(f, "8 bits hold them: np.array(Image.open(f)).astype(np.uint8)");
}

const struct rule rule_wide_ids = {
	RULE("wide-ids", "encoding", LEVEL_INFO, "16 bits or more for ids that fit into 8"),
	.repair = REPAIR_EXACT,
	.facts_needed = FACTS_MASK,
	.check_file = check,
};
