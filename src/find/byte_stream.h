/*
 * struct byte_stream: reads an archive file from the first byte to the last, in large blocks, and unpacks it if it is
 * packed (gzip, bzip2, xz, zstd: find/unpacker.h). A packed file may hold several streams, one after the other.
 *
 * The kernel is asked for the next bytes of a regular file ahead, and for more and more of them while nothing is
 * skipped: where storage is late, as many requests wait for it side by side. While one worker unpacks, under the
 * source's lock, the others decode.
 *
 * An error ends the stream and is kept in its fault: FAULT_UNREADABLE, FAULT_TRUNCATED (the packed data end early),
 * FAULT_CORRUPT or FAULT_LIMIT. A file that is not packed is skipped through by seeking. Memory: 600 KiB
 * and the unpacker's. One thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "base/settings.h"
#include "find/unpacker.h"

enum {
	BYTE_STREAM_BUFFER = 256 << 10, /* larger ones were no faster: it stays in the L2 cache until it is copied */
	/* The largest peek, and the smallest block. */
	BYTE_STREAM_PEEK = 8 << 10,
	/* The most bytes that may be read before the stream is opened: enough to see a tar header in gzip data. */
	BYTE_STREAM_HEAD = 4096,
	/* max_ratio applies to a stream above this many unpacked bytes: fewer cost little time, but see units_free. */
	BYTE_STREAM_RATIO_FLOOR = 64 << 20,
};

/* An archive's file, read from its first byte to the last. */
struct archive_file {
	int fd; /* owned */
	uint8_t head[BYTE_STREAM_HEAD];
	size_t head_at, head_len; /* head[head_at..head_len) is unread */
	off_t start;              /* where `head` was read; -1: the file can be read only once */
	off_t at;                 /* of the next byte to be read, if it can be read twice */
	off_t asked, ahead; /* the kernel was asked to read up to `asked`, and is asked for that many bytes ahead */
	uint64_t bytes;     /* read so far, but for what was skipped by seeking */
	const atomic_bool *stop; /* when it becomes true, a wait for a pipe ends like the file; or NULL */
};

struct byte_stream {
	struct archive_file *file;    /* owned */
	struct packed_reader *packed; /* owned; NULL if the file is not packed */
	bool seekable;                /* a regular file that is not packed */
	uint64_t file_size;           /* UINT64_MAX: a pipe */
	uint64_t unpacked;            /* bytes unpacked so far */
	uint64_t offset;              /* of the next byte, unpacked */
	uint8_t *memory;              /* for a peek and a block; owned */
	size_t block, block_least;    /* bytes to read at once: fewer after some were skipped */
	const uint8_t *next;          /* the unread bytes, in memory */
	size_t len;                   /* of these */
	bool ended;                   /* nothing follows them */
	struct fault fault;
	unsigned byte_units;          /* of work, for an unpacked byte */
	uint64_t max_ratio;           /* unpacked bytes per packed byte; more are FAULT_LIMIT; 0: no limit */
	uint64_t *units_free;         /* of work, for what all streams together unpack beyond it; or NULL. Borrowed */
	uint64_t units_taken;         /* of these */
	bool heads_only, heads_ended; /* byte_stream_heads_only() was called, and ended the stream */
};

/*
 * Opens a stream over fd and takes ownership of it (a standard descriptor is never closed). head: the n bytes already
 * read from fd. units_free: may be NULL. Returns false if *fault is set; close the stream all the same.
 */
bool byte_stream_open(struct byte_stream *s, int fd, const void *head, size_t n, enum packing packing,
		      const struct limits *limits, uint64_t *units_free, const atomic_bool *stop, struct fault *fault);
void byte_stream_close(struct byte_stream *s);
/*
 * Makes a stream that was just opened one of which most is skipped, and which ends without more ado after some units of
 * work: after those that its packed bytes pay for, and then those that are left in *units for all such streams.
 */
void byte_stream_heads_only(struct byte_stream *s, uint64_t *units);

/* Returns the next n bytes (at most BYTE_STREAM_PEEK), which stay unread. *have: how many; fewer only at the end. */
const uint8_t *byte_stream_peek(struct byte_stream *s, size_t n, size_t *have);
/* Copies the next n bytes. Returns how many; fewer only at the end. */
size_t byte_stream_read(struct byte_stream *s, void *out, size_t n);
/* Skips n bytes. Returns false if there were fewer. */
bool byte_stream_skip(struct byte_stream *s, uint64_t n);
