/*
 * Decompression of gzip, bzip2, xz, zstd and zlib data through one interface, in two layers.
 *
 * struct unpacker wraps the four libraries: it turns packed bytes in memory into unpacked ones, a stream at a time.
 * struct packed_reader reads a whole packed file from any source of bytes: its streams, one after the other, and what
 * follows the last of them. The libraries check every checksum and length.
 *
 * Memory: gzip takes 50 KiB, bzip2 4 MiB, xz and zstd as much as the file asks for, up to UNPACKER_WINDOW_LOG; a reader
 * takes PACKED_BUFFER besides. One thread each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum {
	/*
	 * The largest window of xz and zstd, as a power of two: 128 MiB, half of what a run may take besides its
	 * threads. That is the window of `zstd --long`; `xz -9` has 64 MiB. A header of a few bytes can ask for 4 GiB.
	 */
	UNPACKER_WINDOW_LOG = 27,
	PACKED_BUFFER = 256 << 10, /* bytes that a reader draws at once: some file systems wait in each read(2) */
};

enum packing {
	PACKING_NONE,
	PACKING_GZIP,
	PACKING_BZIP2,
	PACKING_XZ,
	PACKING_ZSTD,
	PACKING_ZLIB, /* of data within a file, which say so: it has no magic */
	PACKING_UNKNOWN,
};

/* Returns the packing that the first bytes of a file show, or PACKING_UNKNOWN. */
enum packing packing_of(const uint8_t *head, size_t n);

enum unpacker_result {
	UNPACKER_MORE,      /* all input is used up, or the output is full */
	UNPACKER_END,       /* a stream ended; another may follow */
	UNPACKER_DAMAGED,   /* why */
	UNPACKER_LIMIT,     /* the file asks for a larger window */
	UNPACKER_NO_MEMORY, /* the machine's fault, not the file's */
};

struct unpacker_library;
union unpacker_state;

struct unpacker {
	const struct unpacker_library *library;
	const uint8_t *in; /* the rest of the input */
	size_t in_len;
	uint8_t *out; /* the rest of the output buffer */
	size_t out_len;
	const char *why;             /* not NULL after UNPACKER_DAMAGED */
	union unpacker_state *state; /* the library's; owned */
};

void unpacker_init(struct unpacker *u, enum packing packing);
void unpacker_release(struct unpacker *u);
/* Prepares for the first stream, or the next one. Returns false if there is no memory. */
bool unpacker_begin_stream(struct unpacker *u);
/* Unpacks from in to out and advances both. Without input it gives the bytes that the library still holds. */
enum unpacker_result unpacker_run(struct unpacker *u);
const char *unpacker_name(const struct unpacker *u); /* "gzip" */
/* Returns the units of work that a byte of output may cost (base/work_units.h). */
unsigned unpacker_byte_units(const struct unpacker *u);
/* Returns how many bytes the library holds for windows that a file asked for; 0 for gzip and bzip2. */
uint64_t unpacker_window_bytes(const struct unpacker *u);

/*
 * Unpacks the first n bytes of a packed file into out, as far as they go and out has capacity. Returns how many bytes
 * that gave: 0 if the data are not packed, damaged, or end before the first block does; -1 if there is no memory, and
 * then *fault is set.
 */
int64_t unpack_head(const uint8_t *packed, size_t n, uint8_t *out, size_t capacity, struct fault *fault);

/* Where a packed_reader gets its bytes. */
struct packed_source {
	void *self;
	/* Reads at most n bytes. Returns how many, 0 at the end, or -1 with fault filled. */
	int64_t (*read)(void *self, void *out, size_t n, struct fault *fault);
};

struct packed_reader {
	struct unpacker unpacker;
	struct packed_source source;  /* borrowed */
	bool between;                 /* after a stream: another may follow */
	bool full;                    /* the last output was full: the library may give more without input */
	bool ended;                   /* nothing more comes */
	uint64_t drawn;               /* bytes read from the source */
	uint64_t zeros;               /* after the last stream */
	uint8_t bytes[PACKED_BUFFER]; /* unpacker.in points into it */
};

/* Initialises the reader and begins its first stream. Returns false if there is no memory; then *fault is set. */
bool packed_reader_init(struct packed_reader *r, enum packing packing, struct packed_source source,
			struct fault *fault);
void packed_reader_release(struct packed_reader *r);
/*
 * Unpacks the next n bytes. Returns how many there were: fewer at the end, or if *fault is set (FAULT_TRUNCATED: the
 * data end early; FAULT_CORRUPT, FAULT_LIMIT, FAULT_UNREADABLE), after which the reader is not used again.
 */
size_t packed_reader_read(struct packed_reader *r, void *out, size_t n, struct fault *fault);
