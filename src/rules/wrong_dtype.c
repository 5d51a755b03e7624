/*
 * Error message
 *   RuntimeError: "nll_loss2d_forward_out_frame" not implemented for 'Int'
 *   ValueError: Object arrays cannot be loaded when allow_pickle=False
 *
 * What it finds
 *   NumPy arrays of ids in a type that a loss does not accept: floats that are all integers, and bool (warnings); in a
 *   list of labels ([N]) integers other than int64 (info). Volumes of floats that are all integers (info), and NIfTI
 *   volumes whose header scales the voxels, by scl_slope and scl_inter (a warning). Arrays of Python objects, which are
 *   pickles and never unpickled: an error if the file was named, a warning if it was found in a folder among others.
 *
 * Why it matters
 *   PyTorch's cross_entropy takes class indices as int64 and refuses anything else with "expected scalar type Long"; it
 *   reads floats in the shape of the scores as probabilities. A volume that is scaled has other ids for a loader that
 *   reads its voxels as they are stored (dataobj.get_unscaled()) than for all others. A pickle can run any code when
 *   it is read.
 *
 * Example
 *   train_y.npy: warning wrong-dtype: float64, though all 60000 values are integers
 *
 * What to do
 *   `np.load(f).astype(np.int64)`, or `.long()` in PyTorch. Objects: load them only if you trust them, and save the ids
 *   as an array of integers. A volume: write it as uint8, with a slope of 1.
 */
#include "judge/check.h"

#define VOLUME_ADVICE "write the ids as integers: nibabel.Nifti1Image(ids.astype(np.uint8), v.affine).to_filename(f)"
#define ITK_ADVICE    "write the ids as integers: sitk.WriteImage(sitk.Cast(sitk.ReadImage(f), sitk.sitkUInt8), f, True)"

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

	if (s->sample->array.volume.scaled) {
		say(f, "stored as %s, of which scl_slope %g and scl_inter %g of the header make the values", name,
		    s->sample->array.volume.slope, s->sample->array.volume.inter);
		f->unrepairable = true;
		return advise(f, VOLUME_ADVICE);
	}
	if (s->stats->no_ids || dtype == DTYPE_INT64)
		return false;
	if (s->sample->format == FORMAT_NIFTI && dtype >= DTYPE_FLOAT16) {
		f->level = LEVEL_INFO; /* most tools read them so, and write them so */
		f->unrepairable = true;
		advise(f, s->sample->container ? ITK_ADVICE : VOLUME_ADVICE);
	}
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
