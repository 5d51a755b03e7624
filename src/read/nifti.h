/*
 * Reads the headers of NIfTI volumes: NIfTI-1, a header of 348 bytes, and NIfTI-2, one of 540, in either byte order;
 * then extensions, which are skipped, and the voxels from vox_offset on (nifti1.h and nifti2.h of the NIfTI Data
 * Format Working Group). A volume is an array in Fortran order: [i, j, k] as nibabel gives it.
 *
 * A pair of .hdr and .img, and its predecessor ANALYZE 7.5, are named and not read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "read/input.h"
#include "read/sample.h"

enum { NIFTI_HEADER_MAX = 540 };

/* Returns whether the first n bytes are a header whose voxels lie in another file: NIfTI's or ANALYZE's. */
bool nifti_pair_begins(const uint8_t *head, size_t n);

/*
 * Parses a header from the first n bytes of a file into all of h. Returns false if *fault is set (FAULT_LABELS,
 * FAULT_TRUNCATED); *warning is set if the header contradicts itself in what readers ignore.
 */
bool nifti_parse(const uint8_t *head, size_t n, struct array_header *h, struct fault *warning, struct fault *fault);
/* Reads the header; afterwards the input is at the first voxel. The same. */
bool nifti_read_header(struct input *in, struct array_header *h, struct fault *warning, struct fault *fault);
