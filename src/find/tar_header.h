/*
 * The header of a tar member: one block of 512 bytes, and the fields in it. POSIX.1-1988 ustar and what came before it
 * (V7), with GNU's extensions (GNU tar manual, "Basic Tar Format"). For the files of the tar reader and whoever tells
 * archives from other files. Pure, any thread.
 */
#ifndef FIND_TAR_HEADER_H
#define FIND_TAR_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Where the fields are, and how many bytes they have (POSIX, "ustar Interchange Format"). */
enum {
	TAR_BLOCK = 512,
	TAR_SIZE_AT = 124,
	TAR_TYPE_AT = 156,
	/* Of GNU's old sparse headers, type 'S': */
	TAR_SPARSE_MORE_AT = 482, /* not 0: blocks with more of the map follow */
	TAR_REAL_SIZE_AT = 483,
	TAR_MAP_MORE_AT = 504, /* in such a block: another one follows */
	TAR_SIZE_BYTES = 12,   /* of both sizes */
};

/*
 * A number: octal digits between spaces and a NUL, or, by GNU's extension, binary (the high bit of the first byte is
 * set). False: it is neither, it is negative, or 64 bits do not hold it.
 */
bool tar_number(const uint8_t *p, size_t n, uint64_t *out);

/*
 * Whether the checksum is right, as the sum of unsigned bytes, which POSIX wants, or of signed ones, as some old
 * writers had it. *found: what the header says; *expected: the unsigned sum.
 */
bool tar_checksum_right(const uint8_t *h, uint64_t *found, uint64_t *expected);
/* The same, for who does not report it. A block of zeros is no header: its sum is 256, and it says 0. */
bool tar_is_header(const uint8_t *block);

/* Whether it says that it is ustar's or GNU's, whatever its checksum; V7 has no such mark. */
bool tar_has_magic(const uint8_t *h);
/* The name with its prefix; replaces what was in out. */
void tar_header_name(const uint8_t *h, struct strbuf *out);

bool tar_all_zero(const uint8_t *p, size_t n);
/* Bytes from the end of data of this size to the next block. */
uint64_t tar_padding(uint64_t size);

#endif
