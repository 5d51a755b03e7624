#include "find/block_reader.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/stop.h"
#include "base/write_all.h"

enum {
	ASK_LEAST = 128 << 10,
	ASK_MOST = 2 << 20, /* 128 MB/s where an answer takes 16 ms */
	/* Read at once of a packed file, whose unpacker draws PACKED_BUFFER. Some file systems wait in each read(2). */
	STAGE_MOST = 256 << 10,
};

/* Asks the kernel for what follows. */
static void ask_for_next(struct block_reader *r)
{
	if (r->start < 0)
		return;
	r->ahead = MIN(MAX(2 * r->ahead, (off_t)ASK_LEAST / 2), (off_t)ASK_MOST);
	if (r->ahead < ASK_LEAST) /* the first read after a seek: another one may follow */
		return;
	r->asked = MAX(r->asked, r->at);
	if (r->asked < r->at + r->ahead)
		ask_ahead(r->fd, (uint64_t)r->asked, (uint64_t)(r->at + r->ahead - r->asked));
	r->asked = MAX(r->asked, r->at + r->ahead);
}

/* Returns what one read(2) gives: 0 at the end, or -1 with *fault set. */
static int64_t read_file(struct block_reader *r, void *out, size_t n, struct fault *fault)
{
	ask_for_next(r);
	ssize_t got = read_or_stop(r->fd, out, MIN(n, (size_t)1 << 30), r->stop);

	if (got >= 0)
		r->at += got;
	else if (errno == ECANCELED)
		fault_set(fault, FAULT_UNREADABLE, r->file_bytes, "interrupted");
	else
		fault_set(fault, FAULT_UNREADABLE, r->file_bytes, "cannot read: %s", strerror(errno));
	return got;
}

/* Copies up to n bytes, of which `from` has *len from *at on. Returns how many. */
static int64_t copy_some(void *out, size_t n, const uint8_t *from, size_t *at, size_t len)
{
	n = MIN(n, len - *at);
	memcpy(out, from + *at, n);
	*at += n;
	return (int64_t)n;
}

/* Reads more bytes at once, the longer the file turns out to be. */
static int64_t read_staged(struct block_reader *r, void *out, size_t n, struct fault *fault)
{
	if (r->staged_at == r->staged_len) {
		int64_t got = read_file(r, r->staged, r->stage, fault);

		if (got <= 0)
			return got;
		r->staged_at = 0;
		r->staged_len = (size_t)got;
		r->stage = MIN(2 * r->stage, (size_t)STAGE_MOST);
	}
	return copy_some(out, n, r->staged, &r->staged_at, r->staged_len);
}

/* Returns some of the next bytes: 0 at the end, or -1 with *fault set. */
static int64_t read_once(struct block_reader *r, void *out, size_t n, struct fault *fault)
{
	int64_t got;

	if (r->head_at < r->head_len)
		got = copy_some(out, n, r->head, &r->head_at, r->head_len);
	else if (r->staged)
		got = read_staged(r, out, n, fault);
	else
		got = read_file(r, out, n, fault);
	r->file_bytes += (uint64_t)MAX(got, INT64_C(0));
	return got;
}

/*
 * Returns n bytes, but for the end and the head. A pipe gives as many as its writer wrote at once, and file_bytes is to
 * depend on the data alone.
 */
static int64_t read_some(void *self, void *out, size_t n, struct fault *fault)
{
	size_t got = 0;

	while (got < n) {
		int64_t more = read_once(self, (uint8_t *)out + got, n - got, fault);

		if (more < 0)
			return more;
		if (!more)
			break;
		got += (size_t)more;
	}
	return (int64_t)got;
}

bool block_reader_open(struct block_reader *r, int fd, bool regular, const void *head, size_t n, enum packing packing,
		       const atomic_bool *stop, struct fault *fault)
{
	const struct packed_source source = { r, read_some };

	assert(n <= BLOCK_READER_HEAD);
	memset(r, 0, sizeof(*r));
	fault_clear(&r->fault);
	r->fd = fd;
	r->stop = stop;
	memcpy(r->head, head, n);
	r->head_len = n;
	r->at = regular ? lseek(fd, 0, SEEK_CUR) : -1;
	r->start = r->at - (off_t)n;
	if (packing == PACKING_NONE)
		return true;
	if (r->start >= 0) {
		r->staged = xmalloc(STAGE_MOST);
		r->stage = PACKED_BUFFER;
	}
	r->packed = xmalloc(sizeof(*r->packed));
	return packed_reader_init(r->packed, packing, source, fault);
}

off_t block_reader_seek(struct block_reader *r, off_t to, int from)
{
	off_t at = lseek(r->fd, to, from);

	if (at < 0)
		return at;
	r->at = at;
	r->ahead = 0;
	return at;
}

void block_reader_close(struct block_reader *r)
{
	if (r->packed)
		packed_reader_release(r->packed);
	free(r->packed);
	free(r->staged);
	if (r->fd > STDERR_FILENO)
		close(r->fd);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}

size_t block_reader_read(struct block_reader *r, uint8_t *out, size_t n)
{
	if (r->ended)
		return 0;
	int64_t got =
		r->packed ? (int64_t)packed_reader_read(r->packed, out, n, &r->fault) : read_some(r, out, n, &r->fault);

	got = MAX(got, INT64_C(0));
	r->ended = (size_t)got < n;
	return (size_t)got;
}
