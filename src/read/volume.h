/*
 * Reads volumes: NIfTI (read/nifti.h), NRRD and MetaImage (read/text_volume.h), by what they begin with.
 */
#pragma once

#include <stdbool.h>

#include "read/input.h"
#include "read/sample.h"

/*
 * Reads the header; afterwards the input is at the first voxel, and gives the voxels as they are unpacked. Returns
 * false if *fault is set; *warning is set if the header contradicts itself in what readers ignore.
 */
bool volume_read_header(struct input *in, const struct limits *limits, struct array_header *h, struct fault *warning,
			struct fault *fault);
/* Reads the header of the file name below dirfd, which may be packed. Returns false if *fault is set. */
bool volume_read_file(int dirfd, const char *name, struct array_header *h, struct fault *fault);
/* Reads the voxels of such a file if they are floats. Returns false with *fault set if it cannot, or some are NaN. */
bool volume_check_numbers(int dirfd, const char *name, const struct limits *limits, struct fault *fault);
