#include "find/byte_stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/wait.h"

enum {
	PACKED_BUFFER = 64 << 10, /* bytes read from the file at once where they are unpacked */
};

struct packed_input {
	struct unpacker unpacker;
	bool between;     /* behind a stream: another may follow */
	bool full;        /* what the unpacker gave filled all room: it may have more without input */
	uint64_t padding; /* zeros behind the last stream */
	uint8_t bytes[PACKED_BUFFER];
};

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* What one read(2) gives, or what is left of the head: 0 at the end. -1: fault. */
static int64_t read_some(struct byte_stream *s, void *out, size_t n)
{
	if (s->head_at < s->head_len) {
		n = MIN(n, s->head_len - s->head_at);
		memcpy(out, s->head + s->head_at, n);
		s->head_at += n;
		s->file_bytes += n;
		return (int64_t)n;
	}
	for (;;) {
		/* a file, too: one of a terabyte, sparse perhaps, is not read to its end after a signal */
		if (s->file_size == UINT64_MAX ? !wait_readable(s->fd, s->stop) : is_stopped(s->stop)) {
			fault_set(&s->fault, FAULT_UNREADABLE, s->file_bytes, "interrupted");
			return -1;
		}
		ssize_t got = read(s->fd, out, MIN(n, (size_t)1 << 30));

		if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
			continue;
		if (got < 0) {
			fault_set(&s->fault, FAULT_UNREADABLE, s->file_bytes, "cannot read: %s", strerror(errno));
			return -1;
		}
		s->file_bytes += (uint64_t)got;
		return got;
	}
}

/* ---- unpacking --------------------------------------------------------------------------------------------------- */

static bool begin_stream(struct byte_stream *s, struct fault *fault)
{
	if (unpacker_begin_stream(&s->packed->unpacker))
		return true;
	fault_no_memory(fault, FAULT_NO_OFFSET, "no memory to unpack %s data", unpacker_name(&s->packed->unpacker));
	return false;
}

static bool padding_is_whole(struct byte_stream *s)
{
	const struct packed_input *p = s->packed;
	unsigned unit = unpacker_padding(&p->unpacker);

	if (!unit || p->padding % unit == 0)
		return true;
	fault_set(&s->fault, FAULT_CORRUPT, s->file_bytes - p->unpacker.in_len,
		  "the %s data are damaged: %llu zeros behind a stream, which is no multiple of %u",
		  unpacker_name(&p->unpacker), (unsigned long long)p->padding, unit);
	return false;
}

/* Behind a stream: whether another one begins. Zeros may pad the file. */
static bool next_stream(struct byte_stream *s)
{
	struct packed_input *p = s->packed;
	struct unpacker *u = &p->unpacker;

	while (unpacker_padding(u) && u->in_len && !*u->in) {
		u->in++;
		u->in_len--;
		p->padding++;
	}
	if (u->in_len && padding_is_whole(s) && begin_stream(s, &s->fault))
		p->between = false;
	return !p->between;
}

/* The end of the file is the end of its data only behind a stream. */
static void end_packed(struct byte_stream *s)
{
	if (s->packed->between)
		padding_is_whole(s);
	else
		fault_set(&s->fault, FAULT_TRUNCATED, s->file_bytes, "the %s data end early, after %llu bytes",
			  unpacker_name(&s->packed->unpacker), (unsigned long long)s->file_bytes);
}

static void run_unpacker(struct byte_stream *s)
{
	struct packed_input *p = s->packed;
	struct unpacker *u = &p->unpacker;
	enum unpacker_result result = unpacker_run(u);
	uint64_t at = s->file_bytes - u->in_len;

	p->full = !u->out_len;
	switch (result) {
	case UNPACKER_MORE:
		break;
	case UNPACKER_END:
		p->between = true;
		p->padding = 0;
		break;
	case UNPACKER_DAMAGED:
		fault_set(&s->fault, FAULT_CORRUPT, at, "the %s data are damaged: %s", unpacker_name(u), u->why);
		break;
	case UNPACKER_LIMIT:
		fault_set(&s->fault, FAULT_LIMIT, at,
			  "the %s data need a window of more than %d MiB, which is the limit", unpacker_name(u),
			  1 << (UNPACKER_WINDOW_LOG - 20));
		snprintf(s->fault.advice, sizeof(s->fault.advice),
			 "pack it again with a smaller window, as xz -9 and zstd --long have");
		break;
	case UNPACKER_NO_MEMORY:
		fault_no_memory(&s->fault, FAULT_NO_OFFSET, "no memory to unpack %s data", unpacker_name(u));
		break;
	}
}

/* Up to n bytes. What came out before something went wrong is given, the fault tells the rest. */
static size_t unpack(struct byte_stream *s, uint8_t *out, size_t n)
{
	struct packed_input *p = s->packed;
	struct unpacker *u = &p->unpacker;

	u->out = out;
	u->out_len = n;
	while (u->out_len && s->fault.kind == FAULT_NONE) {
		if (!u->in_len && (p->between || !p->full)) {
			int64_t got = read_some(s, p->bytes, sizeof(p->bytes));

			if (got == 0)
				end_packed(s);
			if (got <= 0)
				break;
			u->in = p->bytes;
			u->in_len = (size_t)got;
		}
		if (!p->between || next_stream(s))
			run_unpacker(s);
	}
	return n - u->out_len;
}

/* ---- the stream -------------------------------------------------------------------------------------------------- */

bool byte_stream_open(struct byte_stream *s, int fd, const void *head, size_t n, enum packing packing,
		      const struct limits *limits, const atomic_bool *stop, struct fault *fault)
{
	struct stat st;

	assert(n <= BYTE_STREAM_HEAD);
	memset(s, 0, sizeof(*s));
	fault_clear(&s->fault);
	s->fd = fd;
	s->stop = stop;
	s->max_ratio = limits->max_archive_ratio;
	s->file_size = UINT64_MAX;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		s->file_size = (uint64_t)st.st_size;
		s->seekable = packing == PACKING_NONE;
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* a disk then reads further ahead */
	}
	s->block = BYTE_STREAM_BUFFER;
	s->buffer = xmalloc(BYTE_STREAM_BUFFER);
	memcpy(s->head, head, n);
	s->head_len = n;
	if (packing == PACKING_NONE)
		return true;
	s->packed = xcalloc(1, sizeof(*s->packed));
	unpacker_init(&s->packed->unpacker, packing);
	return begin_stream(s, fault);
}

void byte_stream_close(struct byte_stream *s)
{
	if (s->packed) {
		unpacker_release(&s->packed->unpacker);
		free(s->packed);
	}
	if (s->fd > STDERR_FILENO)
		close(s->fd);
	free(s->buffer);
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}

/* Nothing more comes once there is far more than the packed bytes should hold. */
static size_t within_ratio(struct byte_stream *s, size_t got)
{
	s->unpacked += got;
	if (PLANTED(bomb_ratio_of_archives, !s->max_ratio, true) || s->unpacked < BYTE_STREAM_RATIO_FLOOR ||
	    s->unpacked / s->max_ratio <= s->file_bytes)
		return got;
	fault_set(&s->fault, FAULT_LIMIT, s->file_bytes,
		  "%llu packed bytes gave %llu so far; the limit is %llu to 1 (--max-archive-ratio)",
		  (unsigned long long)s->file_bytes, (unsigned long long)s->unpacked, (unsigned long long)s->max_ratio);
	return 0;
}

/* Up to n unpacked bytes, fewer only at the end or with a fault. */
static size_t produce(struct byte_stream *s, uint8_t *out, size_t n)
{
	size_t got = 0;

	if (s->ended)
		return 0;
	if (s->packed) {
		got = within_ratio(s, unpack(s, out, n));
	} else {
		while (got < n) {
			int64_t r = read_some(s, out + got, n - got);

			if (r <= 0)
				break;
			got += (size_t)r;
		}
	}
	s->ended = got < n;
	return got;
}

const uint8_t *byte_stream_peek(struct byte_stream *s, size_t n, size_t *have)
{
	assert(n <= BYTE_STREAM_PEEK);
	if (s->len < n) {
		memmove(s->buffer, s->buffer + s->at, s->len);
		s->at = 0;
		s->len += produce(s, s->buffer + s->len, s->block - s->len);
	}
	*have = MIN(n, s->len);
	return s->buffer + s->at;
}

static size_t take(struct byte_stream *s, void *out, size_t n)
{
	n = MIN(n, s->len);
	if (out)
		memcpy(out, s->buffer + s->at, n);
	s->at += n;
	s->len -= n;
	s->offset += n;
	return n;
}

size_t byte_stream_read(struct byte_stream *s, void *out, size_t n)
{
	uint8_t *to = out;
	size_t got = take(s, to, n);

	while (got < n) {
		size_t left = n - got, have;

		if (left >= BYTE_STREAM_BUFFER) { /* not through the buffer */
			have = produce(s, to + got, left);
			s->offset += have;
			got += have;
			break;
		}
		byte_stream_peek(s, 1, &have);
		if (!have)
			break;
		got += take(s, to + got, left);
	}
	return got;
}

/* The rest by seeking, which is worth it only past the buffer. */
static bool seek_over(struct byte_stream *s, uint64_t n)
{
	if (!s->seekable || s->head_at < s->head_len || n < s->block || s->offset > s->file_size ||
	    n > s->file_size - s->offset)
		return false;
	if (lseek(s->fd, (off_t)n, SEEK_CUR) < 0)
		return false;
	s->offset += n;
	return true;
}

uint64_t byte_stream_skip_hole(struct byte_stream *s, uint64_t block)
{
	if (!s->seekable || s->ended || s->head_at < s->head_len || s->len >= block || s->offset >= s->file_size)
		return 0;
	off_t data = PLANTED(holes_of_a_tar, lseek(s->fd, (off_t)s->offset, SEEK_DATA),
			     (off_t)s->offset); /* that byte itself where no holes are kept */
	uint64_t end = data >= 0 ? (uint64_t)data : errno == ENXIO ? s->file_size : s->offset;
	uint64_t n = end > s->offset ? (MIN(end, s->file_size) - s->offset) / block * block : 0;

	if (n) { /* what is buffered of it is zeros, too */
		s->at = s->len = 0;
		s->offset += n;
	}
	if (lseek(s->fd, (off_t)(s->offset + s->len), SEEK_SET) < 0) {
		fault_set(&s->fault, FAULT_UNREADABLE, s->offset, "cannot seek: %s", strerror(errno));
		s->ended = true;
	}
	return n;
}

bool byte_stream_skip(struct byte_stream *s, uint64_t n)
{
	while (n) {
		n -= take(s, NULL, (size_t)MIN(n, (uint64_t)SIZE_MAX));
		if (!n || seek_over(s, n))
			return true;
		size_t have;

		byte_stream_peek(s, 1, &have);
		if (!have)
			return false;
	}
	return true;
}
