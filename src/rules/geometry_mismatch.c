/*
 * Error message
 *   Error: Spacing mismatch between segmentation and corresponding images.
 *
 * What it finds
 *   With --images, or a dataset.json of nnU-Net: volumes that have the shape of their image but another place:
 *   the spacing differs by more than a part in 100,000, or an axis points elsewhere (errors); the origin or the
 *   direction differs by more than 0.001, or only one of the two says where it is (warnings). Channels of one case that
 *   differ from each other (an error). Without an image: an sform and a qform that say different places (info).
 *
 * Why it matters
 *   nnU-Net stops if the spacings differ, and overlays the arrays whatever the headers say; MONAI, ITK and all viewers
 *   obey the headers. Where the two differ, one of them trains on labels beside the anatomy, or mirrored. nibabel takes
 *   the sform where there are both, and ITK may take the qform.
 *
 * Example
 *   labelsTr/case_007.nii.gz: error geometry-mismatch: axis 0 points the other way than in its image
 *   imagesTr/case_007_0000.nii.gz: mirrored
 *
 * What to do
 *   Write the label map with the affine of its image: `nibabel.Nifti1Image(ids, image.affine, image.header)`, or in
 *   SimpleITK `label.CopyInformation(image)`; but only if the arrays overlay. Else resample it with nearest neighbour.
 */
#include <math.h>

#include "judge/check.h"

/* np.allclose(), by which nnU-Net compares spacings. */
static bool is_close(double a, double b)
{
	return fabs(a - b) <= 1e-8 + 1e-5 * fabs(b);
}

static bool have_one_shape(const struct array_header *a, const struct array_header *b)
{
	for (unsigned i = 0; i < 3; i++)
		if ((i < a->rank ? a->shape[i] : 1) != (i < b->rank ? b->shape[i] : 1))
			return false;
	return true;
}

static double length_of_axis(const struct volume_header *v, unsigned axis)
{
	return sqrt(v->affine[0][axis] * v->affine[0][axis] + v->affine[1][axis] * v->affine[1][axis] +
		    v->affine[2][axis] * v->affine[2][axis]);
}

/* Returns the cosine of the angle between an axis of both. */
static double cosine(const struct volume_header *a, const struct volume_header *b, unsigned axis)
{
	double sum = 0;

	for (unsigned i = 0; i < 3; i++)
		sum += a->affine[i][axis] * b->affine[i][axis];
	return sum / (length_of_axis(a, axis) * length_of_axis(b, axis));
}

static bool check_spacing(const struct volume_header *a, const struct volume_header *b, const char *image,
			  struct finding *f)
{
	bool same = true;

	for (unsigned i = 0; i < 3; i++)
		same &= is_close(a->spacing[i], b->spacing[i]) &&
			(!a->oriented || !b->oriented ||
			 fabs(length_of_axis(a, i) - length_of_axis(b, i)) <= VOLUME_TOLERANCE);
	if (same)
		return false;
	const double *x = a->spacing, *y = b->spacing;
	double lengths[2][3];

	for (unsigned i = 0; i < 3; i++) {
		same |= !is_close(x[i], y[i]);
		lengths[0][i] = length_of_axis(a, i);
		lengths[1][i] = length_of_axis(b, i);
	}
	if (!same) { /* pixdim agrees, and the sform does not */
		x = lengths[0];
		y = lengths[1];
	}
	return say(f, "spacing %.6g x %.6g x %.6g, but its image %s has %.6g x %.6g x %.6g", x[0], x[1], x[2], image,
		   y[0], y[1], y[2]);
}

static bool check_axes(const struct volume_header *a, const struct volume_header *b, const char *image,
		       struct finding *f)
{
	enum { SAID_MAX = 3 };
	unsigned turned = 0;

	for (unsigned i = 0; i < SAID_MAX; i++) {
		const double c = cosine(a, b, i);

		if (c > .5)
			continue;
		say(f, "%s%u", turned++ ? ", " : "axis ", i);
	}
	if (!turned)
		return false;
	say(f, " %s another way than in its image %s", plural(turned, "points", "point"), image);
	return true;
}

static bool check_place(const struct volume_header *a, const struct volume_header *b, const char *image,
			struct finding *f)
{
	double shift = 0;
	bool turned = false;

	for (unsigned i = 0; i < 3; i++) {
		const double d = a->affine[i][3] - b->affine[i][3];

		shift += d * d;
		for (unsigned k = 0; k < 3; k++)
			turned |= !(fabs(a->affine[i][k] / length_of_axis(a, k) -
					 b->affine[i][k] / length_of_axis(b, k)) <= VOLUME_TOLERANCE);
	}
	if (turned)
		say(f, "its direction differs from that of its image %s", image);
	else if (!(sqrt(shift) <= VOLUME_TOLERANCE))
		say(f, "its origin is %.4g from that of its image %s", sqrt(shift), image);
	if (!f->message.len)
		return false;
	f->level = LEVEL_WARNING;
	return true;
}

static bool check_pair(const struct rule_input *s, struct finding *f)
{
	const struct pairing *p = s->pairing;
	const struct volume_header *a = &s->sample->array.volume, *b = &p->volume.volume;

	if (a->oriented != b->oriented) {
		f->level = LEVEL_WARNING;
		say(f, "%s has neither sform nor qform nor space directions, so only %s says where it is",
		    a->oriented ? p->partner : "its header", a->oriented ? "the label map" : p->partner);
		return true;
	}
	return check_spacing(a, b, p->partner, f) || check_axes(a, b, p->partner, f) ||
	       check_place(a, b, p->partner, f);
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct pairing *p = s->pairing;
	const struct volume_header *v = &s->sample->array.volume;

	if (s->sample->format != FORMAT_NIFTI)
		return false;
	if (s->sample->container)
		advise(f,
		       "if the arrays overlay, in SimpleITK: label.CopyInformation(image); sitk.WriteImage(label, f)");
	if (p && p->state == PAIR_FOUND && p->is_volume && have_one_shape(&s->sample->array, &p->volume) &&
	    check_pair(s, f))
		return true;
	if (p && p->state == PAIR_FOUND && p->channels_differ)
		return say(f, "its channels %s and %s differ in shape, spacing or place", p->partner, p->other_partner);
	if (!v->forms_differ || (p && p->state == PAIR_FOUND && p->is_volume && p->volume.volume.forms_differ))
		return false;
	f->level = LEVEL_INFO;
	say(f, "its sform and its qform say different places: loaders take one or the other");
	return advise(f, "write both alike: volume.set_qform(volume.affine); volume.set_sform(volume.affine)");
}

const struct rule rule_geometry_mismatch = {
	RULE("geometry-mismatch", "shape", LEVEL_ERROR, "a volume that lies elsewhere than its image"),
	.repair = REPAIR_NEVER,
	.facts_needed = FACTS_ARRAY,
	.check_file = check,
	.advice = "if the arrays overlay: nibabel.Nifti1Image(ids, image.affine, image.header).to_filename(f)",
};
