/* Rules about NIfTI volumes and their images: geometry-mismatch, and size-mismatch, missing-image, extra-dimension,
 * wrong-dtype for them. */
#include <math.h>

#include "../unit/check_main.h"
#include "base/mem.h"
#include "measured.h"

extern const struct rule rule_geometry_mismatch, rule_size_mismatch, rule_missing_image, rule_extra_dimension,
	rule_wrong_dtype;

/* A volume [6, 5, 4] with voxels of 1 x 1 x 2.5. */
static void fill(struct array_header *a)
{
	*a = (struct array_header){
		.dtype = DTYPE_UINT8, .fortran = true, .rank = 3, .shape = { 6, 5, 4 }, .elements = 120
	};
	a->volume = (struct volume_header){ .is_volume = true, .oriented = true, .spacing = { 1, 1, 2.5 } };
	for (unsigned i = 0; i < 3; i++) {
		a->volume.affine[i][i] = a->volume.spacing[i];
		a->volume.affine[i][3] = 10;
	}
}

static struct pairing pair;

/* A label map and its image, alike. */
static struct measured *measured_volumes(void)
{
	struct measured *m = measured_new("2", NULL);

	measured_list(m, 0, 1);
	m->settings.images.folder = "i";
	m->sample.format = FORMAT_NIFTI;
	fill(&m->sample.array);
	pair = (struct pairing){ .state = PAIR_FOUND, .partner = "i/a.nii", .is_volume = true };
	fault_clear(&pair.fault);
	fill(&pair.volume);
	m->pairing = &pair;
	return m;
}

static void says(struct measured *m, const struct rule *rule, enum level level, const char *words)
{
	ck_assert_msg(measured_check(m, rule) == (words != NULL), "%s", words ? words : m->finding.message.s);
	if (!words)
		return;
	ck_assert_msg(strstr(m->finding.message.s, words), "%s", m->finding.message.s);
	ck_assert_int_eq(m->finding.level, level);
}

TEST(spacings)
{
	struct measured *m = measured_volumes();

	says(m, &rule_geometry_mismatch, LEVEL_OFF, NULL);
	m->sample.array.volume.spacing[2] = 2.5 * (1 + 0.9e-5);
	says(m, &rule_geometry_mismatch, LEVEL_OFF, NULL);
	m->sample.array.volume.spacing[2] = 2.5 * (1 + 1.1e-5);
	says(m, &rule_geometry_mismatch, LEVEL_ERROR, "spacing 1 x 1 x 2.50003, but its image i/a.nii has 1 x 1 x 2.5");
	m->sample.array.volume.spacing[2] = NAN;
	says(m, &rule_geometry_mismatch, LEVEL_ERROR, "nan");
	m = measured_volumes(); /* pixdim is right, and the sform is not */
	m->sample.array.volume.affine[0][0] = 1.5;
	says(m, &rule_geometry_mismatch, LEVEL_ERROR, "spacing 1.5 x 1 x 2.5");
}

TEST(places)
{
	struct measured *m = measured_volumes();
	double(*affine)[4] = m->sample.array.volume.affine;

	affine[0][0] = -1;
	says(m, &rule_geometry_mismatch, LEVEL_ERROR, "axis 0 points another way than in its image i/a.nii");
	affine[1][1] = -1;
	says(m, &rule_geometry_mismatch, LEVEL_ERROR, "axis 0, 1 point another way");
	affine[0][0] = affine[1][1] = 0;
	affine[0][1] = affine[1][0] = 1;
	says(m, &rule_geometry_mismatch, LEVEL_ERROR, "axis 0, 1 point");
	m = measured_volumes();
	affine = m->sample.array.volume.affine;
	affine[0][0] = affine[1][1] = cos(.05);
	affine[0][1] = -(affine[1][0] = sin(.05));
	says(m, &rule_geometry_mismatch, LEVEL_WARNING, "its direction differs");
	m = measured_volumes();
	m->sample.array.volume.affine[2][3] += 9e-4;
	says(m, &rule_geometry_mismatch, LEVEL_OFF, NULL);
	m->sample.array.volume.affine[2][3] += 3;
	says(m, &rule_geometry_mismatch, LEVEL_WARNING, "its origin is 3.001 from that of its image");
	m = measured_volumes();
	m->sample.array.volume.oriented = false;
	says(m, &rule_geometry_mismatch, LEVEL_WARNING,
	     "neither sform nor qform nor space directions, so only i/a.nii says");
}

TEST(forms_and_channels)
{
	struct measured *m = measured_volumes();

	m->sample.array.volume.forms_differ = true;
	says(m, &rule_geometry_mismatch, LEVEL_INFO, "sform and its qform");
	pair.volume.volume.forms_differ = true; /* as its image's */
	says(m, &rule_geometry_mismatch, LEVEL_OFF, NULL);
	m->pairing = NULL;
	says(m, &rule_geometry_mismatch, LEVEL_INFO, "sform and its qform");
	m = measured_volumes();
	pair.channels_differ = true;
	pair.other_partner = "i/b.nii";
	says(m, &rule_geometry_mismatch, LEVEL_ERROR, "channels i/a.nii and i/b.nii differ");
}

TEST(shapes)
{
	struct measured *m = measured_volumes();

	pair.volume.rank = 4; /* a fourth axis is one of channels */
	pair.volume.shape[3] = 2;
	says(m, &rule_size_mismatch, LEVEL_OFF, NULL);
	pair.volume.shape[2] = 3;
	says(m, &rule_size_mismatch, LEVEL_ERROR, "shape [6, 5, 4], but its image i/a.nii has [6, 5, 3]");
	says(m, &rule_geometry_mismatch, LEVEL_OFF, NULL);
	m->sample.array.shape[0] = 3;
	m->sample.array.shape[2] = 6;
	says(m, &rule_size_mismatch, LEVEL_ERROR, "the axes are reversed");
	m->sample.array.rank = 2;
	says(m, &rule_size_mismatch, LEVEL_ERROR, "shape [3, 5, 1]");
	m = measured_volumes();
	says(m, &rule_extra_dimension, LEVEL_OFF, NULL);
	m->sample.array.shape[2] = 1; /* a slice */
	says(m, &rule_extra_dimension, LEVEL_OFF, NULL);
	m->sample.array.rank = 4;
	m->sample.array.shape[3] = 1;
	says(m, &rule_extra_dimension, LEVEL_WARNING, "shape [6, 5, 1, 1]");
	m->sample.array.shape[3] = 2;
	says(m, &rule_extra_dimension, LEVEL_ERROR, "shape [6, 5, 1, 2]");
	m->stats.array.use = ARRAY_ONE_HOT; /* another rule's */
	says(m, &rule_extra_dimension, LEVEL_OFF, NULL);
}

TEST(types)
{
	struct measured *m = measured_volumes();

	says(m, &rule_wrong_dtype, LEVEL_OFF, NULL);
	m->sample.array.dtype = DTYPE_FLOAT64;
	says(m, &rule_wrong_dtype, LEVEL_INFO, "float64, though");
	m->sample.array.volume.scaled = true;
	m->sample.array.volume.slope = 2;
	says(m, &rule_wrong_dtype, LEVEL_WARNING, "stored as float64, of which scl_slope 2 and scl_inter 0");
}

TEST(channels_that_are_missing)
{
	struct measured *m = measured_volumes();

	pair = (struct pairing){ .state = PAIR_NO_IMAGE, .partner = "i/a_0001.nii", .of_channel = true, .channel = 1 };
	says(m, &rule_missing_image, LEVEL_ERROR, "no image of channel 1: there is no i/a_0001.nii");
	pair.of_channel = false;
	says(m, &rule_missing_image, LEVEL_ERROR, "with .nii.gz, .nii, .nrrd or .mha");
}
