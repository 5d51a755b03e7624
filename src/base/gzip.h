/*
 * gzip (RFC 1952), as far as all who meet it need it: its first bytes, and what these unpack to. What reads whole files
 * is read/gunzip.h, and of archives find/unpacker.h. Any thread.
 */
#ifndef BASE_GZIP_H
#define BASE_GZIP_H

#include <stddef.h>
#include <stdint.h>

/* For zlib's inflateInit2: 15 is the largest window, as a power of two; 16 more says that gzip's header comes first. */
enum { GZIP_WINDOW = 15 + 16 };

/*
 * Unpacks the first n bytes of a gzip file as far as they go and as there is room in out. Returns how many bytes that
 * gave; 0 also where they are no gzip data, or damaged.
 */
size_t gzip_head(const uint8_t *packed, size_t n, uint8_t *out, size_t room);

#endif
