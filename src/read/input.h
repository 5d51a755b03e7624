/*
 * struct input: the bytes of one label file. They are read, never mapped: if a mapped file shrinks, touching it is a
 * SIGBUS.
 *
 * A small file (up to INPUT_WHOLE_MAX) is in memory as a whole, followed by INPUT_PADDING zero bytes; a larger one is
 * streamed: input_read reads it from its descriptor. Bytes from elsewhere (a member of an archive, an unpacked
 * file) come in the same two ways, through struct input_stream. Owner: the caller who opened it; one thread.
 */
#ifndef READ_INPUT_H
#define READ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/fault.h"
#include "base/settings.h"

enum {
	/*
	 * The first bytes of a file, by which it is recognised. Enough for every signature (that of tar is at 257), for
	 * some lines of a text, and for the first keys of a JSON file; the kernel reads whole pages anyway.
	 */
	PEEK_BYTES = 4096,
	INPUT_WHOLE_MAX = 8 << 20, /* bytes; a quarter of a worker's 32 MiB */
	INPUT_PADDING = 64,        /* zero bytes after the data: lets inflate run its fast loop to the end */
};

/* The size of a stream that has not ended yet. */
#define INPUT_SIZE_UNKNOWN UINT64_MAX

/*
 * An open file and its first bytes, to decide what it is before the rest is read. A file that turns out to be wanted
 * need not be opened again: input_open_peeked() takes over its descriptor. Owner: one thread.
 */
struct file_peek {
	int fd; /* owned, at byte n; -1: none is open, and the rest is not valid */
	struct stat st;
	size_t n;
	uint8_t head[PEEK_BYTES];
};

/*
 * Opens name below dirfd and reads up to PEEK_BYTES; a FIFO or a device is opened without blocking and not read.
 * Returns false if that fails; then *fault is set (FAULT_UNREADABLE), and nothing is open.
 */
bool peek_open(struct file_peek *peek, int dirfd, const char *name, struct fault *fault);
void peek_close(struct file_peek *peek);
/*
 * Reads as much of the open file, which is packed, as it takes to unpack its first bytes. Returns how many, at most
 * PEEK_BYTES. Damage ends them early: whoever reads the file reports it.
 */
size_t peek_unpack(struct file_peek *peek, uint8_t head[PEEK_BYTES]);

/* A source of bytes other than a file of their own. */
struct input_stream {
	void *self;
	/* Reads the next n bytes. Returns how many there were (fewer only at the end), or -1 with *fault set. */
	int64_t (*read)(void *self, void *out, size_t n, struct fault *fault);
	/* Frees self; called once, when the input is reset or released. NULL: nothing to free. */
	void (*close)(void *self);
	/*
	 * Called once, after the end was read. Returns a warning about the source (a constant text) and its byte, or
	 * NULL. May be NULL itself.
	 */
	const char *(*warning)(const void *self, uint64_t *at);
};

struct input {
	uint8_t *bytes;             /* the whole file, or NULL if it is streamed; owned */
	size_t cap;                 /* of bytes, or of head, padding included */
	uint64_t size;              /* of the file, from fstat; of a stream INPUT_SIZE_UNKNOWN until its end was read */
	uint64_t at;                /* next byte that input_read gives */
	int fd;                     /* >= 0 only while a streamed file is open */
	struct stat st;             /* as it was before reading */
	struct input_stream stream; /* read != NULL only while one that is longer than INPUT_WHOLE_MAX is open */
	uint8_t *head;              /* its first head_size bytes, which may be read again; owned */
	size_t head_size;
	const char *warning; /* of a stream that was read to its end; or NULL */
	uint64_t warning_at;
};

void input_init(struct input *in);
/* Closes and frees; the input can be opened again. */
void input_release(struct input *in);
/* Closes and forgets what was read, but keeps the memory for the next file. */
void input_reset(struct input *in);

/*
 * Opens a regular file below the directory dirfd (or AT_FDCWD) for reading. A FIFO or a device is refused without
 * blocking. Returns its descriptor and fills st, or -1 with *fault set (FAULT_UNREADABLE).
 */
int input_open_regular(int dirfd, const char *name, struct stat *st, struct fault *fault);
/*
 * Opens such a file and reads it, or prepares to stream it; memory of an earlier use is kept. Returns false if *fault
 * is set (FAULT_UNREADABLE). An empty file is no fault.
 */
bool input_open(struct input *in, int dirfd, const char *name, struct fault *fault);
/* The same for a file that is open already; takes over its descriptor and its first bytes. */
bool input_open_peeked(struct input *in, struct file_peek *peek, struct fault *fault);
/*
 * Reads an open descriptor (standard input) to its end. head: the n bytes already read from it. More than `limit` bytes
 * in all are a fault; 0: no limit.
 */
bool input_read_fd(struct input *in, int fd, const void *head, size_t n, uint64_t limit, struct fault *fault);
/*
 * Takes over a stream (and closes it in any case) and reads its first INPUT_WHOLE_MAX bytes. If it ends within these,
 * it is in memory, like a small file; else it is streamed, and input_rewind works only until more is read.
 */
bool input_from_stream(struct input *in, const struct input_stream *stream, struct fault *fault);
/* Makes the input a view of memory owned by the caller: members of archives, tests. bytes need no padding. */
void input_from_memory(struct input *in, const void *bytes, size_t n);

/*
 * Returns the number of first bytes of the input, at most PEEK_BYTES, or -1 with *fault set; the input is at its
 * beginning before and after. *head points to them: into the input's memory, or else into buffer.
 *
 * If the input is packed (gzip, bzip2, xz, zstd), it gives the unpacked bytes from now on, of all streams, one after
 * the other, and these are the first of them. Anything after the last stream becomes a warning of the input. Packed
 * data inside are not unpacked again. More than limits->max_inflated bytes are a fault.
 */
int64_t input_unpack(struct input *in, uint8_t buffer[PEEK_BYTES], const uint8_t **head, const struct limits *limits,
		     struct fault *fault);
/* Reads the first bytes of a file, unpacked. Returns how many, at most PEEK_BYTES, or -1 with *fault set. */
int input_read_head(int dirfd, const char *name, uint8_t head[PEEK_BYTES], struct fault *fault);

/* Reads the next n bytes. Returns how many there were (fewer only at the end), or -1 with *fault set. */
int64_t input_read(struct input *in, void *out, size_t n, struct fault *fault);
/* Returns whether it can always be read again from the beginning: a file, or bytes in memory. */
static inline bool input_can_rewind(const struct input *in)
{
	return in->bytes || in->fd >= 0;
}
/* Starts again at byte 0. Returns false if it cannot seek, or if more than the head of a stream was read. */
bool input_rewind(struct input *in, struct fault *fault);
/*
 * Tells the kernel to read a file that will be opened soon, so that the disk works on many files at once. Failures do
 * not matter. It pays only if files are not in the page cache: 11 to 15 us a file, 32 or more ahead, instead of 80.
 */
void input_prefetch(int dirfd, const char *name);
/* Call after reading. Returns false with FAULT_UNREADABLE if size or mtime changed since the open. */
bool input_unchanged(const struct input *in, struct fault *fault);

#endif
