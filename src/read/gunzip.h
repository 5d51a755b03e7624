/*
 * Files that are packed with gzip (RFC 1952), read as if they were not: labels.csv.gz, train-labels-idx1-ubyte.gz.
 *
 * All members are unpacked one after the other, and the CRC-32 and length of each are checked. What follows the last
 * one is a remark of the input; a gzip file inside is not unpacked again. Never more than settings.limits.max_inflated
 * bytes are given, and memory is constant.
 */
#ifndef READ_GUNZIP_H
#define READ_GUNZIP_H

#include <stdbool.h>

#include "base/settings.h"
#include "read/input.h"
#include "read/peek.h"

/*
 * From now on `in`, which stands at the start of gzip data, gives what they unpack to (see input_from_stream). False:
 * fault is filled.
 */
bool gunzip_input(struct input *in, const struct limits *limits, struct fault *fault);

/*
 * The first bytes of an input, which then stands at its beginning again; if they are those of a gzip file, the input is
 * taken over first, and they are of what it unpacks to. Returns how many, -1 with fault filled.
 */
int64_t gunzip_open(struct input *in, uint8_t head[PEEK_BYTES], const struct limits *limits, struct fault *fault);

#endif
