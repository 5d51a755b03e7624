/*
 * For tests: tar and zip archives, made in memory as common programs make them, and packed. Failures are Check's.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

struct maker {
	const char *format, *packing;
	uint8_t *bytes; /* owned; of the whole archive, after maker_end */
	size_t size;
	struct strbuf members, directory; /* of a zip: its central directory */
	unsigned count;
};

/*
 * format: "ustar", packed by "gzip", "bzip2", "xz", "zstd" or "none"; or "zip", its members packed by "store" or
 * "deflate" (lengths after the data). tests/property/packed.py has the other forms.
 */
void maker_begin(struct maker *m, const char *format, const char *packing);
void maker_add(struct maker *m, const char *name, const void *bytes, size_t n);
void maker_end(struct maker *m);
void maker_release(struct maker *m);

/* Packed by itself, without an archive: "gzip" ... Owned by the caller. */
uint8_t *maker_pack(const char *packing, const void *bytes, size_t n, size_t *size);
