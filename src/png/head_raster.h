/*
 * The rows of a PNG as far as its first bytes show them, without any verdict: a raster (read/raster.h) that ends where
 * the bytes do, or are broken. For looks at samples, which cost no more than the bytes that are at hand; of Adam7 it
 * has the first pass, of rows of more than 64 KiB the beginning of the first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "read/raster.h"

/* Opens the first n bytes of a PNG, which outlive the raster. Returns false if its header is not legal. row() returns
 * false at the end, and sets no fault. */
bool head_raster_open(struct raster *out, const uint8_t *head, size_t n);
/* Appends the first bytes of an open PNG, of which n are at hand, without what lies between its header and its pixels:
 * profiles may be of any length. */
void head_raster_read(int fd, const uint8_t *head, size_t n, struct strbuf *out);
