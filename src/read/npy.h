/*
 * The NumPy .npy format, versions 1.0 to 3.0 (NEP 1, numpy/lib/format.py): the magic, a version, the length of a
 * header, the header (a Python dict literal of descr, fortran_order and shape), the elements.
 *
 * The literal is parsed strictly and with bounds, and nothing else of Python: what an evaluation could do is not in
 * the program, and neither is a reader of pickles, so arrays of objects are refused by name. What NumPy reads
 * and any writer is known to make is read: keys in any order, both quotes, Python 2's longs, integers in every base
 * with underscores, no padding, no newline. A negative dimension, which NumPy computes from the size, is refused.
 */
#ifndef READ_NPY_H
#define READ_NPY_H

#include <stdbool.h>
#include <stddef.h>

#include "read/input.h"
#include "read/sample.h"

/* Bytes: NumPy's own bound on headers (max_header_size). */
enum { NPY_HEADER_MAX = 10000 };

/*
 * The literal alone: n bytes of header text. offset: of its first byte in the file, for faults. longs: an L behind an
 * integer is accepted, as up to version 2.0. Fills all of h but data_at.
 */
bool npy_parse_literal(const char *text, size_t n, uint64_t offset, bool longs, struct array_header *h,
		       struct fault *fault);

/*
 * Reads the header; the input then stands at the first element. False: fault is filled (FAULT_LABELS, FAULT_TRUNCATED,
 * FAULT_LIMIT, FAULT_OBJECTS). That the elements are all there is the measurement's to see.
 */
bool npy_read_header(struct input *in, struct array_header *h, struct fault *fault);

#endif
