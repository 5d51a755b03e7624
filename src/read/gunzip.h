/*
 * Files that are packed with gzip (RFC 1952), read as if they were not: labels.csv.gz, train-labels-idx1-ubyte.gz.
 *
 * All gzip members of a file are unpacked one after the other, and the CRC-32 and length of each are checked. If
 * anything follows the last one, that becomes a warning of the input. A gzip file inside is not unpacked again. No more
 * than limits->max_inflated bytes are given, and memory is constant.
 */
#ifndef READ_GUNZIP_H
#define READ_GUNZIP_H

#include <stdbool.h>

#include "base/settings.h"
#include "read/input.h"
#include "read/peek.h"

/*
 * in stands at the start of gzip data; from now on it gives what these unpack to (see input_from_stream). False: fault
 * is filled.
 */
bool gunzip_input(struct input *in, const struct limits *limits, struct fault *fault);

/*
 * The first bytes of an input, which stands at its beginning before and after: *head points to them, in the input's own
 * memory if they are there, else they are read into room. If the input is gzip data, it is made to give what they
 * unpack to first (gunzip_input), and these are the first bytes of that. Returns how many, at most PEEK_BYTES; or -1
 * with fault filled.
 */
int64_t gunzip_open(struct input *in, uint8_t room[PEEK_BYTES], const uint8_t **head, const struct limits *limits,
		    struct fault *fault);

#endif
