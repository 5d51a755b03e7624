/*
 * struct block_reader: reads an archive file from its first byte to the last and unpacks it (gzip, bzip2, xz, zstd), a
 * block at a time.
 *
 * The kernel is asked for the next bytes of a regular file ahead, and for more and more of them while nothing is
 * skipped: where storage is late, as many requests wait for it side by side.
 *
 * An error ends the blocks and is kept in its fault: FAULT_UNREADABLE, FAULT_TRUNCATED (the packed data end early),
 * FAULT_CORRUPT or FAULT_LIMIT (a window). Memory: the unpacker's and 256 KiB. One thread at a time.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "find/unpacker.h"

enum {
	/* The most bytes that may be read before the reader is opened: enough to see a tar header in gzip data. */
	BLOCK_READER_HEAD = 4096,
};

struct block_reader {
	int fd; /* owned */
	uint8_t head[BLOCK_READER_HEAD];
	size_t head_at, head_len; /* head[head_at..head_len) is unread */
	off_t start;              /* where `head` was read; -1: the file can be read only once */
	off_t at;                 /* of the next byte to be read, if it can be read twice */
	off_t asked, ahead;  /* the kernel was asked to read up to `asked`, and is asked for that many bytes ahead */
	uint64_t file_bytes; /* read from fd so far, but for what is staged */
	uint8_t *staged;     /* of a packed file that can be read twice: what read(2) gave; owned; or NULL */
	size_t staged_at, staged_len; /* its unread part */
	size_t stage;                 /* bytes to be read next */
	struct packed_reader *packed; /* owned; NULL if the file is not packed */
	bool ended;                   /* nothing follows the last block */
	struct fault fault;
	const atomic_bool *stop; /* when it becomes true, a wait for a pipe ends like the file; or NULL */
};

/*
 * Opens a reader of fd and takes ownership of it (a standard descriptor is never closed). head: the n bytes already
 * read from fd. regular: it is a regular file. Returns false if *fault is set; close it all the same.
 */
bool block_reader_open(struct block_reader *r, int fd, bool regular, const void *head, size_t n, enum packing packing,
		       const atomic_bool *stop, struct fault *fault);
void block_reader_close(struct block_reader *r);
/* Reads the next block: n bytes, fewer at the end or a fault, which set `ended`. */
size_t block_reader_read(struct block_reader *r, uint8_t *out, size_t n);
/* lseek(2) in a file that is not packed. Returns -1 with errno if that fails. */
off_t block_reader_seek(struct block_reader *r, off_t to, int from);
