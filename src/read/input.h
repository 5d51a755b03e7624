/*
 * struct input: the bytes of one label file. They are read, never mapped: a mapped file that shrinks raises SIGBUS.
 *
 * A file of up to INPUT_WHOLE_MAX bytes is held in memory, followed by INPUT_PADDING zero bytes; a larger one is
 * streamed from its descriptor by input_read. Bytes from elsewhere (a member of an archive, an unpacked file) are held
 * or streamed in the same way, through struct input_stream. Owner: the caller who opened it; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/fault.h"
#include "base/settings.h"
#include "find/unpacker.h"

enum {
	/*
	 * The first bytes of a file, by which it is recognised: enough for every signature (tar's is at 257), some
	 * lines of a text, and the first keys of a JSON file. The kernel reads whole pages anyway.
	 */
	PEEK_BYTES = 4096,
	INPUT_WHOLE_MAX = 8 << 20, /* bytes; a quarter of a worker's 32 MiB */
	INPUT_PADDING = 64,        /* zero bytes after the data, so that inflate can run its fast loop to the end */
};

/* The size of a stream before its end was read. */
#define INPUT_SIZE_UNKNOWN UINT64_MAX

/*
 * An open file and its first bytes, to recognise it before the rest is read. input_open_peeked() takes over its
 * descriptor, so that the file is opened once. One thread.
 */
struct file_peek {
	int fd; /* owned, at byte n; -1: not open, and the rest is invalid */
	struct stat st;
	size_t n;
	uint8_t head[PEEK_BYTES];
};

/* Opens name below dirfd as input_open_regular() does and reads up to PEEK_BYTES. Returns false if *fault is set. */
bool peek_open(struct file_peek *peek, int dirfd, const char *name, const char *path, struct fault *fault);
void peek_close(struct file_peek *peek);
/*
 * Unpacks the first bytes of a packed file. Returns how many, at most PEEK_BYTES; damage ends them early, and is
 * reported when the file is read. Returns -1 if *fault is set (FAULT_UNREADABLE).
 */
int64_t peek_unpack(const struct file_peek *peek, uint8_t head[PEEK_BYTES], struct fault *fault);

/* A source of bytes that is not a file. */
struct input_stream {
	void *self;
	/* As input_read(). */
	int64_t (*read)(void *self, void *out, size_t n, struct fault *fault);
	/* Frees self; called once. NULL: nothing to free. */
	void (*close)(void *self);
	/* Goes back to the first byte. NULL: it cannot. */
	void (*rewind)(void *self);
};

/* Receives the units of work for what has been unpacked so far. If it returns false with *fault set, the input fails.
 */
struct input_meter {
	void *self;
	bool (*allow)(void *self, uint64_t units, struct fault *fault); /* NULL: there is no meter */
};

struct input {
	uint8_t *bytes;             /* the whole file, or NULL if it is streamed; owned */
	size_t cap;                 /* of bytes or head, with padding; 0: bytes are the caller's */
	uint64_t size;              /* of the file, or INPUT_SIZE_UNKNOWN */
	uint64_t at;                /* the next byte that input_read reads */
	int fd;                     /* >= 0 only while a streamed file is open */
	struct stat st;             /* before reading */
	bool late;                  /* a read was: the kernel is asked to read ahead */
	uint64_t asked;             /* up to this byte */
	struct input_stream stream; /* read != NULL only while one longer than INPUT_WHOLE_MAX is open */
	uint8_t *head;              /* the stream's first head_size bytes, for input_rewind; owned */
	size_t head_size;
	struct input_meter meter; /* of input_unpack; set it after opening */
};

void input_init(struct input *in);
/* Closes the input and frees its memory; it can be opened again. */
void input_release(struct input *in);
/* Closes the input, but keeps its memory for the next file. */
void input_reset(struct input *in);

/*
 * Opens a regular file below dirfd; refuses a FIFO or a device without blocking. path: its whole path, by which it is
 * opened if a server no longer knows the file or dirfd (ESTALE); NULL: by dirfd again. Returns -1 if *fault is set.
 */
int input_open_regular(int dirfd, const char *name, const char *path, struct stat *st, struct fault *fault);
/* Opens such a file and reads it, or prepares to stream it. Returns false if *fault is set (FAULT_UNREADABLE). */
bool input_open(struct input *in, int dirfd, const char *name, struct fault *fault);
/* Does the same with an open file; takes over its descriptor and first bytes. */
bool input_open_peeked(struct input *in, struct file_peek *peek, struct fault *fault);
/*
 * Reads an open descriptor to its end. head: the n bytes already read from it. Returns false if *fault is set: it
 * cannot be read, or has more than `limit` bytes (0: no limit).
 */
bool input_read_fd(struct input *in, int fd, const void *head, size_t n, uint64_t limit, struct fault *fault);
/* Does the same with standard input; but opens a regular file of which no more was read, as input_open() does. */
bool input_open_fd(struct input *in, int fd, const void *head, size_t n, uint64_t limit, struct fault *fault);
/*
 * Takes over a stream, which it closes in any case, and reads its first INPUT_WHOLE_MAX bytes. If it ends within these,
 * it is held in memory; else it is streamed, and input_rewind works only until more is read. Returns false if *fault is
 * set.
 */
bool input_from_stream(struct input *in, const struct input_stream *stream, struct fault *fault);
/* Makes the input a view of the caller's memory, which needs no padding. */
void input_from_memory(struct input *in, const void *bytes, size_t n);

/*
 * Inserts an unpacker if the input is packed (gzip, bzip2, xz, zstd), then peeks at the first bytes. The input is at
 * its beginning before and after. Returns their number, at most PEEK_BYTES, or -1 with *fault set. *head points to
 * them, in the input's memory or in buffer. All packed streams are unpacked, one after the other; anything after the
 * last becomes a warning of the input. More than limits->max_inflated bytes are a fault.
 */
int64_t input_unpack(struct input *in, uint8_t buffer[PEEK_BYTES], const uint8_t **head, const struct limits *limits,
		     struct fault *fault);
/*
 * Makes the input give what the rest of its bytes unpack to: byte 0 is the first of it. Returns false if *fault is set.
 */
bool input_unpack_rest(struct input *in, enum packing packing, const struct limits *limits, struct fault *fault);
/* Reads and unpacks the first bytes of a file. Returns how many, at most PEEK_BYTES, or -1 with *fault set. */
int input_read_head(int dirfd, const char *name, uint8_t head[PEEK_BYTES], struct fault *fault);

/* Reads the next n bytes. Returns how many there were (fewer only at the end), or -1 with *fault set. */
int64_t input_read(struct input *in, void *out, size_t n, struct fault *fault);
/* Returns whether input_rewind works after any read: for a file, bytes in memory, or a stream that can. */
static inline bool input_can_rewind(const struct input *in)
{
	return in->bytes || in->fd >= 0 || in->stream.rewind;
}
/*
 * Goes to byte `at`. Returns false with *fault set if it cannot seek; a stream that is not in memory goes only forward.
 */
bool input_seek(struct input *in, uint64_t at, struct fault *fault);
/* Rewinds to byte 0. Returns false with *fault set if it cannot seek, or more than a stream's head was read. */
bool input_rewind(struct input *in, struct fault *fault);
/* Call after reading. Returns false with FAULT_UNREADABLE if size or mtime changed since it was opened. */
bool input_unchanged(const struct input *in, struct fault *fault);
