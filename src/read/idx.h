/*
 * Reads the header of an IDX file, the format of MNIST and its family: two zero bytes, the element type, the number of
 * axes, then each axis as a big-endian 32-bit number. The elements follow, big-endian, in row-major order
 * (Y. LeCun, C. Cortes, C. Burges: "The MNIST database", section "The IDX file format").
 */
#ifndef READ_IDX_H
#define READ_IDX_H

#include <stdbool.h>

#include "read/input.h"
#include "read/sample.h"

/* Reads the header from the start of `in` and checks the file size against it. Returns false if *fault is set. */
bool idx_read_header(struct input *in, struct array_header *out, struct fault *fault);

#endif
