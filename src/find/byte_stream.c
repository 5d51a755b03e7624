#include "find/byte_stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/stop.h"

/*
 * A stream of heads ends after HEADS_UNITS_MAX, some three seconds: unpacking is all that it costs. It ends after fewer
 * if its packed bytes do not pay for them; members that are packed themselves take about one unit a byte.
 */
#define HEADS_UNITS_MAX ((uint64_t)1 << 30)
enum { HEADS_UNITS_A_BYTE = 64 };

/* Returns what one read(2) gives, or the rest of the head: 0 at the end, or -1 with *fault set. */
static int64_t read_once(void *self, void *out, size_t n, struct fault *fault)
{
	struct byte_stream *s = self;

	if (s->head_at < s->head_len) {
		n = MIN(n, s->head_len - s->head_at);
		memcpy(out, s->head + s->head_at, n);
		s->head_at += n;
		s->file_bytes += n;
		return (int64_t)n;
	}
	ssize_t got = read_or_stop(s->fd, out, MIN(n, (size_t)1 << 30), s->stop);

	if (got >= 0)
		s->file_bytes += (uint64_t)got;
	else if (errno == ECANCELED)
		fault_set(fault, FAULT_UNREADABLE, s->file_bytes, "interrupted");
	else
		fault_set(fault, FAULT_UNREADABLE, s->file_bytes, "cannot read: %s", strerror(errno));
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
		int64_t r = read_once(self, (uint8_t *)out + got, n - got, fault);

		if (r < 0)
			return r;
		if (!r)
			break;
		got += (size_t)r;
	}
	return (int64_t)got;
}

/* ---- the stream -------------------------------------------------------------------------------------------------- */

bool byte_stream_open(struct byte_stream *s, int fd, const void *head, size_t n, enum packing packing,
		      const struct limits *limits, uint64_t *units_free, const atomic_bool *stop, struct fault *fault)
{
	struct stat st;

	assert(n <= BYTE_STREAM_HEAD);
	memset(s, 0, sizeof(*s));
	fault_clear(&s->fault);
	s->fd = fd;
	s->stop = stop;
	s->max_ratio = limits->max_archive_ratio;
	s->units_free = units_free;
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
	s->packed = xmalloc(sizeof(*s->packed));
	return packed_reader_init(s->packed, packing, (struct packed_source){ s, read_some }, fault);
}

void byte_stream_heads_only(struct byte_stream *s, uint64_t *units)
{
	s->block = BYTE_STREAM_PEEK;
	s->heads_only = true;
	s->units_free = units;
}

void byte_stream_close(struct byte_stream *s)
{
	if (s->packed)
		packed_reader_release(s->packed);
	free(s->packed);
	if (s->fd > STDERR_FILENO)
		close(s->fd);
	free(s->buffer);
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}

static uint64_t units_of(const struct byte_stream *s, uint64_t bytes)
{
	return size_mul_saturating(bytes, unpacker_byte_units(&s->packed->unpacker));
}

/*
 * Takes units, for what was unpacked beyond a bound, from those that all streams share. Returns false if too few are
 * left.
 */
static bool take_units(struct byte_stream *s, uint64_t units)
{
	uint64_t more = units - MIN(units, s->units_taken);

	if (!s->units_free || !more)
		return true;
	if (GUARD(ratio_of_all_archives, more > *s->units_free)) {
		*s->units_free = 0;
		return false;
	}
	*s->units_free -= more;
	s->units_taken = units;
	return true;
}

/* Returns whether more heads are to be read. */
static bool heads_go_on(struct byte_stream *s)
{
	uint64_t units = units_of(s, s->unpacked), paid = size_mul_saturating(s->file_bytes, HEADS_UNITS_A_BYTE);

	return units <= HEADS_UNITS_MAX && take_units(s, units - MIN(units, paid));
}

/* Nothing more comes once there is far more than the packed bytes should hold. */
static size_t within_ratio(struct byte_stream *s, size_t got)
{
	const char *whose = "";
	uint64_t excess;

	s->unpacked += got;
	if (s->heads_only) {
		s->heads_ended = !heads_go_on(s);
		return s->heads_ended ? 0 : got;
	}
	if (PLANTED(bomb_ratio_of_archives, !s->max_ratio, true) || s->unpacked / s->max_ratio <= s->file_bytes)
		return got;
	excess = s->unpacked - s->file_bytes * s->max_ratio;
	if (s->unpacked < BYTE_STREAM_RATIO_FLOOR) {
		if (take_units(s, units_of(s, excess)))
			return got;
		whose = ", and what all archives may unpack to beyond that is spent";
	}
	fault_set(&s->fault, FAULT_LIMIT, s->file_bytes,
		  "%llu packed bytes unpacked to %llu already; the limit is %llu to 1%s (--max-archive-ratio)",
		  (unsigned long long)s->file_bytes, (unsigned long long)s->unpacked, (unsigned long long)s->max_ratio,
		  whose);
	return 0;
}

/* Up to n unpacked bytes, fewer only at the end or with a fault. */
static size_t produce(struct byte_stream *s, uint8_t *out, size_t n)
{
	int64_t got;

	if (s->ended)
		return 0;
	if (s->packed)
		got = (int64_t)within_ratio(s, packed_reader_read(s->packed, out, n, &s->fault));
	else
		got = read_some(s, out, n, &s->fault);
	got = MAX(got, INT64_C(0));
	s->ended = (size_t)got < n;
	return (size_t)got;
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
	if (s->copy && s->copy->len < BYTE_STREAM_COPY)
		strbuf_add(s->copy, s->buffer + s->at, n);
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

		if (left >= BYTE_STREAM_BUFFER && !s->copy) { /* not through the buffer */
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
	if (!s->seekable || s->copy || s->head_at < s->head_len || n < s->block || s->offset > s->file_size ||
	    n > s->file_size - s->offset)
		return false;
	if (lseek(s->fd, (off_t)n, SEEK_CUR) < 0)
		return false;
	s->offset += n;
	return true;
}

uint64_t byte_stream_skip_hole(struct byte_stream *s, uint64_t block)
{
	if (!s->seekable || s->copy || s->ended || s->head_at < s->head_len || s->len >= block || s->offset >= s->file_size)
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
