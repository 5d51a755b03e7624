#include "find/block_reader.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/stop.h"
#include "find/gunzip.h"

/* Returns what one read(2) gives, or the rest of the head: 0 at the end, or -1 with *fault set. */
static int64_t read_once(struct block_reader *r, void *out, size_t n, struct fault *fault)
{
	if (r->head_at < r->head_len) {
		n = MIN(n, r->head_len - r->head_at);
		memcpy(out, r->head + r->head_at, n);
		r->head_at += n;
		r->file_bytes += n;
		return (int64_t)n;
	}
	ssize_t got = read_or_stop(r->fd, out, MIN(n, (size_t)1 << 30), r->stop);

	if (got >= 0)
		r->file_bytes += (uint64_t)got;
	else if (errno == ECANCELED)
		fault_set(fault, FAULT_UNREADABLE, r->file_bytes, "interrupted");
	else
		fault_set(fault, FAULT_UNREADABLE, r->file_bytes, "cannot read: %s", strerror(errno));
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
	r->start = regular ? lseek(fd, 0, SEEK_CUR) - (off_t)n : -1;
	if (packing == PACKING_NONE)
		return true;
	if (packing == PACKING_GZIP && r->start >= 0) {
		r->gunzip = xmalloc(sizeof(*r->gunzip));
		gunzip_begin(r->gunzip, source);
	}
	r->packed = xmalloc(sizeof(*r->packed));
	return packed_reader_init(r->packed, packing, source, fault);
}

static void drop_gunzip(struct block_reader *r)
{
	free(r->gunzip);
	r->gunzip = NULL;
}

void block_reader_close(struct block_reader *r)
{
	drop_gunzip(r);
	if (r->packed)
		packed_reader_release(r->packed);
	free(r->packed);
	if (r->fd > STDERR_FILENO)
		close(r->fd);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}

/* Returns whether so much was unpacked from the bytes read so far that a limit may apply: zlib decides. */
static bool is_ratio_high(const struct block_reader *r, size_t got)
{
	enum { SLACK = 16 }; /* see gunzip_used() */

	return r->gunzip_ratio && (r->given + got) / r->gunzip_ratio + SLACK > gunzip_used(r->gunzip);
}

/* Goes back to the first byte. Returns false if *fault is set. */
static bool rewind_file(struct block_reader *r)
{
	if (lseek(r->fd, r->start + (off_t)r->head_len, SEEK_SET) < 0)
		return fault_set(&r->fault, FAULT_UNREADABLE, 0, "cannot seek: %s", strerror(errno));
	r->head_at = 0;
	r->file_bytes = 0;
	return true;
}

/* Unpacks n bytes with zlib, from the first byte on, until it gives more than were given before. */
static size_t read_again(struct block_reader *r, uint8_t *out, size_t n)
{
	uint64_t before = 0;
	size_t got = 0;

	drop_gunzip(r);
	if (!rewind_file(r))
		return 0;
	do {
		before += got;
		got = packed_reader_read(r->packed, out, n, &r->fault);
		if (is_stopped(r->stop))
			fault_set(&r->fault, FAULT_UNREADABLE, r->file_bytes, "interrupted");
	} while (got == n && before + got <= r->given && r->fault.kind == FAULT_NONE);
	size_t known = (size_t)MIN(r->given - before, (uint64_t)got);

	r->ended = got < n;
	memmove(out, out + known, got - known);
	return got - known;
}

static size_t unpack(struct block_reader *r, uint8_t *out, size_t n)
{
	size_t got;

	if (r->gunzip) {
		if (!gunzip_read(r->gunzip, out, n, &got) || GUARD(ratio_for_zlib, is_ratio_high(r, got)))
			return read_again(r, out, n);
		r->ended = got < n;
		return got;
	}
	got = packed_reader_read(r->packed, out, n, &r->fault);
	r->ended = got < n;
	return got;
}

size_t block_reader_read(struct block_reader *r, uint8_t *out, size_t n)
{
	if (r->ended)
		return 0;
	if (r->packed) {
		size_t got = unpack(r, out, n);

		r->given += got;
		return got;
	}
	int64_t got = read_some(r, out, n, &r->fault);

	got = MAX(got, INT64_C(0));
	r->ended = (size_t)got < n;
	return (size_t)got;
}
