/*
 * struct byte_stream: the bytes of an archive file, unpacked if it is packed, from the first to the last in large
 * blocks.
 *
 * gzip, bzip2, xz and zstd are unpacked (find/unpacker.h); a packed file may hold several streams one after the other.
 * What goes wrong is kept in the stream's fault (FAULT_UNREADABLE, FAULT_TRUNCATED: the packed data end early,
 * FAULT_CORRUPT, FAULT_LIMIT), and then the stream has ended. In a file that is not packed, bytes are passed over by
 * seeking. Memory: BYTE_STREAM_BUFFER and what unpacking takes. One thread.
 */
#ifndef FIND_BYTE_STREAM_H
#define FIND_BYTE_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/settings.h"
#include "find/unpacker.h"

enum {
	/* Larger blocks were no faster: 256 KiB stay in the second cache until their members are copied. */
	BYTE_STREAM_BUFFER = 256 << 10,
	/* The most that may be peeked at, and the smallest block. */
	BYTE_STREAM_PEEK = 8 << 10,
	/* The most that may have been read before the stream is opened: enough to see a tar header in gzip data. */
	BYTE_STREAM_HEAD = 4096,
	/* Up to so many unpacked bytes the ratio does not matter: they cost little time, and memory is bounded anyway.
	 */
	BYTE_STREAM_RATIO_FLOOR = 64 << 20,
};

struct byte_stream {
	int fd;              /* owned */
	bool seekable;       /* a regular file that is not packed */
	uint64_t file_size;  /* UINT64_MAX: a pipe */
	uint64_t file_bytes; /* read from fd so far; what a seek passes over is not among them */
	uint64_t unpacked;   /* bytes that were unpacked */
	uint64_t offset;     /* of the next byte, unpacked */
	uint8_t head[BYTE_STREAM_HEAD];
	size_t head_at, head_len; /* head[head_at..head_len) has not been given yet */
	uint8_t *buffer;          /* owned; BYTE_STREAM_BUFFER bytes */
	size_t block;             /* how many of them are filled at once: fewer where most is passed over */
	size_t at, len;           /* what is left in it */
	bool ended;               /* nothing follows what is in the buffer */
	struct fault fault;
	struct packed_reader *packed; /* owned; NULL if the file is not packed */
	uint64_t max_ratio;           /* unpacked bytes for one packed; 0: no limit; FAULT_LIMIT */
	const atomic_bool *stop;      /* a wait for a pipe ends, as at the end, when it becomes true; or NULL */
};

/*
 * Takes over fd (and will close it, unless it is a standard descriptor), of which the n bytes of `head` were read
 * already. False: fault is filled, and byte_stream_close has to be called all the same.
 */
bool byte_stream_open(struct byte_stream *s, int fd, const void *head, size_t n, enum packing packing,
		      const struct limits *limits, const atomic_bool *stop, struct fault *fault);
void byte_stream_close(struct byte_stream *s);

/* The next n bytes (at most BYTE_STREAM_PEEK) without taking them; *have: how many, fewer only at the end. */
const uint8_t *byte_stream_peek(struct byte_stream *s, size_t n, size_t *have);
/* Copies up to n bytes; fewer only at the end. */
size_t byte_stream_read(struct byte_stream *s, void *out, size_t n);
/* Passes over n bytes. False: there were fewer. */
bool byte_stream_skip(struct byte_stream *s, uint64_t n);
/*
 * If the next byte lies in a hole of a sparse file, passes over the hole, by whole blocks of `block` zero bytes.
 * Returns how many bytes that were; 0 also where the file system does not tell holes, and while bytes are buffered.
 */
uint64_t byte_stream_skip_hole(struct byte_stream *s, uint64_t block);

#endif
