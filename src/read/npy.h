/*
 * The NumPy .npy format, versions 1.0 to 3.0 (NEP 1, numpy/lib/format.py): the magic, a version, the length of a
 * header, the header (a Python dict literal of descr, fortran_order and shape), the elements.
 *
 * The dict literal has a strict, bounded parser of its own; no other Python is understood. The program evaluates
 * nothing and reads no pickles, so arrays of objects are refused by name. It accepts what NumPy reads and some writer
 * is known to make: keys in any order, both kinds of quotes, Python 2's longs, integers in every base and with
 * underscores, headers without padding or newline. Negative dimensions, which NumPy computes from the size of the file,
 * are refused.
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
 * Parses the dict literal, n bytes of header text. offset: of its first byte in the file, for faults. longs: accepts an
 * L after an integer, as format versions 1.0 and 2.0 may have. Fills all of h but data_at.
 */
bool npy_parse_literal(const char *text, size_t n, uint64_t offset, bool longs, struct array_header *h,
		       struct fault *fault);

/*
 * Reads the header; afterwards the input is at the first element. The measurement checks that all elements are there.
 * Returns false if *fault is set (FAULT_LABELS, FAULT_TRUNCATED, FAULT_LIMIT, FAULT_OBJECTS).
 */
bool npy_read_header(struct input *in, struct array_header *h, struct fault *fault);

#endif
