/*
 * struct unpacker: zlib, libbz2, liblzma and libzstd behind one interface that takes packed bytes and gives what they
 * hold. It reads no file itself; struct byte_stream does.
 *
 * The libraries check every checksum and length. Memory: gzip takes 50 KiB, bzip2 4 MiB, xz and zstd as much as the
 * file asks for, which UNPACKER_WINDOW_LOG limits. One thread.
 */
#ifndef FIND_UNPACKER_H
#define FIND_UNPACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The largest window of xz and zstd, as a power of two: 128 MiB, half of what a run may take besides its threads. That
 * is zstd's own default, `zstd --long`; `xz -9` has 64 MiB. A few bytes of a header can ask for 4 GiB.
 */
enum { UNPACKER_WINDOW_LOG = 27 };

enum packing {
	PACKING_NONE,
	PACKING_GZIP,
	PACKING_BZIP2,
	PACKING_XZ,
	PACKING_ZSTD,
	PACKING_UNKNOWN,
};

/* By the first bytes of a file; PACKING_UNKNOWN if they are of none of these. */
enum packing packing_of(const uint8_t *head, size_t n);

enum unpacker_result {
	UNPACKER_MORE,      /* all input is used up, or the room is full */
	UNPACKER_END,       /* a stream ended; another may follow */
	UNPACKER_DAMAGED,   /* why */
	UNPACKER_LIMIT,     /* the file asks for a larger window */
	UNPACKER_NO_MEMORY, /* the machine's fault, not the file's */
};

struct unpacker_library;
union unpacker_state;

struct unpacker {
	const struct unpacker_library *library;
	const uint8_t *in; /* what is left of the input */
	size_t in_len;
	uint8_t *out; /* what is left of the room */
	size_t out_len;
	const char *why;             /* of UNPACKER_DAMAGED; never NULL then */
	union unpacker_state *state; /* the library's; owned */
};

/* Before anything else, unpacker_begin_stream is to be called. */
void unpacker_init(struct unpacker *u, enum packing packing);
void unpacker_release(struct unpacker *u);

/* False: no memory. */
bool unpacker_begin_stream(struct unpacker *u);
/* Unpacks what there is between in and out, and moves both on. Without input it gives what it still holds back. */
enum unpacker_result unpacker_run(struct unpacker *u);

const char *unpacker_name(const struct unpacker *u); /* "gzip" */
/* Behind a stream, zeros may pad the file, as many as a multiple of this. 0: none may. */
unsigned unpacker_padding(const struct unpacker *u);

#endif
