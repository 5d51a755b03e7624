/*
 * What it finds
 *   NumPy arrays of ids in a type that a loss does not accept: floats that are all integers, and bool (warnings); in a
 *   list of labels ([N]) integers other than int64 (info). Arrays of Python objects, which are pickles and never
 *   unpickled: an error if the file was named, a warning if it was found in a folder among others.
 *
 * Why it matters
 *   PyTorch's cross_entropy takes class indices as int64 and refuses anything else with "expected scalar type Long"; it
 *   reads floats in the shape of the scores as probabilities. A pickle can run any code when it is read.
 *
 * Example
 *   train_y.npy: warning wrong-dtype: float64, though all 60000 values are integers
 *
 * What to do
 *   `np.load(f).astype(np.int64)`, or `.long()` in PyTorch. Objects: load them only if you trust them, and save the ids
 *   as an array of integers.
 */
#include "judge/check.h"

static bool check_objects(const struct rule_input *s, struct finding *f)
{
	if (!fault_finding(f, &s->sample->fault, FAULT_OBJECTS,
			   "if you trust it: np.save(f, np.array(np.load(f, allow_pickle=True).tolist(), np.int64))"))
		return false;
	if (s->sample->is_explicit)
		f->level = LEVEL_ERROR;
	return true;
}

static bool check_ids(const struct rule_input *s, struct finding *f)
{
	enum array_dtype dtype = (enum array_dtype)s->sample->array.dtype;
	const char *name = dtype_name(dtype);

	if (s->stats->no_ids || dtype == DTYPE_INT64)
		return false;
	if (dtype >= DTYPE_FLOAT16) {
		say(f, "%s, though all %" PRIu64 " values are integers", name, s->stats->array.elements);
	} else if (dtype == DTYPE_BOOL) {
		say(f, "bool, where ids are expected");
	} else if (s->sample->format == FORMAT_NPY && s->sample->array.rank == 1) {
		say(f, "%s, where PyTorch's losses take int64", name);
		f->level = LEVEL_INFO;
		f->unrepairable = true; /* the ids are right, and what is read is converted anyway */
	} else {
		return false;
	}
	return true;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->sample->status == SAMPLE_FAILED)
		return check_objects(s, f);
	return sample_is_array(s->sample) && !s->stats->colours && check_ids(s, f);
}

const struct rule rule_wrong_dtype = {
	RULE("wrong-dtype", "shape", LEVEL_WARNING, "an array of floats, bool or objects where integers are expected"),
	.check_file = check,
	.tells_unread = true,
	.repair = REPAIR_EXACT,
	.advice = "np.load(f).astype(np.int64), or .long() in PyTorch",
};
