/*
 * Read the headers of files of arrays: IDX (below), and the NumPy .npy format, versions 1.0 to 3.0 (NEP 1,
 * numpy/lib/format.py): the magic, a version, the length of the header, the header (a Python dict literal of descr,
 * fortran_order and shape), then the elements.
 *
 * A strict, bounded parser reads the dict literal. It evaluates nothing; arrays of objects, which are pickles, are
 * refused. It accepts what NumPy reads and some writer is known to make: keys in any order, both kinds of quotes,
 * Python 2's longs, integers in any base and with underscores, headers without padding or newline. It refuses
 * negative dimensions, which NumPy computes from the size of the file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "read/input.h"
#include "read/sample.h"

/* Bytes: NumPy's own bound on headers (max_header_size). */
enum { NPY_HEADER_MAX = 10000 };

/*
 * Parses the dict literal, n bytes at `offset` of the file, into all of h but data_at. longs: accepts an L after an
 * integer, as in format versions 1.0 and 2.0. Returns false if *fault is set.
 */
bool npy_parse_literal(const char *text, size_t n, uint64_t offset, bool longs, struct array_header *h,
		       struct fault *fault);

/*
 * Reads the header; afterwards the input is at the first element. The measurement checks that no element is missing.
 * Returns false if *fault is set (FAULT_LABELS, FAULT_TRUNCATED, FAULT_LIMIT, FAULT_OBJECTS).
 */
bool npy_read_header(struct input *in, struct array_header *h, struct fault *fault);

/*
 * Reads the header of an IDX file, the format of MNIST and its family: two zero bytes, the element type, the number of
 * axes, then each axis as a big-endian 32-bit number. The elements follow, big-endian, in row-major order
 * (Y. LeCun, C. Cortes, C. Burges: "The MNIST database", section "The IDX file format"). Checks the file size against
 * it. Returns false if *fault is set.
 */
bool idx_read_header(struct input *in, struct array_header *out, struct fault *fault);
